#!/usr/bin/env python3
"""Preprocessing beside what Python programs use, one thread each: cv2.dnn.blobFromImage, and Pillow's antialiased resize.

    bench/preprocess_against_python.py build/release/bin/vrt_preprocess_benchmark

Both sides take turns, and the shortest call of all turns counts, so that both meet the same machine. Exits 1 if vrt is not faster
than blobFromImage.
"""

import json
import subprocess
import sys
import time

import cv2
import numpy as np

try:
    from PIL import Image
except ImportError:  # Not needed for the aim; the line is left out then.
    Image = None

TURNS = 5
SOURCES = ((1280, 720), (3840, 2160))
TARGETS = ((640, 480), (640, 640))


def vrt_times(binary: str) -> dict[str, float]:
    command = [binary, "--benchmark_filter=^(rgb8|antialiased)/vrt", "--benchmark_min_time=0.05", "--benchmark_format=json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {entry["name"].removesuffix("/real_time"): entry["best_ms"] for entry in report["benchmarks"]}


def best_ms(work, repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def peer_times() -> dict[str, float]:
    result = {}
    for width, height in SOURCES:
        picture = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
        for target in TARGETS:
            case = f"{width}x{height}/{target[0]}x{target[1]}"
            result[f"rgb8/vrt/{case}"] = best_ms(lambda: cv2.dnn.blobFromImage(picture, 1 / 255, target))
            if Image is not None:
                pillow = Image.fromarray(picture)
                result[f"antialiased/vrt/{case}"] = best_ms(lambda: pillow.resize(target, Image.Resampling.BILINEAR))
    return result


def main() -> int:
    cv2.setNumThreads(1)
    ours, peers = {}, {}
    for _ in range(TURNS):
        for best, times in ((ours, vrt_times(sys.argv[1])), (peers, peer_times())):
            for name, value in times.items():
                best[name] = min(value, best.get(name, value))
    missed = False
    for name in sorted(peers):
        peer = "blobFromImage" if name.startswith("rgb8") else "Pillow (no tensor)"
        print(f"{name:40} vrt {ours[name]:7.2f} ms   {peer:18} {peers[name]:7.2f} ms   {peers[name] / ours[name]:5.2f}x")
        missed |= name.startswith("rgb8") and ours[name] >= peers[name]
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
