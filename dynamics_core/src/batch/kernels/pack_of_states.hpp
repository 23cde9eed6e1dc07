// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "batch/kernels/pack_scratch.hpp"
#include "spatial/transpose.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// The states of one pack: loads their arguments and stores their results, lane by lane, and keeps
/// which of them have no result.
class PackOfStates {
 public:
  PackOfStates(const BatchJob& job, Size first, Size last, const PackScratch& scratch)
      : job_(job),
        scratch_(scratch),
        first_(first),
        valid_(last - first < Pack::count ? last - first : Pack::count) {}

  /// Joint positions, one per body.
  const Pack* positions() { return joints(job_.q, scratch_.q, true); }
  /// Joint velocities and accelerations, one per body.
  const Pack* rates() { return joints(job_.qd, scratch_.qd, false); }
  const Pack* accelerations() { return joints(job_.input, scratch_.input, false); }
  /// Joint forces, one per body: zero for mimic joints.
  Pack* forces() {
    if (job_.joints == nullptr) {
      load(job_.input, scratch_.input);
      return scratch_.input;
    }
    load(job_.input, scratch_.rows);
    for (Size i = 0; i < job_.tree.size(); ++i) {
      scratch_.input[i] =
          job_.joints[i].mimic ? Pack(0.0) : scratch_.rows[job_.joints[i].coordinate];
    }
    return scratch_.input;
  }

  /// Refuses states with a pivot that is not positive.
  void refuse_pivot(const Pack& pivot) {
    refused_ |= ~(pivot.v > Pack::Vector{}) | not_finite(pivot);
  }
  /// Refuses states where the pitch of a floating joint is +-90 degrees.
  void refuse_singular(const Pack* q) {
    for (Size k = 0; k < job_.pitch_count; ++k) {
      // the body of the coordinate
      for (Size i = 0; i < job_.tree.size(); ++i) {
        const bool own = job_.joints == nullptr ? i == job_.pitches[k]
                                                : !job_.joints[i].mimic &&
                                                      job_.joints[i].coordinate == job_.pitches[k];
        if (!own) continue;
        const Pack c = cos(q[i]);
        refused_ |= (c.v < Real(1e-7)) & (c.v > Real(-1e-7));
      }
    }
  }

  /// Stores for each coordinate the sum of multiplier * force over its bodies.
  void collect(const Pack* forces, const BatchJob::Output& out) {
    if (job_.joints == nullptr) {
      store(forces, out);
      return;
    }
    for (Size j = 0; j < job_.size; ++j) scratch_.rows[j] = Pack(0.0);
    for (Size i = 0; i < job_.tree.size(); ++i) {
      Pack& row = scratch_.rows[job_.joints[i].coordinate];
      row = row + job_.joints[i].multiplier * forces[i];
    }
    store(scratch_.rows, out);
  }
  /// The values of the bodies that are not mimics, one per coordinate.
  const Pack* leading(const Pack* values) {
    if (job_.joints == nullptr) return values;
    for (Size i = 0; i < job_.tree.size(); ++i) {
      if (!job_.joints[i].mimic) scratch_.rows[job_.joints[i].coordinate] = values[i];
    }
    return scratch_.rows;
  }

