// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the papers state about operation counts, row by row, with what is computed here:
//
//   for (const PaperClaim& row : table_claims()) row.verdict;   // every row of every table
//   for (const PaperClaim& row : count_claims()) row.verdict;   // crossovers, "best in ..."
//
// Verdicts are computed from the printed polynomials and from our counts:
//   holds         equal; for a bound: the bound is met
//   in trend      within 10 % for six links, multiplications and additions
//   differs       more, or the bound is not met
//   quoted only   no implementation here, nothing of ours is compared
//   nothing to compare with   the paper prints no number

#include <string>
#include <vector>

#include "papers/counting/algorithms.hpp"

namespace dynamics::counting {

struct PaperClaim {
  std::string paper;       ///< "Saha 2003"
  std::string place;       ///< "Table I"
  std::string statement;   ///< the row or claim
  std::string printed;     ///< number or formula of the paper
  std::string computed;    ///< the same, computed here
  std::string difference;  ///< computed minus printed
  std::string verdict;
  std::string note = {};  ///< reason of a difference, or empty
};

/// Every row of every table of operation counts: the printed formula beside the count of our
/// implementation, then the printed numbers beside the printed formula.
/// Counted for general arms; `arm` changes them.
std::vector<PaperClaim> table_claims(const ArmOptions& arm = {});

/// The claims about counts in the text: from which number of links on O(n) algorithms need fewer
/// operations (n = 12, 10 and 8), and which algorithms are best.
std::vector<PaperClaim> count_claims(const ArmOptions& arm = {});

}  // namespace dynamics::counting
