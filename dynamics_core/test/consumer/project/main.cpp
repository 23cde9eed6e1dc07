// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/version.hpp"

int main() {
  const dynamics::Model model = dynamics::model_from_dh(dynamics::built_in_robot("puma"));
  dynamics::Workspace workspace(model);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model.size()));
  Eigen::VectorXd tau = rest;
  dynamics::inverse_dynamics(model, workspace, rest, rest, rest, tau);
  std::printf("%s %d.%d.%d %.6f\n", DYNAMICS_CORE_VERSION, DYNAMICS_CORE_VERSION_MAJOR,
              DYNAMICS_CORE_VERSION_MINOR, DYNAMICS_CORE_VERSION_PATCH, tau[1]);
}
