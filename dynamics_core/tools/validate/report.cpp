// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dynamics::tools {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "holds";
    case Verdict::in_trend: return "in trend";
    case Verdict::differs: return "differs";
    case Verdict::nothing_to_compare: return "nothing to compare with";
  }
  return "differs";
}

Verdict judge_number(double measured, double printed) {
  if (std::abs(measured - printed) <= 0.1 * std::abs(printed)) return Verdict::holds;
  const double ratio = measured / printed;
  return ratio >= 0.5 && ratio <= 2.0 ? Verdict::in_trend : Verdict::differs;
}

void ValidationReport::heading(const std::string& text) { text_ += "\n## " + text + "\n"; }

void ValidationReport::paragraph(const std::string& text) { text_ += "\n" + text + "\n"; }

void ValidationReport::table(const std::vector<std::string>& names,
                             const std::vector<std::vector<std::string>>& rows) {
  const auto add_row = [this](const std::vector<std::string>& cells) {
    text_ += fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  text_ += "\n";
  add_row(names);
  add_row(std::vector<std::string>(names.size(), "---"));
  for (const auto& row : rows) add_row(row);
}

void ValidationReport::figure(const std::string& name, const std::string& caption,
                              const SvgFigure& figure) {
  figures_[name] = figure.text();
  text_ += fmt::format("\n![{0}](validation/{1}.svg)\n\n*{0}*\n", caption, name);
}

void ValidationReport::claim(Claim claim) {
  if (claim.verdict == Verdict::differs && !claim.known_difference) ++failures_;
  claims_.push_back(std::move(claim));
}

void ValidationReport::check(const std::string& statement, const std::string& measured,
                             bool within) {
  pending_checks_.push_back(
      {statement, measured, within ? "ours: within bound" : "**ours: out of bound**"});
  ++checks_;
  if (!within) ++failures_;
}

void ValidationReport::end_claims() {
  std::vector<std::vector<std::string>> rows;
  for (; printed_claims_ < claims_.size(); ++printed_claims_) {
    const Claim& claim = claims_[printed_claims_];
    const bool failure = claim.verdict == Verdict::differs && !claim.known_difference;
    rows.push_back({claim.item, claim.paper, claim.ours,
                    fmt::format("{}{}{}", failure ? "**" : "", to_string(claim.verdict),
                                failure ? "**" : "")});
  }
  if (!rows.empty()) table({"where", "the paper", "ours", "verdict"}, rows);
  if (!pending_checks_.empty()) table({"our own checks", "measured", ""}, pending_checks_);
  pending_checks_.clear();
}

}  // namespace dynamics::tools
