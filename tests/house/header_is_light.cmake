# What <sluice/sluice.h> costs every file that includes it: none of the headers below, not even by
# way of others. Arguments: CXX, INCLUDE, SCRATCH.
cmake_minimum_required(VERSION 3.22)

set(heavy "/(oneapi/|tbb/|cuda[a-z_]*\\.h|nvjpeg|fmt/|hwy/|eigen3/|Eigen/|nlohmann/|jpeglib\\.h)")
set(heavy_standard "/c\\+\\+/[0-9.]+/(iostream|fstream|filesystem|ranges|regex|future|thread)$")

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
  foreach(header ${headers})
    get_filename_component(path ${header} ABSOLUTE)
    if(path MATCHES "${heavy}" OR path MATCHES "${heavy_standard}")
      list(APPEND found ${header})
    endif()
  endforeach()
  set(${list_name} "${found}" PARENT_SCOPE)
endfunction()

included_by("#include <iostream>\n#include <ranges>\n#include <regex>\n" control)
list(LENGTH control found)
if(found LESS 3)
  message(FATAL_ERROR "the check does not see headers that are there: found only '${control}'")
endif()

included_by("#include <sluice/sluice.h>\n" heavy_headers)
foreach(header ${heavy_headers})
  message(SEND_ERROR "<sluice/sluice.h> pulls in ${header}")
endforeach()
