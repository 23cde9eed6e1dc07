# SPDX-License-Identifier: Apache-2.0
# Kernels: recursions compiled once per instruction set, each in its own translation unit. The set is
# chosen at run time.
include(CheckCXXCompilerFlag)
option(DYNAMICS_DISPATCH
       "Compile the kernels for newer instruction sets too, chosen when the program runs" ON)

set(dynamics_kernel_options_avx2 -mavx2 -mfma)
set(dynamics_kernel_options_avx512 -mavx2 -mfma -mavx512f -mavx512dq -mavx512vl -mavx512bw)
set(dynamics_has_x86_kernels OFF)
if(DYNAMICS_DISPATCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|i[3-6]86)$")
  string(REPLACE ";" " " flags "${dynamics_kernel_options_avx512}")
  check_cxx_compiler_flag("${flags}" DYNAMICS_COMPILER_HAS_AVX512)
  set(dynamics_has_x86_kernels ${DYNAMICS_COMPILER_HAS_AVX512})
endif()

# dynamics_kernel_sources(<variable> <kinds> <template>): one source file per file of recursions that
# has kernels of one of the kinds ("STATES|PACKS") in the list of declarations.hpp. The template gets
# @recursion@, the name of the file, and @kernels@, one line KERNEL(name) for each of them.
function(dynamics_kernel_sources variable kinds template)
  set(list ${PROJECT_SOURCE_DIR}/src/rigid/recursions/declarations.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(READ ${list} text)
  string(REGEX MATCHALL "\n  (${kinds})\\([a-z_]+, [a-z_]+," lines "${text}")
  set(recursions "")
  foreach(line ${lines})
    string(REGEX REPLACE ".*\\(([a-z_]+), ([a-z_]+)," "\\1;\\2" pair "${line}")
    list(GET pair 0 recursion)
    list(GET pair 1 name)
    list(APPEND recursions ${recursion})
    string(APPEND kernels_${recursion} "KERNEL(${name})\n")
  endforeach()
  if(NOT recursions)
    message(FATAL_ERROR "${list}: no kernel of kind ${kinds} in the list")
  endif()
  list(REMOVE_DUPLICATES recursions)
  set(sources "")
  foreach(recursion ${recursions})
    set(kernels "${kernels_${recursion}}")
    set(source ${CMAKE_CURRENT_BINARY_DIR}/recursions/${recursion}.cpp)
    configure_file(${template} ${source} @ONLY)
    list(APPEND sources ${source})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# dynamics_kernels(<name> SETS <instruction set>... SOURCES <file>... [OPTIONS <option>...] [FLOAT]):
# compiles the sources for each of the sets that this build has; with FLOAT for packs of floats, in
# the namespace <instruction set>_float.
function(dynamics_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FLOAT" "" "SETS;SOURCES;OPTIONS")
  foreach(set ${arg_SETS})
    if(NOT set STREQUAL "baseline" AND NOT dynamics_has_x86_kernels)
      continue()
    endif()
    set(namespace ${set})
    if(arg_FLOAT)
      set(namespace ${set}_float)
    endif()
    set(target dynamics_${name}_kernels_${namespace})
    add_library(${target} OBJECT ${arg_SOURCES})
    set_target_properties(${target} PROPERTIES DYNAMICS_NAMESPACE ${namespace})
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                                 ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${target} PRIVATE DYNAMICS_KERNEL_NAMESPACE=${namespace}
                                                 $<$<BOOL:${arg_FLOAT}>:DYNAMICS_KERNEL_FLOAT>)
    dynamics_warnings(${target})
    # a fused multiply-add where the set has one; link-time optimization would mix the sets
    target_compile_options(${target} PRIVATE -ffp-contract=fast -fno-lto
                                             ${dynamics_kernel_options_${set}} ${arg_OPTIONS})
    if(DYNAMICS_SANITIZE MATCHES "address|thread")
      target_compile_options(${target} PRIVATE -O2) # tests on packs would take minutes without
    endif()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET
                                                                            hidden)
    set_property(GLOBAL APPEND PROPERTY DYNAMICS_KERNEL_TARGETS ${target})
  endforeach()
endfunction()
