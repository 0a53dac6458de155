# sluice_shared(TARGETS...) adds the target sluice_shared, the shared library. It is made of the objects of
# TARGETS, which are also those of the static library.
#
# It exports what the public headers declare and nothing else. So no header needs export macros: every
# source first includes all public headers, with the visibility `default`; all that is declared
# elsewhere is hidden. Programs of this tree and tests use hidden names too, so they link the static
# library. A program that links the shared library links oneTBB as well, and no other of its libraries.
include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)

function(sluice_shared)
  public_headers(${PROJECT_SOURCE_DIR} headers)
  set(lines "#pragma GCC visibility push(default)")
  foreach(header ${headers})
    list(APPEND lines "#include <sluice/${header}>")
    # A header may include another one that was not public before.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
  endforeach()
  list(APPEND lines "#pragma GCC visibility pop" "")
  list(JOIN lines "\n" text)
  set(exported ${PROJECT_BINARY_DIR}/exported.h)
  file(CONFIGURE OUTPUT ${exported} CONTENT "${text}" @ONLY)  # written only if it changes

  # GCC 12 wrongly reports uninitialized values in its own intrinsics here. The static build keeps the warning.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/ops/kernels/color_rows.cpp
      PROPERTIES COMPILE_OPTIONS -Wno-maybe-uninitialized)
  endif()

  set(objects)
  foreach(target ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include \"${exported}\">")
  endforeach()
  add_library(sluice_shared SHARED ${objects})
  # Before 1.0, versions that differ in the second number need not be compatible.
  set_target_properties(sluice_shared PROPERTIES OUTPUT_NAME sluice EXPORT_NAME sluice
    LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(sluice_shared PUBLIC
    $<BUILD_INTERFACE:${include_dir}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(sluice_shared PUBLIC cxx_std_20)
  target_link_libraries(sluice_shared PUBLIC TBB::tbb Threads::Threads)
  foreach(library JPEG::JPEG PkgConfig::HWY fmt::fmt ${image_libraries} ${tar_libraries} ${http_libraries}
      ${CMAKE_DL_LIBS})
    target_link_libraries(sluice_shared PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  if(cuda_linked)
    target_link_libraries(sluice_shared PRIVATE $<BUILD_INTERFACE:CUDA::cudart_static>)
  endif()
  # What a static library brings along, such as the CUDA runtime, is not exported either.
  target_link_options(sluice_shared PRIVATE LINKER:--exclude-libs,ALL LINKER:--no-undefined)
endfunction()
