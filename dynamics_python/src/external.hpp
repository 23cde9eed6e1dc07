// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments by name: wrenches, base motion, algorithm, frame and axes. All throw ArgumentError
// naming the argument.

#include <string>
#include <vector>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "numpy_api.hpp"
#include "operation.hpp"

namespace dynamics::python {

/// The text of a Python string.
std::string text_of(PyObject* object, const char* name);

/// {link: six numbers, moment then force}. `axes`: of all of them; null: local_world_aligned.
std::vector<LinkWrench> link_wrenches(PyObject* wrenches, PyObject* axes, const Model& model);

/// A BaseMotion.
BaseMotion base_motion(PyObject* base);

Axes axes_of(PyObject* name, const char* argument);
CoriolisKind coriolis_kind(PyObject* name);

/// The frame of that name; null: the end effector.
std::size_t frame_of(PyObject* name, const Model& model);

/// Sets algorithm or cholesky of the call. Refuses algorithms that do not cover the robot.
void set_algorithm(PyObject* name, Call& call);

}  // namespace dynamics::python
