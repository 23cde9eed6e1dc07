// SPDX-License-Identifier: Apache-2.0
// Runs a study: many independent cases of one description (docs/studies.md).

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "command.hpp"
#include "dynamics_core/study.hpp"
#include "page.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "robot.hpp"
#include "study/processes.hpp"
#include "study/run_study.hpp"
#include "study/study_report.hpp"

namespace dynamics::tools {
namespace {

namespace fs = std::filesystem;

constexpr int study_interrupted_code = 130;  // 128 + SIGINT, as shells report it

std::atomic<bool> study_interrupted = false;
extern "C" void set_study_interrupted(int) { study_interrupted = true; }

struct StudyArguments {
  std::string description, output, part, merge;
  std::optional<std::size_t> threads;
  std::optional<std::uint64_t> number;
  bool resume = false;
};

/// K/N of --part.
struct Part {
  std::uint64_t k = 1, n = 1;
  std::string name() const { return fmt::format("{}of{}", k, n); }
};

Part parse_part(const std::string& text) {
  Part part;
  if (text.empty()) return part;
  const std::size_t slash = text.find('/');
  const auto parse = [&](std::string_view digits, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
  };
  const std::string_view view = text;
  if (slash == std::string::npos || !parse(view.substr(0, slash), part.k) ||
      !parse(view.substr(slash + 1), part.n) || part.k < 1 || part.k > part.n) {
    throw InputError(
        fmt::format("--part {}: must be K/N with whole numbers and K from 1 to N", text));
  }
  return part;
}

/// File names are relative to `directory`; built-in robots have no file.
StudySources sources_in(const fs::path& directory, bool report) {
  const auto resolved = [directory](const std::string& name) {
    return fs::path(name).is_absolute() ? name : (directory / name).lexically_normal().string();
  };
  const auto load = [resolved, report](const std::string& name) {
    const std::string argument = built_in_table(name) ? name : resolved(name);
    const Robot robot = report ? load_robot_or_mechanism(argument) : load_robot_silently(argument);
    StudyRobot result{
        .description = robot.mechanism ? robot.mechanism->description() : robot.model.description(),
        .gravity = robot.model.gravity()};
    if (robot.table) result.forced = robot.table->forced;
    if (robot.table && !robot.mechanism) {
      if (!robot.table->q0.empty()) result.q0 = robot.q0;
      result.qd0 = robot.qd0;
    }
    return result;
  };
  return {load, [resolved](const std::string& path) { return read_file(resolved(path)); }};
}

/// A study and where its description is.
struct LoadedStudy {
  Study study;
  std::string directory;
};

/// A description, or the folder of a study.
LoadedStudy load_study(const std::string& path, bool report) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const std::string directory = StudyFolder::directory(path);
    return {
        Study(StudyFolder::description(path), path + "/study.yaml", sources_in(directory, report)),
        directory};
  }
  const std::string directory = fs::absolute(path).parent_path().lexically_normal().string();
  return {Study(read_file(path), path, sources_in(directory, report)), directory};
}

void repeat_case(const StudyArguments& args) {
  if (!args.part.empty() || args.resume || args.threads)
    throw InputError("--case repeats one case: remove --part, --resume and --threads");
  const LoadedStudy loaded = load_study(args.description, true);
  const Study& study = loaded.study;
  std::optional<RunOutputs> outputs;
  if (!args.output.empty()) outputs.emplace(std::vector<std::string>{args.output}, "");
  const StudyRow row = study.run(*args.number);
  if (outputs) outputs->write(study.record(*args.number));
  std::size_t i = 0;
  for (const auto* names : {&study.parameters(), &study.results()}) {
    for (const std::string& name : *names)
      fmt::print("{} = {:.17g}\n", printable(name), row.values[i++]);
  }
  if (!row.error.empty()) throw StateError(fmt::format("case {}", row.number), row.error);
  if (outputs) fmt::print("wrote {}\n", args.output);
}

void merge_parts(const StudyArguments& args) {
  if (!args.description.empty() || !args.output.empty() || !args.part.empty() || args.resume ||
      args.threads)
    throw InputError("--merge FOLDER takes no other option: the folder has the description");
  const LoadedStudy loaded = load_study(args.merge, true);
  const StudyFolder folder(args.merge, loaded.study,
                           {.rows = StudyFolderOptions::Rows::keep, .directory = loaded.directory});
  write_results(loaded.study, folder, {});
}

/// Thrown on the other ranks where rank 0 reports an error.
struct ReportedByFirstRank {};

/// Runs f on rank 0 first, so that an error is reported once; then on the others.
template <class Function>
auto on_first_rank_first(Processes& processes, Function&& f) {
  std::optional<decltype(f(true))> result;
  std::exception_ptr error;
  if (processes.rank() == 0) {
    try {
      result.emplace(f(true));
    } catch (...) {
      error = std::current_exception();
    }
  }
  const bool failed = processes.largest(error ? 1 : 0) != 0;
  if (error) std::rethrow_exception(error);
  if (failed) throw ReportedByFirstRank();
  if (!result) result.emplace(f(false));
  return std::move(*result);
}

std::string remaining(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 5400.0) return fmt::format("{:.0f} min left", seconds / 60.0);
  return fmt::format("{:.1f} h left", seconds / 3600.0);
}

