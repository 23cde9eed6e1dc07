// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds the validation page: headings, text, tables, figures, the statements of the papers with
// our results and verdicts, and our own checks.
//
//   report.heading("PUMA");
//   report.claim({.item = "Saha 2003, Fig. 4(ii)",
//                 .paper = "Joint 2 rotates in the positive direction.",
//                 .ours = "theta_2(0.1 s) = 0.03 rad.",
//                 .verdict = judge(theta > 0.0)});
//   report.check("The energy is constant.", "To 1e-12.", drift < 1e-10);
//   report.end_claims();
//
// A new section needs a function in its own file and a line in sections.cpp.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "changes.hpp"
#include "svg_figure.hpp"

namespace dynamics::tools {

/// The result of a comparison with a paper.
enum class Verdict {
  holds,
  in_trend,  ///< qualitatively as the paper states, with other numbers
  differs,
  nothing_to_compare  ///< the text prints nothing that could be compared
};
const char* to_string(Verdict verdict);

inline Verdict judge(bool holds) { return holds ? Verdict::holds : Verdict::differs; }
/// A measured number beside a printed one: holds within a tenth of it, in trend within a factor of
/// two.
Verdict judge_number(double measured, double printed);

/// A statement of a paper beside our result.
struct Claim {
  std::string item;   ///< where the paper states it: label of an entry of paper_items()
  std::string paper;  ///< the statement
  std::string ours;   ///< our result, with the difference from the paper's number
  Verdict verdict = Verdict::differs;
  /// The page explains the difference; other verdicts `differs` count as failures.
  bool known_difference = false;
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
  void claim(Claim claim);
  /// A comparison of our own results. It is no verdict about a paper; it fails if not `within`.
  void check(const std::string& statement, const std::string& measured, bool within);
  /// Prints the tables of the claims and of the checks since the last call.
  void end_claims();

  void progress(double fraction) const { progress_(fraction); }

  std::string text() const { return text_; }
  const std::map<std::string, std::string>& figures() const { return figures_; }
  const std::vector<Claim>& claims() const { return claims_; }
  std::size_t checks() const { return checks_; }
  /// Number of checks that fail and of differences that are not known.
  std::size_t failures() const { return failures_; }

 private:
  Progress progress_;
  std::string text_;
  std::map<std::string, std::string> figures_;
  std::vector<Claim> claims_;
  std::size_t printed_claims_ = 0;
  std::vector<std::vector<std::string>> pending_checks_;
  std::size_t checks_ = 0, failures_ = 0;
};

struct ValidationSection {
  const char* name;   ///< for --only
  const char* title;  ///< for the progress bar
  void (*write)(ValidationReport& report, const PaperChanges& changes);
};

/// The sections in the order of the page.
std::span<const ValidationSection> validation_sections();

void validate_planar(ValidationReport& report, const PaperChanges& changes);
void validate_stanford(ValidationReport& report, const PaperChanges& changes);
void validate_puma(ValidationReport& report, const PaperChanges& changes);
void validate_tabulated_torques(ValidationReport& report, const PaperChanges& changes);
void validate_canadarm(ValidationReport& report, const PaperChanges& changes);
void validate_stability(ValidationReport& report, const PaperChanges& changes);
void validate_equivalence(ValidationReport& report, const PaperChanges& changes);
void validate_counts(ValidationReport& report, const PaperChanges& changes);
void validate_smoothness(ValidationReport& report, const PaperChanges& changes);
void validate_integrators(ValidationReport& report, const PaperChanges& changes);

}  // namespace dynamics::tools
