// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pinocchio in a shared library of its own, compiled with -O3 -march=native. Only plain data cross
// the boundary: Eigen's types differ between instruction sets.

#include <cstddef>

namespace dynamics::benchmark {

/// A joint with the link that it carries. Rotations and inertias are stored by columns.
struct PinocchioJoint {
  enum Type { fixed, revolute, prismatic };
  const char* name;
  const char *parent, *child;  ///< links
  Type type;
  double axis[3], rotation[9], translation[3];  ///< of the joint's frame in the parent link's
  double mass, center[3], inertia[9];           ///< of the child, its inertia about its center
};

enum class PinocchioWork {
  inverse,
  forward,
  inertia_matrix,
  inverse_inertia_matrix,
  inverse_derivatives,
  forward_derivatives,
  jacobian,
  gravity
};

class PinocchioPeer {
 public:
  virtual ~PinocchioPeer() = default;
  virtual std::size_t size() const = 0;
  /// Index of a joint in vectors.
  virtual std::size_t index(const char* joint) const = 0;
  /// Adds a state: size() numbers each. u: accelerations or torques.
  virtual void add_state(const double* q, const double* qd, const double* u) = 0;
  /// One call per state, from state `first` on.
  virtual void run(PinocchioWork work, std::size_t first, std::size_t calls) = 0;
  /// Copies the result of the last call by columns: size() numbers, a matrix, or several matrices
  /// one after the other. Angular rows first.
  virtual void result(PinocchioWork work, double* out) const = 0;
};

/// The Jacobian is that of link `frame`, in its axes.
extern "C" [[gnu::visibility("default")]] PinocchioPeer* dynamics_make_pinocchio_peer(
    const PinocchioJoint* joints, std::size_t count, const char* frame);

}  // namespace dynamics::benchmark
