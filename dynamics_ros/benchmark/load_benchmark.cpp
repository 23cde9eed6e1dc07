// SPDX-License-Identifier: Apache-2.0
// The dynamics node under load: starts it as a process, lets clients call it with requests of mixed
// sizes, some malformed, checks every reply by the core and watches the node's memory; then
// measures single calls beside a server that computes nothing.
//
//   ros2 run dynamics_ros load_benchmark --clients 8 --seconds 60 [--json] [--urdf FILE]
//
// Ends with 0 if no reply was lost or wrong and, from 30 s on, the memory stayed flat.

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <dynamics_core/readers.hpp>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "dynamics_ros/client.hpp"
#include "latency.hpp"
#include "load.hpp"
#include "process.hpp"

namespace {

using namespace dynamics_ros::benchmark;  // NOLINT(google-build-using-namespace)

constexpr std::size_t long_trajectory = 10000;  // points
constexpr double shortest_judged = 30.0;        // until then the heap still fills (s)

constexpr const char* usage =
    "usage: load_benchmark [--clients N] [--seconds S] [--latency-seconds S] [--urdf FILE] "
    "[--json]\n"
    "  --clients N          that call at once (8)\n"
    "  --seconds S          of load (60)\n"
    "  --latency-seconds S  of single calls, one by one (10)\n"
    "  --urdf FILE          the robot (the built-in PUMA)\n"
    "  --json               one JSON object instead of a table\n";

struct Arguments {
  std::size_t clients = 8;
  double seconds = 60.0, latency_seconds = 10.0;
  std::string urdf;
  bool json = false, help = false;
  std::optional<std::string> empty_server;  ///< be this server: how it starts itself
};

double number(const std::string& option, const std::string& text, double least, double most) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least) ||
      !(value <= most)) {
    throw std::invalid_argument(
        fmt::format("{} '{}': it must be a number from {} to {}", option, text, least, most));
  }
  return value;
}

Arguments read_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& option = words[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == words.size()) throw std::invalid_argument(option + " needs a value");
      return words[++i];
    };
    if (option == "--clients") {
      arguments.clients = static_cast<std::size_t>(number(option, value(), 1, 256));
    } else if (option == "--seconds") {
      arguments.seconds = number(option, value(), 0.1, 1e6);
    } else if (option == "--latency-seconds") {
      arguments.latency_seconds = number(option, value(), 0.0, 1e6);
    } else if (option == "--urdf") {
      arguments.urdf = value();
    } else if (option == "--json") {
      arguments.json = true;
    } else if (option == "--help" || option == "-h") {
      arguments.help = true;
    } else if (option == "--empty-server") {
      arguments.empty_server = value();
    } else {
      throw std::invalid_argument("unknown argument '" + option + "'\n" + usage);
    }
  }
  return arguments;
}

