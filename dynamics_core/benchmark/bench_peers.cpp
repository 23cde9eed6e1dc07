// SPDX-License-Identifier: Apache-2.0
// The benchmark program that `dynamics bench` starts. All cases run in one process and are
// interleaved in rounds, so that disturbances of the machine affect all of them. Prints one JSON
// object.

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "batch/batch_kernel_table.hpp"
#include "benchmark_cases.hpp"
#include "dynamics_core/workspace.hpp"
#include "operations.hpp"
#include "progress_bar.hpp"

namespace dynamics::benchmark {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::ordered_json;

/// Timings of one case: nanoseconds per unit of work, one value per round.
struct Timed {
  std::function<double(std::size_t calls)> run;  ///< returns the units of work done
  std::size_t calls = 1;
  std::vector<double> nanoseconds;

  double time() {
    const auto start = Clock::now();
    const double units = run(calls);
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / units;
  }
  /// Chooses `calls` so that run(calls) takes about `seconds`.
  void calibrate(double seconds) {
    run(1);
    for (;;) {
      const auto start = Clock::now();
      run(calls);
      const double taken = std::chrono::duration<double>(Clock::now() - start).count();
      if (taken >= 0.5 * seconds) return;
      calls = taken < 0.1 * seconds ? 4 * calls : 2 * calls;
    }
  }
};

Timed timed(const BenchmarkCase& one_case) {
  auto at = std::make_shared<std::size_t>(0);
  return {[one_case, at](std::size_t calls) {
            one_case.run(*at, calls);
            *at += calls;
            return static_cast<double>(calls * one_case.states_per_call);
          },
          1,
          {}};
}

/// Times all cases round by round within about `seconds`. The measurements are short, so that on a
/// busy machine most of them, and thus the median, are not interrupted. `warm`: one call that is
/// not timed goes before each, where the data of all cases do not fit into the cache.
void run_rounds(std::vector<Timed>& all, double seconds, bool warm,
                const std::function<void(double)>& progress) {
  constexpr double wanted = 0.4e-3;
  const double possible = seconds / (wanted * static_cast<double>(all.size()));
  const auto rounds = static_cast<std::size_t>(std::clamp(possible, 9.0, 500.0));
  const double slice = seconds / static_cast<double>(all.size() * (rounds + 2));
  for (Timed& each : all) each.calibrate(slice);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (Timed& each : all) {
      if (warm) each.run(1);
      each.nanoseconds.push_back(each.time());
    }
    progress(static_cast<double>(round + 1) / static_cast<double>(rounds));
  }
}

double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  const double at = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], at - static_cast<double>(below));
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }

/// a / b for every round.
std::vector<double> ratios(const Timed& a, const Timed& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < a.nanoseconds.size(); ++i) {
    result.push_back(a.nanoseconds[i] / b.nanoseconds[i]);
  }
  return result;
}

