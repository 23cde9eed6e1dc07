// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "dynamics_core/formulations.hpp"
#include "external_arguments.hpp"
#include "flexible_report.hpp"
#include "loop_report.hpp"
#include "report.hpp"
#include "robot.hpp"

namespace dynamics::tools {

void add_forward(CLI::App& app, Outcome&) {
  struct Arguments : StateArguments {
    std::string tau, algorithm = "udut";
    ExternalArguments external;
  };
  auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "forward", "Forward dynamics: joint accelerations for given joint torques");
  args->add_state_to(*command);
  command->add_option("--tau", args->tau, "joint torques, forces of prismatic joints (default: 0)");
  command->add_option("--algorithm", args->algorithm,
                      "lagrange, strobing, walker-orin, articulated-body, nasser, denoc-explicit, "
                      "saha-2003 or udut (default); flexible links: udut or cholesky");
  args->external.add_to(*command);
  args->add_flags_to(*command, true);
  command->callback([args] {
    Robot robot = args->robot.load_robot_or_mechanism();
    if (robot.mechanism) {
      report_loop_forward(robot, {*args, args->tau, args->algorithm, &args->external});
      return;
    }
    warn_outside_limits(robot, "--q", args->q);
    if (const auto flexible = flexible_model(robot, args->rigid)) {
      args->external.refuse_all_but_wrenches(needs_rigid_links);
      report_forward(*flexible, robot,
                     {.q = args->q,
                      .qd = args->qd,
                      .tau = args->tau,
                      .algorithm = args->algorithm,
                      .friction = !args->no_friction,
                      .json = args->json,
                      .wrenches = args->external.link_wrenches(robot.model)});
      return;
    }
    const std::size_t n = robot.model.size();
    const std::vector<double> zero(n, 0.0);
    const auto q = parse_vector("--q", args->q, n, robot.q0);
    const auto qd = parse_vector("--qd", args->qd, n, zero);
    const auto tau = parse_vector("--tau", args->tau, n, zero);
    const auto wrenches = args->external.link_wrenches(robot.model);
    const ExternalInputs external = {
        .base = args->external.base(), .wrenches = wrenches, .friction = !args->no_friction};
    const Eigen::VectorXd accelerations = formulations::forward_dynamics(
        formulations::find(args->algorithm), robot.model, q, qd, tau, external);
    const std::vector<double> qdd(accelerations.begin(), accelerations.end());
    require_finite("qdd", qdd);
    std::vector<Reaction> reactions;
    if (args->external.reactions) reactions = joint_reactions(robot.model, q, qd, qdd, external);
    if (args->json) {
      auto object = with_joints(robot);
      object["qdd"] = qdd;
      if (args->external.reactions) object["reactions"] = reactions_json(reactions);
      print_json(object);
    } else {
      print_table(robot.model, {{"qdd", qdd, "rad/s^2", "m/s^2"}});
      if (args->external.reactions) print_reactions(reactions);
    }
  });
}

}  // namespace dynamics::tools
