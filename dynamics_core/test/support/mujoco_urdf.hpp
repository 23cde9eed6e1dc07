// SPDX-License-Identifier: Apache-2.0
#pragma once

// A URDF read by MuJoCo. MuJoCo ignores mimic couplings and rotor inertias; friction is removed, so
// that only the rigid-body dynamics are compared.
//
// Entries of vectors and matrices are in the order of `degrees`, with the library's names: JOINT/x
// ... for planar and floating joints. MuJoCo's free joint has a quaternion instead of three angles,
// and velocities v = E qd, dv/dt = E qdd + E' qd. MuJoCo supports floating joints only at the root,
// which must be named "world", and planar joints only with normal z.

#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/load_mujoco.hpp"

namespace dynamics::test {

class MujocoUrdf {
 public:
  /// `text` must end with </robot>. Throws std::runtime_error if MuJoCo cannot read it.
  explicit MujocoUrdf(std::string text, const Eigen::Vector3d& gravity = {0.0, 0.0, -9.81}) {
    const std::size_t end = text.rfind("</robot>");
    if (end == std::string::npos) throw std::runtime_error("not a URDF");
    // keep links behind fixed joints; increase the zero moment of a slender rod to the minimum
    text.insert(end,
                "<mujoco><compiler fusestatic='false' balanceinertia='false' "
                "inertiafromgeom='false' boundmass='2e-15' boundinertia='2e-15'/></mujoco>");
    model_ = load_mujoco("robot.urdf", text);
    std::copy_n(gravity.data(), 3, model_->opt.gravity);
    std::fill_n(model_->dof_damping, model_->nv, 0.0);
    data_.reset(mj_makeData(model_.get()));
    read_degrees();
  }

  Eigen::Index size() const { return model_->nv; }

  /// Entry i of the given names is MuJoCo's entry order[i].
  std::vector<Eigen::Index> order(const std::vector<std::string>& names) const {
    std::vector<Eigen::Index> result;
    for (const std::string& name : names) {
      const auto found = std::find(degrees_.begin(), degrees_.end(), name);
      if (found == degrees_.end()) throw std::runtime_error("MuJoCo has no joint " + name);
      result.push_back(found - degrees_.begin());
    }
    return result;
  }

  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& qd) {
    E_ = Eigen::MatrixXd::Identity(size(), size());
    drift_ = Eigen::VectorXd::Zero(size());
    for (int j = 0; j < model_->njnt; ++j) {
      const int at = model_->jnt_qposadr[j], degree = model_->jnt_dofadr[j];
      if (model_->jnt_type[j] == mjJNT_FREE) {
        set_free_joint(model_->jnt_bodyid[j], at, q.segment<6>(degree), qd.segment<6>(degree),
                       degree);
      } else {
        data_->qpos[at] = q[degree];
      }
    }
    Eigen::Map<Eigen::VectorXd>(data_->qvel, size()) = E_ * qd;
  }

  /// M qdd + C qd + g at the state.
  Eigen::VectorXd inverse(const Eigen::VectorXd& qdd) {
    Eigen::Map<Eigen::VectorXd>(data_->qacc, size()) = E_ * qdd + drift_;
    mj_inverse(model_.get(), data_.get());
    return E_.transpose() * Eigen::Map<Eigen::VectorXd>(data_->qfrc_inverse, size());
  }

  /// Call after inverse() or forward(), like the two functions below.
  Eigen::MatrixXd inertia_matrix() {
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> full(size(), size());
    mj_fullM(model_.get(), full.data(), data_->qM);
    return E_.transpose() * full * E_;
  }

  /// Angular rows first, in world axes, at the link origin.
  Eigen::MatrixXd jacobian(const std::string& link) {
    Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> both(6, size());
    mj_jacBody(model_.get(), data_.get(), both.data() + 3 * size(), both.data(), body(link));
    return both * E_;
  }
  Eigen::Vector3d position(const std::string& link) const {
    return Eigen::Map<const Eigen::Vector3d>(data_->xpos + 3 * body(link));
  }

  Eigen::VectorXd forward(const Eigen::VectorXd& tau) {
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(E_);
    Eigen::Map<Eigen::VectorXd>(data_->qfrc_applied, size()) = lu.transpose().solve(tau);
    mj_forward(model_.get(), data_.get());
    return lu.solve(Eigen::Map<Eigen::VectorXd>(data_->qacc, size()) - drift_);
  }

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;

  int body(const std::string& link) const {
    const int id = mj_name2id(model_.get(), mjOBJ_BODY, link.c_str());
    if (id < 0) throw std::runtime_error("MuJoCo has no body " + link);
    return id;
  }

  void read_degrees() {
    degrees_.resize(static_cast<std::size_t>(size()));
    for (int j = 0; j < model_->njnt; ++j) {
      std::string name = mj_id2name(model_.get(), mjOBJ_JOINT, j);
      const auto at = static_cast<std::size_t>(model_->jnt_dofadr[j]);
      if (model_->jnt_type[j] == mjJNT_FREE) {
        const char* parts[] = {"/x", "/y", "/z", "/roll", "/pitch", "/yaw"};
        for (std::size_t k = 0; k < 6; ++k) degrees_[at + k] = name + parts[k];
        continue;
      }
      // MuJoCo's names for the axes of a planar joint
      for (const auto& [theirs, ours] : {std::pair{"_TX", "/x"}, {"_TY", "/y"}, {"_RZ", "/yaw"}}) {
        if (name.ends_with(theirs)) name.replace(name.size() - 3, 3, ours);
      }
      degrees_[at] = name;
    }
  }

  void set_free_joint(int body, int at, const Vector6& q, const Vector6& qd, int degree) {
    const Eigen::Vector3d p0 = Eigen::Map<Eigen::Vector3d>(model_->body_pos + 3 * body);
    const mjtNum* w = model_->body_quat + 4 * body;
    const Eigen::Quaterniond Q0(w[0], w[1], w[2], w[3]);
    const double roll = q[3], pitch = q[4];
    const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(),
                          z = Eigen::Vector3d::UnitZ();
    const Eigen::Quaterniond Q =
        Q0 * Eigen::AngleAxisd(q[5], z) * Eigen::AngleAxisd(pitch, y) * Eigen::AngleAxisd(roll, x);
    Eigen::Map<Eigen::Vector3d>(data_->qpos + at) = p0 + Q0 * q.head<3>();
    data_->qpos[at + 3] = Q.w();
    Eigen::Map<Eigen::Vector3d>(data_->qpos + at + 4) = Q.vec();
    // velocity of the origin in world axes, angular velocity in body axes
    E_.block<3, 3>(degree, degree) = Q0.toRotationMatrix();
    const double sr = std::sin(roll), cr = std::cos(roll), sp = std::sin(pitch),
                 cp = std::cos(pitch), rolld = qd[3], pitchd = qd[4], yawd = qd[5];
    Eigen::Matrix3d rates;
    rates << 1.0, 0.0, -sp, 0.0, cr, sr * cp, 0.0, -sr, cr * cp;
    E_.block<3, 3>(degree + 3, degree + 3) = rates;
    drift_.segment<3>(degree + 3) = Eigen::Vector3d(
        -cp * pitchd * yawd, -sr * rolld * pitchd + (cr * rolld * cp - sr * sp * pitchd) * yawd,
        -cr * rolld * pitchd - (sr * rolld * cp + cr * sp * pitchd) * yawd);
  }

  MujocoModelPointer model_;
  MujocoDataPointer data_;
  std::vector<std::string> degrees_;
  Eigen::MatrixXd E_;
  Eigen::VectorXd drift_;
};

}  // namespace dynamics::test
