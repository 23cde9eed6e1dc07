// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/system_sensors.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <stdexcept>
#include <tuple>

#include "dynamics_sim/system_parameters.hpp"

namespace dynamics_sim {
namespace {

using SensorKind = SystemSensor::Kind;

const std::array<std::string, 6> force_torque_names = {"force.x",  "force.y",  "force.z",
                                                       "torque.x", "torque.y", "torque.z"};
const std::array<std::string, 10> imu_names = {
    "angular_velocity.x",    "angular_velocity.y",    "angular_velocity.z", "linear_acceleration.x",
    "linear_acceleration.y", "linear_acceleration.z", "orientation.x",      "orientation.y",
    "orientation.z",         "orientation.w"};

std::span<const std::string> names_of(SensorKind kind) {
  switch (kind) {
    case SensorKind::force_torque: return force_torque_names;
    case SensorKind::imu: return imu_names;
    case SensorKind::constant: break;
  }
  return {};
}

bool has(std::span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const dynamics::JointDescription* find_joint(const dynamics::Model& model, const std::string& name,
                                             bool by_child) {
  for (const auto& joint : model.description().joints) {
    if ((by_child ? joint.child : joint.name) == name) return &joint;
  }
  return nullptr;
}

/// Reads one sensor; its messages name it.
class Reader {
 public:
  Reader(const hardware_interface::ComponentInfo& info, const dynamics::Model& model)
      : info_(info), model_(model), kind_(kind()) {}

  SystemSensor read(dynamics::RealTimeOptions& options) const {
    SystemSensor sensor;
    sensor.name = info_.name;
    sensor.kind = kind_;
    if (kind_ == SensorKind::constant) return sensor;
    for (const auto& interface : info_.state_interfaces) {
      if (!interface.data_type.empty() && interface.data_type != "double")
        fail("interface '" + interface.name + "' is of type '" + interface.data_type +
             "': must be double");
    }
    std::vector<std::size_t> groups = {3, 3};
    if (kind_ == SensorKind::imu) {
      sensor.index = options.imus.size();
      options.imus.push_back({link()});
    } else {
      sensor.index = options.force_torque.size();
      options.force_torque.push_back(force_torque());
      const std::string direction = parameter("measure_direction").value_or("parent_to_child");
      sensor.child_on_parent = direction == "child_to_parent";
      if (!sensor.child_on_parent && direction != "parent_to_child")
        fail("measure_direction is '" + direction +
             "': must be parent_to_child or child_to_parent");
    }
    sensor.errors = read_errors(info_.parameters, "", groups, "sensor '" + info_.name + "'");
    for (auto* values : {&sensor.errors.noise, &sensor.errors.bias}) {
      if (!values->empty()) values->resize(channels(kind_), 0.0);  // orientation: none
    }
    return sensor;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw std::invalid_argument("sensor '" + info_.name + "': " + message);
  }

  std::optional<std::string> parameter(const std::string& name) const {
    const auto given = info_.parameters.find(name);
    if (given == info_.parameters.end()) return std::nullopt;
    return given->second;
  }

  SensorKind kind() const {
    for (const SensorKind kind : {SensorKind::force_torque, SensorKind::imu}) {
      const auto own = names_of(kind);
      const auto is_own = [&](const auto& interface) { return has(own, interface.name); };
      const auto& all = info_.state_interfaces;
      if (std::none_of(all.begin(), all.end(), is_own)) continue;
      const auto other = std::find_if_not(all.begin(), all.end(), is_own);
      if (other == all.end()) return kind;
      std::string names;
      for (const auto& name : own) names += (names.empty() ? "" : ", ") + name;
      fail("has an interface '" + other->name + "' beside those of one kind of sensor: " + names);
    }
    return SensorKind::constant;
  }

  /// The link of the parameter `frame`, or of the sensor's name.
  std::string link() const {
    std::string name = parameter("frame").value_or(info_.name);
    if (!model_.find_frame(name)) {
      fail("is at link '" + name + "', which does not exist: give the link as parameter 'frame'");
    }
    return name;
  }

  /// At the parameter `joint`, or in front of the link of the parameter `frame`, or at the joint or
  /// link of the sensor's name.
  dynamics::ForceTorqueSensor force_torque() const {
    const auto joint = parameter("joint"), frame = parameter("frame");
    if (frame && !model_.find_frame(*frame)) fail("frame '" + *frame + "' is not a link");
    if (joint) {
      if (find_joint(model_, *joint, false) == nullptr)
        fail("is at joint '" + *joint + "', which does not exist");
      return {*joint, frame.value_or("")};
    }
    const std::string place = frame.value_or(info_.name);
    if (!frame && find_joint(model_, place, false) != nullptr) return {place, ""};
    if (const auto* before = find_joint(model_, place, true)) return {before->name, ""};
    fail("'" + place +
         "' is neither a joint nor a link behind one: give the parameter 'joint', or " +
         "'frame' for the joint in front of a link");
  }

  const hardware_interface::ComponentInfo& info_;
  const dynamics::Model& model_;
  SensorKind kind_;
};

/// Different random numbers for each sensor (FNV-1a).
std::uint64_t stream_of(const std::string& name) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char letter : name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
  return hash;
}

}  // namespace

std::size_t channels(SystemSensor::Kind kind) { return names_of(kind).size(); }

const std::string& channel_name(SystemSensor::Kind kind, std::size_t channel) {
  return names_of(kind)[channel];
}

dynamics::SensorErrors read_errors(const std::unordered_map<std::string, std::string>& parameters,
                                   const std::string& prefix,
                                   const std::vector<std::size_t>& groups,
                                   const std::string& name) {
  dynamics::SensorErrors errors;
  const auto text = [&](const std::string& key) -> const std::string* {
    const auto given = parameters.find(prefix + key);
    return given == parameters.end() ? nullptr : &given->second;
  };
  const auto what = [&](const std::string& key) {
    return "parameter '" + prefix + key + "' of " + name;
  };
  for (const auto& [key, value] :
       {std::pair{"rate", &errors.rate}, {"delay", &errors.delay}, {"dropout", &errors.dropout}}) {
    if (const std::string* given = text(key)) *value = number_from(*given, what(key));
  }
  std::size_t count = 0;
  for (const std::size_t group : groups) count += group;
  for (const auto& [key, values] : {std::pair{"noise", &errors.noise}, {"bias", &errors.bias}}) {
    const std::string* given = text(key);
    if (given == nullptr) continue;
    const std::vector<double> read = numbers_from(*given, what(key));
    if (read.size() == count) {
      *values = read;
    } else if (read.size() == 1) {
      values->assign(count, read[0]);
    } else if (read.size() == groups.size()) {
      for (std::size_t g = 0; g < groups.size(); ++g)
        values->insert(values->end(), groups[g], read[g]);
    } else {
      throw std::invalid_argument(what(key) + " has " + std::to_string(read.size()) +
                                  " numbers: must be 1, " + std::to_string(groups.size()) + " or " +
                                  std::to_string(count));
    }
  }
  std::uint64_t seed = 0;
  if (const std::string* given = text("seed")) {
    const char* end = given->data() + given->size();
    const auto [last, error] = std::from_chars(given->data(), end, seed);
    if (error != std::errc() || last != end)
      throw std::invalid_argument(what("seed") + " is '" + *given + "': must be an integer from 0");
  }
  errors.seed = seed ^ stream_of(name);
  try {
    const dynamics::SensorErrorModel checked(errors, count, 1'000'000'000);
  } catch (const dynamics::ArgumentError& error) {
    throw std::invalid_argument(name + ": " + error.what());
  }
  return errors;
}

std::vector<SystemSensor> read_sensors(const hardware_interface::HardwareInfo& info,
                                       const dynamics::Model& model,
                                       dynamics::RealTimeOptions& options) {
  std::vector<SystemSensor> sensors;
  for (const auto& one : info.sensors) sensors.push_back(Reader(one, model).read(options));
  return sensors;
}

SensorOutput::SensorOutput(const SystemSensor& sensor, const std::vector<Handle>& handles,
                           std::int64_t period)
    : sensor_(sensor), errors_(sensor.errors, channels(sensor.kind), period) {
  for (std::size_t i = 0; i < channels(sensor.kind); ++i) {
    for (const Handle& handle : handles) {
      if (handle->get_prefix_name() == sensor.name &&
          handle->get_interface_name() == channel_name(sensor.kind, i))
        handles_[i] = handle;
    }
  }
}

void SensorOutput::write(const dynamics::RealTimeSimulation& robot, std::int64_t time) noexcept {
  std::array<double, 10> values = {};
  if (sensor_.kind == SensorKind::force_torque) {
    const dynamics::Wrench& wrench = robot.force_torque(sensor_.index);
    const double sign = sensor_.child_on_parent ? -1.0 : 1.0;
    Eigen::Map<Eigen::Vector3d>(values.data()) = sign * wrench.force;
    Eigen::Map<Eigen::Vector3d>(values.data() + 3) = sign * wrench.moment;
  } else {
    const dynamics::ImuReading& imu = robot.imu(sensor_.index);
    Eigen::Map<Eigen::Vector3d>(values.data()) = imu.angular_velocity;
    Eigen::Map<Eigen::Vector3d>(values.data() + 3) = imu.linear_acceleration;
    Eigen::Quaterniond orientation(imu.orientation);
    if (orientation.w() < 0.0) orientation.coeffs() *= -1.0;
    Eigen::Map<Eigen::Vector4d>(values.data() + 6) = orientation.coeffs();
  }
  const std::size_t count = channels(sensor_.kind);
  errors_.read(time, {values.data(), count});
  for (std::size_t i = 0; i < count; ++i) {
    if (handles_[i]) std::ignore = handles_[i]->set_value(values[i]);
  }
}

}  // namespace dynamics_sim
