# What the scripts share; to be sourced, from the project's root.

cpus=$(nproc)

# Compilers run through ccache where it is installed. What one checkout compiled serves another one:
# paths inside the checkout are looked at relative to it.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  # What it asks for where headers are precompiled. A precompiled header knows its headers by every
  # byte, comments too, and so must the cache, which else goes by what the preprocessor leaves.
  export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
fi

# say TEXT: one line of progress.
say() { printf '%s\n' "$*"; }

# quietly LOG COMMAND...: runs COMMAND with its output in the file LOG, which is shown only when
# the command fails, without Ninja's counting; the exit status is the command's.
quietly() {
  local log=$1 status=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" -ne 0 ]; then
    grep -v '^\[[0-9]*/[0-9]*\]' "$log" >&2 || true
    echo "failed with status $status: $*" >&2
  fi
  return "$status"
}

# What builds and tests the Python module, in an environment of its own in build/. Where there is no
# Python 3.11 or newer, or pip gets nothing, the module is left out, and a line says so.
python_module() {
  local home=build/python-environment
  if [ ! -e "$home/complete" ]; then
    rm -rf "$home"
    mkdir -p build
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
      ! quietly build/python-environment.log python3 -m venv "$home" 2>/dev/null ||
      ! quietly build/python-environment.log "$home/bin/pip" install -q nanobind numpy pytest 2>/dev/null; then
      say "The Python module is left out: Python 3.11, its venv or pip's packages cannot be had here" >&2
      echo -DSLUICE_PYTHON=OFF
      return
    fi
    touch "$home/complete"
  fi
  echo "-DSLUICE_PYTHON=ON -DPython_EXECUTABLE=$PWD/$home/bin/python"
}

# build PRESET [TARGET]: configures and builds. On a terminal one line counts the files; elsewhere
# only the beginning is told. The compiler's words are shown when it fails.
build() {
  local preset=$1 folder=build/$1 target=(${2:+--target "$2"})
  [[ $preset != tsan* ]] || scripts/tsan-tbb
  local python=-DSLUICE_PYTHON=OFF
  [ -n "${2:-}" ] || [[ $preset = tsan* || $preset = asan-library ]] || python=$(python_module)
  say "Configuring $folder"
  # shellcheck disable=SC2086 # several words
  quietly "$folder/configure.log" cmake --preset "$preset" $python
  say "Building ${2:-everything} in $folder on $cpus CPUs"
  local TIMEFORMAT='%R s, %U CPU seconds and %S of the system' status=0
  {
    time if [ -t 1 ]; then
      cmake --build "$folder" --parallel "$cpus" "${target[@]}" 2>&3
    else
      quietly "$folder/build.log" cmake --build "$folder" --parallel "$cpus" "${target[@]}" 2>&3
    fi || status=$?
  } 3>&2 2>"$folder/build.time"  # for scripts/build-times
  return "$status"
}
