#!/usr/bin/env bash
# Runs each fuzzer for a time: run.sh BUILD-FOLDER SECONDS. What they found interesting stays in BUILD-FOLDER/fuzz/corpus for the
# next time; an input that fails is kept in BUILD-FOLDER/fuzz/found, and named.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly build=$1 seconds=$2
readonly corpus=$build/fuzz/corpus found=$build/fuzz/found logs=$build/fuzz
readonly suppressions=$here/../../tools/sanitizers

export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1
export LSAN_OPTIONS=suppressions=$suppressions/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1:suppressions=$suppressions/ubsan.supp

mkdir -p "$corpus" "$found"
"${VRT_PYTHON:-$here/../../.venv/bin/python3}" "$here/seeds.py" "$corpus"
failed=0
for program in "$build"/bin/fuzz_*; do
  name=${program##*/fuzz_}
  printf 'fuzz: %s for %s s … ' "$name" "$seconds"
  if "$program" -max_total_time="$seconds" -max_len=65536 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 \
    -artifact_prefix="$found/$name-" "$corpus/$name" >"$logs/$name.log" 2>&1; then
    echo "$(sed -n 's/^stat::number_of_executed_units: *//p' "$logs/$name.log") inputs, nothing found"
  else
    failed=1
    echo "failed; see $logs/$name.log and $found"
  fi
done
exit "$failed"
