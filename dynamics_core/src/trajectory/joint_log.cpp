// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dynamics_core/error.hpp"
#include "dynamics_core/trajectory.hpp"
#include "mcap/reader.hpp"
#include "mcap/ros_messages.hpp"
#include "mcap/ros_schemas.hpp"
#include "trajectory/joint_series.hpp"

namespace dynamics {
namespace {

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t largest_log = 50'000'000;  // samples of one joint

double entry(const std::vector<double>& values, std::size_t i) {
  return values.empty() ? not_given : values[i];
}

/// Collects the samples of all topics with joint states or trajectories.
class JointLogVisitor final : public mcap::Visitor {
 public:
  struct Topic {
    std::string type;
    JointSeries series;
    std::size_t messages = 0;
  };

  explicit JointLogVisitor(std::string topic) : topic_(std::move(topic)) {}

  bool wants(const mcap::Channel& channel, const mcap::Schema* schema) override {
    const std::string type = schema == nullptr ? "" : schema->name;
    all_topics_.emplace(channel.topic, type);
    if (channel.message_encoding != mcap::ros_message_encoding) return false;
    if (type != mcap::JointState::type && type != mcap::JointTrajectory::type) return false;
    if (!topic_.empty() && channel.topic != topic_) return false;
    Topic& topic = topics_[channel.topic];
    if (!topic.type.empty() && topic.type != type) return false;
    topic.type = type;
    return true;
  }

  void message(const mcap::ReadMessage& read) override {
    Topic& topic = topics_[read.channel.topic];
    ++topic.messages;
    const mcap::CdrReader cdr(read.message.data, read.origin, read.offset);
    // a later time cannot come from ROS 2; the bound keeps sums of times in range
    constexpr std::uint64_t latest = 4'000'000'000'000'000'000;
    const auto log_time = static_cast<std::int64_t>(std::min(read.message.log_time, latest));
    if (topic.type == mcap::JointState::type) {
      add_state(cdr, log_time, topic);
    } else {
      add_trajectory(cdr, log_time, topic);
    }
    if (samples_ > largest_log) {
      read.origin.fail(read.offset, fmt::format("the log has more than {} samples of a joint; give "
                                                "a topic or a shorter log",
                                                largest_log));
    }
  }

  /// The chosen topic. Throws ParseError.
  std::pair<const std::string, Topic>& choose(const std::string& file) {
    if (!topic_.empty()) {
      const auto found = topics_.find(topic_);
      if (found != topics_.end()) return *found;
      const auto other = all_topics_.find(topic_);
      throw ParseError(
          file,
          other == all_topics_.end()
              ? fmt::format("there is no topic '{}'; {}", topic_, topic_list())
              : fmt::format("topic '{}' has the type '{}'; {} and {} in CDR can be read", topic_,
                            other->second, mcap::JointState::type, mcap::JointTrajectory::type));
    }
    const auto usual = topics_.find("/joint_states");
    if (usual != topics_.end() && usual->second.type == mcap::JointState::type) return *usual;
    for (const std::string_view type : {mcap::JointState::type, mcap::JointTrajectory::type}) {
      std::vector<std::string> names;
      for (const auto& [name, topic] : topics_) {
        if (topic.type == type && topic.messages > 0) names.push_back(name);
      }
      if (names.size() == 1) return *topics_.find(names[0]);
      if (names.size() > 1) {
        throw ParseError(file, fmt::format("several topics have the type {}: {}; choose one", type,
                                           fmt::join(names, ", ")));
      }
    }
    throw ParseError(
        file, fmt::format("no topic has messages of type {} or {}; {}", mcap::JointState::type,
                          mcap::JointTrajectory::type, topic_list()));
  }

 private:
  std::string topic_list() const {
    constexpr std::size_t shown = 20;
    if (all_topics_.empty()) return "the file has no topics";
    std::string list = "the file has";
    std::size_t count = 0;
    for (const auto& [name, type] : all_topics_) {
      if (++count > shown) return list + " and others";
      list += fmt::format("{} {} ({})", count > 1 ? "," : "", name, type);
    }
    return list;
  }

  static JointSeries::mapped_type& samples_of(Topic& topic, std::string_view name) {
    const auto found = topic.series.find(name);
    return found == topic.series.end() ? topic.series[std::string(name)] : found->second;
  }

