// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "dynamics_core/error.hpp"
#include "errors.hpp"

namespace dynamics::python {
namespace {

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

/// Text of the pending Python exception, which is cleared.
std::string take_message() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const Reference type_owner(type), value_owner(value), trace_owner(trace);
  const Reference text(value == nullptr ? nullptr : PyObject_Str(value));
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  std::string message = utf8 == nullptr ? "unknown error" : utf8;
  PyErr_Clear();
  return message;
}

std::string dtype_text(PyArrayObject* array) {
  const Reference text(PyObject_Str(reinterpret_cast<PyObject*>(PyArray_DESCR(array))));
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  PyErr_Clear();
  return utf8 == nullptr ? "?" : utf8;
}

/// Masks would be ignored silently.
void refuse_masked(PyObject* object, const char* name) {
  if (PyArray_CheckExact(object) || !PyArray_Check(object)) return;
  if (std::strcmp(Py_TYPE(object)->tp_name, "MaskedArray") == 0) {
    throw ArgumentError(name, "is a masked array: fill it first (filled())");
  }
}

/// Whether several entries have the same memory: strides of zero, or overlapping windows.
bool overlaps_itself(PyArrayObject* array) {
  std::array<std::pair<npy_intp, npy_intp>, NPY_MAXDIMS> steps = {};  // stride, size
  std::size_t count = 0;
  for (int i = 0; i < PyArray_NDIM(array); ++i) {
    if (PyArray_DIM(array, i) > 1)
      steps[count++] = {std::abs(PyArray_STRIDE(array, i)), PyArray_DIM(array, i)};
  }
  std::sort(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count));
  npy_intp extent = PyArray_ITEMSIZE(array);
  for (std::size_t i = 0; i < count; ++i) {
    if (steps[i].first < extent) return true;
    extent += steps[i].first * (steps[i].second - 1);
  }
  return false;
}

