// SPDX-License-Identifier: Apache-2.0
// Pinocchio, if CMake finds it and this file compiles with it.
#ifdef DYNAMICS_PINOCCHIO
#include <pinocchio/fwd.hpp>
// must be the first include: it configures Boost
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#endif

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "benchmark_cases.hpp"
#include "dynamics_core/description.hpp"

namespace dynamics::benchmark {

#ifndef DYNAMICS_PINOCCHIO
std::vector<BenchmarkCase> pinocchio() { return {}; }
std::string pinocchio_version() { return ""; }
#else

namespace {

::pinocchio::SE3 to_pinocchio(const Pose& pose) { return {pose.rotation, pose.translation}; }

/// Builds the model joint by joint, since not every build of Pinocchio has the URDF parser. Joints
/// about a coordinate axis have the faster types that the parser would choose.
::pinocchio::Model to_pinocchio(const RobotDescription& robot) {
  ::pinocchio::Model model;
  // for every link: its joint and the pose of the link frame in the joint frame
  std::map<std::string, std::pair<::pinocchio::JointIndex, ::pinocchio::SE3>> joint_of_link;
  std::map<std::string, const Inertial*> bodies;
  for (const LinkDescription& link : robot.links) {
    bodies[link.name] = link.inertial ? &*link.inertial : nullptr;
  }
  for (const JointDescription& joint : robot.joints) {
    // a link that is not yet in the map is the base
    const auto& [parent, frame] =
        joint_of_link
            .try_emplace(joint.parent, ::pinocchio::JointIndex{0}, ::pinocchio::SE3::Identity())
            .first->second;
    const ::pinocchio::SE3 origin = frame * to_pinocchio(joint.origin);
    auto attachment = std::make_pair(parent, origin);
    if (joint.type != JointType::fixed) {
      if (joint.type != JointType::revolute && joint.type != JointType::continuous) {
        throw std::invalid_argument("Pinocchio: the type of joint '" + joint.name +
                                    "' is not supported here");
      }
      ::pinocchio::JointModel type = ::pinocchio::JointModelRevoluteUnaligned(joint.axis);
      if (joint.axis == Eigen::Vector3d::UnitX()) type = ::pinocchio::JointModelRX();
      if (joint.axis == Eigen::Vector3d::UnitY()) type = ::pinocchio::JointModelRY();
      if (joint.axis == Eigen::Vector3d::UnitZ()) type = ::pinocchio::JointModelRZ();
      attachment = {model.addJoint(parent, type, origin, joint.name), ::pinocchio::SE3::Identity()};
    }
    if (const Inertial* body = bodies.at(joint.child)) {
      model.appendBodyToJoint(attachment.first,
                              ::pinocchio::Inertia(body->mass, body->center, body->inertia),
                              attachment.second);
    }
    joint_of_link[joint.child] = attachment;
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

std::vector<BenchmarkCase> pinocchio() {
  const auto peer = std::make_shared<Pinocchio>();
  const auto inverse = [peer](std::size_t k) {
    const std::size_t i = k % peer->states.count;
    ::pinocchio::rnea(peer->model, peer->data, peer->q[i], peer->qd[i], peer->u[i]);
  };
  const auto forward = [peer](std::size_t k) {
    const std::size_t i = k % peer->states.count;
    ::pinocchio::aba(peer->model, peer->data, peer->q[i], peer->qd[i], peer->u[i]);
  };
  const auto matrix = [peer](std::size_t k) {
    ::pinocchio::crba(peer->model, peer->data, peer->q[k % peer->states.count]);
  };
  return {state_by_state("inverse", "pinocchio", inverse, [peer] { return peer->data.tau; }),
          state_by_state("forward", "pinocchio", forward, [peer] { return peer->data.ddq; }),
          state_by_state("inertia matrix", "pinocchio", matrix, [peer]() -> Eigen::MatrixXd {
            // only the upper triangle is computed
            return peer->data.M.selfadjointView<Eigen::Upper>();
          })};
}

std::string pinocchio_version() { return DYNAMICS_PINOCCHIO; }
#endif

}  // namespace dynamics::benchmark
