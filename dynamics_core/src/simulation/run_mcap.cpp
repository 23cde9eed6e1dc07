// SPDX-License-Identifier: Apache-2.0
// write_mcap(): a run as ROS 2 messages.

#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/replaced_file.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/version.hpp"
#include "mcap/bag_metadata.hpp"
#include "mcap/ros_messages.hpp"
#include "mcap/ros_schemas.hpp"
#include "mcap/writer.hpp"
#include "simulation/run_json.hpp"
#include "simulation/run_transforms.hpp"

namespace dynamics {
namespace {

using mcap::TransformStamped;

std::int64_t nanoseconds(double seconds) {
  constexpr double largest = 2147483647.0;  // of the seconds of a ROS 2 time
  if (!(seconds >= 0.0 && seconds <= largest)) {
    throw ArgumentError(
        fmt::format("time {} s cannot be the time of a ROS 2 message: 0 to {} s are possible",
                    seconds, largest));
  }
  return std::llround(seconds * 1e9);
}

mcap::Compression compression_from_name(const std::string& name) {
  for (const auto known :
       {mcap::Compression::none, mcap::Compression::lz4, mcap::Compression::zstd}) {
    if (mcap::name(known) == name) return known;
  }
  throw ArgumentError(fmt::format("unknown compression '{}': zstd, lz4 or empty", name));
}

/// A name as one part of a topic: letters, digits and underscores.
std::string topic_part(const std::string& name) {
  std::string part = name;
  for (char& c : part) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!allowed) c = '_';
  }
  return part;
}

TransformStamped transform_of(const Pose& pose, std::string_view parent, std::string_view child,
                              std::int64_t stamp) {
  const Eigen::Quaterniond turn = Eigen::Quaterniond(pose.rotation).normalized();
  return {stamp,
          parent,
          child,
          {pose.translation.x(), pose.translation.y(), pose.translation.z()},
          {turn.x(), turn.y(), turn.z(), turn.w()}};
}

/// Writes the messages of a run.
class RunMessages {
 public:
  RunMessages(const Recording& run, mcap::Writer& writer)
      : run_(run), writer_(writer), transforms_(run), names_(run.model.coordinate_names()) {
    joint_state_.names.assign(names_.begin(), names_.end());
  }

  void write() {
    if (!run_.urdf.empty())
      description_ = channel("/robot_description", "std_msgs/msg/String", true);
    const std::uint16_t fixed = channel("/tf_static", "tf2_msgs/msg/TFMessage", true);
    moving_ = channel("/tf", "tf2_msgs/msg/TFMessage");
    joint_states_ = channel("/joint_states", mcap::JointState::type);
    clock_ = channel("/clock", "rosgraph_msgs/msg/Clock");
    if (recorded(run_.end_effector) && recorded(run_.end_effector_orientation))
      end_effector_ = channel("/end_effector", "geometry_msgs/msg/PoseStamped");
    if (recorded(run_.desired))
      reference_ = channel("/reference/joint_states", mcap::JointState::type);
    add_columns();
    events_ = channel("/events", "rcl_interfaces/msg/Log");
    const std::int64_t start = run_.size() == 0 ? 0 : nanoseconds(run_.t.front());
    if (description_ != 0) {
      mcap::serialize_text(cdr_, run_.urdf);
      send(description_, start);
    }
    if (run_.size() > 0) {
      transforms_.compute(0);
      send_transforms(fixed, false, start);
    }
    std::size_t event = 0;
    std::vector<RunEvent> events = run_.events;
    std::stable_sort(events.begin(), events.end(),
                     [](const RunEvent& a, const RunEvent& b) { return a.t < b.t; });
    const auto send_events = [&](double until) {
      for (; event < events.size() && events[event].t <= until; ++event) {
        const std::int64_t time = nanoseconds(std::max(0.0, events[event].t));
        mcap::serialize_log(cdr_, time, run_.model.name(), events[event].what);
        send(events_, time);
      }
    };
    for (std::size_t k = 0; k < run_.size(); ++k) {
      send_events(run_.t[k]);
      write_sample(k, nanoseconds(run_.t[k]));
    }
    send_events(std::numeric_limits<double>::infinity());
  }

