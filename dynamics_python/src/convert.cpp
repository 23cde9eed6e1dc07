// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dynamics_core/error.hpp"

namespace py = pybind11;

namespace dynamics::python {
namespace {

const double* data_of(const Reference& array) {
  return static_cast<const double*>(PyArray_DATA(as_array(array.get())));
}

void check_shape(const Reference& array, const char* name, npy_intp rows, npy_intp cols) {
  PyArrayObject* const entries = as_array(array.get());
  if (PyArray_NDIM(entries) == 2 && PyArray_DIM(entries, 0) == rows &&
      PyArray_DIM(entries, 1) == cols)
    return;
  const std::span<const npy_intp> shape(PyArray_DIMS(entries),
                                        static_cast<std::size_t>(PyArray_NDIM(entries)));
  throw ArgumentError(
      name, fmt::format("has shape {}; ({}, {}) is needed", shape_text(shape), rows, cols));
}

}  // namespace

py::object array_of(const std::vector<std::vector<double>>& rows) {
  const std::size_t cols = rows.empty() ? 0 : rows.front().size();
  RowMajor matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(cols));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy(rows[i].begin(), rows[i].end(), matrix.data() + i * cols);
  return array_of(matrix);
}

std::vector<double> list_or_number(py::handle object, const char* name) {
  if (object.is_none()) return {};
  const Reference array = real_array(object.ptr(), name);
  if (PyArray_NDIM(as_array(array.get())) == 0) return {*data_of(array)};
  return numbers(object.ptr(), name);
}

double number(py::handle object, const char* name) {
  const Reference array = real_array(object.ptr(), name);
  if (PyArray_NDIM(as_array(array.get())) != 0) throw ArgumentError(name, "must be one number");
  return *data_of(array);
}

Eigen::Vector3d vector3(py::handle object, const char* name) {
  const std::vector<double> values = numbers(object.ptr(), name, 3);
  return {values[0], values[1], values[2]};
}

Eigen::Matrix3d matrix3(py::handle object, const char* name) {
  const Reference array = real_array(object.ptr(), name);
  check_shape(array, name, 3, 3);
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_of(array));
}

Pose pose_of(py::handle object, const char* name) {
  const Reference array = real_array(object.ptr(), name);
  check_shape(array, name, 4, 4);
  const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> matrix(data_of(array));
  return {matrix.topLeftCorner<3, 3>(), matrix.topRightCorner<3, 1>()};
}

std::vector<std::vector<double>> rows_of(py::handle object, const char* name) {
  if (object.is_none()) return {};
  const Reference array = real_array(object.ptr(), name);
  PyArrayObject* const entries = as_array(array.get());
  if (PyArray_NDIM(entries) != 2) {
    throw ArgumentError(name, fmt::format("has {} dimensions; two are needed, one row per point",
                                          PyArray_NDIM(entries)));
  }
  const npy_intp cols = PyArray_DIM(entries, 1);
  std::vector<std::vector<double>> rows;
  for (npy_intp i = 0; i < PyArray_DIM(entries, 0); ++i) {
    const double* row = data_of(array) + i * cols;
    rows.emplace_back(row, row + cols);
  }
  return rows;
}

std::optional<Payload> payload_of(py::handle object) {
  if (object.is_none()) return std::nullopt;
  const auto tuple = object.cast<py::tuple>();
  Payload payload;
  payload.frame = tuple[0].cast<std::string>();
  payload.mass = number(tuple[1], "mass");
  payload.center = vector3(tuple[2], "center");
  payload.inertia = matrix3(tuple[3], "inertia");
  return payload;
}

py::object tuple_of(const std::optional<Payload>& payload) {
  if (!payload) return py::none();
  return py::make_tuple(payload->frame, payload->mass, array_of(payload->center),
                        array_of(RowMajor(payload->inertia)));
}

}  // namespace dynamics::python
