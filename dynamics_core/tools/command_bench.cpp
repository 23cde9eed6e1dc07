// SPDX-License-Identifier: Apache-2.0
// Compares the speed with KDL, MuJoCo and Pinocchio on this machine. The program does not link
// these libraries: it starts dynamics_bench_peers, which is built if at least one of them is
// installed.

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "command.hpp"
#include "report.hpp"

namespace dynamics::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* peers_program = "dynamics_bench_peers";

struct BenchArguments {
  std::optional<double> seconds;
  std::optional<std::size_t> runs;
  bool all = false, json = false;
};

/// Candidate paths of dynamics_bench_peers: DYNAMICS_BENCH_PEERS alone if it is set; otherwise the
/// install tree, the folder of this program and the build tree.
std::vector<fs::path> candidate_paths() {
  std::vector<fs::path> result;
  const char* path = std::getenv("DYNAMICS_BENCH_PEERS");  // NOLINT(concurrency-mt-unsafe)
  if (path != nullptr) return {path};
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  result.push_back(here / ".." / DYNAMICS_LIBEXEC / "dynamics_core" / peers_program);
  result.push_back(here / peers_program);
  result.push_back(here / ".." / "benchmark" / peers_program);
  return result;
}

fs::path find_program() {
  std::string searched;
  for (const fs::path& path : candidate_paths()) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
    searched += "\n  " + path.lexically_normal().string();
  }
  throw std::runtime_error(fmt::format(
      "{} not found; it is built with DYNAMICS_BUILD_BENCHMARKS=ON if KDL or MuJoCo is installed "
      "(Debian: liborocos-kdl-dev, libmujoco-dev). ./test installs and builds both. Searched:{}",
      peers_program, searched));
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Runs the program and parses the JSON that it prints. Throws std::runtime_error.
ordered_json measure(const fs::path& program, double seconds, bool all) {
  const std::string command =
      fmt::format("{} --seconds {:.17g}{}", quoted(program.string()), seconds, all ? " --all" : "");
  std::FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c)
  if (pipe == nullptr) throw std::runtime_error("cannot start " + program.string());
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    text.append(part.data(), got);
  }
  const int status = pclose(pipe);
  if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(program.string() + " failed");
  }
  return ordered_json::parse(text);
}

/// Several runs as one: the medians over the runs; "low" and "high" are then the smallest and the
/// largest ratio of a run instead of the quartiles of one run.
ordered_json combined(const std::vector<ordered_json>& runs) {
  ordered_json result = runs.front();
  if (runs.size() == 1) return result;
  for (std::size_t i = 0; i < result.at("rows").size(); ++i) {
    ordered_json& row = result["rows"][i];
    for (const char* key : {"ours_ns", "peer_ns", "ratio"}) {
      if (row.at(key).is_null()) continue;
      std::vector<double> values;
      values.reserve(runs.size());
      for (const ordered_json& run : runs) values.push_back(run.at("rows").at(i).at(key));
      std::sort(values.begin(), values.end());
      row[key] = values[values.size() / 2];
      if (std::string_view(key) != "ratio") continue;
      row["low"] = values.front();
      row["high"] = values.back();
    }
  }
  return result;
}

/// The object of `dynamics bench --json`: the rows with their documented keys.
ordered_json documented_json(const ordered_json& measured) {
  ordered_json rows = ordered_json::array();
  for (const ordered_json& row : measured.at("rows")) {
    ordered_json kept;
    for (const char* key : {"work", "peer", "ours_ns", "peer_ns", "ratio", "robot"}) {
      kept[key] = row.at(key);
    }
    rows.push_back(std::move(kept));
  }
  return {{"warnings", ordered_json::array()}, {"rows", std::move(rows)}};
}

