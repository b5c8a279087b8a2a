#!/usr/bin/env bash
# Builds and tests vrt in Debian 13, in a root of its own made by debootstrap. Needs root. What is committed is what is built.
#
#   check_debian13.sh SCRATCH_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p "$1"
SCRATCH=$(cd "$1" && pwd)
readonly SCRATCH ROOT=$SCRATCH/trixie

run_inside() {
  echo "(Debian 13) # $*"
  chroot "$ROOT" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PIP_CERT=/etc/certificates.crt sh -c "cd /root/vrt && $*"
}

make_root() {
  [ -f "$ROOT/complete" ] && return
  rm -rf "$ROOT"
  debootstrap --variant=minbase trixie "$ROOT" >"$SCRATCH/debootstrap.log"
  touch "$ROOT/complete"
}

# The machine's own way to the network: name servers and trusted certificates.
share_network() {
  cp /etc/resolv.conf "$ROOT/etc/resolv.conf"
  cp /etc/ssl/certs/ca-certificates.crt "$ROOT/etc/certificates.crt"
}

[ "$(id -u)" -eq 0 ] || { echo "check_debian13.sh: needs root for debootstrap and chroot" >&2; exit 1; }
make_root
share_network
# Libraries ask both about the processor, and complain where one is not there.
trap 'umount "$ROOT/proc" "$ROOT/sys"' EXIT
mount -t proc proc "$ROOT/proc"
mount -t sysfs -o ro sysfs "$ROOT/sys"

mkdir -p "$ROOT/root/vrt"
git archive HEAD | tar -x -C "$ROOT/root/vrt"
run_inside "tools/setup.sh"
run_inside "cmake --preset release && cmake --build --preset release"
run_inside "build/release/bin/vrt doctor"
run_inside "ctest --preset release -LE 'lint|package'"
