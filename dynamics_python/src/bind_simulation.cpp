// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "bindings.hpp"
#include "convert.hpp"
#include "dynamics_core/controllers.hpp"
#include "dynamics_core/formulations.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/trajectory.hpp"
#include "errors.hpp"
#include "robot.hpp"
#include "trajectory_object.hpp"

namespace py = pybind11;

namespace dynamics::python {
namespace {

/// The options of a simulation, by name.
class Options {
 public:
  explicit Options(py::dict values) : values_(std::move(values)) {}
  py::object operator[](const char* name) const {
    return values_.contains(name) ? py::object(values_[name]) : py::object(py::none());
  }
  bool has(const char* name) const { return !(*this)[name].is_none(); }
  double real(const char* name, double otherwise) const {
    return has(name) ? number((*this)[name], name) : otherwise;
  }
  std::vector<double> list(const char* name) const { return list_or_number((*this)[name], name); }
  std::string text(const char* name) const {
    return has(name) ? (*this)[name].cast<std::string>() : std::string();
  }
  bool flag(const char* name, bool otherwise) const {
    return has(name) ? (*this)[name].cast<bool>() : otherwise;
  }

 private:
  py::dict values_;
};

py::object copy_of(std::span<const double> values) {
  return steal(new_array(values.data(), {static_cast<npy_intp>(values.size())}));
}

/// For functions of the library that copy it without the GIL.
std::shared_ptr<const py::object> shared(const py::object& object) {
  return std::make_shared<const py::object>(object);
}

/// A controller from a Python function f(t, q, qd) -> tau.
std::unique_ptr<Controller> python_controller(const py::object& function) {
  std::string name = "user";
  if (py::hasattr(function, "__name__")) name = py::str(function.attr("__name__"));
  return function_controller(
      [call = shared(function)](const ControlInput& now, std::span<double> tau) {
        const py::gil_scoped_acquire acquire;
        const py::object result = (*call)(now.t, copy_of(now.q), copy_of(now.qd));
        const auto torques = numbers(result.ptr(), "the controller's torques", tau.size());
        for (std::size_t i = 0; i < tau.size(); ++i) {
          if (!std::isfinite(torques[i])) {
            throw ArgumentError(
                fmt::format("the controller's torque of joint '{}' is {} at t = {:g} s",
                            now.plant.model().coordinates()[i].name, torques[i], now.t));
          }
          tau[i] = torques[i];
        }
      },
      name);
}

std::unique_ptr<Controller> controller_of(const Robot& robot, const Options& given) {
  const py::object controller = given["controller"];
  if (controller.is_none()) return nullptr;
  if (PyCallable_Check(controller.ptr()) != 0) return python_controller(controller);
  ControllerOptions options;
  options.gains = {given.list("kp"), given.list("kd"), given.list("bandwidth"),
                   given.list("damping")};
  options.frame = given.text("frame");
  options.stiffness = given.list("stiffness");
  if (given.has("torques")) {
    const auto torques = given["torques"].cast<py::tuple>();
    options.torques = knots_of(torques[0], torques[1], py::none(), py::none(), robot.joints());
  }
  if (given.has("interpolation"))
    options.interpolation = interpolation_from_name(given.text("interpolation"));
  return make_controller(controller.cast<std::string>(), options);
}

void add_inputs(const Options& given, SimulationOptions& options) {
  if (given.has("pushes")) {
    for (const py::handle entry : given["pushes"]) {
      const auto push_tuple = entry.cast<py::tuple>();
      options.wrenches.push_back(push(push_tuple[0].cast<std::string>(),
                                      vector3(push_tuple[1], "push"), number(push_tuple[2], "push"),
                                      number(push_tuple[3], "push")));
    }
  }
  if (given.has("payload_changes")) {
    for (const py::handle entry : given["payload_changes"]) {
      const auto change = entry.cast<py::tuple>();
      options.payload_changes.push_back(
          {number(change[0], "payload_changes"), payload_of(change[1])});
    }
  }
  if (given.has("locks")) {
    for (const py::handle entry : given["locks"]) {
      const auto lock = entry.cast<py::tuple>();
      options.locks.push_back(
          {lock[0].cast<std::string>(), number(lock[1], "locks"), number(lock[2], "locks")});
    }
  }
  if (!given.has("events")) return;
  for (const py::handle entry : given["events"]) {
    const auto event = entry.cast<py::tuple>();
    SimulationEvent made;
    made.name = event[0].cast<std::string>();
    made.stop = event[2].cast<bool>();
    made.function = [call = shared(event[1])](double t, ConstVector q, ConstVector qd) {
      const py::gil_scoped_acquire acquire;
      return number((*call)(t, copy_of({q.data(), q.size()}), copy_of({qd.data(), qd.size()})),
                    "the event's value");
    };
    options.events.push_back(std::move(made));
  }
}

SimulationOptions options_of(const Robot& robot, const Options& given) {
  SimulationOptions options;
  if (given.has("scenario")) options.scenario = scenario_from_name(given.text("scenario"));
  options.duration = given.real("duration", options.duration);
  if (given.has("integrator")) options.integrator = given.text("integrator");
  options.rtol = given.real("rtol", options.rtol);
  if (given.has("atol")) options.atol = given.real("atol", 0.0);
  if (given.has("step")) options.step = given.real("step", 0.0);
  options.sample = given.real("sample", options.sample);
  options.q0 = numbers_or_none(given["q0"], "q0");
  options.qd0 = numbers_or_none(given["qd0"], "qd0");
  if (options.q0.empty() && !robot.mechanism()) options.q0 = robot.start_position();
  if (options.qd0.empty() && !robot.mechanism()) options.qd0 = robot.start_velocity();
  options.friction = given.flag("friction", true);
  if (given.has("reference"))
    options.trajectory = given["reference"].cast<const TrajectoryObject&>().trajectory;
  if (given.has("scenario")) options.bandwidth = given.real("bandwidth", options.bandwidth);
  if (given.has("control_rate")) {
    const double rate = given.real("control_rate", 0.0);
    if (!(rate > 0.0 && std::isfinite(rate)))
      throw ArgumentError("control_rate", "must be positive and finite (Hz)");
    options.sampling = {.period = 1.0 / rate,
                        .delay = given.real("control_delay", 0.0),
                        .position_resolution = given.real("position_resolution", 0.0),
                        .velocity_resolution = given.real("velocity_resolution", 0.0),
                        .torque_resolution = given.real("torque_resolution", 0.0)};
  }
  options.limits = given.flag("limits", false);
  options.restitution = given.real("restitution", 0.0);
  if (given.has("base_motion"))
    options.base = given["base_motion"].cast<const BaseTrajectoryObject&>().trajectory;
  add_inputs(given, options);
  return options;
}

/// The plant, where it is not that of simulate(model). Takes the base motion of the options.
std::unique_ptr<Plant> plant_of(const Robot& robot, const std::string& algorithm,
                                SimulationOptions& options) {
  const bool own = algorithm.empty() || algorithm == "udut";
  if (robot.mechanism()) {
    if (!own)
      throw ArgumentError("algorithm", "robots with closed loops are simulated with udut only");
    if (options.base) throw ArgumentError("base_motion", "is not supported for closed loops");
    return loop_plant(*robot.mechanism(), {.friction = options.friction});
  }
  if (robot.flexible()) {
    if (!own && algorithm != "cholesky")
      throw ArgumentError("algorithm", "flexible links support udut (default) and cholesky");
    if (options.base)
      throw ArgumentError("base_motion", "needs rigid links: load the robot with rigid=True");
    return flexible_plant(*robot.flexible(),
                          {.friction = options.friction, .cholesky = algorithm == "cholesky"});
  }
  if (own) return nullptr;
  auto plant = formulations::formulation_plant(
      robot.model(), formulations::find_forward(algorithm),
      {.friction = options.friction, .base = std::move(options.base)});
  options.base = nullptr;
  return plant;
}

/// Ends the simulation on Ctrl-C, and calls the user's function progress(t).
Progress progress_of(const py::object& function) {
  using Clock = std::chrono::steady_clock;
  return [call = function.is_none() ? nullptr : shared(function),
          last = Clock::now()](double t) mutable {
    const Clock::time_point now = Clock::now();
    constexpr auto interval = std::chrono::milliseconds(50);
    if (now - last < interval && !call) return true;
    last = now;
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!call) return true;
    const py::object result = (*call)(t);
    return result.is_none() || result.cast<bool>();
  };
}

Recording simulate_robot(const Robot& robot, const py::dict& values) {
  const Options given(values);
  const auto controller = controller_of(robot, given);
  SimulationOptions options = options_of(robot, given);
  const std::string algorithm = given.text("algorithm");
  const std::string base =
      given.has("base_motion")
          ? given["base_motion"].cast<const BaseTrajectoryObject&>().description
          : "";
  const auto plant = plant_of(robot, algorithm, options);
  const Progress progress = progress_of(given["progress"]);
  Recording run = [&] {
    const py::gil_scoped_release release;
    if (plant && controller) return simulate(*plant, *controller, options, progress);
    if (plant) return simulate(*plant, options, progress);
    if (controller) return simulate(robot.model(), *controller, options, progress);
    return simulate(robot.model(), options, progress);
  }();
  run.settings.robot = robot.source().name;
  run.settings.base_motion = base;
  run.settings.reference = given.text("reference_name");
  run.settings.algorithm = algorithm.empty() ? "udut" : algorithm;
  if (robot.table()) run.settings.source = robot.table()->source;
  run.urdf = robot.urdf();
  return run;
}

Recording torques_of(const Robot& robot, const TrajectoryObject& trajectory, double duration,
                     double sample, bool friction) {
  if (robot.mechanism())
    throw ArgumentError("this function is not available for robots with closed loops");
  Recording run = [&] {
    const py::gil_scoped_release release;
    return torques_along(robot.model(), *trajectory.trajectory, duration, sample, friction);
  }();
  run.settings.robot = robot.source().name;
  run.settings.reference = trajectory.description;
  if (robot.table()) run.settings.source = robot.table()->source;
  run.urdf = robot.urdf();
  return run;
}

Recording log_run(const Robot& robot, const std::string& path, const std::string& topic,
                  bool measured, bool friction) {
  JointLogOptions options;
  options.topic = topic;
  const py::gil_scoped_release release;
  const JointLog log = read_joint_log(path, robot.model(), options);
  Recording run = torques_along(robot.model(), log,
                                measured ? LogTorques::measured : LogTorques::computed, friction);
  run.settings.robot = robot.source().name;
  run.urdf = robot.urdf();
  return run;
}

py::dict columns_of(const Recording& run) {
  py::dict columns;
  for (const NamedColumn& column : named_columns(run))
    columns[py::str(column.name)] = array_of(*column.values);
  return columns;
}

/// Columns side by side: (samples, columns).
py::object side_by_side(const std::vector<Column>& columns, std::size_t samples) {
  RowMajor matrix(static_cast<Eigen::Index>(samples), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t k = 0; k < samples; ++k)
      matrix(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) = columns[i][k];
  }
  return array_of(matrix);
}