/// Exponent b of cost = a n^b by a least-squares fit of the logarithms.
double exponent(const std::vector<std::pair<double, double>>& costs) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  const auto n = static_cast<double>(costs.size());
  for (const auto& [joints, cost] : costs) {
    const double x = std::log(joints), y = std::log(cost);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// Rounds of multiply-adds of packs: an operation is a multiplication or an addition.
double run_peak(std::size_t calls) {
  using Table = BatchKernelTable<double>;
  const Table& table = batch_kernel_table<double>(instruction_set());
  const std::size_t rounds = 64 * calls;
  volatile double kept = table.multiply_adds(rounds);
  static_cast<void>(kept);
  return static_cast<double>(2 * Table::multiply_adds_per_round * table.pack_size * rounds);
}

/// Compares the results of our cases with those of the peers. Throws std::runtime_error.
void require_equal_results(const std::string& robot, const std::vector<BenchmarkCase>& cases) {
  for (const BenchmarkCase& own : cases) {
    if (own.name != "ours") continue;
    // round-off, of accelerations times the condition number of M
    double allowed = 1e-8;
    if (is_single_precision(own.work))
      allowed = work_per_state(own.work) == "forward" ? 1e-3 : 1e-5;
    for (const BenchmarkCase& peer : cases) {
      if (peer.name == "ours" || work_per_state(own.work) != peer.work) continue;
      // of a batch only the first state is compared
      const std::size_t states = own.states_per_call > 1 ? 1 : 8;
      for (std::size_t k = 0; k < states; ++k) {
        own.run(k, 1);
        peer.run(k, 1);
        const Eigen::MatrixXd ours = own.result(), theirs = peer.result();
        const double scale = std::max(theirs.cwiseAbs().maxCoeff(), 1e-300);
        // false for NaN too
        if (ours.rows() == theirs.rows() && ours.cols() == theirs.cols() &&
            (ours - theirs).cwiseAbs().maxCoeff() <= allowed * scale) {
          continue;
        }
        throw std::runtime_error(
            fmt::format("{}: {} has another result for '{}'", robot, peer.name, own.work));
      }
    }
  }
}

/// Columns of the table that belong to our case alone.
ordered_json own_columns(const BenchmarkCase& own, const Timed& timed, const Model* model,
                         const std::string& robot, double peak) {
  ordered_json row = {
      {"work", own.work},   {"peer", nullptr},     {"ours_ns", median(timed.nanoseconds)},
      {"peer_ns", nullptr}, {"ratio", nullptr},    {"low", nullptr},
      {"high", nullptr},    {"bound_ns", nullptr}, {"robot", robot}};
  const double count = model == nullptr ? 0.0 : operations(own.work, *model);
  // twice as many floats as doubles at a time
  if (count > 0.0) row["bound_ns"] = count / (is_single_precision(own.work) ? 2.0 * peak : peak);
  return row;
}

/// Rows of one robot. `alone`: also the works that no peer computes.
ordered_json compare(const std::string& robot, const Model* model, std::vector<BenchmarkCase> cases,
                     bool alone, double seconds, double& peak,
                     const std::function<void(double)>& progress) {
  require_equal_results(robot, cases);
  // cases of the same work one after the other: "inverse" next to "batch inverse"
  std::stable_sort(cases.begin(), cases.end(), [](const BenchmarkCase& a, const BenchmarkCase& b) {
    return work_per_state(a.work) < work_per_state(b.work);
  });
  std::vector<Timed> all;
  all.reserve(cases.size() + 1);
  for (const BenchmarkCase& one_case : cases) all.push_back(timed(one_case));
  all.push_back({run_peak, 1, {}});
  run_rounds(all, seconds, false, progress);
  peak = 1.0 / median(all.back().nanoseconds);  // operations per nanosecond

  ordered_json rows = ordered_json::array();
  for (std::size_t o = 0; o < cases.size(); ++o) {
    const BenchmarkCase& own = cases[o];
    if (own.name != "ours") continue;
    const ordered_json columns = own_columns(own, all[o], model, robot, peak);
    bool found = false;
    for (std::size_t p = 0; p < cases.size(); ++p) {
      const BenchmarkCase& peer = cases[p];
      if (peer.name == "ours" || work_per_state(own.work) != peer.work) continue;
      found = true;
      const auto factors = ratios(all[p], all[o]);
      ordered_json row = columns;
      row["peer"] = peer.name;
      row["peer_ns"] = median(all[p].nanoseconds);
      row["ratio"] = median(factors);
      row["low"] = quantile(factors, 0.25);
      row["high"] = quantile(factors, 0.75);
      rows.push_back(std::move(row));
    }
    if (!found && alone) rows.push_back(columns);
  }
  const auto rank = [](const ordered_json& row) {
    static constexpr std::string_view order[] = {"inverse",
                                                 "forward",
                                                 "inertia matrix",
                                                 "inverse inertia matrix",
                                                 "inverse derivatives",
                                                 "forward derivatives",
                                                 "jacobian",
                                                 "gravity",
                                                 "batch inverse",
                                                 "batch forward"};
    return std::find(std::begin(order), std::end(order), row.at("work").get<std::string>());
  };
  auto& array = rows.get_ref<ordered_json::array_t&>();
  std::stable_sort(array.begin(), array.end(),
                   [&](const ordered_json& a, const ordered_json& b) { return rank(a) < rank(b); });
  return rows;
}

/// The works of the short benchmark.
bool is_short(const BenchmarkCase& one_case) {
  static constexpr std::string_view works[] = {"inverse", "forward", "inertia matrix",
                                               "batch inverse", "batch forward"};
  return std::find(std::begin(works), std::end(works), one_case.work) != std::end(works);
}

/// All rows: of the PUMA, or of every robot and function.
ordered_json compare_all(bool all, double seconds, const std::function<void(double)>& progress) {
  ordered_json rows = ordered_json::array();
  double peak = 0.0, done = 0.0;
  const double share = all ? 1.0 / static_cast<double>(robots().size() + 1) : 1.0;
  const auto add = [&](const std::string& name, const Model* model,
                       const std::vector<BenchmarkCase>& cases, double part) {
    for (ordered_json& row :
         compare(name, model, cases, all, part * seconds, peak,
                 [&, before = done](double p) { progress(before + p * part); })) {
      rows.push_back(std::move(row));
    }
    done += part;
  };
  for (const Robot& robot : robots()) {
    std::vector<BenchmarkCase> cases = all_cases(robot.model);
    if (!all) std::erase_if(cases, [](const BenchmarkCase& each) { return !is_short(each); });
    add(robot.name, &robot.model, cases, share);
    if (!all) break;
  }
  if (all) add("canadarm", nullptr, flexible_canadarm(), share);
  return {{"peak", peak}, {"sine_operations", sine_and_cosine}, {"rows", std::move(rows)}};
}

/// Sets the CPU affinity of this thread and of the threads that it starts; restores it at the end.
class Processors {
 public:
  Processors() {
    if (sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
    for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &before_)) all_.push_back(i);
    }
  }
  ~Processors() { sched_setaffinity(0, sizeof(before_), &before_); }
  Processors(const Processors&) = delete;
  Processors& operator=(const Processors&) = delete;

  std::size_t count() const { return all_.size(); }
  /// Uses the processors [first, last).
  void use(std::size_t first, std::size_t last) const {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (std::size_t i = first; i < last; ++i) CPU_SET(all_[i], &set);
    sched_setaffinity(0, sizeof(set), &set);
  }

 private:
  cpu_set_t before_{};
  std::vector<std::size_t> all_;
};

