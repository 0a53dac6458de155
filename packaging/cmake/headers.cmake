# Installs the public headers. Run by the installation, with ROOT, the project's root, and INCLUDEDIR, which may be absolute.
include(${ROOT}/packaging/cmake/public_headers.cmake)

public_headers(${ROOT} headers)
cmake_path(ABSOLUTE_PATH INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE to)
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${ROOT}/${header} DESTINATION ${to}/sluice/${folder})
endforeach()
