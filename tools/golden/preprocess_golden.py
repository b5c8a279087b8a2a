#!/usr/bin/env python3
"""Makes vrt/image/testdata/*.golden: what Pillow's antialiased bilinear resize makes of small pictures.

Pillow resizes each channel as a float picture (mode "F"), so that nothing is rounded between its two passes. A file is
five numbers (int32: width, height, target width, target height, has a box), the box (4 float32: x1, y1, x2, y2), the
source (uint8, R G B interleaved) and the result (float32, planar). Run by hand: tools/golden/preprocess_golden.py
"""

import pathlib
import sys

import numpy as np
from PIL import Image

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "vrt" / "image" / "testdata"

# Source size, target size, and the part of the source to resize (None: all of it).
CASES = {
    "shrink": ((64, 48), (20, 15), None),
    "shrink_far": ((301, 97), (7, 5), None),
    "enlarge": ((13, 9), (40, 31), None),
    "mixed": ((37, 53), (10, 70), None),
    "one_pixel_wide": ((1, 33), (6, 8), None),
    "box": ((64, 48), (16, 12), (3.5, 2.25, 40.75, 30.5)),
    "box_enlarged": ((20, 30), (24, 40), (4.25, 10.5, 9.0, 19.75)),
}


def picture(size: tuple[int, int], seed: int) -> np.ndarray:
    """Noise over a gradient: both single pixels and slopes show in the result."""
    width, height = size
    noise = np.random.default_rng(seed).integers(0, 128, (height, width, 3))
    slope = np.linspace(0, 127, width)[None, :, None] * np.array([1.0, 0.5, 0.0])
    return (noise + slope).astype(np.uint8)


def resized(source: np.ndarray, target: tuple[int, int], box) -> np.ndarray:
    channels = [Image.fromarray(source[:, :, channel].astype(np.float32), mode="F") for channel in range(3)]
    return np.stack([np.asarray(channel.resize(target, Image.Resampling.BILINEAR, box=box)) for channel in channels])


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for seed, (name, (size, target, box)) in enumerate(CASES.items()):
        source = picture(size, seed)
        header = np.array([*size, *target, int(box is not None)], np.int32)
        corners = np.array(box or (0, 0, *size), np.float32)
        parts = (header, corners, source, resized(source, target, box).astype(np.float32))
        (FOLDER / f"{name}.golden").write_bytes(b"".join(part.tobytes() for part in parts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
