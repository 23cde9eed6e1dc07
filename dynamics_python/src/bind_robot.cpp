// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>

#include "bindings.hpp"
#include "convert.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/regressor.hpp"
#include "external.hpp"
#include "methods.hpp"
#include "robot.hpp"

namespace py = pybind11;

namespace dynamics::python {
namespace {

std::shared_ptr<Robot> make_robot(std::string text, bool is_table, std::string name, bool rigid,
                                  const py::object& gravity, const py::object& payload) {
  RobotSource source = {std::move(text), is_table, std::move(name), rigid};
  if (!gravity.is_none()) source.gravity = vector3(gravity, "gravity");
  source.payload = payload_of(payload);
  const py::gil_scoped_release release;
  return std::make_shared<Robot>(std::move(source));
}

/// The arguments of make_robot().
py::tuple source_tuple(const Robot& robot) {
  const RobotSource& source = robot.source();
  return py::make_tuple(source.text, source.is_table, source.name, source.rigid,
                        source.gravity ? array_of(*source.gravity) : py::none(),
                        tuple_of(source.payload));
}

template <class Member>
py::object limits(const Robot& robot, Member member) {
  std::vector<double> values;
  for (const Coordinate& coordinate : robot.model().coordinates())
    values.push_back(coordinate.*member);
  return array_of(values);
}

std::vector<std::string> joint_names(const Robot& robot, std::span<const std::size_t> indices) {
  std::vector<std::string> names;
  for (const std::size_t i : indices) names.push_back(robot.model().coordinates()[i].name);
  return names;
}

py::tuple solve_inverse_kinematics(const Robot& robot, const py::object& target,
                                   const py::object& frame, const py::object& q0, double tolerance,
                                   std::size_t starts, std::uint64_t seed) {
  if (robot.mechanism())
    throw ArgumentError("inverse kinematics is not available for robots with closed loops");
  const Model& model = robot.model();
  const std::size_t index = frame_of(frame.is_none() ? nullptr : frame.ptr(), model);
  InverseKinematicsOptions options;
  options.tolerance = tolerance;
  options.starts = starts;
  options.seed = seed;
  Pose pose;
  const Reference given = real_array(target.ptr(), "target");
  if (PyArray_NDIM(as_array(given.get())) == 1) {
    pose.translation = vector3(target, "target");
    options.orientation = false;
  } else {
    pose = pose_of(target, "target");
  }
  std::vector<double> start = q0.is_none() ? robot.start_position() : numbers(q0.ptr(), "q0");
  if (robot.flexible() && start.size() == robot.size()) start.resize(model.size());
  std::vector<double> q(model.size());
  InverseKinematicsResult result;
  {
    const py::gil_scoped_release release;
    const Robot::Lease scratch(robot);
    result = inverse_kinematics(model, scratch->workspace(), index, pose, start, q, options);
  }
  return py::make_tuple(array_of(q), result.reached, result.position_error,
                        result.orientation_error, array_of(result.pose));
}

py::tuple natural_modes_of(const Robot& robot, const py::object& q, bool clamped) {
  if (!robot.flexible()) throw ArgumentError("natural modes need flexible links");
  std::vector<double> state = numbers(q.ptr(), "q");
  if (state.size() == robot.joints()) state.resize(robot.size(), 0.0);
  const NaturalModes modes =
      natural_modes(*robot.flexible(), state, clamped ? Joints::clamped : Joints::free);
  return py::make_tuple(
      array_of(std::vector<double>(modes.frequencies.begin(), modes.frequencies.end())),
      array_of(RowMajor(modes.shapes)));
}

void bind_base_motion(py::module_& module) {
  py::class_<BaseMotion>(module, "BaseMotion",
                         "Prescribed motion of the base: pose (4 x 4), velocity and acceleration "
                         "(six numbers, angular first), in the world's axes.")
      .def(py::init([](const py::object& pose, const py::object& velocity,
                       const py::object& acceleration) {
             BaseMotion motion;
             if (!pose.is_none()) motion.pose = pose_of(pose, "pose");
             const auto twist = [](const py::object& object, const char* name) {
               Twist made;
               if (object.is_none()) return made;
               const auto six = numbers(object.ptr(), name, 6);
               made.angular = {six[0], six[1], six[2]};
               made.linear = {six[3], six[4], six[5]};
               return made;
             };
             motion.velocity = twist(velocity, "velocity");
             motion.acceleration = twist(acceleration, "acceleration");
             return motion;
           }),
           py::kw_only(), py::arg("pose") = py::none(), py::arg("velocity") = py::none(),
           py::arg("acceleration") = py::none())
      .def_property_readonly("pose",
                             [](const BaseMotion& motion) { return array_of(motion.pose); });
}

}  // namespace

void bind_robot(py::module_& module) {
  bind_base_motion(module);
  module.def("find_source", [](const std::string& argument) {
    const RobotSource source = find_source(argument);
    return py::make_tuple(source.text, source.is_table, source.name);
  });
  py::class_<Robot, std::shared_ptr<Robot>> robot(
      module, "Robot", "A robot: see dynamics.Robot, which derives from it.");
  robot
      .def(py::init(&make_robot), py::arg("text"), py::arg("is_table"), py::arg("name"),
           py::arg("rigid"), py::arg("gravity"), py::arg("payload"))
      .def_property_readonly("_source", &source_tuple)
      .def("_same", [](const Robot& a, const Robot& b) { return a.source() == b.source(); })
      .def_property_readonly("size", &Robot::size, "Number of entries of a state.")
      .def_property_readonly(
          "names", [](const Robot& r) { return py::tuple(py::cast(r.names())); },
          "Names of the entries of a state: joints, then the amplitudes of flexible links; with "
          "closed loops the independent joints.")
      .def_property_readonly(
          "joint_names",
          [](const Robot& r) { return py::tuple(py::cast(r.model().coordinate_names())); },
          "Names of all joints, in the order of the tree.")
      .def_property_readonly(
          "name", [](const Robot& r) { return r.model().name(); }, "Name of the robot.")
      .def_property_readonly(
          "frames",
          [](const Robot& r) {
            std::vector<std::string> names;
            for (const Frame& frame : r.model().frames()) names.push_back(frame.name);
            return py::tuple(py::cast(names));
          },
          "Names of all frames: one per link.")
      .def_property_readonly(
          "base_link", [](const Robot& r) { return r.model().base_link(); },
          "Name of the root link.")
      .def_property_readonly(
          "end_effector",
          [](const Robot& r) { return r.model().frames()[r.model().end_effector()].name; },
          "Name of the frame at the end of the longest chain of joints.")
      .def_property_readonly(
          "mass", [](const Robot& r) { return r.model().total_mass(); },
          "Mass of all links, with base and payload (kg).")
      .def_property_readonly(
          "gravitation", [](const Robot& r) { return array_of(r.model().gravity()); },
          "Gravity in the world (m/s^2), shape (3,).")
      .def_property_readonly(
          "payload", [](const Robot& r) { return tuple_of(r.model().payload()); },
          "The payload (frame, mass, center, inertia), or None.")
      .def_property_readonly(
          "lower", [](const Robot& r) { return limits(r, &Coordinate::lower); },
          "Lower position limits of all joints; -inf where there is none.")
      .def_property_readonly(
          "upper", [](const Robot& r) { return limits(r, &Coordinate::upper); },
          "Upper position limits of all joints; inf where there is none.")
      .def_property_readonly(
          "velocity_limits", [](const Robot& r) { return limits(r, &Coordinate::velocity); },
          "Velocity limits of all joints; inf where there is none.")
      .def_property_readonly(
          "effort_limits", [](const Robot& r) { return limits(r, &Coordinate::effort); },
          "Torque or force limits of all joints; inf where there is none.")
      .def_property_readonly(
          "parameters",
          [](const Robot& r) {
            const Eigen::VectorXd values = parameters(r.model());
            return array_of(std::vector<double>(values.begin(), values.end()));
          },
          "Inertial parameters, damping, friction and rotor inertias, in the order of "
          "parameter_names: tau = regressor(q, qd, qdd) @ parameters.")
      .def_property_readonly(
          "parameter_names",
          [](const Robot& r) { return py::tuple(py::cast(parameter_names(r.model()))); },
          "Names of the parameters.")
      .def_property_readonly(
          "q0", [](const Robot& r) { return array_of(r.start_position()); },
          "Start position of simulations: that of the table, else the nearest to zero within the "
          "limits.")
      .def_property_readonly(
          "qd0", [](const Robot& r) { return array_of(r.start_velocity()); },
          "Start velocity of simulations.")
      .def_property_readonly("warnings", &Robot::warnings, "Warnings about the description.")
      .def_property_readonly("urdf", &Robot::urdf,
                             "The URDF; empty for a table that no URDF can express.")
      .def_property_readonly(
          "is_flexible", [](const Robot& r) { return r.flexible().has_value(); },
          "Whether links are flexible.")
      .def_property_readonly(
          "has_loops", [](const Robot& r) { return r.mechanism().has_value(); },
          "Whether the robot has closed loops.")
      .def_property_readonly(
          "actuated",
          [](const Robot& r) {
            if (!r.mechanism()) return py::tuple(py::cast(r.model().coordinate_names()));
            return py::tuple(py::cast(joint_names(r, r.mechanism()->actuated())));
          },
          "Names of the joints with an actuator.")
      .def("_inverse_kinematics", &solve_inverse_kinematics, py::arg("target"), py::arg("frame"),
           py::arg("q0"), py::arg("tolerance"), py::arg("starts"), py::arg("seed"))
      .def("_natural_modes", &natural_modes_of, py::arg("q"), py::arg("clamped"));
  add_methods(robot);
}

}  // namespace dynamics::python
