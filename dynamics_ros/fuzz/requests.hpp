// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fuzzer does with its bytes: requests of every kind, sound and broken. It must return
// whatever the bytes are; a broken promise aborts. The tests run it on bytes of their own.

#include <string_view>

namespace dynamics_ros::fuzz {

/// The promises: no exception; a fault has a message, and nothing else in its response; a success
/// has no message, and nothing but finite numbers.
void requests(std::string_view bytes);

}  // namespace dynamics_ros::fuzz
