# The macros of <sluice/sluice.h> name one version, the project's. In a language older than C++20, its only error says
# what to do. Arguments: VERSION, CXX, INCLUDE, SCRATCH.
cmake_minimum_required(VERSION 3.22)

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
string(REPLACE "." "\n" expected "${VERSION}")
string(APPEND expected "\n\"${VERSION}\"\n")
if(NOT said STREQUAL expected)
  message(SEND_ERROR "sluice.h says version\n${said}\nbut the project has\n${expected}")
endif()

file(WRITE ${SCRATCH}/old.cpp "#include <sluice/sluice.h>\n")
execute_process(COMMAND ${CXX} -std=c++17 -fsyntax-only -I ${INCLUDE} ${SCRATCH}/old.cpp
  RESULT_VARIABLE result ERROR_VARIABLE error OUTPUT_QUIET)
string(REGEX MATCHALL "error:" errors "${error}")
list(LENGTH errors count)
if(result EQUAL 0 OR NOT count EQUAL 1 OR NOT error MATCHES "Sluice needs C\\+\\+20: compile with -std=c\\+\\+20")
  message(SEND_ERROR "in C++17 the compiler says\n${error}")
endif()
