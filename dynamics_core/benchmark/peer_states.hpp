// SPDX-License-Identifier: Apache-2.0
#pragma once

// The states of a model as a peer reads them: one entry per body, in the peer's order of joints.

#include "benchmark_cases.hpp"

namespace dynamics::benchmark {

class PeerStates {
 public:
  /// order(joint) is the peer's index of the joint of a body.
  PeerStates(const Model& model, const std::function<std::size_t(const std::string& joint)>& order)
      : size_(model.size()), bodies_(model.body_count()), mimic_(bodies_ != size_) {
    const States states(size_, peer_states);
    for (std::size_t i = 0; i < bodies_; ++i) {
      const Body& body = model.bodies()[i];
      places_.push_back({order(body.joint), body.coordinate, body.multiplier, body.offset});
    }
    for (std::size_t k = 0; k < peer_states; ++k) {
      q_.push_back(expand(states.row(states.q, k), true));
      qd_.push_back(expand(states.row(states.qd, k), false));
      u_.push_back(expand(states.row(states.u, k), false));
    }
  }

  std::size_t bodies() const { return bodies_; }
  bool has_mimic() const { return mimic_; }
  const Eigen::VectorXd& q(std::size_t k) const { return q_[k % peer_states]; }
  const Eigen::VectorXd& qd(std::size_t k) const { return qd_[k % peer_states]; }
  const Eigen::VectorXd& u(std::size_t k) const { return u_[k % peer_states]; }

  /// G^T forces, over coordinates.
  template <class Vector>
  Eigen::VectorXd forces(const Vector& forces) const {
    Eigen::VectorXd result = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(size_));
    for (const Place& p : places_) result[p.coordinate] += p.multiplier * forces[p.index];
    return result;
  }
  /// G^T matrix G, over coordinates.
  template <class Matrix>
  Eigen::MatrixXd matrix(const Matrix& matrix) const {
    const auto n = static_cast<Eigen::Index>(size_);
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(n, n);
    for (const Place& a : places_) {
      for (const Place& b : places_) {
        result(a.coordinate, b.coordinate) +=
            a.multiplier * b.multiplier * matrix(a.index, b.index);
      }
    }
    return result;
  }
  /// rows G: the columns of a Jacobian over coordinates.
  template <class Matrix>
  Eigen::MatrixXd columns(const Matrix& matrix) const {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(matrix.rows(), static_cast<Eigen::Index>(size_));
    for (const Place& p : places_) result.col(p.coordinate) += p.multiplier * matrix.col(p.index);
    return result;
  }

 private:
  struct Place {
    Eigen::Index index, coordinate;
    double multiplier, offset;
    Place(std::size_t i, std::size_t c, double m, double o)
        : index(static_cast<Eigen::Index>(i)),
          coordinate(static_cast<Eigen::Index>(c)),
          multiplier(m),
          offset(o) {}
  };
  Eigen::VectorXd expand(ConstVector values, bool positions) const {
    Eigen::VectorXd result(static_cast<Eigen::Index>(bodies_));
    for (const Place& p : places_) {
      result[p.index] = p.multiplier * values[static_cast<std::size_t>(p.coordinate)] +
                        (positions ? p.offset : 0.0);
    }
    return result;
  }

  std::size_t size_, bodies_;
  bool mimic_;
  std::vector<Place> places_;
  std::vector<Eigen::VectorXd> q_, qd_, u_;
};

}  // namespace dynamics::benchmark
