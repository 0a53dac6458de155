# User code needs neither oneTBB nor CUDA: it compiles where their headers are errors. Arguments:
# ROOT, CXX, INCLUDE (where <sluice/...> is), TBB_INCLUDE, SCRATCH.
cmake_minimum_required(VERSION 3.22)

file(REMOVE_RECURSE ${SCRATCH})
file(GLOB_RECURSE headers RELATIVE ${TBB_INCLUDE} ${TBB_INCLUDE}/tbb/*.h ${TBB_INCLUDE}/oneapi/*.h)
list(LENGTH headers count)
if(count LESS 50)
  message(FATAL_ERROR "found ${count} headers of oneTBB in ${TBB_INCLUDE}")
endif()
foreach(header ${headers} cuda.h cuda_runtime.h cuda_runtime_api.h nvjpeg.h)
  file(WRITE ${SCRATCH}/poison/${header} "#error ${header} is not for user code\n")
endforeach()

function(compile file result_name output_name)
  execute_process(COMMAND ${CXX} -std=c++20 -fsyntax-only -isystem ${SCRATCH}/poison
    -I ${SCRATCH}/poison -I ${INCLUDE} ${file}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(${result_name} ${result} PARENT_SCOPE)
  set(${output_name} "${output}" PARENT_SCOPE)
endfunction()

# The poison works, or nothing below means anything.
foreach(header tbb/flow_graph.h oneapi/tbb/task_arena.h)
  file(WRITE ${SCRATCH}/control.cpp "#include <${header}>\n")
  compile(${SCRATCH}/control.cpp result output)
  if(result EQUAL 0)
    message(FATAL_ERROR "<${header}> compiled in spite of the poison")
  endif()
endforeach()

# The examples' includes are all that could bring in those headers. Examples of the nodes of
# graph/flow/ are for users who have a flow graph of their own.
file(GLOB examples ${ROOT}/apps/examples/*.cpp)
set(includes "#include <sluice/sluice.h>")
foreach(file ${examples})
  file(STRINGS ${file} of_file REGEX "^#include <")
  if(NOT "${of_file}" MATCHES "<sluice/graph/flow/")
    list(APPEND includes ${of_file})
  endif()
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" text)
file(WRITE ${SCRATCH}/user.cpp "${text}\n\nint main() {}\n")
compile(${SCRATCH}/user.cpp result output)
if(NOT result EQUAL 0)
  message(SEND_ERROR "what users include does not compile without oneTBB and CUDA:\n${output}")
endif()
