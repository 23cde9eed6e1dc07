# SPDX-License-Identifier: Apache-2.0
# Warnings for our own targets. They are errors in our continuous integration (.ci/run) only: a
# compiler newer than ours must not break a user's build.
option(DYNAMICS_WARNINGS_AS_ERRORS "Treat warnings in our own code as errors" OFF)

function(dynamics_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall
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
            $<$<BOOL:${DYNAMICS_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
