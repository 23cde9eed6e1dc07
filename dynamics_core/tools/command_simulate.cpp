// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>

#include "command.hpp"
#include "control_arguments.hpp"
#include "dynamics_core/integrators.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/simulate.hpp"
#include "flexible_report.hpp"
#include "mesh_arguments.hpp"
#include "page.hpp"
#include "papers/formulations/formulation_plant.hpp"
#include "papers/wide/wide_simulate.hpp"
#include "progress_bar.hpp"
#include "report.hpp"
#include "robot.hpp"

namespace dynamics::tools {
namespace {

constexpr int interrupted_code = 130;  // 128 + SIGINT, as shells report it
constexpr const char* default_algorithm = "udut";

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void set_interrupted(int) { interrupted = true; }

struct SimulateArguments {
  RobotArgument robot;
  SimulationOptions options;  ///< those that are numbers or names
  ControlArguments control;
  MeshArguments meshes;
  std::string q0, qd0, compare;
  std::string precision = "double", base_motion, payload, algorithm;
  std::optional<double> restitution;
  bool no_friction = false, json = false, rigid = false;
  std::vector<std::string> outputs;
  std::string command_line;
};

std::string integrator_list() {
  std::string list;
  for (const auto& known : ode::integrator_names())
    list += (list.empty() ? "" : ", ") + std::string(known.name);
  return list;
}

/// The start with the given positions of the independent joints; references depend on no others.
std::vector<double> independent_start(const Robot& robot, const std::vector<double>& q0) {
  std::vector<double> start = robot.q0;
  const auto independent = robot.mechanism->independent();
  for (std::size_t k = 0; k < independent.size(); ++k) {
    if (q0.size() == start.size()) start[independent[k]] = q0[independent[k]];
    if (q0.size() == independent.size()) start[independent[k]] = q0[k];
  }
  return start;
}

SimulationOptions options_of(const SimulateArguments& args, Robot& robot,
                             const std::optional<FlexibleModel>& flexible) {
  SimulationOptions options = args.options;
  const auto joints = static_cast<std::ptrdiff_t>(robot.model.size());
  options.friction = !args.no_friction;
  if (args.restitution) options.restitution = *args.restitution;
  if (!args.base_motion.empty()) options.base = base_motion(args.base_motion);
  if (robot.mechanism) {
    if (robot.table) {
      options.q0 = robot.q0;
      options.qd0 = robot.qd0;
    }
    // all joints or the independent ones
    if (!args.q0.empty()) options.q0 = parse_numbers("--q0", args.q0);
    if (!args.qd0.empty()) options.qd0 = parse_numbers("--qd0", args.qd0);
    args.control.apply(robot, independent_start(robot, options.q0), options);
    return options;
  }
  if (flexible) {
    options.q0 = parse_state("--q0", args.q0, *flexible, robot.q0);
    options.qd0 = parse_state("--qd0", args.qd0, *flexible, robot.qd0);
  } else {
    options.q0 = parse_vector("--q0", args.q0, robot.model.size(), robot.q0);
    options.qd0 = parse_vector("--qd0", args.qd0, robot.model.size(), robot.qd0);
  }
  // a description without start values leaves them to the simulation
  std::vector<double> start(options.q0.begin(), options.q0.begin() + joints);
  if (args.q0.empty() && (!robot.table || robot.table->q0.empty())) {
    options.q0.clear();
    start = default_start(robot.model);
  }
  args.control.apply(robot, start, options);
  return options;
}

void refuse_options_without_effect(const SimulateArguments& args) {
  args.control.check();
  if (!args.options.limits && args.restitution)
    throw InputError("--restitution has no effect without --limits");
}

void print_events(const Recording& run) {
  constexpr std::size_t limit = 20;
  for (std::size_t i = 0; i < std::min(limit, run.events.size()); ++i)
    fmt::print("t = {:.6f} s: {}\n", run.events[i].t, run.events[i].what);
  if (run.events.size() > limit) fmt::print("and {} more events\n", run.events.size() - limit);
  if (!run.events.empty()) fmt::print("\n");
}

void print_summary(const Robot& robot, const Recording& run) {
  const RunSettings& settings = run.settings;
  const RunStatistics& statistics = run.statistics;
  const std::string numerics = settings.step ? fmt::format("step {:g} s", *settings.step)
                                             : fmt::format("rtol {:g}", settings.rtol);
  std::string law = settings.scenario == "control" ? settings.controller : settings.scenario;
  if (settings.control_rate > 0.0) law += fmt::format(" at {:g} Hz", settings.control_rate);
  fmt::print("{}: {}, {:g} s of {:g} s, {} ({}{})\n", robot.argument, law,
             run.t.empty() ? 0.0 : run.t.back(), settings.duration, settings.integrator, numerics,
             (settings.precision == "double" ? "" : ", " + settings.precision) +
                 (settings.algorithm == default_algorithm ? "" : ", " + settings.algorithm));
  fmt::print("{} steps, {} rejected, {} evaluations, {:.3g} s computing time\n", statistics.steps,
             statistics.rejected, statistics.evaluations, statistics.wall_seconds);
  fmt::print("energy drift {:.2g} of the largest kinetic energy\n\n", statistics.energy_drift);
  std::vector<double> first, last, low, high;
  for (const Column& column : run.q) {
    first.push_back(column.front());
    last.push_back(column.back());
    low.push_back(*std::min_element(column.begin(), column.end()));
    high.push_back(*std::max_element(column.begin(), column.end()));
  }
  print_events(run);
  print_table(run.model, {{"start", first, "rad", "m  "},
                          {"end", last, "rad", "m  "},
                          {"smallest", low, "rad", "m  "},
                          {"largest", high, "rad", "m  "}});
}

void print_run_json(const Robot& robot, const Recording& run) {
  auto object = with_joints(robot);
  std::vector<double> q, qd;
  for (std::size_t i = 0; i < run.model.size(); ++i) {
    q.push_back(run.q[i].back());
    qd.push_back(run.qd[i].back());
  }
  object["t"] = run.t.back();
  object["q"] = q;
  object["qd"] = qd;
  object["steps"] = run.statistics.steps;
  object["rejected"] = run.statistics.rejected;
  object["evaluations"] = run.statistics.evaluations;
  object["wall_seconds"] = run.statistics.wall_seconds;
  object["energy_drift"] = run.statistics.energy_drift;
  object["completed"] = run.statistics.completed;
  object["algorithm"] = run.settings.algorithm;
  if (!run.amplitudes.empty()) {
    ordered_json amplitudes, tips;
    for (std::size_t i = 0; i < run.amplitudes.size(); ++i) {
      amplitudes["e_" + run.amplitude_names[i]] = run.amplitudes[i].back();
    }
    for (std::size_t i = 0; i < run.tips.size(); ++i) {
      tips["tip_" + run.tip_names[i]] = run.tips[i].back();
    }
    object["amplitudes"] = std::move(amplitudes);
    object["tips"] = std::move(tips);
  }
  ordered_json events = ordered_json::array();
  for (const RunEvent& event : run.events) events.push_back({{"t", event.t}, {"what", event.what}});
  object["events"] = std::move(events);
  print_json(object);
}

/// The plant with flexible links. Throws InputError for options that need a rigid robot.
std::unique_ptr<Plant> flexible_plant_of(const SimulateArguments& args,
                                         const FlexibleModel& model) {
  if (!args.algorithm.empty() && args.algorithm != "udut" && args.algorithm != "cholesky") {
    throw InputError(fmt::format(
        "--algorithm {}: flexible links support udut (default) and cholesky", args.algorithm));
  }
  if (!args.base_motion.empty() || args.precision != "double") {
    throw InputError(
        "--base-motion and --precision double-double require rigid links: add --rigid");
  }
  return flexible_plant(model,
                        {.friction = !args.no_friction, .cholesky = args.algorithm == "cholesky"});
}

/// The plant of a rigid robot with the chosen algorithm; null: the library's own. The plant then
/// has the base motion of the options.
std::unique_ptr<Plant> rigid_plant_of(const SimulateArguments& args, const Model& model,
                                      SimulationOptions& options) {
  if (args.algorithm.empty()) return nullptr;
  const formulations::Formulation& formulation = formulations::find_forward(args.algorithm);
  if (formulation.name == default_algorithm) return nullptr;
  if (args.precision != "double") {
    throw InputError(
        fmt::format("--precision double-double supports --algorithm {} only", default_algorithm));
  }
  auto plant = formulations::formulation_plant(
      model, formulation, {.friction = options.friction, .base = std::move(options.base)});
  options.base = nullptr;
  return plant;
}

/// Throws InputError for options that robots with closed loops do not have.
void refuse_with_loops(const SimulateArguments& args) {
  const auto refuse = [](bool given, const char* option) {
    if (given)
      throw InputError(fmt::format("{} is not supported for robots with closed loops", option));
  };
  refuse(args.precision != "double", "--precision double-double");
  refuse(!args.algorithm.empty() && args.algorithm != default_algorithm,
         "--algorithm other than udut");
}

/// The plant then has the base motion of the options.
std::unique_ptr<Plant> loop_plant_of(const Mechanism& mechanism, SimulationOptions& options) {
  auto plant =
      loop_plant(mechanism, {.friction = options.friction, .base = std::move(options.base)});
  options.base = nullptr;
  return plant;
}

void simulate_robot(const SimulateArguments& args, Outcome& outcome) {
  if (args.precision != "double" && args.precision != "double-double") {
    throw InputError(
        fmt::format("unknown precision '{}': it must be double or double-double", args.precision));
  }
  Robot robot = args.robot.load_robot_or_mechanism();
  if (!args.payload.empty()) robot.model = robot.model.with_payload(payload(args.payload, robot));
  if (robot.mechanism) {
    if (!args.payload.empty())
      robot.mechanism = robot.mechanism->with_payload(payload(args.payload, robot));
    refuse_with_loops(args);
  } else {
    warn_outside_limits(robot, "--q0", args.q0);
  }
  const RunOutputs outputs(args.outputs, args.compare, args.meshes.load(robot, args.outputs));
  const auto flexible = robot.mechanism ? std::nullopt : flexible_model(robot, args.rigid);
  refuse_options_without_effect(args);
  const auto controller = args.control.make(robot);
  if (controller && args.precision != "double")
    throw InputError("--precision double-double supports the scenarios only, not --controller");
  SimulationOptions options = options_of(args, robot, flexible);
  const auto plant = robot.mechanism ? loop_plant_of(*robot.mechanism, options)
                     : flexible      ? flexible_plant_of(args, *flexible)
                                     : rigid_plant_of(args, robot.model, options);

  std::signal(SIGINT, set_interrupted);
  std::signal(SIGTERM, set_interrupted);
  Recording run = [&] {
    ProgressBar bar(robot.argument);
    const auto progress = [&](double t) {
      bar.update(t / options.duration);
      return !interrupted;
    };
    if (plant && controller) return simulate(*plant, *controller, options, progress);
    if (plant) return simulate(*plant, options, progress);
    if (controller) return simulate(robot.model, *controller, options, progress);
    return args.precision == "double" ? simulate(robot.model, options, progress)
                                      : simulate_double_double(robot.model, options, progress);
  }();
  run.settings.robot = robot.argument;
  run.settings.command = args.command_line;
  run.settings.reference = args.control.reference_name();
  run.settings.base_motion = args.base_motion;
  run.settings.algorithm = args.algorithm.empty() ? default_algorithm : args.algorithm;
  if (robot.table) run.settings.source = robot.table->source;
  run.urdf = urdf_text(robot);
  outputs.write(run);

  if (args.json) {
    print_run_json(robot, run);
  } else {
    print_summary(robot, run);
    print_tips(run);
    if (!outputs.paths().empty()) fmt::print("\n");
    for (const std::string& path : outputs.paths()) fmt::print("wrote {}\n", path);
  }
  if (run.statistics.completed) return;
  fmt::print(stderr, "dynamics: the run ended early: {}\n", run.statistics.ending);
  outcome.exit_code = interrupted ? interrupted_code : 1;
}

}  // namespace

void add_simulate(CLI::App& app, Outcome& outcome) {
  auto args = std::make_shared<SimulateArguments>();
  CLI::App* command = app.add_subcommand("simulate", "Simulate the robot (the papers' RFDSIM)");
  args->robot.add_to(*command);
  args->control.add_to(*command);
  command->add_option("--duration", args->options.duration, "duration in s (default 10)");
  command->add_option("--integrator", args->options.integrator,
                      integrator_list() + " (default auto)");
  command->add_option("--rtol", args->options.rtol, "relative tolerance (default 1e-9)");
  command->add_option("--atol", args->options.atol,
                      "absolute tolerance (default: equal to --rtol)");
  command->add_option("--step", args->options.step, "step in s, required by fixed-step methods");
  command->add_option("--sample", args->options.sample, "sample time in s (default 0.01)");
  command->add_option("--q0", args->q0,
                      "start position (default: from the DH table, otherwise the position within "
                      "the limits nearest to 0)");
  command->add_option("--qd0", args->qd0,
                      "start velocity (default: from the DH table, otherwise 0)");
  command->add_flag("--limits", args->options.limits,
                    "apply joint stops and effort limits; report velocities above their limits");
  command->add_option("--restitution", args->restitution,
                      "coefficient of restitution of the joint stops, 0 (default) to 1");
  command->add_option("--payload", args->payload,
                      "MASS[,X,Y,Z]: point mass fixed to the end-effector frame (kg, m)");
  command->add_option("--base-motion", args->base_motion,
                      "AXIS:AMPLITUDE:HZ,... with AXIS x, y, z, roll, pitch or yaw; or a CSV file");
  command->add_option("--precision", args->precision,
                      "double (default) or double-double (32 digits, for reference solutions)");
  command->add_flag("--no-friction", args->no_friction, no_friction_flag_help);
  command->add_flag("--rigid", args->rigid, rigid_flag_help);
  command->add_option("--algorithm", args->algorithm,
                      "forward dynamics: udut (default), saha-2003, nasser, articulated-body, "
                      "walker-orin, strobing, lagrange or denoc-explicit; flexible links: udut "
                      "or cholesky");
  command
      ->add_option("--output", args->outputs,
                   "F.csv, F.json, F.mcap, F.html, or FOLDER/ (rosbag2); may be repeated")
      ->take_all();
  command->add_option("--compare", args->compare,
                      "recorded run (F.json) to show for comparison in the page");
  args->meshes.add_to(*command);
  command->add_flag("--json", args->json, json_flag_help);
  command->callback([args, command, &outcome] {
    args->command_line = "dynamics simulate " + args->robot.name;
    for (const CLI::Option* option : command->get_options()) {
      const std::string name = option->get_name();
      if (option->count() == 0 || name == "ROBOT" || name == "--output" || name == "--compare")
        continue;
      if (option->get_expected_min() == 0) args->command_line += " " + name;
      for (const std::string& value : option->results()) {
        if (option->get_expected_min() > 0)
          args->command_line += fmt::format(" {} {}", name, value);
      }
    }
    simulate_robot(*args, outcome);
  });
}

}  // namespace dynamics::tools
