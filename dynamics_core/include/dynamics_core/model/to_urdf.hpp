// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dynamics_core/model/dh_table.hpp"

namespace dynamics {

/// Writes a DH table as a URDF.
///
/// The frame of link i in the URDF is frame i moved by the joint coordinate: joint i turns about
/// or slides along its z, and at q = 0 the two frames coincide. Frame n+1 becomes the link
/// `tip_link`, fixed to the last one. Every number of the table that a URDF can hold is written in
/// the shortest decimal form that reads back as the same double. Start, forced motion and gravity
/// have no place in a URDF and are given in a comment.
///
/// Throws ModelError where a URDF cannot say what the table says (names used twice, a flexible
/// link whose beam is not along its x).
std::string to_urdf(const DhTable& table);

}  // namespace dynamics
