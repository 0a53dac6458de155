# <sluice/sluice.h> costs compile time in every file that includes it. It must not include the
# headers below, not even indirectly, nor more than ${most_own} of Sluice's own.
# `scripts/build-times --headers` prints the seconds. Arguments: CXX, INCLUDE, SCRATCH.
cmake_minimum_required(VERSION 3.22)

set(heavy "/(oneapi/|tbb/|cuda[a-z_]*\\.h|nvjpeg|fmt/|hwy/|eigen3/|Eigen/|nlohmann/|jpeglib\\.h)")
set(heavy_standard "/c\\+\\+/[0-9.]+/(iostream|fstream|filesystem|ranges|regex|future|thread|\
chrono|mutex|shared_mutex|condition_variable|stop_token|semaphore)$")

set(most_own 100)

# included_by(SOURCE LIST [OWN]): the heavy headers that the source includes, and how many of Sluice's.
function(included_by source list_name)
  file(WRITE ${SCRATCH}/user.cpp "${source}")
  execute_process(COMMAND ${CXX} -std=c++20 -M -I ${INCLUDE} ${SCRATCH}/user.cpp
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the header does not compile:\n${error}")
  endif()
  string(REPLACE "\\\n" " " output "${output}")
  separate_arguments(headers UNIX_COMMAND "${output}")
  set(found)
  set(own 0)
  foreach(header ${headers})
    if(header MATCHES "/sluice/[a-z_/0-9]+\\.h$")
      math(EXPR own "${own} + 1")
    endif()
    get_filename_component(path ${header} ABSOLUTE)
    if(path MATCHES "${heavy}" OR path MATCHES "${heavy_standard}")
      list(APPEND found ${header})
    endif()
  endforeach()
  set(${list_name} "${found}" PARENT_SCOPE)
  if(ARGN)
    set(${ARGN} ${own} PARENT_SCOPE)
  endif()
endfunction()

included_by("#include <iostream>\n#include <ranges>\n#include <regex>\n" control)
list(LENGTH control found)
if(found LESS 3)
  message(FATAL_ERROR "the check does not see headers that are there: found only '${control}'")
endif()

included_by("#include <sluice/sluice.h>\n" heavy_headers own_headers)
if(own_headers LESS 2 OR own_headers GREATER most_own)
  message(SEND_ERROR "<sluice/sluice.h> includes ${own_headers} of the library's headers; ${most_own} are the most")
endif()
foreach(header ${heavy_headers})
  message(SEND_ERROR "<sluice/sluice.h> pulls in ${header}")
endforeach()
