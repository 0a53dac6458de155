# Checks that every header of a folder of the library (ROOM) can be included first, with all
# warnings on. A header that a source of the same name includes first is known to: the library is
# built. Arguments: ROOT, ROOM, CXX, INCLUDE, TBB_INCLUDE, SCRATCH.
cmake_minimum_required(VERSION 3.22)

file(GLOB_RECURSE headers RELATIVE ${ROOT} ${ROOT}/${ROOM}/*.h)
if(NOT headers)
  message(FATAL_ERROR "no header in ${ROOT}/${ROOM}")
endif()
foreach(header ${headers})
  string(REGEX REPLACE "h$" "cpp" source ${ROOT}/${header})
  if(EXISTS ${source})
    file(STRINGS ${source} includes REGEX "^#include")
    list(GET includes 0 first)
    if(first STREQUAL "#include <sluice/${header}>")
      continue()
    endif()
  endif()
  file(WRITE ${SCRATCH}/alone.cpp "#include <sluice/${header}>\n")
  execute_process(COMMAND ${CXX} -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion
    -Wshadow -Werror -I ${INCLUDE} -idirafter ${TBB_INCLUDE} ${SCRATCH}/alone.cpp
    RESULT_VARIABLE result ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "<sluice/${header}> does not compile alone:\n${error}")
  endif()
endforeach()
