# Every header of a room can be included first, twice, with all warnings on. Arguments: ROOT, ROOM,
# CXX, INCLUDE, TBB_INCLUDE, SCRATCH.
cmake_minimum_required(VERSION 3.22)

file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/${ROOM}/*.h)
if(NOT headers)
  message(FATAL_ERROR "no header in ${ROOT}/${ROOM}")
endif()
foreach(header ${headers})
  file(WRITE ${SCRATCH}/alone.cpp "#include <sluice/${header}>\n#include <sluice/${header}>\n")
  execute_process(COMMAND ${CXX} -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion
    -Wshadow -Werror -I ${INCLUDE} -idirafter ${TBB_INCLUDE} ${SCRATCH}/alone.cpp
    RESULT_VARIABLE result ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "<sluice/${header}> does not compile alone:\n${error}")
  endif()
endforeach()
