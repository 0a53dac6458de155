# Tests include_arrows.cmake on a tree with one break of every kind, and legal files beside them.
# Arguments: SCRATCH, a folder to write to.
cmake_minimum_required(VERSION 3.22)

file(REMOVE_RECURSE ${SCRATCH})
set(wrong
  "runtime/up.h|#include <sluice/graph/plan/plan.h>"
  "graph/up.cpp|#include <sluice/io/readers/files.h>"
  "io/up.h|  #  include <sluice/ops/geometry.h>"
  "ops/index.cpp|#include <sluice/io/jpeg/index.h>"
  "ops/tbb.cpp|#include <tbb/parallel_for.h>"
  "graph/exec/executor.h|#include <oneapi/tbb/flow_graph.h>"
  "io/cuda.cpp|#include <cuda_runtime.h>"
  "io/quoted.cpp|#include \"files.h\""
  "graph/summary.cpp|#include <sluice/sluice.h>"
  "graph/plan/upstairs.cpp|#include <sluice/graph/exec/engine.h>"
  "graph/exec/top.h|#include <sluice/graph/graph.h>"
  "graph/plan/sampled.h|#include <sluice/graph/exec/sample.h>"
  "graph/passes/runs.cpp|#include <sluice/graph/exec/runner.h>"
  "graph/passes/nodes.cpp|#include <sluice/graph/flow/window.h>"
  "graph/plan/words.h|#include <sluice/graph/options.h>"
  "graph/flow/plan.h|#include <sluice/graph/plan/plan.h>"
  "graph/attic/room.h|#include <sluice/graph/value.h>")
set(right
  "graph/flow/node.h|#include <tbb/flow_graph.h>"
  "graph/exec/executor_loops.cpp|#include <tbb/flow_graph.h>"
  "ops/decode/decode.cpp|#include <sluice/io/jpeg/decode.h>"
  "graph/exec/downstairs.cpp|#include <sluice/graph/plan/plan.h>"
  "graph/plan/notes.h|#include <sluice/graph/stats.h>"
  "graph/exec/passes.cpp|#include <sluice/graph/passes/passes.h>"
  "cuda/stage.cpp|#include <cuda_runtime.h>")
foreach(entry ${wrong} ${right})
  string(REPLACE "|" ";" entry "${entry}")
  list(GET entry 0 file)
  list(GET entry 1 text)
  file(WRITE ${SCRATCH}/${file} "${text}\n")
endforeach()

execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${SCRATCH}
  -P ${CMAKE_CURRENT_LIST_DIR}/include_arrows.cmake
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0)
  message(SEND_ERROR "a tree full of breaks passed")
endif()
foreach(entry ${wrong})
  string(REGEX REPLACE "\\|.*" "" file "${entry}")
  string(FIND "${output}" "${file}:" at)
  if(at EQUAL -1)
    message(SEND_ERROR "not found: ${entry}")
  endif()
endforeach()
foreach(entry ${right})
  string(REGEX REPLACE "\\|.*" "" file "${entry}")
  string(FIND "${output}" "${file}:" at)
  if(NOT at EQUAL -1)
    message(SEND_ERROR "found, though it is allowed: ${entry}")
  endif()
endforeach()
