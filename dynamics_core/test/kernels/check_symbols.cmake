# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=nm -DSET=avx2 -DOBJECTS=a.o|b.o -P check_symbols.cmake
# Fails where an object file defines a symbol that other files could be linked with, global or weak,
# outside of dynamics::kernel::SET and dynamics::spatial::SET.
string(REPLACE "|" ";" objects "${OBJECTS}")
string(LENGTH "${SET}" length)
set(own "^_ZNK?8dynamics(6kernel|7spatial)${length}${SET}")
set(count 0)
set(leaked "")
foreach(object ${objects})
  execute_process(COMMAND ${NM} --defined-only --format=posix ${object}
                  OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${listing}")
  foreach(line ${lines})
    # name, type; a lower-case type is local to the file, except for u, v and w
    if(NOT line MATCHES "^([^ ]+) ([A-Zuvw]) ")
      continue()
    endif()
    math(EXPR count "${count} + 1")
    if(NOT CMAKE_MATCH_1 MATCHES "${own}")
      string(APPEND leaked "  ${CMAKE_MATCH_2} ${CMAKE_MATCH_1}\n")
    endif()
  endforeach()
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "no symbols at all in ${OBJECTS}")
endif()
if(leaked)
  message(
    FATAL_ERROR
      "compiled for ${SET}, and outside of dynamics::kernel::${SET} and dynamics::spatial::${SET}:\n${leaked}"
  )
endif()
message("${SET}: ${count} symbols, all in dynamics::kernel::${SET} or dynamics::spatial::${SET}")
