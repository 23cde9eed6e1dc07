// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batch/kernels/batch_kernels.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Scratch of one thread, taken from one block of memory. With a null block only `bytes` is set.
struct PackScratch {
  InverseScratch<Pack>* inverse;
  ForwardScratch<Pack>* forward;
  CompositeScratch<Pack>* composite;
  UdutScratch<Pack>* udut;
  DerivativeScratch<Pack>* derivatives;
  BodyWrench<Pack>* wrenches;
  Pack *q, *qd, *input, *output, *zeros;  ///< one per body
  Pack* rows;                             ///< one per coordinate
  Pack *coupling_columns, *coupling_matrix, *coupling_force;
  Pack* dense;  ///< over coordinates, for massless mimic joints only
  /// Matrices of a pack, where each body has a coordinate of its own; else without rows. M is in
  /// the place of `unit`.
  RowScratch<Pack> matrices;
  Size *body_of, *coordinate_of;  ///< beside `matrices`: of each coordinate, of each body
  unsigned char* nonzero;         ///< for each entry: whether its bodies are on one branch
  Size bytes;

  PackScratch(const BatchJob& job, void* memory) : bytes(0) {
    const Size n = job.size, b = job.tree.size(), k = job.coupling_count;
    take(memory, inverse, b);
    take(memory, forward, b);
    take(memory, composite, b);
    take(memory, udut, b);
    take(memory, derivatives, b);
    take(memory, wrenches, b);
    take(memory, q, b);
    take(memory, qd, b);
    take(memory, input, b);
    take(memory, output, b);
    take(memory, zeros, b);
    take(memory, rows, n);
    take(memory, coupling_columns, b * k);
    take(memory, coupling_matrix, k * k);
    take(memory, coupling_force, k);
    take(memory, dense, job.massless_mimic ? n * n : 0);
    // larger ones would not stay in the cache
    const Size few = n == b && n <= 128 ? n : 0;
    matrices.stride = (3 * n + 1) | 1;
    take(memory, matrices.unit, few * few);
    take(memory, matrices.rows, few * matrices.stride);
    take(memory, matrices.subtree_end, few);
    take(memory, body_of, few);
    take(memory, coordinate_of, few);
    take(memory, nonzero, few * few);
    matrices.unused = nullptr;
    if (few == 0) matrices.rows = nullptr;
  }

 private:
  template <class T>
  void take(void* memory, T*& array, Size count) {
    array = memory == nullptr ? nullptr
                              : reinterpret_cast<T*>(static_cast<unsigned char*>(memory) + bytes);
    bytes += (count * sizeof(T) + 63) / 64 * 64;
  }
};

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
