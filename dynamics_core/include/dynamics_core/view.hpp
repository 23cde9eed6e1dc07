// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments that are vectors of numbers. Functions take views by value: no copy, no allocation.
// Also maxima that propagate NaN, for tests and error measures.
//
//   std::vector<double> q(n);                     inverse_dynamics(model, workspace, q, ...
//   Eigen::MatrixXd X(2 * n, N);                  ... X.col(k).head(n), X.col(k).tail(n), ...
//   double numbers[7];                            ... std::span(numbers).first(n), ...
//
// A vector argument is std::vector, std::array, std::span, any other contiguous range, or an Eigen
// expression with one row or one column and its entries side by side in memory. Everything else is
// rejected:
//   by the compiler:  an expression without storage (a + b, VectorXd::Zero(n): append .eval()), a
//                     stride other than 1 or a fixed size like 3 x 3 in its type, another scalar,
//                     an output that is constant or a temporary that owns its numbers;
//   by ArgumentError: a matrix with several rows and columns, a vector that turns out to be strided
//                     (a row of a column-major matrix). The function reports it with the argument's
//                     name.
//
// Matrices are column-major, as in Eigen: entry (i, j) of an n x m matrix is M.data()[j * n + i].
// Output matrices are Eigen::Ref<Eigen::MatrixXd>: a MatrixXd, a column-major block or map of one.
// Input matrices are ConstMatrix (below).
//
// For the arguments of batch functions, see batch.hpp.

#include <Eigen/Core>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

#include "dynamics_core/error.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

template <class T>
class VectorView;

namespace view {

template <class Derived>
void accept_dense(const Eigen::DenseBase<Derived>&);
template <class T>
void accept_view(const VectorView<T>&);

/// Any dense Eigen matrix, array or expression of them.
template <class E>
concept Dense = requires(const std::remove_cvref_t<E>& e) {
  accept_dense(e);
};

template <class E>
concept AnyVectorView = requires(const std::remove_cvref_t<E>& e) {
  accept_view(e);
};

/// Deduced from an rvalue that owns its numbers: what is written to it is lost.
template <class E>
constexpr bool is_owning_temporary =
    !std::is_lvalue_reference_v<E> &&
    std::derived_from<std::remove_cvref_t<E>, Eigen::PlainObjectBase<std::remove_cvref_t<E>>>;

/// An Eigen expression whose entries of type T can be accessed without a copy.
template <class E, class T>
concept DenseInMemory = Dense<E> && requires(std::remove_reference_t<E>& e) {
  { e.data() } -> std::convertible_to<T*>;
  requires(static_cast<unsigned>(std::remove_cvref_t<E>::Flags) & Eigen::DirectAccessBit) != 0;
  requires std::is_const_v<T> || !is_owning_temporary<E>;
};

/// The stride from entry to entry within a column (row of a row-major expression) is 1, or known
/// only at run time.
template <class E>
constexpr bool may_be_contiguous =
    std::remove_cvref_t<E>::InnerStrideAtCompileTime == 1 ||
    std::remove_cvref_t<E>::InnerStrideAtCompileTime == Eigen::Dynamic ||
    std::remove_cvref_t<E>::SizeAtCompileTime == 1;

/// One row or one column, or known only at run time.
template <class E>
constexpr bool may_be_vector = std::remove_cvref_t<E>::RowsAtCompileTime == 1 ||
                               std::remove_cvref_t<E>::ColsAtCompileTime == 1 ||
                               std::remove_cvref_t<E>::RowsAtCompileTime == Eigen::Dynamic ||
                               std::remove_cvref_t<E>::ColsAtCompileTime == Eigen::Dynamic;

/// std::vector, std::array, std::span... but no temporary that owns what is to be written.
template <class R, class T>
concept ContiguousRange = !Dense<R> && !AnyVectorView<R> && std::ranges::contiguous_range<R> &&
                          std::ranges::sized_range<R> && requires(R & r) {
  { std::ranges::data(r) } -> std::convertible_to<T*>;
  requires std::is_const_v<T> || std::ranges::borrowed_range<R>;
};

template <class E, class T>
concept EigenVector = DenseInMemory<E, T> && may_be_contiguous<E> && may_be_vector<E>;

/// The number of entries of a vector argument, or why it is not a vector, in one word: two pointers
/// wide, a view is passed in registers.
class Size {
 public:
  constexpr Size() = default;
  constexpr explicit Size(std::size_t entries) : bits_(entries) {}
  /// Several rows and columns.
  static constexpr Size matrix(Eigen::Index rows, Eigen::Index cols) {
    return pack(is_matrix, rows, cols);
  }
  /// A vector with its entries `stride` apart in memory.
  static constexpr Size strided(Eigen::Index stride) { return pack(is_strided, 0, stride); }

