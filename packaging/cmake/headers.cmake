# Installs the public headers. Run by the installation, with ROOT, the project's root, and INCLUDEDIR.
include(${ROOT}/packaging/cmake/public_headers.cmake)

public_headers(${ROOT} headers)
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${ROOT}/${header} DESTINATION ${CMAKE_INSTALL_PREFIX}/${INCLUDEDIR}/sluice/${folder})
endforeach()
