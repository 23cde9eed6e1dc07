// SPDX-License-Identifier: Apache-2.0
#include "study_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "../command.hpp"
#include "../page.hpp"
#include "../report.hpp"

namespace dynamics::tools {
namespace {

constexpr std::size_t most_printed = 24;  ///< results

std::string execution_json(const StudyExecution& execution) {
  const nlohmann::json object = {{"resumed", execution.resumed},
                                 {"computed_by_rank", execution.by_rank},
                                 {"threads_per_rank", execution.threads},
                                 {"seconds", execution.seconds}};
  return object.dump();
}

void print_execution(const Study& study, const StudyExecution& execution) {
  const std::uint64_t computed =
      std::accumulate(execution.by_rank.begin(), execution.by_rank.end(), std::uint64_t{0});
  fmt::print("{}: {} cases, {}\n", printable(study.robot()), study.cases(),
             Study::instruction_set());
  if (execution.by_rank.empty()) return;
  fmt::print("computed {} cases in {:.1f} s ({:.0f} per second) by {} thread{}", computed,
             execution.seconds,
             execution.seconds > 0.0 ? static_cast<double>(computed) / execution.seconds : 0.0,
             execution.threads, execution.threads == 1 ? "" : "s");
  if (execution.by_rank.size() > 1)
    fmt::print(" on each of {} ranks: {}", execution.by_rank.size(),
               fmt::join(execution.by_rank, ", "));
  fmt::print("; {} were there before\n", execution.resumed);
}

/// The parameter with the largest rank correlation, as text.
std::string strongest(const Study& study, const StudySummary::Result& result) {
  std::size_t best = 0;
  const auto& all = result.rank_correlation;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::isnan(all[best]) || std::abs(all[i]) > std::abs(all[best])) best = i;
  }
  if (all.empty() || std::isnan(all[best])) return "";
  return fmt::format("{:+.2f} {}", all[best], study.parameters()[best]);
}

void print_summary(const Study& study, const StudyFolder& folder, const StudySummary& summary) {
  std::size_t width = 6;
  const std::size_t shown = std::min(most_printed, summary.results.size());
  for (std::size_t i = 0; i < shown; ++i) width = std::max(width, summary.results[i].name.size());
  fmt::print("\n{:{}} {:>11} {:>11} {:>11} {:>11} {:>11}  {}\n", "result", width, "minimum", "5 %",
             "median", "95 %", "maximum", "strongest rank correlation");
  for (std::size_t i = 0; i < shown; ++i) {
    const StudySummary::Result& result = summary.results[i];
    if (result.quantiles.empty()) {
      fmt::print("{:{}} no finite value\n", printable(result.name), width);
      continue;
    }
    fmt::print("{:{}} {:>11.5g} {:>11.5g} {:>11.5g} {:>11.5g} {:>11.5g}  {}\n",
               printable(result.name), width, result.minimum, result.quantiles[2],
               result.quantiles[4], result.quantiles[6], result.maximum,
               printable(strongest(study, result)));
  }
  if (shown < summary.results.size())
    fmt::print("and {} more in summary.json\n", summary.results.size() - shown);
  if (summary.analyzed < summary.cases - summary.failed)
    fmt::print("quantiles and correlations are from {} evenly chosen cases\n", summary.analyzed);
  constexpr std::size_t most_worst = 3;
  if (!summary.worst.empty())
    fmt::print("\nworst cases by {} ({}):\n", printable(study.results()[study.worst_result()]),
               study.largest_is_worst() ? "largest" : "smallest");
  for (std::size_t i = 0; i < std::min(most_worst, summary.worst.size()); ++i) {
    fmt::print("  case {}: {:.6g}", summary.worst[i].number, summary.worst[i].value);
    if (study.has_samples())
      fmt::print("    {}", study_repeat_command(folder.path(), summary.worst[i].number));
    fmt::print("\n");
  }
  if (summary.failed == 0) return;
  fmt::print("\n{} of {} cases failed:\n", summary.failed, summary.cases);
  for (const StudyRow& row : summary.failures)
    fmt::print("  case {}: {}\n", row.number, printable(row.error));
}

}  // namespace

void write_results(const Study& study, const StudyFolder& folder, const StudyExecution& execution) {
  const StudySummary summary = folder.write_table();
  std::vector<std::string> missing;
  const bool hdf5 = write_hdf5(study, folder);
  if (!hdf5)
    missing.emplace_back(
        "table.h5: this program was built without HDF5 (Debian: libhdf5-dev); table.csv has the "
        "same numbers");
  std::vector<std::pair<std::string, std::string>> links;
  if (study.has_samples() && !summary.worst.empty()) {
    try {
      const RunOutputs page({folder.path() + "/worst.html"}, "");
      page.write(study.record(summary.worst.front().number));
      links.emplace_back(fmt::format("the worst run, case {}", summary.worst.front().number),
                         "worst.html");
    } catch (const InputError& error) {  // the viewer's template is not installed
      missing.emplace_back(error.what());
    }
  }
  folder.write_summary(summary, execution_json(execution), links);
  print_execution(study, execution);
  print_summary(study, folder, summary);
  fmt::print("\nwrote table.csv{}, summary.json, page.html{} in {}\n", hdf5 ? ", table.h5" : "",
             links.empty() ? "" : ", worst.html", folder.path());
  for (const std::string& text : missing) fmt::print("not written: {}\n", text);
}

}  // namespace dynamics::tools
