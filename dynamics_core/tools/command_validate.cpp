// SPDX-License-Identifier: Apache-2.0
// Reproduces the papers' figures and tables and compares them: docs/validation.md and its plots.

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "command.hpp"
#include "dynamics_core/recording.hpp"
#include "progress_bar.hpp"
#include "validate/report.hpp"

namespace dynamics::tools {
namespace {

struct ValidateArguments {
  std::string output, only;
};

const char* const opening = R"(# Validation against the papers

Every figure and table of the papers that can be reproduced from their texts: our plot, our numbers,
the statement of the paper, and whether our results confirm it. This page and its plots are written by

    dynamics validate --output docs

which exits with an error if a statement is not confirmed. The papers: Saha 1999 (J. Applied Mechanics
66), Saha 2003 (Multibody System Dynamics 9), Turney et al. 1980, Nasser 1990, Mohan and Saha. Our copies
contain the texts of the papers without the figures; the comparisons use what the texts state about them.
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

  std::string page = opening;
  std::map<std::string, std::string> figures;
  std::size_t claims = 0, failures = 0;
  for (const ValidationSection& section : sections) {
    if (!args.only.empty() && args.only != section.name) continue;
    ProgressBar bar(fmt::format("{:<14}", section.title));
    ValidationReport report([&bar](double fraction) { bar.update(fraction); });
    section.write(report);
    page += report.text();
    figures.insert(report.figures().begin(), report.figures().end());
    claims += report.claims();
    failures += report.failures();
  }
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
  fmt::print(stderr, "{} verdicts, {} do not hold\n", claims, failures);
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
