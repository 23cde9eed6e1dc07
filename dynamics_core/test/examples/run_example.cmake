# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=.. -D PROGRAM=.. -D ARGUMENTS=.. -D EXPECTED=.. -P run_example.cmake
# Runs an example. Fails unless it ends with 0, its output has a match for each regular expression in
# EXPECTED, and its source has fewer than 40 lines.
file(READ ${SOURCE} text)
string(REGEX MATCHALL "\n" lines "${text}")
list(LENGTH lines length)
if(NOT length LESS 40)
  message(FATAL_ERROR "${SOURCE} has ${length} lines; an example has fewer than 40")
endif()

execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE errors)
message("${output}${errors}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
foreach(expression IN LISTS EXPECTED)
  if(NOT output MATCHES "${expression}")
    message(FATAL_ERROR "the output has no match for '${expression}'")
  endif()
endforeach()
