# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=.. -D DYNAMICS_CORE=.. -D WORK=.. -D GENERATOR=.. -D COMPILER=.. -P this file
# Configures subproject/, which contains dynamics_core, and compiles its own library.
file(REMOVE_RECURSE ${WORK})
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
          "-DCMAKE_CXX_FLAGS=-Wall -Wextra" -DDYNAMICS_CORE=${DYNAMICS_CORE} RESULT_VARIABLE result
  OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} --target user RESULT_VARIABLE result
                OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the user's code does not compile:\n${output}")
endif()
if(NOT output MATCHES "warning: ")
  message(FATAL_ERROR "user.cpp is not compiled with the user's warnings:\n${output}")
endif()
if(output MATCHES "-Wsign-conversion")
  message(FATAL_ERROR "the user's code is compiled with the warnings of dynamics_core:\n${output}")
endif()
