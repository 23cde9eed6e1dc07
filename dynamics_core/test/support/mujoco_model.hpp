// SPDX-License-Identifier: Apache-2.0
#pragma once

// A MuJoCo model from a description, independent of the library under test: MJCF text with inertias
// as principal moments.
//
// A planar or floating joint is a sequence of slide and hinge joints on one body, as in the
// library. Mimic joints are independent. Coulomb friction is ignored.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "dynamics_core/description.hpp"
#include "support/load_mujoco.hpp"

namespace dynamics::test {

class MujocoModel {
 public:
  explicit MujocoModel(const RobotDescription& robot,
                       const Eigen::Vector3d& gravity = {0.0, 0.0, -9.81}) {
    const std::string text = mjcf(robot, gravity);
    model_ = load_mujoco("robot.xml", text);
    model_->opt.enableflags |= mjENBL_ENERGY;
    data_.reset(mj_makeData(model_.get()));
  }

  mjModel* model() { return model_.get(); }
  mjData* data() { return data_.get(); }
  Eigen::Index size() const { return model_->nv; }

  /// MuJoCo's index of a single-axis joint, by the name of the coordinate or mimic joint.
  int degree(const std::string& joint) const {
    const int id = mj_name2id(model_.get(), mjOBJ_JOINT, joint.c_str());
    if (id < 0) throw std::runtime_error("MuJoCo has no joint " + joint);
    return model_->jnt_dofadr[id];
  }
  int body(const std::string& link) const {
    const int id = mj_name2id(model_.get(), mjOBJ_BODY, link.c_str());
    if (id < 0) throw std::runtime_error("MuJoCo has no body " + link);
    return id;
  }

