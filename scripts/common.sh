# What the scripts share; to be sourced, from the project's root.

cpus=$(nproc)

# Compilers run through ccache where it is installed. What one checkout compiled serves another one:
# paths inside the checkout are looked at relative to it.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  # ccache needs these for precompiled headers. A compiler rejects such a header if one byte of its
  # headers changed, even in a comment. So ccache must compare files, not the preprocessor's output.
  export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
fi

# say TEXT: one line of progress.
say() { printf '%s\n' "$*"; }

# quietly LOG COMMAND...: runs COMMAND with its output in the file LOG. If the command fails, prints LOG
# without Ninja's progress lines. Returns the command's exit status.
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

# python_module: makes build/python-environment, where the Python module is built and tested. Without Python
# 3.11 or newer, or if pip installs nothing, it fails.
python_module() {
  local home=build/python-environment
  if [ ! -e "$home/complete" ]; then
    rm -rf "$home"
    mkdir -p build
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null &&
      quietly build/python-environment.log python3 -m venv "$home" &&
      quietly build/python-environment.log "$home/bin/pip" install -q nanobind numpy pytest pyyaml || return
    touch "$home/complete"
  fi
}

# python_options: sets the array `python` to CMake's options for the Python module. The module is left out, and a
# line says so, if python_module fails.
python_options() {
  python=(-DSLUICE_PYTHON=OFF)
  if python_module; then
    python=(-DSLUICE_PYTHON=ON "-DPython_EXECUTABLE=$PWD/build/python-environment/bin/python")
  else
    say "The Python module is left out: Python 3.11, its venv or pip's packages cannot be had here" >&2
  fi
}

# version_in FOLDER: the version of Sluice whose sources are there.
version_in() { sed -n 's/^#define SLUICE_VERSION "\(.*\)"/\1/p' "$1/sluice.h"; }

# arm_system: makes build/arm-system, and tells QEMU to look for libraries there.
arm_system() {
  scripts/arm-system
  export QEMU_LD_PREFIX=$PWD/build/arm-system
}

# build PRESET [TARGET]: configures and builds. On a terminal one line counts the files; elsewhere
# only the beginning is told. The compiler's words are shown when it fails.
build() {
  local preset=$1 folder=build/$1 target=(${2:+--target "$2"})
  case "$preset" in
    tsan*) scripts/tsan-tbb ;;
    msan) scripts/msan-libraries ;;
  esac
  local python=(-DSLUICE_PYTHON=OFF)
  if [ "$preset" = arm ]; then
    arm_system
    python=(-DSLUICE_PYTHON=ON "-DPython_EXECUTABLE=$QEMU_LD_PREFIX/usr/bin/python3")
  elif [ -z "${2:-}" ] && [[ $preset != tsan* && $preset != asan-library && $preset != msan ]]; then
    python_options
  fi
  say "Configuring $folder"
  quietly "$folder/configure.log" cmake --preset "$preset" "${python[@]}"
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

# unpack_sources FOLDER RELEASE NAME[=VERSION]...: unpacks source packages of RELEASE (a code name), with
# the distribution's patches: NAME in FOLDER/NAME, its version in FOLDER/NAME.version. They come from
# the mirrors that this system's packages come from; its own package lists stay as they are. It takes
# the newest version, and fails if a mirror lacks that. With older_sources=yes it then takes the newest
# that the mirror has, and says so.
unpack_sources() {
  local folder=$1 release=$2 list codename
  shift 2
  if ! command -v dpkg-source >/dev/null; then
    echo "$0: needs dpkg-dev; 'scripts/deps wheel' installs it" >&2
    return 1
  fi
  local apt=$folder/apt
  mkdir -p "$apt"/{parts,lists/partial,cache/archives/partial}
  # The distribution's own entries, as sources. An entry of another vendor has other suites.
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$list" ] || continue
    sed -n "s/^[[:space:]]*deb[[:space:]]\(.*[[:space:]]\)$codename\([-a-z]*[[:space:]].*\)\$/deb-src \1$release\2/p" "$list"
  done >"$apt/parts/own.list"
  for list in /etc/apt/sources.list.d/*.sources; do
    [ -f "$list" ] || continue
    awk -v suite="(^|[ \t])$codename([-a-z]*)([ \t]|$)" -v codename="$codename" -v release="$release" '
      BEGIN { RS = ""; FS = "\n" }
      {
        entry = ""; ours = 0
        for (i = 1; i <= NF; ++i) {
          if ($i ~ /^#/) continue
          if ($i ~ /^Suites:/ && $i ~ suite) { ours = 1; gsub(codename, release, $i) }
          if ($i ~ /^Types:/) $i = "Types: deb-src"
          entry = entry $i "\n"
        }
        if (ours) print entry
      }' "$list"
  done >"$apt/parts/own.sources"
  local options=(-q -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$apt/parts"
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=$(id -un)")
  quietly "$folder/update.log" apt-get "${options[@]}" update
  local name version versions newest
  for name in "$@"; do
    versions=${name#*=}
    name=${name%%=*}
    if [ "$versions" = "$name" ]; then
      versions=$(apt-cache "${options[@]}" showsrc --only-source "$name" | sed -n 's/^Version: //p' | sort -Vru)
    fi
    newest=${versions%%$'\n'*}
    for version in $versions; do
      [ "$version" != "$(cat "$folder/$name.version" 2>/dev/null)" ] || continue 2
      rm -rf "$folder/unpacking"
      mkdir "$folder/unpacking"
      if (cd "$folder/unpacking" && apt-get "${options[@]}" source "$name=$version") >"$folder/$name.log" 2>&1; then
        [ "$version" = "$newest" ] || say "$name: the mirror lacks $newest; taking $version" >&2
        rm -rf "${folder:?}/$name" "$folder/$name.version"
        mv "$folder"/unpacking/*/ "$folder/$name"
        echo "$version" >"$folder/$name.version"
        continue 2
      fi
      [ -n "${older_sources:-}" ] || break
    done
    cat "$folder/$name.log" >&2 || true
    echo "$0: cannot get the source of $name ${newest:-in $release}; see above" >&2
    return 1
  done
  rm -rf "$folder/unpacking"
}
