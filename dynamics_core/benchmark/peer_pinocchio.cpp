// SPDX-License-Identifier: Apache-2.0
// Pinocchio, if CMake finds it and pinocchio_peer.cpp compiles with it.
#include "benchmark_cases.hpp"

#ifndef DYNAMICS_PINOCCHIO
namespace dynamics::benchmark {
std::vector<BenchmarkCase> pinocchio(const Model&) { return {}; }
std::string pinocchio_version() { return ""; }
}  // namespace dynamics::benchmark
#else

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "dynamics_core/description.hpp"
#include "peer_states.hpp"
#include "pinocchio_peer.hpp"

namespace dynamics::benchmark {
namespace {

/// Depth first, as Pinocchio needs the joints: those beyond a joint follow it.
std::vector<const JointDescription*> depth_first(const RobotDescription& robot) {
  std::set<std::string> children;
  for (const JointDescription& joint : robot.joints) children.insert(joint.child);
  std::vector<const JointDescription*> all;
  const auto add = [&](const auto& self, const std::string& link) -> void {
    for (const JointDescription& joint : robot.joints) {
      if (joint.parent != link) continue;
      all.push_back(&joint);
      self(self, joint.child);
    }
  };
  for (const LinkDescription& link : robot.links) {
    if (!children.contains(link.name)) add(add, link.name);
  }
  return all;
}

std::vector<PinocchioJoint> plain_joints(const RobotDescription& robot) {
  std::map<std::string, const Inertial*> bodies;
  for (const LinkDescription& link : robot.links) {
    bodies[link.name] = link.inertial ? &*link.inertial : nullptr;
  }
  std::vector<PinocchioJoint> all;
  for (const JointDescription* each : depth_first(robot)) {
    const JointDescription& joint = *each;
    PinocchioJoint plain = {};
    plain.name = joint.name.c_str();
    plain.parent = joint.parent.c_str();
    plain.child = joint.child.c_str();
    switch (joint.type) {
      case JointType::fixed: plain.type = PinocchioJoint::fixed; break;
      case JointType::revolute:
      case JointType::continuous: plain.type = PinocchioJoint::revolute; break;
      case JointType::prismatic: plain.type = PinocchioJoint::prismatic; break;
      default:
        throw std::invalid_argument("Pinocchio: the type of joint '" + joint.name +
                                    "' is not supported here");
    }
    const auto copy = [](const auto& from, double* to) {
      std::copy_n(from.data(), from.size(), to);
    };
    copy(joint.axis, plain.axis);
    copy(joint.origin.rotation, plain.rotation);
    copy(joint.origin.translation, plain.translation);
    if (const Inertial* body = bodies.at(joint.child)) {
      plain.mass = body->mass;
      copy(body->center, plain.center);
      copy(body->inertia, plain.inertia);
    }
    all.push_back(plain);
  }
  return all;
}

struct Pinocchio {
  explicit Pinocchio(const Model& model)
      : joints(plain_joints(model.description())),
        peer(dynamics_make_pinocchio_peer(joints.data(), joints.size(),
                                          model.frames().back().name.c_str())),
        states(model, [this](const std::string& joint) { return peer->index(joint.c_str()); }),
        n(static_cast<Eigen::Index>(peer->size())) {
    if (peer->size() != model.body_count()) throw std::runtime_error("Pinocchio: other joints");
    for (std::size_t k = 0; k < peer_states; ++k) {
      peer->add_state(states.q(k).data(), states.qd(k).data(), states.u(k).data());
    }
  }
  Eigen::MatrixXd over_bodies(PinocchioWork work, Eigen::Index rows, Eigen::Index columns) const {
    Eigen::MatrixXd all(rows, columns);
    peer->result(work, all.data());
    return all;
  }
  std::vector<PinocchioJoint> joints;
  std::unique_ptr<PinocchioPeer> peer;
  PeerStates states;
  Eigen::Index n;
  Eigen::MatrixXd projected;
};

}  // namespace

std::vector<BenchmarkCase> pinocchio(const Model& model) {
  using Work = PinocchioWork;
  const auto peer = std::make_shared<Pinocchio>(model);
  const bool mimic = peer->states.has_mimic();
  std::vector<BenchmarkCase> all;
  // with mimic joints the projection is a part of the work
  const auto add = [&](const char* name, Work work, const auto& result) {
    const auto run = [peer, work, mimic, result](std::size_t first, std::size_t calls) {
      if (!mimic) {
        peer->peer->run(work, first, calls);
        return;
      }
      for (std::size_t k = first; k < first + calls; ++k) {
        peer->peer->run(work, k, 1);
        peer->projected = result();
      }
    };
    all.push_back({name, "pinocchio", 1, 1, run, result});
  };
  const auto forces = [&](const char* name, Work work) {
    add(name, work, [peer, work]() -> Eigen::MatrixXd {
      return peer->states.forces(peer->over_bodies(work, peer->n, 1).col(0));
    });
  };
  /// `count` matrices side by side
  const auto matrices = [&](const char* name, Work work, Eigen::Index count) {
    add(name, work, [peer, work, count, size = static_cast<Eigen::Index>(model.size())] {
      const Eigen::MatrixXd bodies = peer->over_bodies(work, peer->n, count * peer->n);
      Eigen::MatrixXd result(size, count * size);
      for (Eigen::Index k = 0; k < count; ++k) {
        result.middleCols(k * size, size) =
            peer->states.matrix(bodies.middleCols(k * peer->n, peer->n));
      }
      return result;
    });
  };
  forces("inverse", Work::inverse);
  forces("gravity", Work::gravity);
  matrices("inertia matrix", Work::inertia_matrix, 1);
  matrices("inverse derivatives", Work::inverse_derivatives, 2);
  add("jacobian", Work::jacobian, [peer]() -> Eigen::MatrixXd {
    return peer->states.columns(peer->over_bodies(Work::jacobian, 6, peer->n));
  });
  if (mimic) return all;  // forward dynamics with mimic joints: not by Pinocchio's functions
  forces("forward", Work::forward);
  matrices("inverse inertia matrix", Work::inverse_inertia_matrix, 1);
  matrices("forward derivatives", Work::forward_derivatives, 3);
  return all;
}

std::string pinocchio_version() { return DYNAMICS_PINOCCHIO; }

}  // namespace dynamics::benchmark
#endif