  /// Entry i of a vector over `names` is MuJoCo's entry order[i].
  std::vector<int> order(const std::vector<std::string>& names) const {
    std::vector<int> result;
    result.reserve(names.size());
    for (const auto& name : names) result.push_back(degree(name));
    return result;
  }

  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                 const std::vector<int>& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      data_->qpos[order[i]] = q[static_cast<Eigen::Index>(i)];
      data_->qvel[order[i]] = qd[static_cast<Eigen::Index>(i)];
    }
  }

  Eigen::VectorXd inverse(const Eigen::VectorXd& qdd, const std::vector<int>& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      data_->qacc[order[i]] = qdd[static_cast<Eigen::Index>(i)];
    }
    mj_inverse(model_.get(), data_.get());
    return gather(data_->qfrc_inverse, order);
  }

  Eigen::VectorXd forward(const Eigen::VectorXd& tau, const std::vector<int>& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      data_->qfrc_applied[order[i]] = tau[static_cast<Eigen::Index>(i)];
    }
    mj_forward(model_.get(), data_.get());
    return gather(data_->qacc, order);
  }

  /// After inverse() or forward().
  Eigen::MatrixXd inertia_matrix(const std::vector<int>& order) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    RowMajor full(size(), size());
    mj_fullM(model_.get(), full.data(), data_->qM);
    const auto n = static_cast<Eigen::Index>(order.size());
    Eigen::MatrixXd result(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        result(i, j) = full(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
      }
    }
    return result;
  }

  Eigen::Vector3d position(int body) const {
    return Eigen::Map<const Eigen::Vector3d>(data_->xpos + 3 * body);
  }
  Eigen::Matrix3d rotation(int body) const {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * body);
  }
  Eigen::Vector3d center(int body) const {
    return Eigen::Map<const Eigen::Vector3d>(data_->xipos + 3 * body);
  }

 private:
  static Eigen::VectorXd gather(const mjtNum* from, const std::vector<int>& order) {
    Eigen::VectorXd result(static_cast<Eigen::Index>(order.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
      result[static_cast<Eigen::Index>(i)] = from[order[i]];
    }
    return result;
  }

  static std::string text(const Eigen::Vector3d& v) {
    return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z());
  }
  static std::string text(const Eigen::Matrix3d& rotation) {
    const Eigen::Quaterniond q(rotation);
    return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w(), q.x(), q.y(), q.z());
  }

  static std::string joint_text(const JointDescription& joint) {
    const auto one = [&](const std::string& name, bool slides, const Eigen::Vector3d& axis) {
      return fmt::format(
          "<joint name='{}' type='{}' axis='{}' armature='{:.17g}' damping='{:.17g}'/>\n", name,
          slides ? "slide" : "hinge", text(axis), joint.rotor_inertia, joint.damping);
    };
    const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(),
                          z = Eigen::Vector3d::UnitZ();
    const std::string& n = joint.name;
    switch (joint.type) {
      case JointType::fixed: return "";
      case JointType::revolute:
      case JointType::continuous: return one(n, false, joint.axis.normalized());
      case JointType::prismatic: return one(n, true, joint.axis.normalized());
      case JointType::planar:
        if (joint.axis.normalized() != z) throw std::invalid_argument("planar joints: about z");
        return one(n + "/x", true, x) + one(n + "/y", true, y) + one(n + "/yaw", false, z);
      case JointType::floating:
        return one(n + "/x", true, x) + one(n + "/y", true, y) + one(n + "/z", true, z) +
               one(n + "/yaw", false, z) + one(n + "/pitch", false, y) + one(n + "/roll", false, x);
    }
    return "";
  }

  /// MuJoCo requires masses and moments above 1e-15 for moving bodies: slender rods and massless
  /// links get this minimum, which is round-off relative to the others.
  static std::string inertial_text(const Inertial& inertial) {
    constexpr double least = 2e-15;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(inertial.inertia);
    Eigen::Matrix3d axes = eigen.eigenvectors();
    if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
    return fmt::format("<inertial pos='{}' quat='{}' mass='{:.17g}' diaginertia='{}'/>\n",
                       text(inertial.center), text(axes), std::max(inertial.mass, least),
                       text(Eigen::Vector3d(eigen.eigenvalues().cwiseMax(least))));
  }

  struct Links {
    std::map<std::string, const LinkDescription*> by_name;
    std::map<std::string, std::vector<const JointDescription*>> children;
  };

  static std::string body_text(const Links& links, const JointDescription& joint, bool moves) {
    moves = moves || joint.type != JointType::fixed;
    std::string result = fmt::format("<body name='{}' pos='{}' quat='{}'>\n", joint.child,
                                     text(joint.origin.translation), text(joint.origin.rotation));
    const auto& inertial = links.by_name.at(joint.child)->inertial;
    // links fixed to the base do not contribute to the energies
    if (moves) result += inertial_text(inertial.value_or(Inertial{}));
    result += joint_text(joint);
    const auto found = links.children.find(joint.child);
    if (found != links.children.end()) {
      for (const auto* child : found->second) result += body_text(links, *child, moves);
    }
    return result + "</body>\n";
  }

  static std::string mjcf(const RobotDescription& robot, const Eigen::Vector3d& gravity) {
    Links links;
    std::map<std::string, bool> is_child;
    for (const auto& link : robot.links) links.by_name[link.name] = &link;
    for (const auto& joint : robot.joints) {
      links.children[joint.parent].push_back(&joint);
      is_child[joint.child] = true;
    }
    std::string bodies;
    for (const auto& link : robot.links) {
      if (is_child[link.name]) continue;
      for (const auto* joint : links.children[link.name]) {
        bodies += body_text(links, *joint, false);
      }
    }
    return fmt::format(
        "<mujoco model='robot'>\n"
        "<compiler angle='radian' balanceinertia='false' inertiafromgeom='false' boundmass='0' "
        "boundinertia='0'/>\n"
        "<option gravity='{}'/>\n<worldbody>\n{}</worldbody>\n</mujoco>\n",
        text(gravity), bodies);
  }

  MujocoModelPointer model_;
  MujocoDataPointer data_;
};

}  // namespace dynamics::test
