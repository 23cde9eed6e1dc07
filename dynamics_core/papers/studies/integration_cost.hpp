// SPDX-License-Identifier: Apache-2.0
#pragma once

// A claim of Saha 1999 and 2003 (introductions, after Ascher et al. 1997), measured: accelerations
// of O(n) algorithms are smoother than those of O(n^3) algorithms, and integration is therefore
// faster. Every algorithm integrates the same fall with the same integrator; steps and evaluations
// are counted. In single precision the accelerations are rounded, the integrator is not.
//
//   const std::vector<IntegrationCost> rows = integration_costs();
//   const std::vector<counting::PaperClaim> verdicts = smoothness_claims(rows);

#include <cstdint>
#include <string>
#include <vector>

#include "papers/counting/paper_claims.hpp"

namespace dynamics::studies {

/// One run.
struct IntegrationCost {
  std::string robot;       ///< "puma", "chain of 20 links"
  std::string integrator;  ///< "rkf45"
  double rtol = 0.0;
  double duration = 0.0;  ///< (s)
  bool single = false;    ///< accelerations in single precision, else double
  std::string algorithm;  ///< "saha-2003"
  bool linear = false;    ///< O(n), else O(n^3)
  std::uint64_t steps = 0, rejected = 0, evaluations = 0;
  /// Largest error of the accelerations, relative to the largest acceleration of the state: against
  /// 32 digits, at the states of one run with udut. Rounding errors change at random from state to
  /// state, so that this is also the roughness of the accelerations over time.
  double error = 0.0;
  bool completed = true;  ///< false: singular, or more than `max_integration_steps`

  /// "puma, 2 s, rkf45 at 1e-06, single precision": the same for all algorithms
  std::string run_text() const;
};

inline constexpr std::uint64_t max_integration_steps = 5000;

/// All runs: the papers' arms and two long chains, two tolerances, two precisions, every algorithm
/// with forward dynamics. Some seconds.
std::vector<IntegrationCost> integration_costs();

/// One row per robot, integrator and precision. The claim holds if every O(n^3) algorithm needs
/// more evaluations than every O(n) algorithm by more than 5 %, or does not complete; "in trend" if
/// this is so for their means only; else it differs.
std::vector<counting::PaperClaim> smoothness_claims(const std::vector<IntegrationCost>& rows);

}  // namespace dynamics::studies
