#!/usr/bin/env python3
"""`vrt run` with networks of each family beside Python programs, tools/bench/family_peers.py, in one run, on the CPU.

  families_against_python.py path/to/vrt clip.mp4 --models DIR --centerface centerface.onnx
                             [--export-python PYTHON] [--only NAME] [--frames N] [--rounds 3] [--least 1.0]

DIR holds a network of each family. What is missing there is written by tools/export/export.py with weights from a seed, where
--export-python has its packages; what is found does not matter here, but real checkpoints under the same names will do as well. Both
programs read the same video, run the same network on two threads, and write lines of JSON to a file; they take turns. Prints frames
per second of the loop, medians, and vrt's over the peer's, and what both have found. Ends with code 1 where a ratio is not above --least,
what they found differs by more than a fifth, or a network is missing.
"""

import argparse
import dataclasses
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from run_against_python import frames_of, write_video

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "tools/bench/family_peers.py"
EXPORT = ROOT / "tools/export/export.py"
SEED = 7
SUMMARY = re.compile(r"(\d+) frames? .*?in ([\d.]+) s", re.DOTALL)
# Of what both find. OpenCV gives a video's pictures a level darker than vrt, and resizes to whole numbers: with random weights that
# alone decides on many an object. In small networks both find the same (tests/cli/peers_test.py).
LARGEST_DIFFERENCE = 0.2


@dataclasses.dataclass(frozen=True)
class Case:
    """A family, its network's file, and what tools/export/export.py writes that with."""

    family: str
    file: str
    export: tuple
    threshold: float | None = None  # One that some tens of a random network's objects pass in each frame.


CASES = (
    Case("yolo", "yolo11n.onnx", ("yolo", "--architecture", "yolo11n"), 0.99998),
    Case("yolo-seg", "yolo11n-seg.onnx", ("yolo", "--architecture", "yolo11n-seg"), 0.99998),
    Case("yolo-pose", "yolo11n-pose.onnx", ("yolo", "--architecture", "yolo11n-pose"), 0.95),
    Case("rfdetr", "rf-detr-nano.onnx", ("rf-detr", "--variant", "nano"), 0.99),
    Case("rfdetr-seg", "rf-detr-seg-nano.onnx", ("rf-detr", "--variant", "seg-nano"), 0.98),
    Case(
        "rfdetr-keypoints",
        "rf-detr-keypoints.onnx",
        ("rf-detr", "--variant", "keypoint-preview", "--keypoint-schema", "0,17"),
        0.9998,
    ),
    Case("depth", "depth-anything.onnx", ("depth-anything", "--metric", "20", "--input", "252", "252")),
    Case("relative-depth", "relative-depth.onnx", ("depth-anything", "--input", "252", "252")),
    Case("xfeat", "xfeat.onnx", ("xfeat", "--dynamic")),
    Case("osnet", "osnet.onnx", ("osnet",)),
    Case("classifier", "classifier.onnx", ("classifier", "--architecture", "resnet18")),
)


def export_network(case, python, folder):
    """Writes the case's network; nothing is there unless it is whole."""
    part = folder / f".{case.file}"
    command = [python, EXPORT, *case.export, "--random-weights", SEED, "--output", part]
    print(f"writing {folder / case.file}", flush=True)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    part.rename(folder / case.file)


def export_missing(cases, python, folder):
    missing = [case for case in cases if not (folder / case.file).exists()]
    if missing and not python:
        names = ", ".join(case.file for case in missing)
        sys.exit(f"{folder}: {names} missing; --export-python names a Python that can make them (docs/export.md)")
    folder.mkdir(parents=True, exist_ok=True)
    for case in missing:
        export_network(case, python, folder)


def run_vrt(vrt, video, models, lines, threshold):
    """Frames and seconds of the loop."""
    command = [vrt, "run", video, "--json", lines, "--device", "cpu"]
    command += [word for model in models for word in ("--model", model)]
    command += ["--threshold", threshold] if threshold is not None else []
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
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
    """Objects, keypoints, classes and depth maps of all lines."""
    count = 0
    with open(lines, encoding="utf-8") as file:
        for line in map(json.loads, file):
            count += sum(len(line.get(field, [])) for field in ("detections", "classes", "depth"))
            count += sum(len(features["keypoints"]) for features in line.get("features", []))
    return count


def models_of(case, arguments):
    """What --model is given; vrt need not be told the family, by its own rules."""
    model = arguments.models / case.file
    return [arguments.centerface, model] if case.family == "osnet" else [model]


def measure(case, arguments, video, folder):
    """Medians of frames a second, vrt's and the peer's, and what they found."""
    models = models_of(case, arguments)
    ours, theirs = f"{folder}/ours.jsonl", f"{folder}/theirs.jsonl"
    speeds = ([], [])
    for _ in range(arguments.rounds):
        frames, seconds = run_vrt(arguments.vrt, video, models, ours, case.threshold)
        peer_frames, peer_seconds = run_peer(case.family, video, models, theirs, case.threshold)
        if frames != peer_frames:
            sys.exit(f"{case.family}: vrt read {frames} frames, the peer {peer_frames}")
        speeds[0].append(frames / seconds)
        speeds[1].append(peer_frames / peer_seconds)
    return *map(statistics.median, speeds), found_in(ours), found_in(theirs)


def is_same_work(ours, theirs):
    return 0 < min(ours, theirs) and abs(ours - theirs) <= LARGEST_DIFFERENCE * max(ours, theirs)


def compare(cases, arguments, video, folder):
    """The families that were not as they should be."""
    print(f"{'frames/s':<16} {'vrt':>8} {'peer':>8} {'ratio':>6}   found by vrt, by the peer")
    failed = []
    for case in cases:
        mine, peer, ours, theirs = measure(case, arguments, video, folder)
        note = "" if is_same_work(ours, theirs) else "   NOT the same work"
        print(f"{case.family:<16} {mine:>8.2f} {peer:>8.2f} {mine / peer:>6.2f}   {ours}, {theirs}{note}", flush=True)
        if note or mine / peer <= arguments.least:
            failed.append(case.family)
    return failed


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vrt")
    parser.add_argument("clip")
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--centerface", type=pathlib.Path, required=True, help="finds the boxes that OSNet embeds")
    parser.add_argument("--export-python", help="a Python with the packages of tools/export/requirements.txt")
    parser.add_argument("--only", default="", help="families whose name contains this")
    parser.add_argument("--frames", type=int, help="of the clip, which begins again where it is shorter; else the clip")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--least", type=float, default=1.0)
    return parser.parse_args()


def main():
    arguments = parse()
    cases = [case for case in CASES if arguments.only in case.family]
    if not cases:
        sys.exit(f"--only {arguments.only}: no such family; there are {', '.join(case.family for case in CASES)}")
    export_missing(cases, arguments.export_python, arguments.models)
    if hasattr(os, "sched_setaffinity"):  # Two threads for both, decoding included, on a larger machine too.
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    with tempfile.TemporaryDirectory() as folder:
        video = arguments.clip
        if arguments.frames:
            video = f"{folder}/clip.mp4"
            frames = itertools.cycle(frames_of(arguments.clip))
            write_video(list(itertools.islice(frames, arguments.frames)), video)
        failed = compare(cases, arguments, video, folder)
    outcome = "NOT " + ", ".join(failed) if failed else "yes"
    print(f"above {arguments.least} times the peer, with the same work: {outcome}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
