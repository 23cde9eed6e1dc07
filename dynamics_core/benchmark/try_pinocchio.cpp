// SPDX-License-Identifier: Apache-2.0
// Whether the Pinocchio that CMake has found is one that peer_pinocchio.cpp can be compiled with.
#include <pinocchio/fwd.hpp>
// first of all: it configures boost
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/parsers/urdf.hpp>
#include <string>

int main() {
  pinocchio::Model model;
  pinocchio::urdf::buildModelFromXML(std::string("<robot name='r'><link name='l'/></robot>"),
                                     model);
  pinocchio::Data data(model);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv);
  const Eigen::VectorXd q = pinocchio::integrate(model, pinocchio::neutral(model), v);
  pinocchio::rnea(model, data, q, v, v);
  pinocchio::aba(model, data, q, v, v);
  pinocchio::crba(model, data, q);
  return 0;
}
