#!/usr/bin/env python3
"""vrt's matcher and XFeat's post-processing on a GPU beside PyTorch, in one session.

    bench/gpu_features_against_python.py --benchmark build/release/bin/vrt_gpu_benchmark [--keep FOLDER]

Runs the benchmark's modes match and features, then the same work in PyTorch on the same GPU, and prints one table; a ratio above 1 means
that vrt takes less time. GPU times are medians by events. PyTorch's matching ends with masks of fixed size, so that it can be a graph as
vrt's is; in brackets the time without one. Its post-processing asks the host how many keypoints there are, as any program with
`nonzero` does, and cannot be a graph. What cannot be measured says why, and the exit status is then 1.
"""

import argparse
import json
import pathlib
import sys
import tempfile

from gpu_against_python import ROOT, Table, captured, first_line, gpu_us, run_benchmark

SUBMITS = 20
LEAST_SIMILARITY = 0.82
KEEP = 4096


def descriptors(count, dtype):
    """As bench/gpu_match.cpp: unit vectors, and the same ones a little off and the other way round."""
    import torch

    generator = torch.Generator(device="cuda").manual_seed(1)
    one = torch.nn.functional.normalize(torch.randn(count, 64, generator=generator, device="cuda"), dim=1)
    noise = torch.randn(count, 64, generator=generator, device="cuda")
    other = torch.nn.functional.normalize(one + 0.05 * noise, dim=1).flip(0)
    return one.to(dtype), other.to(dtype)


def match(one, other, own):
    """The second index of each of the first set, the similarity, and whether it is a match."""
    similarity = one @ other.t()
    best, second = similarity.max(dim=1)
    first = similarity.max(dim=0).indices
    return second, best, (first[second] == own) & (best >= LEAST_SIMILARITY)


def match_us(count, dtype):
    import torch

    one, other = descriptors(count, dtype)
    own = torch.arange(count, device="cuda")
    matches = int(match(one, other, own)[2].sum())

    def work():
        for _ in range(SUBMITS):
            match(one, other, own)

    launched = gpu_us(work) / SUBMITS
    try:
        return gpu_us(captured(work)) / SUBMITS, f"{launched:.1f} without a graph, {matches} matches"
    except RuntimeError as error:
        return launched, f"no graph: {first_line(error)}"


def compare_match(table, report):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    for row in report["rows"]:
        count, precision = row["descriptors"], row["precision"]
        subject = f"match {count}x{count}x64, {precision}"
        table.add(subject, "us", row["gpu_us"], "PyTorch", lambda: match_us(count, getattr(torch, precision)))  # noqa: B023


def outputs_of(width, height, full):
    """As bench/gpu_features.cpp."""
    import torch

    generator = torch.Generator(device="cuda").manual_seed(7)

    def random(*shape):
        return torch.rand(*shape, generator=generator, device="cuda")

    heatmap = torch.full((1, 1, height, width), 0.5, device="cuda")
    if not full:
        is_peak = random(1, 1, height, width) < 1 / 60
        heatmap = torch.where(is_peak, 0.05 + 0.9 * random(1, 1, height, width), torch.full_like(heatmap, 0.01))
    return random(1, 64, height // 8, width // 8), heatmap, random(1, 1, height, width)


def features(maps, heatmap, reliability):
    import torch

    height, width = heatmap.shape[2:]
    is_keypoint = (heatmap == torch.nn.functional.max_pool2d(heatmap, 5, 1, 2)) & (heatmap > 0.05)
    y, x = is_keypoint[0, 0].nonzero(as_tuple=True)
    score, order = (heatmap[0, 0, y, x] * reliability[0, 0, y, x]).sort(descending=True, stable=True)
    order = order[:KEEP]
    x, y = x[order], y[order]
    place = torch.stack([(2 * x + 1) / width - 1, (2 * y + 1) / height - 1], dim=-1)[None, None]
    sampled = torch.nn.functional.grid_sample(maps, place, mode="bilinear", padding_mode="border", align_corners=False)
    return x, y, score[:KEEP], torch.nn.functional.normalize(sampled[0, :, 0].t(), dim=1)


def features_us(size, full):
    width, height = (int(side) for side in size.split("x"))
    outputs = outputs_of(width, height, full)
    found = len(features(*outputs)[0])
    return gpu_us(lambda: features(*outputs)), f"{found} keypoints"


def compare_features(table, report):
    for row in report["rows"]:
        full = row["heatmap"] == "full"
        subject = f"XFeat {row['input']}, {row['candidates']} candidates"
        table.add(subject, "us", row["gpu_us"], "PyTorch", lambda: features_us(row["input"], full))  # noqa: B023


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default=str(ROOT / "build/release/bin/vrt_gpu_benchmark"))
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the documents")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        reports = {mode: run_benchmark(arguments.benchmark, mode, folder) for mode in ("match", "features")}
        table = Table()
        print(table.header())
        compare_match(table, reports["match"])
        compare_features(table, reports["features"])
        (folder / "features_against_python.json").write_text(json.dumps(table.rows, indent=1) + "\n")
    return 1 if table.missing else 0


if __name__ == "__main__":
    sys.exit(main())
