# SPDX-License-Identifier: Apache-2.0
# DH tables: the reader, the URDF writer, and the papers' robots compiled in.
set(dh_robots planar3 stanford puma canadarm)

set(DYNAMICS_ROBOT_NAMES)
set(DYNAMICS_ROBOT_TABLES)
get_filename_component(dh_robots_dir "${CMAKE_CURRENT_LIST_DIR}/../../robots" ABSOLUTE)
foreach(dh_robot IN LISTS dh_robots)
  set(dh_file "${dh_robots_dir}/${dh_robot}.yaml")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${dh_file}")
  file(READ "${dh_file}" dh_text)
  string(APPEND DYNAMICS_ROBOT_NAMES "\n    \"${dh_robot}\",")
  string(APPEND DYNAMICS_ROBOT_TABLES "\n    R\"dh_table(${dh_text})dh_table\",")
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/robots.cpp.in" "${CMAKE_CURRENT_BINARY_DIR}/robots.cpp"
               @ONLY)

target_sources(
  dynamics_core
  PRIVATE "${CMAKE_CURRENT_LIST_DIR}/yaml_tree.cpp" "${CMAKE_CURRENT_LIST_DIR}/dh_table.cpp"
          "${CMAKE_CURRENT_LIST_DIR}/to_urdf.cpp" "${CMAKE_CURRENT_BINARY_DIR}/robots.cpp")
