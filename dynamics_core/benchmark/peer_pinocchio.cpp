// SPDX-License-Identifier: Apache-2.0
// Pinocchio, where CMake finds it and can compile this file with it.
#ifdef DYNAMICS_PINOCCHIO
#include <pinocchio/fwd.hpp>
// first of all: it configures boost
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#endif

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "contenders.hpp"
#include "dynamics_core/description.hpp"

namespace dynamics::benchmark {

#ifndef DYNAMICS_PINOCCHIO
std::vector<Contender> pinocchio() { return {}; }
std::string pinocchio_version() { return ""; }
#else

namespace {

::pinocchio::SE3 to_pinocchio(const Pose& pose) { return {pose.rotation, pose.translation}; }

/// Joint by joint, and not by Pinocchio's reader of URDFs, which not every build of it has. Joints
/// about an axis of the frame are of the faster types, as that reader makes them.
::pinocchio::Model to_pinocchio(const RobotDescription& robot) {
  ::pinocchio::Model model;
  // the joint that carries a link, and where the link's frame is in the joint's
  std::map<std::string, std::pair<::pinocchio::JointIndex, ::pinocchio::SE3>> carriers;
  std::map<std::string, const Inertial*> bodies;
  for (const LinkDescription& link : robot.links) {
    bodies[link.name] = link.inertial ? &*link.inertial : nullptr;
  }
  for (const JointDescription& joint : robot.joints) {
    // what no joint has carried before is the base
    const auto& [parent, frame] =
        carriers.try_emplace(joint.parent, ::pinocchio::JointIndex{0}, ::pinocchio::SE3::Identity())
            .first->second;
    const ::pinocchio::SE3 origin = frame * to_pinocchio(joint.origin);
    auto carrier = std::make_pair(parent, origin);
    if (joint.type != JointType::fixed) {
      if (joint.type != JointType::revolute && joint.type != JointType::continuous) {
        throw std::invalid_argument("Pinocchio: a joint like '" + joint.name + "' is not foreseen");
      }
      ::pinocchio::JointModel type = ::pinocchio::JointModelRevoluteUnaligned(joint.axis);
      if (joint.axis == Eigen::Vector3d::UnitX()) type = ::pinocchio::JointModelRX();
      if (joint.axis == Eigen::Vector3d::UnitY()) type = ::pinocchio::JointModelRY();
      if (joint.axis == Eigen::Vector3d::UnitZ()) type = ::pinocchio::JointModelRZ();
      carrier = {model.addJoint(parent, type, origin, joint.name), ::pinocchio::SE3::Identity()};
    }
    if (const Inertial* body = bodies.at(joint.child)) {
      model.appendBodyToJoint(carrier.first,
                              ::pinocchio::Inertia(body->mass, body->centre, body->inertia),
                              carrier.second);
    }
    carriers[joint.child] = carrier;
  }
  return model;
}

struct Pinocchio {
  Pinocchio() : states(6, 256), model(to_pinocchio(puma().description())), data(model) {
    if (model.nq != 6 || model.nv != 6) throw std::runtime_error("Pinocchio: not six joints");
    const auto eigen = [&](const std::vector<double>& rows, std::size_t k) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(rows.data() + k * 6, 6));
    };
    for (std::size_t k = 0; k < states.count; ++k) {
      q.push_back(eigen(states.q, k));
      qd.push_back(eigen(states.qd, k));
      u.push_back(eigen(states.u, k));
    }
  }
  States states;
  ::pinocchio::Model model;
  ::pinocchio::Data data;
  std::vector<Eigen::VectorXd> q, qd, u;
};

}  // namespace

std::vector<Contender> pinocchio() {
  const auto peer = std::make_shared<Pinocchio>();
  std::vector<Contender> all;
  all.push_back({"inverse", "pinocchio", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     const std::size_t i = k % peer->states.count;
                     ::pinocchio::rnea(peer->model, peer->data, peer->q[i], peer->qd[i],
                                       peer->u[i]);
                   }
                 },
                 [peer] { return peer->data.tau; }});
  all.push_back({"forward", "pinocchio", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     const std::size_t i = k % peer->states.count;
                     ::pinocchio::aba(peer->model, peer->data, peer->q[i], peer->qd[i], peer->u[i]);
                   }
                 },
                 [peer] { return peer->data.ddq; }});
  all.push_back({"inertia matrix", "pinocchio", 1, 1,
                 [peer](std::size_t first, std::size_t calls) {
                   for (std::size_t k = first; k < first + calls; ++k) {
                     const std::size_t i = k % peer->states.count;
                     ::pinocchio::crba(peer->model, peer->data, peer->q[i]);
                   }
                 },
                 [peer]() -> Eigen::MatrixXd {
                   // only the upper half is filled
                   return peer->data.M.selfadjointView<Eigen::Upper>();
                 }});
  return all;
}

std::string pinocchio_version() { return DYNAMICS_PINOCCHIO; }
#endif

}  // namespace dynamics::benchmark
