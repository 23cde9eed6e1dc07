// SPDX-License-Identifier: Apache-2.0
#pragma once

// TorqueLaw: the joint torques at time t in the state q, qd, with any scalar type: a ControlLoop
// with double, the papers' scenarios with wider reals.

#include <span>

namespace dynamics {

template <class Scalar>
class TorqueLaw {
 public:
  virtual ~TorqueLaw() = default;
  TorqueLaw(const TorqueLaw&) = delete;
  TorqueLaw& operator=(const TorqueLaw&) = delete;

  /// q and qd are state vectors, tau is a joint vector.
  virtual void torques(const Scalar& t, std::span<const Scalar> q, std::span<const Scalar> qd,
                       std::span<Scalar> tau) = 0;
  /// Whether the torques are always zero.
  virtual bool is_passive() const = 0;

 protected:
  TorqueLaw() = default;
};

}  // namespace dynamics
