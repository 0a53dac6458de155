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

file(WRITE ${SCRATCH}/user.cpp "#include <sluice/sluice.h>\n\nint main() {}\n")
file(GLOB examples ${ROOT}/apps/examples/*.cpp)
foreach(file ${SCRATCH}/user.cpp ${examples})
  # Examples of the nodes of graph/flow/ are for people who have a flow graph of their own.
  file(STRINGS ${file} flow REGEX "include <sluice/graph/flow/")
  if(flow)
    continue()
  endif()
  compile(${file} result output)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${file} does not compile without oneTBB and CUDA:\n${output}")
  endif()
endforeach()
