// SPDX-License-Identifier: Apache-2.0
#pragma once

// The methods of Robot that are called in loops, by the vectorcall protocol of CPython: pybind11's
// dispatch would take longer than the dynamics of one state.

#include <pybind11/pybind11.h>

namespace dynamics::python {

/// Adds the methods to the class of Robot.
void add_methods(pybind11::handle robot_class);

}  // namespace dynamics::python