  /// Loads the coordinates of all states: squares of numbers are transposed in registers.
  void load(const BatchJob::Input& from, Pack* out) {
    const Size n = job_.size;
    const Real* row[Pack::count];
    rows(from.data, from.stride, row);
    Pack products = not_finite_;
    if (n < state_part) {
      Square square;
      load_square(square, [&](auto lane) { return load_part(row[lane], n); });
      for_each<state_part>([&](auto k) {
        if (k >= n) return;
        out[k] = Pack(square[k]);
        products += out[k] * Pack(0.0);
      });
    } else {
      for (Size next = 0; next < n; next += state_part) {
        const Size at = next + state_part <= n ? next : n - state_part;  // the last squares overlap
        Square square;
        load_square(square, [&](auto lane) {
          StatePart part;
          __builtin_memcpy(&part, row[lane] + at, sizeof part);
          return part;
        });
        for_each<state_part>([&](auto k) {
          out[at + k] = Pack(square[k]);
          products += Pack(square[k]) * Pack(0.0);
        });
      }
    }
    not_finite_ = products;
  }
  void store(const Pack* values, const BatchJob::Output& to) const {
    store_entries(values, job_.size, to);
  }
  /// Stores values[k] as entry k of all states, transposed as in load(). Where the byte nonzero[k]
  /// is zero, so is values[k]; null: no entry is known to be zero.
  DYNAMICS_INLINE void store_entries(const Pack* values, Size entries,
                                     const BatchJob::Output& output,
                                     const unsigned char* nonzero = nullptr) const {
    const Size stride = output.stride;
    Real* const first = output.data + first_ * stride;
    if (entries < state_part) {
      Square square;
      for_each<state_part>([&](auto k) { square[k] = k < entries ? values[k].v : Pack::Vector{}; });
      spatial::transpose(square);
      for_each_valid_lane([&](auto lane) {
        store_part(part_of_state<lane>(square), first + lane * stride, entries);
      });
      return;
    }
    constexpr Size count = Pack::count;
    if (entries < count) {  // of floats only
      store_square(values, first, stride);
      store_square(values + entries - state_part, first + entries - state_part, stride);
      return;
    }
    // the first and the last block may overlap their neighbors, the others start at cache lines
    const Size aligned = entries_to_cache_line(first);
    Size at = aligned;
    if (aligned != 0) store_block<false>(values, first, stride);
    // past the cache only complete lines of all states
    if (job_.larger_than_cache && stride * sizeof(Real) % cache_line == 0) {
      for (; at + count <= entries; at += count) {
        store_block_or_zeros<true>(values + at, first + at, stride, nonzero, at);
      }
    } else {
      for (; at + count <= entries; at += count) {
        store_block_or_zeros<false>(values + at, first + at, stride, nonzero, at);
      }
    }
    if (at < entries) store_block<false>(values + entries - count, first + entries - count, stride);
  }

  // matrices: n x n entries per state, by columns

  void clear(const BatchJob::Output& matrices) const {
    const Size entries = job_.size * job_.size;
    Real* matrix = matrices.data + first_ * matrices.stride;
    for (Size lane = 0; lane < valid_; ++lane, matrix += matrices.stride) {
      for (Size i = 0; i < entries; ++i) matrix[i] = Real(0);
    }
  }
  void add(const BatchJob::Output& matrices, Size row, Size column, const Pack& value) const {
    const Size n = job_.size, stride = matrices.stride;
    Real* first = matrices.data + first_ * stride;
    if (job_.joints == nullptr) {
      scatter(value, first + column * n + row, stride);
      return;
    }
    const BatchJoint &a = job_.joints[row], &b = job_.joints[column];
    Real* entry = first + b.coordinate * n + a.coordinate;
    const Pack part = a.multiplier * b.multiplier * value;
    for (Size lane = 0; lane < valid_; ++lane) entry[lane * stride] += part.v[lane];
  }
  /// Stores all entries: value(i, j) is entry (i, j) over bodies that have a coordinate each.
  /// Entries that follow each other in memory are transposed in registers. Where the byte
  /// nonzero[k] is zero, so is entry k.
  template <class Value>
  DYNAMICS_INLINE void store_matrix(const BatchJob::Output& matrices, const unsigned char* nonzero,
                                    Value&& value) const {
    const Size n = job_.size, entries = n * n;
    const Size* body = scratch_.body_of;
    Real* matrix = matrices.data + first_ * matrices.stride;
    if (entries < state_part) {
      for (Size k = 0; k < entries; ++k) {
        scatter(value(body[k % n], body[k / n]), matrix + k, matrices.stride);
      }
      return;
    }
    for (Size next = 0; next < entries; next += state_part) {
      const Size at = next + state_part <= entries ? next : entries - state_part;
      if (Pack::count == state_part && all_zero(nonzero + at)) {
        for_each_valid_lane([&](auto lane) {
          const Pack::Vector zeros = {};
          __builtin_memcpy(matrix + at + lane * matrices.stride, &zeros, sizeof zeros);
        });
        continue;
      }
      Size i = at % n, j = at / n;
      Pack part[state_part];
      for (Size k = 0; k < state_part; ++k) {
        part[k] = value(body[i], body[j]);
        if (++i < n) continue;
        i = 0;
        ++j;
      }
      store_square(part, matrix + at, matrices.stride);
    }
  }
  void load_column(const BatchJob::Output& matrices, Size column, Pack* out) const {
    const Size n = job_.size;
    const Real* matrix[Pack::count];
    rows(matrices.data, matrices.stride, matrix);
    for (Size i = 0; i < n; ++i) {
      for (Size lane = 0; lane < Pack::count; ++lane) out[i].v[lane] = matrix[lane][column * n + i];
    }
  }
  void store_column(const Pack* values, const BatchJob::Output& matrices, Size column) const {
    const Size n = job_.size;
    Real* first = matrices.data + first_ * matrices.stride + column * n;
    for (Size i = 0; i < n; ++i) scatter(values[i], first + i, matrices.stride);
  }

