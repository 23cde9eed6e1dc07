// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/model/check.hpp"

#include <algorithm>
#include <map>

#include "check_survey.hpp"
#include "dynamics_core/model/dh_table.hpp"
#include "dynamics_core/model/from_dh.hpp"
#include "dynamics_core/model/from_urdf.hpp"
#include "dynamics_core/model/to_urdf.hpp"

namespace dynamics {
namespace {

using check::Kind;
using check::Severity;
using check::Survey;

/// A list that a person can still read, and a machine still hold.
constexpr std::size_t most_findings = 10'000;

/// Findings of one link or joint beside each other: file, robot, then links and joints in the order
/// of the file, errors first.
void arrange(Survey& survey) {
  std::map<std::pair<Kind, std::string>, std::size_t> rank;
  for (const auto& link : survey.links) rank.try_emplace({Kind::link, link.name}, rank.size());
  for (const auto& joint : survey.joints) rank.try_emplace({Kind::joint, joint.name}, rank.size());
  const auto key = [&](const Finding& finding) {
    const auto found = rank.find({finding.kind, finding.name});
    return std::tuple(finding.kind, found == rank.end() ? rank.size() : found->second,
                      -static_cast<int>(finding.severity));
  };
  std::stable_sort(survey.findings.begin(), survey.findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

CheckReport finish(Survey&& survey, CheckReport&& report) {
  arrange(survey);
  report.robot = survey.robot;
  report.source = survey.source;
  report.links = survey.links.size();
  report.joints = survey.joints.size();
  for (const auto& link : survey.links) report.mass += link.mass.value_or(0.0);
  if (survey.findings.size() > most_findings) {
    const std::size_t left_out = survey.findings.size() - most_findings;
    survey.findings.resize(most_findings);
    survey.report(Severity::error, Kind::file, survey.source, "too-many",
                  std::to_string(left_out) + " more findings are left out", "repair these first");
  }
  report.findings = std::move(survey.findings);
  return std::move(report);
}

bool has_errors(const Survey& survey) {
  return std::any_of(survey.findings.begin(), survey.findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::error; });
}

void check_parts(Survey& survey) {
  check_tree(survey);
  check_links(survey);
  check_joints(survey);
}

/// Builds the model. What that refuses must have been found; what was not is added.
template <class Read>
void check_whole(Survey& survey, CheckReport& report, const CheckOptions& options, Read read) {
  try {
    const RobotDescription description = read();
    const Model model(description);
    report.loads = true;
    report.coordinates = model.size();
    check_dynamics(model, options, survey, report);
    if (survey.document != nullptr) check_dh_expressible(description, survey);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (!has_errors(survey)) {
      survey.report(Severity::error, Kind::robot, survey.robot, "refused", error.what(), "");
    }
  }
}

/// One pass over a URDF's text, with what it would take to repair it.
void survey_text(const xml::Document& document, std::string_view source, Survey& survey) {
  survey.source = std::string(source);
  survey_urdf(document, survey);
  if (document.root() >= 0 && document.at(0).name == "robot") check_parts(survey);
}

}  // namespace

const char* to_string(Finding::Severity severity) {
  switch (severity) {
    case Finding::Severity::information: return "information";
    case Finding::Severity::warning: return "warning";
    case Finding::Severity::error: return "error";
  }
  return "unknown";
}

const char* to_string(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::file: return "file";
    case Finding::Kind::robot: return "robot";
    case Finding::Kind::link: return "link";
    case Finding::Kind::joint: return "joint";
  }
  return "unknown";
}

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
  const xml::Document document(text);
  Survey survey;
  CheckReport report;
  survey_text(document, source, survey);
  check_whole(survey, report, options, [&] { return read_urdf(text, source); });
  return finish(std::move(survey), std::move(report));
}

CheckReport check_model(const RobotDescription& description, const CheckOptions& options) {
  Survey survey;
  CheckReport report;
  survey_description(description, survey);
  check_parts(survey);
  check_whole(survey, report, options, [&] { return description; });
  return finish(std::move(survey), std::move(report));
}

CheckReport check_dh_table(std::string_view yaml, std::string_view source,
                           const CheckOptions& options) {
  Survey survey;
  CheckReport report;
  survey.source = std::string(source);
  try {
    const DhTable table = read_dh_table(yaml, source);
    RobotDescription description = describe(table);
    survey_description(description, survey);
    survey.source = std::string(source);
    check_parts(survey);
    check_whole(survey, report, options, [&] { return description; });
    try {
      read_urdf(to_urdf(table), source);
    } catch (const ModelError& error) {
      survey.report(Severity::information, Kind::robot, survey.robot, "urdf-impossible",
                    std::string("a URDF cannot say the same: ") + error.what(), "");
    }
  } catch (const ModelError& error) {
    survey.report(Severity::error, Kind::file, survey.source, "table", error.what(),
                  "the format is described in robots/README.md");
  }
  return finish(std::move(survey), std::move(report));
}

std::string repair_urdf(std::string_view text, std::string_view source) {
  std::string repaired(text);
  // one repair may uncover another: a comma made a point makes a vector that is no unit
  for (int round = 0; round < 5; ++round) {
    const xml::Document document(repaired);
    Survey survey;
    survey_text(document, source, survey);
    if (survey.edits.empty()) break;
    std::stable_sort(survey.edits.begin(), survey.edits.end(),
                     [](const check::Edit& a, const check::Edit& b) { return a.begin < b.begin; });
    std::string next;
    std::size_t at = 0;
    for (const check::Edit& edit : survey.edits) {
      if (edit.begin < at) continue;  // overlaps one that is made already
      next.append(repaired, at, edit.begin - at).append(edit.text);
      at = edit.end;
    }
    next.append(repaired, at);
    if (next == repaired) break;
    repaired = std::move(next);
  }
  return repaired;
}

}  // namespace dynamics
