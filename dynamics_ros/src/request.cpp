// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <dynamics_msgs/msg/link_wrench.hpp>
#include <span>

#include "closed_states.hpp"
#include "fault.hpp"

namespace dynamics_ros {
namespace {

using dynamics::Model;

std::string listed(const Model& model, std::span<const std::string> further) {
  std::string list;
  const auto add = [&](const std::string& name) {
    if (list.size() > 300) return false;
    list += (list.empty() ? "" : ", ") + name;
    return true;
  };
  for (const auto& coordinate : model.coordinates()) {
    if (!add(coordinate.name)) return list + ", ...";
  }
  for (const auto& name : further) {
    if (!add(name)) return list + ", ...";
  }
  return list;
}

/// Why a name is no coordinate.
std::string why_unknown(const Model& model, const std::string& name) {
  for (const auto& joint : model.description().joints) {
    if (joint.name != name) continue;
    if (joint.mimic) return fmt::format("joint '{}' mimics '{}'", name, joint.mimic->joint);
    if (joint.type == dynamics::JointType::fixed) return fmt::format("joint '{}' is fixed", name);
    return fmt::format("joint '{}' is {}, its coordinates have names of their own", name,
                       dynamics::to_string(joint.type));
  }
  return fmt::format("robot '{}' has no joint '{}'", model.name(), name);
}

std::string missing(const Model& model, const std::vector<bool>& seen) {
  std::string list;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) list += (list.empty() ? "'" : ", '") + model.coordinates()[i].name + "'";
  }
  return list;
}

}  // namespace

std::vector<bool> flags(const Model& model, const std::vector<std::size_t>& coordinates) {
  std::vector<bool> seen(model.size(), false);
  for (const std::size_t coordinate : coordinates) {
    if (coordinate < seen.size()) seen[coordinate] = true;
  }
  return seen;
}

std::string lacking(const Robot& robot, std::vector<bool> seen, const std::string& field) {
  if (robot.mechanism && !names_all_joints(*robot.mechanism, seen, field)) {
    const auto independent = robot.mechanism->independent();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!std::binary_search(independent.begin(), independent.end(), i)) seen[i] = true;
    }
  }
  return missing(robot.model, seen);
}

dynamics::Axes read_axes(std::uint8_t axes, const std::string& field) {
  using Message = dynamics_msgs::msg::LinkWrench;
  switch (axes) {
    case Message::WORLD: return dynamics::Axes::world;
    case Message::LOCAL: return dynamics::Axes::local;
    case Message::LOCAL_WORLD_ALIGNED: return dynamics::Axes::local_world_aligned;
    default: break;
  }
  throw Fault(
      ResultCode::INVALID_VALUE,
      fmt::format("{} is {}; it must be WORLD ({}), LOCAL ({}) or LOCAL_WORLD_ALIGNED ({})", field,
                  axes, Message::WORLD, Message::LOCAL, Message::LOCAL_WORLD_ALIGNED));
}

std::string Field::name() const {
  return index == no_index ? std::string(list) : fmt::format("{}[{}]{}", list, index, member);
}

std::vector<std::size_t> read_joints(const Model& model, const std::vector<std::string>& names,
                                     const std::string& field,
                                     std::span<const std::string> further) {
  if (names.empty()) throw Fault(ResultCode::EMPTY_REQUEST, field + " is empty");
  std::vector<std::size_t> coordinates;
  std::vector<std::size_t> place(model.size() + further.size(), names.size());
  const auto find = [&](const std::string& name) {
    auto found = model.find_coordinate(name);
    if (found) return found;
    const auto other = std::find(further.begin(), further.end(), name);
    if (other != further.end()) {
      found = model.size() + static_cast<std::size_t>(other - further.begin());
    }
    return found;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto coordinate = find(names[i]);
    if (!coordinate) {
      throw Fault(ResultCode::UNKNOWN_JOINT,
                  fmt::format("{}[{}]: {}; the joints are {}", field, i,
                              why_unknown(model, names[i]), listed(model, further)));
    }
    if (place[*coordinate] != names.size()) {
      throw Fault(ResultCode::DUPLICATE_JOINT, fmt::format("{}[{}]: joint '{}' is at {} already",
                                                           field, i, names[i], place[*coordinate]));
    }
    place[*coordinate] = i;
    coordinates.push_back(*coordinate);
  }
  return coordinates;
}

std::vector<std::size_t> read_all_joints(const Robot& robot, const std::vector<std::string>& names,
                                         const std::string& field,
                                         std::span<const std::string> further) {
  auto coordinates = read_joints(robot.model, names, field, further);
  const std::string list = lacking(robot, flags(robot.model, coordinates), field);
  if (!list.empty()) {
    throw Fault(ResultCode::MISSING_JOINT,
                fmt::format("{} lacks {}: all {}joints are needed", field, list,
                            robot.mechanism ? "independent " : ""));
  }
  return coordinates;
}

void read_values(const std::vector<double>& values, const std::vector<std::string>& names,
                 const std::vector<std::size_t>& coordinates, const Field& field, double* into) {
  if (values.size() != names.size()) {
    throw Fault(ResultCode::WRONG_SIZE, fmt::format("{} has {} entries for {} joints", field.name(),
                                                    values.size(), names.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw Fault(ResultCode::NOT_FINITE,
                  fmt::format("{}[{}] of joint '{}' is {}", field.name(), i, names[i], values[i]));
    }
    into[coordinates[i]] = values[i];
  }
}

void read_matrix(const std::vector<double>& values, const std::vector<std::string>& names,
                 const std::vector<std::size_t>& coordinates, const char* field, const Rows& rows,
                 std::size_t width, double* into) {
  const std::size_t columns = names.size();
  if (values.size() != rows.count * columns) {
    throw Fault(ResultCode::WRONG_SIZE,
                fmt::format("{} has {} entries, not {}: {} {}s of {} joints", field, values.size(),
                            rows.count * columns, rows.count, rows.name, columns));
  }
  for (std::size_t k = 0; k < rows.count; ++k) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double value = values[k * columns + i];
      if (!std::isfinite(value)) {
        throw Fault(ResultCode::NOT_FINITE,
                    fmt::format("{}[{}], {} {}, of joint '{}' is {}", field, k * columns + i,
                                rows.name, k, names[i], value));
      }
      into[k * width + coordinates[i]] = value;
    }
  }
}

std::size_t count_rows(const std::vector<double>& values, const std::vector<std::string>& names,
                       const char* field, const char* row, std::size_t largest) {
  if (values.empty()) throw Fault(ResultCode::EMPTY_REQUEST, std::string(field) + " is empty");
  const std::size_t columns = names.size(), count = values.size() / columns;
  if (values.size() % columns != 0) {
    throw Fault(ResultCode::WRONG_SIZE,
                fmt::format("{} has {} entries: must be {} for each {}, one per joint", field,
                            values.size(), columns, row));
  }
  if (count > largest) {
    throw Fault(ResultCode::TOO_LARGE, fmt::format("{} has {} {}s; at most {} are taken at once",
                                                   field, count, row, largest));
  }
  return count;
}

void check_count(std::size_t count, std::size_t largest, const std::string& field) {
  if (count == 0) throw Fault(ResultCode::EMPTY_REQUEST, field + " is empty");
  if (count > largest) {
    throw Fault(
        ResultCode::TOO_LARGE,
        fmt::format("{} has {} entries; at most {} are taken at once", field, count, largest));
  }
}

}  // namespace dynamics_ros
