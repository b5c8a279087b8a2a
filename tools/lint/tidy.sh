#!/usr/bin/env bash
# Runs clang-tidy with .clang-tidy on our sources, tests left out, as the release preset compiles them.
# With file names, only those.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ $# -gt 0 ]; then
  files=("$@")
else
  # Host versions of kernels are no files of their own: the build includes them in what it generates.
  mapfile -t files < <(find vrt apps -name '*.cpp' -not -name '*_test.cpp' -not -name '*_host.cpp' \
    -not -path '*/testing/*' -not -path '*/compile_fail/*' | sort)
fi
tools/lint/clang_compile_commands.py build/release build/lint
# GCC's own warning options are unknown to Clang.
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-14 -p build/lint --extra-arg=-Wno-unknown-warning-option --quiet \
    --warnings-as-errors='*' 2> >(grep -v '^[0-9]* warnings\? generated' >&2)
echo "clang-tidy: ${#files[@]} files"
