// SPDX-License-Identifier: Apache-2.0
#include "flexible_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "command.hpp"
#include "denoc_report.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/view.hpp"
#include "report.hpp"

namespace dynamics::tools {
namespace {

ordered_json with_names(const FlexibleModel& model, const Robot& robot) {
  auto object = with_joints(robot);
  const auto names = model.amplitude_names();
  object["amplitudes"] = std::vector<std::string>(names.begin(), names.end());
  return object;
}

/// Prints the joints with their units, then the amplitudes (meters per unit of the mode shape).
void print_coordinates(const FlexibleModel& model, const std::string& title,
                       const std::vector<double>& values, const char* angular, const char* linear,
                       const char* amplitude) {
  const auto names = model.coordinate_names();
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  fmt::print("{:<{}}  {:>16}\n", "", width, title);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool joint = i < model.joint_count();
    const bool prismatic = joint && model.rigid().coordinates()[i].prismatic;
    fmt::print("{:<{}}  {:>16.9g} {}\n", names[i], width, values[i],
               !joint ? amplitude : (prismatic ? linear : angular));
  }
}

}  // namespace

std::optional<FlexibleModel> flexible_model(Robot& robot, bool rigid) {
  if (rigid || !FlexibleModel::has_modes(robot.model)) return std::nullopt;
  FlexibleModel model(robot.model);
  report_warnings(robot, model.notes());
  return model;
}

std::vector<double> parse_state(const std::string& option, const std::string& text,
                                const FlexibleModel& model, const std::vector<double>& fallback) {
  std::vector<double> state = fallback;
  if (!text.empty()) {
    const auto count = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
    if (count != model.joint_count() && count != model.size()) {
      throw InputError(fmt::format(
          "{}: {} numbers given, {} required (one per joint, in joint order) or {} with the modal "
          "amplitudes",
          option, count, model.joint_count(), model.size()));
    }
    state = parse_vector(option, text, count, {});
  }
  state.resize(model.size(), 0.0);
  return state;
}

void report_forward(const FlexibleModel& model, const Robot& robot,
                    const FlexibleRequest& request) {
  if (request.algorithm != "udut" && request.algorithm != "cholesky") {
    throw InputError(
        fmt::format("--algorithm {}: flexible links support udut (default) and cholesky; --rigid "
                    "treats the links as rigid",
                    request.algorithm));
  }
  const std::vector<double> zero(model.joint_count(), 0.0);
  const auto q = parse_state("--q", request.q, model, robot.q0);
  const auto qd = parse_state("--qd", request.qd, model, zero);
  const auto tau = parse_vector("--tau", request.tau, model.joint_count(), zero);
  FlexibleWorkspace workspace(model);
  std::vector<double> forces(model.size()), qdd(model.size());
  wrenches_to_joint_torques(model, workspace, q, request.wrenches, forces);
  for (std::size_t i = 0; i < tau.size(); ++i) forces[i] += tau[i];
  if (request.algorithm == "cholesky") {
    forward_dynamics_cholesky(model, workspace, q, qd, forces, qdd, request.friction);
  } else {
    forward_dynamics(model, workspace, q, qd, forces, qdd, request.friction);
  }
  if (request.json) {
    auto object = with_names(model, robot);
    object["qdd"] = qdd;
    print_json(object);
    return;
  }
  print_coordinates(model, "qdd", qdd, "rad/s^2", "m/s^2", "m/s^2");
}

