// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of the module dynamics._core.

#include <pybind11/pybind11.h>

namespace dynamics::python {

void bind_benchmark(pybind11::module_& module);
void bind_check(pybind11::module_& module);
void bind_robot(pybind11::module_& module);
void bind_trajectory(pybind11::module_& module);
void bind_simulation(pybind11::module_& module);
void bind_study(pybind11::module_& module);

}  // namespace dynamics::python
