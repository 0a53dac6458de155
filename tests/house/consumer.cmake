# Sluice as users find it: installed to an empty prefix, found by find_package and by pkg-config,
# built, and run. Arguments: CXX, BUILD (the build folder), TBB_DIR, LIBDIR, SCRATCH.
cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

set(project ${CMAKE_CURRENT_LIST_DIR}/consumer)
set(prefix ${SCRATCH}/prefix)
file(REMOVE_RECURSE ${SCRATCH})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# The headers for users are installed, and nothing else.
file(GLOB_RECURSE installed RELATIVE ${prefix}/include/sluice ${prefix}/include/sluice/*)
list(SORT installed)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/installed_headers.txt expected)
if(NOT installed STREQUAL expected)
  list(JOIN installed "\n" text)
  message(SEND_ERROR "the installed headers are not those of installed_headers.txt:\n${text}")
endif()

file(GLOB program ${prefix}/bin/sluice)
if(program)
  step(${program} --help)
  # The recipes beside it are plans that it reads.
  file(GLOB recipes ${prefix}/share/sluice/recipes/*.json)
  list(LENGTH recipes count)
  if(count LESS 11)
    message(SEND_ERROR "${count} recipes are installed, but there are 11")
  endif()
  foreach(recipe ${recipes})
    step(${program} graph --text --pipeline ${recipe})
  endforeach()
endif()

step(${CMAKE_COMMAND} -S ${project} -B ${SCRATCH}/build -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_PREFIX_PATH=${prefix} -DTBB_DIR=${TBB_DIR})
step(${CMAKE_COMMAND} --build ${SCRATCH}/build)
step(${SCRATCH}/build/consumer)

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
execute_process(COMMAND pkg-config --cflags --libs sluice
  RESULT_VARIABLE result OUTPUT_VARIABLE flags ERROR_VARIABLE error)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "pkg-config does not find sluice: ${error}")
endif()
separate_arguments(flags UNIX_COMMAND "${flags}")
step(${CXX} -std=c++20 ${project}/main.cpp -o ${SCRATCH}/by_pkg_config ${flags})
step(${SCRATCH}/by_pkg_config)

# The installed tree stands alone: no file in it names the build folder.
file(GLOB texts ${prefix}/${LIBDIR}/cmake/sluice/*.cmake ${prefix}/${LIBDIR}/pkgconfig/*.pc)
foreach(text ${texts})
  file(STRINGS ${text} lines)
  string(FIND "${lines}" "${BUILD}" at)
  if(NOT at EQUAL -1)
    message(SEND_ERROR "${text} names ${BUILD}")
  endif()
endforeach()
