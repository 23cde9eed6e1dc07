# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/../support/independent_libraries.cmake")

dynamics_core_test(model_check_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/check_test.cpp")
dynamics_core_test(model_refusals_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/refusals_test.cpp")
dynamics_core_test(model_suspicious_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/suspicious_test.cpp")
dynamics_core_test(model_from_urdf_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/from_urdf_test.cpp")

# Real robots' URDFs are not part of the project: the tests are skipped where they are not found.
dynamics_core_test(model_real_robots_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/real_robots_test.cpp")
foreach(library dynamics_test_kdl dynamics_test_mujoco)
  if(TARGET ${library})
    target_link_libraries(model_real_robots_test PRIVATE ${library})
  endif()
endforeach()
set(dynamics_robots_dir "${PROJECT_SOURCE_DIR}/../../shared/robots")
if(NOT EXISTS "${dynamics_robots_dir}")
  set(dynamics_robots_dir "")
endif()
target_compile_definitions(model_real_robots_test
                           PRIVATE DYNAMICS_DEFAULT_ROBOTS_DIR="${dynamics_robots_dir}")
