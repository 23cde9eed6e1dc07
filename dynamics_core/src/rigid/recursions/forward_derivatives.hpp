// SPDX-License-Identifier: Apache-2.0
#pragma once

// Derivatives of forward dynamics from those of inverse dynamics. M qdd + b = tau, differentiated:
//
//   M d qdd / d q = -d tau / d q,   M d qdd / d qd = -d tau / d qd   (at constant qdd),
//   M d qdd / d tau = 1.
//
// All columns are solved together with M = U D U^T. The diagonal of U is one; its other entries
// u_ji = p_j^T B_ij^T psi_i (Saha 2003, Eq. 25) are zero unless body j carries body i:
//
//   inward    x_j -= sum of u_ji x_i over the bodies i that j carries
//   outward   x_i = -x_i / d_i - sum of u_ji x_j over the bodies j that carry i
//
// with the minus sign of the right side in the second step.
//
// psi and D are those of forward dynamics. A row x_i has three entries per joint, in this order: d
// qdd_i / d q_j, d qdd_i / d qd_j, d qdd_i / d tau_j. Rows are contiguous, so that a SIMD unit
// computes several columns at a time. Bodies without a common root do not affect each other.
//
// The cost is O(n p), p the number of pairs of a body and one that carries it: O(n^2 d), d the mean
// depth, with one multiplication and addition per pair and column.

#include <type_traits>
#include <utility>

#include "rigid/recursions/chain_forces.hpp"
#include "rigid/recursions/derivatives.hpp"
#include "rigid/recursions/udut.hpp"
#include "spatial/transpose.hpp"
#include "spatial/vector_memory.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Entries of a row in one register, registers that are computed together (`width`, and `rest` for
/// the last ones of a row), and registers for the rows of a short chain (none: it is solved as any
/// tree).
template <class S>
struct RowPart {
  using Type = S;
  static constexpr std::size_t count = 1, width = 6, rest = 3, registers = 0;
};
template <>
struct RowPart<double> {
#if defined(__AVX512F__)
  static constexpr std::size_t count = 8, width = 3, rest = 1, registers = 24;
#else
  static constexpr std::size_t count = spatial::sines_at_a_time, width = 2, rest = 1,
                               registers = 12;
#endif
  typedef double Type __attribute__((vector_size(8 * count)));  // NOLINT(modernize-use-using)
};

/// `width` parts of a row, in registers.
template <class S, std::size_t width>
struct RowParts {
  using Part = typename RowPart<S>::Type;
  Part part[width];

  RowParts() = default;
  DYNAMICS_INLINE explicit RowParts(const S* from) {
    for (std::size_t k = 0; k < width; ++k) part[k] = load_part(from + k * RowPart<S>::count);
  }
  DYNAMICS_INLINE void subtract_product(const S& factor, const S* x) {
    for (std::size_t k = 0; k < width; ++k)
      part[k] = part[k] - factor * load_part(x + k * RowPart<S>::count);
  }
  DYNAMICS_INLINE void subtract_product(const S& factor, const RowParts& x) {
    for (std::size_t k = 0; k < width; ++k) part[k] = part[k] - factor * x.part[k];
  }
  DYNAMICS_INLINE void scale(const S& factor) {
    for (std::size_t k = 0; k < width; ++k) part[k] = factor * part[k];
  }
  DYNAMICS_INLINE void store(S* to) const {
    for (std::size_t k = 0; k < width; ++k) {
      store_part(part[k], to + k * RowPart<S>::count);
    }
  }

 private:
  DYNAMICS_INLINE static Part load_part(const S* from) {
    if constexpr (RowPart<S>::count == 1) {
      return *from;
    } else {
      return spatial::load_vector<Part>(from);
    }
  }
  DYNAMICS_INLINE static void store_part(const Part& value, S* to) {
    if constexpr (RowPart<S>::count == 1) {
      *to = value;
    } else {
      spatial::store_vector(value, to);
    }
  }
};

