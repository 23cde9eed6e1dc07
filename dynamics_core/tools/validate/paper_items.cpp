// SPDX-License-Identifier: Apache-2.0
#include "paper_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dynamics::tools {
namespace {

constexpr const char* saha99 = "Saha 1999";
constexpr const char* saha03 = "Saha 2003";
constexpr const char* turney = "Turney 1980";
constexpr const char* nasser = "Nasser 1990";
constexpr const char* mohan = "Mohan and Saha";

constexpr const char* drawing = "a drawing";
constexpr const char* same_claim = "as Saha 2003, section 1";
constexpr const char* input = "input: the parameters of `robots/`";

/// One word for all verdicts on an item, and how many there are of each.
std::string result_of(std::span<const Verdict> verdicts) {
  const auto has = [&](Verdict verdict) {
    return std::find(verdicts.begin(), verdicts.end(), verdict) != verdicts.end();
  };
  const char* word = has(Verdict::differs)    ? "**differs**"
                     : has(Verdict::in_trend) ? "in trend"
                     : has(Verdict::holds)    ? "reproduced"
                                              : "not reproducible from the text";
  std::vector<std::string> parts;
  for (const Verdict verdict :
       {Verdict::holds, Verdict::in_trend, Verdict::differs, Verdict::nothing_to_compare}) {
    const auto count = std::count(verdicts.begin(), verdicts.end(), verdict);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, to_string(verdict)));
  }
  return fmt::format("{} ({})", word, fmt::join(parts, ", "));
}

}  // namespace

std::string PaperItem::label() const { return fmt::format("{}, {}", paper, name); }