  void add_state(const mcap::CdrReader& cdr, std::int64_t log_time, Topic& topic) {
    mcap::read(cdr, state_);
    for (std::size_t i = 0; i < state_.names.size(); ++i) {
      samples_of(topic, state_.names[i])
          .push_back({state_.stamp, log_time, entry(state_.position, i), entry(state_.velocity, i),
                      not_given, entry(state_.effort, i)});
      ++samples_;
    }
  }

  void add_trajectory(const mcap::CdrReader& cdr, std::int64_t log_time, Topic& topic) {
    mcap::read(cdr, trajectory_);
    // a stamp of 0 means: now
    const std::int64_t start = trajectory_.stamp != 0 ? trajectory_.stamp : log_time;
    for (std::size_t i = 0; i < trajectory_.names.size(); ++i) {
      auto& samples = samples_of(topic, trajectory_.names[i]);
      if (!trajectory_.points.empty()) {
        std::erase_if(samples, [&](const JointSample& each) { return each.log_time >= start; });
      }
      for (const mcap::JointTrajectory::Point& point : trajectory_.points) {
        const std::int64_t time = start + point.time_from_start;
        samples.push_back({time, time, entry(point.positions, i), entry(point.velocities, i),
                           entry(point.accelerations, i), entry(point.effort, i)});
        ++samples_;
      }
    }
  }

  std::string topic_;
  std::map<std::string, std::string> all_topics_;  ///< type by name
  std::map<std::string, Topic> topics_;
  mcap::JointState state_;
  mcap::JointTrajectory trajectory_;
  std::size_t samples_ = 0;
};

JointLog read_log(mcap::Source& source, const std::string& file, const Model& model,
                  const JointLogOptions& options) {
  JointLogVisitor visitor(options.topic);
  const mcap::ReadReport report = mcap::read(source, file, visitor);
  JointLog log;
  if (!report.complete) {
    log.notes.push_back(
        fmt::format("{}; the {} messages before are used", report.problem, report.messages));
  }
  auto& [name, topic] = [&]() -> std::pair<const std::string, JointLogVisitor::Topic>& {
    try {
      return visitor.choose(file);
    } catch (const ParseError& error) {
      if (report.complete) throw;
      throw ParseError(fmt::format("{} ({})", error.what(), report.problem));
    }
  }();
  log.topic = name;
  log.type = topic.type;
  combine(std::move(topic.series), model, options.required, fmt::format("{}: {}", file, name), log);
  return log;
}

/// Finds the URDF.
class DescriptionVisitor final : public mcap::Visitor {
 public:
  bool wants(const mcap::Channel& channel, const mcap::Schema* schema) override {
    return channel.topic.ends_with("/robot_description") && schema != nullptr &&
           schema->name == "std_msgs/msg/String" &&
           channel.message_encoding == mcap::ros_message_encoding;
  }
  void message(const mcap::ReadMessage& read) override {
    urdf = mcap::CdrReader(read.message.data, read.origin, read.offset).text();
  }
  void attachment(const mcap::Attachment& attachment) override {
    if (attachment.name == "robot.urdf") urdf = attachment.data;
  }
  bool wants_attachments() const override { return true; }
  bool done() const override { return !urdf.empty(); }

  std::string urdf;
};

}  // namespace

Knots JointLog::motion() const {
  if (q.empty()) throw ArgumentError("the log has no positions of all joints");
  return {t, q, qd, qdd};
}

Knots JointLog::torques() const {
  if (tau.empty()) throw ArgumentError("the log has no efforts of all joints");
  return {t, tau, {}, {}};
}

JointLog read_joint_log(const std::string& path, const Model& model,
                        const JointLogOptions& options) {
  mcap::FileSource source(path);
  return read_log(source, path, model, options);
}

JointLog parse_joint_log(std::string_view data, const std::string& file_name, const Model& model,
                         const JointLogOptions& options) {
  mcap::MemorySource source(data);
  return read_log(source, file_name, model, options);
}

std::string read_robot_description(const std::string& path) {
  mcap::FileSource source(path);
  DescriptionVisitor visitor;
  mcap::read(source, path, visitor);
  return visitor.urdf;
}

bool is_mcap_file(const std::string& path) {
  try {
    mcap::FileSource source(path);
    return source.size() >= mcap::magic.size() && source.view(0, mcap::magic.size()) == mcap::magic;
  } catch (const ParseError&) {
    return false;
  }
}

}  // namespace dynamics
