# The Debian packages, which cpack makes of a build with a shared library: sluice (the program), libsluiceN
# (the library, N its version in the file's name) and libsluice-dev (headers, and what CMake and
# pkg-config need). scripts/package deb builds them.
if("$ENV{DEBFULLNAME}" STREQUAL "" OR "$ENV{DEBEMAIL}" STREQUAL "")
  message(FATAL_ERROR "SLUICE_DEB needs DEBFULLNAME and DEBEMAIL in the environment: who makes the packages. "
    "scripts/package deb sets them")
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library development)

set(library_package libsluice${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
string(JOIN "\n" what "Sluice decodes and augments images for training and inference. Every"
  "image flows through a graph on its own. A corrupt file costs one image, and"
  "results do not depend on the number of threads.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME sluice)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION graphics)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "turns image files into augmented batches\n${what}")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
  "batches of augmented images - shared library\n${what}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsluice-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}), libtbb-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "batches of augmented images - headers and build files\n${what}")
# dpkg-shlibdeps finds the packages that the files need. The shlibs file tells other packages which version of
# this library they need.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
file(WRITE ${PROJECT_BINARY_DIR}/deb/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/deb/triggers)

# Every package has the license and a changelog, as Debian's rules ask.
set(folder ${PROJECT_BINARY_DIR}/deb)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, if it is set
foreach(component program library development)
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  file(WRITE ${folder}/${package}/changelog "${package} (${PROJECT_VERSION}) unstable; urgency=medium\n\n"
    "  * The changes of this version are in CHANGELOG.md, in the project's source.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9nf ${folder}/${package}/changelog COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${folder}/${package}/changelog.gz packaging/deb/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
# The manual page is the program's help.
if(TARGET sluice_program)
  find_program(SLUICE_HELP2MAN help2man REQUIRED)
  add_custom_command(OUTPUT ${folder}/sluice.1.gz DEPENDS sluice_program VERBATIM
    COMMAND ${SLUICE_HELP2MAN} --no-info --no-discard-stderr --name "turns image files into augmented batches"
      --output ${folder}/sluice.1 $<TARGET_FILE:sluice_program>
    COMMAND gzip -9nf ${folder}/sluice.1)
  add_custom_target(sluice_manual ALL DEPENDS ${folder}/sluice.1.gz)
  install(FILES ${folder}/sluice.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program EXCLUDE_FROM_ALL)
endif()
include(CPack)
