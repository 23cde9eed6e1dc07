// SPDX-License-Identifier: Apache-2.0
#pragma once

// The figures, tables, equations and claims of the papers, and the table at the head of the page
// that lists what was reproduced.
//
//   const PaperCoverage coverage = paper_coverage(claims, true);
//   coverage.rows;       // | paper | item | content | result |
//   coverage.problems;   // items that no section judges, claims about unknown items

#include <span>
#include <string>
#include <vector>

#include "report.hpp"

namespace dynamics::tools {

enum class ItemKind { figure, table, equations, claim };

struct PaperItem {
  const char* paper;
  const char* name;  ///< "Fig. 5"; with the paper it is the label of Claim::item
  ItemKind kind;
  const char* content;
  /// Equations: the file that implements them, relative to dynamics_core/. Others: why there is no
  /// verdict, or empty if the sections judge it.
  const char* note;

  std::string label() const;
};

/// All items, by paper.
std::span<const PaperItem> paper_items();

struct PaperCoverage {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> problems;
};

/// The rows of the table, from the verdicts of the sections. `all_sections`: every item must have a
/// verdict or a note; otherwise items without verdict are left out.
PaperCoverage paper_coverage(std::span<const Claim> claims, bool all_sections);

}  // namespace dynamics::tools
