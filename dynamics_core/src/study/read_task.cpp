// SPDX-License-Identifier: Apache-2.0
#include "study/read_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/integrators.hpp"

namespace dynamics::study {

std::string Inputs::read_file(const std::string& path) {
  texts_.push_back(sources_.read_file(path));
  return texts_.back();
}

namespace {

using yaml::Cursor;

/// Calls f(cursor) if the key is given.
template <class Function>
void with(const Cursor& map, std::string_view key, Function&& f) {
  if (const auto found = map.find(key)) f(*found);
}

double positive(const Cursor& at) {
  const double value = at.number();
  if (!(value > 0.0)) at.fail(fmt::format("must be positive; found {:g}", value));
  return value;
}

double not_negative(const Cursor& at) {
  const double value = at.number();
  if (value < 0.0) at.fail(fmt::format("must not be negative; found {:g}", value));
  return value;
}

bool boolean(const Cursor& at) {
  const std::string text = at.text();
  if (text != "true" && text != "false") at.fail("must be true or false; found '" + text + "'");
  return text == "true";
}

/// One number or a list of numbers.
std::vector<double> one_or_list(const Cursor& at) {
  if (!at.is_list()) return {at.number()};
  return at.numbers(at.size());
}

std::vector<double> per_joint(const Cursor& at, std::size_t joints) {
  if (!at.is_list() || at.size() != joints)
    at.fail(fmt::format("must be a list of {} numbers, one per joint", joints));
  return at.numbers(joints);
}

/// Runs f; an ArgumentError becomes an error at this place.
template <class Function>
auto at_place(const Cursor& at, Function&& f) {
  try {
    return f();
  } catch (const yaml::Error&) {
    throw;
  } catch (const ArgumentError& error) {
    at.fail(error.what());
  }
}

bool is_yaml(const std::string& path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

/// Reference of a controller or the motion of inverse dynamics.
void read_reference(const Cursor& map, const Nominal& nominal, Inputs& inputs, Task& task) {
  const auto at = map.find("reference");
  const std::string name = at ? at->text() : "";
  const bool desired = task.options.scenario == Scenario::forced ||
                       task.options.scenario == Scenario::computed_torque ||
                       task.kind == RunKind::inverse;
  const bool cycloid = name == "cycloid" || (name.empty() && desired);
  for (const char* key : {"q1", "period"}) {
    with(map, key, [&](const Cursor& value) {
      if (!cycloid) value.fail("has no effect without `reference: cycloid`");
    });
  }
  task.reference_name = name.empty() ? (desired ? "cycloid" : "hold") : name;
  if (name == "hold" && task.kind == RunKind::inverse)
    at->fail("inverse dynamics needs a motion: cycloid, or a CSV or YAML file");
  if (!cycloid && (name.empty() || name == "hold")) return;
  if (!cycloid) {
    if (!is_yaml(name) && !name.ends_with(".csv"))
      at->fail("must be hold, cycloid, or a file F.csv or F.yaml; found '" + name + "'");
    const std::string text = inputs.read_file(name);
    task.options.trajectory = at_place(*at, [&] {
      return knot_trajectory(is_yaml(name) ? read_trajectory_yaml(text, name, nominal.model)
                                           : read_trajectory_csv(text, name, nominal.model));
    });
    return;
  }
  task.cycloid = nominal.robot.forced;
  with(map, "q1", [&](const Cursor& value) {
    ForcedMotion motion;
    if (task.cycloid) motion.period = task.cycloid->period;
    motion.q1 = per_joint(value, nominal.model.size());
    task.cycloid = motion;
  });
  if (!task.cycloid) map.fail("the robot defines no end position for the cycloid: give q1");
  with(map, "period", [&](const Cursor& value) {
    if (task.cycloid->kind != ForcedMotion::Kind::cycloid)
      value.fail("the forced motion of this robot has one period per joint: give q1 too");
    task.cycloid->period = positive(value);
  });
}

void read_controller(const Cursor& map, const Nominal& nominal, Inputs& inputs, Task& task) {
  with(map, "scenario", [&](const Cursor& at) {
    if (map.has("controller")) at.fail("excludes `controller`: a scenario is a short form of one");
    task.options.scenario = at_place(at, [&] { return scenario_from_name(at.text()); });
  });
  const auto controller = map.find("controller");
  if (controller) task.controller = controller->text();
  ControllerOptions& options = task.controller_options;
  const auto gain = [&](const char* key, std::vector<double>& into) {
    with(map, key, [&](const Cursor& at) {
      if (!controller) at.fail("has no effect without `controller`");
      into = one_or_list(at);
    });
  };
  gain("kp", options.gains.kp);
  gain("kd", options.gains.kd);
  gain("damping", options.gains.damping);
  gain("stiffness", options.stiffness);
  with(map, "bandwidth", [&](const Cursor& at) {
    const bool feedback = task.options.scenario == Scenario::hold ||
                          task.options.scenario == Scenario::computed_torque;
    if (controller) {
      options.gains.bandwidth = one_or_list(at);
    } else if (feedback) {
      task.options.bandwidth = positive(at);
    } else {
      at.fail("has no effect without `controller`");
    }
  });
  with(map, "frame", [&](const Cursor& at) {
    if (!controller) at.fail("has no effect without `controller`");
    options.frame = at.text();
  });
  with(map, "torques", [&](const Cursor& at) {
    if (task.controller != "torques") at.fail("has no effect without `controller: torques`");
    const std::string name = at.text(), text = inputs.read_file(name);
    options.torques = at_place(at, [&] {
      return is_yaml(name) ? read_torques_yaml(text, name, nominal.model)
                           : read_torques_csv(text, name, nominal.model);
    });
  });
  with(map, "interpolation", [&](const Cursor& at) {
    if (task.controller != "torques") at.fail("has no effect without `controller: torques`");
    options.interpolation = at_place(at, [&] { return interpolation_from_name(at.text()); });
  });
  if (controller) {
    at_place(*controller, [&] { return make_controller(task.controller, options); });
    if (map.has("reference") && (task.controller == "none" || task.controller == "torques"))
      map.at("reference").fail("has no effect on controller " + task.controller);
  } else if (map.has("reference") && task.options.scenario != Scenario::forced &&
             task.options.scenario != Scenario::computed_torque) {
    map.at("reference").fail("has no effect without `controller`");
  }
  with(map, "control_rate",
       [&](const Cursor& at) { task.options.sampling.period = 1.0 / positive(at); });
  const auto sampled = [&](const char* key, double& into) {
    with(map, key, [&](const Cursor& at) {
      if (!map.has("control_rate")) at.fail("has no effect without `control_rate`");
      into = not_negative(at);
    });
  };
  sampled("control_delay", task.options.sampling.delay);
  sampled("position_resolution", task.options.sampling.position_resolution);
  sampled("velocity_resolution", task.options.sampling.velocity_resolution);
  sampled("torque_resolution", task.options.sampling.torque_resolution);
}

void read_payload(const Cursor& map, const Nominal& nominal, Task& task) {
  with(map, "payload", [&](const Cursor& at) {
    const std::vector<double> values = one_or_list(at);
    if ((values.size() != 1 && values.size() != 4) || !(values[0] > 0.0))
      at.fail("must be the mass, or a list of mass, x, y, z with a positive mass (kg, m)");
    Payload load;
    load.frame = nominal.model.frames()[nominal.model.end_effector()].name;
    load.mass = values[0];
    if (values.size() == 4) load.center = {values[1], values[2], values[3]};
    task.payload = load;
  });
}

void read_start(const Cursor& map, const Nominal& nominal, Task& task) {
  const std::size_t joints = nominal.model.size();
  task.options.q0 = nominal.robot.q0;
  task.options.qd0 = nominal.robot.qd0;
  with(map, "q0", [&](const Cursor& at) { task.options.q0 = per_joint(at, joints); });
  with(map, "qd0", [&](const Cursor& at) { task.options.qd0 = per_joint(at, joints); });
  if (nominal.has_loops) return;
  if (task.options.q0.empty()) task.options.q0 = default_start(nominal.model);
  task.options.qd0.resize(joints, 0.0);
}

void read_push(const Cursor& at, const Nominal& nominal, Task& task) {
  for (const Cursor& entry : at.entries()) {
    entry.allow_keys({"link", "force", "start", "duration"});
    const Cursor link = entry.at("link");
    if (!nominal.model.find_frame(link.text()))
      link.fail("the robot has no link '" + link.text() + "'");
    const auto force = entry.at("force").numbers(3);
    task.options.wrenches.push_back(push(link.text(), {force[0], force[1], force[2]},
                                         not_negative(entry.at("start")),
                                         positive(entry.at("duration"))));
  }
}

void read_simulate(const Cursor& map, const Nominal& nominal, Inputs& inputs, Task& task) {
  map.allow_keys({"scenario",
                  "controller",
                  "kp",
                  "kd",
                  "bandwidth",
                  "damping",
                  "stiffness",
                  "frame",
                  "torques",
                  "interpolation",
                  "control_rate",
                  "control_delay",
                  "position_resolution",
                  "velocity_resolution",
                  "torque_resolution",
                  "reference",
                  "q1",
                  "period",
                  "duration",
                  "integrator",
                  "rtol",
                  "atol",
                  "step",
                  "sample",
                  "q0",
                  "qd0",
                  "friction",
                  "limits",
                  "restitution",
                  "payload",
                  "push",
                  "rigid"});
  SimulationOptions& options = task.options;
  read_controller(map, nominal, inputs, task);
  read_reference(map, nominal, inputs, task);
  with(map, "duration", [&](const Cursor& at) { options.duration = positive(at); });
  with(map, "integrator", [&](const Cursor& at) {
    options.integrator = at.text();
    at_place(at, [&] { return ode::find_integrator(options.integrator); });
  });
  with(map, "rtol", [&](const Cursor& at) { options.rtol = positive(at); });
  with(map, "atol", [&](const Cursor& at) { options.atol = positive(at); });
  with(map, "step", [&](const Cursor& at) { options.step = positive(at); });
  with(map, "sample", [&](const Cursor& at) { options.sample = positive(at); });
  with(map, "friction", [&](const Cursor& at) { options.friction = boolean(at); });
  with(map, "limits", [&](const Cursor& at) { options.limits = boolean(at); });
  with(map, "restitution", [&](const Cursor& at) {
    if (!options.limits) at.fail("has no effect without `limits: true`");
    options.restitution = not_negative(at);
  });
  with(map, "push", [&](const Cursor& at) { read_push(at, nominal, task); });
  with(map, "rigid", [&](const Cursor& at) { task.rigid = boolean(at); });
  read_payload(map, nominal, task);
  read_start(map, nominal, task);
}

void read_inverse(const Cursor& map, const Nominal& nominal, Inputs& inputs, Task& task) {
  map.allow_keys({"reference", "q1", "period", "duration", "sample", "friction", "payload", "q0"});
  read_reference(map, nominal, inputs, task);
  const auto end = [&] {
    if (!task.cycloid) return task.options.trajectory->breakpoints().back();
    if (task.cycloid->kind == ForcedMotion::Kind::cycloid) return task.cycloid->period;
    return *std::max_element(task.cycloid->T.begin(), task.cycloid->T.end());
  };
  task.options.duration = end();
  with(map, "duration", [&](const Cursor& at) { task.options.duration = positive(at); });
  with(map, "sample", [&](const Cursor& at) { task.options.sample = positive(at); });
  with(map, "friction", [&](const Cursor& at) { task.options.friction = boolean(at); });
  read_payload(map, nominal, task);
  read_start(map, nominal, task);
}

void read_state(const Cursor& map, const Nominal& nominal, Task& task) {
  if (task.kind == RunKind::terms) {
    map.allow_keys({"q", "qd", "friction", "payload"});
    with(map, "friction", [&](const Cursor& at) { task.options.friction = boolean(at); });
  } else {
    map.allow_keys({"q", "joints", "payload"});
    with(map, "joints", [&](const Cursor& at) {
      const std::string name = at.text();
      if (name != "free" && name != "clamped") at.fail("must be free or clamped");
      task.joints = name == "free" ? Joints::free : Joints::clamped;
    });
    if (!FlexibleModel::has_modes(nominal.model))
      map.fail("natural frequencies need a robot with flexible links, such as canadarm");
  }
  read_payload(map, nominal, task);
  read_start(map, nominal, task);
  const std::size_t joints = nominal.model.size();
  with(map, "q", [&](const Cursor& at) { task.options.q0 = per_joint(at, joints); });
  with(map, "qd", [&](const Cursor& at) { task.options.qd0 = per_joint(at, joints); });
}

}  // namespace

Task read_task(const Cursor& run, const Nominal& nominal, Inputs& inputs) {
  run.allow_keys({"simulate", "inverse", "terms", "natural_frequencies"});
  if (run.size() != 1)
    run.fail("must have exactly one of simulate, inverse, terms, natural_frequencies");
  Task task;
  const std::string& name = run.keys().front();
  const Cursor map = run.at(name);
  if (!map.is_map()) map.fail("must be a map of options; {} for none");
  if (name != "simulate" && nominal.has_loops)
    map.fail("robots with closed loops can only be simulated");
  if (name == "simulate") {
    task.kind = RunKind::simulate;
    read_simulate(map, nominal, inputs, task);
  } else if (name == "inverse") {
    task.kind = RunKind::inverse;
    read_inverse(map, nominal, inputs, task);
  } else {
    task.kind = name == "terms" ? RunKind::terms : RunKind::natural_frequencies;
    read_state(map, nominal, task);
  }
  return task;
}

}  // namespace dynamics::study
