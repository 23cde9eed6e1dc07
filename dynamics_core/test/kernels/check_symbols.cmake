# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=nm -DNAMESPACE=avx2 -DOBJECTS=a.o|b.o -P check_symbols.cmake
# Fails where an object file defines a global or weak symbol, which other files could be linked with,
# outside of dynamics::kernel::NAMESPACE and dynamics::spatial::NAMESPACE.
string(REPLACE "|" ";" objects "${OBJECTS}")
string(LENGTH "${NAMESPACE}" length)
# _ZZ: local to a function of the namespace, such as a lambda
set(own "^_ZZ?NK?8dynamics(6kernel|7spatial)${length}${NAMESPACE}")
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
    set(symbol ${CMAKE_MATCH_1})
    set(type ${CMAKE_MATCH_2})
    math(EXPR count "${count} + 1")
    if(NOT symbol MATCHES "${own}")
      string(APPEND leaked "  ${type} ${symbol}\n")
    endif()
  endforeach()
endforeach()
if(count EQUAL 0)
  message(FATAL_ERROR "no symbols in ${OBJECTS}")
endif()
if(leaked)
  message(
    FATAL_ERROR
      "compiled for ${NAMESPACE} outside of dynamics::kernel::${NAMESPACE} and dynamics::spatial::${NAMESPACE}:\n${leaked}"
  )
endif()
message(
  "${NAMESPACE}: ${count} symbols, all in dynamics::kernel::${NAMESPACE} or dynamics::spatial::${NAMESPACE}"
)