 private:
  struct PlottedColumn {
    std::uint16_t channel;
    const Column* values;
  };

  bool recorded(const std::vector<Column>& columns) const {
    return !columns.empty() && columns[0].size() == run_.size();
  }

  std::uint16_t channel(const std::string& topic, std::string_view type, bool latched = false,
                        const std::string& column = "") {
    std::uint16_t& schema = schemas_[std::string(type)];
    if (schema == 0) {
      schema =
          writer_.add_schema(std::string(type), mcap::ros_schema_encoding, mcap::ros_schema(type));
    }
    std::map<std::string, std::string> metadata = {
        {"offered_qos_profiles", mcap::ros_qos_profile(latched)}};
    if (!column.empty()) metadata["column"] = column;
    return writer_.add_channel(schema, topic, mcap::ros_message_encoding, metadata);
  }

  void add_columns() {
    const auto add = [&](const std::string& name, const Column& values) {
      if (values.size() != run_.size()) return;
      columns_.push_back(
          {channel("/run/" + topic_part(name), "std_msgs/msg/Float64", false, name), &values});
    };
    const auto add_all = [&](const std::string& prefix, const std::vector<std::string>& names,
                             const std::vector<Column>& columns) {
      for (std::size_t i = 0; i < columns.size(); ++i) add(prefix + names[i], columns[i]);
    };
    add("kinetic", run_.kinetic);
    add("potential", run_.potential);
    add("strain", run_.strain);
    add_all("e_", run_.amplitude_names, run_.amplitudes);
    add_all("tip_", run_.tip_names, run_.tips);
    add_all("qdd_", names_, run_.qdd);
    add("work", run_.work);
    add("power", run_.power);
    add("power_balance", run_.power_balance);
    add("energy_drift", run_.energy_drift);
  }

  void send(std::uint16_t channel, std::int64_t time) {
    writer_.write(channel, static_cast<std::uint64_t>(time), cdr_.data());
  }

  void send_transforms(std::uint16_t channel, bool moving, std::int64_t time) {
    transform_messages_.clear();
    for (const RunTransforms::Edge& edge : transforms_.edges()) {
      if (edge.moving == moving)
        transform_messages_.push_back(transform_of(edge.pose, edge.parent, edge.child, time));
    }
    if (transform_messages_.empty()) return;
    mcap::serialize(cdr_, transform_messages_);
    send(channel, time);
  }

  void send_joint_state(std::uint16_t channel, std::size_t sample, std::int64_t time,
                        const std::vector<Column>& q, const std::vector<Column>& qd,
                        const std::vector<Column>& tau) {
    const auto take = [&](const std::vector<Column>& columns, std::vector<double>& values) {
      values.clear();
      for (const Column& column : columns) values.push_back(column[sample]);
    };
    joint_state_.stamp = time;
    take(q, joint_state_.position);
    take(qd, joint_state_.velocity);
    take(tau, joint_state_.effort);
    mcap::serialize(cdr_, joint_state_);
    send(channel, time);
  }

  void write_sample(std::size_t sample, std::int64_t time) {
    mcap::serialize_clock(cdr_, time);
    send(clock_, time);
    send_joint_state(joint_states_, sample, time, run_.q, run_.qd, run_.tau);
    if (reference_ != 0)
      send_joint_state(reference_, sample, time, run_.desired, run_.desired_rates, {});
    transforms_.compute(sample);
    send_transforms(moving_, true, time);
    if (end_effector_ != 0) {
      TransformStamped pose{time, transforms_.root(), {}, {}, {}};
      for (std::size_t i = 0; i < 3; ++i) pose.translation[i] = run_.end_effector[i][sample];
      for (std::size_t i = 0; i < 4; ++i)
        pose.quaternion[i] = run_.end_effector_orientation[i][sample];
      mcap::serialize_pose(cdr_, pose);
      send(end_effector_, time);
    }
    for (const PlottedColumn& column : columns_) {
      mcap::serialize_number(cdr_, (*column.values)[sample]);
      send(column.channel, time);
    }
  }

