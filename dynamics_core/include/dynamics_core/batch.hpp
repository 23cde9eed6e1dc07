// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many states at once: several in the lanes of one SIMD register, chunks of them on several
// threads.
//
//   dynamics::BatchWorkspace workspace(model, {.threads = 2});
//   dynamics::batch::inverse_dynamics(model, workspace, q, qd, qdd, tau);
//
// With n = model.size() and any number N of states, an argument is one of these, read and written
// in place:
//   a vector:               N * n entries, coordinate j of state k at [k * n + j]; contiguous (see
//                           view.hpp)
//   a column-major matrix:  n x N, one column per state; blocks of larger matrices too:
//                           X.topRows(n)
//   a row-major matrix:     N x n, one row per state; the transpose of the one above
// A square matrix fits either way: its storage order decides. Results that are matrices have n * n
// numbers instead of n per state, column by column as for one state (see view.hpp): entry (i, j) of
// state k is M[(k * n + j) * n + i] of a vector, M(j * n + i, k) of an (n * n) x N matrix.
//
// The numbers are those of the functions for one state, but for rounding; they do not
// depend on the number of threads, nor on which other states are in the batch. ExternalInputs hold
// for all states; wrenches must be in Axes::local.
//
// An output of n numbers per state may replace an input (the same memory in the same layout); other
// overlaps of an output with another argument throw ArgumentError.
//
// An argument of a wrong size or shape throws ArgumentError naming it, and nothing is written. A
// state that has no answer (a number that is not finite, a singular inertia matrix) does not stop
// the others: its results are NaN, those of all others are written, and then BatchError is thrown,
// naming it. Nothing is allocated where no error is thrown.
//
// With floats instead of doubles (std::vector<float>, Eigen::MatrixXf, ...) the functions except
// derivatives compute in single precision, twice as many states at a time. All batch arguments of a
// call have the same scalar; the workspace serves both:
//   std::vector<float> q(N * n), qd(q), qdd(q), tau(q);
//   dynamics::batch::inverse_dynamics(model, workspace, q, qd, qdd, tau);
// The error of the torques of a state is about 1e-6 of its largest torque, that of accelerations
// larger by the condition of M (docs/performance.md). The angle of a mimic joint is
// rounded to a float. A state of forward_dynamics that only single precision cannot solve is
// computed in double precision.
//
// The variants try_NAME never throw or allocate (see error.hpp). They return the status of a wrong
// argument, and nothing is written; or the status of the first state that has no answer
// (not_finite, singular), with the results written as above: those of the states without an answer
// are NaN.

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/view.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

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

/// What a view of T rejects by name. Floats are rejected by a view of floats only, and all other
/// scalars by a view of doubles, so that functions can be overloaded for both.
template <class E, class T>
concept RejectedBatch = Dense<E> && !EigenBatch<E, T> &&
                        std::is_same_v<typename std::remove_cvref_t<E>::Scalar, float> ==
                            std::is_same_v<std::remove_const_t<T>, float>;

}  // namespace view

/// A view of a batch argument; see above for what it can be made from. What view.hpp rejects by
/// type is rejected here too.
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
  requires view::RejectedBatch<Expression, T>
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
/// A batch argument in single precision for reading.
using ConstFloatBatch = BatchView<const float>;
/// The same for writing.
using MutableFloatBatch = BatchView<float>;

/// Options of a BatchWorkspace.
struct BatchOptions {
  /// Threads that work on a call, the calling one included; 0: one for each processor. Never more
  /// than there are processors, or two.
  std::size_t threads = 1;
};

/// Scratch and threads of the functions below, for one call at a time; between calls the threads
/// sleep. It may be kept, and used for any model of the same structure.
class BatchWorkspace {
 public:
  /// Allocates the memory for this model and starts the threads.
  explicit BatchWorkspace(const Model& model, const BatchOptions& options = {});
  ~BatchWorkspace();
  BatchWorkspace(BatchWorkspace&&) noexcept;
  BatchWorkspace& operator=(BatchWorkspace&&) noexcept;
  BatchWorkspace(const BatchWorkspace&) = delete;
  BatchWorkspace& operator=(const BatchWorkspace&) = delete;

  std::size_t threads() const;    ///< that work on a call
  std::size_t pack_size() const;  ///< states per SIMD register; of floats twice as many

  struct [[gnu::visibility("hidden")]] Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// Some states of a batch have no answer; all others have been written.
class BatchError : public StateError {
 public:
  /// Names the first such state and how many there are.
  BatchError(const std::string& what, std::size_t state, std::size_t count)
      : StateError(what), state_(state), count_(count) {}
  std::size_t state() const { return state_; }  ///< the first one of them
  std::size_t count() const { return count_; }  ///< how many

 private:
  std::size_t state_, count_;
};

namespace batch {

/// tau of every state, as dynamics::inverse_dynamics().
void inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch qdd, MutableBatch tau, const ExternalInputs& external = {});
Status try_inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                            ConstBatch qd, ConstBatch qdd, MutableBatch tau,
                            const ExternalInputs& external = {}) noexcept;

/// g of every state, as dynamics::gravity_forces().
void gravity_forces(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch g);
Status try_gravity_forces(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                          MutableBatch g) noexcept;

/// qdd of every state, as dynamics::forward_dynamics().
void forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch tau, MutableBatch qdd, const ExternalInputs& external = {});
Status try_forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                            ConstBatch qd, ConstBatch tau, MutableBatch qdd,
                            const ExternalInputs& external = {}) noexcept;

/// M of every state, as dynamics::inertia_matrix().
void inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch M);
Status try_inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                          MutableBatch M) noexcept;

/// d tau / d q and d tau / d qd of every state, as dynamics::inverse_dynamics_derivatives().
void inverse_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch qdd, MutableBatch tau_by_q,
                                  MutableBatch tau_by_qd, const ExternalInputs& external = {});
Status try_inverse_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                        ConstBatch qd, ConstBatch qdd, MutableBatch tau_by_q,
                                        MutableBatch tau_by_qd,
                                        const ExternalInputs& external = {}) noexcept;

/// d qdd / d q, d qdd / d qd and d qdd / d tau of every state, as
/// dynamics::forward_dynamics_derivatives().
void forward_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch tau, MutableBatch qdd_by_q,
                                  MutableBatch qdd_by_qd, MutableBatch qdd_by_tau,
                                  const ExternalInputs& external = {});
Status try_forward_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                        ConstBatch qd, ConstBatch tau, MutableBatch qdd_by_q,
                                        MutableBatch qdd_by_qd, MutableBatch qdd_by_tau,
                                        const ExternalInputs& external = {}) noexcept;

/// The same in single precision.
void inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                      ConstFloatBatch qd, ConstFloatBatch qdd, MutableFloatBatch tau,
                      const ExternalInputs& external = {});
Status try_inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                            ConstFloatBatch qd, ConstFloatBatch qdd, MutableFloatBatch tau,
                            const ExternalInputs& external = {}) noexcept;
void gravity_forces(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                    MutableFloatBatch g);
Status try_gravity_forces(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                          MutableFloatBatch g) noexcept;
void forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                      ConstFloatBatch qd, ConstFloatBatch tau, MutableFloatBatch qdd,
                      const ExternalInputs& external = {});
Status try_forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                            ConstFloatBatch qd, ConstFloatBatch tau, MutableFloatBatch qdd,
                            const ExternalInputs& external = {}) noexcept;
void inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                    MutableFloatBatch M);
Status try_inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                          MutableFloatBatch M) noexcept;

}  // namespace batch
}  // namespace dynamics
#pragma GCC visibility pop
