// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batch/kernels/inertia_solver.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// The accelerations for the joint forces of a pack of states, one per coordinate, in scratch.
const Pack* accelerations(const BatchJob& job, const PackScratch& scratch,
                          const BaseState<Pack>& base, const BodyWrench<Pack>* wrenches,
                          const Pack* q, const Pack* qd, InertiaSolver& solver,
                          PackOfStates& states);

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
