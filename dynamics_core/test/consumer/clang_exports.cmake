# SPDX-License-Identifier: Apache-2.0
# cmake -D CLANG=.. -D NM=.. -D CORE=.. -D EIGEN=.. -D WORK=.. -P this file
# A shared library of two files, compiled by clang: the functions of public headers are exported, the
# others are not. (With GCC, check_installed.cmake looks at the whole library.)
file(MAKE_DIRECTORY ${WORK})
set(library ${WORK}/by_clang.so)
set(command
    ${CLANG}
    -std=c++20
    -O0
    -fPIC
    -shared
    -fvisibility=hidden
    -fvisibility-inlines-hidden)
list(APPEND command -I${CORE}/include -I${CORE}/src)
foreach(folder ${EIGEN})
  list(APPEND command -isystem ${folder})
endforeach()
list(APPEND command ${CORE}/src/base/error.cpp ${CORE}/src/spatial/pose.cpp -o ${library})
execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
execute_process(COMMAND ${NM} -D --defined-only -C ${library} OUTPUT_VARIABLE symbols)
foreach(function IN ITEMS "to_string(dynamics::Status)" "rotation_from_rpy(" "is_rotation(")
  string(FIND "${symbols}" " T dynamics::${function}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "clang does not export dynamics::${function}:\n${symbols}")
  endif()
endforeach()
