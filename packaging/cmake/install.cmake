# Rules for `cmake --install`: the headers, the library, and the files by which other projects find it
# with find_package(sluice) or pkg-config. The program's own rule is in apps/.
include(CMakePackageConfigHelpers)

# COMPONENT names the Debian package: program, library or development.
set(library_target sluice)
if(BUILD_SHARED_LIBS)
  set(library_target sluice_shared)
endif()
install(CODE "set(ROOT \"${PROJECT_SOURCE_DIR}\")\nset(INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")"
  COMPONENT development)
install(SCRIPT packaging/cmake/headers.cmake COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sluice)
install(TARGETS ${library_target} EXPORT sluiceTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(EXPORT sluiceTargets NAMESPACE sluice:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(packaging/cmake/sluiceConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sluiceConfig.cmake INSTALL_DESTINATION ${package_dir})
configure_file(packaging/cmake/sluiceStatic.cmake.in ${PROJECT_BINARY_DIR}/sluiceStatic.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sluiceConfig.cmake ${PROJECT_BINARY_DIR}/sluiceStatic.cmake
  ${PROJECT_BINARY_DIR}/sluiceConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

set(cuda_libs)
if(cuda_linked)
  set(cuda_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl")
endif()
set(optional_packages)
if(image_png)
  string(APPEND optional_packages " libpng")
endif()
if(image_webp)
  string(APPEND optional_packages " libwebp")
endif()
if(image_tiff)
  string(APPEND optional_packages " libtiff-4")
endif()
if(http_curl)
  string(APPEND optional_packages " libcurl libcrypto zlib")
endif()
if(tar_compressed)
  string(APPEND optional_packages " libarchive zlib")
endif()
set(gif_libs)
if(image_gif)
  set(gif_libs " -lgif")  # it has no file for pkg-config everywhere
endif()
# A user of the static library must link the libraries that it uses, too; a shared one brings them.
if(BUILD_SHARED_LIBS)
  set(requires_line "Requires: tbb")
  set(gif_libs)
  set(cuda_libs)
else()
  set(requires_line "Requires: tbb libjpeg libhwy fmt${optional_packages}")
endif()
# `cmake --install --prefix` may name another prefix later, so the file finds its own.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(folder includedir libdir)
  string(TOUPPER ${folder} name)
  set(pc_${folder} ${CMAKE_INSTALL_${name}})
  if(NOT IS_ABSOLUTE ${pc_${folder}})
    set(pc_${folder} "\${prefix}/${pc_${folder}}")
  endif()
endforeach()
configure_file(packaging/cmake/sluice.pc.in ${PROJECT_BINARY_DIR}/sluice.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sluice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(SLUICE_DEB)
  include(packaging/deb/deb.cmake)
endif()
