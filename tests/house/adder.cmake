# Sluice as a part of another project: added by add_subdirectory and by FetchContent, built, and run.
# Arguments: ROOT, CXX, TBB_DIR, SCRATCH.
cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

# The library is compiled once more for this: without optimization, and by ccache if it is
# installed.
include(${CMAKE_CURRENT_LIST_DIR}/compiler_cache.cmake)

file(REMOVE_RECURSE ${SCRATCH})
foreach(how add_subdirectory FetchContent)
  step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/adder -B ${SCRATCH}/build -G Ninja
    -DHOW=${how} -DSLUICE=${ROOT} -DCMAKE_CXX_COMPILER=${CXX} -DTBB_DIR=${TBB_DIR} ${launcher}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_CUDA_ARCHITECTURES=90)
  step(${CMAKE_COMMAND} --build ${SCRATCH}/build)
  step(${SCRATCH}/build/consumer)
endforeach()

# The project installs only its own files.
step(${CMAKE_COMMAND} --install ${SCRATCH}/build --prefix ${SCRATCH}/prefix)
file(GLOB_RECURSE installed RELATIVE ${SCRATCH}/prefix ${SCRATCH}/prefix/*)
if(NOT installed STREQUAL "bin/consumer")
  message(SEND_ERROR "installed: ${installed}")
endif()