  constexpr bool is_vector() const { return (bits_ >> 62U) == 0; }
  constexpr std::size_t entries() const { return is_vector() ? bits_ : 0; }
  constexpr bool operator==(std::size_t entries) const { return bits_ == entries; }

  /// What is wrong with the argument `name`, of which `needed` entries are asked for.
  std::string problem(const char* name, std::size_t needed) const;

 private:
  static constexpr std::uint64_t is_matrix = 2, is_strided = 3;
  static constexpr std::uint64_t limit = (1U << 31U) - 1;

  static constexpr std::uint64_t clamp(Eigen::Index value) {
    const auto size = static_cast<std::uint64_t>(value < 0 ? -value : value);
    return size < limit ? size : limit;
  }
  static constexpr Size pack(std::uint64_t kind, Eigen::Index rows, Eigen::Index cols) {
    return Size(kind << 62U | clamp(rows) << 31U | clamp(cols));
  }

  std::uint64_t bits_ = 0;
};

/// From one entry of a vector to the next.
template <class E>
constexpr Eigen::Index entry_stride(const E& e) {
  if constexpr (E::IsVectorAtCompileTime) return e.innerStride();
  return (E::IsRowMajor ? e.rows() : e.cols()) == 1 ? e.innerStride() : e.outerStride();
}

template <class E>
constexpr Size size_of(const E& e) {
  if constexpr (!E::IsVectorAtCompileTime) {
    if (e.size() > 0 && e.rows() != 1 && e.cols() != 1) return Size::matrix(e.rows(), e.cols());
  }
  if constexpr (!(E::IsVectorAtCompileTime && E::InnerStrideAtCompileTime == 1)) {
    if (e.size() > 1 && entry_stride(e) != 1) return Size::strided(entry_stride(e));
  }
  return Size(static_cast<std::size_t>(e.size()));
}

}  // namespace view

/// A view of a vector; see above for what it can be made from. An argument that is none is a view
/// of no entries that no size check accepts, not even one for 0 entries.
template <class T>
class VectorView {
 public:
  constexpr VectorView() = default;

  /// A pointer, not a literal 0: {0, 1} is not a view of one entry at address 0.
  template <class Pointer>
  requires(std::is_pointer_v<Pointer>&& std::convertible_to<Pointer, T*>) constexpr VectorView(
      Pointer data, std::size_t size)
      : data_(data), size_(size) {}

  template <class Range>
  requires view::ContiguousRange<Range, T>
  // NOLINTNEXTLINE(google-explicit-constructor): a view stands for the range it is made from
  constexpr VectorView(Range&& range)  // NOLINT(bugprone-forwarding-reference-overload)
      : data_(std::ranges::data(range)),
        size_(static_cast<std::size_t>(std::ranges::size(range))) {}

  template <class Expression>
  requires view::EigenVector<Expression, T>
  // NOLINTNEXTLINE(google-explicit-constructor): a view stands for the vector it is made from
  constexpr VectorView(Expression&& vector)  // NOLINT(bugprone-forwarding-reference-overload)
      : size_(view::size_of(vector)) {
    if (size_.is_vector()) data_ = vector.data();
  }

  template <class Expression>
  requires(view::Dense<Expression> && !view::EigenVector<Expression, T>)
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      VectorView(Expression&& evaluate_or_copy_to_a_vector_first)
  = delete;

  /// Of numbers that may be changed, for reading only.
  template <class Other>
  requires(std::same_as<const Other, T>)
      // NOLINTNEXTLINE(google-explicit-constructor)
      constexpr VectorView(const VectorView<Other>& other)
      : data_(other.data_), size_(other.size_) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t size() const { return size_.entries(); }
  constexpr bool empty() const { return size() == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size(); }
  constexpr T& operator[](std::size_t i) const { return data_[i]; }

  /// The size with the reason why the argument is not a vector, where it is none. Size checks
  /// compare this one.
  constexpr const view::Size& checked_size() const { return size_; }

 private:
  template <class>
  friend class VectorView;

