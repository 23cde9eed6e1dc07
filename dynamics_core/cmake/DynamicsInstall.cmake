# SPDX-License-Identifier: Apache-2.0
# Installs the library, its headers and a CMake package: find_package(dynamics_core).
include(CMakePackageConfigHelpers)

install(
  TARGETS dynamics_core
  EXPORT dynamics_coreTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/dynamics_core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/include/dynamics_core/version.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dynamics_core)
install(FILES package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/dynamics_core)
install(DIRECTORY robots examples DESTINATION ${CMAKE_INSTALL_DATADIR}/dynamics_core)

# dynamics_core::papers, a static library with formulations.hpp and the library itself: the Python
# module links it. The program has compiled all of it.
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dynamics_core)
if(DYNAMICS_BUILD_PROGRAM)
  set_target_properties(dynamics_papers dynamics_core_internal PROPERTIES EXCLUDE_FROM_ALL OFF)
  install(TARGETS dynamics_papers dynamics_core_internal EXPORT dynamics_corePapersTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT dynamics_corePapersTargets NAMESPACE dynamics_core:: DESTINATION ${config_dir})
endif()

install(EXPORT dynamics_coreTargets NAMESPACE dynamics_core:: DESTINATION ${config_dir})
configure_package_config_file(
  cmake/dynamics_coreConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/dynamics_coreConfig.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/dynamics_coreConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dynamics_coreConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/dynamics_coreConfigVersion.cmake
        DESTINATION ${config_dir})

# find_package(dynamics_core COMPONENTS development): what our other packages share with this one
install(FILES cmake/DynamicsAllocations.cmake cmake/DynamicsSanitizers.cmake
              cmake/DynamicsWarnings.cmake DESTINATION ${config_dir}/development)
install(FILES test/support/allocation_counter.hpp test/support/allocation_counter.cpp
        DESTINATION ${config_dir}/development/support)

# for build systems other than CMake: pkg-config --cflags --libs dynamics_core
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/dynamics_core.pc.in dynamics_core.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dynamics_core.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# the entry by which ROS 2 finds an installed package (ros2 pkg prefix dynamics_core), and the hooks of
# colcon.pkg, which put the prefix into AMENT_PREFIX_PATH
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/ament_marker "")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ament_marker RENAME dynamics_core
        DESTINATION ${CMAKE_INSTALL_DATADIR}/ament_index/resource_index/packages)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/ament_prefix_path.dsv
     "prepend-non-duplicate;AMENT_PREFIX_PATH;\n")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/ament_prefix_path.sh
     "_colcon_prepend_unique_value AMENT_PREFIX_PATH \"$COLCON_CURRENT_PREFIX\"\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ament_prefix_path.dsv
              ${CMAKE_CURRENT_BINARY_DIR}/ament_prefix_path.sh
        DESTINATION ${CMAKE_INSTALL_DATADIR}/dynamics_core/hook)
