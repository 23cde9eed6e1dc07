// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arguments of batch functions: one row of numbers per state, `width` numbers wide (n coordinates,
// or the n x n entries of a matrix, column by column).
//
//   Eigen::MatrixXd X(2 * n, N), A(n, N), T(n, N);    // one column per state
//   batch::inverse_dynamics(model, workspace, X.topRows(n), X.bottomRows(n), A, T);
//
// A batch argument is one of these, read and written in place:
//   a vector:               N * width entries, state after state; contiguous (see view.hpp)
//   a column-major matrix:  width x N, one column per state; blocks of larger matrices too
//   a row-major matrix:     N x width, one row per state; the transpose of the one above
// A matrix of any other shape throws ArgumentError naming the argument and the right shape. A
// square matrix fits either way: its storage order decides. What view.hpp rejects by type is
// rejected here too.

#include "dynamics_core/export.hpp"
#include "dynamics_core/view.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {
namespace view {

/// The shape of a batch argument as the caller gave it.
struct BatchShape {
  enum class Kind {
    vector,   ///< `cols` entries, state after state
    columns,  ///< rows x cols, a column per state
    rows,     ///< rows x cols, a row per state
    strided   ///< rows x cols, the entries of a state `stride` apart in memory
  };
  Kind kind = Kind::vector;
  std::size_t rows = 1, cols = 0;
  std::ptrdiff_t stride = 0;  ///< from one state to the next; of a vector: unused

  constexpr std::size_t width() const { return kind == Kind::rows ? cols : rows; }
  constexpr std::size_t states() const { return kind == Kind::rows ? rows : cols; }
};

template <class E>
constexpr BatchShape batch_shape(const E& e) {
  using Kind = BatchShape::Kind;
  const auto rows = static_cast<std::size_t>(e.rows()), cols = static_cast<std::size_t>(e.cols());
  if constexpr (E::IsVectorAtCompileTime) {
    if (e.size() <= 1 || e.innerStride() == 1) return {Kind::vector, 1, rows * cols, 0};
    // a row of a column-major matrix: one column per state of a robot with one coordinate
    return {rows == 1 ? Kind::columns : Kind::strided, rows, cols, e.innerStride()};
  } else {
    if (e.innerSize() > 1 && e.innerStride() != 1)
      return {Kind::strided, rows, cols, e.innerStride()};
    return {E::IsRowMajor ? Kind::rows : Kind::columns, rows, cols, e.outerStride()};
  }
}

template <class E, class T>
concept EigenBatch = DenseInMemory<E, T> && may_be_contiguous<E>;

}  // namespace view

/// A view of a batch argument; see above for what it can be made from.
template <class T>
class BatchView {
 public:
  constexpr BatchView() = default;

  /// Numbers in memory, state after state.
  template <class Pointer>
  requires(std::is_pointer_v<Pointer>&& std::convertible_to<Pointer, T*>) constexpr BatchView(
      Pointer data, std::size_t size)
      : BatchView(VectorView<T>(data, size)) {}

  template <class Range>
  requires view::ContiguousRange<Range, T>
  // NOLINTNEXTLINE(google-explicit-constructor): a view stands for the range it is made from
  constexpr BatchView(Range&& range)  // NOLINT(bugprone-forwarding-reference-overload)
      : BatchView(VectorView<T>(range)) {}

  /// A vector argument, state after state.
  template <class Other>
  requires(std::convertible_to<Other*, T*>)
      // NOLINTNEXTLINE(google-explicit-constructor)
      constexpr BatchView(const VectorView<Other>& vector)
      : data_(vector.data()), vector_size_(vector.checked_size()) {
    shape_.cols = vector.size();
  }

  /// Of numbers that may be changed, for reading only.
  template <class Other>
  requires(std::same_as<const Other, T>)
      // NOLINTNEXTLINE(google-explicit-constructor)
      constexpr BatchView(const BatchView<Other>& other)
      : data_(other.data()), shape_(other.shape()), vector_size_(other.vector_size()) {}

  template <class Expression>
  requires view::EigenBatch<Expression, T>
  // NOLINTNEXTLINE(google-explicit-constructor): a view stands for the matrix it is made from
  constexpr BatchView(Expression&& states)  // NOLINT(bugprone-forwarding-reference-overload)
      : data_(states.data()), shape_(view::batch_shape(states)), vector_size_(shape_.cols) {}

  template <class Expression>
  requires(view::Dense<Expression> && !view::EigenBatch<Expression, T>)
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      BatchView(Expression&& evaluate_or_copy_to_a_matrix_first)
  = delete;

  constexpr T* data() const { return data_; }
  /// Rows, columns and storage order.
  constexpr const view::BatchShape& shape() const { return shape_; }
  /// Of a view made from a VectorView: why that is not a vector, where it is none.
  constexpr const view::Size& vector_size() const { return vector_size_; }

 private:
  T* data_ = nullptr;
  view::BatchShape shape_;
  view::Size vector_size_;
};

/// A batch argument for reading.
using ConstBatch = BatchView<const double>;
/// A batch argument for writing.
using MutableBatch = BatchView<double>;

}  // namespace dynamics
