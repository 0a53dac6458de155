# <sluice/sluice.h> has the project's version. In a language older than C++20, its only error says
# what to do. Arguments: ROOT, CXX, INCLUDE, SCRATCH.
cmake_minimum_required(VERSION 3.22)

file(READ ${ROOT}/CMakeLists.txt text)
if(NOT text MATCHES "project\\(sluice VERSION (([0-9]+)\\.([0-9]+)\\.([0-9]+)) ")
  message(FATAL_ERROR "CMakeLists.txt has no line `project(sluice VERSION ...)`")
endif()
set(expected "${CMAKE_MATCH_2}\n${CMAKE_MATCH_3}\n${CMAKE_MATCH_4}\n\"${CMAKE_MATCH_1}\"\n")

file(WRITE ${SCRATCH}/version.cpp
  "#include <sluice/sluice.h>\n"
  "int here;\n"
  "SLUICE_VERSION_MAJOR\nSLUICE_VERSION_MINOR\nSLUICE_VERSION_PATCH\nSLUICE_VERSION\n")
execute_process(COMMAND ${CXX} -std=c++20 -E -P -I ${INCLUDE} ${SCRATCH}/version.cpp
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the header does not compile:\n${error}")
endif()
string(FIND "${output}" "int here;\n" begin REVERSE)
math(EXPR begin "${begin} + 10")
string(SUBSTRING "${output}" ${begin} -1 said)
if(NOT said STREQUAL expected)
  message(SEND_ERROR "sluice.h says version\n${said}\nbut CMakeLists.txt\n${expected}")
endif()

file(WRITE ${SCRATCH}/old.cpp "#include <sluice/sluice.h>\n")
execute_process(COMMAND ${CXX} -std=c++17 -fsyntax-only -I ${INCLUDE} ${SCRATCH}/old.cpp
  RESULT_VARIABLE result ERROR_VARIABLE error OUTPUT_QUIET)
string(REGEX MATCHALL "error:" errors "${error}")
list(LENGTH errors count)
if(result EQUAL 0 OR NOT count EQUAL 1 OR NOT error MATCHES "Sluice needs C\\+\\+20: compile with -std=c\\+\\+20")
  message(SEND_ERROR "in C++17 the compiler says\n${error}")
endif()
