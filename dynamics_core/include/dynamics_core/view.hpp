// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace dynamics {

/// An argument of a call that cannot be used: wrong size, not finite, unknown name. The message
/// names the argument and what would be right; nothing has been written to any output.
class ArgumentError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A view of contiguous numbers: std::vector, std::array, std::span, Eigen::VectorXd, Eigen::Map...
/// It never copies or allocates. Anything with data() and size() will do; an Eigen expression whose
/// numbers do not lie side by side (a row of a column-major matrix) is refused.
template <class T>
class VectorView {
 public:
  constexpr VectorView() = default;
  constexpr VectorView(T* data, std::size_t size) : data_(data), size_(size) {}

  template <class Range>
  requires(!std::same_as<std::remove_cvref_t<Range>, VectorView>) && requires(Range& r) {
    { r.data() } -> std::convertible_to<T*>;
    r.size();
  }
  // NOLINTNEXTLINE(google-explicit-constructor): a view stands for the range it is made from
  constexpr VectorView(Range&& range)  // NOLINT(bugprone-forwarding-reference-overload)
      : data_(range.data()), size_(static_cast<std::size_t>(range.size())) {
    if constexpr (requires { range.innerStride(); }) {
      if (size_ > 1 && range.innerStride() != 1) {
        throw ArgumentError("a vector argument is a strided Eigen expression: copy it first");
      }
    }
  }

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

using ConstVector = VectorView<const double>;
using MutableVector = VectorView<double>;

}  // namespace dynamics
