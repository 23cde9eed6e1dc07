// SPDX-License-Identifier: Apache-2.0
// Operation counts of the algorithms, compared with the formulas in the papers' tables.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>

#include "command.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/counting/concurrency.hpp"
#include "papers/counting/flexible_counts.hpp"
#include "papers/counting/paper_claims.hpp"
#include "papers/counting/paper_tables.hpp"
#include "report.hpp"
#include "robot.hpp"

namespace dynamics::tools {
namespace {

using counting::Computation;
using counting::OperationCount;
using counting::PaperRow;
using counting::Polynomial;
using counting::RowKind;
using formulations::Formulation;
using formulations::Task;

constexpr std::size_t max_links = 100;
constexpr std::size_t first_fitted = 3, last_fitted = 30;

/// Best rows of the papers' tables for n >= 3 links: Balafoutis et al. 1988, Saha 2003.
struct BestRow {
  Polynomial M, A;
};
constexpr BestRow best_inverse = {Polynomial::linear(93, -69), Polynomial::linear(81, -65)};
constexpr BestRow best_solution = {Polynomial::linear(191, -284), Polynomial::linear(187, -325)};

/// Polynomials in the number of links that reproduce the counts of arms with 3 to 30 links exactly.
struct Formula {
  std::optional<Polynomial> multiplications, additions;
};

/// Operation count of one algorithm for the robot or the arm.
struct Entry {
  std::string name;
  std::string task;  ///< "inverse", "forward", "solve", ...
  std::string source;
  counting::Result result;
  Formula formula;  ///< only for arms
};

struct Report {
  std::string robot;  ///< empty for the general arm
  std::size_t links = 0;
  std::vector<Entry> entries;
  std::vector<std::pair<std::string, std::string>>
      others;                         ///< formulations not covered, with the reason
  std::vector<std::string> warnings;  ///< of the model