  /// Sets the results of refused states to NaN, `width` entries per output, and counts them.
  void finish(Size& faults, Size width) const {
    const Pack::Mask refused = refused_ | (not_finite_.v != Pack::Vector{});
    if (!any(refused)) [[likely]]
      return;
    for (Size lane = 0; lane < valid_; ++lane) {
      if (refused[lane] == 0) continue;
      ++faults;
      for (const BatchJob::Output& out : job_.output) {
        if (out.data == nullptr) continue;
        Real* result = out.data + (first_ + lane) * out.stride;
        for (Size i = 0; i < width; ++i) result[i] = static_cast<Real>(__builtin_nan(""));
      }
    }
  }

 private:
  /// Entries of rows before a transposition, the rows of lanes after it: lane k and, of floats,
  /// lane k + state_part are in register k.
  using Square = Pack::Vector[state_part];
  static constexpr Size cache_line = 64;

  /// Calls one(k) for k = 0 to count - 1, constants: registers that a loop indexes would be kept in
  /// memory.
  template <Size count, class One>
  DYNAMICS_INLINE static void for_each(One&& one) {
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (one(std::integral_constant<Size, k>()), ...);
    }
    (std::make_index_sequence<count>());
  }
  /// Transposes the parts of all rows: part(lane).
  template <class Part>
  DYNAMICS_INLINE static void load_square(Square& square, Part&& part) {
    for_each<state_part>([&](auto k) {
      if constexpr (states_per_register == 1) {
        square[k] = part(k);
      } else {
        const StatePart low = part(k), high = part(std::integral_constant<Size, k + state_part>());
        square[k] = [&]<std::size_t... lane>(std::index_sequence<lane...>) {
          return __builtin_shufflevector(low, high, lane...);
        }
        (std::make_index_sequence<Pack::count>());
      }
    });
    spatial::transpose(square);
  }
  template <Size lane>
  DYNAMICS_INLINE static StatePart part_of_state(const Square& square) {
    const Pack::Vector& rows = square[lane % state_part];
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return __builtin_shufflevector(rows, rows, (lane / state_part * state_part + k)...);
    }
    (std::make_index_sequence<state_part>());
  }
  template <class One>
  DYNAMICS_INLINE void for_each_valid_lane(One&& one) const {
    if (valid_ == Pack::count) [[likely]] {
      for_each<Pack::count>(one);
    } else {
      for_each<Pack::count>([&](auto lane) {
        if (lane < valid_) one(lane);
      });
    }
  }
  /// Numbers from an address to the next multiple of a register's size.
  DYNAMICS_INLINE static Size entries_to_cache_line(const Real* address) {
    constexpr Size size = sizeof(Pack::Vector);
    return (size - reinterpret_cast<Size>(address) % size) % size / sizeof(Real);
  }
  /// Whether Pack::count bytes are zero.
  DYNAMICS_INLINE static bool all_zero(const unsigned char* bytes) {
    unsigned long long parts[(Pack::count + 7) / 8] = {};
    __builtin_memcpy(parts, bytes, Pack::count);
    unsigned long long together = 0;
    for (const unsigned long long part : parts) together |= part;
    return together == 0;
  }
  /// Stores values[k] of all states at to + k; the states are `stride` apart.
  DYNAMICS_INLINE void store_square(const Pack* values, Real* to, Size stride) const {
    Square square;
    for_each<state_part>([&](auto k) { square[k] = values[k].v; });
    spatial::transpose(square);
    for_each_valid_lane([&](auto lane) {
      const StatePart part = part_of_state<lane>(square);
      __builtin_memcpy(to + lane * stride, &part, sizeof part);
    });
  }
  /// The same of as many entries as a register has: one store per state, so that states which
  /// compete for the same places in the cache do not evict each other's half-written lines.
  template <bool past_cache>
  DYNAMICS_INLINE void store_block(const Pack* values, Real* to, Size stride) const {
    Square squares[states_per_register];
    for_each<states_per_register>([&](auto part) {
      for_each<state_part>([&](auto k) { squares[part][k] = values[part * state_part + k].v; });
      spatial::transpose(squares[part]);
    });
    for_each_valid_lane([&](auto lane) {
      const Pack::Vector entries = [&]<std::size_t... k>(std::index_sequence<k...>) {
        constexpr Size own = lane / state_part * state_part;
        // of both squares the part of this state
        return __builtin_shufflevector(
            squares[0][lane % state_part], squares[states_per_register - 1][lane % state_part],
            (k < state_part ? own + k : (states_per_register - 1) * state_part + own + k)...);
      }
      (std::make_index_sequence<Pack::count>());
      store_entries_of_state<past_cache>(entries, to + lane * stride);
    });
  }
  /// The same of entries [at, at + Pack::count), or zeros without reading the values.
  template <bool past_cache>
  DYNAMICS_INLINE void store_block_or_zeros(const Pack* values, Real* to, Size stride,
                                            const unsigned char* nonzero, Size at) const {
    if (nonzero == nullptr || !all_zero(nonzero + at)) {
      store_block<past_cache>(values, to, stride);
      return;
    }
    for_each_valid_lane(
        [&](auto lane) { store_entries_of_state<past_cache>(Pack::Vector{}, to + lane * stride); });
  }
  template <bool past_cache>
  DYNAMICS_INLINE static void store_entries_of_state(const Pack::Vector& entries, Real* to) {
    if constexpr (past_cache) {
      store_past_cache(entries, to);
    } else {
      __builtin_memcpy(to, &entries, sizeof entries);
    }
  }
  /// Where the entries of each state start. The lanes beyond the last state repeat it.
  DYNAMICS_INLINE void rows(const Real* data, Size stride, const Real* (&row)[Pack::count]) const {
    const Real* at = data + first_ * stride;
    for (Size lane = 0; lane < Pack::count; ++lane) {
      row[lane] = at;
      if (lane + 1 < valid_) at += stride;
    }
  }
  /// Stores an entry of all states, which are `stride` apart.
  DYNAMICS_INLINE void scatter(const Pack& value, Real* first, Size stride) const {
    if (valid_ == Pack::count) [[likely]] {
      for (Size lane = 0; lane < Pack::count; ++lane) first[lane * stride] = value.v[lane];
    } else {
      for (Size lane = 0; lane < valid_; ++lane) first[lane * stride] = value.v[lane];
    }
  }
  const Pack* joints(const BatchJob::Input& from, Pack* out, bool offsets) {
    if (job_.joints == nullptr) {
      load(from, out);
      return out;
    }
    load(from, scratch_.rows);
    for (Size i = 0; i < job_.tree.size(); ++i) {
      const BatchJoint& joint = job_.joints[i];
      out[i] = joint.multiplier * scratch_.rows[joint.coordinate];
      if (offsets) out[i] = out[i] + joint.offset;
    }
    return out;
  }

  const BatchJob& job_;
  const PackScratch& scratch_;
  Size first_;  ///< state of the first lane
  Size valid_;  ///< states of this pack
  Pack::Mask refused_ = {};
  Pack not_finite_ = Pack(0.0);  ///< sum of 0 x over the inputs x: NaN if one is not finite
};

