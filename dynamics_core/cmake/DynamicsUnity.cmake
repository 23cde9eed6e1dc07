# SPDX-License-Identifier: Apache-2.0
# Files compiled as one: most of their time would go into instantiating the same templates again.
# Names in anonymous namespaces must differ within a group. Every file still compiles alone
# (-DDYNAMICS_UNITY=OFF, as `./test lint` does).
option(DYNAMICS_UNITY "Compile groups of source files as one" ${DYNAMICS_PRECOMPILE})

# dynamics_sources(<target> <group> <file>...): files of one folder, compiled as one.
function(dynamics_sources target group)
  target_sources(${target} PRIVATE ${ARGN})
  if(DYNAMICS_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endif()
endfunction()