/// Solves `width` parts of the rows [first, end), which start at the entry `column`. Rows from
/// `inward_end` on are zero before.
template <std::size_t width, class S, class Factor>
DYNAMICS_INLINE void solve_parts(const Tree& tree, const Factor* factor,
                                 const RowScratch<S>& scratch, std::size_t first,
                                 std::size_t inward_end, std::size_t end, std::size_t column) {
  using Parts = RowParts<S, width>;
  const std::size_t n = tree.size();
  for (std::size_t j = inward_end; j-- > first;) {
    const S* u = scratch.unit + j * n;
    Parts x(scratch.row(j) + column);
    const std::size_t last =
        scratch.subtree_end[j] < inward_end ? scratch.subtree_end[j] : inward_end;
    for (std::size_t i = last; --i > j;) x.subtract_product(u[i], scratch.row(i) + column);
    x.store(scratch.row(j) + column);
  }
  for (std::size_t i = first; i < end; ++i) {
    Parts x(scratch.row(i) + column);
    x.scale(-factor[i].pivot_inverse);
    for (int j = tree[i].parent; j >= 0; j = tree[static_cast<std::size_t>(j)].parent) {
      const auto carrier = static_cast<std::size_t>(j);
      x.subtract_product(scratch.unit[carrier * n + i], scratch.row(carrier) + column);
    }
    x.store(scratch.row(i) + column);
  }
}

/// Calls f(index) for the indices 0 to n - 1, which are constants of the compiler.
template <class F, std::size_t... indices>
DYNAMICS_INLINE void for_each_index(F&& f, std::index_sequence<indices...>) {
  (f(std::integral_constant<std::size_t, indices>{}), ...);
}
template <std::size_t n, class F>
DYNAMICS_INLINE void for_each_index(F&& f) {
  for_each_index(f, std::make_index_sequence<n>{});
}

/// The same for a chain of n joints, with all rows in registers.
template <std::size_t n, std::size_t width, class S, class Factor>
DYNAMICS_INLINE void solve_chain_parts(const Factor* factor, const ChainRows& unit,
                                       const RowScratch<S>& scratch, std::size_t column) {
  RowParts<S, width> x[n];
  for_each_index<n>([&](auto outer) DYNAMICS_INLINE_LAMBDA {
    constexpr std::size_t j = n - 1 - outer;
    x[j] = RowParts<S, width>(scratch.row(j) + column);
    for_each_index<outer>([&](auto k) DYNAMICS_INLINE_LAMBDA {
      constexpr std::size_t i = n - 1 - k;
      x[j].subtract_product(unit.entries[j][i], x[i]);
    });
  });
  for_each_index<n>([&](auto i) DYNAMICS_INLINE_LAMBDA {
    x[i].scale(-factor[i].pivot_inverse);
    for_each_index<i>(
        [&](auto j) DYNAMICS_INLINE_LAMBDA { x[i].subtract_product(unit.entries[j][i], x[j]); });
    x[i].store(scratch.row(i) + column);
  });
}
template <std::size_t n, class S, class Factor, class Solved>
void solve_chain(const Factor* factor, const ChainRows& unit, const RowScratch<S>& scratch,
                 Solved&& solved) {
  constexpr std::size_t count = RowPart<S>::count, parts = (3 * n + count - 1) / count;
  constexpr std::size_t width = parts * n <= RowPart<S>::registers ? parts
                                : 2 * n <= RowPart<S>::registers   ? 2
                                                                   : 1;
  std::size_t column = 0;
  for (; column + (width - 1) * count < 3 * n; column += width * count) {
    solve_chain_parts<n, width>(factor, unit, scratch, column);
    solved(column, width * count);
  }
  if constexpr (width > 1) {
    for (; column < 3 * n; column += count) {
      solve_chain_parts<n, 1>(factor, unit, scratch, column);
      solved(column, count);
    }
  }
}
/// Solves the rows of a short chain.
template <class S, class Factor, class Solved>
void solve_short_chain(const Tree& tree, const Factor* factor, const RowScratch<S>& scratch,
                       Solved&& solved) {
  ChainRows unit;
  carry_chain_forces(
      tree,
      factor, [&](std::size_t i) DYNAMICS_INLINE_LAMBDA -> const auto& { return factor[i].psi; },
      [](const TreeBody& body) { return !reduces(body); }, unit);
  switch (tree.size()) {
    case 1: solve_chain<1>(factor, unit, scratch, solved); break;
    case 2: solve_chain<2>(factor, unit, scratch, solved); break;
    case 3: solve_chain<3>(factor, unit, scratch, solved); break;
    case 4: solve_chain<4>(factor, unit, scratch, solved); break;
    case 5: solve_chain<5>(factor, unit, scratch, solved); break;
    case 6: solve_chain<6>(factor, unit, scratch, solved); break;
    case 7: solve_chain<7>(factor, unit, scratch, solved); break;
    case 8: solve_chain<8>(factor, unit, scratch, solved); break;
    default: break;
  }
}

