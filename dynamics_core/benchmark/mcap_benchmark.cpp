// SPDX-License-Identifier: Apache-2.0
// Throughput and memory of MCAP files: joint states of a 7-joint arm are streamed to a file and
// read again, each in a process of its own. Prints uncompressed message bytes per second of
// processor time and the largest resident memory.
//
//   dynamics_mcap_benchmark FILE [MEGABYTES]      default: 2000

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "mcap/reader.hpp"
#include "mcap/ros_messages.hpp"
#include "mcap/ros_schemas.hpp"
#include "mcap/writer.hpp"

namespace dynamics {
namespace {

constexpr std::size_t joints = 7;

double processor_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void print_usage(const char* what, const std::string& compression, double bytes) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<6} {:<5} {:8.0f} MB/s of processor time, {:5.0f} MB resident\n", what,
             compression.empty() ? "plain" : compression, 1e-6 * bytes / processor_seconds(usage),
             1e-3 * static_cast<double>(usage.ru_maxrss));
}

void write_states(const std::string& path, mcap::Compression compression, double bytes) {
  mcap::Writer writer(path, {.profile = "ros2", .compression = compression});
  const auto schema =
      writer.add_schema(std::string(mcap::JointState::type), mcap::ros_schema_encoding,
                        mcap::ros_schema(mcap::JointState::type));
  const auto channel = writer.add_channel(schema, "/joint_states", mcap::ros_message_encoding);
  mcap::CdrWriter cdr;
  mcap::JointState state;
  state.names = {"joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6", "joint_7"};
  for (auto* values : {&state.position, &state.velocity, &state.effort}) values->resize(joints);
  double done = 0.0;
  for (std::int64_t k = 0; done < bytes; ++k) {
    state.stamp = k * 1'000'000;
    // a full-precision motion without the cost of seven sines per message
    const double phase = 1e-3 * static_cast<double>(k);
    const double sine = std::sin(phase), cosine = std::cos(phase);
    for (std::size_t i = 0; i < joints; ++i) {
      const auto scale = static_cast<double>(i + 1);
      state.position[i] = sine / scale;
      state.velocity[i] = cosine / scale;
      state.effort[i] = 10.0 * sine * scale + cosine;
    }
    mcap::serialize(cdr, state);
    writer.write(channel, static_cast<std::uint64_t>(state.stamp), cdr.data());
    done += static_cast<double>(cdr.data().size());
  }
  writer.close();
  print_usage("write", std::string(mcap::name(compression)), done);
}

/// Decodes every message.
struct StateReader final : mcap::Visitor {
  bool wants(const mcap::Channel&, const mcap::Schema*) override { return true; }
  void message(const mcap::ReadMessage& read) override {
    mcap::read(mcap::CdrReader(read.message.data, read.origin, read.offset), state);
    bytes += static_cast<double>(read.message.data.size());
    sum += state.effort[joints - 1];
  }
  mcap::JointState state;
  double bytes = 0.0, sum = 0.0;
};

void read_states(const std::string& path, mcap::Compression compression) {
  mcap::FileSource source(path);
  StateReader reader;
  mcap::read(source, path, reader);
  if (!std::isfinite(reader.sum)) throw std::runtime_error("the efforts are not finite");
  print_usage("read", std::string(mcap::name(compression)), reader.bytes);
}

/// Runs a function in a process of its own, so that it has its own times and memory.
template <class Function>
bool in_process(Function&& function) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 0;
    try {
      function();
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      code = 1;
    }
    std::fflush(stdout);
    _exit(code);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

}  // namespace
}  // namespace dynamics

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} FILE [MEGABYTES]\n", argv[0]);
    return 2;
  }
  const std::string path = argv[1];
  const double bytes = 1e6 * (argc > 2 ? std::atof(argv[2]) : 2000.0);
  using dynamics::mcap::Compression;
  bool passed = true;
  for (const Compression compression : {Compression::none, Compression::lz4, Compression::zstd}) {
    passed =
        passed && dynamics::in_process([&] { dynamics::write_states(path, compression, bytes); });
    passed = passed && dynamics::in_process([&] { dynamics::read_states(path, compression); });
    std::filesystem::remove(path);
  }
  return passed ? 0 : 1;
}
