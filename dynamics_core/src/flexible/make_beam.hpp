// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dynamics_core/flexible_model.hpp"
#include "flexible/tree.hpp"

namespace dynamics::flexible {

/// The integrals of a beam. Throws ModelError naming the link: numbers that cannot be, a basis that
/// is not clamped at the root, more modes than the quadrature resolves.
Beam make_beam(const std::string& link, const BeamDescription& given, const BeamBasis& basis,
               const FlexibleOptions& options);

/// Shapes and slopes of a beam at x. `at.offset` and `at.x` are left to the caller.
BeamSection attach(const BeamDescription& given, const BeamBasis& basis,
                   const FlexibleOptions& options, bool stiffening, double x);

/// Whether this beam takes its foreshortening along.
bool stiffens(const BeamDescription& given, const FlexibleOptions& options);

}  // namespace dynamics::flexible
