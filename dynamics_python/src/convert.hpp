// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small conversions between Python objects and the types of the library.

#include <pybind11/pybind11.h>

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/pose.hpp"
#include "results.hpp"

namespace dynamics::python {

inline pybind11::object steal(PyObject* object) {
  return pybind11::reinterpret_steal<pybind11::object>(object);
}

inline pybind11::object array_of(const std::vector<double>& values) {
  return steal(new_array(values.data(), {static_cast<npy_intp>(values.size())}));
}
inline pybind11::object array_of(const Eigen::Vector3d& vector) {
  return steal(new_array(vector.data(), {3}));
}
inline pybind11::object array_of(const RowMajor& matrix) {
  return steal(new_array(matrix.data(), {matrix.rows(), matrix.cols()}));
}
inline pybind11::object array_of(const Pose& pose) {
  std::array<double, 16> entries = {};
  write_pose(pose, entries.data());
  return steal(new_array(entries.data(), {4, 4}));
}
/// One row per sample, from [sample][coordinate].
pybind11::object array_of(const std::vector<std::vector<double>>& rows);

/// Numbers of a sequence; empty for None.
inline std::vector<double> numbers_or_none(pybind11::handle object, const char* name) {
  return object.is_none() ? std::vector<double>() : numbers(object.ptr(), name);
}
/// A number stands for a list of one.
std::vector<double> list_or_number(pybind11::handle object, const char* name);

Eigen::Vector3d vector3(pybind11::handle object, const char* name);
Eigen::Matrix3d matrix3(pybind11::handle object, const char* name);
/// From a 4 x 4 matrix.
Pose pose_of(pybind11::handle object, const char* name);

/// Rows of a 2-d array, [row][column]; empty for None.
std::vector<std::vector<double>> rows_of(pybind11::handle object, const char* name);

/// (frame, mass, center, inertia) or None.
std::optional<Payload> payload_of(pybind11::handle object);
pybind11::object tuple_of(const std::optional<Payload>& payload);

/// A finite number. Throws ArgumentError naming the argument.
double number(pybind11::handle object, const char* name);

}  // namespace dynamics::python
