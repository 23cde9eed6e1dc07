// SPDX-License-Identifier: Apache-2.0
#include "load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <thread>

#include "dynamics_ros/client.hpp"
#include "work.hpp"

namespace dynamics_ros::benchmark {
namespace {

using Clock = std::chrono::steady_clock;
using dynamics_msgs::msg::ResultCode;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One client: calls until time is up.
class Caller {
 public:
  Caller(const dynamics::Model& model, const LoadOptions& options, std::size_t number)
      : node_(std::make_shared<rclcpp::Node>(fmt::format("client_{}", number))),
        client_(*node_, {options.node, DynamicsClient::Timeout(options.timeout)}),
        work_(model, 1000 + number) {}

  void run(Clock::time_point end) {
    std::discrete_distribution<std::size_t> kind({60, 12, 5, 1, 10, 12, 5});
    while (Clock::now() < end && rclcpp::ok()) {
      switch (kind(work_.generator())) {
        case 0: inverse(1, "inverse, 1 point"); break;
        case 1: inverse(10, "inverse, 10 points"); break;
        case 2: inverse(100, "inverse, 100 points"); break;
        case 3: inverse(1000, "inverse, 1000 points"); break;
        case 4: forward(10, "forward, 10 states"); break;
        case 6: inverse(100, "inverse, 100 points in columns", true); break;
        default: malformed("malformed");
      }
    }
  }

  const LoadResult& result() const { return result_; }

 private:
  template <class Result, class Check>
  bool judge(const char* kind, const Result& reply, Check&& check) {
    ++result_.calls[kind];
    ++result_.total;
    if (!reply.answered()) {
      ++result_.lost;
      problem(fmt::format("{}, the client's call number {}: lost: {}", kind, result_.total,
                          reply.message()));
      return false;
    }
    if (reply.code() == ResultCode::BUSY) {
      ++result_.busy;
      return false;
    }
    const std::string wrong = check(*reply);
    if (wrong.empty()) return true;
    ++result_.wrong;
    problem(fmt::format("{}: wrong: {}", kind, wrong));
    return false;
  }

  void inverse(std::size_t points, const char* kind, bool columns = false) {
    const auto request = columns ? work_.inverse_columns(points) : work_.inverse(points);
    const auto start = Clock::now();
    const auto reply = client_.call<InverseDynamics>(request);
    const double took = seconds_since(start);
    if (!judge(kind, reply, [&](const auto& answer) { return work_.check(request, answer); })) {
      return;
    }
    result_.points += points;
    if (points == 1) result_.single.push_back(1e6 * took);
  }

  void forward(std::size_t states, const char* kind) {
    const auto request = work_.forward(states);
    const auto reply = client_.call<ForwardDynamics>(request);
    if (judge(kind, reply, [&](const auto& answer) { return work_.check(request, answer); })) {
      result_.points += states;
    }
  }

  void malformed(const char* kind) {
    const auto job = work_.malformed();
    const auto reply = client_.call<InverseDynamics>(job.request);
    judge(kind, reply, [&](const auto& answer) { return Work::check(job, answer); });
  }

  void problem(const std::string& text) {
    if (result_.first_problem.empty()) result_.first_problem = text;
  }

  rclcpp::Node::SharedPtr node_;
  DynamicsClient client_;
  Work work_;
  LoadResult result_;
};

void add(LoadResult& sum, const LoadResult& part) {
  for (const auto& [kind, count] : part.calls) sum.calls[kind] += count;
  sum.total += part.total;
  sum.lost += part.lost;
  sum.wrong += part.wrong;
  sum.busy += part.busy;
  sum.points += part.points;
  if (sum.first_problem.empty()) sum.first_problem = part.first_problem;
  sum.single.insert(sum.single.end(), part.single.begin(), part.single.end());
}

}  // namespace

LoadResult run_load(const dynamics::Model& model, const Process& node, const LoadOptions& options) {
  std::vector<std::unique_ptr<Caller>> callers;
  callers.reserve(options.clients);
  for (std::size_t i = 0; i < options.clients; ++i) {
    callers.push_back(std::make_unique<Caller>(model, options, i));
  }
  LoadResult sum;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(options.seconds));
  std::vector<std::thread> threads;
  threads.reserve(callers.size());
  for (auto& caller : callers) threads.emplace_back([&caller, end] { caller->run(end); });
  while (Clock::now() < end && rclcpp::ok()) {
    if (!node.running()) break;
    sum.memory.push_back(static_cast<double>(node.memory()));
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
  for (auto& thread : threads) thread.join();
  sum.seconds = seconds_since(start);
  sum.ended = !node.running();
  sum.memory.push_back(static_cast<double>(node.memory()));
  for (const auto& caller : callers) add(sum, caller->result());
  return sum;
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

MemoryGrowth growth(const std::vector<double>& memory) {
  MemoryGrowth found;
  if (memory.empty()) return found;
  const auto median = [&](double from, double to) {
    const auto size = static_cast<double>(memory.size());
    const auto first = static_cast<std::ptrdiff_t>(from * size);
    const auto last = std::max(first + 1, static_cast<std::ptrdiff_t>(to * size));
    return percentile({memory.begin() + first, memory.begin() + last}, 0.5);
  };
  found.start = memory.front();
  found.middle = median(0.4, 0.6);
  found.end = median(0.8, 1.0);
  found.largest = *std::max_element(memory.begin(), memory.end());
  return found;
}

}  // namespace dynamics_ros::benchmark
