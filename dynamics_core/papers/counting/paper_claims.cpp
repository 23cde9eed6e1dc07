// SPDX-License-Identifier: Apache-2.0
#include "papers/counting/paper_claims.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "papers/counting/concurrency.hpp"
#include "papers/counting/flexible_counts.hpp"
#include "papers/counting/paper_tables.hpp"

namespace dynamics::counting {
namespace {

using formulations::find;
using formulations::Task;

constexpr std::int64_t judged_links = 6;    // of the tables' examples
constexpr double trend = 0.1;               // largest relative difference "in trend"
constexpr std::size_t first = 3, last = 8;  // links of the counted arms

/// Multiplications with divisions, and additions.
struct Counts {
  Polynomial M, A;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend Counts operator-(const Counts& a, const Counts& b) { return {a.M - b.M, a.A - b.A}; }
  std::string text() const { return fmt::format("{} M, {} A", M.text(), A.text()); }
  Polynomial total() const { return M + A; }
};
Counts printed_counts(const PaperRow& row) { return {row.multiplications, row.additions}; }

/// Counts of our implementations for general arms of `first` to `last` links. Turney's tables
/// assume tensors in principal axes.
class OwnCounts {
 public:
  explicit OwnCounts(const ArmOptions& arm) : arm_(arm) {}

  /// Of the algorithm or line of the row; empty without an implementation.
  std::optional<Counts> of(const PaperRow& row) {
    if (row.formulation.empty()) return std::nullopt;
    if (row.kind == RowKind::steps) {
      const Schedule schedule = turney_schedule();
      return Counts{schedule.multiplications, schedule.additions};
    }
    const bool principal = row.paper == "Turney 1980";
    const std::vector<Result>& results = counted(row.formulation, principal);
    return fit(results, [&](const Result& result) {
      if (row.kind == RowKind::solution) return result.counts - result.phi;
      if (row.kind != RowKind::line) return result.counts;
      const auto found = result.lines.find(std::string(row.line));
      return found == result.lines.end() ? OperationCount{} : found->second;
    });
  }
  /// Forward dynamics for given phi.
  Counts solution(std::string_view formulation) {
    return fit(counted(formulation, false),
               [](const Result& result) { return result.counts - result.phi; });
  }