/// The bytes between the first and the last entry of any array.
MemoryRange range_of_array(PyArrayObject* array) {
  const char* low = PyArray_BYTES(array);
  const char* high = low + PyArray_ITEMSIZE(array);
  for (int i = 0; i < PyArray_NDIM(array); ++i) {
    if (PyArray_DIM(array, i) == 0) return {};
    const npy_intp reach = PyArray_STRIDE(array, i) * (PyArray_DIM(array, i) - 1);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

}  // namespace

std::string shape_text(std::span<const npy_intp> shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

MemoryRange range_of(const double* data, std::size_t count) {
  const auto* begin = reinterpret_cast<const char*>(data);
  return {begin, begin + count * sizeof(double)};
}

Reference real_array(PyObject* object, const char* name) {
  refuse_masked(object, name);
  Reference any(PyArray_FROM_O(object));
  if (!any) {
    throw ArgumentError(name, fmt::format("is not an array of numbers: {}", take_message()));
  }
  PyArrayObject* const array = as_array(any.get());
  const int type = PyArray_TYPE(array);
  const bool empty_list = PyArray_SIZE(array) == 0;
  if (!PyTypeNum_ISFLOAT(type) && !PyTypeNum_ISINTEGER(type) && !empty_list) {
    throw ArgumentError(name, fmt::format("has dtype {} ({}); real numbers are needed (float64)",
                                          dtype_text(array), type_name(object)));
  }
  Reference made(PyArray_FROMANY(any.get(), NPY_DOUBLE, 0, 0,
                                 NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST));
  if (!made) throw ArgumentError(name, fmt::format("cannot be converted: {}", take_message()));
  return made;
}

std::vector<double> numbers(PyObject* object, const char* name) {
  const Reference array = real_array(object, name);
  PyArrayObject* const entries = as_array(array.get());
  if (PyArray_NDIM(entries) != 1) {
    throw ArgumentError(name,
                        fmt::format("has {} dimensions; one is needed", PyArray_NDIM(entries)));
  }
  const auto* data = static_cast<const double*>(PyArray_DATA(entries));
  return {data, data + PyArray_SIZE(entries)};
}

std::vector<double> numbers(PyObject* object, const char* name, std::size_t size) {
  std::vector<double> values = numbers(object, name);
  if (values.size() != size) {
    throw ArgumentError(name, fmt::format("has {} entries; {} are needed", values.size(), size));
  }
  return values;
}

InputArray::InputArray(PyObject* object, const char* name) {
  if (PyArray_CheckExact(object) && is_direct(as_array(object))) {
    set(as_array(object), name);
    return;
  }
  copy_ = real_array(object, name);
  set(as_array(copy_.get()), name);
}

void InputArray::set(PyArrayObject* array, const char* name) {
  const int dimensions = PyArray_NDIM(array);
  const npy_intp* shape = PyArray_DIMS(array);
  if (dimensions == 1) {
    width_ = static_cast<std::size_t>(shape[0]);
  } else if (dimensions == 2) {
    states_ = static_cast<std::size_t>(shape[0]);
    width_ = static_cast<std::size_t>(shape[1]);
    is_batch_ = true;
  } else {
    throw ArgumentError(name, fmt::format("has {} dimensions; one (a state) or two (a batch, one "
                                          "row per state) are needed",
                                          dimensions));
  }
  data_ = static_cast<const double*>(PyArray_DATA(array));
}

OutputArray::OutputArray(PyObject* out, const char* name, std::span<const npy_intp> shape,
                         std::span<const MemoryRange> inputs) {
  const auto dimensions = static_cast<int>(shape.size());
  auto* const sizes = const_cast<npy_intp*>(shape.data());
  if (out == nullptr || out == Py_None) {
    result_ = Reference(PyArray_SimpleNew(dimensions, sizes, NPY_DOUBLE));
    if (!result_) throw PythonError();
    data_ = static_cast<double*>(PyArray_DATA(as_array(result_.get())));
    return;
  }
  if (!PyArray_Check(out)) {
    throw ArgumentError(name, fmt::format("is a {}; a NumPy array is needed", type_name(out)));
  }
  PyArrayObject* const array = as_array(out);
  refuse_masked(out, name);
  if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISNOTSWAPPED(array)) {
    throw ArgumentError(name, fmt::format("has dtype {}; float64 is needed", dtype_text(array)));
  }
  const std::span<const npy_intp> given(PyArray_DIMS(array),
                                        static_cast<std::size_t>(PyArray_NDIM(array)));
  if (!std::equal(given.begin(), given.end(), shape.begin(), shape.end())) {
    throw ArgumentError(
        name, fmt::format("has shape {}; {} is needed", shape_text(given), shape_text(shape)));
  }
  if (!PyArray_ISWRITEABLE(array)) throw ArgumentError(name, "is read-only");
  if (overlaps_itself(array)) {
    throw ArgumentError(name, "has several entries in the same memory (strides)");
  }
  memory_ = range_of_array(array);
  Py_INCREF(out);
  result_ = Reference(out);
  const bool shared = std::any_of(inputs.begin(), inputs.end(), [&](const MemoryRange& input) {
    return input.overlaps(memory_);
  });
  if (!shared && is_direct(array)) {
    data_ = static_cast<double*>(PyArray_DATA(array));
    return;
  }
  buffer_ = Reference(PyArray_SimpleNew(dimensions, sizes, NPY_DOUBLE));
  if (!buffer_) throw PythonError();
  data_ = static_cast<double*>(PyArray_DATA(as_array(buffer_.get())));
}

PyObject* OutputArray::finish() {
  if (buffer_ && PyArray_CopyInto(as_array(result_.get()), as_array(buffer_.get())) != 0)
    throw PythonError();
  return result_.release();
}

PyObject* new_array(const double* data, std::initializer_list<npy_intp> shape) {
  std::array<npy_intp, 4> sizes = {};
  std::copy(shape.begin(), shape.end(), sizes.begin());
  Reference array(PyArray_SimpleNew(static_cast<int>(shape.size()), sizes.data(), NPY_DOUBLE));
  if (!array) throw PythonError();
  const auto count = static_cast<std::size_t>(PyArray_SIZE(as_array(array.get())));
  if (count > 0) std::memcpy(PyArray_DATA(as_array(array.get())), data, count * sizeof(double));
  return array.release();
}

}  // namespace dynamics::python
