// SPDX-License-Identifier: Apache-2.0
#include "loop_report.hpp"

#include <fmt/format.h>

#include "command.hpp"
#include "denoc_report.hpp"
#include "dynamics_core/kinematics.hpp"
#include "flexible_report.hpp"
#include "report.hpp"

namespace dynamics::tools {
namespace {

using Vector = std::vector<double>;

/// One number per independent joint, or per joint.
Vector parse_either(const char* option, const std::string& text, const Mechanism& mechanism) {
  Vector numbers = parse_numbers(option, text);
  if (numbers.size() == mechanism.size() || numbers.size() == mechanism.tree().size())
    return numbers;
  throw InputError(
      fmt::format("{}: {} numbers given, {} (independent joints) or {} (all joints) required",
                  option, numbers.size(), mechanism.size(), mechanism.tree().size()));
}

/// One number per independent joint; zero if the text is empty.
Vector parse_independent(const char* option, const std::string& text, const Mechanism& mechanism) {
  return parse_vector(option, text, mechanism.size(), Vector(mechanism.size(), 0.0),
                      "one per independent joint");
}

void check_algorithm(const std::string& algorithm, const char* known) {
  if (algorithm == known) return;
  throw InputError(fmt::format("--algorithm {}: robots with closed loops are computed with {} only",
                               algorithm, known));
}

/// A table of the independent joints.
void print_independent(const Robot& robot, const char* title, const Vector& values,
                       const char* angular, const char* linear) {
  fmt::print("{:<24}  {:>16}\n", "independent joint", title);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Coordinate& joint = robot.model.coordinates()[robot.mechanism->independent()[i]];
    fmt::print("{:<24}  {:>16.9g} {}\n", joint.name, values[i], joint.prismatic ? linear : angular);
  }
}

/// Wrenches at the cuts and of the joints, for torques of all joints.
struct Reactions {
  std::vector<Wrench> cuts;
  std::vector<Reaction> joints;
};
Reactions reactions_of(const Mechanism& mechanism, MechanismWorkspace& workspace,
                       const LoopState& state, const Vector& qdd, const Vector& tau,
                       const ExternalInputs& external) {
  const Model& tree = mechanism.tree();
  Reactions result;
  result.cuts.resize(mechanism.description().constraints.size());
  std::vector<Wrench> wrenches(tree.body_count());
  loop_wrenches(mechanism, workspace, state.q, state.qd, qdd, tau, result.cuts, wrenches, external);
  for (std::size_t i = 0; i < tree.body_count(); ++i) {
    const Body& body = tree.bodies()[i];
    if (body.link.empty()) continue;
    const Eigen::Matrix3d to_world =
        frame_pose(tree, tree_workspace(workspace), state.q, tree.frame(body.link), external.base)
            .rotation;
    const std::string& joint =
        tree.is_mimic(i) ? body.joint : tree.coordinates()[body.coordinate].joint;
    result.joints.push_back(
        {joint, body.link, {to_world * wrenches[i].moment, to_world * wrenches[i].force}});
  }
  return result;
}

ordered_json cuts_json(const Mechanism& mechanism, const std::vector<Wrench>& cuts) {
  ordered_json list = ordered_json::array();
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    list.push_back({{"constraint", mechanism.description().constraints[k].name},
                    {"force", vector_json(cuts[k].force)},
                    {"moment", vector_json(cuts[k].moment)}});
  }
  return list;
}

void print_cuts(const Mechanism& mechanism, const std::vector<Wrench>& cuts) {
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    fmt::print("cut {}: force {:.9g} N, moment {:.9g} N m\n",
               mechanism.description().constraints[k].name, fmt::join(cuts[k].force, " "),
               fmt::join(cuts[k].moment, " "));
  }
}

}  // namespace

LoopState loop_state(const Robot& robot, const std::string& q, const std::string& qd) {
  const Mechanism& mechanism = *robot.mechanism;
  const std::size_t joints = mechanism.tree().size();
  MechanismWorkspace workspace(mechanism);
  LoopState state{robot.q0, Vector(joints, 0.0)};
  if (!q.empty()) {
    const Vector given = parse_either("--q", q, mechanism);
    if (given.size() == joints) {
      const double error = loop_error(mechanism, workspace, given);
      if (!(error <= 1e-6)) {
        throw InputError(fmt::format(
            "--q does not close the loops: the error is {:.3g} of the mechanism's size and 1e-6 is "
            "allowed; give the independent joints only",
            error));
      }
      state.q = given;
      project_on_loops(mechanism, workspace, state.q);
    } else {
      close_loops(mechanism, workspace, robot.q0, given, state.q);
    }
  }
  if (!qd.empty()) {
    const Vector given = parse_either("--qd", qd, mechanism);
    if (given.size() == joints) {
      state.qd = given;
      project_on_loops(mechanism, workspace, state.q, state.qd);
    } else {
      for (std::size_t i = 0; i < given.size(); ++i)
        state.qd[mechanism.independent()[i]] = given[i];
      close_velocities(mechanism, workspace, state.q, state.qd);
    }
  }
  return state;
}

