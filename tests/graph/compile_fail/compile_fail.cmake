# Programs that must not compile, and what the compiler has to say about each. Every file here holds
# snippets, each behind `#if CASE == N`, with the message wanted in a line "// WANT N: text". Case 0 is the program without a mistake: it must compile, so that no
# other fails for a wrong reason. Arguments: CXX, INCLUDE (of the library), FILE.
cmake_minimum_required(VERSION 3.22)

set(ENV{LC_ALL} C)  # plain quotes in the compiler's messages

function(compile case result output)
  execute_process(
    COMMAND ${CXX} -std=c++20 -fsyntax-only -I ${INCLUDE} -D CASE=${case} ${FILE}
    RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${failed} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

compile(0 failed text)
if(failed)
  message(FATAL_ERROR "${FILE}: the program without a mistake does not compile:\n${text}")
endif()

file(STRINGS ${FILE} wants REGEX "^// WANT ")
if(NOT wants)
  message(FATAL_ERROR "${FILE} wants nothing")
endif()
foreach(want IN LISTS wants)
  string(REGEX MATCH "^// WANT ([0-9]+): (.*)$" _ "${want}")
  set(case ${CMAKE_MATCH_1})
  set(message "${CMAKE_MATCH_2}")
  compile(${case} failed text)
  if(NOT failed)
    message(SEND_ERROR "${FILE}: case ${case} compiles, but should say: ${message}")
    continue()
  endif()
  string(FIND "${text}" "${message}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${FILE}: case ${case} does not say: ${message}\nbut\n${text}")
  endif()
endforeach()
