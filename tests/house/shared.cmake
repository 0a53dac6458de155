# The shared library: it exports the names in exported_symbols.txt and no others, and needs oneTBB alone to
# be linked. A program that hides its own names can use it. Arguments: ROOT, CXX, TBB_DIR, SCRATCH.
#
# A name that is missing in the list was added to the public headers: add it. A name of the list that
# the library lacks was removed or changed: programs that were linked before no longer run, so the next
# version needs another first or second number.
cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/compiler_cache.cmake)

file(REMOVE_RECURSE ${SCRATCH})
set(prefix ${SCRATCH}/prefix)
step(${CMAKE_COMMAND} -S ${ROOT} -B ${SCRATCH}/library -G Ninja -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${CXX} -DTBB_DIR=${TBB_DIR} ${launcher} -DCMAKE_INSTALL_LIBDIR=lib
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8 -DBUILD_SHARED_LIBS=ON -DSLUICE_CUDA=OFF
  -DSLUICE_PYTHON=OFF -DSLUICE_BUILD_APPS=OFF -DSLUICE_BUILD_TESTS=OFF -DSLUICE_BUILD_BENCHMARKS=OFF)
step(${CMAKE_COMMAND} --build ${SCRATCH}/library)
step(${CMAKE_COMMAND} --install ${SCRATCH}/library --prefix ${prefix})

# Functions, data and tables of virtual functions; not what templates of other libraries became here.
execute_process(COMMAND nm -DC --defined-only ${prefix}/lib/libsluice.so OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >" "std::string"
  symbols "${symbols}")
string(REPLACE "[" "<" symbols "${symbols}")  # brackets and semicolons would join and split CMake's lists
string(REPLACE "]" ">" symbols "${symbols}")
string(REPLACE ";" "," symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
# Some demanglers leave out the default allocator.
string(REGEX REPLACE ", std::allocator<[^<>]*(<[^<>]*(<[^<>]*>[^<>]*)?>)?[^<>]*>" "" symbols "${symbols}")
list(FILTER symbols INCLUDE REGEX "^[0-9a-f]+ ([TDBR] |[VW] (vtable|typeinfo) for sluice)")
list(TRANSFORM symbols REPLACE "^[0-9a-f]+ . " "")
list(REMOVE_DUPLICATES symbols)  # constructors stand twice
list(SORT symbols)
list(JOIN symbols "\n" text)
file(WRITE ${SCRATCH}/exported_symbols.txt "${text}\n")
file(READ ${CMAKE_CURRENT_LIST_DIR}/exported_symbols.txt expected)
if(NOT expected STREQUAL "${text}\n")
  execute_process(COMMAND diff ${CMAKE_CURRENT_LIST_DIR}/exported_symbols.txt ${SCRATCH}/exported_symbols.txt
    OUTPUT_VARIABLE difference)
  message(SEND_ERROR "the exported symbols differ (<: gone, >: new). If this is meant, copy "
    "${SCRATCH}/exported_symbols.txt to tests/house:\n${difference}")
endif()

set(project ${CMAKE_CURRENT_LIST_DIR}/consumer)
step(${CMAKE_COMMAND} -S ${project} -B ${SCRATCH}/build -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_PREFIX_PATH=${prefix} -DTBB_DIR=${TBB_DIR} -DCMAKE_CXX_FLAGS=-fvisibility=hidden)
step(${CMAKE_COMMAND} --build ${SCRATCH}/build)
step(${SCRATCH}/build/consumer)
set(ENV{PKG_CONFIG_PATH} ${prefix}/lib/pkgconfig)
execute_process(COMMAND pkg-config --cflags --libs sluice OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
step(${CXX} -std=c++20 ${project}/main.cpp -o ${SCRATCH}/by_pkg_config ${flags} -Wl,-rpath,${prefix}/lib)
step(${SCRATCH}/by_pkg_config)
foreach(other jpeg hwy fmt curl)
  if(flags MATCHES "-l${other}")
    message(SEND_ERROR "pkg-config names the private library ${other}: ${flags}")
  endif()
endforeach()
file(REMOVE_RECURSE ${SCRATCH}/library)