void report_loop_inverse(const Robot& robot, const LoopArguments& args) {
  check_algorithm(args.algorithm, "denoc");
  const Mechanism& mechanism = *robot.mechanism;
  MechanismWorkspace workspace(mechanism);
  const LoopState state = loop_state(robot, args.state.q, args.state.qd);
  const Vector given = parse_independent("--qdd", args.input, mechanism);
  Vector qdd(state.q.size(), 0.0), tau(mechanism.size()), torques(mechanism.actuated().size());
  for (std::size_t i = 0; i < given.size(); ++i) qdd[mechanism.independent()[i]] = given[i];
  close_accelerations(mechanism, workspace, state.q, state.qd, qdd);
  const auto wrenches = args.external->link_wrenches(robot.model);
  const ExternalInputs external = {
      .base = args.external->base(), .wrenches = wrenches, .friction = !args.state.no_friction};
  inverse_dynamics(mechanism, workspace, state.q, state.qd, qdd, tau, external);
  require_finite("tau", tau);
  const bool redundant = mechanism.actuated().size() > mechanism.size();
  if (redundant) actuator_torques(mechanism, workspace, state.q, tau, torques);
  Vector all(state.q.size(), 0.0);
  for (std::size_t i = 0; i < tau.size(); ++i) all[mechanism.independent()[i]] = tau[i];
  if (redundant) {
    std::fill(all.begin(), all.end(), 0.0);
    for (std::size_t i = 0; i < torques.size(); ++i) all[mechanism.actuated()[i]] = torques[i];
  }
  Reactions reactions;
  if (args.external->reactions)
    reactions = reactions_of(mechanism, workspace, state, qdd, all, external);
  if (!args.state.json) {
    print_independent(robot, "tau", tau, "N m", "N");
    for (std::size_t i = 0; redundant && i < torques.size(); ++i) {
      fmt::print("{}actuator {}: {:.9g}\n", i == 0 ? "\nleast torques of the actuators\n" : "",
                 robot.model.coordinates()[mechanism.actuated()[i]].name, torques[i]);
    }
    if (args.external->reactions) {
      print_reactions(reactions.joints);
      print_cuts(mechanism, reactions.cuts);
    }
    return;
  }
  auto object = with_joints(robot);
  object["tau"] = tau;
  if (redundant) {
    std::vector<std::string> names;
    for (const std::size_t joint : mechanism.actuated())
      names.push_back(robot.model.coordinates()[joint].name);
    object["actuated"] = names;
    object["actuator_torques"] = torques;
    object["actuation"] = "redundant: least norm";
  }
  if (args.external->reactions) {
    object["reactions"] = reactions_json(reactions.joints);
    object["cuts"] = cuts_json(mechanism, reactions.cuts);
  }
  print_json(object);
}

void report_loop_forward(const Robot& robot, const LoopArguments& args) {
  check_algorithm(args.algorithm, "udut");
  const Mechanism& mechanism = *robot.mechanism;
  MechanismWorkspace workspace(mechanism);
  const LoopState state = loop_state(robot, args.state.q, args.state.qd);
  const Vector given = parse_independent("--tau", args.input, mechanism);
  Vector tau(state.q.size(), 0.0), all(state.q.size());
  for (std::size_t i = 0; i < given.size(); ++i) tau[mechanism.independent()[i]] = given[i];
  const auto wrenches = args.external->link_wrenches(robot.model);
  const ExternalInputs external = {
      .base = args.external->base(), .wrenches = wrenches, .friction = !args.state.no_friction};
  forward_dynamics(mechanism, workspace, state.q, state.qd, tau, all, external);
  require_finite("qdd", all);
  Vector qdd;
  for (const std::size_t joint : mechanism.independent()) qdd.push_back(all[joint]);
  Reactions reactions;
  if (args.external->reactions)
    reactions = reactions_of(mechanism, workspace, state, all, tau, external);
  if (!args.state.json) {
    print_independent(robot, "qdd", qdd, "rad/s^2", "m/s^2");
    if (args.external->reactions) {
      print_reactions(reactions.joints);
      print_cuts(mechanism, reactions.cuts);
    }
    return;
  }
  auto object = with_joints(robot);
  object["qdd"] = qdd;
  if (args.external->reactions) {
    object["reactions"] = reactions_json(reactions.joints);
    object["cuts"] = cuts_json(mechanism, reactions.cuts);
  }
  print_json(object);
}

void report_loop_terms(const Robot& robot, const LoopArguments& args) {
  const Mechanism& mechanism = *robot.mechanism;
  MechanismWorkspace workspace(mechanism);
  const LoopState state = loop_state(robot, args.state.q, args.state.qd);
  const auto d = static_cast<Eigen::Index>(mechanism.size());
  Eigen::MatrixXd M(d, d), C(d, d);
  Vector g(mechanism.size());
  inertia_matrix(mechanism, workspace, state.q, M);
  coriolis_matrix(mechanism, workspace, state.q, state.qd, C);
  gravity_forces(mechanism, workspace, state.q, g);
  const Energy now = energy(mechanism, workspace, state.q, state.qd);
  require_finite("M", {M.data(), static_cast<std::size_t>(M.size())});
  if (!args.state.json) {
    print_matrix("M", M);
    print_matrix("C", C);
    print_independent(robot, "g", g, "N m", "N");
    fmt::print("\nkinetic energy    {:.9g} J\npotential energy  {:.9g} J\n", now.kinetic,
               now.potential);
    return;
  }
  auto object = with_joints(robot);
  object["q"] = state.q;
  object["M"] = matrix_json(M);
  object["C"] = matrix_json(C);
  object["g"] = g;
  object["kinetic"] = now.kinetic;
  object["potential"] = now.potential;
  print_json(object);
}

}  // namespace dynamics::tools