/// Speedup of two threads on large batches: their speed divided by the mean speed of one thread on
/// either processor (virtual processors are not always equally fast). "most": speedup of two
/// threads without shared data. Every measurement has several calls, as a program makes them.
ordered_json threads(double seconds, const std::function<void(double)>& progress) {
  constexpr std::size_t calls = 4;
  ordered_json result = ordered_json::array();
  const Processors processors;
  if (processors.count() < 2) return result;
  processors.use(0, 2);
  const std::vector<BenchmarkCase> one = batches(1, large_batch), two = batches(2, large_batch),
                                   separate = separate_halves(large_batch);
  const auto on = [&](const BenchmarkCase& one_case, std::size_t first, std::size_t last) {
    Timed measurement = timed(one_case);
    measurement.calls = calls;
    measurement.run = [&processors, first, last, run = measurement.run](std::size_t count) {
      processors.use(first, last);
      return run(count);
    };
    return measurement;
  };
  const auto start = Clock::now();
  const auto taken = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count() / seconds;
  };
  const double share = 1.0 / static_cast<double>(two.size());
  for (std::size_t i = 0; i < two.size(); ++i) {
    // order: first processor, both, second, both; slow changes of the machine cancel
    std::vector<Timed> measurements = {on(one[i], 0, 1), on(two[i], 0, 2), on(one[i], 1, 2),
                                       on(separate[i], 0, 2)};
    for (Timed& each : measurements) each.run(1);
    std::vector<double> gains, most;
    const double until = share * static_cast<double>(i + 1);
    while (gains.size() < 9 || taken() < until) {
      double speed[4];
      for (std::size_t k = 0; k < measurements.size(); ++k) speed[k] = 1.0 / measurements[k].time();
      gains.push_back(2.0 * speed[1] / (speed[0] + speed[2]));
      most.push_back(2.0 * speed[3] / (speed[0] + speed[2]));
      progress(std::min(until, taken()));
    }
    result.push_back({{"work", two[i].work},
                      {"threads", two[i].threads},
                      {"states", large_batch},
                      {"gain", median(gains)},
                      {"low", quantile(gains, 0.25)},
                      {"high", quantile(gains, 0.75)},
                      {"most", median(most)}});
  }
  return result;
}

