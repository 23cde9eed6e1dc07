// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "denoc_report.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "flexible_report.hpp"
#include "loop_report.hpp"
#include "report.hpp"
#include "robot.hpp"

namespace dynamics::tools {
void add_terms(CLI::App& app, Outcome&) {
  struct Arguments : StateArguments {
    bool denoc = false;
  };
  auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "terms", "Terms of M qdd + C qd + g = tau, energies, and the factorization M = U D U^T");
  args->add_state_to(*command);
  command->add_flag("--denoc", args->denoc,
                    "also print the DeNOC matrices, composite and articulated inertias, and the "
                    "steps of the elimination");
  args->add_flags_to(*command, false);
  command->callback([args] {
    Robot robot = args->robot.load_robot_or_mechanism();
    if (robot.mechanism) {
      if (args->denoc) throw InputError("--denoc: this robot has closed loops");
      report_loop_terms(robot, {*args, "", "udut"});
      return;
    }
    warn_outside_limits(robot, "--q", args->q);
    if (const auto flexible = flexible_model(robot, args->rigid)) {
      if (args->denoc) throw InputError("--denoc: this robot has flexible links; add --rigid");
      report_terms(*flexible, robot,
                   {.q = args->q, .qd = args->qd, .friction = false, .json = args->json});
      return;
    }
    const Model& model = robot.model;
    const auto n = static_cast<Eigen::Index>(model.size());
    const auto q = parse_vector("--q", args->q, model.size(), robot.q0);
    const auto qd =
        parse_vector("--qd", args->qd, model.size(), std::vector<double>(model.size(), 0.0));
    Workspace workspace(model);
    Eigen::MatrixXd M(n, n), C(n, n), U(n, n);
    std::vector<double> g(model.size()), d(model.size());
    inertia_matrix(model, workspace, q, M);
    coriolis_matrix(model, workspace, q, qd, C);
    gravity_forces(model, workspace, q, g);
    const Energy now = energy(model, workspace, q, qd);
    bool decomposed = true;
    std::string reason;
    try {
      udut(model, workspace, q, U, d);
    } catch (const StateError& error) {  // M is singular; the other terms exist
      decomposed = false;
      reason = error.what();
    }
    require_finite("M", {M.data(), static_cast<std::size_t>(M.size())});
    require_finite("C", {C.data(), static_cast<std::size_t>(C.size())});
    require_finite("g", g);
    if (args->json) {
      auto object = with_joints(robot);
      object["M"] = matrix_json(M);
      object["C"] = matrix_json(C);
      object["g"] = g;
      object["kinetic"] = now.kinetic;
      object["potential"] = now.potential;
      object["U"] = decomposed ? matrix_json(U) : ordered_json(nullptr);
      object["D"] = decomposed ? ordered_json(d) : ordered_json(nullptr);
      if (args->denoc) object["denoc"] = denoc_json(model, q, qd);
      print_json(object);
      return;
    }
    print_matrix("M", M);
    print_matrix("C", C);
    if (decomposed) {
      print_matrix("U", U);
      print_table(model, {{"g", g, "N m", "N"}, {"D", d, "kg m^2", "kg"}});
    } else {
      fmt::print("U, D: {}\n\n", reason);
      print_table(model, {{"g", g, "N m", "N"}});
    }
    fmt::print("\nkinetic energy    {:.9g} J\npotential energy  {:.9g} J\n", now.kinetic,
               now.potential);
    if (args->denoc) print_denoc(model, q, qd);
  });
}

}  // namespace dynamics::tools
