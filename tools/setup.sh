#!/usr/bin/env bash
# Installs what vrt is built and tested with: Debian packages that are missing, pinned wheels into .venv/, and ONNX Runtime's
# headers into .deps/.
# Run by `make demo`, `make test` and the others; it does nothing, quickly, where all is there already.
#
# Nothing is written outside the repository but what apt installs. The output of the tools is in build/setup.log.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VENV=.venv
readonly STAMP=$VENV/setup.sha256
readonly LOG=build/setup.log
readonly REQUIREMENTS=tools/requirements.txt
# ONNX Runtime's C interface. Debian 12 has no package of it, Debian 13 has: it is unpacked, not installed.
readonly HEADERS=.deps/onnxruntime
readonly HEADERS_PACKAGE=libonnxruntime-dev=1.21.0+dfsg-1
readonly HEADERS_SHA256="\
7783e9664bdb0b1b36145b5c8587dd1bc9a399aa000edf2e3dd03003cafc6882  onnxruntime_c_api.h
730910e9e78af536d0a4a5a72d408ab793bbe232054a5a4596c8200e45f3c99c  onnxruntime_run_options_config_keys.h
1fbd110d53e1babe6f00c72b88b48faf2ef86c3b1fea8e0989df8632af5a9e0f  onnxruntime_session_options_config_keys.h"

PACKAGES=(
  g++ cmake ninja-build make pkg-config ccache
  libfmt-dev libspdlog-dev libcli11-dev nlohmann-json3-dev libssl-dev
  libprotobuf-dev protobuf-compiler
  libavcodec-dev libavformat-dev libavutil-dev libswscale-dev
  libopencv-core-dev libopencv-imgproc-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  python3 python3-venv
  shellcheck patchelf debootstrap
)

# What is called otherwise elsewhere. Debian 12 is where everything is run; Debian 13 is built and tested by
# tools/check_debian13.sh, without `make lint`, for which it has no clang-tidy 14, and without fuzzers. Ubuntu's names are the same by its package
# lists, but were never run.
# shellcheck source=/dev/null
case $(. /etc/os-release && echo "$ID-${VERSION_ID:-}") in
  debian-12 | ubuntu-22.04 | ubuntu-24.04) PACKAGES+=(clang-tidy-14 clang-14 libclang-rt-14-dev doxygen) ;;
esac

die() {
  echo "setup: $1" >&2
  exit 1
}

# step DESCRIPTION COMMAND…: runs it and prints one line with the time taken; on failure one line more that says
# $HINT and the tool's own last complaint, and the end.
step() {
  local description=$1 start=$SECONDS complaint
  shift
  printf 'setup: %s … ' "$description"
  if "$@" >>"$LOG" 2>&1 </dev/null; then
    echo "$((SECONDS - start)) s"
    return
  fi
  echo "failed after $((SECONDS - start)) s"
  complaint=$(grep -E '^ *(E:|ERROR:|Error:)' "$LOG" | tail -n 1) || true
  die "$HINT (${complaint:-no message}); the whole output is in $LOG"
}

missing_packages() {
  local package
  for package in "${PACKAGES[@]}"; do
    case $installed in *$'\n'"$package "*) ;; *) echo "$package" ;; esac
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# An index that cannot be fetched matters only if the packages then cannot be installed: the next step says so.
update_package_lists() {
  as_root apt-get update -o Acquire::Retries=1 -o Acquire::http::Timeout=20 || true
}

install_packages() {
  as_root apt-get install -y --no-install-recommends -o Acquire::Retries=2 -o Acquire::http::Timeout=60 \
    -o Dpkg::Use-Pty=0 "$@"
}

