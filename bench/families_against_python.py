#!/usr/bin/env python3
"""`vrt run` with networks of each family beside Python programs, tools/bench/family_peers.py, in one run, on the CPU.

  families_against_python.py path/to/vrt clip.mp4 --models DIR --centerface centerface.onnx [--rounds 3] [--least 1.0]

DIR holds what tools/export/export.py writes: yolo11n.onnx, yolo11n-seg.onnx, rf-detr-nano.onnx, rf-detr-seg-nano.onnx,
depth-anything.onnx, xfeat.onnx, osnet.onnx; `--random-weights 7` will do, as what is found does not matter here. Both read the same video,
run the same network on two threads, and write lines of JSON to a file; they take turns. Prints frames per second of the loop,
medians, and vrt's over the peer's. Ends with code 1 where a ratio is not above --least, or a network is missing.
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

PEERS = pathlib.Path(__file__).resolve().parent.parent / "tools/bench/family_peers.py"
SUMMARY = re.compile(r"(\d+) frames? .*?in ([\d.]+) s", re.DOTALL)

# The network's file, how vrt is told of it, and a threshold that some tens of a random network's objects pass.
CASES = {
    "yolo": ("yolo11n.onnx", 0.99998),
    "yolo-seg": ("yolo11n-seg.onnx", 0.99998),
    "rf-detr": ("rf-detr-nano.onnx", 0.99),
    "rf-detr-seg": ("rf-detr-seg-nano.onnx", 0.98),
    "depth": ("depth-anything.onnx", None),
    "xfeat": ("xfeat.onnx", None),
    "osnet": ("osnet.onnx", None),
}


def run_vrt(vrt, video, models, lines, threshold):
    """Frames and seconds of the loop."""
    command = [vrt, "run", video, "--json", lines, "--device", "cpu"]
    command += [word for model in models for word in ("--model", model)]
    command += ["--threshold", threshold] if threshold is not None else []
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    frames, seconds = SUMMARY.search(done.stderr).groups()
    return int(frames), float(seconds)


def run_peer(family, video, models, lines, threshold):
    command = [sys.executable, PEERS, family, video, lines, *models, "--threads", 2]
    command += ["--threshold", threshold] if threshold is not None else []
    report = json.loads(subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout)
    return report["frames"], report["seconds"]


def found_in(lines):
    """Objects, keypoints and depth maps of all lines."""
    count = 0
    with open(lines, encoding="utf-8") as file:
        for line in map(json.loads, file):
            features = line.get("features", [])
            points = features[0]["keypoints"] if features and isinstance(features[0], dict) else features
            count += len(line.get("detections", [])) + len(points) + (1 if line.get("depth") else 0)
    return count


def measure(family, arguments, models, threshold, folder):
    """Medians of frames a second, vrt's and the peer's, and what they found."""
    ours, theirs = f"{folder}/ours.jsonl", f"{folder}/theirs.jsonl"
    speeds = ([], [])
    for _ in range(arguments.rounds):
        frames, seconds = run_vrt(arguments.vrt, arguments.clip, models, ours, threshold)
        peer_frames, peer_seconds = run_peer(family, arguments.clip, models, theirs, threshold)
        if frames != peer_frames:
            sys.exit(f"{family}: vrt read {frames} frames, the peer {peer_frames}")
        speeds[0].append(frames / seconds)
        speeds[1].append(peer_frames / peer_seconds)
    return *map(statistics.median, speeds), found_in(ours), found_in(theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vrt")
    parser.add_argument("clip")
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--centerface", type=pathlib.Path, required=True, help="finds the boxes that OSNet embeds")
    parser.add_argument("--only", default="", help="families whose name contains this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--least", type=float, default=1.0)
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # Two threads for both, decoding included, on a larger machine too.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    print(f"{'frames/s':<12} {'vrt':>8} {'peer':>8} {'ratio':>6}   found by vrt, by the peer")
    holds = True
    with tempfile.TemporaryDirectory() as folder:
        for family, (file, threshold) in CASES.items():
            if arguments.only not in family:
                continue
            model = arguments.models / file
            if not model.exists():
                print(f"{family:<12} {model} is missing")
                holds = False
                continue
            models = [arguments.centerface, model] if family == "osnet" else [model]
            mine, peer, ours, theirs = measure(family, arguments, models, threshold, folder)
            print(f"{family:<12} {mine:>8.2f} {peer:>8.2f} {mine / peer:>6.2f}   {ours}, {theirs}", flush=True)
            holds = holds and mine / peer > arguments.least
    print(f"above {arguments.least} times the peer: {'yes' if holds else 'NO'}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