std::string read_robot(const std::string& file) {
  if (file.empty()) return dynamics::to_urdf(dynamics::built_in_robot("puma"));
  std::ifstream stream(file);
  if (!stream) throw std::invalid_argument("cannot read " + file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

struct Report {
  std::string robot;
  std::size_t joints = 0, clients = 0;
  LoadResult load;
  MemoryGrowth memory;
  Latency single, long_one;
  bool good = false;
};

std::string row(const char* name, const std::vector<double>& times, double unit) {
  return fmt::format("  {:<44} {:>10.1f} {:>10.1f} {:>10}\n", name, percentile(times, 0.5) / unit,
                     percentile(times, 0.99) / unit, times.size());
}

void print_table(const Report& report) {
  const LoadResult& load = report.load;
  std::string text = fmt::format("robot {} ({} joints), {} clients for {:.1f} s\n\n", report.robot,
                                 report.joints, report.clients, load.seconds);
  for (const auto& [kind, count] : load.calls)
    text += fmt::format("  {:<44} {:>10}\n", kind, count);
  text += fmt::format("  {:<44} {:>10}  ({:.0f}/s, {:.0f} states/s)\n", "calls", load.total,
                      static_cast<double>(load.total) / load.seconds,
                      static_cast<double>(load.points) / load.seconds);
  text += fmt::format("  {:<44} {:>10}\n  {:<44} {:>10}\n  {:<44} {:>10}\n\n", "lost", load.lost,
                      "wrong", load.wrong, "refused as busy", load.busy);
  if (!load.first_problem.empty()) text += "  first: " + load.first_problem + "\n\n";
  if (load.ended) text += "  THE NODE HAS ENDED\n\n";
  text += fmt::format(
      "memory of the node (MB): start {:.1f}, middle {:.1f}, end {:.1f}, largest {:.1f}: {}\n\n",
      report.memory.start / 1e6, report.memory.middle / 1e6, report.memory.end / 1e6,
      report.memory.largest / 1e6,
      load.seconds < shortest_judged ? "too short a run to judge"
      : report.memory.flat()         ? "flat"
                                     : "GROWS");
  text += fmt::format("{:<46} {:>10} {:>10} {:>10}\n", "one state (us)", "p50", "p99", "calls");
  text += row("computed in process", report.single.in_process, 1.0);
  text += row("the dynamics node", report.single.node, 1.0);
  text += row("no work, a reply of the same size", report.single.same_size, 1.0);
  text += row("no work, an empty reply", report.single.empty, 1.0);
  text += row("the dynamics node under the load above", load.single, 1.0);
  text += fmt::format("\n{:<46} {:>10} {:>10} {:>10}\n",
                      fmt::format("{} points (ms)", long_trajectory), "p50", "p99", "calls");
  text += row("computed in process", report.long_one.in_process, 1e3);
  text += row("the dynamics node", report.long_one.node, 1e3);
  text += row("no work, a reply of the same size", report.long_one.same_size, 1e3);
  text += row("no work, an empty reply", report.long_one.empty, 1e3);
  text += row("columns, computed in process", report.long_one.columns_in_process, 1e3);
  text += row("columns, the dynamics node", report.long_one.columns_node, 1e3);
  text += row("columns, no work, same size", report.long_one.columns_same_size, 1e3);
  text += fmt::format(
      "  computing is {:.1f} per cent of the round trip\n",
      100.0 * percentile(report.long_one.in_process, 0.5) / percentile(report.long_one.node, 0.5));
  std::fputs(text.c_str(), stdout);
}

std::string json_of(const Latency& times) {
  std::string text = fmt::format("{{\"points\": {}, \"failed\": {}", times.points, times.failed);
  const auto entry = [&](const char* name, const std::vector<double>& values) {
    text += fmt::format(", \"{}\": {{\"p50_us\": {:.3f}, \"p99_us\": {:.3f}, \"calls\": {}}}", name,
                        percentile(values, 0.5), percentile(values, 0.99), values.size());
  };
  entry("in_process", times.in_process);
  entry("node", times.node);
  entry("same_size", times.same_size);
  entry("empty", times.empty);
  entry("columns_in_process", times.columns_in_process);
  entry("columns_node", times.columns_node);
  entry("columns_same_size", times.columns_same_size);
  return text + "}";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
  }
  return result + "\"";
}

void print_json(const Report& report) {
  const LoadResult& load = report.load;
  std::string calls;
  for (const auto& [kind, count] : load.calls) {
    calls += fmt::format("{}{}: {}", calls.empty() ? "" : ", ", quoted(kind), count);
  }
  std::string text = fmt::format(
      "{{\"robot\": {}, \"joints\": {}, \"clients\": {}, \"seconds\": {:.3f}, \"calls\": {{{}}}, "
      "\"total\": {}, \"points\": {}, \"lost\": {}, \"wrong\": {}, \"busy\": {}, "
      "\"first_problem\": {}, "
      "\"node_ended\": {}, ",
      quoted(report.robot), report.joints, report.clients, load.seconds, calls, load.total,
      load.points, load.lost, load.wrong, load.busy, quoted(load.first_problem), load.ended);
  text += fmt::format(
      "\"memory\": {{\"start\": {:.0f}, \"middle\": {:.0f}, \"end\": {:.0f}, \"largest\": {:.0f}, "
      "\"flat\": {}}}, ",
      report.memory.start, report.memory.middle, report.memory.end, report.memory.largest,
      report.memory.flat());
  text += fmt::format("\"one_state_under_load\": {{\"p50_us\": {:.3f}, \"p99_us\": {:.3f}}}, ",
                      percentile(load.single, 0.5), percentile(load.single, 0.99));
  text += fmt::format("\"one_state\": {}, \"long\": {}, \"good\": {}}}\n", json_of(report.single),
                      json_of(report.long_one), report.good);
  std::fputs(text.c_str(), stdout);
}

Report measure(const Arguments& arguments, const Process& node, const std::string& name_space) {
  const std::string urdf = read_robot(arguments.urdf);
  const dynamics::Model model = dynamics::model_from_urdf(urdf, {}, arguments.urdf);
  const auto own = std::make_shared<rclcpp::Node>("load_benchmark", name_space);
  const auto publisher = own->create_publisher<std_msgs::msg::String>(
      "robot_description", rclcpp::QoS(1).reliable().transient_local());
  std_msgs::msg::String description;
  description.data = urdf;
  publisher->publish(description);
  const std::string services = name_space + "/dynamics";
  {
    dynamics_ros::DynamicsClient client(*own, {services, std::chrono::seconds(30)});
    const auto found = client.wait_for_model();
    if (!found) throw std::runtime_error("the dynamics node does not start: " + found.message());
  }
  Report report;
  report.robot = model.name();
  report.joints = model.size();
  report.clients = arguments.clients;
  report.load = run_load(model, node, {arguments.clients, arguments.seconds, services, 20.0});
  report.memory = growth(report.load.memory);
  if (!report.load.ended) {
    report.single =
        measure_latency(model, urdf, services, name_space, 1, arguments.latency_seconds, 10);
    report.long_one = measure_latency(model, urdf, services, name_space, long_trajectory,
                                      0.5 * arguments.latency_seconds, 5);
  }
  report.good = report.load.total > 0 && report.load.lost == 0 && report.load.wrong == 0 &&
                !report.load.ended && report.single.failed == 0 && report.long_one.failed == 0 &&
                (report.memory.flat() || arguments.seconds < shortest_judged);
  return report;
}

}  // namespace

int main(int argc, char* argv[]) {
  int status = 2;
  try {
    const Arguments arguments = read_arguments({argv, argv + argc});
    if (arguments.help) {
      std::fputs(usage, stdout);
      return 0;
    }
    if (arguments.empty_server) {
      const std::array<const char*, 4> quiet = {argv[0], "--ros-args", "--log-level", "warn"};
      rclcpp::init(static_cast<int>(quiet.size()), quiet.data());
      status = run_empty_server(*arguments.empty_server);
      rclcpp::shutdown();
      return status;
    }
    read_robot(arguments.urdf);  // fails before anything is started
    const std::string name_space = fmt::format("/load_benchmark_{}", getpid());
    const Process node({own_folder() + "/dynamics_node", "--ros-args", "-r", "__ns:=" + name_space,
                        "--log-level", "warn"});
    const Process empty_server({own_folder() + "/load_benchmark", "--empty-server", name_space});
    rclcpp::init(argc, argv);
    const Report report = measure(arguments, node, name_space);
    arguments.json ? print_json(report) : print_table(report);
    status = report.good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "load_benchmark: %s\n", error.what());
  }
  rclcpp::shutdown();
  return status;
}