/// Solves the rows of the bodies [first, end), a root with all bodies that it carries. Calls
/// solved(column, entries) for parts of the rows as they become available.
template <class S, class Factor, class Solved>
void solve_rows(const Tree& tree, const Factor* factor, const RowScratch<S>& scratch,
                std::size_t first, std::size_t end, Solved&& solved) {
  constexpr std::size_t count = RowPart<S>::count, width = RowPart<S>::width,
                        rest = RowPart<S>::rest;
  const auto inward_end = [&](std::size_t column, std::size_t entries) {
    // the largest end of the subtrees of the joints of these columns
    std::size_t largest = first + 1;
    for (std::size_t j = column / 3; j <= (column + entries - 1) / 3 && j < end; ++j) {
      if (j >= first && scratch.subtree_end[j] > largest) largest = scratch.subtree_end[j];
    }
    return largest;
  };
  std::size_t column = 3 * first / count * count;
  for (; column + (width - 1) * count < 3 * end; column += width * count) {
    solve_parts<width>(tree, factor, scratch, first, inward_end(column, width * count), end,
                       column);
    solved(column, width * count);
  }
  for (; column < 3 * end; column += rest * count) {
    solve_parts<rest>(tree, factor, scratch, first, inward_end(column, rest * count), end, column);
    solved(column, rest * count);
  }
}

/// Zeros, and minus ones for M^-1, in the rows of the bodies [first, end).
template <class S>
void clear_rows(const RowScratch<S>& scratch, std::size_t first, std::size_t end) {
  constexpr std::size_t count = RowPart<S>::count;
  for (std::size_t i = first; i < end; ++i) {
    S* row = scratch.row(i);
    const std::size_t begin = 3 * first / count * count;
    const std::size_t last = (3 * end + count - 1) / count * count;  // at most the stride
    for (std::size_t k = begin; k < last; ++k) row[k] = S(0.0);
    row[3 * i + 2] = S(-1.0);
  }
}

/// Fills the rows of `scratch` with the derivatives, after forward dynamics with `factor`.
/// `friction_slopes`, d tau_i / d qd_i of the joints' friction, may be null. Calls solved(first,
/// end, column, entries) for parts of the rows [first, end) as they become available.
template <class S, class Factor, class Solved>
void forward_dynamics_derivatives(const Tree& tree, const Factor* factor,
                                  DerivativeScratch<S>* links, const BaseState<S>& base,
                                  const BodyWrench<S>* wrenches, const S* q, const S* qd,
                                  const S* qdd, const S* friction_slopes,
                                  const RowScratch<S>& scratch, Solved&& solved) {
  std::size_t* end = scratch.subtree_end;
  for (std::size_t i = 0; i < tree.size(); ++i) end[i] = i + 1;
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (is_root(tree[i])) continue;
    const auto parent = static_cast<std::size_t>(tree[i].parent);
    if (end[parent] < end[i]) end[parent] = end[i];
  }
  for (std::size_t first = 0; first < tree.size(); first = end[first]) {
    clear_rows(scratch, first, end[first]);
  }
  for (std::size_t i = 0; i < tree.size(); ++i) links[i].at = factor[i].at;
  differentiate_inverse_dynamics<S>(
      tree, links, base, wrenches, q, qd, qdd,
      [&](std::size_t i, std::size_t j, const S& value) { scratch.row(i)[3 * j] = value; },
      [&](std::size_t i, std::size_t j, const S& value) { scratch.row(i)[3 * j + 1] = value; });
  if (friction_slopes != nullptr) {
    for (std::size_t i = 0; i < tree.size(); ++i) {
      S& entry = scratch.row(i)[3 * i + 1];
      entry = entry + friction_slopes[i];
    }
  }
  const auto all_solved = [&](std::size_t column, std::size_t entries) {
    solved(std::size_t{0}, tree.size(), column, entries);
  };
  if constexpr (std::is_same_v<S, double>) {
    if (is_short_chain(tree)) {
      solve_short_chain(tree, factor, scratch, all_solved);
      return;
    }
  }
  unit_factor<S>(tree, factor, [&](std::size_t j, std::size_t i, const S& value) {
    scratch.unit[j * tree.size() + i] = value;
  });
  for (std::size_t first = 0; first < tree.size(); first = end[first]) {
    solve_rows(tree, factor, scratch, first, end[first],
               [&](std::size_t column, std::size_t entries) {
                 solved(first, end[first], column, entries);
               });
  }
}

