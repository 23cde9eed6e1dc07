// SPDX-License-Identifier: Apache-2.0
#include "run_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "dynamics_core/recording.hpp"

namespace dynamics::tools {
namespace {

/// What the threads of a process share.
struct Shared {
  std::atomic<std::uint64_t> computed = 0, failed = 0, taken = 0;
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;
  std::exception_ptr error;
};

/// Cases per chunk: 64 chunks per thread keep all threads busy until the end, and a chunk is small
/// enough to lose.
std::uint64_t chunk_size(const StudyWork& work, const Processes& processes) {
  const std::uint64_t cases = work.range.last - work.range.first;
  const std::uint64_t workers =
      work.threads * static_cast<std::uint64_t>(std::max(1, processes.size()));
  return std::clamp<std::uint64_t>(cases / (64 * workers), 1, 256);
}

void write_run(const StudyWork& work, std::uint64_t number, const Recording& samples) {
  const std::string path = run_file(work.folder, work.study, number);
  if (work.study.runs() == "csv") write_file(path, to_csv(samples));
  if (work.study.runs() == "json") write_file(path, to_json(samples) + "\n");
  if (work.study.runs() == "mcap") write_mcap(path, samples);
}

void work_on_chunks(const StudyWork& work, Processes& processes, std::uint64_t chunk,
                    const std::string& log_name, Shared& shared) {
  std::optional<StudyLog> log;
  const std::uint64_t cases = work.range.last - work.range.first;
  while (!shared.stop) {
    const std::uint64_t first = processes.take(chunk);
    if (first >= cases) break;
    const std::uint64_t last = std::min(cases, first + chunk);
    shared.taken = std::max(shared.taken.load(), last);
    for (std::uint64_t i = first; i < last && !shared.stop; ++i) {
      if (work.done[i]) continue;
      StudyRow row;
      if (work.study.runs().empty()) {
        row = work.study.run(work.range.first + i);
      } else {
        std::optional<Recording> samples;
        row = work.study.run(work.range.first + i, samples);
        if (samples) write_run(work, row.number, *samples);
      }
      if (!log) log.emplace(work.folder.open_log(log_name));
      log->append(row);
      ++shared.computed;
      if (!row.error.empty()) ++shared.failed;
    }
  }
}

}  // namespace

std::string run_file(const StudyFolder& folder, const Study& study, std::uint64_t number) {
  const std::size_t digits = std::to_string(study.cases() - 1).size();
  return fmt::format("{}/runs/case_{:0{}}.{}", folder.path(), number, digits, study.runs());
}

StudyCount run_study(const StudyWork& work, Processes& processes,
                     const std::function<bool(std::uint64_t taken)>& progress) {
  Shared shared;
  shared.running = work.threads;
  const std::uint64_t chunk = chunk_size(work, processes);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < work.threads; ++i) {
    threads.emplace_back([&, i] {
      try {
        const std::string name = fmt::format("{}.rank{}.thread{}", work.part, processes.rank(), i);
        work_on_chunks(work, processes, chunk, name, shared);
      } catch (...) {
        const std::lock_guard lock(shared.mutex);
        if (!shared.error) shared.error = std::current_exception();
        shared.stop = true;
      }
      const std::lock_guard lock(shared.mutex);
      --shared.running;
      shared.ended.notify_one();
    });
  }
  bool interrupted = false;
  {
    std::unique_lock lock(shared.mutex);
    while (!shared.ended.wait_for(lock, std::chrono::milliseconds(100),
                                  [&] { return shared.running == 0; })) {
      lock.unlock();
      if (!progress(shared.taken)) {
        interrupted = true;
        shared.stop = true;
      }
      lock.lock();
    }
  }
  for (std::thread& thread : threads) thread.join();
  if (shared.error) std::rethrow_exception(shared.error);
  return {shared.computed, shared.failed, !interrupted};
}

}  // namespace dynamics::tools
