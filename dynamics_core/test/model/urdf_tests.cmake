# SPDX-License-Identifier: Apache-2.0
include("${CMAKE_CURRENT_LIST_DIR}/../support/independent_libraries.cmake")

dynamics_core_test(model_check_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/check_test.cpp")
dynamics_core_test(model_invalid_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/invalid_models_test.cpp")
dynamics_core_test(model_warnings_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/model_warnings_test.cpp")
dynamics_core_test(model_urdf_versions_test
                   SOURCES "${CMAKE_CURRENT_LIST_DIR}/urdf_versions_test.cpp")
dynamics_core_test(model_mutations_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/mutations_test.cpp"
                   LIBRARIES fmt::fmt)
target_compile_definitions(model_mutations_test
                           PRIVATE DYNAMICS_URDF_FOLDER="${PROJECT_SOURCE_DIR}/../urdf/urdf")
dynamics_core_test(model_from_urdf_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/from_urdf_test.cpp")

# Reads the URDFs of dynamics_description and those in the folder DYNAMICS_ROBOTS_DIR, if it is set.
dynamics_core_test(model_real_robots_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/real_robots_test.cpp"
                   LIBRARIES tinyxml2::tinyxml2)
foreach(library dynamics_test_kdl dynamics_test_mujoco)
  if(TARGET ${library})
    target_link_libraries(model_real_robots_test PRIVATE ${library})
  endif()
endforeach()
get_filename_component(dynamics_urdf_dir "${PROJECT_SOURCE_DIR}/../urdf/urdf" ABSOLUTE)
target_compile_definitions(model_real_robots_test PRIVATE DYNAMICS_URDF_DIR="${dynamics_urdf_dir}")
