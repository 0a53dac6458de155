# Programs that must not compile, and the compiler's messages about each. Every file here holds
# snippets, each behind `#if CASE == N`. "// WANT N: text" is part of the compiler's first error.
# "// TYPES N: text" are words, most often types, in the lines up to it or right after it. No case
# causes more than three errors. Case 0 is the program without a mistake: it must compile, so that
# no other fails for a wrong reason. A file without other cases is a program that must compile.
# Arguments: CXX, INCLUDE (of the library), FILE, HEADER (compiled by header.cmake).
cmake_minimum_required(VERSION 3.22)

set(ENV{LC_ALL} C)  # plain quotes in the compiler's messages

function(compile case result output)
  execute_process(
    COMMAND ${CXX} -std=c++20 -I ${INCLUDE} -include ${HEADER} -fsyntax-only -D CASE=${case} ${FILE}
    RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} ${failed} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

compile(0 failed text)
if(failed)
  message(FATAL_ERROR "${FILE}: the program without a mistake does not compile:\n${text}")
endif()

file(STRINGS ${FILE} wants REGEX "^// WANT ")
file(STRINGS ${FILE} all_types REGEX "^// TYPES ")
foreach(want IN LISTS wants)
  string(REGEX MATCH "^// WANT ([0-9]+): (.*)$" _ "${want}")
  set(case ${CMAKE_MATCH_1})
  set(wanted "${CMAKE_MATCH_2}")
  compile(${case} failed text)
  if(NOT failed)
    message(SEND_ERROR "${FILE}: case ${case} compiles, but should say: ${wanted}")
    continue()
  endif()
  string(REPLACE "> >" ">>" text "${text}")
  string(FIND "${text}" "error: " first)
  string(SUBSTRING "${text}" ${first} -1 rest)
  string(FIND "${rest}" "\n" end)
  string(SUBSTRING "${rest}" 0 ${end} error)
  string(FIND "${error}" "${wanted}" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${FILE}: the first error of case ${case} does not say: ${wanted}\nbut\n${text}")
  endif()
  string(REGEX MATCHALL "error: " errors "${text}")
  list(LENGTH errors count)
  if(count GREATER 3)
    message(SEND_ERROR "${FILE}: case ${case} gives ${count} errors:\n${text}")
  endif()
  # Compilers name the types of a template before its error or right after.
  math(EXPR end "${first} + 1500")
  string(SUBSTRING "${text}" 0 ${end} beginning)
  foreach(types IN LISTS all_types)
    string(REGEX MATCH "^// TYPES ([0-9]+): (.*)$" _ "${types}")
    if(NOT CMAKE_MATCH_1 EQUAL case)
      continue()
    endif()
    string(FIND "${beginning}" "${CMAKE_MATCH_2}" at)
    if(at EQUAL -1)
      message(SEND_ERROR
        "${FILE}: the lines around the first error of case ${case} do not name: ${CMAKE_MATCH_2}\n${text}")
    endif()
  endforeach()
endforeach()
