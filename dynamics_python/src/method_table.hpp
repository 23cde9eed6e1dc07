// SPDX-License-Identifier: Apache-2.0
#pragma once

// The methods of Robot on arrays: their arguments and documentation. The examples in it are tests.

#include <array>
#include <cstddef>
#include <string>

#include "operation.hpp"

namespace dynamics::python {

/// Arguments that are given by name.
enum class Keyword {
  out,
  threads,
  friction,
  wrenches,
  wrench_axes,
  base,
  algorithm,
  frame,
  axes,
  kind
};
inline constexpr std::size_t keyword_count = 10;
inline constexpr std::array<const char*, keyword_count> keyword_names = {
    "out",  "threads",   "friction", "wrenches", "wrench_axes",
    "base", "algorithm", "frame",    "axes",     "kind"};

constexpr unsigned bit(Keyword keyword) { return 1U << static_cast<unsigned>(keyword); }
inline constexpr unsigned results_only = bit(Keyword::out) | bit(Keyword::threads);
inline constexpr unsigned external_inputs = results_only | bit(Keyword::friction) |
                                            bit(Keyword::wrenches) | bit(Keyword::wrench_axes) |
                                            bit(Keyword::base);
inline constexpr unsigned of_frame = results_only | bit(Keyword::frame) | bit(Keyword::base);

struct Method {
  const char* name;
  Operation operation;
  std::array<const char*, largest_inputs> inputs;  ///< null at the end
  unsigned keywords;
  const char* documentation;

