// SPDX-License-Identifier: Apache-2.0
#include "batch/kernels/batch_kernels.hpp"
#include "batch/kernels/pack_scratch.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {
namespace {

/// Twelve independent chains: more than the latency of a multiply-add in two units.
double multiply_adds(Size rounds) {
  const Pack f(0.999), s(0.001);
  // different values, or the compiler would merge the chains
  Pack a(0.1), b(0.2), c(0.3), d(0.4), e(0.5), g(0.6), h(0.7), i(0.8), j(0.9), k(1.1), l(1.2),
      m(1.3);
  for (Size round = 0; round < rounds; ++round) {
    a = a * f + s;
    b = b * f + s;
    c = c * f + s;
    d = d * f + s;
    e = e * f + s;
    g = g * f + s;
    h = h * f + s;
    i = i * f + s;
    j = j * f + s;
    k = k * f + s;
    l = l * f + s;
    m = m * f + s;
  }
  const Pack sum = a + b + c + d + e + g + h + i + j + k + l + m;
  return static_cast<double>(sum.v[0] + sum.v[1]);
}

Size scratch_bytes(const BatchJob& job) { return PackScratch(job, nullptr).bytes; }

}  // namespace

extern const BatchKernelTable<Real> batch_kernels;
const BatchKernelTable<Real> batch_kernels = {
    .pack_size = Pack::count,
    .scratch_bytes = scratch_bytes,
    .multiply_adds = multiply_adds,
#define DYNAMICS_ENTRY(name) .name = batch::name,
#ifdef DYNAMICS_KERNEL_FLOAT
#define DYNAMICS_DOUBLE_ENTRY(name)
#else
#define DYNAMICS_DOUBLE_ENTRY(name) DYNAMICS_ENTRY(name)
#endif
    DYNAMICS_BATCH_KERNELS(DYNAMICS_ENTRY, DYNAMICS_DOUBLE_ENTRY)
#undef DYNAMICS_DOUBLE_ENTRY
#undef DYNAMICS_ENTRY
};

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
