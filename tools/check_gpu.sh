#!/usr/bin/env bash
# What only a machine with a GPU can show: tests, compute-sanitizer's four tools, benchmarks and their peers. Each step has a log of its own;
# at the end a table says what passed, failed and was skipped, and why.
#
#   tools/check_gpu.sh FOLDER [--logs DIR] [--only PATTERN] [--limit SECONDS]
#   tools/check_gpu.sh --list
#
# FOLDER is the core archive, unpacked (make bundle-core, docs/bundles.md). --only takes the steps whose names match a shell pattern:
# 'test.*', 'sanitizer.*', 'bench.*', '*.models'. A step that takes longer than --limit, 600 s if not told, has failed.
# Environment: VRT_ONNXRUNTIME, the folder of onnxruntime-gpu's libraries; PYTHON, one with PyTorch, CuPy, transformers and
# onnxruntime-gpu for the peers (python3); COMPUTE_SANITIZER, where it is not on the PATH.
# Ends with 0 if nothing failed and something passed, 1 if a step failed, 2 if there is no GPU or nothing to run.
set -uo pipefail

REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly REPOSITORY PYTHON=${PYTHON:-python3}
root='' logs='' pattern='*' limit=600 list=false
declare -A count=([passed]=0 [failed]=0 [skipped]=0)

stop() {
  echo "check_gpu.sh: $1" >&2
  exit 2
}

parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --list) list=true; shift; continue ;;
      --logs | --only | --limit) [ $# -ge 2 ] || stop "$1 needs a value" ;;
      -*) stop "$1 is no option" ;;
      *) root=$1; shift; continue ;;
    esac
    case $1 in
      --logs) logs=$2 ;;
      --only) pattern=$2 ;;
      --limit) limit=$2 ;;
    esac
    shift 2
  done
}

# --- What a step needs: each prints why it cannot run, or nothing ------------------------------------------------------------

missing_gpu() { :; } # Looked for at the start.

missing_onnxruntime() {
  local row folder
  row=$("$root/bin/vrt" doctor 2>/dev/null | grep '^onnxruntime ')
  folder=$(dirname "${row##*, }")
  if [[ ! $row =~ ^onnxruntime\ +ok\  ]]; then
    echo "no ONNX Runtime: VRT_ONNXRUNTIME=${VRT_ONNXRUNTIME:-(not set)}"
  elif [ ! -e "$folder/libonnxruntime_providers_cuda.so" ]; then
    echo "$folder has no ONNX Runtime for GPUs"
  fi
}

missing_sanitizer() {
  [ -n "$(sanitizer)" ] || echo "no compute-sanitizer on the PATH, in /usr/local/cuda/bin, or as COMPUTE_SANITIZER"
}

sanitizer() {
  command -v "${COMPUTE_SANITIZER:-compute-sanitizer}" || command -v /usr/local/cuda/bin/compute-sanitizer
}

# missing_python MODULES…: PyTorch has to see the GPU.
missing_python() {
  local module
  for module in "$@"; do
    "$PYTHON" -c "import $module" 2>/dev/null || { echo "$PYTHON has no module $module"; return; }
  done
  "$PYTHON" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null || echo "PyTorch of $PYTHON sees no GPU"
}

missing_torch() { missing_python torch torchvision; }
missing_cupy() { missing_python torch cupy; }
missing_transformers() {
  missing_python torch transformers onnx onnxruntime
  missing_onnxruntime
}

# --- Running a step ----------------------------------------------------------------------------------------------------------

# tests_in LOG: how many GoogleTest says have passed; nothing if it says nothing.
tests_in() { sed -n 's/^\[  PASSED  \] \([0-9]*\) tests\{0,1\}\.$/\1/p' "$1" | tail -1; }

# problem_of KIND LOG STATUS: why a step that has ended did not pass, or nothing.
problem_of() {
  local kind=$1 log=$2 status=$3
  case $status in
    0) ;;
    124 | 137) echo "not done in $limit s"; return ;;
    *) echo "exit status $status"; return ;;
  esac
  if [ "$kind" != program ] && [ "$(tests_in "$log")" -eq 0 ] 2>/dev/null; then
    echo "ran no test"
  elif [ "$kind" != program ] && [ -z "$(tests_in "$log")" ]; then
    echo "says nothing of tests that passed"
  elif [ "$kind" = sanitizer ] && ! grep -Eq '=+ (ERROR|RACECHECK) SUMMARY: 0 (errors|hazards)' "$log"; then
    echo "compute-sanitizer says nothing of 0 errors"
  fi
}

# detail_of KIND LOG: what a step that passed has to say.
detail_of() {
  case $1 in
    program) grep -v '^[[:space:]]*$' "$2" | tail -1 | cut -c1-100 ;;
    *) echo "$(tests_in "$2") tests$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) tests\{0,1\}\.$/, \1 skipped/p' "$2" | tail -1)" ;;
  esac
}

# tell NAME OUTCOME SECONDS DETAIL
tell() {
  count[$2]=$((count[$2] + 1))
  printf '%-28s %-8s %6s  %s\n' "$1" "$2" "$3" "$4" | tee -a "$logs/summary.txt"
}

