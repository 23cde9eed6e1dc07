# SPDX-License-Identifier: Apache-2.0
dynamics_core_test(dh_table_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/dh_table_test.cpp")
dynamics_core_test(to_urdf_test SOURCES "${CMAKE_CURRENT_LIST_DIR}/to_urdf_test.cpp"
                   LIBRARIES urdfdom::urdfdom_model tinyxml2::tinyxml2)
# the URDFs in the repository
target_compile_definitions(to_urdf_test
                           PRIVATE DYNAMICS_URDF_FOLDER="${PROJECT_SOURCE_DIR}/../urdf/urdf")
