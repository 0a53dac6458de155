# Sets `launcher`: arguments by which a build of the project at ROOT uses ccache, if it is installed.
find_program(ccache ccache)
if(ccache)
  set(launcher -DCMAKE_CXX_COMPILER_LAUNCHER=${ccache} -DCMAKE_CUDA_COMPILER_LAUNCHER=${ccache})
  set(ENV{CCACHE_BASEDIR} ${ROOT})
  set(ENV{CCACHE_NOHASHDIR} 1)
endif()
