// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "defer_signals.hpp"
#include "dynamics_core/check.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/recording.hpp"
#include "report.hpp"
#include "robot.hpp"
#include "text_difference.hpp"

namespace dynamics::tools {
namespace {

using Severity = Finding::Severity;

struct CheckArguments {
  std::string file, output;
  bool json = false, fix = false, in_place = false, no_condition = false;
};

/// Colors if stdout is a terminal and NO_COLOR is not set (https://no-color.org).
class Colorizer {
 public:
  Colorizer() : on_(isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr) {}
  std::string operator()(const char* code, const std::string& text) const {
    return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  std::string operator()(Severity severity) const {
    const char* const code = severity == Severity::error     ? "1;31"
                             : severity == Severity::warning ? "1;33"
                                                             : "36";
    return (*this)(code, fmt::format("{:<11}", to_string(severity)));
  }

 private:
  bool on_;
};

ordered_json finite_or_null(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

/// "warnings" of the JSON object: one string per warning.
ordered_json warnings_of(const CheckReport& report) {
  ordered_json warnings = ordered_json::array();
  for (const Finding& finding : report.findings) {
    if (finding.severity != Severity::warning) continue;
    warnings.push_back(
        fmt::format("{} '{}': {}", to_string(finding.kind), finding.name, finding.message));
  }
  return warnings;
}

ordered_json to_json(const CheckReport& report) {
  ordered_json object = {{"format", "dynamics-check"},
                         {"version", 2},
                         {"source", report.source},
                         {"robot", report.robot},
                         {"links", report.links},
                         {"joints", report.joints},
                         {"coordinates", report.coordinates},
                         {"mass", finite_or_null(report.mass)},
                         {"loads", report.loads},
                         {"errors", report.count(Severity::error)},
                         {"warnings", warnings_of(report)},
                         {"condition", nullptr}};
  if (report.condition) {
    const ConditionRange& range = *report.condition;
    object["condition"] = {{"samples", range.samples},
                           {"smallest", finite_or_null(range.smallest)},
                           {"median", finite_or_null(range.median)},
                           {"largest", finite_or_null(range.largest)},
                           {"largest_scaled", finite_or_null(range.largest_scaled)},
                           {"weakest", range.weakest},
                           {"worst_position", range.worst_position}};
  }
  ordered_json findings = ordered_json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back(
        {{"severity", to_string(finding.severity)},
         {"kind", to_string(finding.kind)},
         {"name", finding.name},
         {"code", finding.code},
         {"line", finding.line > 0 ? ordered_json(finding.line) : ordered_json(nullptr)},
         {"message", finding.message},
         {"repair", finding.repair},
         {"fixable", finding.fixable}});
  }
  object["findings"] = std::move(findings);
  return object;
}

/// "1 link", "2 links"
std::string with_plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print_report(const CheckReport& report) {
  const Colorizer colorize;
  fmt::print("{}: {}, {}, {}, {:.6g} kg\n",
             colorize("1", printable(report.robot.empty() ? report.source : report.robot)),
             with_plural(report.links, "link"), with_plural(report.joints, "joint"),
             with_plural(report.coordinates, "coordinate"), report.mass);
  const Finding* previous = nullptr;
  std::size_t fixable = 0;
  for (const Finding& finding : report.findings) {
    if (previous == nullptr || previous->kind != finding.kind || previous->name != finding.name) {
      const bool named = finding.kind == Finding::Kind::link ||
                         finding.kind == Finding::Kind::joint ||
                         finding.kind == Finding::Kind::constraint;
      fmt::print("\n{}\n",
                 colorize("1", printable(named ? fmt::format("{} '{}'", to_string(finding.kind),
                                                             finding.name)
                                               : std::string(to_string(finding.kind)))));
    }
    previous = &finding;
    fmt::print("  {} {}  [{}{}]\n", colorize(finding.severity), printable(finding.message),
               finding.code, finding.line > 0 ? fmt::format(", line {}", finding.line) : "");
    if (!finding.repair.empty()) {
      fmt::print("              {}{}\n", finding.fixable ? "(--fix) " : "",
                 printable(finding.repair));
    }
    fixable += finding.fixable ? 1 : 0;
  }
  if (report.condition) {
    const ConditionRange& range = *report.condition;
    fmt::print(
        "\ncondition number of M over {} positions: {:.3g} to {:.3g}, median {:.3g}; scaled to a "
        "unit diagonal at most {:.3g}\n",
        range.samples, range.smallest, range.largest, range.median, range.largest_scaled);
  }
  const std::size_t errors = report.count(Severity::error);
  const std::size_t warnings = report.count(Severity::warning);
  fmt::print("\n{}\n",
             colorize(errors > 0     ? "1;31"
                      : warnings > 0 ? "1;33"
                                     : "1;32",
                      errors + warnings == 0 ? std::string("no problems found")
                                             : with_plural(errors, "error") + ", " +
                                                   with_plural(warnings, "warning")) +
                 (report.loads ? "" : "; the model cannot be loaded") +
                 (fixable > 0 ? fmt::format("; {} can be repaired with --fix", fixable) : ""));
}

CheckReport check(const std::string& file, const std::string& text, const CheckOptions& options) {
  const std::string suffix = std::filesystem::path(file).extension().string();
  if (built_in_table(file) || suffix == ".yaml" || suffix == ".yml")
    return check_dh_table(text, file, options);
  return check_urdf(text, file, options);
}

void run_check(const CheckArguments& args, Outcome& outcome) {
  const auto table = built_in_table(args.file);
  const std::string text = table ? std::string(*table) : read_file(args.file);
  CheckOptions options;
  options.condition = !args.no_condition;
  if (!args.fix) {
    const CheckReport report = check(args.file, text, options);
    if (args.json) {
      print_json(to_json(report));
    } else {
      print_report(report);
    }
    outcome.exit_code = report.exit_code();
    return;
  }
  if (table || std::filesystem::path(args.file).extension() == ".yaml" ||
      std::filesystem::path(args.file).extension() == ".yml") {
    throw InputError(
        "--fix: only URDF files can be repaired; correct a DH table by hand at the reported line");
  }
  const std::string repaired = repair_urdf(text, args.file);
  std::string target = args.in_place ? args.file : args.output;
  if (target.empty()) {
    const std::filesystem::path path(args.file);
    target = (path.parent_path() / (path.stem().string() + ".fixed" + path.extension().string()))
                 .string();
  }
  std::error_code error;
  if (!args.in_place && std::filesystem::equivalent(target, args.file, error)) {
    throw InputError(
        fmt::format("--output {}: is the input file; use --in-place to overwrite it", target));
  }
  const CheckReport report = check_urdf(repaired, target, options);
  const std::string difference = unified_difference(text, repaired, args.file, target);
  if (difference.empty()) {
    if (!args.json) fmt::print("nothing to repair; no file written\n\n");
  } else {
    const DeferSignals defer_signals;
    write_file(target, repaired);
  }
  if (args.json) {
    ordered_json object = to_json(report);
    object["written"] = difference.empty() ? ordered_json(nullptr) : ordered_json(target);
    object["difference"] = difference;
    print_json(object);
  } else {
    if (!difference.empty())
      fmt::print("{}\nwrote {}; remaining findings:\n\n", difference, target);
    print_report(report);
  }
  outcome.exit_code = report.exit_code();
}

}  // namespace

void add_check(CLI::App& app, Outcome& outcome) {
  auto args = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check",
      "Check the dynamic parameters of a model link by link. Exit code 0: no problems, 1: "
      "warnings, 2: errors");
  command
      ->add_option("FILE", args->file,
                   "a URDF file, a DH table (YAML), or planar3, stanford, puma, canadarm")
      ->required();
  command->add_flag("--json", args->json, json_flag_help);
  command->add_flag("--no-condition", args->no_condition,
                    "do not sample the condition number of the inertia matrix");
  auto* fix = command->add_flag("--fix", args->fix,
                                "write a copy in which every finding with a unique repair is "
                                "repaired, and show the difference");
  auto* output =
      command->add_option("--output", args->output,
                          "path of the copy (default: NAME.fixed.urdf in the folder of FILE)");
  auto* in_place = command->add_flag("--in-place", args->in_place, "overwrite FILE");
  output->needs(fix)->excludes(in_place);
  in_place->needs(fix);
  command->callback([args, &outcome] { run_check(*args, outcome); });
}

}  // namespace dynamics::tools