  T* data_ = nullptr;
  view::Size size_;
};

/// A vector argument for reading.
using ConstVector = VectorView<const double>;
/// A vector argument for writing.
using MutableVector = VectorView<double>;

// ListView: a std::span<const T> for members of structs. It refers to elements that someone else
// keeps, so it can be made from a named std::vector, std::array or std::span, and from the
// temporary of a type that does not own its elements. A temporary that does own them would leave
// the member dangling at the end of the statement: that does not compile.
//
//   std::vector<LinkWrench> wrenches = ...;
//   external.wrenches = wrenches;                         // wrenches must outlive conditions
//   external.wrenches = std::span(wrenches).first(2);
//   external.wrenches = {};                               // none
//   external.wrenches = std::vector<LinkWrench>{...};     // does not compile
//
// It never allocates.

/// A view of a list; see above for what it can be made from.
template <class T>
class ListView {
 public:
  constexpr ListView() = default;

  template <class Range>
  requires(!std::same_as<std::remove_cvref_t<Range>, ListView> &&
           std::ranges::borrowed_range<Range> && std::constructible_from<std::span<const T>, Range>)
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      constexpr ListView(Range&& range)
      : elements_(range) {}

  template <class Range>
  requires(!std::ranges::borrowed_range<Range> &&
           std::constructible_from<std::span<const T>, Range>)
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      ListView(Range&& temporary_that_owns_its_elements)
  = delete;

  constexpr const T* data() const { return elements_.data(); }
  constexpr std::size_t size() const { return elements_.size(); }
  constexpr bool empty() const { return elements_.empty(); }
  constexpr auto begin() const { return elements_.begin(); }
  constexpr auto end() const { return elements_.end(); }
  constexpr const T& operator[](std::size_t i) const { return elements_[i]; }

 private:
  std::span<const T> elements_;
};

/// A matrix argument for reading: a column-major Eigen matrix, or a block or map of one whose
/// columns are contiguous. Never a copy: other expressions do not compile (append .eval()).
class ConstMatrix {
 public:
  /// From a column-major matrix, or a block or map of one.
  template <class Expression>
  requires(view::DenseInMemory<Expression, const double> &&
           (!std::remove_cvref_t<Expression>::IsRowMajor ||
            std::remove_cvref_t<Expression>::ColsAtCompileTime == 1) &&
           std::remove_cvref_t<Expression>::InnerStrideAtCompileTime == 1)
      // NOLINTNEXTLINE(google-explicit-constructor): a view stands for the matrix it is made from
      ConstMatrix(const Expression& matrix)
      : data_(matrix.data()),
        rows_(matrix.rows()),
        cols_(matrix.cols()),
        stride_(matrix.outerStride()) {}

  Eigen::Index rows() const { return rows_; }
  Eigen::Index cols() const { return cols_; }
  /// The entries of column j.
  const double* column(Eigen::Index j) const { return data_ + j * stride_; }

 private:
  const double* data_;
  Eigen::Index rows_, cols_, stride_;
};

// Maxima that propagate NaN. std::max(x, NaN) returns x and would hide a NaN;
// these return NaN, so that a test `error < tolerance` fails.
//
//   double worst = 0.0;
//   for (std::size_t i = 0; i < n; ++i)
//     worst = max_propagating_nan(worst, std::abs(a[i] - b[i]));
//   const double peak = max_abs(torques);

/// Maximum that propagates NaN.
constexpr double max_propagating_nan(double a, double b) { return a >= b || a != a ? a : b; }

/// Largest absolute value; NaN if any value is NaN, 0 for an empty range.
inline double max_abs(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) largest = max_propagating_nan(largest, std::abs(value));
  return largest;
}

/// The same for an Eigen expression.
template <class Derived>
double max_abs(const Eigen::DenseBase<Derived>& values) {
  const auto& evaluated = values.eval();
  double largest = 0.0;
  for (Eigen::Index j = 0; j < evaluated.cols(); ++j) {
    for (Eigen::Index i = 0; i < evaluated.rows(); ++i) {
      largest = max_propagating_nan(largest, std::abs(evaluated(i, j)));
    }
  }
  return largest;
}

/// Largest |a - b|; NaN if an entry of either is NaN or if the sizes differ.
inline double max_abs_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = max_propagating_nan(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace dynamics
#pragma GCC visibility pop

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<dynamics::VectorView<T>> = true;

template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<dynamics::ListView<T>> = true;
