# SPDX-License-Identifier: Apache-2.0
# Warnings for our own targets, not for the directory: googletest's sources are compiled in it too.
# They are errors in our continuous integration (.ci/run) only.
option(DYNAMICS_WARNINGS_AS_ERRORS "Treat warnings in our own code as errors" OFF)

# dynamics_warnings(<target>...)
function(dynamics_warnings)
  foreach(target IN LISTS ARGN)
    target_compile_options(
      ${target}
      PRIVATE -Wall
              -Wextra
              -Wpedantic
              -Wshadow
              -Wconversion
              -Wsign-conversion
              # GCC 12 warns of concatenated standard strings (its bug 105651)
              $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
              $<$<BOOL:${DYNAMICS_WARNINGS_AS_ERRORS}>:-Werror>)
  endforeach()
endfunction()
