// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "dynamics_core/dh_table.hpp"
#include "dynamics_core/inverse_dynamics.hpp"

int main() {
  const dynamics::Model model = dynamics::model_from_dh(dynamics::built_in_robot("puma"));
  dynamics::Workspace workspace(model);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model.size()));
  Eigen::VectorXd tau = rest;
  dynamics::inverse_dynamics(model, workspace, rest, rest, rest, tau);
  std::printf("%.6f\n", tau[1]);
}
