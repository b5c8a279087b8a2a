#!/usr/bin/env python3
"""Several models of one run on a GPU beside the same on the CPU: the findings agree, and whether a frame is one graph is said.

    tests/gpu/several_models.py build/release/bin/vrt CLIP CENTERFACE.onnx [MODEL…]

MODEL are further networks, as `vrt run --model` takes them. Small networks with chosen outputs are made here; the scores of real
ones may differ a little between backends, so that a box counts as the same within a pixel, a score within a hundredth.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))

import networks

FRAMES = 60


def run(tool, clip, models, device, folder):
    """The lines of a run, and what it said."""
    lines = folder / f"{device.replace(':', '')}.jsonl"
    chosen = [word for model in models for word in ("--model", str(model))]
    command = [tool, "run", clip, *chosen, "--device", device, "--json", str(lines), "--max-frames", str(FRAMES)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{result.stderr}")
    return [json.loads(line) for line in lines.read_text().splitlines()], result.stderr


def same(one, other):
    close = all(abs(a - b) <= 1 for a, b in zip(one["box"], other["box"], strict=True))
    return close and abs(one["score"] - other["score"]) <= 0.01 and one["class"] == other["class"]


def differences(ours, theirs):
    """Detections of a frame without a partner in the other."""
    left = list(theirs["detections"])
    count = 0
    for found in ours["detections"]:
        partner = next((other for other in left if same(found, other)), None)
        if partner is None:
            count += 1
        else:
            left.remove(partner)
    return count + len(left)


def main():
    tool, clip, centerface, *further = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        yolo, osnet = networks.yolo(folder / "yolo.onnx"), networks.osnet(folder / "osnet.onnx")
        depth = f"depth:{networks.depth(folder / 'depth.onnx')}"
        for models in ([centerface], [yolo, osnet, centerface], [depth, yolo], *([further] if further else [])):
            cpu, _ = run(tool, clip, models, "cpu", folder)
            gpu, said = run(tool, clip, models, "cuda:0", folder)
            apart = sum(map(differences, gpu, cpu))
            total = sum(len(line["detections"]) for line in cpu)
            graph = "call by call" if "cannot be captured" in said else "as one graph"
            print(f"{' '.join(map(str, models))}: {len(gpu)} frames {graph}, {apart} of {total} detections differ\n{said}")
            failed |= len(gpu) != len(cpu) or apart > total // 100
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
