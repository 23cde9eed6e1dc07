// SPDX-License-Identifier: Apache-2.0
// Reads trajectory_msgs/JointTrajectory in YAML, as written by `ros2 topic echo` and parameter
// files.

#include <fmt/format.h>

#include <optional>
#include <span>
#include <vector>

#include "dynamics_core/trajectory.hpp"
#include "readers/yaml_tree.hpp"

namespace dynamics {
namespace {

using yaml::Cursor;

/// Where the values of the coordinates are in the lists of a point.
struct JointIndices {
  std::vector<std::size_t> of_coordinates;
  std::size_t names = 0;  ///< number of joint_names
};

/// `coordinates`: those needed; empty: all.
JointIndices joint_indices(const Cursor& names, const Model& model,
                           std::span<const std::size_t> coordinates) {
  std::vector<std::size_t> indices(model.size());
  std::vector<bool> found(model.size(), false);
  const auto entries = names.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string name = entries[i].text();
    const auto coordinate = model.find_coordinate(name);
    if (!coordinate) {
      entries[i].fail(fmt::format("'{}' has no joint '{}'; it has {}", model.name(), name,
                                  fmt::join(model.coordinate_names(), ", ")));
    }
    if (found[*coordinate]) entries[i].fail(fmt::format("joint '{}' appears twice", name));
    found[*coordinate] = true;
    indices[*coordinate] = i;
  }
  JointIndices result{{}, entries.size()};
  const std::size_t needed = coordinates.empty() ? model.size() : coordinates.size();
  for (std::size_t k = 0; k < needed; ++k) {
    const std::size_t i = coordinates.empty() ? k : coordinates[k];
    if (!found[i]) {
      names.fail(
          fmt::format("joint '{}' of '{}' is missing", model.coordinates()[i].name, model.name()));
    }
    result.of_coordinates.push_back(indices[i]);
  }
  return result;
}

/// A time: one number in seconds, or a map of sec and nanosec.
double seconds(const Cursor& time) {
  if (!time.is_map()) return time.number();
  time.allow_keys({"sec", "nanosec"});
  const auto sec = time.find("sec"), nanosec = time.find("nanosec");
  constexpr double nano = 1e-9;
  if (!sec && !nanosec) time.fail("has neither sec nor nanosec");
  if (nanosec && nanosec->number() < 0.0) nanosec->fail("nanosec is negative: it is added to sec");
  return (sec ? sec->number() : 0.0) + nano * (nanosec ? nanosec->number() : 0.0);
}

class PointReader {
 public:
  explicit PointReader(JointIndices indices) : indices_(std::move(indices)) {}

  /// Appends the time of a point.
  static void read_time(const Cursor& point, Knots& knots) {
    point.allow_keys({"positions", "velocities", "accelerations", "effort", "time_from_start"});
    const Cursor time = point.at("time_from_start");
    const double t = seconds(time);
    if (t < 0.0) time.fail(fmt::format("time {} is negative", t));
    if (!knots.t.empty() && !(t > knots.t.back())) {
      time.fail(fmt::format("time {} is not after {}, the time of the previous point", t,
                            knots.t.back()));
    }
    knots.t.push_back(t);
  }

  void read(const Cursor& point, Knots& knots) const {
    const std::size_t before = knots.t.size();
    read_time(point, knots);
    take(point.at("positions"), knots.q);
    take_optional(point, "velocities", before, knots.qd);
    take_optional(point, "accelerations", before, knots.qdd);
  }

  void read_torques(const Cursor& point, Knots& knots) const {
    read_time(point, knots);
    take(point.at("effort"), knots.q);
  }

 private:
  void take(const Cursor& list, std::vector<std::vector<double>>& into) const {
    const auto given = list.numbers(indices_.names);
    auto& row = into.emplace_back();
    for (const std::size_t i : indices_.of_coordinates) row.push_back(given[i]);
  }
  /// Either all points have this list or none has; an empty list counts as none.
  void take_optional(const Cursor& point, const char* key, std::size_t before,
                     std::vector<std::vector<double>>& into) const {
    const auto list = point.find(key);
    const bool given = list && !list->entries().empty();
    if (given != (before > 0 ? !into.empty() : given)) {
      point.fail(fmt::format("{} must be given for all points or for none", key));
    }
    if (given) take(*list, into);
  }

  JointIndices indices_;
};

/// Calls read(reader, point) for each point of a JointTrajectory; returns the list of points.
template <class Read>
void read_points(std::string_view text, std::string_view file_name, const Model& model,
                 std::span<const std::size_t> coordinates, Read&& read) {
  const std::string file(file_name);
  // `ros2 topic echo` ends a message with ---
  const auto last = text.find_last_not_of(" \t\r\n");
  if (last != std::string_view::npos && text.substr(0, last + 1).ends_with("\n---")) {
    text = text.substr(0, last - 2);
  }
  const yaml::Node root = yaml::read(text, file);
  Cursor message(root, "", file);
  if (const auto inner = message.find("trajectory")) message = *inner;
  message.allow_keys({"header", "joint_names", "points"});
  const PointReader reader(joint_indices(message.at("joint_names"), model, coordinates));
  const Cursor points = message.at("points");
  if (points.size() == 0) points.fail("there are no points");
  read(reader, points);
}

}  // namespace

Knots read_trajectory_yaml(std::string_view text, std::string_view file_name, const Model& model,
                           std::span<const std::size_t> coordinates) {
  Knots knots;
  const auto read = [&](const PointReader& reader, const Cursor& points) {
    for (const Cursor& point : points.entries()) reader.read(point, knots);
    if (!knots.qd.empty() || knots.qdd.empty()) return;
    points.fail(
        "has accelerations without velocities: accelerations are used only together with "
        "velocities; add the velocities or remove the accelerations");
  };
  read_points(text, file_name, model, coordinates, read);
  return knots;
}

Knots read_torques_yaml(std::string_view text, std::string_view file_name, const Model& model) {
  Knots knots;
  read_points(text, file_name, model, {}, [&](const PointReader& reader, const Cursor& points) {
    for (const Cursor& point : points.entries()) reader.read_torques(point, knots);
  });
  return knots;
}

}  // namespace dynamics
