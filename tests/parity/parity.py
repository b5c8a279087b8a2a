#!/usr/bin/env python3
"""vrt's results beside those of each model's own project, on real pictures: exits 1 and says where they differ.

    parity.py --program build/release/bin/vrt_parity_program --clip carphone_pristine.mp4 --work build/parity

Each case of cases.py is an architecture with weights from a seed (tools/export makes the file, once). ONNX Runtime gives its raw
outputs for a picture; the reference decodes them in Python, vrt decodes the same numbers played back by a network of
constants, under strict limits. `--whole` runs the real network in vrt instead: then preprocessing and engine have their
share, and what differs is printed but not judged. Runs with the packages of tools/export/requirements.txt.
"""

import argparse
import importlib
import json
import logging
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import onnxruntime

import comparison
import pictures
import playback
from cases import CASES

SEED = 7
EXPORT = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/export/export.py"
FRAMES = (40, 43)
BRIGHTER = 1.2  # the second picture: a playback tells the two by their means


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--clip", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for networks and results")
    parser.add_argument("--device", default="cpu", help="vrt's")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--whole", action="store_true", help="run the real network in vrt; nothing is judged")
    return parser.parse_args()


def exported(case, work):
    """The case's network, written at the first call."""
    arguments = [*case.export, "--random-weights", str(SEED)]
    path = work / ("-".join(word.strip("-").replace(",", "_") for word in arguments) + ".onnx")
    if not path.exists():
        result = subprocess.run(
            [sys.executable, EXPORT, *arguments, "--output", path], capture_output=True, text=True, check=False
        )
        if result.returncode:
            raise SystemExit(f"{case.name}: the export failed\n{result.stderr[-2000:]}")
    return path


def shots(case, clip):
    """One picture, or two, of which the second is the brighter one."""
    first = pictures.frame(clip, FRAMES[0], case.size)
    if not case.two_pictures:
        return [first]
    second = pictures.frame(clip, FRAMES[1], case.size)
    return [first, np.clip(second * BRIGHTER, 0, 255).astype(np.uint8)]


def input_shape(case, session):
    shape = list(session.get_inputs()[0].shape)
    if not isinstance(shape[2], int):  # open: XFeat's rule
        shape = [1, 3, case.size[1] // 32 * 32, case.size[0] // 32 * 32]
    return shape


def request(case, args, folder, model, shown):
    paths = []
    for number, picture in enumerate(shown):
        paths.append(folder / f"picture{number}.ppm")
        pictures.write_ppm(paths[-1], picture)
    options = dict(case.options, **({"other_picture": str(paths[1])} if case.two_pictures else {}))
    written = {"family": case.family, "model": str(model), "device": args.device, "picture": str(paths[0])}
    (folder / "request.json").write_text(json.dumps({**written, "folder": str(folder), "options": options}))
    return folder / "request.json"


def check(case, args):
    """The comparison of one case, and how many results there were."""
    source = exported(case, args.work)
    session = onnxruntime.InferenceSession(str(source), providers=["CPUExecutionProvider"])
    shape = input_shape(case, session)
    reference = importlib.import_module(f"references.{case.reference}")
    shown = shots(case, args.clip)
    tensors = [reference.prepare(picture, shape, case.options) for picture in shown]
    outputs = [playback.run(session, tensor) for tensor in tensors]
    folder = args.work / case.name
    folder.mkdir(parents=True, exist_ok=True)
    model = source
    if not args.whole:
        model = folder / "playback.onnx"
        playback.write(model, source, tensors, *outputs)
    raw = dict(outputs[0])
    for other in outputs[1:]:
        raw.update({f"{name}_other": values for name, values in other.items()})
    expected = reference.expect(raw, shown[0], shape, case.options)
    subprocess.run([args.program, request(case, args, folder, model, shown)], check=True)
    return comparison.compare(comparison.read(folder), expected), expected


def counted(expected):
    sizes = {name: len(expected[name]) for name in ("detections", "keypoints", "matches") if name in expected}
    return ", ".join(f"{count} {name}" for name, count in sizes.items()) or str(expected["depth"].shape)


def main():
    args = parse()
    args.work.mkdir(parents=True, exist_ok=True)
    args.work = args.work.resolve()
    os.environ.setdefault("YOLO_CONFIG_DIR", str(args.work))
    os.environ.setdefault("YOLO_AUTOINSTALL", "false")
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    failed = 0
    chosen = [case for case in CASES if args.only in case.name]
    if not chosen:
        raise SystemExit(f"no case's name contains '{args.only}'")
    for case in chosen:
        result, expected = check(case, args)
        verdict = "differs" if result.problems else "equal"
        failed += bool(result.problems)
        worst = ", ".join(f"{what} {value:.2g}" for what, value in result.worst.items())
        print(f"{case.name}: {verdict} ({counted(expected)}; worst: {worst})", flush=True)
        for problem in result.problems:
            print(f"  {problem}")
    print(f"{len(chosen) - failed} of {len(chosen)} cases equal")
    sys.exit(failed > 0 and not args.whole)


if __name__ == "__main__":
    main()