void report_inverse(const FlexibleModel& model, const Robot& robot,
                    const FlexibleRequest& request) {
  if (request.algorithm != "denoc") {
    throw InputError(fmt::format(
        "--algorithm {}: flexible links support denoc only; --rigid treats them as rigid",
        request.algorithm));
  }
  const std::size_t joints = model.joint_count();
  const std::vector<double> zero(joints, 0.0);
  const auto q = parse_state("--q", request.q, model, robot.q0);
  const auto qd = parse_state("--qd", request.qd, model, zero);
  const auto commas = std::count(request.qdd.begin(), request.qdd.end(), ',');
  const bool all = static_cast<std::size_t>(commas) + 1 == model.size() && model.size() != joints;
  const auto qdd = parse_state("--qdd", request.qdd, model, zero);
  FlexibleWorkspace workspace(model);
  std::vector<double> tau(model.size(), 0.0), amplitudes(model.amplitude_count());
  std::vector<double> forces(model.size());
  wrenches_to_joint_torques(model, workspace, q, request.wrenches, forces);
  if (all) {
    inverse_dynamics(model, workspace, q, qd, qdd, tau, request.friction);
  } else {
    tau.resize(joints);
    joint_torques(model, workspace, q, qd, ConstVector(qdd.data(), joints), tau, amplitudes,
                  request.friction, ConstVector(forces.data() + joints, amplitudes.size()));
  }
  for (std::size_t i = 0; i < tau.size(); ++i) tau[i] -= forces[i];
  if (request.json) {
    auto object = with_names(model, robot);
    object["tau"] = tau;
    if (!all) object["amplitude_qdd"] = amplitudes;
    print_json(object);
    return;
  }
  print_coordinates(model, "tau", tau, "N m", "N", "N");
  if (all) return;
  fmt::print("\n");
  std::vector<double> motion(qdd.begin(), qdd.begin() + static_cast<std::ptrdiff_t>(joints));
  motion.insert(motion.end(), amplitudes.begin(), amplitudes.end());
  print_coordinates(model, "qdd", motion, "rad/s^2", "m/s^2", "m/s^2");
}

void report_terms(const FlexibleModel& model, const Robot& robot, const FlexibleRequest& request) {
  const auto n = static_cast<Eigen::Index>(model.size());
  const std::vector<double> zero(model.joint_count(), 0.0);
  const auto q = parse_state("--q", request.q, model, robot.q0);
  const auto qd = parse_state("--qd", request.qd, model, zero);
  FlexibleWorkspace workspace(model);
  Eigen::MatrixXd M(n, n), U(n, n), D(n, n);
  std::vector<double> bias(model.size()), gravity_and_strain(model.size());
  inertia_matrix(model, workspace, q, M);
  udut(model, workspace, q, U, D);
  bias_forces(model, workspace, q, qd, bias, false);
  static_forces(model, workspace, q, gravity_and_strain);
  const FlexibleEnergy now = energy(model, workspace, q, qd);
  const NaturalModes free = natural_modes(model, q, Joints::free);
  const NaturalModes clamped = natural_modes(model, q, Joints::clamped);
  const auto list = [](const Eigen::VectorXd& v) {
    return std::vector<double>(v.begin(), v.end());
  };
  if (request.json) {
    auto object = with_names(model, robot);
    object["M"] = matrix_json(M);
    object["bias"] = bias;
    object["g"] = gravity_and_strain;
    object["kinetic"] = now.kinetic;
    object["potential"] = now.potential;
    object["strain"] = now.strain;
    const auto order = model.block_order();
    object["block_order"] = std::vector<std::size_t>(order.begin(), order.end());
    object["U"] = matrix_json(U);
    object["D"] = matrix_json(D);
    object["frequencies"] = {{"free_joints", list(free.frequencies)},
                             {"clamped_joints", list(clamped.frequencies)}};
    print_json(object);
    return;
  }
  print_matrix("M", M);
  print_coordinates(model, "velocity terms, gravity and strain", bias, "N m", "N", "N");
  fmt::print("\n");
  print_coordinates(model, "gravity and strain", gravity_and_strain, "N m", "N", "N");
  fmt::print(
      "\nkinetic energy    {:.9g} J\npotential energy  {:.9g} J\nstrain energy     {:.9g} J\n",
      now.kinetic, now.potential, now.strain);
  fmt::print("\nnatural frequencies, joints clamped: {:.6g} rad/s\n",
             fmt::join(list(clamped.frequencies), ", "));
  fmt::print("natural frequencies, joints free:    {:.6g} rad/s\n",
             fmt::join(list(free.frequencies), ", "));
}

void print_tips(const Recording& run) {
  if (run.tips.empty()) return;
  fmt::print("\nlargest tip deflections\n");
  for (std::size_t i = 0; i < run.tips.size(); ++i) {
    const double largest = max_abs(run.tips[i]);
    if (largest != 0.0) fmt::print("{:<12} {:.6g} m\n", run.tip_names[i], largest);
  }
}

}  // namespace dynamics::tools
