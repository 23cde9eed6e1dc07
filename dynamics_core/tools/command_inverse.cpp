// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "command.hpp"
#include "dynamics_core/formulations.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "external_arguments.hpp"
#include "flexible_report.hpp"
#include "log_file.hpp"
#include "loop_report.hpp"
#include "mesh_arguments.hpp"
#include "page.hpp"
#include "report.hpp"
#include "robot.hpp"

namespace dynamics::tools {
namespace {

struct InverseArguments : StateArguments {
  std::string qdd, algorithm = "denoc";
  std::string trajectory, topic, q0, q1;
  std::optional<double> period, duration;
  double sample = 0.01;
  std::vector<std::string> outputs;
  std::string compare;
  MeshArguments meshes;
  ExternalArguments external;
};

void one_state(const InverseArguments& args) {
  Robot robot = args.robot.load_robot_or_mechanism();
  if (robot.mechanism) {
    report_loop_inverse(robot, {args, args.qdd, args.algorithm, &args.external});
    return;
  }
  warn_outside_limits(robot, "--q", args.q);
  if (const auto flexible = flexible_model(robot, args.rigid)) {
    args.external.refuse_all_but_wrenches(needs_rigid_links);
    report_inverse(*flexible, robot,
                   {.q = args.q,
                    .qd = args.qd,
                    .qdd = args.qdd,
                    .algorithm = args.algorithm,
                    .friction = !args.no_friction,
                    .json = args.json,
                    .wrenches = args.external.link_wrenches(robot.model)});
    return;
  }
  const std::size_t n = robot.model.size();
  const std::vector<double> zero(n, 0.0);
  const auto q = parse_vector("--q", args.q, n, robot.q0);
  const auto qd = parse_vector("--qd", args.qd, n, zero);
  const auto qdd = parse_vector("--qdd", args.qdd, n, zero);
  const auto wrenches = args.external.link_wrenches(robot.model);
  const ExternalInputs external = {
      .base = args.external.base(), .wrenches = wrenches, .friction = !args.no_friction};
  const Eigen::VectorXd forces = formulations::inverse_dynamics(formulations::find(args.algorithm),
                                                                robot.model, q, qd, qdd, external);
  const std::vector<double> tau(forces.begin(), forces.end());
  require_finite("tau", tau);
  std::vector<Reaction> reactions;
  if (args.external.reactions) reactions = joint_reactions(robot.model, q, qd, qdd, external);
  if (args.json) {
    auto object = with_joints(robot);
    object["tau"] = tau;
    if (args.external.reactions) object["reactions"] = reactions_json(reactions);
    print_json(object);
  } else {
    print_table(robot.model, {{"tau", tau, "N m", "N"}});
    if (args.external.reactions) print_reactions(reactions);
  }
}

/// Torques along a trajectory (the papers' RIDIM), their peaks, RMS values and ratios to the
/// limits.
void along_trajectory(const InverseArguments& args) {
  args.external.refuse("takes one state (--q); it is not supported along a trajectory");
  Robot robot = args.robot.load();
  const Model& model = robot.model;
  if (!args.rigid && FlexibleModel::has_modes(model)) {
    const Note note = {Note::Severity::warning, "robot '" + model.name() + "'",
                       "its flexible links are treated as rigid along a trajectory (--rigid)"};
    report_warnings(robot, {&note, 1});
  }
  if (args.algorithm != "denoc") {
    throw InputError(
        fmt::format("--algorithm {}: trajectories are computed with denoc; other algorithms take "
                    "one state (--q)",
                    args.algorithm));
  }
  const RunOutputs outputs(args.outputs, args.compare, args.meshes.load(robot, args.outputs));
  if (!args.q0.empty() && args.trajectory != "cycloid")
    throw InputError("--q0 has no effect on the trajectory of a file: remove it");
  const auto q0 = parse_vector("--q0", args.q0, model.size(), robot.q0);
  const auto motion = desired_motion(robot, args.trajectory, q0, args.q1, args.period, args.topic);
  constexpr double default_duration = 10.0;
  const bool log = args.trajectory != "cycloid" && is_log_file(args.trajectory);
  const double duration =
      args.duration.value_or(log ? motion->breakpoints().back() : default_duration);
  Recording run = torques_along(model, *motion, duration, args.sample, !args.no_friction);
  for (const Column& column : run.tau) require_finite("tau along the trajectory", column);
  run.settings.robot = robot.argument;
  run.settings.reference = args.trajectory;
  if (robot.table) run.settings.source = robot.table->source;
  run.urdf = urdf_text(robot);

  std::vector<double> peak(model.size(), 0.0), rms(model.size(), 0.0), ratio(model.size(), 0.0);
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (std::size_t k = 0; k < run.size(); ++k) {
      if (k == 0) continue;
      // trapezoidal rule: the last interval may be shorter
      const double a = run.tau[i][k - 1], b = run.tau[i][k];
      rms[i] += 0.5 * (a * a + b * b) * (run.t[k] - run.t[k - 1]);
    }
    rms[i] = std::sqrt(rms[i] / run.t.back());
    peak[i] = max_abs(run.tau[i]);
    ratio[i] = peak[i] / model.coordinates()[i].effort;
  }
  outputs.write(run);
  if (args.json) {
    auto object = with_joints(robot);
    object["t"] = run.t;
    ordered_json rows = ordered_json::array();
    for (std::size_t k = 0; k < run.size(); ++k) {
      ordered_json row = ordered_json::array();
      for (std::size_t i = 0; i < model.size(); ++i) row.push_back(run.tau[i][k]);
      rows.push_back(std::move(row));
    }
    object["tau"] = std::move(rows);
    object["peak"] = peak;
    object["rms"] = rms;
    object["limit_ratio"] = ratio;
    object["energy_drift"] = run.statistics.energy_drift;
    print_json(object);
    return;
  }
  fmt::print("Torques of {} along {} for {:g} s, {} samples\n\n", robot.argument,
             args.trajectory == "cycloid" ? "its cycloid" : args.trajectory, duration, run.size());
  print_table(
      model,
      {{"peak", peak, "N m", "N  "}, {"RMS", rms, "N m", "N  "}, {"peak/limit", ratio, "", ""}});
  fmt::print("\nwork and energy differ by at most {:.2g} of the largest kinetic energy\n",
             run.statistics.energy_drift);
  for (const std::string& path : outputs.paths()) fmt::print("wrote {}\n", path);
}

}  // namespace

