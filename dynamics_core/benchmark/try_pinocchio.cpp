// SPDX-License-Identifier: Apache-2.0
// Compiles if pinocchio_peer.cpp can be compiled with the Pinocchio that CMake found.
#include <pinocchio/fwd.hpp>
// must be the first include: it configures Boost
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

int main() {
  pinocchio::Model model;
  const pinocchio::JointIndex joint =
      model.addJoint(0, pinocchio::JointModelRZ(), pinocchio::SE3::Identity(), "joint");
  model.appendBodyToJoint(joint, pinocchio::Inertia::Identity(), pinocchio::SE3::Identity());
  pinocchio::Data data(model);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv);
  pinocchio::rnea(model, data, v, v, v);
  pinocchio::aba(model, data, v, v, v);
  pinocchio::crba(model, data, v);
  return data.tau.size() == data.ddq.size() && data.M.rows() == model.nv ? 0 : 1;
}
