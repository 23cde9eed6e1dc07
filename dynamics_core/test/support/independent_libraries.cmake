# SPDX-License-Identifier: Apache-2.0
# Defines the targets dynamics_test_kdl and dynamics_test_mujoco if KDL and MuJoCo are installed
# (Debian packages liborocos-kdl-dev and libmujoco-dev). Results are compared with these libraries.
include_guard(GLOBAL)

find_package(orocos_kdl QUIET)
if(orocos_kdl_FOUND)
  add_library(dynamics_test_kdl INTERFACE)
  target_link_libraries(dynamics_test_kdl INTERFACE ${orocos_kdl_LIBRARIES})
  target_compile_definitions(dynamics_test_kdl INTERFACE DYNAMICS_TEST_KDL)
endif()

# Not with find_package: the CMake package of Debian 12 has a wrong include directory.
find_path(DYNAMICS_MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(DYNAMICS_MUJOCO_LIBRARY mujoco)
mark_as_advanced(DYNAMICS_MUJOCO_INCLUDE_DIR DYNAMICS_MUJOCO_LIBRARY)
if(DYNAMICS_MUJOCO_INCLUDE_DIR AND DYNAMICS_MUJOCO_LIBRARY)
  add_library(dynamics_test_mujoco INTERFACE)
  target_include_directories(dynamics_test_mujoco SYSTEM INTERFACE "${DYNAMICS_MUJOCO_INCLUDE_DIR}")
  target_link_libraries(dynamics_test_mujoco INTERFACE "${DYNAMICS_MUJOCO_LIBRARY}" fmt::fmt)
  target_compile_definitions(dynamics_test_mujoco INTERFACE DYNAMICS_TEST_MUJOCO)
endif()

# Registers a test that cannot be built on this machine as skipped, with the reason.
function(dynamics_core_skipped_test name reason)
  message(STATUS "${name}: skipped, ${reason}")
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "skipped: ${reason}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()
