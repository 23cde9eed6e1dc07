// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

namespace dynamics::tools {

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

void ValidationReport::claim(const std::string& paper, const std::string& ours, Verdict verdict) {
  pending_.push_back({paper, ours, verdict});
  ++claims_;
  if (verdict == Verdict::fails) ++failures_;
}

void ValidationReport::end_claims() {
  std::vector<std::vector<std::string>> rows;
  for (const Claim& claim : pending_)
    rows.push_back({claim.paper, claim.ours,
                    claim.verdict == Verdict::holds          ? "holds"
                    : claim.verdict == Verdict::in_trend     ? "in trend"
                    : claim.verdict == Verdict::not_repeated ? "not repeated"
                                                             : "**does not hold**"});
  table({"the paper", "ours", "verdict"}, rows);
  pending_.clear();
}

}  // namespace dynamics::tools
