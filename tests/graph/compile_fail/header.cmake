# All programs that must not compile include the library's header, which is compiled once for them.
# Arguments: CXX, INCLUDE (of the library), HEADER (the file to write; the compiled one lies next to
# it).
cmake_minimum_required(VERSION 3.22)

file(WRITE ${HEADER} "#include <sluice/sluice.h>\n")
execute_process(COMMAND ${CXX} -std=c++20 -I ${INCLUDE} -x c++-header ${HEADER} -o ${HEADER}.gch
  RESULT_VARIABLE failed ERROR_VARIABLE text)
if(failed)
  message(FATAL_ERROR "the library's header does not compile:\n${text}")
endif()
