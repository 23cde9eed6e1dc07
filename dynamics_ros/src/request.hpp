// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests, checked and put into the model's order. Every function throws Fault naming the field,
// the index and the joint.

#include <cstddef>
#include <cstdint>
#include <dynamics_core/external_inputs.hpp>
#include <dynamics_core/model.hpp>
#include <span>
#include <string>
#include <vector>

#include "robot.hpp"

namespace dynamics_ros {

/// The coordinate of each name. Unknown and duplicate names are faults, also an empty list. Names
/// beyond the model's joints follow on them: amplitudes of flexible links.
std::vector<std::size_t> read_joints(const dynamics::Model& model,
                                     const std::vector<std::string>& names,
                                     const std::string& field,
                                     std::span<const std::string> further = {});

/// The same, and every joint of the robot must be there; of a mechanism with closed loops every
/// independent joint.
std::vector<std::size_t> read_all_joints(const Robot& robot, const std::vector<std::string>& names,
                                         const std::string& field,
                                         std::span<const std::string> further = {});

/// What a message calls a field of a request; put together only where it is needed.
struct Field {
  const char* list;              ///< "states", or the whole name
  std::size_t index = no_index;  ///< in the list
  const char* member = "";       ///< ".positions"
  static constexpr std::size_t no_index = static_cast<std::size_t>(-1);
  std::string name() const;
};

/// Values of the named joints put into model order: into[coordinates[i]] = values[i].
void read_values(const std::vector<double>& values, const std::vector<std::string>& names,
                 const std::vector<std::size_t>& coordinates, const Field& field, double* into);

/// A matrix of a request, row after row, one column per name: names of its rows in messages.
struct Rows {
  const char* name;  ///< "state"
  std::size_t count;
};

/// The same for a row-major matrix: row k, joint i to into[k * width + coordinates[i]].
void read_matrix(const std::vector<double>& values, const std::vector<std::string>& names,
                 const std::vector<std::size_t>& coordinates, const char* field, const Rows& rows,
                 std::size_t width, double* into);

/// Rows of a matrix with one column per name. Faults for none, for more than `largest` and for a
/// part of a row.
std::size_t count_rows(const std::vector<double>& values, const std::vector<std::string>& names,
                       const char* field, const char* row, std::size_t largest);

/// Faults for no entries and for more than `largest`.
void check_count(std::size_t count, std::size_t largest, const std::string& field);

/// Axes of a wrench or a Jacobian.
dynamics::Axes read_axes(std::uint8_t axes, const std::string& field);

/// By coordinate: whether it is in the list.
std::vector<bool> flags(const dynamics::Model& model, const std::vector<std::size_t>& coordinates);

/// The joints that a request lacks, which has those flagged: "'lift', 'turn'". Empty if it has all
/// that are needed: of a mechanism with closed loops the independent ones.
std::string lacking(const Robot& robot, std::vector<bool> seen, const std::string& field);

}  // namespace dynamics_ros
