# Builds the tree that this port is in, so use the port where it is, as an overlay:
#
#   vcpkg install sluice --overlay-ports=packaging/vcpkg
#
# vcpkg's cache of packages does not see changes of the tree: add --no-binarycaching if you make some.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS feature_options
  FEATURES
    archive SLUICE_ARCHIVE
    cuda SLUICE_CUDA
    gif SLUICE_GIF
    http SLUICE_HTTP
    png SLUICE_PNG
    tiff SLUICE_TIFF
    tools SLUICE_BUILD_APPS
    webp SLUICE_WEBP)
vcpkg_find_acquire_program(PKGCONFIG)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${feature_options}
    -DSLUICE_BUILD_TESTS=OFF
    -DSLUICE_BUILD_BENCHMARKS=OFF
    -DSLUICE_PYTHON=OFF
    -DSLUICE_WARNINGS_AS_ERRORS=OFF
    -DCMAKE_UNITY_BUILD=ON
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=8
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/sluice)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES sluice AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
