"""Files that strangers bring: made by NumPy, Pillow and OpenCV, or written byte by byte."""

import io
import os
import pathlib
import subprocess
import tempfile
import unittest

import cv2
import numpy as np
from PIL import Image

from tool import CLIP

# The quarters of `quarters`, from left to right and from top to bottom.
COLORS = ((200, 30, 30), (30, 180, 40), (40, 50, 200), (220, 210, 60))


def quarters(width=60, height=40):
    """Four coloured quarters, so that a turned or mirrored picture shows."""
    picture = np.zeros((height, width, 3), np.uint8)
    for number, color in enumerate(COLORS):
        row, column = divmod(number, 2)
        rows = slice(row * height // 2, (row + 1) * height // 2)
        picture[rows, column * width // 2 : (column + 1) * width // 2] = color
    return picture


def stored_for(orientation, upright):
    """How a camera stores a picture under that EXIF orientation (EXIF 2.32, tag 0x0112)."""
    turned = {
        1: lambda p: p,
        2: np.fliplr,
        3: lambda p: np.rot90(p, 2),
        4: np.flipud,
        5: lambda p: np.transpose(p, (1, 0, 2)),
        6: lambda p: np.rot90(p, 1),
        7: lambda p: np.transpose(np.rot90(p, 2), (1, 0, 2)),
        8: lambda p: np.rot90(p, -1),
    }
    return np.ascontiguousarray(turned[orientation](upright))


def exif(orientation):
    tags = Image.Exif()
    tags[0x0112] = orientation
    return tags


def jpeg(width, height, seed=0):
    """A picture of noise, which does not compress to nothing."""
    noise = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, "JPEG")
    return buffer.getvalue()


def moov_first(clip):
    """The clip with its index in front, as from a streaming server: chunk offsets moved by the index's size."""
    at = clip.index(b"moov") - 4
    moov, before = bytearray(clip[at:]), clip[:at]
    media = before.index(b"mdat") - 4
    table = moov.index(b"stco")
    count = int.from_bytes(moov[table + 8 : table + 12], "big")
    for place in range(table + 12, table + 12 + 4 * count, 4):
        moved = int.from_bytes(moov[place : place + 4], "big") + len(moov)
        moov[place : place + 4] = moved.to_bytes(4, "big")
    return before[:media] + bytes(moov) + before[media:]


def clip_bytes():
    return pathlib.Path(CLIP).read_bytes()


def write_16_bit(path):
    cv2.imwrite(str(path), cv2.cvtColor(quarters(), cv2.COLOR_RGB2BGR).astype(np.uint16) * 257)


def small_disk(test, kibibytes, *options):
    """A folder on a file system of that size, gone after the test. Only root may make one; elsewhere the test is skipped."""
    folder = pathlib.Path(tempfile.mkdtemp())
    test.addCleanup(folder.rmdir)
    if not mounts("-t", "tmpfs", "-o", ",".join((f"size={kibibytes}k", *options)), "none", folder):
        raise unittest.SkipTest("mounting a file system is not permitted here")
    test.addCleanup(subprocess.run, ["umount", folder], check=True)
    return folder


def mounts(*words):
    return os.geteuid() == 0 and subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0


def frames_of(video):
    """How many frames OpenCV's own FFmpeg decodes; -1 where it cannot open the file."""
    capture = cv2.VideoCapture(str(video))
    if not capture.isOpened():
        return -1
    count = 0
    while capture.read()[0]:
        count += 1
    return count


def has_nameless_files(folder):
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        return False
    return True
