# nvcc compiles what device code may not use, such as the values of std::partial_ordering, to a trap
# that stops the GPU, and says nothing. No kernel may have one. Arguments: NVCC, INCLUDE, SCRATCH.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

function(count_traps source count_name)
  step(${NVCC} -std=c++20 --fmad=false --expt-relaxed-constexpr -arch=sm_90 -I ${INCLUDE}
    -ptx ${source} -o ${SCRATCH}/kernels.ptx)
  file(STRINGS ${SCRATCH}/kernels.ptx traps REGEX "trap;")
  list(LENGTH traps count)
  set(${count_name} ${count} PARENT_SCOPE)
endfunction()

file(WRITE ${SCRATCH}/control.cu "#include <compare>
constexpr std::partial_ordering order(double x, double y) {
  return x < y ? std::partial_ordering::less : std::partial_ordering::greater;
}
__global__ void is_less(double x, double y, bool* out) { *out = std::is_lt(order(x, y)); }\n")
count_traps(${SCRATCH}/control.cu control)
if(control EQUAL 0)
  message(FATAL_ERROR "the check does not see the trap of its control; is the control still wrong?")
endif()

file(GLOB_RECURSE sources ${ROOT}/cuda/*.cu)
if(NOT sources)
  message(FATAL_ERROR "found no kernels in ${ROOT}/cuda")
endif()
foreach(source ${sources})
  count_traps(${source} traps)
  if(NOT traps EQUAL 0)
    message(SEND_ERROR "${source} compiles to ${traps} traps; nvcc -lineinfo -ptx shows their lines")
  endif()
endforeach()
