// SPDX-License-Identifier: Apache-2.0
// Exact operation counts of the papers' formulations for general arms of 3 to 30 links, and their
// differences from the papers' tables, line by line (the tables of docs/operation_counts.md).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "dynamics_core/readers.hpp"
#include "model/tree.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/counting/counted.hpp"
#include "papers/counting/paper_tables.hpp"
#include "support/random_robot.hpp"

namespace dynamics::counting {
namespace {

using formulations::find;
using formulations::Task;

constexpr std::size_t first = 3, last = 30;

/// Multiplications with divisions, and additions.
struct Pair {
  Polynomial M, A;
  friend bool operator==(const Pair&, const Pair&) = default;
  friend Pair operator+(const Pair& a, const Pair& b) { return {a.M + b.M, a.A + b.A}; }
  friend Pair operator-(const Pair& a, const Pair& b) { return {a.M - b.M, a.A - b.A}; }
  friend std::ostream& operator<<(std::ostream& out, const Pair& pair) {
    return out << pair.M.text() << " M, " << pair.A.text() << " A";
  }
};
Pair n(std::int64_t m1, std::int64_t m0, std::int64_t a1, std::int64_t a0) {
  return {Polynomial::linear(m1, m0), Polynomial::linear(a1, a0)};
}
using Sixths = std::array<std::int64_t, 4>;
Pair sixths(const Sixths& m, const Sixths& a) {
  return {Polynomial::sixths(m), Polynomial::sixths(a)};
}

template <class Count>
Pair fitted(Count&& count, const ArmOptions& options = {}) {
  std::vector<std::int64_t> m, a;
  for (std::size_t links = first; links <= last; ++links) {
    const OperationCount counts = count(general_arm(links, options));
    m.push_back(counts.products());
    a.push_back(counts.additions);
  }
  const auto products = Polynomial::through(m, first), additions = Polynomial::through(a, first);
  EXPECT_TRUE(products && additions) << "no polynomial";
  return {products.value_or(Polynomial()), additions.value_or(Polynomial())};
}
Pair fitted(std::string_view name, Task task, const ArmOptions& options = {}) {
  return fitted([&](const Model& arm) { return count(find(name), task, arm).counts; }, options);
}
Pair fitted_for_phi(std::string_view name) {
  return fitted([&](const Model& arm) {
    const Result result = count(find(name), Task::forward, arm);
    return result.counts - result.phi;
  });
}

using LinePairs = std::map<std::string, Pair>;
LinePairs fitted_lines(std::string_view name, const ArmOptions& options = {},
                       Task task = Task::inverse) {
  std::set<std::string> names;
  for (const auto& [line, counts] : count(find(name), task, general_arm(first)).lines) {
    names.insert(line);
  }
  LinePairs lines;
  for (const std::string& line : names) {
    lines[line] = fitted(
        [&](const Model& arm) { return count(find(name), task, arm).lines.at(line); }, options);
  }
  lines.erase("");  // no operations before the first line, as the totals show
  return lines;
}
Pair sum(const LinePairs& lines) {
  Pair total;
  for (const auto& [name, pair] : lines) total = total + pair;
  return total;
}

/// A table of a paper: one row, or the sum of its lines.
Pair paper(std::string_view name, std::string_view table, std::string_view algorithm) {
  for (const PaperRow& row : paper_rows()) {
    if (row.paper == name && row.table == table && row.algorithm == algorithm) {
      return {row.multiplications, row.additions};
    }
  }
  ADD_FAILURE() << name << ", " << table << ": " << algorithm;
  return {};
}
Pair paper_sum(std::string_view name, std::string_view table) {
  Pair total;
  for (const PaperRow& row : paper_rows()) {
    if (row.paper == name && row.table == table) {
      total = total + Pair{row.multiplications, row.additions};
    }
  }
  return total;
}

// --- the papers

TEST(PaperTables, FormulasGiveThePrintedValues) {
  for (const PrintedValue& p : printed_values()) {
    const Pair row = paper(p.paper, p.table, p.algorithm);
    EXPECT_EQ(row.M(p.links), p.multiplications) << p.paper << p.algorithm;
    // both papers print 480 for Walker and Orin's 475
    const std::int64_t misprint = p.additions == 480 ? 5 : 0;
    EXPECT_EQ(row.A(p.links), p.additions - misprint) << p.paper << p.algorithm;
  }
}

TEST(PaperTables, LinesAddUpToTheTotals) {
  EXPECT_EQ(paper_sum("Turney 1980", "Table 2"), paper("Turney 1980", "Table 1", "Lagrange"));
  EXPECT_EQ(paper_sum("Turney 1980", "Table 3"), paper("Turney 1980", "Table 1", "Newton-Euler"));
  EXPECT_EQ(paper_sum("Turney 1980", "Table 4"),
            paper("Turney 1980", "Table 1", "Modified Newton-Euler"));
}

TEST(PaperTables, StepsOfSaha2003AddUpToOneMorePerLink) {
  EXPECT_EQ(paper_sum("Saha 2003", "section 3"), n(192, -284, 187, -325));
  EXPECT_EQ(paper_sum("Saha 2003", "section 3") - paper("Saha 2003", "Table I", "Proposed"),
            n(1, 0, 0, 0));
}

/// Expects the counts of the lines of an inverse algorithm, and that they add up to `total`.
void expect_lines(const std::string& algorithm, const LinePairs& lines, const Pair& total) {
  EXPECT_EQ(fitted_lines(algorithm), lines);
  EXPECT_EQ(fitted(algorithm, Task::inverse), total);
  EXPECT_EQ(sum(lines), total);
}

/// Adds the lines that both Newton-Euler algorithms of Turney have, with the same counts.
LinePairs with_common_lines(LinePairs lines) {
  lines.insert({{"omega_i", n(8, 0, 5, 0)},
                {"alpha_i", n(10, 0, 7, 0)},
                {"A_i", n(6, 0, 9, 0)},
                {"m (r_i + r_bar_i) x a_bar_i", n(6, 0, 3, 0)},
                {"r_i x R f_{i+1}", n(6, -6, 3, -3)},
                {"R n_{i+1}", n(8, -8, 4, -4)},
                {"tau_i", n(2, 0, 1, 0)}});
  return lines;
}

// --- Turney's Newton-Euler

TEST(NewtonEuler, CountsEveryLine) {
  const LinePairs expected = with_common_lines({{"a_i", n(17, 0, 13, 0)},
                                                {"a_bar_i", n(9, 0, 9, 0)},
                                                {"f_i", n(11, -8, 7, -7)},
                                                {"I_i alpha_i", n(9, 0, 6, 0)},
                                                {"omega_i x (I_i omega_i)", n(15, 0, 9, 0)},
                                                {"add n", n(0, 0, 12, -6)}});
  expect_lines("newton-euler", expected, n(107, -22, 88, -20));
}

TEST(NewtonEuler, DifferenceFromThePaperIsExplained) {
  const Pair rotations = n(-5, 2, -10, 4);  // five per link with 8 M 4 A instead of 9 M 6 A
  const Pair axis = n(2, 0, 0, 0);          // the 2 M of omega x z qd
  const Pair last_mass = n(0, 3, 0, 0);     // m a_bar of the last link
  const Pair no_child = n(0, -15, 0, -9);   // r x R f and R n of the last link
  const Pair sums = n(0, 0, -3, -6);        // four sums, not five; two for the last link
  const Pair projection = n(2, 0, 1, 0);    // (3.21)
  EXPECT_EQ(fitted("newton-euler", Task::inverse) - paper("Turney 1980", "Table 1", "Newton-Euler"),
            rotations + axis + last_mass + no_child + sums + projection);
}

TEST(ModifiedNewtonEuler, CountsEveryLine) {
  LinePairs expected = with_common_lines({{"a_i", n(17, -9, 13, -9)},
                                          {"m_i a_bar_i", n(12, 0, 9, 0)},
                                          {"f_i", n(8, -8, 7, -7)},
                                          {"Tr{A_i K_i sigma^t}", n(15, 0, 15, 0)},
                                          {"add n", n(0, 0, 9, -6)}});
  expect_lines("modified-newton-euler", expected, n(98, -31, 85, -29));
  // with inertia tensors in principal axes, as in the paper
  expected["Tr{A_i K_i sigma^t}"] = n(6, 0, 3, 0);
  EXPECT_EQ(fitted_lines("modified-newton-euler", {.principal = true}), expected);
  EXPECT_EQ(sum(expected), n(89, -31, 73, -29));
}

TEST(ModifiedNewtonEuler, DifferenceFromThePaperIsExplained) {
  const Pair rotations = n(-5, 2, -10, 4);
  const Pair axis = n(2, 0, 0, 0);
  const Pair last_rotation = n(0, 9, 0, 6);  // R a_{n-1} for the last m a_bar
  const Pair no_child = n(0, -15, 0, -9);
  const Pair sums = n(0, 0, -6, -6);  // three sums, not five; one for the last link
  const Pair projection = n(2, 0, 1, 0);
  const Pair principal = rotations + axis + last_rotation + no_child + sums + projection;
  const Pair general_tensors = n(9, 0, 12, 0);
  const Pair table = paper("Turney 1980", "Table 1", "Modified Newton-Euler");
  EXPECT_EQ(fitted("modified-newton-euler", Task::inverse, {.principal = true}) - table, principal);
  EXPECT_EQ(fitted("modified-newton-euler", Task::inverse) - table, principal + general_tensors);
}

// --- Turney's Lagrange

TEST(Lagrange, CountsEveryLine) {
  const LinePairs expected = {
      {"T_{i-1}^i", n(8, 0, 2, 0)},
      {"T_j^i", sixths({0, 192, -192, 0}, {0, 144, -144, 0})},
      {"dT_0^i/dtheta_j", sixths({0, 192, -192, 0}, {0, 144, -144, 0})},
      {"d2T_0^i/dtheta_j dtheta_k", sixths({64, 0, -64, 0}, {48, 0, -48, 0})},
      {"kinetic sum J_q", sixths({17, 99, 466, 0}, {17, 96, 271, 0})},
      {"Tr{... dT/dtheta_i}", sixths({0, 48, 48, 0}, {0, 48, 42, 0})},
      {"gravity", sixths({0, 45, 45, 0}, {0, 36, 36, 0})}};
  EXPECT_EQ(fitted_lines("lagrange"), expected);
  EXPECT_EQ(fitted("lagrange", Task::inverse), sum(expected));
}

TEST(Lagrange, DifferenceFromThePaperIsExplained) {
  // T_{i-1}^i itself: four products of its entries, p by 4 M 2 A
  const Pair entries = n(8, 0, 2, 0);
  // the squares' matrices times their rates, 16q for link q, in M; in A what sums each pair of
  // rates once, 8q(q + 1) + q(q - 1)/2 + 16(q - 1) + 48, for the paper's 16q(q - 1) + 32
  const Pair kinetic = sixths({0, 48, 48, 0}, {-15, 96, 111, 0});
  // gravity in any direction: 15 M 11 A instead of 4 M 3 A, and the addition of the result
  const Pair gravity = sixths({0, 33, 33, 0}, {0, 24, 30, 0});
  EXPECT_EQ(fitted("lagrange", Task::inverse) - paper("Turney 1980", "Table 1", "Lagrange"),
            entries + kinetic + gravity);
}

// --- the others

TEST(Formulations, HaveExactCounts) {
  // strobing: Turney gives only the form, k n(n + 1)/2 for M and k n(n + 1)(2n + 1)/6 for C
  EXPECT_EQ(fitted("strobing", Task::inverse),
            sixths({226, 504, 680, -186}, {194, 429, 571, -174}));
  EXPECT_EQ(fitted("strobing", Task::forward), sixths({2, 300, 694, -186}, {2, 258, 592, -174}));
  EXPECT_EQ(fitted("lagrange", Task::forward), sixths({99, 1206, 45, 0}, {83, 948, -77, 0}));
  EXPECT_EQ(fitted("denoc-explicit", Task::inverse),
            sixths({0, 126, 1158, -216}, {0, 144, 810, -162}));
  EXPECT_EQ(fitted("denoc-explicit", Task::forward),
            sixths({7, 207, 2204, -432}, {7, 222, 1529, -324}));
  EXPECT_EQ(fitted("walker-orin", Task::forward), sixths({1, 69, 836, -324}, {1, 42, 749, -372}));
  EXPECT_EQ(fitted("articulated-body", Task::forward), n(263, -195, 253, -206));
  EXPECT_EQ(fitted("nasser", Task::forward), n(247, -184, 223, -178));
}

TEST(WalkerOrin, DoesNotExceedThePapersCount) {
  const Pair ours = fitted_for_phi("walker-orin");
  EXPECT_EQ(ours, sixths({1, 69, 134, -192}, {1, 42, 209, -252}));
  // 17 M 4 A fewer per composite body; one more division per link for Cholesky
  EXPECT_EQ(ours - paper("Saha 1999", "Table 2", "Walker and Orin (1982)"), n(-16, 15, -4, 4));
}

TEST(ArticulatedBody, DoesNotExceedThePapersCount) {
  const Pair ours = fitted_for_phi("articulated-body");
  EXPECT_EQ(ours, n(171, -163, 174, -173));
  EXPECT_EQ(ours - paper("Saha 1999", "Table 2", "Featherstone (1983)"), n(-28, 35, 0, 0));
}

TEST(Nasser, DifferenceFromThePaperIsExplained) {
  EXPECT_EQ(fitted("nasser", Task::forward) - paper("Nasser 1990", "section 3.3", "Proposed"),
            n(-11, -65, 32, -95));
  const auto line = [](const char* name) {
    return fitted(
        [&](const Model& arm) { return count(find("nasser"), Task::forward, arm).lines.at(name); });
  };
  EXPECT_EQ(line("R, P, omega"), n(12, -10, 5, -4));
  EXPECT_EQ(line("A, B of the link"), n(49, 0, 35, 0));
  EXPECT_EQ(line("L, G"), n(26, -25, 21, -20));
  EXPECT_EQ(line("A*"), n(71, -71, 84, -84));
  EXPECT_EQ(line("B*"), n(62, -62, 54, -54));
  EXPECT_EQ(line("q, F, qdd"), n(27, -16, 24, -16));
}

// --- Saha, as printed

LinePairs saha_1999_lines() {
  return {{"d_i", n(4, 0, 2, 0)},          {"c_{i,i-1}", n(0, 0, 3, -3)},
          {"nu_i", n(24, -14, 17, -15)},   {"xi_i", n(48, -34, 38, -30)},
          {"gamma_i", n(49, -6, 38, -12)}, {"tau_i", n(2, 0, 2, 0)}};
}

TEST(Saha1999, CountsEveryLine) {
  expect_lines("saha-1999", saha_1999_lines(), n(127, -54, 100, -60));
}

TEST(Saha1999, IsNearThePapersCount) {
  // the paper gives only the total; without the linear part of nu_i, which enters no torque, 14 M
  // 12 A fewer per link
  EXPECT_EQ(fitted("saha-1999", Task::inverse) - paper("Saha 1999", "Table 1", "Proposed"),
            n(7, -10, 3, -5));
}

TEST(Saha2003, CountsEveryStepAsPrintedExceptForTheExplainedDifferences) {
  const std::map<std::string, Pair> differences = {
      {"A3a", n(0, 0, 0, -1)},  // 16 A for two planar rotations
      {"A3b", n(0, 0, 4, -8)},  // 6 A of I_i, and 16 A for 17 A twice
      {"A3, M^_1", n(0, 86, 0, 105)},  {"A4b", n(0, 12, 0, 12)},  // n - 2 links
      {"A4, psi^_1", n(0, 12, 0, 12)}, {"C2a", n(0, -2, 0, 0)},   // two products
      {"C2b", n(0, -18, 0, -11)}};                                // without mu_n
  const LinePairs lines = fitted_lines("saha-2003", {}, Task::forward);
  Pair steps, explained;
  for (const PaperRow& row : paper_rows()) {
    if (row.paper != "Saha 2003" || row.table != "section 3") continue;
    const auto found = lines.find(std::string(row.line));
    ASSERT_NE(found, lines.end()) << row.line;
    const auto difference = differences.find(std::string(row.line));
    const Pair expected = difference == differences.end() ? Pair{} : difference->second;
    EXPECT_EQ(found->second - (Pair{row.multiplications, row.additions}), expected) << row.line;
    steps = steps + found->second;
    explained = explained + expected;
  }
  EXPECT_EQ(steps, n(192, -194, 191, -216));
  EXPECT_EQ(steps, fitted_for_phi("saha-2003"));
  EXPECT_EQ(explained, steps - paper_sum("Saha 2003", "section 3"));
  // phi: inverse dynamics with qdd = 0, and n differences
  EXPECT_EQ(fitted("saha-2003", Task::forward) - steps, n(127, -54, 101, -60));
}

TEST(Formulations, AllAreCounted) {
  const Model arm = general_arm(4), single = general_arm(1);
  for (const formulations::Formulation& formulation : formulations::all()) {
    for (const Task task : {Task::inverse, Task::forward}) {
      if (!(task == Task::inverse ? formulation.inverse : formulation.forward)) {
        EXPECT_THROW(count(formulation, task, arm), ArgumentError) << formulation.name;
        continue;
      }
      const Result result = count(formulation, task, arm);
      EXPECT_GT(result.counts.multiplications, 0) << formulation.name;
      EXPECT_GE(result.counts.sines, 4) << formulation.name;
      EXPECT_EQ(result.counts.sines, result.counts.cosines) << formulation.name;
      OperationCount lines;
      for (const auto& [name, counts] : result.lines) lines = lines + counts;
      if (!result.lines.empty()) {
        EXPECT_EQ(lines, result.counts) << formulation.name;
      }
      EXPECT_GT(count(formulation, task, single).counts.additions, 0) << formulation.name;
    }
  }
}

TEST(Formulations, TreesAreCountedOrRejected) {
  test::RandomRobot random(3);
  const Model tree(random.robot({.joints = 9, .branching = 0.4, .rotors = 0.3}));
  EXPECT_THROW(count(find("lagrange"), Task::inverse, tree), ArgumentError);
  for (const char* name : {"walker-orin", "articulated-body", "nasser", "denoc-explicit", "udut"}) {
    EXPECT_GT(count(find(name), Task::forward, tree).counts.divisions, 0) << name;
  }
}

TEST(GeneralArm, RejectsZeroLinks) {
  EXPECT_THROW(general_arm(0), ArgumentError);
  EXPECT_EQ(general_arm(30).size(), 30U);
}

TEST(GeneralArm, HasGeneralParameters) {
  const Model arm = general_arm(30);
  for (std::size_t i = 0; i < arm.body_count(); ++i) {
    const TreeBody& body = arm.tree()[i];
    EXPECT_EQ(body.offset, 0.0) << i;
    EXPECT_FALSE(body.prismatic);
    if (i > 0) {
      EXPECT_GT(std::abs(body.sin_alpha), 0.1) << i;
      EXPECT_GT(std::abs(body.cos_alpha), 0.1) << i;
      EXPECT_NE(body.position[0], 0.0) << i;
      EXPECT_NE(body.position[2], 0.0) << i;
    }
    for (const double entry : body.first_moment) EXPECT_GT(std::abs(entry), 1e-3) << i;
    for (const double entry : body.inertia) EXPECT_GT(std::abs(entry), 1e-6) << i;
  }
}

}  // namespace
}  // namespace dynamics::counting
