# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=.. -D BUILD=.. -D WORK=.. ... -P install_and_consume.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(prefix ${WORK}/prefix)

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
set(folders -S ${SOURCE} -B ${WORK}/build)
set(options -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${CONFIG})
run("configuring the consumer" ${CMAKE_COMMAND} ${folders} ${options} -DCMAKE_PREFIX_PATH=${prefix})

# it must not find another installed dynamics_core
file(STRINGS ${WORK}/build/CMakeCache.txt found REGEX "^dynamics_core_DIR:")
string(FIND "${found}" "=${prefix}/" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the consumer found ${found}, not the one in ${prefix}")
endif()

run("building the consumer" ${CMAKE_COMMAND} --build ${WORK}/build)
set(ENV{LD_LIBRARY_PATH} "${prefix}/${LIBRARY_FOLDER}:$ENV{LD_LIBRARY_PATH}")
run("the consumer" ${WORK}/build/consumer)

# The PUMA at q = 0: joint 2 carries links 2 to 6, whose centers of mass are at x = 0.14, 0.472 and
# three times 0.452 m. The torque is
# -9.81 (15.761 0.14 + 8.767 0.472 + (1.052 + 1.052 + 0.351) 0.452).
set(expected "-73.125937")
string(STRIP "${output}" output)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the consumer printed '${output}', expected '${expected}'")
endif()