void add_inverse(CLI::App& app, Outcome&) {
  auto args = std::make_shared<InverseArguments>();
  CLI::App* command = app.add_subcommand(
      "inverse", "Inverse dynamics: joint torques for one state or along a trajectory");
  args->add_state_to(*command);
  auto* qdd = command->add_option("--qdd", args->qdd, "joint accelerations (default: 0)");
  command->add_option("--algorithm", args->algorithm,
                      "lagrange, newton-euler, modified-newton-euler, strobing, denoc-explicit, "
                      "saha-1999 or denoc (default)");
  args->external.add_to(*command);
  args->add_flags_to(*command, true);
  auto* trajectory =
      command->add_option("--trajectory", args->trajectory,
                          "cycloid, a CSV file with t and q_JOINT (qd_, qdd_) columns, "
                          "a JointTrajectory in YAML, or an MCAP file (joint states or "
                          "trajectories)");
  for (const char* name : {"--q", "--qd"}) trajectory->excludes(command->get_option(name));
  trajectory->excludes(qdd);
  const auto with_trajectory = [&](CLI::Option* option) {
    option->needs(trajectory)->group("With --trajectory");
  };
  with_trajectory(command->add_option("--duration", args->duration,
                                      "duration in s (default 10, or that of the MCAP file)"));
  with_trajectory(command->add_option("--topic", args->topic, topic_option_help));
  with_trajectory(command->add_option("--sample", args->sample, "sample time in s (default 0.01)"));
  with_trajectory(
      command->add_option("--q0", args->q0, "start of the cycloid (default: start position)"));
  with_trajectory(
      command->add_option("--q1", args->q1, "end of the cycloid (default: from the DH table)"));
  with_trajectory(
      command->add_option("--period", args->period,
                          "period of the cycloid in s (default: from the DH table, otherwise 10)"));
  with_trajectory(
      command
          ->add_option("--output", args->outputs,
                       "F.csv, F.json, F.mcap, F.html, or FOLDER/ (rosbag2); may be repeated")
          ->take_all());
  with_trajectory(command->add_option("--compare", args->compare,
                                      "recorded run (F.json) to show for comparison in the page"));
  for (CLI::Option* option : args->meshes.add_to(*command)) with_trajectory(option);
  command->callback([args] {
    if (args->trajectory.empty()) {
      one_state(*args);
    } else {
      along_trajectory(*args);
    }
  });
}

}  // namespace dynamics::tools
