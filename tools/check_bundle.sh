#!/usr/bin/env bash
# Runs the archives in a root that has nothing but Debian's minimal system: no compiler, no library of ours. Needs root.
#
#   check_bundle.sh BUILD_FOLDER CLIP
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BUILD=$1 CLIP=$2
readonly SCRATCH=$BUILD/bundle
readonly ROOT=$SCRATCH/root

# run_inside COMMAND…: on failure the script ends.
run_inside() {
  echo "(empty root) # $*"
  chroot "$ROOT" env -i PATH=/usr/bin:/bin HOME=/root "$@"
}

make_root() {
  [ -f "$ROOT/complete" ] && return
  rm -rf "$ROOT"
  debootstrap --variant=minbase bookworm "$ROOT" >"$SCRATCH/debootstrap.log"
  touch "$ROOT/complete"
}

# unpack ARCHIVE: prints its folder as seen from inside, which is not the one where it was made.
unpack() {
  rm -rf "$ROOT/opt/elsewhere"
  mkdir -p "$ROOT/opt/elsewhere"
  tar -C "$ROOT/opt/elsewhere" -xzf "$1"
  echo "/opt/elsewhere/$(ls "$ROOT/opt/elsewhere")"
}

[ "$(id -u)" -eq 0 ] || { echo "check_bundle.sh: needs root for debootstrap and chroot" >&2; exit 1; }
mkdir -p "$SCRATCH"
make_root
# Programs learn from /proc where they are; every container and machine has it.
trap 'umount "$ROOT/proc"' EXIT
mount -t proc proc "$ROOT/proc"
# shellcheck disable=SC2016
if run_inside sh -c 'for tool in cc c++ ld python3; do command -v $tool && exit 0; done; exit 1'; then
  echo "check_bundle.sh: the root is not empty" >&2
  exit 1
fi

python3 tools/bundle.py "$BUILD" --output "$SCRATCH"
vrt=$(unpack "$SCRATCH"/vrt-*-linux-x86_64.tar.gz)
cp "$CLIP" "$ROOT/tmp/clip.mp4"
run_inside "$vrt/bin/vrt" --version
run_inside "$vrt/bin/vrt" doctor
run_inside "$vrt/bin/vrt" run /tmp/clip.mp4 --model centerface --save /tmp/faces.mp4 --json /tmp/faces.jsonl
[ "$(grep -c '"label": "face"' "$ROOT/tmp/faces.jsonl")" -eq 120 ] || { echo "not a face in each frame" >&2; exit 1; }
[ -s "$ROOT/tmp/faces.mp4" ]

python3 tools/bundle.py "$BUILD" --output "$SCRATCH" --core
vrt=$(unpack "$SCRATCH"/vrt-*-linux-x86_64-core.tar.gz)
run_inside "$vrt/bin/vrt" --version
run_inside "$vrt/run_tests.sh"
run_inside "$vrt/bin/vrt_preprocess_benchmark" --benchmark_filter=640 --benchmark_min_time=0.01
