// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loop_fixture.hpp"

namespace dynamics_controllers::test {
inline const auto* const ros = ::testing::AddGlobalTestEnvironment(new Ros);
}  // namespace dynamics_controllers::test
