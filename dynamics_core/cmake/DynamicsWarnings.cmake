# SPDX-License-Identifier: Apache-2.0
# Warnings for our own targets, not for the directory: googletest's sources are compiled in it too.
# They are errors in our continuous integration (.ci/run) only: a compiler newer than ours must not
# break a user's build.
option(DYNAMICS_WARNINGS_AS_ERRORS "Treat warnings in our own code as errors" OFF)

# dynamics_warnings(<target>...)
function(dynamics_warnings)
  foreach(target IN LISTS ARGN)
    target_compile_options(
      ${target}
      PRIVATE
        -Wall
        -Wextra
        -Wpedantic
        -Wshadow
        -Wconversion
        -Wsign-conversion
        -Wnon-virtual-dtor
        -Wold-style-cast
        -Woverloaded-virtual
        # FMA contraction is asked for per kernel, so that results do not depend on flags
        -ffp-contract=off
        # GCC 12 warns of concatenated standard strings (its bug 105651); in dynamics_core, which
        # has none, this warning is on
        $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${dynamics_core_FOUND}>>:-Wno-restrict>
        $<$<BOOL:${DYNAMICS_WARNINGS_AS_ERRORS}>:-Werror>)
  endforeach()
endfunction()
