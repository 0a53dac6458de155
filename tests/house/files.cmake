# Checks the tree: it has no folders beside those that are named here, and each kernel has its
# source and a test. Argument: ROOT.
cmake_minimum_required(VERSION 3.22)

set(allowed runtime graph ops cuda io python tests benchmarks apps docs scripts packaging build out)
file(GLOB entries RELATIVE ${ROOT} ${ROOT}/*)
foreach(entry ${entries})
  if(IS_DIRECTORY ${ROOT}/${entry} AND NOT entry IN_LIST allowed AND NOT entry MATCHES "^\\.")
    message(SEND_ERROR "folder ${entry}/ has no place in the house; it has: ${allowed}")
  endif()
endforeach()

# Every kernel has a source of its name, and a test that includes it.
set(kernel_tests "")
file(GLOB tests ${ROOT}/tests/ops/kernels/*_test.cpp)
foreach(test ${tests})
  file(READ ${test} text)
  string(APPEND kernel_tests "${text}")
endforeach()
file(GLOB headers RELATIVE ${ROOT} ${ROOT}/ops/kernels/*.h)
foreach(header ${headers})
  get_filename_component(name ${header} NAME_WE)
  # A header marked internal is tested through the kernels that use it.
  file(STRINGS ${ROOT}/${header} internal LIMIT_COUNT 1 REGEX "^//.*Internal")
  if(internal)
    continue()
  endif()
  if(NOT EXISTS ${ROOT}/ops/kernels/${name}.cpp)
    message(SEND_ERROR "${header} lacks ops/kernels/${name}.cpp")
  endif()
  string(FIND "${kernel_tests}" "#include <sluice/${header}>" at)
  if(at EQUAL -1)
    message(SEND_ERROR "no test in tests/ops/kernels/ includes ${header}")
  endif()
endforeach()

# One class or one family to a file; 600 lines are the most.
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/runtime/* ${ROOT}/graph/* ${ROOT}/io/*
  ${ROOT}/ops/* ${ROOT}/apps/* ${ROOT}/tests/* ${ROOT}/benchmarks/*)
list(FILTER sources INCLUDE REGEX "\\.(h|cpp)$")
foreach(source ${sources})
  file(READ ${ROOT}/${source} text)
  string(REGEX REPLACE "[^\n]" "" newlines "${text}")
  string(LENGTH "${newlines}" lines)
  if(lines GREATER 600)
    message(SEND_ERROR "${source} has ${lines} lines; 600 are the most")
  endif()
endforeach()