/// Batches whose matrices do not fit into a last-level cache, and a loop that writes one number
/// to the same amount of memory, in turns: bytes per nanosecond.
ordered_json beyond_cache(double seconds, const std::function<void(double)>& progress) {
  constexpr std::size_t bytes = std::size_t{192} << 20U;
  std::vector<double> memory(bytes / sizeof(double));
  double* const first = memory.data();
  ordered_json result = ordered_json::array();
  const auto start = Clock::now();
  const double share = 1.0 / (2.0 * static_cast<double>(robots().size()));
  double until = 0.0;
  for (const Robot& robot : robots()) {
    for (const BenchmarkCase& one : matrices_on(robot.model, bytes)) {
      until += share;
      const auto per_nanosecond = [&](const auto& call) {
        const auto before = Clock::now();
        call();
        return static_cast<double>(bytes) /
               std::chrono::duration<double, std::nano>(Clock::now() - before).count();
      };
      std::vector<double> own, plain, ratio;
      one.run(0, 1);
      while (own.size() < 3 ||
             std::chrono::duration<double>(Clock::now() - start).count() < until * seconds) {
        own.push_back(per_nanosecond([&] { one.run(0, 1); }));
        const auto value = static_cast<double>(own.size());
        plain.push_back(per_nanosecond([&] {
          for (std::size_t i = 0; i < memory.size(); ++i) first[i] = value;
          // the loop is not removed
          asm volatile("" : : "r"(first) : "memory");  // NOLINT(hicpp-no-assembler)
        }));
        ratio.push_back(own.back() / plain.back());
      }
      result.push_back({{"robot", robot.name},
                        {"work", one.work},
                        {"megabytes", static_cast<double>(bytes) * 1e-6},
                        {"write_gb_per_s", median(own)},
                        {"plain_gb_per_s", median(plain)},
                        {"ratio", median(ratio)}});
      progress(until);
    }
  }
  return result;
}

/// Growth of the cost from 64 to 10000 joints, one call after the other on the same model.
ordered_json growth(double seconds, const std::function<void(double)>& progress) {
  struct Case {
    std::string work;
    const char* shape;
    double joints;
  };
  std::vector<Case> cases;
  std::vector<Timed> all;
  for (const bool branched : {false, true}) {
    for (const std::size_t joints : {64U, 128U, 256U, 512U, 1000U, 2500U, 5000U, 10000U}) {
      for (const BenchmarkCase& one_case : dynamics_on(branched ? tree(joints) : chain(joints))) {
        cases.push_back({one_case.work, branched ? "tree" : "chain", static_cast<double>(joints)});
        all.push_back(timed(one_case));
      }
    }
  }
  run_rounds(all, seconds, true, progress);
  ordered_json result = ordered_json::array();
  for (const char* work : {"inverse", "forward"}) {
    for (const char* shape : {"chain", "tree"}) {
      std::vector<std::pair<double, double>> costs;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        if (cases[i].work != work || std::string_view(cases[i].shape) != shape) continue;
        costs.emplace_back(cases[i].joints, median(all[i].nanoseconds));
      }
      result.push_back({{"work", work},
                        {"shape", shape},
                        {"exponent", exponent(costs)},
                        {"ns_per_joint", costs.back().second / costs.back().first}});
    }
  }
  return result;
}

int run(double seconds, bool all) {
  tools::ProgressBar bar("Measuring");
  const auto from = [&](double start, double share) {
    return [&bar, start, share](double part) { bar.update(start + share * part); };
  };
  ordered_json result = compare_all(all, 0.55 * seconds, from(0.0, 0.55));
  result["threads"] = threads(0.2 * seconds, from(0.55, 0.2));
  result["beyond_cache"] = ordered_json::array();
  if (all) result["beyond_cache"] = beyond_cache(0.1 * seconds, from(0.75, 0.1));
  result["growth"] = growth(0.15 * seconds, from(0.85, 0.15));
  result["instruction_set"] = std::string(name(instruction_set()));
  result["peers"] = ordered_json::object();
  const std::pair<const char*, std::string> versions[] = {
      {"kdl", kdl_version()}, {"mujoco", mujoco_version()}, {"pinocchio", pinocchio_version()}};
  for (const auto& [peer, version] : versions) {
    if (!version.empty()) result["peers"][peer] = version;
  }
  fmt::print("{}\n", result.dump());
  return 0;
}

}  // namespace
}  // namespace dynamics::benchmark

int main(int argc, char** argv) {
  double seconds = 4.0;
  bool all = false, understood = true;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--all") {
      all = true;
    } else if (argument == "--seconds" && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else {
      understood = false;
    }
  }
  if (!understood || !(seconds > 0.0)) {
    fmt::print(stderr, "usage: dynamics_bench_peers [--seconds S] [--all]\n");
    return 2;
  }
  try {
    return dynamics::benchmark::run(seconds, all);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dynamics_bench_peers: {}\n", error.what());
    return 1;
  }
}
