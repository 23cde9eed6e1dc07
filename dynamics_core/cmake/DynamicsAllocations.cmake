# SPDX-License-Identifier: Apache-2.0
# Compiles the counter of allocations into a test: #include "support/allocation_counter.hpp".
function(dynamics_count_allocations target)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  target_sources(${target} PRIVATE ${folder}/support/allocation_counter.cpp)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