void compute_study(const StudyArguments& args, Processes& processes, Outcome& outcome) {
  const Part part = parse_part(args.part);
  if (args.description.empty()) throw InputError("STUDY.yaml is missing: name the description");
  if (args.output.empty()) throw InputError("--output FOLDER is missing");
  if (args.threads && (*args.threads < 1 || *args.threads > 4096))
    throw InputError(fmt::format("--threads {}: must be from 1 to 4096", *args.threads));
  const LoadedStudy loaded = on_first_rank_first(processes, [&](bool report) {
    if (fs::is_directory(args.description))
      throw InputError(args.description + ": is a folder; name the description (YAML)");
    return load_study(args.description, report);
  });
  const Study& study = loaded.study;
  const StudyFolder folder = on_first_rank_first(processes, [&](bool first) {
    const bool keep = args.resume || !first;
    StudyFolder opened(
        args.output, study,
        {.rows = keep ? StudyFolderOptions::Rows::keep : StudyFolderOptions::Rows::refuse,
         .part = args.part.empty() ? "" : part.name() + ".",
         .directory = loaded.directory});
    if (!study.runs().empty()) fs::create_directories(fs::path(args.output) / "runs");
    return opened;
  });
  const StudyRange range = study_part(study.cases(), part.k, part.n);
  const std::vector<bool> done = folder.done(range.first, range.last);
  processes.largest(0);  // all have read the logs before the first row is written

  StudyExecution execution;
  execution.resumed = static_cast<std::uint64_t>(std::count(done.begin(), done.end(), true));
  execution.threads = args.threads ? *args.threads
                      : processes.size() > 1
                          ? 1
                          : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  std::signal(SIGINT, set_study_interrupted);
  std::signal(SIGTERM, set_study_interrupted);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::optional<ProgressBar> bar;
  if (processes.rank() == 0) bar.emplace(study.robot());
  const auto total = static_cast<double>(std::max<std::uint64_t>(1, range.last - range.first));
  const auto progress = [&](std::uint64_t taken) {
    const double rate = static_cast<double>(taken) / elapsed();
    if (bar && taken > 0)
      bar->update(static_cast<double>(taken) / total,
                  fmt::format("{:.0f} cases/s, {}", rate,
                              remaining((total - static_cast<double>(taken)) / rate)));
    return !study_interrupted;
  };
  StudyCount count;
  try {
    count = run_study({study, folder, range, done, execution.threads, part.name()}, processes,
                      progress);
  } catch (const std::exception& error) {
    if (processes.size() == 1) throw;
    fmt::print(stderr, "dynamics: rank {}: {}\n", processes.rank(), printable(error.what()));
    processes.abort(1);
  }
  const bool interrupted = processes.largest(count.complete ? 0 : 1) != 0;
  execution.seconds = elapsed();
  const std::uint64_t mine[] = {count.computed};
  execution.by_rank = processes.gather(mine);
  bar.reset();
  if (interrupted) {
    if (processes.rank() == 0)
      fmt::print(stderr, "dynamics: interrupted; continue with --resume\n");
    outcome.exit_code = study_interrupted_code;
    return;
  }
  if (processes.rank() != 0) return;
  if (part.n == 1) {
    write_results(study, folder, execution);
    return;
  }
  fmt::print(
      "{}: part {} of {}, cases {} to {}: computed {}, {} were there before, {} failed\n"
      "when all parts are complete: dynamics study --merge {}\n",
      printable(study.robot()), part.k, part.n, range.first, range.last - 1, count.computed,
      execution.resumed, count.failed, args.output);
}

void study_command(const StudyArguments& args, Outcome& outcome) {
  if (args.number) {
    if (args.description.empty())
      throw InputError("--case needs STUDY.yaml or the folder of a study");
    repeat_case(args);
    return;
  }
  if (!args.merge.empty()) {
    merge_parts(args);
    return;
  }
  const auto processes = find_processes();
  try {
    compute_study(args, *processes, outcome);
  } catch (const ReportedByFirstRank&) {
    outcome.exit_code = 2;
  }
}

}  // namespace

void add_study(CLI::App& app, Outcome& outcome) {
  auto args = std::make_shared<StudyArguments>();
  CLI::App* command = app.add_subcommand(
      "study",
      "Run many independent cases of one description: uncertain masses and friction, gains, maps "
      "(docs/studies.md)");
  command->add_option("STUDY", args->description,
                      "the description (YAML); with --case also the folder of a study");
  command->add_option("--output", args->output,
                      "FOLDER for rows and results; with --case: F.csv, F.json, F.mcap or F.html");
  command->add_option("--threads", args->threads,
                      "number of threads (default: all processors; 1 per process under mpirun)");
  command->add_flag("--resume", args->resume,
                    "compute only the cases that FOLDER does not have; refuses a changed study");
  command->add_option("--part", args->part,
                      "K/N: only part K, 1 to N, of N nearly equal parts, for job arrays");
  command->add_option("--merge", args->merge, "FOLDER whose parts are complete: write its results");
  command->add_option("--case", args->number, "repeat this case alone and print its row");
  command->callback([args, &outcome] { study_command(*args, outcome); });
}

}  // namespace dynamics::tools
