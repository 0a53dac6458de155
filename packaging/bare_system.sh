# Bare systems to test packages on: chroots that debootstrap makes, so they need root. To be sourced, from
# the project's root, after scripts/common.sh.

# make_bare_system NAME FOLDER PACKAGES: makes the system NAME with a comma-separated list of packages, anew in
# FOLDER. NAME is bookworm (Debian 12), noble (Ubuntu 24.04), or bookworm-arm (Debian 12 for 64-bit ARM; call
# arm_system before). What debootstrap made is kept in build/systems.
make_bare_system() {
  local name=$1 folder=$2 packages=$3 options architecture=()
  local made=build/systems/$name-$packages
  if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    echo "bare systems need root, and the package debootstrap" >&2
    return 1
  fi
  mkdir -p build/systems
  exec 8>"$made.lock"
  flock 8  # others wait for the one that makes it
  if [ ! -f "$made.tar" ]; then
    say "Making the system $name"
    rm -rf "$made"
    mkdir -p "$made"
    case "$name" in
      bookworm | bookworm-arm)
        [ "$name" = bookworm ] || architecture=(--arch=arm64)
        options=(bookworm "$made" "$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 'Origin: Debian' | head -n 1)") ;;
      # noble can be made on Ubuntu and on Debian. Debian's debootstrap has no script for noble; the one for jammy works, and names the
      # mirror. Debian has no keys of Ubuntu, so signatures are not checked there: a system for tests only.
      noble)
        options=("--components=main,universe" noble "$made" "$(apt-get indextargets --format '$(SITE)' 'Codename: noble' 'Origin: Ubuntu' | head -n 1)")
        [ -n "${options[-1]}" ] || options=("--components=main,universe" noble "$made"
          "$(sed -n 's/^[[:space:]]*default_mirror //p' /usr/share/debootstrap/scripts/jammy | sed -n 2p)" jammy) ;;
      *) echo "unknown system '$name'; known are bookworm, noble and bookworm-arm" >&2; return 2 ;;
    esac
    # In a namespace of its own, so that nothing stays mounted if it is killed.
    quietly "$made.log" unshare -m debootstrap "${architecture[@]}" --variant=minbase --include="$packages" "${options[@]}"
    tar -C "$made" -cf "$made.part" .
    mv "$made.part" "$made.tar"
    rm -rf "$made"
  fi
  exec 8>&-
  rm -rf "$folder"
  mkdir -p "$folder"
  tar -C "$folder" -xf "$made.tar"
  cp -L /etc/resolv.conf /etc/hosts "$folder/etc"  # for apt
}

# in_bare_system FOLDER COMMAND: runs COMMAND in bash there, in /root, with an empty environment. Ctrl-C has
# its usual effect, for tests that send it, even where this shell ignores it, as in the background.
in_bare_system() {
  ROOT=$(realpath "$1") COMMAND="cd /root; $2" unshare -m bash -euc '
    mount -t proc proc "$ROOT/proc"
    mount --rbind /dev "$ROOT/dev"
    exec chroot "$ROOT" env -i --default-signal=INT HOME=/root TERM=dumb PYTHONDONTWRITEBYTECODE=1 PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c "$COMMAND"'
}
