#!/usr/bin/env bash
# All checks that need no run of the program. Every check runs; the exit status says whether one failed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

failed=()

# check NAME COMMAND…
check() {
  local name=$1 start=$SECONDS
  shift
  "$@" || failed+=("$name")
  echo "lint: $name in $((SECONDS - start)) s"
}

check_spelling() {
  local python=.venv/bin/python3
  "$python" -m codespell_lib --skip='./build,./out,./.*,*.json' --ignore-words=tools/lint/words.txt .
}

check_shell() {
  find tools .ci -type f \( -name '*.sh' -o -path .ci/run \) -print0 | xargs -0 shellcheck
}

check layers python3 tools/lint/check_layers.py
check functions .venv/bin/python3 tools/lint/check_function_lengths.py
check format tools/lint/format.sh
check spelling check_spelling
check shell check_shell
check clang-tidy tools/lint/tidy.sh

if [ "${#failed[@]}" -gt 0 ]; then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
echo "lint: all checks passed"