ensure_packages() {
  command -v dpkg-query >/dev/null || die "there is no dpkg here, and this script installs Debian's packages"
  local installed missing
  # "name " on each line, without the architecture.
  installed=$'\n'$(dpkg-query -W -f '${db:Status-Abbrev}${Package} \n' | sed -n 's/^ii *//p')
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    { command -v sudo >/dev/null && sudo -v; } || die "not root and no sudo; as root run: apt-get install ${missing[*]}"
  fi
  HINT="apt could not install the packages: no network, or a package source that does not answer"
  step "package lists" update_package_lists
  step "${#missing[@]} system packages" install_packages "${missing[@]}"
}

make_venv() {
  rm -rf "$VENV"
  "$1" -m venv "$VENV"
}

# --no-deps with --require-hashes: exactly the files that tools/requirements.txt names, and nothing else.
install_wheels() {
  "$VENV/bin/python3" -m pip install --disable-pip-version-check --no-cache-dir --no-input --only-binary :all: \
    --retries 2 --timeout 60 --no-deps --require-hashes -r "$REQUIREMENTS"
}

# Decides whether .venv/ is what this script would make: a virtual environment belongs to its path and interpreter.
venv_key() {
  { cat "$REQUIREMENTS" "${BASH_SOURCE[0]}"; pwd -P; "$1" -V; } | sha256sum | cut -d ' ' -f 1
}

ensure_wheels() {
  local python key
  # The system's Python, which the packages above completed, before whatever comes first on PATH.
  python=/usr/bin/python3
  [ -x "$python" ] || python=$(command -v python3) || die "there is no python3"
  key=$(venv_key "$python")
  if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$key" ]; then return 0; fi
  HINT="the virtual environment could not be made with $python"
  step "virtual environment in $VENV/" make_venv "$python"
  HINT="the wheels could not be installed: no network, or a digest that does not match"
  step "wheels into $VENV/" install_wheels
  echo "$key" >"$STAMP"
}

# The place that this machine gets its own Debian packages from.
debian_mirror() {
  # shellcheck disable=SC2016 # apt's own variables
  apt-get indextargets --no-release-info --format '$(REPO_URI)' 'Created-By: Packages' "Release: $1" | head -n 1
}

# An apt root of its own for Debian 13: nothing of the machine's apt is changed, and signatures are checked as ever.
unpack_headers() {
  local codename mirror root=$PWD/$HEADERS/apt
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(debian_mirror "$codename")
  local apt=(apt-get -o "Dir::Etc::sourcelist=$root/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::status=/dev/null
    -o "Dir::State::lists=$root/lists" -o "Dir::Cache=$root/cache" -o Acquire::Languages=none -o Acquire::Retries=1
    -o Acquire::http::Timeout=60)
  [ "$(id -u)" -ne 0 ] || apt+=(-o APT::Sandbox::User=root)
  rm -rf "$HEADERS"
  mkdir -p "$root/lists/partial" "$root/cache/archives/partial" &&
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$root/sources.list" &&
    "${apt[@]}" update &&
    (cd "$root" && "${apt[@]}" download "$HEADERS_PACKAGE") &&
    dpkg -x "$root"/*.deb "$HEADERS" &&
    (cd "$HEADERS/usr/include/onnxruntime" && sha256sum --check --strict --quiet <<<"$HEADERS_SHA256") &&
    rm -r "$root" &&
    echo "$HEADERS_PACKAGE" >"$HEADERS/complete"
}

# Debian's alone: elsewhere VRT_ONNXRUNTIME_INCLUDE_DIR names the folder of onnxruntime_c_api.h, or the module is not built.
ensure_headers() {
  # shellcheck source=/dev/null
  [ "$(. /etc/os-release && echo "$ID")" = debian ] || return 0
  if [ -f "$HEADERS/complete" ] && [ "$(cat "$HEADERS/complete")" = "$HEADERS_PACKAGE" ]; then return 0; fi
  HINT="ONNX Runtime's headers could not be unpacked: no network, or a digest that does not match"
  step "headers into $HEADERS/" unpack_headers
}

mkdir -p build
: >"$LOG"
ensure_packages
ensure_wheels
ensure_headers