  const Entry* find(std::string_view name, std::string_view task) const {
    for (const Entry& entry : entries) {
      if (entry.name == name && entry.task == task) return &entry;
    }
    return nullptr;
  }
};

/// The general arms of 3 to 30 links.
const std::vector<Model>& fitted_arms() {
  static const std::vector<Model> arms = [] {
    std::vector<Model> result;
    for (std::size_t n = first_fitted; n <= last_fitted; ++n) {
      result.push_back(counting::general_arm(n));
    }
    return result;
  }();
  return arms;
}

template <class Count>
Formula fit(Count&& count) {
  std::vector<std::int64_t> m, a;
  for (const Model& arm : fitted_arms()) {
    const OperationCount counts = count(arm);
    m.push_back(counts.products());
    a.push_back(counts.additions);
  }
  return {Polynomial::through(m, first_fitted), Polynomial::through(a, first_fitted)};
}

Report report_of(const Model& model, const std::string& robot) {
  Report report;
  report.robot = robot;
  report.links = model.body_count();
  const bool arm = robot.empty();
  for (const Computation computation : counting::all_computations()) {
    Entry entry{"rigid",
                std::string(counting::name(computation)),
                "this library",
                counting::count(computation, model),
                {}};
    if (arm)
      entry.formula = fit([&](const Model& m) { return counting::count(computation, m).counts; });
    report.entries.push_back(std::move(entry));
  }
  for (const Formulation& formulation : formulations::all()) {
    for (const Task task : {Task::inverse, Task::forward}) {
      const bool inverse = task == Task::inverse;
      if (!(inverse ? formulation.inverse : formulation.forward)) continue;
      const std::string reason = formulations::not_covered(formulation, task, model);
      if (!reason.empty()) {
        report.others.emplace_back(formulation.name, reason);
        continue;
      }
      const auto add = [&](const char* name, auto&& counts_of) {
        Entry entry{std::string(formulation.name),
                    name,
                    std::string(formulation.source),
                    counting::count(formulation, task, model),
                    {}};
        entry.result.counts = counts_of(entry.result);
        if (arm) {
          entry.formula =
              fit([&](const Model& m) { return counts_of(counting::count(formulation, task, m)); });
        }
        report.entries.push_back(std::move(entry));
      };
      add(inverse ? "inverse" : "forward", [](const counting::Result& r) { return r.counts; });
      // the papers' tables count the solution for given phi
      if (!inverse && formulation.name != "nasser") {
        add("solve", [](const counting::Result& r) { return r.counts - r.phi; });
      }
    }
  }
  return report;
}

const char* kind_name(RowKind kind) {
  switch (kind) {
    case RowKind::inverse: return "inverse";
    case RowKind::solution: return "solve";
    case RowKind::forward: return "forward";
    case RowKind::line: return "line";
    case RowKind::steps: return "steps";
  }
  return "";
}

/// The library's own recursion for the task of the row, or nullptr.
const Entry* own_entry(const Report& report, const PaperRow& row) {
  if (row.kind == RowKind::line || row.kind == RowKind::steps) return nullptr;
  return report.find("rigid", kind_name(row.kind));
}

/// Count of the row's algorithm as implemented in formulations/, if it is.
std::optional<OperationCount> implemented_count(const Report& report, const PaperRow& row) {
  if (row.formulation.empty() || row.kind == RowKind::steps) return std::nullopt;
  if (row.kind == RowKind::line) {
    const Entry* entry = report.find(row.formulation, "inverse");
    if (entry == nullptr) entry = report.find(row.formulation, "forward");
    if (entry == nullptr) return std::nullopt;
    const auto found = entry->result.lines.find(std::string(row.line));
    return found == entry->result.lines.end() ? OperationCount{} : found->second;
  }
  const Entry* entry = report.find(row.formulation, kind_name(row.kind));
  if (entry == nullptr) return std::nullopt;
  return entry->result.counts;
}

std::string text_of(const std::optional<Polynomial>& formula) {
  return formula ? formula->text() : "";
}

ordered_json counts_json(const OperationCount& counts) {
  return {{"multiplications", counts.multiplications},
          {"additions", counts.additions},
          {"divisions", counts.divisions},
          {"square_roots", counts.square_roots},
          {"sines", counts.sines},
          {"cosines", counts.cosines},
          {"negations", counts.negations}};
}

ordered_json short_json(const OperationCount& counts) {
  return {{"M", counts.products()}, {"A", counts.additions}};
}

constexpr std::array by_links_computations = {Computation::inverse, Computation::solve,
                                              Computation::forward};

ordered_json claims_json(const std::vector<counting::PaperClaim>& claims) {
  ordered_json rows = ordered_json::array();
  for (const counting::PaperClaim& claim : claims) {
    rows.push_back({{"paper", claim.paper},
                    {"place", claim.place},
                    {"statement", claim.statement},
                    {"printed", claim.printed},
                    {"computed", claim.computed},
                    {"difference", claim.difference},
                    {"verdict", claim.verdict},
                    {"note", claim.note}});
  }
  return rows;
}

ordered_json to_json(const Report& report) {
  const auto n = static_cast<std::int64_t>(report.links);
  ordered_json object;
  object["links"] = report.links;
  object["robot"] = report.robot.empty() ? ordered_json(nullptr) : ordered_json(report.robot);
  object["warnings"] = report.warnings;
  object["algorithms"] = ordered_json::array();
  for (const Entry& entry : report.entries) {
    ordered_json one = {{"name", entry.name}, {"task", entry.task}, {"source", entry.source}};
    one.update(short_json(entry.result.counts));
    one["counts"] = counts_json(entry.result.counts);
    if (entry.formula.multiplications && entry.formula.additions) {
      one["formula"] = {{"M", entry.formula.multiplications->text()},
                        {"A", entry.formula.additions->text()}};
    } else {
      one["formula"] = nullptr;
    }
    object["algorithms"].push_back(std::move(one));
  }
  object["papers"] = ordered_json::array();
  for (const PaperRow& row : counting::paper_rows()) {
    ordered_json one = {
        {"paper", row.paper},
        {"table", row.table},
        {"algorithm", row.algorithm},
        {"kind", kind_name(row.kind)},
        {"formula", {{"M", row.multiplications.text()}, {"A", row.additions.text()}}},
        {"M", row.multiplications(n)},
        {"A", row.additions(n)}};
    const Entry* own = own_entry(report, row);
    one["ours"] = own == nullptr ? ordered_json(nullptr) : short_json(own->result.counts);
    const auto implemented = implemented_count(report, row);
    one["formulation"] =
        row.formulation.empty() ? ordered_json(nullptr) : ordered_json(row.formulation);
    one["implemented"] = implemented ? short_json(*implemented) : ordered_json(nullptr);
    one["note"] = row.note;
    object["papers"].push_back(std::move(one));
  }
  object["by_links"] = ordered_json::array();
  if (report.robot.empty()) {
    for (std::size_t k = 1; k <= last_fitted; ++k) {
      const Model arm = counting::general_arm(k);
      ordered_json one = {{"links", k}};
      for (const Computation computation : by_links_computations) {
        one[std::string(counting::name(computation))] =
            short_json(counting::count(computation, arm).counts);
      }
      object["by_links"].push_back(std::move(one));
    }
  }
  object["tables"] = claims_json(report.robot.empty() ? counting::table_claims()
                                                      : std::vector<counting::PaperClaim>{});
  object["claims"] = claims_json(report.robot.empty() ? counting::count_claims()
                                                      : std::vector<counting::PaperClaim>{});
  object["not_covered"] = ordered_json::array();
  for (const auto& [name, reason] : report.others) {
    object["not_covered"].push_back({{"name", name}, {"reason", reason}});
  }
  return object;
}

void print_claims() {
  fmt::print("\nClaims of the papers about operation counts\n");
  for (const counting::PaperClaim& claim : counting::count_claims()) {
    fmt::print("  {}, {}: {}\n      printed {}; computed {}: {}\n", claim.paper, claim.place,
               claim.statement, claim.printed, claim.computed, claim.verdict);
  }
}

/// Turney's Table 5 beside the longest chain of dependent operations.
void print_concurrency(const Report& report) {
  const auto n = static_cast<std::int64_t>(report.links);
  const counting::Schedule schedule = counting::turney_schedule();
  const counting::CriticalPath path =
      counting::critical_path(counting::general_arm(report.links, {.principal = true}));
  fmt::print(
      "\n  Turney 1980, Table 5, derived from the rows of Table 4 by a schedule with one processor "
      "per quantity:\n  {} M, {} A steps; for n = {}: {} M, {} A. Longest chain of dependent "
      "operations, any number of processors:\n  {} M, {} A\n",
      schedule.multiplications.text(), schedule.additions.text(), n, schedule.multiplications(n),
      schedule.additions(n), path.multiplications, path.additions);
}

void print_entries(const Report& report) {
  const bool arm = report.robot.empty();
  fmt::print(
      "Operation counts. M: multiplications and divisions, A: additions and subtractions; solve: "
      "M qdd = phi for given phi\n\n");
  fmt::print("  {:<22} {:<15} {:>7} {:>7} {:>5} {:>5} {:>8}", "algorithm", "task", "M", "A", "div",
             "sqrt", "sin, cos");
  fmt::print("{}\n", arm ? "  M for n links; A for n links" : "");
  for (const Entry& entry : report.entries) {
    const OperationCount& c = entry.result.counts;
    fmt::print("  {:<22} {:<15} {:>7} {:>7} {:>5} {:>5} {:>8}", entry.name, entry.task,
               c.products(), c.additions, c.divisions, c.square_roots, c.sines + c.cosines);
    if (arm) {
      fmt::print("  {}; {}", text_of(entry.formula.multiplications),
                 text_of(entry.formula.additions));
    }
    fmt::print("\n");
  }
  for (const auto& [name, reason] : report.others) fmt::print("  {} {}\n", name, reason);
}

std::string pair_of(const std::optional<OperationCount>& counts) {
  return counts ? fmt::format("{:>6} {:>6}", counts->products(), counts->additions)
                : fmt::format("{:>13}", "-");
}

void print_papers(const Report& report) {
  const auto n = static_cast<std::int64_t>(report.links);
  std::string_view paper, table;
  for (const PaperRow& row : counting::paper_rows()) {
    if (row.paper != paper || row.table != table) {
      paper = row.paper;
      table = row.table;
      fmt::print("\n  {:<33} {:>13}  {:>13}  {:>13}  {}\n", fmt::format("{}, {}", paper, table),
                 "paper  M    A", "implemented", "rigid", "paper, n links; implementation");
    }
    const Entry* own = own_entry(report, row);
    std::optional<OperationCount> ours;
    if (own != nullptr) ours = own->result.counts;
    fmt::print("  {:<33} {:>6} {:>6}  {}  {}  {} M, {} A{}{}\n", row.algorithm,
               row.multiplications(n), row.additions(n), pair_of(implemented_count(report, row)),
               pair_of(ours), row.multiplications.text(), row.additions.text(),
               row.formulation.empty() ? "" : "; ", row.formulation);
    if (!row.note.empty()) fmt::print("      {}\n", row.note);
  }
}

void print_by_links() {
  fmt::print("\nArms of n links, M and A, and the best rows of the papers: {}, {} and {}, {}\n\n",
             best_inverse.M.text(), best_inverse.A.text(), best_solution.M.text(),
             best_solution.A.text());
  fmt::print("  {:>2}  {:>13}  {:>13}  {:>13}  {:>13}  {:>13}\n", "n", "inverse", "best row",
             "solve", "best row", "forward");
  for (std::size_t k = 1; k <= last_fitted; ++k) {
    const Model arm = counting::general_arm(k);
    const auto ours = [&](Computation computation) {
      return pair_of(counting::count(computation, arm).counts);
    };
    const auto best = [&](const BestRow& row) {
      const auto n = static_cast<std::int64_t>(k);
      if (k < first_fitted) return fmt::format("{:>13}", "-");  // the formula does not apply
      return fmt::format("{:>6} {:>6}", row.M(n), row.A(n));
    };
    fmt::print("  {:>2}  {}  {}  {}  {}  {}\n", k, ours(Computation::inverse), best(best_inverse),
               ours(Computation::solve), best(best_solution), ours(Computation::forward));
  }
}

constexpr int max_counted_modes = 3;

/// Numbers of links for the flexible rows; n = 8 is the example of Mohan and Saha's Table 1.
std::vector<std::size_t> flexible_links(const Report& report) {
  if (!report.robot.empty()) return {};
  return report.links == 8 ? std::vector<std::size_t>{8}
                           : std::vector<std::size_t>{report.links, 8};
}

/// Calls `row(n, m, counts, table)` for arms with m modes along y and along z.
template <class Row>
void for_flexible_rows(const Report& report, Row&& row) {
  for (const std::size_t n : flexible_links(report)) {
    for (int m = 1; m <= max_counted_modes; ++m) {
      row(n, m, counting::count_flexible_forward(counting::flexible_arm(n, m)),
          counting::mohan_saha_table(n, m));
    }
  }
}

void print_flexible(const Report& report) {
  if (flexible_links(report).empty()) return;
  fmt::print("\n  {:<33} {:>13}  {:>13}  {}\n", "Mohan and Saha, Table 1", "paper  M    A",
             "flexible", "forward dynamics, m modes along y and along z");
  for_flexible_rows(report, [](std::size_t n, int m, const OperationCount& ours,
                               const auto& paper) {
    fmt::print("  {:<33} {:>6.0f} {:>6.0f}  {}\n", fmt::format("Proposed, n = {}, m = {}", n, m),
               paper.multiplications, paper.additions, pair_of(ours));
  });
}

Report report_of(const Robot& robot) {
  Report report = report_of(robot.model, robot.argument);
  report.warnings = robot.warnings;
  return report;
}

/// The report for a number of links or for a robot.
Report report_for_links(const std::string& argument) {
  const bool number =
      !argument.empty() && std::all_of(argument.begin(), argument.end(),
                                       [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!number && !argument.empty() && (argument[0] == '-' || argument[0] == '+')) {
    throw InputError(fmt::format("--links {}: expected a number of links from 1 to {}, or a robot",
                                 argument, max_links));
  }
  if (!number) return report_of(load_robot(argument));
  const unsigned long links = argument.size() > 4 ? max_links + 1 : std::stoul(argument);
  if (links < 1 || links > max_links) {
    throw InputError(
        fmt::format("--links {}: expected a number of links from 1 to {}", argument, max_links));
  }
  return report_of(counting::general_arm(links), "");
}

}  // namespace

void add_count(CLI::App& app, Outcome&) {
  struct CountArguments {
    std::string links, robot;
    bool json = false;
  };
  auto args = std::make_shared<CountArguments>();
  CLI::App* command =
      app.add_subcommand("count", "Operation counts, compared with the formulas of the papers");
  command->add_option(
      "--links", args->links,
      "links of an arm with general DH parameters, 1 to 100 (default 6), or a robot");
  command->add_option("ROBOT", args->robot, "robot to count for instead of an arm");
  command->add_flag("--json", args->json, json_flag_help);
  command->callback([args] {
    if (!args->links.empty() && !args->robot.empty()) {
      throw InputError("--links and ROBOT exclude each other: give one of them, not both");
    }
    const bool without_arguments = args->links.empty() && args->robot.empty();
    const Report report = args->robot.empty()
                              ? report_for_links(without_arguments ? "6" : args->links)
                              : report_of(load_robot(args->robot));
    if (args->json) {
      ordered_json object = to_json(report);
      object["flexible"] = ordered_json::array();
      for_flexible_rows(report,
                        [&](std::size_t n, int m, const OperationCount& ours, const auto& paper) {
                          object["flexible"].push_back(
                              {{"links", n},
                               {"modes", m},
                               {"paper", {{"M", paper.multiplications}, {"A", paper.additions}}},
                               {"ours", short_json(ours)}});
                        });
      print_json(object);
      return;
    }
    if (report.robot.empty()) {
      fmt::print("An arm of {} revolute joints with general DH parameters\n", report.links);
    } else {
      fmt::print("{}, {} joints\n", report.robot, report.links);
    }
    print_entries(report);
    print_papers(report);
    print_flexible(report);
    if (report.robot.empty()) print_concurrency(report);
    if (without_arguments) {
      print_by_links();
      print_claims();
    }
  });
}

}  // namespace dynamics::tools