/// Stores `count` entries from `column` on of the rows [first, end): entry k of row i at
/// where(k) + i.
constexpr std::size_t stored_columns = spatial::sines_at_a_time;
template <class Where>
DYNAMICS_INLINE void store_columns(const RowScratch<double>& scratch, std::size_t first,
                                   std::size_t end, std::size_t column, Where&& where) {
  constexpr std::size_t count = stored_columns;
  typedef double Part __attribute__((vector_size(8 * count)));  // NOLINT(modernize-use-using)
  double* to[count];
  for (std::size_t k = 0; k < count; ++k) to[k] = where(column + k);
  if (end - first < count) {
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t k = 0; k < count; ++k) to[k][i] = scratch.row(i)[column + k];
    }
    return;
  }
  for (std::size_t i = first; i < end; i += count) {
    const std::size_t at = i + count <= end ? i : end - count;  // the last ones overlap
    Part part[count];
    for_each_index<count>([&](auto k) DYNAMICS_INLINE_LAMBDA {
      part[k] = spatial::load_vector<Part>(scratch.row(at + k) + column);
    });
    spatial::transpose(part);
    for_each_index<count>(
        [&](auto k) DYNAMICS_INLINE_LAMBDA { spatial::store_vector(part[k], to[k] + at); });
  }
}

/// All entries of the three matrices.
template <class S>
void forward_dynamics_derivatives(const Tree& tree, const ForwardScratch<S>* factor,
                                  DerivativeScratch<S>* links, const BaseState<S>& base,
                                  const BodyWrench<S>* wrenches, const S* q, const S* qd,
                                  const S* qdd, const S* friction_slopes,
                                  const RowScratch<S>& scratch, S* by_q, std::size_t q_stride,
                                  S* by_qd, std::size_t qd_stride, S* by_tau,
                                  std::size_t tau_stride) {
  const MatrixView<S> matrices[] = {{by_q, q_stride}, {by_qd, qd_stride}, {by_tau, tau_stride}};
  bool cleared = false;
  forward_dynamics_derivatives<S>(
      tree, factor, links, base, wrenches, q, qd, qdd, friction_slopes, scratch,
      [&](std::size_t first, std::size_t end, std::size_t column, std::size_t entries) {
        if (!cleared && end - first < tree.size()) {
          for (const MatrixView<S>& matrix : matrices) matrix.set_zero(tree.size());
        }
        cleared = true;
        // columns of other bodies, in the same part of a row
        const auto where = [&](std::size_t entry) {
          return entry >= 3 * first && entry < 3 * end ? &matrices[entry % 3](0, entry / 3)
                                                       : scratch.unused;
        };
        for (std::size_t at = column; at < column + entries && at < 3 * end; at += stored_columns) {
          store_columns(scratch, first, end, at, where);
        }
      });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
