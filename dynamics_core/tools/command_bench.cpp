// SPDX-License-Identifier: Apache-2.0
// This library beside its peers on this machine. The peers' libraries are no dependencies of the
// program: it starts one of its own that is built where they are.

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "command.hpp"
#include "report.hpp"

namespace dynamics::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* peers_program = "dynamics_bench_peers";

struct Arguments {
  double seconds = 4.0;
  bool json = false;
};

/// Where it may be: told, as installed, beside this program, in the tree of a build.
std::vector<fs::path> places() {
  std::vector<fs::path> result;
  const char* told = std::getenv("DYNAMICS_BENCH_PEERS");  // NOLINT(concurrency-mt-unsafe)
  if (told != nullptr) return {told};
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  result.push_back(here / ".." / DYNAMICS_LIBEXEC / "dynamics_core" / peers_program);
  result.push_back(here / peers_program);
  result.push_back(here / ".." / "benchmark" / peers_program);
  return result;
}

fs::path find_program() {
  std::string looked;
  for (const fs::path& place : places()) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored)) return place;
    looked += "\n  " + place.lexically_normal().string();
  }
  throw std::runtime_error(fmt::format(
      "there is nothing to compare with: {} is built where KDL or MuJoCo is found (Debian: "
      "liborocos-kdl-dev, libmujoco-dev). Install them and build again. Looked for it at:{}",
      peers_program, looked));
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// What the program prints, or an error.
ordered_json measure(const fs::path& program, double seconds) {
  const std::string command =
      fmt::format("{} --seconds {:.17g}", quoted(program.string()), seconds);
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

/// The rows alone, with the keys that are promised.
ordered_json promised(const ordered_json& measured) {
  ordered_json rows = ordered_json::array();
  for (const ordered_json& row : measured.at("rows")) {
    ordered_json kept;
    for (const char* key : {"work", "peer", "ours_ns", "peer_ns", "ratio"}) kept[key] = row.at(key);
    rows.push_back(std::move(kept));
  }
  return {{"warnings", ordered_json::array()}, {"rows", std::move(rows)}};
}

void print_table(const ordered_json& measured) {
  std::string versions;
  for (const auto& [peer, version] : measured.at("peers").items()) {
    versions +=
        (versions.empty() ? "" : ", ") + fmt::format("{} {}", peer, version.get<std::string>());
  }
  fmt::print("PUMA, random states, this library's kernels for {}; beside it {}.\n\n",
             measured.at("instruction_set").get<std::string>(), versions);
  fmt::print("{:<16}{:<11}{:>10}{:>11}{:>9}{:>17}{:>12}\n", "work", "peer", "ours (ns)",
             "peer (ns)", "ratio", "(half within)", "bound (ns)");
  for (const ordered_json& row : measured.at("rows")) {
    fmt::print("{:<16}{:<11}{:>10.1f}{:>11.0f}{:>9.1f}{:>17}{:>12.1f}\n",
               row.at("work").get<std::string>(), row.at("peer").get<std::string>(),
               row.at("ours_ns").get<double>(), row.at("peer_ns").get<double>(),
               row.at("ratio").get<double>(),
               fmt::format("({:.1f} .. {:.1f})", row.at("low").get<double>(),
                           row.at("high").get<double>()),
               row.at("bound_ns").get<double>());
  }
  fmt::print(
      "\nTimes are for one state on one thread, medians of rounds in which everybody had a turn; "
      "ratio: peer / ours.\nbound: the operations of our recursion (a sine and cosine as {:.0f}), "
      "at the {:.0f} operations a nanosecond\nthat this processor's SIMD units reached.\n\n",
      measured.at("sine_operations").get<double>(), measured.at("peak").get<double>());
  for (const ordered_json& row : measured.at("threads")) {
    fmt::print(
        "{}, {} threads: {:.2f} times one ({:.2f} .. {:.2f}); two that share nothing: {:.2f}\n",
        row.at("work").get<std::string>(), row.at("threads").get<std::size_t>(),
        row.at("gain").get<double>(), row.at("low").get<double>(), row.at("high").get<double>(),
        row.at("most").get<double>());
  }
  for (const ordered_json& row : measured.at("growth")) {
    fmt::print("{} dynamics of a {} of 4 to 1024 joints: cost ~ n^{:.2f}, {:.0f} ns a joint\n",
               row.at("work").get<std::string>(), row.at("shape").get<std::string>(),
               row.at("exponent").get<double>(), row.at("ns_per_joint").get<double>());
  }
}

}  // namespace

void add_bench(CLI::App& app, Outcome& outcome) {
  auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "bench", "This library beside its peers on this machine, as ratios (KDL, MuJoCo, Pinocchio)");
  command->add_option("--seconds", args->seconds, "to measure for, about (default 4)")
      ->check(CLI::Range(0.001, 3600.0));
  command->add_flag("--json", args->json, "print one JSON object");
  command->callback([args, &outcome] {
    ordered_json measured;
    try {
      measured = measure(find_program(), args->seconds);
    } catch (const std::exception& error) {  // nothing that the user has typed
      fmt::print(stderr, "dynamics: {}\n", error.what());
      outcome.exit_code = 1;
      return;
    }
    if (args->json) {
      print_json(promised(measured));
    } else {
      print_table(measured);
    }
  });
}

}  // namespace dynamics::tools
