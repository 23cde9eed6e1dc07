// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>

#include "bindings.hpp"
#include "convert.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/trajectory_efforts.hpp"
#include "errors.hpp"
#include "robot.hpp"
#include "trajectory_object.hpp"

namespace py = pybind11;

namespace dynamics::python {

Knots knots_of(py::handle t, py::handle q, py::handle qd, py::handle qdd, std::size_t size) {
  Knots knots;
  knots.t = numbers(t.ptr(), "t");
  const auto rows = [&](py::handle object, const char* name) {
    auto made = rows_of(object, name);
    if (!object.is_none() && made.size() != knots.t.size()) {
      throw ArgumentError(name, fmt::format("has {} rows; one per entry of t is needed ({})",
                                            made.size(), knots.t.size()));
    }
    if (size != 0 && !made.empty() && made.front().size() != size) {
      throw ArgumentError(name,
                          fmt::format("has {} columns; {} are needed", made.front().size(), size));
    }
    return made;
  };
  knots.q = rows(q, "q");
  knots.qd = rows(qd, "qd");
  knots.qdd = rows(qdd, "qdd");
  return knots;
}

namespace {

/// q, qd, qdd at one time, or at N times, (N, n).
py::tuple evaluate(const TrajectoryObject& self, const py::object& t) {
  const Reference times = real_array(t.ptr(), "t");
  PyArrayObject* const array = as_array(times.get());
  const int dimensions = PyArray_NDIM(array);
  if (dimensions > 1) throw ArgumentError("t", "has more than one dimension");
  const auto count = static_cast<std::size_t>(PyArray_SIZE(array));
  const std::size_t n = self.trajectory->size();
  std::array<std::vector<double>, 3> values;
  for (auto& entries : values) entries.resize(count * n);
  const auto* data = static_cast<const double*>(PyArray_DATA(array));
  for (std::size_t k = 0; k < count; ++k) {
    if (!std::isfinite(data[k])) throw ArgumentError("t", fmt::format("entry {} is not finite", k));
    self.trajectory->at(data[k], std::span(values[0]).subspan(k * n, n),
                        std::span(values[1]).subspan(k * n, n),
                        std::span(values[2]).subspan(k * n, n));
  }
  py::tuple result(3);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto rows = static_cast<npy_intp>(count), cols = static_cast<npy_intp>(n);
    result[i] = steal(dimensions == 0 ? new_array(values[i].data(), {cols})
                                      : new_array(values[i].data(), {rows, cols}));
  }
  return result;
}

TrajectoryObject from_function(std::size_t size, const py::function& function, double duration) {
  auto call = [size, function = std::make_shared<py::function>(function)](
                  double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) {
    const py::gil_scoped_acquire acquire;
    const auto results = (*function)(t).cast<py::tuple>();
    if (results.size() != 3) throw ArgumentError("the trajectory must return q, qd and qdd");
    const std::array<std::span<double>, 3> out = {q, qd, qdd};
    constexpr std::array<const char*, 3> names = {"q of the trajectory", "qd of the trajectory",
                                                  "qdd of the trajectory"};
    for (std::size_t i = 0; i < 3; ++i) {
      const py::object entry = results[i];
      const auto values = numbers(entry.ptr(), names[i], size);
      std::copy(values.begin(), values.end(), out[i].begin());
    }
  };
  return {function_trajectory(size, std::move(call)), duration, "function"};
}

TrajectoryObject forced(const Robot& robot, const py::object& q0, const py::object& q1,
                        const py::object& period) {
  std::vector<double> start = q0.is_none() ? robot.start_position() : numbers(q0.ptr(), "q0");
  start.resize(robot.joints());
  std::optional<ForcedMotion> motion = robot.table() ? robot.table()->forced : std::nullopt;
  if (!q1.is_none()) {
    if (!motion || motion->kind != ForcedMotion::Kind::cycloid) motion = ForcedMotion{};
    motion->q1 = numbers(q1.ptr(), "q1", robot.joints());
  }
  if (!motion)
    throw ArgumentError("q1", "is needed: this robot defines no end position for the cycloid");
  if (!period.is_none()) {
    if (motion->kind != ForcedMotion::Kind::cycloid) {
      throw ArgumentError("period",
                          "has no effect: the forced motion of this robot has one period "
                          "per joint; give q1 too for a cycloid");
    }
    motion->period = number(period, "period");
  }
  return {forced_trajectory(*motion, start), motion->period, "cycloid"};
}

bool is_yaml(const std::string& path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

JointLog log_of(const Robot& robot, const std::string& path, const std::string& topic,
                bool efforts) {
  JointLogOptions options;
  options.topic = topic;
  if (efforts) options.required = JointLogOptions::Required::efforts;
  const py::gil_scoped_release release;
  return read_joint_log(path, robot.model(), options);
}

TrajectoryObject from_file(const Robot& robot, const std::string& path, const std::string& topic) {
  Knots knots;
  if (is_mcap_file(path)) {
    knots = log_of(robot, path, topic, false).motion();
  } else {
    const std::string text = read_file(path);
    knots = is_yaml(path) ? read_trajectory_yaml(text, path, robot.model())
                          : read_trajectory_csv(text, path, robot.model());
  }
  const double end = knots.t.back();
  return {knot_trajectory(std::move(knots)), end, path};
}

py::tuple torques_from_file(const Robot& robot, const std::string& path, const std::string& topic) {
  Knots knots;
  if (is_mcap_file(path)) {
    knots = log_of(robot, path, topic, true).torques();
  } else {
    const std::string text = read_file(path);
    knots = is_yaml(path) ? read_torques_yaml(text, path, robot.model())
                          : read_torques_csv(text, path, robot.model());
  }
  return py::make_tuple(array_of(knots.t), array_of(knots.q));
}

py::dict read_log(const Robot& robot, const std::string& path, const std::string& topic,
                  bool efforts) {
  const JointLog log = log_of(robot, path, topic, efforts);
  py::dict result;
  const auto rows = [](const std::vector<std::vector<double>>& values) {
    return values.empty() ? py::object(py::none()) : array_of(values);
  };
  result["topic"] = log.topic;
  result["type"] = log.type;
  result["start"] = log.start;
  result["t"] = array_of(log.t);
  result["q"] = rows(log.q);
  result["qd"] = rows(log.qd);
  result["qdd"] = rows(log.qdd);
  result["tau"] = rows(log.tau);
  result["notes"] = py::cast(log.notes);
  return result;
}

/// The entries of an (N, n) array, state after state.
std::vector<double> flat(const py::object& object, const char* name, std::size_t size) {
  std::vector<double> values;
  for (const auto& row : rows_of(object, name)) {
    if (row.size() != size)
      throw ArgumentError(name, fmt::format("has {} columns; {} are needed", row.size(), size));
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

void require_tree(const Robot& robot) {
  if (robot.mechanism())
    throw ArgumentError("this function is not available for robots with closed loops");
}

py::dict check_efforts(const Robot& robot, const py::object& tau) {
  require_tree(robot);
  const Model& model = robot.model();
  const EffortVerdict verdict = check_effort_limits(model, flat(tau, "tau", model.size()));
  std::vector<double> peaks, ratios;
  std::vector<std::size_t> points;
  for (const EffortPeak& peak : verdict.peaks) {
    peaks.push_back(peak.peak);
    ratios.push_back(peak.ratio);
    points.push_back(peak.point);
  }
  py::dict result;
  result["within_limits"] = verdict.within_limits();
  result["peaks"] = array_of(peaks);
  result["ratios"] = array_of(ratios);
  result["points"] = py::cast(points);
  result["violation"] = py::none();
  if (verdict.violation) {
    result["violation"] = py::make_tuple(verdict.violation->point,
                                         model.coordinates()[verdict.violation->coordinate].name);
  }
  return result;
}

py::tuple effort_parts_of(const Robot& robot, const py::object& q, const py::object& qd,
                          const py::object& qdd, bool friction) {
  require_tree(robot);
  const std::size_t n = robot.joints();
  const auto positions = flat(q, "q", n), rates = flat(qd, "qd", n), last = flat(qdd, "qdd", n);
  EffortParts parts;
  {
    const py::gil_scoped_release release;
    const Robot::Lease scratch(robot);
    parts = effort_parts(robot.model(), scratch->batch(1), positions, rates, last, friction);
  }
  const auto rows = [&](const std::vector<double>& values) {
    const auto count = n == 0 ? 0 : static_cast<npy_intp>(values.size() / n);
    return steal(new_array(values.data(), {count, static_cast<npy_intp>(n)}));
  };
  return py::make_tuple(rows(parts.gravity), rows(parts.velocity), rows(parts.inertia),
                        rows(parts.friction));
}

py::dict scaled(const Robot& robot, const py::object& t, const py::object& q, const py::object& qd,
                const py::object& qdd, const std::string& method, bool friction,
                double effort_share, double velocity_share, std::size_t interior_points) {
  require_tree(robot);
  const std::size_t n = robot.joints();
  TimedPath path;
  for (const double seconds : numbers(t.ptr(), "t"))
    path.times.push_back(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
  path.q = flat(q, "q", n);
  if (!qd.is_none()) path.qd = flat(qd, "qd", n);
  if (!qdd.is_none()) path.qdd = flat(qdd, "qdd", n);
  TimeScalingOptions options;
  if (method == "per_segment") {
    options.method = TimeScalingOptions::Method::per_segment;
  } else if (method != "uniform") {
    throw ArgumentError("method",
                        fmt::format("'{}' is unknown: it must be uniform or per_segment", method));
  }
  options.friction = friction;
  options.effort_share = effort_share;
  options.velocity_share = velocity_share;
  options.interior_points = interior_points;
  ScaledPath result;
  {
    const py::gil_scoped_release release;
    const Robot::Lease scratch(robot);
    result = scale_time(robot.model(), scratch->batch(1), path, options);
  }
  if (result.outcome != ScaledPath::Outcome::success) throw StateError(result.message);
  const auto points = static_cast<npy_intp>(result.path.points());
  const auto rows = [&](const std::vector<double>& values) {
    return values.empty() ? py::object(py::none())
                          : steal(new_array(values.data(), {points, static_cast<npy_intp>(n)}));
  };
  std::vector<double> seconds;
  for (const std::int64_t time : result.path.times) seconds.push_back(to_seconds(time));
  py::dict made;
  made["t"] = array_of(seconds);
  made["q"] = rows(result.path.q);
  made["qd"] = rows(result.path.qd);
  made["qdd"] = rows(result.path.qdd);
  made["factors"] = array_of(result.factors);
  made["largest_effort_ratio"] = result.largest_effort_ratio;
  made["largest_velocity_ratio"] = result.largest_velocity_ratio;
  made["path_deviation"] = result.path_deviation;
  return made;
}

BaseTrajectoryObject harmonics(const std::vector<std::tuple<std::string, double, double>>& list) {
  std::vector<BaseHarmonic> made;
  std::string text;
  for (const auto& [axis, amplitude, frequency] : list) {
    made.push_back({base_axis_from_name(axis), amplitude, frequency});
    text += fmt::format("{}{}:{}:{}", text.empty() ? "" : ",", axis, amplitude, frequency);
  }
  return {harmonic_base_trajectory(made), text};
}

}  // namespace

void bind_trajectory(py::module_& module) {
  py::class_<TrajectoryObject>(module, "Trajectory",
                               "A desired motion: q, qd and qdd as functions of time. Made by the "
                               "functions of dynamics and Robot.")
      .def("__call__", &evaluate, py::arg("t"),
           "q, qd and qdd at time t (s), each of shape (n,), or (N, n) for N times.")
      .def_property_readonly(
          "size", [](const TrajectoryObject& t) { return t.trajectory->size(); },
          "Number of coordinates.")
      .def_readonly("duration", &TrajectoryObject::duration, "Time of the last point (s).")
      .def("__repr__", [](const TrajectoryObject& t) {
        return fmt::format("<dynamics.Trajectory of {} coordinates, {:g} s>", t.trajectory->size(),
                           t.duration);
      });
  py::class_<BaseTrajectoryObject>(module, "BaseTrajectory",
                                   "A prescribed motion of the base over time.");
  module.def(
      "cycloid",
      [](const py::object& q0, const py::object& q1, double period) {
        return TrajectoryObject{
            cycloid_trajectory(numbers(q0.ptr(), "q0"), numbers(q1.ptr(), "q1"), period), period,
            "cycloid"};
      },
      py::arg("q0"), py::arg("q1"), py::arg("period"));
  module.def(
      "knots",
      [](const py::object& t, const py::object& q, const py::object& qd, const py::object& qdd) {
        Knots knots = knots_of(t, q, qd, qdd, 0);
        const double end = knots.t.empty() ? 0.0 : knots.t.back();
        return TrajectoryObject{knot_trajectory(std::move(knots)), end, "points"};
      },
      py::arg("t"), py::arg("q"), py::arg("qd"), py::arg("qdd"));
  module.def("function_trajectory", &from_function, py::arg("size"), py::arg("function"),
             py::arg("duration"));
  module.def("forced", &forced, py::arg("robot"), py::arg("q0"), py::arg("q1"), py::arg("period"));
  module.def("read_trajectory", &from_file, py::arg("robot"), py::arg("path"), py::arg("topic"));
  module.def("read_torques", &torques_from_file, py::arg("robot"), py::arg("path"),
             py::arg("topic"));
  module.def("read_log", &read_log, py::arg("robot"), py::arg("path"), py::arg("topic"),
             py::arg("efforts"));
  module.def("read_robot_description", &read_robot_description, py::arg("path"),
             "The URDF in an MCAP file; empty if there is none.");
  module.def("check_efforts", &check_efforts, py::arg("robot"), py::arg("tau"));
  module.def("effort_parts", &effort_parts_of, py::arg("robot"), py::arg("q"), py::arg("qd"),
             py::arg("qdd"), py::arg("friction"));
  module.def("scale_time", &scaled, py::arg("robot"), py::arg("t"), py::arg("q"), py::arg("qd"),
             py::arg("qdd"), py::arg("method"), py::arg("friction"), py::arg("effort_share"),
             py::arg("velocity_share"), py::arg("interior_points"));
  module.def("base_harmonics", &harmonics, py::arg("harmonics"));
  module.def(
      "base_coordinates",
      [](const TrajectoryObject& coordinates) {
        return BaseTrajectoryObject{coordinate_base_trajectory(coordinates.trajectory),
                                    "trajectory"};
      },
      py::arg("coordinates"));
  module.def(
      "read_base_trajectory",
      [](const std::string& path) {
        return BaseTrajectoryObject{read_base_trajectory_csv(read_file(path), path), path};
      },
      py::arg("path"));
}

}  // namespace dynamics::python