DYNAMICS_INLINE Vec3<Pack> broadcast(const Vec3<double>& v) {
  return {Pack(v.x), Pack(v.y), Pack(v.z)};
}

/// The motion of the base and the wrenches, the same in all lanes.
inline BaseState<Pack> pack_base(const BatchJob& job) {
  const BaseState<double>& base = *job.base;
  return {broadcast(base.angular_velocity), broadcast(base.angular_acceleration),
          broadcast(base.acceleration), base.not_rotating};
}
inline const BodyWrench<Pack>* pack_wrenches(const BatchJob& job, const PackScratch& scratch) {
  if (job.wrenches == nullptr) return nullptr;
  for (Size i = 0; i < job.tree.size(); ++i) {
    scratch.wrenches[i] = {broadcast(job.wrenches[i].moment), broadcast(job.wrenches[i].force)};
  }
  return scratch.wrenches;
}
/// Which entries of a matrix are not zero by the structure of the tree: those of two bodies of
/// which one carries the other, as in M, or those of two bodies with the same root, as in its
/// inverse.
enum class Structure { branch, root };

/// Whether matrices of a pack fit into its scratch; sets `body_of`, `coordinate_of` and `nonzero`.
inline bool prepare_matrices(const BatchJob& job, const PackScratch& scratch,
                             Structure structure = Structure::branch) {
  if (scratch.matrices.rows == nullptr) return false;
  const Size n = job.size;
  for (Size i = 0; i < job.tree.size(); ++i) {
    scratch.coordinate_of[i] = job.joints == nullptr ? i : job.joints[i].coordinate;
    scratch.body_of[scratch.coordinate_of[i]] = i;
  }
  const Size* at = scratch.coordinate_of;
  for (Size k = 0; k < n * n; ++k) scratch.nonzero[k] = 0;
  if (structure == Structure::root) {
    Size* root = scratch.matrices.subtree_end;  // not yet in use
    for (Size i = 0; i < n; ++i) {
      root[i] = is_root(job.tree[i]) ? i : root[job.tree[i].parent];
      for (Size j = root[i]; j <= i; ++j) {
        if (root[j] != root[i]) continue;
        scratch.nonzero[at[i] * n + at[j]] = scratch.nonzero[at[j] * n + at[i]] = 1;
      }
    }
    return true;
  }
  for (Size i = 0; i < n; ++i) {
    for (int k = static_cast<int>(i); k >= 0; k = job.tree[static_cast<Size>(k)].parent) {
      scratch.nonzero[at[i] * n + at[k]] = scratch.nonzero[at[k] * n + at[i]] = 1;
    }
  }
  return true;
}
inline bool has_friction(const BatchJob& job, Size i) {
  return job.friction && (job.tree[i].damping != 0.0 || job.tree[i].friction != 0.0);
}

/// Calls one(states) for every pack of the states [first, last), whose outputs have `width`
/// entries.
template <class One>
DYNAMICS_INLINE Size for_each_pack(const BatchJob& job, Size first, Size last,
                                   const PackScratch& scratch, Size width, One&& one) {
  Size faults = 0;
  for (Size at = first; at < last; at += Pack::count) {
    PackOfStates states(job, at, last, scratch);
    one(states);
    states.finish(faults, width);
  }
  if (job.larger_than_cache) stored_past_cache();
  return faults;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
