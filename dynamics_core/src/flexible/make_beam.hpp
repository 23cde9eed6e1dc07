// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds the data of a beam from its description: integrals of the shape functions.

#include <string>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/tree.hpp"

namespace dynamics::flexible {

/// The integrals of a beam. Throws ModelError naming the link for values out of range, a basis that
/// is not clamped at the root, or more modes than the quadrature resolves.
Beam make_beam(const std::string& link, const BeamDescription& given, const BeamBasis& basis,
               const FlexibleOptions& options);

/// Shapes, slopes and foreshortening of a beam at x.
BeamSection beam_section(const BeamDescription& given, const BeamBasis& basis,
                         const FlexibleOptions& options, bool stiffening, double x);

/// Whether the foreshortening of this beam is modeled: the option, or the link's own setting.
bool has_stiffening(const BeamDescription& given, const FlexibleOptions& options);

}  // namespace dynamics::flexible