py::object block_of(const Recording& run, const std::string& name) {
  const auto all = [&](const std::vector<Column>& columns) {
    return side_by_side(columns, run.size());
  };
  if (name == "q") return all(run.q);
  if (name == "qd") return all(run.qd);
  if (name == "qdd") return all(run.qdd);
  if (name == "tau") return all(run.tau);
  if (name == "amplitudes") return all(run.amplitudes);
  if (name == "tips") return all(run.tips);
  if (name == "end_effector") return all(run.end_effector);
  if (name == "desired") return run.desired.empty() ? py::object(py::none()) : all(run.desired);
  throw ArgumentError("name", fmt::format("'{}' is not a block of columns", name));
}

py::dict statistics_of(const Recording& run) {
  const RunStatistics& statistics = run.statistics;
  py::dict made;
  made["steps"] = statistics.steps;
  made["rejected"] = statistics.rejected;
  made["evaluations"] = statistics.evaluations;
  made["wall_seconds"] = statistics.wall_seconds;
  made["energy_drift"] = statistics.energy_drift;
  made["completed"] = statistics.completed;
  made["ending"] = statistics.ending;
  return made;
}

}  // namespace

void bind_simulation(py::module_& module) {
  py::class_<Recording>(module, "Recording", "The result of a simulation: see dynamics.Run.")
      .def("__len__", &Recording::size)
      .def("columns", &columns_of)
      .def("block", &block_of, py::arg("name"))
      .def("statistics", &statistics_of)
      .def("events",
           [](const Recording& run) {
             std::vector<std::pair<double, std::string>> events;
             for (const RunEvent& event : run.events) events.emplace_back(event.t, event.what);
             return events;
           })
      .def("joint_names", [](const Recording& run) { return run.model.coordinate_names(); })
      .def("tip_names", [](const Recording& run) { return run.tip_names; })
      .def("amplitude_names", [](const Recording& run) { return run.amplitude_names; })
      .def("robot", [](const Recording& run) { return run.settings.robot; })
      .def("scenario",
           [](const Recording& run) {
             return run.settings.scenario == "control" ? run.settings.controller
                                                       : run.settings.scenario;
           })
      .def("integrator", [](const Recording& run) { return run.settings.integrator; })
      .def(
          "to_csv", [](const Recording& run) { return to_csv(run); },
          py::call_guard<py::gil_scoped_release>())
      .def(
          "to_json", [](const Recording& run, bool compact) { return to_json(run, compact); },
          py::arg("compact"), py::call_guard<py::gil_scoped_release>())
      .def(
          "to_page",
          [](const Recording& run, const std::string& page_template) {
            return to_page(run, page_template);
          },
          py::arg("page_template"), py::call_guard<py::gil_scoped_release>())
      .def(
          "write_mcap",
          [](const Recording& run, const std::string& path) { write_mcap(path, run); },
          py::arg("path"), py::call_guard<py::gil_scoped_release>());
  module.def(
      "write_file",
      [](const std::string& path, const std::string& text) { write_file(path, text); },
      py::arg("path"), py::arg("text"), py::call_guard<py::gil_scoped_release>());
  module.def("simulate", &simulate_robot, py::arg("robot"), py::arg("options"));
  module.def("torques_along", &torques_of, py::arg("robot"), py::arg("trajectory"),
             py::arg("duration"), py::arg("sample"), py::arg("friction"));
  module.def("log_run", &log_run, py::arg("robot"), py::arg("path"), py::arg("topic"),
             py::arg("measured"), py::arg("friction"));
}

}  // namespace dynamics::python
