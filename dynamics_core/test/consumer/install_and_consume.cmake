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
include(${CMAKE_CURRENT_LIST_DIR}/check_installed.cmake)

set(folders -S ${SOURCE} -B ${WORK}/build)
set(options -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${CONFIG})
list(APPEND options -DCMAKE_PREFIX_PATH=${prefix})
run("configuring the consumer" ${CMAKE_COMMAND} ${folders} ${options} -DVERSION=${VERSION})

# not another dynamics_core that is installed here
file(STRINGS ${WORK}/build/CMakeCache.txt found REGEX "^dynamics_core_DIR:")
string(FIND "${found}" "=${prefix}/" position)
if(position EQUAL -1)
  message(FATAL_ERROR "the consumer found ${found}, not the one in ${prefix}")
endif()

run("building the consumer" ${CMAKE_COMMAND} --build ${WORK}/build)
set(ENV{LD_LIBRARY_PATH} "${prefix}/${LIBRARY_FOLDER}:$ENV{LD_LIBRARY_PATH}")

# The PUMA stretched out: joint 2 carries links 2 to 6, whose centers of mass are at x = 0.14, 0.472
# and three times 0.452 m, so -9.81 (15.761 0.14 + 8.767 0.472 + (1.052 + 1.052 + 0.351) 0.452).
set(expected "${VERSION} ${VERSION} -73.125937")
foreach(program IN ITEMS build/consumer with_pkg_config)
  run("the consumer" ${WORK}/${program})
  string(STRIP "${output}" output)
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} printed '${output}', expected '${expected}'")
  endif()
endforeach()

# The installed examples are a project of their own (their output is tested in test/examples).
set(folders -S ${prefix}/share/dynamics_core/examples -B ${WORK}/examples)
run("configuring the examples" ${CMAKE_COMMAND} ${folders} ${options})