std::span<const PaperItem> paper_items() {
  using enum ItemKind;
  static constexpr std::array items = {
      PaperItem{saha99, "Figs. 1 to 4, 7, 10", figure, "mechanisms and frames", drawing},
      PaperItem{saha99, "Fig. 5", figure, "torques of the planar arm", ""},
      PaperItem{saha99, "Fig. 6", figure, "free fall of the planar arm", ""},
      PaperItem{saha99, "Fig. 8", figure, "torques of the Stanford arm", ""},
      PaperItem{saha99, "Fig. 9", figure, "free fall of the Stanford arm", ""},
      PaperItem{saha99, "Table 1", table, "operations of inverse dynamics", ""},
      PaperItem{saha99, "Table 2", table, "operations of forward dynamics", ""},
      PaperItem{saha99, "Table 3", table, "parameters of the Stanford arm", input},
      PaperItem{saha99, "Eqs. (1) to (20)", equations, "DeNOC matrices, equations of motion",
                "papers/formulations/denoc_matrices.hpp"},
      PaperItem{saha99, "Eqs. (21) to (24)", equations, "inertia matrix",
                "src/rigid/recursions/inertia_matrix.hpp"},
      PaperItem{saha99, "Eqs. (25) to (29)", equations, "convective matrix C",
                "src/rigid/recursions/coriolis_matrix.hpp"},
      PaperItem{saha99, "section 5.1, Eq. (32)", equations, "inverse dynamics",
                "papers/formulations/saha_1999.hpp"},
      PaperItem{saha99, "Eqs. (33) to (37)", equations, "forward dynamics",
                "src/rigid/recursions/forward_dynamics.hpp"},
      PaperItem{saha99, "Eqs. (38), (39)", equations, "cycloid",
                "src/trajectory/closed_form_trajectories.hpp"},
      PaperItem{saha99, "Eqs. (40) to (55)", equations, "reverse Gaussian elimination, UDU^T",
                "src/rigid/recursions/udut.hpp"},
      PaperItem{saha99, "section 1, Table 2", claim, "O(n) needs fewer operations from n = 12 on",
                ""},
      PaperItem{saha99, "section 1", claim, "O(n) accelerations are smooth", same_claim},

      PaperItem{saha03, "Figs. 1 to 3, 8", figure, "mechanisms and frames", drawing},
      PaperItem{saha03, "Fig. 4(i)", figure, "free fall of the Stanford arm", ""},
      PaperItem{saha03, "Fig. 4(ii)", figure, "free fall of the PUMA", ""},
      PaperItem{saha03, "Fig. 5(i)", figure, "torques of the Stanford arm", ""},
      PaperItem{saha03, "Fig. 5(ii)", figure, "torques of the PUMA", ""},
      PaperItem{saha03, "Fig. 6(i)", figure, "forced run of the Stanford arm", ""},
      PaperItem{saha03, "Fig. 6(ii)", figure, "forced run of the PUMA", ""},
      PaperItem{saha03, "Fig. 7", figure, "end effector of the Stanford arm", ""},
      PaperItem{saha03, "Table I", table, "operations of forward dynamics", ""},
      PaperItem{saha03, "Table II", table, "parameters of the Stanford arm and the PUMA", input},
      PaperItem{saha03, "Eqs. (1) to (11), (19) to (28)", equations, "UDU^T decomposition",
                "src/rigid/recursions/udut.hpp"},
      PaperItem{saha03, "Eqs. (12) to (17)", equations, "forward dynamics",
                "papers/formulations/saha_2003.hpp"},
      PaperItem{saha03, "section 3", table, "operations of steps A1 to C3", ""},
      PaperItem{saha03, "Eq. (18)", equations, "cycloid",
                "src/trajectory/closed_form_trajectories.hpp"},
      PaperItem{saha03, "planar arm", claim, "simulations match the explicit equations", ""},
      PaperItem{saha03, "section 1, Table I", claim, "O(n) needs fewer operations from n = 10 on",
                ""},
      PaperItem{saha03, "sections 3 and 5", claim, "best in multiplications", ""},
      PaperItem{saha03, "section 5", claim, "fewer multiplications than in 1999", ""},
      PaperItem{saha03, "section 1", claim, "O(n) accelerations are smooth, integration is faster",
                ""},

      PaperItem{turney, "Figs. 1 to 4", figure, "links and frames", drawing},
      PaperItem{turney, "Table 1", table, "operations of three formulations", ""},
      PaperItem{turney, "Table 2", table, "operations of Lagrange, line by line", ""},
      PaperItem{turney, "Table 3", table, "operations of Newton-Euler, line by line", ""},
      PaperItem{turney, "Table 4", table, "operations of modified Newton-Euler, line by line", ""},
      PaperItem{turney, "Table 5", table, "concurrent steps", ""},
      PaperItem{turney, "sections 1 and 2", equations, "Lagrange",
                "papers/formulations/lagrange.hpp"},
      PaperItem{turney, "section 3", equations, "Newton-Euler",
                "papers/formulations/newton_euler.hpp"},
      PaperItem{turney, "sections 3 and 7", equations, "strobing, simulation",
                "papers/formulations/strobing.hpp"},
      PaperItem{turney, "section 5", equations, "modified Newton-Euler",
                "papers/formulations/modified_newton_euler.hpp"},
      PaperItem{turney, "section 5, counts", claim, "modified is cheaper than Newton-Euler", ""},
      PaperItem{turney, "equivalence", claim, "the three formulations are equivalent", ""},

      PaperItem{nasser, "Figs. 2-1 to A-3", figure, "links and frames", drawing},
      PaperItem{nasser, "section 3.3", table, "operations of forward dynamics", ""},
      PaperItem{nasser, "sections 2 and 3", equations, "6x6 recursive Newton-Euler",
                "papers/formulations/nasser.hpp"},
      PaperItem{nasser, "verification", claim, "the same accelerations as Walker and Orin", ""},

      PaperItem{mohan, "Figs. 1 to 3", figure, "arm and link", drawing},
      PaperItem{mohan, "Fig. 4", figure, "joint angles and rates of the Canadarm", ""},
      PaperItem{mohan, "Fig. 5", figure, "tip deflections", ""},
      PaperItem{mohan, "Fig. 6", figure, "error of joint 1, recursive and Cholesky", ""},
      PaperItem{mohan, "Fig. 7", figure, "powers, recursive and Cholesky", ""},
      PaperItem{mohan, "Fig. 8", figure, "acceleration of joint 1, recursive and Cholesky", ""},
      PaperItem{mohan, "Table 1", table, "operations of forward dynamics", ""},
      PaperItem{mohan, "Table 2", table, "parameters of the Canadarm", input},
      PaperItem{mohan, "Eqs. (1) to (18)", equations, "deflections, twists, DeNOC matrices",
                "src/flexible/recursions/link_kinematics.hpp"},
      PaperItem{mohan, "Eqs. (19) to (24)", equations, "mass matrix and gamma of a link",
                "src/flexible/recursions/link_inertia.hpp"},
      PaperItem{mohan, "Eqs. (25) to (33)", equations, "inertia matrix and forces",
                "src/flexible/recursions/inertia_matrix.hpp"},
      PaperItem{mohan, "Eqs. (34) to (42)", equations, "forward dynamics",
                "src/flexible/recursions/forward_dynamics.hpp"},
      PaperItem{mohan, "Eq. (43)", equations, "modes of a beam", "src/flexible/beam_basis.cpp"},
      PaperItem{mohan, "Eq. (44)", equations, "desired motion",
                "src/trajectory/closed_form_trajectories.hpp"},
  };
  return items;
}

PaperCoverage paper_coverage(std::span<const Claim> claims, bool all_sections) {
  PaperCoverage coverage;
  std::vector<bool> known(claims.size(), false);
  for (const PaperItem& item : paper_items()) {
    std::vector<Verdict> verdicts;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (claims[i].item != item.label()) continue;
      known[i] = true;
      verdicts.push_back(claims[i].verdict);
    }
    const std::string note = item.note;
    std::string result;
    if (!verdicts.empty()) {
      result = result_of(verdicts);
    } else if (!all_sections) {
      continue;
    } else if (item.kind == ItemKind::equations) {
      result = fmt::format("implemented: `{}`", note);
    } else if (!note.empty()) {
      result = note;
    } else {
      result = "**no verdict**";
      coverage.problems.push_back(item.label() + ": no section judges it");
    }
    coverage.rows.push_back({item.paper, item.name, item.content, std::move(result)});
  }
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!known[i])
      coverage.problems.push_back(claims[i].item + ": the list of the papers' items lacks it");
  }
  return coverage;
}

}  // namespace dynamics::tools
