# SPDX-License-Identifier: Apache-2.0
# DYNAMICS_SANITIZE: empty, "address" (with undefined behavior), "thread" or "coverage".
set(DYNAMICS_SANITIZE "" CACHE STRING "address, thread, coverage or empty")
set_property(CACHE DYNAMICS_SANITIZE PROPERTY STRINGS "" address thread coverage)

# for what is around the library: lines in traces do
set(dynamics_sanitized_options "")
if(DYNAMICS_SANITIZE MATCHES "address|thread")
  set(dynamics_sanitized_options -g1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC does not follow conditions through the sanitizers' calls
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

if(DYNAMICS_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(DYNAMICS_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(DYNAMICS_SANITIZE STREQUAL "coverage")
  # the tests run threads, and are many
  add_compile_options(--coverage -fprofile-update=prefer-atomic -O1)
  add_link_options(--coverage)
elseif(NOT DYNAMICS_SANITIZE STREQUAL "")
  message(
    FATAL_ERROR "DYNAMICS_SANITIZE is '${DYNAMICS_SANITIZE}': use address, thread or coverage")
endif()