  const Recording& run_;
  mcap::Writer& writer_;
  RunTransforms transforms_;
  std::vector<std::string> names_;
  mcap::CdrWriter cdr_;
  mcap::JointState joint_state_;
  std::vector<TransformStamped> transform_messages_;
  std::map<std::string, std::uint16_t> schemas_;
  std::vector<PlottedColumn> columns_;
  std::uint16_t description_ = 0, joint_states_ = 0, moving_ = 0, clock_ = 0, end_effector_ = 0,
                reference_ = 0, events_ = 0;  ///< 0: not written
};

mcap::Metadata settings_metadata(const Recording& run) {
  mcap::Metadata metadata{"dynamics_run", {{"dynamics_core_version", DYNAMICS_CORE_VERSION}}};
  const nlohmann::json settings = settings_json(run);
  for (const auto& [key, value] : settings.items()) {
    metadata.entries[key] =
        value.is_string() ? value.get<std::string>()
                          : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  metadata.entries["completed"] = run.statistics.completed ? "true" : "false";
  if (!run.statistics.ending.empty()) metadata.entries["ending"] = run.statistics.ending;
  return metadata;
}

/// Writes the file and returns the text of its metadata.yaml.
std::string write_run(const std::string& path, const std::string& shown, const Recording& run,
                      const McapOptions& options) {
  mcap::Writer writer(path, {.name = shown,
                             .profile = "ros2",
                             .library = "dynamics_core " DYNAMICS_CORE_VERSION,
                             .compression = compression_from_name(options.compression)});
  writer.add_metadata(settings_metadata(run));
  RunMessages(run, writer).write();
  const std::uint64_t end =
      run.size() == 0 ? 0 : static_cast<std::uint64_t>(nanoseconds(run.t.back()));
  const auto attach = [&](const char* name, const char* media_type, const std::string& text) {
    if (!text.empty()) writer.attach({end, 0, name, media_type, text});
  };
  attach("robot.urdf", "application/xml", run.urdf);
  attach("run.json", "application/json", to_json(run) + "\n");
  writer.close();
  return mcap::bag_metadata(writer, std::filesystem::path(path).filename().string());
}

void write_folder(const std::string& path, const Recording& run, const McapOptions& options) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).parent_path();  // without the slash
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(parent, error))
    throw ArgumentError(path, "the folder " + parent.string() + " does not exist");
  if (fs::exists(folder, error))
    throw ArgumentError(path, "exists already: remove it or choose another name");
  const fs::path temporary = folder.string() + ".part" + std::to_string(::getpid());
  if (!fs::create_directory(temporary, error))
    throw StateError(path, "cannot be written: " + error.message());
  try {
    const std::string file = folder.filename().string() + "_0.mcap";
    write_file((temporary / "metadata.yaml").string(),
               write_run((temporary / file).string(), path + file, run, options));
    fs::rename(temporary, folder);
  } catch (const fs::filesystem_error& failure) {
    fs::remove_all(temporary, error);
    throw StateError(path, "cannot be written: " + failure.code().message());
  } catch (...) {
    fs::remove_all(temporary, error);
    throw;
  }
}

}  // namespace

void write_mcap(const std::string& path, const Recording& recording, const McapOptions& options) {
  if (path.ends_with('/')) {
    write_folder(path, recording, options);
    return;
  }
  ReplacedFile file(path);
  write_run(file.path(), path, recording, options);
  file.commit();
}

}  // namespace dynamics
