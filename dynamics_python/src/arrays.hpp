// SPDX-License-Identifier: Apache-2.0
#pragma once

// NumPy arrays as arguments and results: checked handles, read and written in place where they are
// C-contiguous arrays of doubles, copied otherwise.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "numpy_api.hpp"

namespace dynamics::python {

/// An owned reference to a Python object.
class Reference {
 public:
  Reference() = default;
  explicit Reference(PyObject* owned) : object_(owned) {}
  ~Reference() { Py_XDECREF(object_); }
  Reference(Reference&& other) noexcept : object_(other.release()) {}
  Reference& operator=(Reference&& other) noexcept {
    PyObject* old = object_;
    object_ = other.release();
    Py_XDECREF(old);
    return *this;
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  PyObject* get() const { return object_; }
  PyObject* release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

inline PyArrayObject* as_array(PyObject* object) {
  return reinterpret_cast<PyArrayObject*>(object);
}

/// True for an array of doubles in native byte order, aligned and C-contiguous.
inline bool is_direct(PyArrayObject* array) {
  constexpr int needed = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
  return PyArray_TYPE(array) == NPY_DOUBLE && (PyArray_FLAGS(array) & needed) == needed &&
         PyArray_ISNOTSWAPPED(array);
}

/// An argument: one state, (width,), or a batch, (states, width).
class InputArray {
 public:
  /// Takes any array, list or scalar sequence of real numbers. Throws ArgumentError naming the
  /// argument for other objects. The object must outlive it.
  InputArray(PyObject* object, const char* name);
  /// Zeros, where an argument is left out.
  InputArray() = default;

  const double* data() const { return data_; }
  bool is_batch() const { return is_batch_; }
  std::size_t states() const { return states_; }
  std::size_t width() const { return width_; }
  bool given() const { return data_ != nullptr; }

 private:
  void set(PyArrayObject* array, const char* name);

  const double* data_ = nullptr;
  std::size_t states_ = 1, width_ = 0;
  bool is_batch_ = false;
  Reference copy_;
};

/// The real numbers of any shape of `dimensions` dimensions, C-contiguous. Throws ArgumentError
/// naming the argument.
Reference real_array(PyObject* object, const char* name);

/// Real numbers of a sequence or a 1-d array. Throws ArgumentError naming the argument.
std::vector<double> numbers(PyObject* object, const char* name);
/// The same with a fixed number of entries.
std::vector<double> numbers(PyObject* object, const char* name, std::size_t size);

/// A range of memory.
struct MemoryRange {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool overlaps(const MemoryRange& other) const { return begin < other.end && other.begin < end; }
};
MemoryRange range_of(const double* data, std::size_t count);

/// A result: a new array, or the caller's `out`.
class OutputArray {
 public:
  /// `out` may be null or None. `inputs`: memory that is read while the result is written; an `out`
  /// that overlaps it gets its result at the end. Throws ArgumentError naming `name` for an `out`
  /// of another shape or type, or one that cannot be written.
  OutputArray(PyObject* out, const char* name, std::span<const npy_intp> shape,
              std::span<const MemoryRange> inputs);

  double* data() const { return data_; }
  /// The memory of the caller's array, which other outputs must not share.
  const MemoryRange& memory() const { return memory_; }
  /// Copies the result to the caller's array, where that is not written in place, and returns a
  /// new reference.
  PyObject* finish();

 private:
  Reference result_;  ///< what the caller gets
  Reference buffer_;  ///< what is written, if that is another array
  double* data_ = nullptr;
  MemoryRange memory_;
};

/// A new array with a copy of these numbers.
PyObject* new_array(const double* data, std::initializer_list<npy_intp> shape);

/// "(100, 6)"
std::string shape_text(std::span<const npy_intp> shape);

}  // namespace dynamics::python
