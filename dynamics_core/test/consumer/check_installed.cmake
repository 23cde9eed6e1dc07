# SPDX-License-Identifier: Apache-2.0
# Checks the files in the install prefix. Needs: prefix, CORE (the source folder), LIBRARY_FOLDER,
# VERSION, COMPILER, SOURCE, WORK and run() of install_and_consume.cmake.

# ---- the headers: those of include/ (which scripts/include_graph.py lists) and version.hpp, flat
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*)
file(GLOB expected RELATIVE ${CORE}/include ${CORE}/include/dynamics_core/*.hpp)
list(APPEND expected dynamics_core/version.hpp)
list(SORT headers)
list(SORT expected)
if(NOT headers STREQUAL expected)
  set(extra ${headers})
  list(REMOVE_ITEM extra ${expected})
  list(REMOVE_ITEM expected ${headers})
  message(FATAL_ERROR "installed headers: too many: '${extra}', missing: '${expected}'")
endif()
list(LENGTH headers count)
message("${count} installed headers")
if(count GREATER 33)
  message(FATAL_ERROR "${count} installed headers; at most 33: merge those that belong together or "
                      "move what users do not call to src/")
endif()

# ---- what other tools look for
foreach(file IN ITEMS share/ament_index/resource_index/packages/dynamics_core
                      share/dynamics_core/package.xml ${LIBRARY_FOLDER}/pkgconfig/dynamics_core.pc)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

# ---- pkg-config, and a program compiled with its flags
find_program(PKG_CONFIG pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBRARY_FOLDER}/pkgconfig:$ENV{PKG_CONFIG_PATH}")
run("pkg-config" ${PKG_CONFIG} --modversion dynamics_core)
string(STRIP "${output}" output)
if(NOT output STREQUAL VERSION)
  message(FATAL_ERROR "dynamics_core.pc says version '${output}', CMake says '${VERSION}'")
endif()
run("pkg-config" ${PKG_CONFIG} --cflags --libs dynamics_core)
separate_arguments(flags UNIX_COMMAND "${output}")
run("compiling with pkg-config's flags"
    ${COMPILER}
    -std=c++20
    ${SOURCE}/main.cpp
    ${flags}
    -o
    ${WORK}/with_pkg_config)

# ---- the exported symbols: all are declared in an installed header
file(GLOB library ${prefix}/${LIBRARY_FOLDER}/libdynamics_core.so)
if(library)
  find_program(NM nm REQUIRED)
  run("nm" ${NM} -D --defined-only -C ${library})
  string(REGEX REPLACE "\n$" "" output "${output}")
  string(REPLACE ";" "," output "${output}")
  string(REPLACE "[" "(" output "${output}") # "[abi:cxx11]"; CMake does not split within brackets
  string(REPLACE "]" ")" output "${output}")
  string(REPLACE "\n" ";" symbols "${output}")
  set(declarations "")
  foreach(header IN LISTS headers)
    file(READ ${prefix}/include/${header} text)
    string(REGEX REPLACE "(//|#include)[^\n]*" "" text "${text}") # these declare nothing
    string(APPEND declarations "${text}")
  endforeach()
  set(problems "")
  foreach(symbol IN LISTS symbols)
    string(REGEX MATCH " ([A-Za-z]) (.*)$" matched "${symbol}")
    set(kind ${CMAKE_MATCH_1})
    set(name "${CMAKE_MATCH_2}")
    # without template arguments, function arguments and result
    set(before "")
    while(NOT name STREQUAL before)
      set(before "${name}")
      string(REGEX REPLACE "<[^<>]*>" "" name "${name}")
    endwhile()
    string(REGEX REPLACE "[(].*" "" name "${name}")
    string(REGEX REPLACE "^.* " "" name "${name}")
    if(name MATCHES "^(std|__gnu_cxx)::" AND kind MATCHES "[WVu]")
      continue() # instantiations of the standard library, which exports them
    endif()
    if(name MATCHES "^(_init|_fini|_end|_edata|__bss_start)$")
      continue() # made by linkers
    endif()
    if(NOT name MATCHES "^dynamics::")
      string(APPEND problems "\n  not in namespace dynamics: ${symbol}")
    elseif(name MATCHES "::(Memory|Data)::")
      string(APPEND problems "\n  member of an internal class: ${symbol}")
    else()
      string(REPLACE "::" ";" parts "${name}")
      foreach(part IN LISTS parts)
        string(REGEX REPLACE "^(~|operator.*)" "" part "${part}")
        if(NOT part STREQUAL "" AND NOT declarations MATCHES "[^A-Za-z0-9_]${part}[^A-Za-z0-9_]")
          string(APPEND problems "\n  no installed header has '${part}': ${symbol}")
          break()
        endif()
      endforeach()
    endif()
  endforeach()
  if(problems)
    message(FATAL_ERROR "${library} exports internal symbols:${problems}")
  endif()
  list(LENGTH symbols count)
  message("${count} exported symbols")
endif()
