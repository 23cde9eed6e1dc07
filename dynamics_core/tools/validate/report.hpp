// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds the validation page: headings, text, tables, figures, and the statements of the papers
// with our results and verdicts.
//
//   report.heading("PUMA");
//   report.claim("Joint 2 rotates in the positive direction.", "theta_2 = 0.1 rad.", true);
//   report.end_claims();
//
// A new section needs a function in its own file and a line in sections.cpp.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "svg_figure.hpp"

namespace dynamics::tools {

enum class Verdict {
  holds,
  in_trend,      ///< qualitatively as the paper states, with other numbers
  not_repeated,  ///< a failure of another method that the paper reports and we cannot reproduce
  fails
};

class ValidationReport {
 public:
  /// Called with the completed fraction of the section, 0 to 1.
  using Progress = std::function<void(double)>;
  explicit ValidationReport(Progress progress) : progress_(std::move(progress)) {}

  void heading(const std::string& text);
  void paragraph(const std::string& text);
  void table(const std::vector<std::string>& names,
             const std::vector<std::vector<std::string>>& rows);
  /// Writes the figure to validation/NAME.svg.
  void figure(const std::string& name, const std::string& caption, const SvgFigure& figure);
  /// A statement of the paper, our result and the verdict. end_claims() prints the table.
  void claim(const std::string& paper, const std::string& ours, Verdict verdict);
  void claim(const std::string& paper, const std::string& ours, bool holds) {
    claim(paper, ours, holds ? Verdict::holds : Verdict::fails);
  }
  void end_claims();

  void progress(double fraction) const { progress_(fraction); }

  std::string text() const { return text_; }
  const std::map<std::string, std::string>& figures() const { return figures_; }
  std::size_t claims() const { return claims_; }
  std::size_t failures() const { return failures_; }

 private:
  struct Claim {
    std::string paper, ours;
    Verdict verdict;
  };
  Progress progress_;
  std::string text_;
  std::map<std::string, std::string> figures_;
  std::vector<Claim> pending_;
  std::size_t claims_ = 0, failures_ = 0;
};

struct ValidationSection {
  const char* name;   ///< for --only
  const char* title;  ///< for the progress bar
  void (*write)(ValidationReport& report);
};

/// The sections in the order of the page.
std::span<const ValidationSection> validation_sections();

void validate_planar(ValidationReport& report);
void validate_stanford(ValidationReport& report);
void validate_puma(ValidationReport& report);
void validate_canadarm(ValidationReport& report);
void validate_equivalence(ValidationReport& report);
void validate_integrators(ValidationReport& report);

}  // namespace dynamics::tools
