# Lists the suites of a GoogleTest program, each as one test of CTest. Starting the program takes
# longer than most test cases take, so a process runs the cases of a suite one after the other.
#   cmake -D PROGRAM=... -D TO=list.cmake -D COST=n -P discover_suites.cmake
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status
  TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} cannot list its tests: ${status}")
endif()
get_filename_component(folder ${PROGRAM} DIRECTORY)
string(REGEX MATCHALL "\n[A-Za-z0-9_/]+[.]" suites "\n${listed}")  # cases are indented
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
list(TRANSFORM suites STRIP)
set(all "")
foreach(suite IN LISTS suites)
  string(APPEND all "add_test([=[${suite}*]=] ${PROGRAM} [=[--gtest_filter=${suite}*]=])\n"
    "set_tests_properties([=[${suite}*]=] PROPERTIES WORKING_DIRECTORY ${folder} TIMEOUT 1200 COST ${COST})\n")
endforeach()
file(WRITE ${TO} "${all}")
