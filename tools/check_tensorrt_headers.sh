#!/usr/bin/env bash
# Compiles TensorRT's backend module with real headers, each folder as it is used: with TensorRT's own as TensorRT's module, from version 11
# on and with TensorRT-RTX's own as TensorRT-RTX's, too. Compiling is the test; nothing is linked.
#
#   check_tensorrt_headers.sh FOLDER…     each holds NvInfer.h and NvOnnxParser.h
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# -gt 0 ] || { echo "usage: check_tensorrt_headers.sh FOLDER…" >&2; exit 2; }

# number NAME FOLDER: the value of a macro in NvInferVersion.h; macros that name another are followed. Empty if there is none.
number() {
  local value
  value=$(sed -n "s/^#define $1 \+\([A-Z0-9_]\+\).*/\1/p" "$2/NvInferVersion.h" | head -n 1)
  case $value in
    '' | [0-9]*) echo "$value" ;;
    *) number "$value" "$2" ;;
  esac
}

# compile FOLDER IS_RTX
compile() {
  local source
  for source in vrt/engine/tensorrt/*.cpp; do
    case $source in *_test.cpp) continue ;; esac
    "${CXX:-g++}" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -DVRT_TENSORRT_IS_RTX="$2" -I. \
      -isystem vrt/engine/tensorrt/cuda_types -isystem "$1" "$source"
  done
}

for folder; do
  for header in NvInfer.h NvInferVersion.h NvOnnxParser.h; do
    [ -f "$folder/$header" ] || { echo "check_tensorrt_headers: '$folder' has no $header" >&2; exit 1; }
  done
  version="$(number NV_TENSORRT_MAJOR "$folder").$(number NV_TENSORRT_MINOR "$folder")"
  own=$(number TRT_MAJOR_RTX "$folder")
  if [ -z "$own" ]; then
    compile "$folder" 0
    echo "TensorRT's module compiles with $version: $folder"
  fi
  if [ -n "$own" ] || [ "${version%%.*}" -ge 11 ]; then
    compile "$folder" 1
    echo "TensorRT-RTX's module compiles with $version: $folder"
  fi
done
