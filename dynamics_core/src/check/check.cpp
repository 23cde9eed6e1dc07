// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/check.hpp"

#include <algorithm>
#include <map>
#include <new>

#include "check/plausibility.hpp"
#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/readers.hpp"
#include "readers/dh_reader.hpp"
#include "readers/urdf_reader.hpp"

namespace dynamics {
namespace {

using check::Kind;
using check::Severity;

/// Maximum number of findings in a report.
constexpr std::size_t max_findings = 10'000;

/// Sorts by file, robot, links and joints in file order; errors first within each.
void sort_findings(ParsedRobot& robot) {
  std::map<std::pair<Kind, std::string>, std::size_t> rank;
  for (const auto& link : robot.links) rank.try_emplace({Kind::link, link.name}, rank.size());
  for (const auto& joint : robot.joints) rank.try_emplace({Kind::joint, joint.name}, rank.size());
  for (const auto& constraint : robot.constraints)
    rank.try_emplace({Kind::constraint, constraint.name}, rank.size());
  const auto key = [&](const Finding& finding) {
    const auto found = rank.find({finding.kind, finding.name});
    return std::tuple(finding.kind, found == rank.end() ? rank.size() : found->second,
                      -static_cast<int>(finding.severity));
  };
  std::stable_sort(robot.findings.begin(), robot.findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

CheckReport finish(ParsedRobot&& robot, CheckReport&& report) {
  sort_findings(robot);
  report.robot = robot.name;
  report.source = robot.source;
  report.links = robot.links.size();
  report.joints = robot.joints.size();
  for (const auto& link : robot.links) report.mass += link.mass.value_or(0.0);
  if (robot.findings.size() > max_findings) {
    const std::size_t left_out = robot.findings.size() - max_findings;
    robot.findings.resize(max_findings);
    robot.report(Severity::error, Kind::file, robot.source, "too-many",
                 std::to_string(left_out) + " more findings are not listed",
                 "repair the listed ones first");
  }
  report.findings = std::move(robot.findings);
  return std::move(report);
}

void validate_and_check(ParsedRobot& robot) {
  validate(robot);
  check::check_links(robot);
  check::check_joints(robot);
}

/// The name in "constraint 'NAME'".
std::string constraint_name(const std::string& element) {
  const std::size_t first = element.find('\''), last = element.rfind('\'');
  return first == last ? element : element.substr(first + 1, last - first - 1);
}

/// Builds the Mechanism of a description without errors: loops that cannot close are errors, loops
/// that are singular at the start or over-constrained are warnings.
void check_loops(const RobotDescription& description, ParsedRobot& robot, CheckReport& report) {
  const auto add = [&](Severity severity, const std::string& element, const char* code,
                       std::string message) {
    const std::string name = constraint_name(element);
    const auto found =
        std::find_if(description.constraints.begin(), description.constraints.end(),
                     [&](const ConstraintDescription& each) { return each.name == name; });
    if (found == description.constraints.end()) {
      robot.report(severity, Kind::robot, robot.name, code, element + ": " + message, "");
    } else {
      robot.report(severity, Kind::constraint, name, code, std::move(message), "", found->line);
    }
  };
  try {
    const Mechanism mechanism(description);
    report.loads = true;
    report.coordinates = mechanism.size();
    for (const Note& note : mechanism.notes()) {
      const bool warning = note.severity == Note::Severity::warning;
      add(warning ? Severity::warning : Severity::information, note.element,
          warning ? "loop" : "redundant", note.message);
    }
  } catch (const ModelError& error) {
    std::string message = error.what();
    const std::string prefix = error.element() + ": ";
    if (message.starts_with(prefix)) message.erase(0, prefix.size());
    add(Severity::error, error.element(), "loop", std::move(message));
  }
}

/// Builds the Model of a description without errors and checks its dynamics.
void build_and_check_dynamics(const RobotDescription& description, ParsedRobot& robot,
                              CheckReport& report, const CheckOptions& options) {
  try {
    if (!description.constraints.empty()) {
      check_loops(description, robot, report);
      return;
    }
    const Model model(description);
    report.loads = true;
    report.coordinates = model.size();
    check::check_dynamics(model, options, robot, report);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    robot.report(Severity::error, Kind::robot, robot.name, "refused", error.what(), "");
  }
}

/// True if there is an error for which no Model can be built. A joint that moves no mass only makes
/// forward dynamics impossible.
bool has_model_errors(const ParsedRobot& robot) {
  return std::any_of(robot.findings.begin(), robot.findings.end(), [](const Finding& finding) {
    return finding.severity == Severity::error && finding.code != "massless-leaf";
  });
}

CheckReport check_description(const RobotDescription& description, std::string_view source,
                              const CheckOptions& options) {
  ParsedRobot robot = to_parsed(description);
  robot.source = std::string(source);
  CheckReport report;
  validate_and_check(robot);
  if (!has_model_errors(robot)) build_and_check_dynamics(description, robot, report, options);
  return finish(std::move(robot), std::move(report));
}

}  // namespace

std::size_t CheckReport::count(Finding::Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

int CheckReport::exit_code() const {
  if (count(Finding::Severity::error) > 0) return 2;
  return count(Finding::Severity::warning) > 0 ? 1 : 0;
}

CheckReport check_urdf(std::string_view text, std::string_view source,
                       const CheckOptions& options) {
  ParsedUrdf urdf = parse_urdf(text, source);
  ParsedRobot& robot = urdf.robot;
  CheckReport report;
  if (urdf.is_robot) validate_and_check(robot);
  if (!has_model_errors(robot)) {
    const RobotDescription description = to_description(robot);
    compare_with_urdfdom(urdf.urdf_1_0, description, robot.findings);
    if (!has_model_errors(robot)) {
      build_and_check_dynamics(description, robot, report, options);
      if (report.loads && description.constraints.empty())
        check::check_dh_expressible(description, robot);
    }
  }
  return finish(std::move(robot), std::move(report));
}

CheckReport check_model(const RobotDescription& description, const CheckOptions& options) {
  return check_description(description, description.source, options);
}

CheckReport check_dh_table(std::string_view yaml, std::string_view source,
                           const CheckOptions& options) {
  const ParsedDhTable parsed = parse_dh_table(yaml, source);
  if (!parsed.errors.empty()) {
    CheckReport report;
    report.robot = parsed.table.name;
    report.source = std::string(source);
    for (const yaml::Error& error : parsed.errors) {
      report.findings.push_back({Severity::error, Kind::file, report.source, "table",
                                 error.message(), "see robots/README.md for the format", false,
                                 error.line()});
    }
    return report;
  }
  CheckReport report = check_description(describe(parsed.table), source, options);
  try {
    read_urdf(to_urdf(parsed.table), source);
  } catch (const Error& error) {
    report.findings.push_back({Severity::information, Kind::robot, report.robot, "urdf-impossible",
                               std::string("cannot be written as a URDF: ") + error.what(), ""});
  }
  return report;
}

std::string repair_urdf(std::string_view text, std::string_view source) {
  std::string repaired(text);
  // a repair may cause another finding: an axis with its decimal commas replaced may not be a unit
  // vector
  for (int round = 0; round < 5; ++round) {
    ParsedUrdf urdf = parse_urdf(repaired, source);
    if (urdf.is_robot) validate_and_check(urdf.robot);
    if (urdf.robot.repairs.empty()) break;
    std::string next = apply_edits(repaired, std::move(urdf.robot.repairs));
    if (next == repaired) break;
    repaired = std::move(next);
  }
  return repaired;
}

}  // namespace dynamics