void print_table(const ordered_json& measured, std::size_t runs) {
  std::string versions;
  for (const auto& [peer, version] : measured.at("peers").items()) {
    versions +=
        (versions.empty() ? "" : ", ") + fmt::format("{} {}", peer, version.get<std::string>());
  }
  fmt::print("Random states; our kernels for {}; compared with {}.\n",
             measured.at("instruction_set").get<std::string>(), versions);
  const auto text = [](const ordered_json& value, int digits) {
    return value.is_null() ? std::string("-") : fmt::format("{:.{}f}", value.get<double>(), digits);
  };
  std::string robot;
  for (const ordered_json& row : measured.at("rows")) {
    if (row.at("robot") != robot) {
      robot = row.at("robot").get<std::string>();
      fmt::print("\n{}\n{:<28}{:<11}{:>10}{:>11}{:>9}{:>17}{:>12}\n", robot, "work", "peer",
                 "ours (ns)", "peer (ns)", "ratio", runs > 1 ? "(range)" : "(quartiles)",
                 "bound (ns)");
    }
    const ordered_json& peer = row.at("peer");
    fmt::print("{:<28}{:<11}{:>10}{:>11}{:>9}{:>17}{:>12}\n", row.at("work").get<std::string>(),
               peer.is_null() ? "-" : peer.get<std::string>(), text(row.at("ours_ns"), 1),
               text(row.at("peer_ns"), 0), text(row.at("ratio"), 1),
               fmt::format("({} .. {})", text(row.at("low"), 1), text(row.at("high"), 1)),
               text(row.at("bound_ns"), 1));
  }
  fmt::print(
      "\nTimes per state on one thread, medians over interleaved rounds; ratio: peer / ours{}.\n"
      "bound: operations of our recursion (sine and cosine: {:.0f} operations) at the measured "
      "peak of "
      "the SIMD units,\n{:.0f} operations per nanosecond.\n\n",
      runs > 1 ? fmt::format("; medians and ranges over {} runs", runs) : "",
      measured.at("sine_operations").get<double>(), measured.at("peak").get<double>());
  for (const ordered_json& row : measured.at("threads")) {
    fmt::print(
        "{}, {} threads: speedup {:.2f} ({:.2f} .. {:.2f}); threads without shared data: {:.2f}\n",
        row.at("work").get<std::string>(), row.at("threads").get<std::size_t>(),
        row.at("gain").get<double>(), row.at("low").get<double>(), row.at("high").get<double>(),
        row.at("most").get<double>());
  }
  for (const ordered_json& row : measured.at("beyond_cache")) {
    fmt::print("{}, {}, {:.0f} MB of matrices: {:.1f} GB/s, a plain loop {:.1f} GB/s ({:.0f} %)\n",
               row.at("robot").get<std::string>(), row.at("work").get<std::string>(),
               row.at("megabytes").get<double>(), row.at("write_gb_per_s").get<double>(),
               row.at("plain_gb_per_s").get<double>(), 100.0 * row.at("ratio").get<double>());
  }
  for (const ordered_json& row : measured.at("growth")) {
    fmt::print("{} dynamics of a {} of 64 to 10000 joints: cost ~ n^{:.2f}, {:.0f} ns per joint\n",
               row.at("work").get<std::string>(), row.at("shape").get<std::string>(),
               row.at("exponent").get<double>(), row.at("ns_per_joint").get<double>());
  }
}

}  // namespace

void add_bench(CLI::App& app, Outcome& outcome) {
  auto args = std::make_shared<BenchArguments>();
  CLI::App* command = app.add_subcommand(
      "bench", "Compare the speed with KDL, MuJoCo and Pinocchio on this machine");
  command
      ->add_option("--seconds", args->seconds,
                   "approximate measuring time of a run in s (default 4, with --all 60)")
      ->check(CLI::Range(0.001, 3600.0));
  command->add_flag("--all", args->all, "every robot and function, three runs");
  command->add_option("--runs", args->runs, "runs; the ranges of the ratios are printed")
      ->check(CLI::Range(1, 100));
  command->add_flag("--json", args->json, json_flag_help);
  command->callback([args, &outcome] {
    ordered_json measured;
    const std::size_t runs = args->runs.value_or(args->all ? 3 : 1);
    try {
      const fs::path program = find_program();
      std::vector<ordered_json> all;
      for (std::size_t run = 0; run < runs; ++run) {
        all.push_back(measure(program, args->seconds.value_or(args->all ? 60.0 : 4.0), args->all));
      }
      measured = combined(all);
    } catch (const std::exception& error) {  // not caused by the command line: exit code 1
      fmt::print(stderr, "dynamics: {}\n", error.what());
      outcome.exit_code = 1;
      return;
    }
    if (args->json) {
      print_json(documented_json(measured));
    } else {
      print_table(measured, runs);
    }
  });
}

}  // namespace dynamics::tools
