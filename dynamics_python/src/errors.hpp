// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Python exceptions: one class per error class of the library, with the same messages.

#include <pybind11/pybind11.h>

#include <exception>

namespace dynamics::python {

/// A Python exception is set (PyErr_Occurred()).
struct PythonError : std::exception {
  const char* what() const noexcept override { return "a Python exception is set"; }
};

/// Adds the classes to the module and translates the library's errors in all bound functions.
void add_exceptions(pybind11::module_& module);

/// Sets the Python exception of the C++ exception that is being handled.
void set_python_error() noexcept;

}  // namespace dynamics::python
