# The public headers' types have the memory layouts in type_layouts.txt: sizes, fields, bases, virtual functions
# and the values of enumerations. After a change there, programs that were linked before no longer run with the
# new library, so the next version needs another first or second number.
# Arguments: INCLUDE (the folder with sluice/), CASTXML, PYTHON, SCRATCH.
cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/installed_headers.txt headers REGEX "[.]h$")
set(source)
foreach(header ${headers})
  string(APPEND source "#include <sluice/${header}>\n")
endforeach()
file(MAKE_DIRECTORY ${SCRATCH})
file(WRITE ${SCRATCH}/all.cpp "${source}")
step(${CASTXML} --castxml-output=1 -std=c++20 -DNDEBUG -I${INCLUDE} -o ${SCRATCH}/all.xml ${SCRATCH}/all.cpp)
execute_process(COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/type_layouts.py ${SCRATCH}/all.xml ${INCLUDE}
  OUTPUT_FILE ${SCRATCH}/type_layouts.txt COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND diff ${CMAKE_CURRENT_LIST_DIR}/type_layouts.txt ${SCRATCH}/type_layouts.txt
  RESULT_VARIABLE differs OUTPUT_VARIABLE difference ERROR_VARIABLE difference)
if(differs)
  message(FATAL_ERROR "types of the public headers have another layout (<: before, >: now). If types are "
    "only added, copy ${SCRATCH}/type_layouts.txt to tests/house. Otherwise the next version also needs another first "
    "or second number:\n${difference}")
endif()
file(REMOVE ${SCRATCH}/all.xml)  # it is large
