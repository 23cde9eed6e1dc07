// SPDX-License-Identifier: Apache-2.0
#pragma once

// Studies of built-in robots for the tests of the library.

#include <string>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/study.hpp"

namespace dynamics::test {

inline StudySources built_in_sources() {
  return {[](const std::string& name) {
            const DhTable table = built_in_robot(name);
            return StudyRobot{.description = describe(table),
                              .gravity = table.gravity,
                              .q0 = table.q0,
                              .qd0 = table.qd0,
                              .forced = table.forced};
          },
          [](const std::string& path) -> std::string { throw ParseError(path, "is not there"); }};
}

inline Study study_of(const std::string& text) {
  return Study(text, "study.yaml", built_in_sources());
}

/// Free falls of the planar arm with uncertain masses.
inline const char* const falls = R"(
robot: planar3
run: {simulate: {duration: 0.1, sample: 0.05, rtol: 1e-6}}
vary:
  - {parameter: mass, of: all, each: true, scale: {uniform: [0.8, 1.2]}}
keep: [final q_*, peak kinetic]
samples: 20
seed: 4
)";

}  // namespace dynamics::test
