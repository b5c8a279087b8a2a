#!/usr/bin/env bash
# Checks that all sources are formatted by the pinned clang-format; with --fix, formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

mapfile -t files < <(find vrt apps bench examples tests -name '*.h' -o -name '*.cpp' -o -name '*.cu' | sort)
if [ "${1:-}" = --fix ]; then
  .venv/bin/clang-format -i "${files[@]}"
  exit
fi
.venv/bin/clang-format --dry-run --Werror "${files[@]}" || { echo "format: run make format" >&2; exit 1; }
echo "format: ${#files[@]} files"
