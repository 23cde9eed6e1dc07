// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values of DH tables with their checks; errors name file, line and key.

#include <Eigen/Core>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "readers/yaml_tree.hpp"

namespace dynamics::dh {

using yaml::Cursor;

// 180 degrees are exactly pi
inline double radians(double degrees) { return degrees / 180.0 * std::numbers::pi; }

inline Eigen::Vector3d vector3(const Cursor& at) {
  const auto values = at.numbers(3);
  return {values[0], values[1], values[2]};
}

inline double not_negative(const Cursor& at, const char* unit) {
  const double value = at.number();
  if (value < 0.0) at.fail(std::string("must not be negative (") + unit + ")");
  return value;
}

inline double positive(const Cursor& at, const char* unit) {
  const double value = at.number();
  if (value <= 0.0) at.fail(std::string("must be greater than zero (") + unit + ")");
  return value;
}

inline std::string one_line(const Cursor& at) {
  std::string text = at.text();
  if (text.find_first_of("\n\t") != std::string::npos || text.front() == ' ' ||
      text.back() == ' ') {
    at.fail("a name must be one line without leading or trailing spaces");
  }
  return text;
}

inline bool true_or_false(const Cursor& at) {
  const std::string given = at.text();
  if (given != "true" && given != "false") at.fail("must be true or false");
  return given == "true";
}

template <class Map>
auto& find_named(const Cursor& at, const std::string& name, Map& known, const char* what) {
  const auto found = known.find(name);
  if (found == known.end()) at.fail(std::string(what) + " '" + name + "' does not exist");
  return found->second;
}

/// A row of `constraints`. `links`: the names of all links; `names`: of joints and of the
/// constraints so far, where the new one is added.
ConstraintDescription read_constraint(const Cursor& row, const std::set<std::string>& links,
                                      std::set<std::string>& names);

}  // namespace dynamics::dh
