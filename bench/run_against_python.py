#!/usr/bin/env python3
"""`vrt run` beside a straightforward Python program, tools/bench/python_peer.py, in one run.

  run_against_python.py path/to/vrt clip.mp4 centerface.onnx [--rounds 3] [--loops 8] [--least 1.2]

Both read the same video (the clip, looped), run the same network at the same input size on two threads, and write lines of
JSON to a file; they take turns. Prints frames per second of the loop alone and of the whole process, medians, and vrt's
over the peer's. Ends with code 1 where a ratio is below --least.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import cv2

PEER = pathlib.Path(__file__).resolve().parent.parent / "tools/bench/python_peer.py"
SUMMARY = re.compile(r"(\d+) frames of .* in ([\d.]+) s: .*network input (\d+x\d+)", re.DOTALL)


def frames_of(clip):
    video = cv2.VideoCapture(str(clip))
    frames = []
    while (read := video.read())[0]:
        frames.append(read[1])
    return frames


def write_video(frames, target):
    height, width = frames[0].shape[:2]
    writer = cv2.VideoWriter(str(target), cv2.VideoWriter_fourcc(*"mp4v"), 25, (width, height))
    for frame in frames:
        writer.write(frame)
    writer.release()


def timed(command):
    """The finished process and the seconds it took."""
    start = time.perf_counter()
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return result, time.perf_counter() - start


def run_vrt(vrt, video, model, lines):
    """Frames, seconds of the loop, seconds of the process, the network's input size."""
    result, whole = timed([vrt, "run", video, "--model", model, "--json", lines, "--device", "cpu"])
    frames, seconds, size = SUMMARY.search(result.stderr).groups()
    return int(frames), float(seconds), whole, size


def run_peer(video, model, lines, size):
    result, whole = timed([sys.executable, PEER, video, model, lines, "--size", size, "--threads", 2])
    report = json.loads(result.stdout)
    return report["frames"], report["seconds"], whole


def count_faces(lines):
    with open(lines, encoding="utf-8") as file:
        return sum(len(json.loads(line)["detections"]) for line in file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vrt")
    parser.add_argument("clip")
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--loops", type=int, default=8)
    parser.add_argument("--least", type=float, default=1.2)
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # Two threads for both, decoding included, on a larger machine too.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    speeds = {"loop": ([], []), "process": ([], [])}
    with tempfile.TemporaryDirectory() as folder:
        video, ours, theirs = (f"{folder}/{name}" for name in ("looped.mp4", "ours.jsonl", "theirs.jsonl"))
        pictures = frames_of(arguments.clip) * arguments.loops  # So that seconds are measured and not start-up.
        count = len(pictures)
        write_video(pictures, video)
        for _ in range(arguments.rounds):
            frames, seconds, whole, size = run_vrt(arguments.vrt, video, arguments.model, ours)
            peer_frames, peer_seconds, peer_whole = run_peer(video, arguments.model, theirs, size)
            if not frames == peer_frames == count:
                sys.exit(f"{count} frames were written; vrt read {frames}, the peer {peer_frames}")
            for kind, pair in (("loop", (seconds, peer_seconds)), ("process", (whole, peer_whole))):
                for values, value in zip(speeds[kind], pair):
                    values.append(count / value)
        print(f"{count} frames, network input {size}; faces found: vrt {count_faces(ours)}, peer {count_faces(theirs)}")
    print(f"{'frames/s':<10} {'vrt':>8} {'peer':>8} {'ratio':>6}")
    holds = True
    for kind, (mine, peer) in speeds.items():
        mine, peer = statistics.median(mine), statistics.median(peer)
        print(f"{kind:<10} {mine:>8.1f} {peer:>8.1f} {mine / peer:>6.2f}")
        holds = holds and mine / peer >= arguments.least
    print(f"at least {arguments.least} times the peer: {'yes' if holds else 'NO'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
