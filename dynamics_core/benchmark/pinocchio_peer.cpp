// SPDX-License-Identifier: Apache-2.0
// The only file that includes Pinocchio's rigid dynamics; see pinocchio_peer.hpp.
#include <pinocchio/fwd.hpp>
// must be the first include: it configures Boost
#include <map>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pinocchio_peer.hpp"

namespace dynamics::benchmark {
namespace {

using Vector3 = Eigen::Map<const Eigen::Vector3d>;
using Matrix3 = Eigen::Map<const Eigen::Matrix3d>;

/// Joints about or along a coordinate axis have the faster types that the URDF parser chooses.
pinocchio::JointModel joint_model(const PinocchioJoint& joint) {
  const Eigen::Vector3d axis = Vector3(joint.axis).normalized();
  const bool turns = joint.type == PinocchioJoint::revolute;
  if (axis == Eigen::Vector3d::UnitX()) {
    if (turns) return pinocchio::JointModelRX();
    return pinocchio::JointModelPX();
  }
  if (axis == Eigen::Vector3d::UnitY()) {
    if (turns) return pinocchio::JointModelRY();
    return pinocchio::JointModelPY();
  }
  if (axis == Eigen::Vector3d::UnitZ()) {
    if (turns) return pinocchio::JointModelRZ();
    return pinocchio::JointModelPZ();
  }
  if (turns) return pinocchio::JointModelRevoluteUnaligned(axis);
  return pinocchio::JointModelPrismaticUnaligned(axis);
}

class Peer : public PinocchioPeer {
 public:
  Peer(const PinocchioJoint* joints, std::size_t count, const std::string& frame) {
    // for every link: its joint, and the link's frame in that of the joint
    std::map<std::string, std::pair<pinocchio::JointIndex, pinocchio::SE3>> links;
    for (std::size_t i = 0; i < count; ++i) {
      const PinocchioJoint& joint = joints[i];
      // a link that is not yet in the map is the base
      const auto [parent, own] =
          links.try_emplace(joint.parent, pinocchio::JointIndex{0}, pinocchio::SE3::Identity())
              .first->second;
      const pinocchio::SE3 origin =
          own * pinocchio::SE3(Matrix3(joint.rotation), Vector3(joint.translation));
      auto attachment = std::make_pair(parent, origin);
      if (joint.type != PinocchioJoint::fixed) {
        attachment = {model_.addJoint(parent, joint_model(joint), origin, joint.name),
                      pinocchio::SE3::Identity()};
      }
      model_.appendBodyToJoint(
          attachment.first,
          pinocchio::Inertia(joint.mass, Vector3(joint.center), Matrix3(joint.inertia)),
          attachment.second);
      links[joint.child] = attachment;
    }
    const auto& [joint, placement] = links.at(frame);
    frame_ = model_.addFrame(pinocchio::Frame(frame, joint, 0, placement, pinocchio::OP_FRAME));
    data_ = pinocchio::Data(model_);
    jacobian_.setZero(6, model_.nv);
  }

  std::size_t size() const override { return static_cast<std::size_t>(model_.nv); }
  std::size_t index(const char* joint) const override {
    if (!model_.existJointName(joint)) throw std::runtime_error(std::string("Pinocchio: ") + joint);
    return static_cast<std::size_t>(model_.idx_vs[model_.getJointId(joint)]);
  }
  void add_state(const double* q, const double* qd, const double* u) override {
    const auto copy = [&](const double* from) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(from, model_.nv));
    };
    q_.push_back(copy(q));
    qd_.push_back(copy(qd));
    u_.push_back(copy(u));
  }

  void run(PinocchioWork work, std::size_t first, std::size_t calls) override {
    using Work = PinocchioWork;
    for (std::size_t k = first; k < first + calls; ++k) {
      const std::size_t i = k % q_.size();
      switch (work) {
        case Work::inverse: pinocchio::rnea(model_, data_, q_[i], qd_[i], u_[i]); break;
        case Work::forward: pinocchio::aba(model_, data_, q_[i], qd_[i], u_[i]); break;
        case Work::inertia_matrix: pinocchio::crba(model_, data_, q_[i]); break;
        case Work::inverse_inertia_matrix: pinocchio::computeMinverse(model_, data_, q_[i]); break;
        case Work::inverse_derivatives:
          pinocchio::computeRNEADerivatives(model_, data_, q_[i], qd_[i], u_[i]);
          break;
        case Work::forward_derivatives:
          pinocchio::computeABADerivatives(model_, data_, q_[i], qd_[i], u_[i]);
          break;
        case Work::jacobian:
          pinocchio::computeFrameJacobian(model_, data_, q_[i], frame_, pinocchio::LOCAL,
                                          jacobian_);
          break;
        case Work::gravity: pinocchio::computeGeneralizedGravity(model_, data_, q_[i]); break;
      }
    }
  }

  void result(PinocchioWork work, double* out) const override {
    using Work = PinocchioWork;
    const auto put = [&](const Eigen::MatrixXd& matrix) {
      Eigen::Map<Eigen::MatrixXd>(out, matrix.rows(), matrix.cols()) = matrix;
      out += matrix.size();
    };
    // only the upper triangles of M and M^-1 are computed
    const auto symmetric = [](const auto& matrix) -> Eigen::MatrixXd {
      return matrix.template selfadjointView<Eigen::Upper>();
    };
    switch (work) {
      case Work::inverse: put(data_.tau); break;
      case Work::forward: put(data_.ddq); break;
      case Work::inertia_matrix: put(symmetric(data_.M)); break;
      case Work::inverse_inertia_matrix: put(symmetric(data_.Minv)); break;
      case Work::inverse_derivatives:
        put(data_.dtau_dq);
        put(data_.dtau_dv);
        break;
      case Work::forward_derivatives:
        put(data_.ddq_dq);
        put(data_.ddq_dv);
        put(symmetric(data_.Minv));
        break;
      case Work::jacobian: {
        Eigen::MatrixXd angular_first(6, jacobian_.cols());
        angular_first << jacobian_.bottomRows(3), jacobian_.topRows(3);
        put(angular_first);
        break;
      }
      case Work::gravity: put(data_.g); break;
    }
  }

 private:
  pinocchio::Model model_;
  pinocchio::Data data_;
  pinocchio::FrameIndex frame_ = 0;
  pinocchio::Data::Matrix6x jacobian_;
  std::vector<Eigen::VectorXd> q_, qd_, u_;
};

}  // namespace

extern "C" PinocchioPeer* dynamics_make_pinocchio_peer(const PinocchioJoint* joints,
                                                       std::size_t count, const char* frame) {
  return new Peer(joints, count, frame);
}

}  // namespace dynamics::benchmark
