// SPDX-License-Identifier: Apache-2.0
// Reproduces the papers' figures and tables and compares them: docs/validation.md and its plots.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command.hpp"
#include "dynamics_core/recording.hpp"
#include "progress_bar.hpp"
#include "validate/paper_items.hpp"
#include "validate/report.hpp"

namespace dynamics::tools {
namespace {

struct ValidateArguments {
  std::string output, only;
};

const char* const opening = R"(# Validation against the papers

The simulations, tables and claims of five papers beside our results: our plot, our numbers, the
statement of the paper, and a verdict. This page and its plots are written by

    dynamics validate --output docs

Our copies contain the texts of the papers without the figures: only what the texts print can be
compared. The verdicts:

- **holds**: something that the paper prints was compared with our result, and agrees (a number to a
  tenth; an operation count exactly).
- **in trend**: as the paper states, with other numbers (within a factor of two; an operation count
  within a tenth).
- **differs**: not as the paper states; the measured difference is given.
- **nothing to compare with**: the text prints no number and no direction, or a row quotes another
  author's algorithm that is not implemented here.

*Our own checks* compare results of ours with each other. They are no verdicts about a paper. The
command exits with an error if a check is out of bound, or if a verdict is *differs* without an
explanation on this page (in bold type).

The papers: Saha 1999 (J. Applied Mechanics 66), Saha 2003 (Multibody System Dynamics 9), Turney et
al. 1980, Nasser 1990, Mohan and Saha. Table of equations: `docs/theory.md`. Files below are in
`dynamics_core/`.
)";

void validate(const ValidateArguments& args, Outcome& outcome) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!args.output.empty() && !fs::is_directory(args.output, error)) {
    throw InputError(fmt::format("--output {}: the folder does not exist", args.output));
  }
  const auto sections = validation_sections();
  std::string names;
  bool any = args.only.empty();
  for (const ValidationSection& section : sections) {
    names += (names.empty() ? "" : ", ") + std::string(section.name);
    any = any || args.only == section.name;
  }
  if (!any) throw InputError(fmt::format("--only {}: it must be one of {}", args.only, names));

  std::string sections_text;
  std::map<std::string, std::string> figures;
  std::vector<Claim> claims;
  std::size_t checks = 0, failures = 0;
  for (const ValidationSection& section : sections) {
    if (!args.only.empty() && args.only != section.name) continue;
    ProgressBar bar(fmt::format("{:<14}", section.title));
    ValidationReport report([&bar](double fraction) { bar.update(fraction); });
    section.write(report, {});
    sections_text += report.text();
    figures.insert(report.figures().begin(), report.figures().end());
    claims.insert(claims.end(), report.claims().begin(), report.claims().end());
    checks += report.checks();
    failures += report.failures();
  }
  const PaperCoverage coverage = paper_coverage(claims, args.only.empty());
  for (const std::string& problem : coverage.problems) fmt::print(stderr, "{}\n", problem);
  failures += coverage.problems.size();
  ValidationReport head([](double) {});
  head.heading("What is reproduced");
  head.table({"paper", "where", "content", "result"}, coverage.rows);
  const std::string page = opening + head.text() + sections_text;
  if (args.output.empty()) {
    fmt::print("{}", page);
  } else {
    const fs::path folder = fs::path(args.output) / "validation";
    fs::create_directories(folder, error);
    if (error) throw InputError(fmt::format("{}: {}", folder.string(), error.message()));
    for (const auto& [name, text] : figures) write_file((folder / (name + ".svg")).string(), text);
    const std::string path = (fs::path(args.output) / "validation.md").string();
    write_file(path, page);
    fmt::print("wrote {} and {} figures in {}\n", path, figures.size(), folder.string());
  }
  fmt::print(stderr, "{} verdicts, {} own checks, {} failures\n", claims.size(), checks, failures);
  if (failures > 0) outcome.exit_code = 1;
}

}  // namespace

void add_validate(CLI::App& app, Outcome& outcome) {
  auto args = std::make_shared<ValidateArguments>();
  CLI::App* command =
      app.add_subcommand("validate", "Reproduce the papers' figures and tables and compare them");
  command->add_option("--output", args->output,
                      "folder for validation.md and validation/*.svg (default: print the page)");
  command->add_option("--only", args->only, "a single section: planar, stanford, puma, ...");
  command->callback([args, &outcome] { validate(*args, outcome); });
}

}  // namespace dynamics::tools