  constexpr std::size_t input_count() const {
    std::size_t count = 0;
    while (count < largest_inputs && inputs[count] != nullptr) ++count;
    return count;
  }
  constexpr bool takes(Keyword keyword) const { return (keywords & bit(keyword)) != 0; }
  /// "q, qd, out, threads"
  std::string argument_list() const {
    std::string list;
    for (std::size_t i = 0; i < input_count(); ++i)
      list += (i == 0 ? "" : ", ") + std::string(inputs[i]);
    for (std::size_t i = 0; i < keyword_count; ++i) {
      if (takes(static_cast<Keyword>(i))) list += ", " + std::string(keyword_names[i]);
    }
    return list;
  }
};

inline constexpr std::array<Method, 19> method_table = {{
    {"inverse",
     Operation::inverse,
     {"q", "qd", "qdd"},
     external_inputs | bit(Keyword::algorithm),
     R"(inverse($self, q, qd=None, qdd=None, *, out=None, threads=0, friction=True, wrenches=None, wrench_axes=None, base=None, algorithm=None)
--

Inverse dynamics: the joint torques M qdd + C qd + g + friction - J^T w.

q, qd, qdd: one state, shape (n,), or a batch, shape (N, n); qd and qdd are zero if left out.
Returns an array of the same shape. SI units, joints in the order of `names`.

>>> robot = dynamics.load("planar3")
>>> robot.inverse([0.1, 0.2, 0.3], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]).shape
(3,)
>>> q = np.zeros((1000, 3))
>>> robot.inverse(q, q, q).shape
(1000, 3)

out: array for the result. threads: of a batch; 0: one per processor. friction: damping and Coulomb
friction of the joints. wrenches: {link: [mx, my, mz, fx, fy, fz]} on links, in wrench_axes
("local_world_aligned", "local" or "world"). base: a BaseMotion. algorithm: a name of
`dynamics.algorithms()`.

>>> tau = robot.inverse([0, 0, 0], wrenches={"tool0": [0, 0, 0, 0, -20, 0]})
>>> newton = robot.inverse([0.1, 0.2, 0.3], algorithm="newton-euler")
>>> bool(np.allclose(newton, robot.gravity([0.1, 0.2, 0.3])))
True

Flexible links: with one acceleration per joint the joints' torques, with one per coordinate all
forces. Closed loops: independent joints.)"},
    {"forward",
     Operation::forward,
     {"q", "qd", "tau"},
     external_inputs | bit(Keyword::algorithm),
     R"(forward($self, q, qd=None, tau=None, *, out=None, threads=0, friction=True, wrenches=None, wrench_axes=None, base=None, algorithm=None)
--

Forward dynamics: the joint accelerations for joint torques, M^-1 (tau - C qd - g - friction + J^T w).

Arguments as of `inverse`.

>>> robot = dynamics.load("puma")
>>> q, qd = np.full(6, 0.3), np.ones(6)
>>> qdd = robot.forward(q, qd, np.zeros(6))
>>> bool(np.allclose(robot.inverse(q, qd, qdd), 0))
True

Raises StateError where the inertia matrix is singular.)"},
    {"gravity",
     Operation::gravity,
     {"q", nullptr, nullptr},
     results_only,
     R"(gravity($self, q, *, out=None, threads=0)
--

The torques g(q) that hold the robot at rest. Flexible links: gravity and strain.

>>> dynamics.load("planar3").gravity([0, 0, 0]).round(3).tolist()
[4.346, 1.55, 0.324])"},
    {"bias",
     Operation::bias,
     {"q", "qd", nullptr},
     external_inputs,
     R"(bias($self, q, qd=None, *, out=None, threads=0, friction=True, wrenches=None, wrench_axes=None, base=None)
--

The bias forces C qd + g + friction - J^T w: inverse dynamics for qdd = 0.

>>> robot = dynamics.load("puma")
>>> q, qd = np.full(6, 0.1), np.ones(6)
>>> bool(np.allclose(robot.bias(q, qd), robot.coriolis(q, qd) @ qd + robot.gravity(q)))
True)"},
    {"friction",
     Operation::friction,
     {"qd", nullptr, nullptr},
     results_only,
     R"(friction($self, qd, *, out=None, threads=0)
--

Damping and Coulomb friction of the joints at these velocities. The papers' robots have none:

>>> dynamics.load("planar3").friction([1, 1, 1]).tolist()
[0.0, 0.0, 0.0])"},
    {"inertia",
     Operation::inertia,
     {"q", nullptr, nullptr},
     results_only,
     R"(inertia($self, q, *, out=None, threads=0)
--

The inertia matrix M(q), shape (n, n), or (N, n, n) for a batch.

>>> M = dynamics.load("puma").inertia(np.zeros(6))
>>> M.shape, bool((M == M.T).all()), bool((np.linalg.eigvalsh(M) > 0).all())
((6, 6), True, True))"},
    {"inverse_inertia",
     Operation::inverse_inertia,
     {"q", nullptr, nullptr},
     results_only,
     R"(inverse_inertia($self, q, *, out=None, threads=0)
--

M(q)^-1 by the UDU^T decomposition, shape (n, n) or (N, n, n).

>>> robot = dynamics.load("puma")
>>> q = np.full(6, 0.2)
>>> bool(np.allclose(robot.inverse_inertia(q) @ robot.inertia(q), np.eye(6)))
True)"},
    {"udut",
     Operation::udut,
     {"q", nullptr, nullptr},
     results_only,
     R"(udut($self, q, *, out=None, threads=0)
--

The factors U and d of M = U diag(d) U^T, U unit upper triangular (Saha 2003, section 2.1).

>>> robot = dynamics.load("puma")
>>> U, d = robot.udut(np.full(6, 0.2))
>>> bool(np.allclose(U @ np.diag(d) @ U.T, robot.inertia(np.full(6, 0.2))))
True)"},
    {"coriolis",
     Operation::coriolis,
     {"q", "qd", nullptr},
     results_only | bit(Keyword::kind),
     R"(coriolis($self, q, qd, *, kind=None, out=None, threads=0)
--

The Coriolis matrix C(q, qd), shape (n, n) or (N, n, n); dM/dt - 2 C is skew-symmetric.
kind: "denoc" (default; Saha 1999, Eq. 29) or "christoffel".

>>> robot = dynamics.load("planar3")
>>> robot.coriolis([0.1, 0.2, 0.3], [1, 1, 1]).shape
(3, 3))"},
    {"inverse_derivatives",
     Operation::inverse_derivatives,
     {"q", "qd", "qdd"},
     external_inputs,
     R"(inverse_derivatives($self, q, qd=None, qdd=None, *, out=None, threads=0, friction=True, wrenches=None, wrench_axes=None, base=None)
--

d tau / d q and d tau / d qd, each of shape (n, n) or (N, n, n); row i is of tau_i. The derivative by
qdd is `inertia`. Wrenches must have wrench_axes="local".

>>> robot = dynamics.load("puma")
>>> by_q, by_qd = robot.inverse_derivatives(np.zeros(6), np.ones(6), np.ones(6))
>>> by_q.shape
(6, 6))"},
    {"forward_derivatives",
     Operation::forward_derivatives,
     {"q", "qd", "tau"},
     external_inputs,
     R"(forward_derivatives($self, q, qd=None, tau=None, *, out=None, threads=0, friction=True, wrenches=None, wrench_axes=None, base=None)
--

d qdd / d q, d qdd / d qd and d qdd / d tau, each of shape (n, n) or (N, n, n); the last is M^-1.

>>> robot = dynamics.load("puma")
>>> by_q, by_qd, by_tau = robot.forward_derivatives(np.zeros(6), np.ones(6), np.ones(6))
>>> bool(np.allclose(by_tau, robot.inverse_inertia(np.zeros(6))))
True)"},
    {"regressor",
     Operation::regressor,
     {"q", "qd", "qdd"},
     results_only | bit(Keyword::base),
     R"(regressor($self, q, qd=None, qdd=None, *, out=None, threads=0, base=None)
--

The regressor Y, shape (n, p) or (N, n, p): tau = Y `parameters`.

>>> robot = dynamics.load("planar3")
>>> q, qd, qdd = np.ones(3), np.ones(3), np.ones(3)
>>> tau = robot.regressor(q, qd, qdd) @ robot.parameters
>>> bool(np.allclose(tau, robot.inverse(q, qd, qdd)))
True)"},
    {"_energy",
     Operation::energy,
     {"q", "qd", nullptr},
     results_only | bit(Keyword::base),
     R"(_energy($self, q, qd=None, *, out=None, threads=0, base=None)
--

Kinetic, potential and strain energy, shape (3,) or (N, 3).)"},
    {"pose",
     Operation::pose,
     {"q", nullptr, nullptr},
     of_frame,
     R"(pose($self, q, *, frame=None, out=None, threads=0, base=None)
--

The pose of a frame in the world, a 4 x 4 matrix, shape (4, 4) or (N, 4, 4). frame: the name of a
link; the end effector if left out.

>>> robot = dynamics.load("planar3")
>>> robot.pose([0, 0, 0], frame="tool0")[:3, 3].tolist()
[0.77, 0.0, 0.0])"},
    {"velocity",
     Operation::velocity,
     {"q", "qd", nullptr},
     of_frame | bit(Keyword::axes),
     R"(velocity($self, q, qd, *, frame=None, axes=None, out=None, threads=0, base=None)
--

The velocity of a frame, angular then linear, shape (6,) or (N, 6). axes: "local_world_aligned"
(default), "world" or "local".

>>> robot = dynamics.load("planar3")
>>> robot.velocity([0, 0, 0], [1, 0, 0], frame="tool0").tolist()
[0.0, 0.0, 1.0, 0.0, 0.77, 0.0])"},
    {"jacobian",
     Operation::jacobian,
     {"q", nullptr, nullptr},
     results_only | bit(Keyword::frame) | bit(Keyword::axes),
     R"(jacobian($self, q, *, frame=None, axes=None, out=None, threads=0)
--

The Jacobian J of a frame, shape (6, n) or (N, 6, n), angular rows first: its velocity is J qd.

>>> robot = dynamics.load("planar3")
>>> J = robot.jacobian([0, 0, 0], frame="tool0")
>>> (J @ [1, 0, 0]).tolist()
[0.0, 0.0, 1.0, 0.0, 0.77, 0.0])"},
    {"jacobian_rate",
     Operation::jacobian_rate,
     {"q", "qd", nullptr},
     results_only | bit(Keyword::frame) | bit(Keyword::axes),
     R"(jacobian_rate($self, q, qd, *, frame=None, axes=None, out=None, threads=0)
--

dJ/dt of a frame, shape (6, n) or (N, 6, n).

>>> dynamics.load("planar3").jacobian_rate([0, 0, 0], [1, 0, 0]).shape
(6, 3))"},
    {"center_of_mass",
     Operation::center_of_mass,
     {"q", nullptr, nullptr},
     results_only | bit(Keyword::base),
     R"(center_of_mass($self, q, *, out=None, threads=0, base=None)
--

The center of mass of the moving links in the world, shape (3,) or (N, 3).

>>> dynamics.load("planar3").center_of_mass([0, 0, 0]).round(4).tolist()
[0.3692, 0.0, 0.0])"},
    {"joint_positions",
     Operation::joint_positions,
     {"q", nullptr, nullptr},
     results_only,
     R"(joint_positions($self, q, *, out=None, threads=0)
--

The positions of all joints, in the order of `joint_names`; for closed loops from those of the
independent joints, on the branch of the start.

>>> dynamics.load("planar3").joint_positions([0.1, 0.2, 0.3]).tolist()
[0.1, 0.2, 0.3])"},
}};

}  // namespace dynamics::python