 private:
  const std::vector<Result>& counted(std::string_view name, bool principal) {
    auto [found, added] = results_.try_emplace({std::string(name), principal});
    if (added) {
      const formulations::Formulation& formulation = find(name);
      const Task task = formulation.inverse ? Task::inverse : Task::forward;
      ArmOptions arm = arm_;
      arm.principal = principal;
      for (std::size_t n = first; n <= last; ++n) {
        found->second.push_back(count(formulation, task, general_arm(n, arm)));
      }
    }
    return found->second;
  }
  static Counts fit(const std::vector<Result>& results, const auto& part) {
    std::vector<std::int64_t> m, a;
    for (const Result& result : results) {
      const OperationCount counts = part(result);
      m.push_back(counts.products());
      a.push_back(counts.additions);
    }
    const auto M = Polynomial::through(m, first), A = Polynomial::through(a, first);
    if (!M || !A) throw StateError("", "the counts are no polynomial in the number of links");
    return {*M, *A};
  }
  ArmOptions arm_;
  std::map<std::pair<std::string, bool>, std::vector<Result>> results_;
};

/// holds, in trend or differs
std::string judge(double computed_m, double computed_a, double printed_m, double printed_a) {
  if (computed_m == printed_m && computed_a == printed_a) return "holds";
  const auto close = [](double computed, double printed) {
    return std::abs(computed - printed) <= trend * std::abs(printed);
  };
  return close(computed_m, printed_m) && close(computed_a, printed_a) ? "in trend" : "differs";
}
std::string judge(const Counts& computed, const Counts& printed) {
  if (computed == printed) return "holds";
  constexpr auto n = judged_links;
  const std::string verdict =
      judge(static_cast<double>(computed.M(n)), static_cast<double>(computed.A(n)),
            static_cast<double>(printed.M(n)), static_cast<double>(printed.A(n)));
  return verdict == "holds" ? "in trend" : verdict;  // equal for six links only
}

PaperClaim claim_of(const PaperRow& row, OwnCounts& own) {
  const Counts printed = printed_counts(row);
  PaperClaim claim{.paper = std::string(row.paper),
                   .place = std::string(row.table),
                   .statement = std::string(row.algorithm),
                   .printed = printed.text(),
                   .computed = "not implemented here",
                   .difference = "",
                   .verdict = "quoted only",
                   .note = std::string(row.note)};
  const std::optional<Counts> counts = own.of(row);
  if (!counts) return claim;
  claim.computed = counts->text();
  if (printed == Counts{}) {
    claim.printed = "not printed";
    claim.verdict = "nothing to compare with";
    return claim;
  }
  claim.difference = (*counts - printed).text();
  claim.verdict = judge(*counts, printed);
  return claim;
}

std::string numbers(double m, double a) { return fmt::format("{:.0f} M, {:.0f} A", m, a); }

PaperClaim number_claim(std::string paper, std::string place, std::string statement,
                        double printed_m, double printed_a, double m, double a) {
  m = std::round(m);
  a = std::round(a);
  return {.paper = std::move(paper),
          .place = std::move(place),
          .statement = std::move(statement),
          .printed = numbers(printed_m, printed_a),
          .computed = numbers(m, a),
          .difference = fmt::format("{:+.0f} M, {:+.0f} A", m - printed_m, a - printed_a),
          .verdict = judge(m, a, printed_m, printed_a)};
}

constexpr const char* mohan_saha = "Mohan and Saha";
constexpr std::size_t flexible_links = 8;
constexpr int flexible_modes = 2;

std::vector<PaperClaim> flexible_rows(const ArmOptions& arm) {
  const auto row = [](const std::string& statement, double m, double a, const FlexibleRow& found) {
    return number_claim(mohan_saha, "Table 1", statement, m, a, found.multiplications,
                        found.additions);
  };
  const OperationCount ours =
      count_flexible_forward(flexible_arm(flexible_links + arm.extra_links, flexible_modes));
  constexpr auto n = flexible_links;
  constexpr auto m = flexible_modes;
  return {
      row("Proposed: printed coefficients, n = 8, m = 2", 9874, 7699, mohan_saha_table(n, m)),
      row("Proposed: our recursion, n = 8, m = 2", 9874, 7699,
          {static_cast<double>(ours.products()), static_cast<double>(ours.additions)}),
      row("Jain and Rodriguez: printed coefficients, n = 8, m = 2", 10568, 8344,
          jain_rodriguez_table(n, m)),
      row("Cyril: printed coefficients, n = 8, m = 2", 13990, 12683, cyril_table(n, m, false)),
      row("Cyril: A_3c with +251m/3 for -251m/6, n = 8, m = 2", 13990, 12683, cyril_table(n, m))};
}

/// The smallest number of links from which on a(n) < b(n), or 0 if there is none up to 200.
std::int64_t crossover(const Polynomial& a, const Polynomial& b) {
  constexpr std::int64_t most = 200;
  std::int64_t result = 0;
  for (std::int64_t n = most; n >= 2 && a(n) < b(n); --n) result = n;
  return result;
}

/// "fewer operations from n = `printed` on"; met if the crossover is not later.
PaperClaim bound(std::string paper, std::string place, std::string statement, std::int64_t printed,
                 std::int64_t found) {
  const bool met = found > 0 && found <= printed;
  return {.paper = std::move(paper),
          .place = std::move(place),
          .statement = std::move(statement),
          .printed = fmt::format("n >= {}", printed),
          .computed = found > 0 ? fmt::format("n >= {}", found) : "never up to n = 200",
          .difference = found > 0 ? fmt::format("{:+d}", found - printed) : "",
          .verdict = met ? "holds" : "differs"};
}

/// Bounds in multiplications, in additions and in their sum.
void add_bounds(std::vector<PaperClaim>& claims, const std::string& paper, const std::string& place,
                const std::string& statement, std::int64_t printed, const Counts& a,
                const Counts& b) {
  claims.push_back(
      bound(paper, place, statement + ": multiplications", printed, crossover(a.M, b.M)));
  claims.push_back(bound(paper, place, statement + ": additions", printed, crossover(a.A, b.A)));
  claims.push_back(
      bound(paper, place, statement + ": sum of both", printed, crossover(a.total(), b.total())));
}

struct NamedCounts {
  std::string name;
  Counts counts;
};

/// "the fewest multiplications": the candidate with the fewest for six and for ten links.
PaperClaim best(std::string statement, const std::vector<NamedCounts>& candidates) {
  std::string found;
  bool first_is_best = true;
  for (const std::int64_t n : {std::int64_t{6}, std::int64_t{10}}) {
    const NamedCounts* smallest = &candidates.front();
    for (const NamedCounts& candidate : candidates) {
      if (candidate.counts.M(n) < smallest->counts.M(n)) smallest = &candidate;
    }
    first_is_best = first_is_best && smallest == &candidates.front();
    found += fmt::format("{}n = {}: {} {} M", found.empty() ? "" : "; ", n, smallest->name,
                         smallest->counts.M(n));
    if (smallest != &candidates.front()) {
      found += fmt::format(" ({} {} M)", candidates.front().name, candidates.front().counts.M(n));
    }
  }
  return {.paper = "Saha 2003",
          .place = "sections 3 and 5",
          .statement = std::move(statement),
          .printed = "Proposed",
          .computed = found,
          .difference = "",
          .verdict = first_is_best ? "holds" : "differs"};
}

Counts of_row(std::string_view paper, std::string_view table, std::string_view algorithm) {
  return printed_counts(paper_row(paper, table, algorithm));
}

void add_rigid_claims(std::vector<PaperClaim>& claims, OwnCounts& own) {
  const Counts proposed99 = of_row("Saha 1999", "Table 2", "Proposed"),
               featherstone99 = of_row("Saha 1999", "Table 2", "Featherstone (1983)"),
               walker = of_row("Saha 1999", "Table 2", "Walker and Orin (1982)"),
               proposed03 = of_row("Saha 2003", "Table I", "Proposed"),
               walker03 = of_row("Saha 2003", "Table I", "Walker and Orin");
  add_bounds(claims, "Saha 1999", "section 1, Table 2",
             "Proposed below Walker and Orin, printed formulas", 12, proposed99, walker);
  add_bounds(claims, "Saha 1999", "section 1, Table 2",
             "Featherstone below Walker and Orin, printed formulas", 12, featherstone99, walker);
  add_bounds(claims, "Saha 2003", "section 1, Table I",
             "Proposed below Walker and Orin, printed formulas", 10, proposed03, walker03);
  add_bounds(claims, "Saha 2003", "section 1, Table I", "saha-2003 below walker-orin, counted here",
             10, own.solution("saha-2003"), own.solution("walker-orin"));
  add_bounds(claims, "Saha 2003", "section 1, Table I", "udut below walker-orin, counted here", 10,
             own.solution("udut"), own.solution("walker-orin"));
  claims.push_back(best("fewest multiplications of the O(n) rows of Table I, printed formulas",
                        {{"Proposed", proposed03},
                         {"Featherstone", of_row("Saha 2003", "Table I", "Featherstone")},
                         {"Valasek", of_row("Saha 2003", "Table I", "Valasek")},
                         {"Brandl et al.", of_row("Saha 2003", "Table I", "Brandl et al.")}}));
  claims.push_back(best("fewest multiplications of the O(n) algorithms, counted here",
                        {{"saha-2003", own.solution("saha-2003")},
                         {"articulated-body", own.solution("articulated-body")}}));
  claims.push_back(bound("Saha 2003", "section 5", "fewer multiplications than 201n - 335 of 1999",
                         judged_links, crossover(proposed03.M, proposed99.M)));
  const Counts newton = of_row("Turney 1980", "Table 1", "Newton-Euler"),
               modified = of_row("Turney 1980", "Table 1", "Modified Newton-Euler");
  add_bounds(claims, "Turney 1980", "section 5, counts",
             "modified below original Newton-Euler, printed formulas", 2, modified, newton);
  const PaperRow& newton_row = paper_row("Turney 1980", "Table 1", "Newton-Euler");
  const PaperRow& modified_row = paper_row("Turney 1980", "Table 1", "Modified Newton-Euler");
  add_bounds(claims, "Turney 1980", "section 5, counts",
             "modified below original Newton-Euler, counted here", 2, *own.of(modified_row),
             *own.of(newton_row));
}

/// The numbers of links around n* = 8 for which the proposed algorithm needs fewer operations, as
/// "n = first to last"; `first` is 0 if it does not for n*.
struct LinkRange {
  std::size_t first = 0, last = 0;
  std::string text() const {
    return first == 0 ? "not for n = 8" : fmt::format("n = {} to {}", first, last);
  }
};
LinkRange benefits(const std::function<bool(std::size_t)>& fewer) {
  constexpr std::size_t most = 1000;
  if (!fewer(flexible_links)) return {};
  LinkRange range{flexible_links, flexible_links};
  while (range.first > 1 && fewer(range.first - 1)) --range.first;
  while (range.last < most && fewer(range.last + 1)) ++range.last;
  return range;
}

void add_flexible_claims(std::vector<PaperClaim>& claims) {
  const auto below = [](const FlexibleRow& a, const FlexibleRow& b) {
    return a.multiplications < b.multiplications && a.additions < b.additions;
  };
  const auto proposed = [](std::size_t n) { return mohan_saha_table(n, flexible_modes); };
  const auto jain = [](std::size_t n) { return jain_rodriguez_table(n, flexible_modes); };
  const auto cyril = [](std::size_t n) { return cyril_table(n, flexible_modes); };
  const auto add = [&](const char* statement, const LinkRange& range, bool smallest) {
    const bool holds = smallest ? range.first == flexible_links : range.first > 0;
    claims.push_back({.paper = mohan_saha,
                      .place = "Table 1",
                      .statement = statement,
                      .printed = smallest ? "n* = 8" : "at n = 8",
                      .computed = range.text(),
                      .difference = "",
                      .verdict = holds ? "holds" : "differs",
                      .note = "M and A from the printed coefficients, m = 2"});
  };
  add("Proposed below Jain and Rodriguez",
      benefits([&](std::size_t n) { return below(proposed(n), jain(n)); }), false);
  add("Proposed below Cyril", benefits([&](std::size_t n) { return below(proposed(n), cyril(n)); }),
      false);
  add("n*: links from which the proposed algorithm benefits over the other two",
      benefits([&](std::size_t n) {
        return below(proposed(n), jain(n)) && below(proposed(n), cyril(n));
      }),
      true);
}

}  // namespace

std::vector<PaperClaim> table_claims(const ArmOptions& arm) {
  std::vector<PaperClaim> claims;
  OwnCounts own(arm);
  for (const PaperRow& row : paper_rows()) claims.push_back(claim_of(row, own));
  for (const PrintedValue& value : printed_values()) {
    const Counts formula = of_row(value.paper, value.table, value.algorithm);
    claims.push_back(number_claim(
        std::string(value.paper), std::string(value.table),
        fmt::format("{}: printed formula for n = {}", value.algorithm, value.links),
        static_cast<double>(value.multiplications), static_cast<double>(value.additions),
        static_cast<double>(formula.M(value.links)), static_cast<double>(formula.A(value.links))));
  }
  for (PaperClaim& claim : flexible_rows(arm)) claims.push_back(std::move(claim));
  return claims;
}

std::vector<PaperClaim> count_claims(const ArmOptions& arm) {
  std::vector<PaperClaim> claims;
  OwnCounts own(arm);
  add_rigid_claims(claims, own);
  add_flexible_claims(claims);
  return claims;
}

}  // namespace dynamics::counting
