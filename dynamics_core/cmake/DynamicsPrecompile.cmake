# SPDX-License-Identifier: Apache-2.0
# Precompiled headers: most of the time that our files take to compile goes into other people's
# headers. Every file includes what it uses all the same (`./test lint` compiles without).
if(DYNAMICS_BUILD_FUZZERS OR DYNAMICS_SANITIZE STREQUAL "coverage")
  set(dynamics_precompile OFF) # files of one target differ in their flags; gcov would count headers
else()
  set(dynamics_precompile ON)
endif()
option(DYNAMICS_PRECOMPILE "Precompile the headers of other libraries" ${dynamics_precompile})

# dynamics_precompile(<target> <header>...), or dynamics_precompile(<target> REUSE_FROM <other>)
# with the same compile options.
function(dynamics_precompile target)
  if(NOT DYNAMICS_PRECOMPILE)
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess) # ccache asks for it
  endif()
  # ccache compares precompiled headers only if this variable asks for it
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
    set_target_properties(
      ${target}
      PROPERTIES
        CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND};-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;${CMAKE_CXX_COMPILER_LAUNCHER}"
    )
  endif()
endfunction()