# step NAME NEED KIND COMMAND…: NEED is the end of a function missing_…; KIND is tests, sanitizer or program.
step() {
  local name=$1 need=$2 kind=$3 log problem begin
  shift 3
  # shellcheck disable=SC2053
  [[ $name == $pattern ]] || return
  $list && { echo "$name"; return; }
  problem=$("missing_$need")
  if [ -n "$problem" ]; then
    tell "$name" skipped - "$(head -1 <<<"$problem")"
    return
  fi
  log=$logs/$name.log begin=$SECONDS
  (cd "$root" && echo "\$ $*" && timeout --kill-after=10 "$limit" "$@") >"$log" 2>&1 </dev/null
  problem=$(problem_of "$kind" "$log" $?)
  if [ -n "$problem" ]; then
    tell "$name" failed $((SECONDS - begin)) "$problem: $log"
  else
    tell "$name" passed $((SECONDS - begin)) "$(detail_of "$kind" "$log")"
  fi
}

# --- The steps ---------------------------------------------------------------------------------------------------------------

test_steps() {
  step test.selftest gpu program bin/vrt selftest --device cuda:0
  step test.device gpu tests bin/vrt_device_test
  step test.image gpu tests bin/vrt_image_test
  step test.models gpu tests bin/vrt_models_test --gtest_filter='*cuda*'
  step test.networks onnxruntime tests bin/vrt_engine_test --gtest_filter='*TestNetworkTest*'
  step test.onnxruntime onnxruntime tests bin/vrt_onnxruntime_gpu_test
  step test.dlpack torch program env VRT_DLPACK_MODULE="$root/lib/vrt/vrt_dlpack_module.so" \
    "$PYTHON" "$REPOSITORY/tests/gpu/dlpack_torch.py" -v
}

# Engines run under compute-sanitizer for hours. One probe of a kernel's parameters fails on purpose, so that errors of the API are not
# counted. Thousands of boxes and the largest sets of descriptors take too long, too.
sanitizer_steps() {
  local tool
  local models="*cuda*:-$engine_suites:*EightThousand*:*8192*:*Golden*"
  for tool in memcheck racecheck initcheck synccheck; do
    sanitized "$tool" device '*cuda*'
    sanitized "$tool" image '*cuda*'
    sanitized "$tool" models "$models"
  done
}

# sanitized TOOL LAYER FILTER
sanitized() {
  step "sanitizer.$1.$2" sanitizer sanitizer "$(sanitizer)" --tool "$1" --report-api-errors no --error-exitcode 86 \
    "bin/vrt_$2_test" --gtest_filter="$3"
}

bench_steps() {
  local mode benchmark=$root/bin/vrt_gpu_benchmark frame=(--synthetic 1920x1080:nv12 --device cuda:0)
  for mode in preprocess detect launch jit match features; do
    step "bench.$mode" gpu program bin/vrt_gpu_benchmark "$mode" --json "$logs/$mode.json"
  done
  step bench.soak gpu program bin/vrt_gpu_benchmark soak 1000000
  step bench.starts gpu program "$PYTHON" "$REPOSITORY/bench/gpu_starts.py" "$root/bin"
  step bench.kernels_of_a_frame gpu program bin/vrt bench "${frame[@]}" --model centerface --without-network --graph
  step bench.frame onnxruntime program bin/vrt bench "${frame[@]}" --model "$VRT_TEST_CENTERFACE" --graph
  step bench.preprocess_peers cupy program "$PYTHON" "$REPOSITORY/bench/gpu_against_python.py" --benchmark "$benchmark"
  step bench.detect_peers torch program "$PYTHON" "$REPOSITORY/bench/gpu_detect_against_python.py" --benchmark "$benchmark"
  step bench.features_peers torch program "$PYTHON" "$REPOSITORY/bench/gpu_features_against_python.py" --benchmark "$benchmark"
  step bench.engines_peers transformers program "$PYTHON" "$REPOSITORY/bench/gpu_engines_against_python.py" \
    --benchmark "$benchmark" --models "$VRT_TEST_NETWORKS" "$VRT_TEST_CENTERFACE"
}

all_steps() {
  test_steps
  sanitizer_steps
  bench_steps
}

require_gpu() {
  local rows
  rows=$("$root/bin/vrt" doctor 2>&1)
  grep -q '^cuda:[0-9]* *ok ' <<<"$rows" || stop "no GPU that vrt can use: $(grep -E '^(CUDA|cuda:)' <<<"$rows" | head -1)"
  grep -E '^(CPU|cuda:|onnxruntime|tensorrt)' <<<"$rows" | tee "$logs/machine.txt"
  nvidia-smi -q >>"$logs/machine.txt" 2>&1 || echo "no nvidia-smi: the state of the GPU is not in $logs/machine.txt"
}

main() {
  parse "$@"
  if $list; then
    VRT_TEST_CENTERFACE='' VRT_TEST_NETWORKS='' engine_suites='' all_steps
    return
  fi
  [ -n "$root" ] || stop "which folder? The core archive, unpacked; make bundle-core makes it"
  [ -f "$root/test_environment.sh" ] || stop "$root is no unpacked core archive: it has no test_environment.sh"
  root=$(cd "$root" && pwd -P)
  # shellcheck source=tools/bundle/test_environment.sh
  . "$root/test_environment.sh"
  logs=${logs:-gpu-logs}
  mkdir -p "$logs" && logs=$(cd "$logs" && pwd -P)
  : >"$logs/summary.txt"
  VRT_CACHE=$(mktemp -d)
  export VRT_CACHE
  trap 'rm -rf "$VRT_CACHE"' EXIT
  require_gpu
  all_steps
  echo "${count[passed]} passed, ${count[failed]} failed, ${count[skipped]} skipped; logs in $logs" | tee -a "$logs/summary.txt"
  [ "${count[failed]}" -eq 0 ] || return 1
  [ "${count[passed]}" -gt 0 ] || stop "nothing was run"
}

main "$@"
