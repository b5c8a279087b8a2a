#!/usr/bin/env python3
"""What vrt's detectors do behind their networks on a GPU, beside PyTorch and torchvision, in one session.

    bench/gpu_detect_against_python.py --benchmark build/release/bin/vrt_gpu_benchmark [--keep FOLDER]

Runs the benchmark's mode detect, then the peers on the same GPU and on the same numbers, which are hashes of their positions; one
table, in which a ratio above 1 means that vrt takes less time. GPU times are medians by events. torchvision's suppression waits for
the device itself, so that it cannot be a graph; of what can, the time with one is in brackets. Objects found are counted on both
sides: the counts have to be equal, else the exit status is 1, as where a peer cannot be measured.

Needs PyTorch and torchvision.
"""

import argparse
import pathlib
import sys
import tempfile

import gpu_against_python as common

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLASSES, KEPT, MASKS, GRID = 80, 300, 100, 108


# --- The data of gpu_detect.cpp --------------------------------------------------------------------------------------


def hashed(positions, stream):
    """Numbers of [0, 1), as gpu_detect.cpp has them. `positions` are int64."""
    low = 0xFFFFFFFF
    h = (positions * 0x9E3779B9 + stream * 0x7F4A7C15) & low
    h = ((h ^ (h >> 16)) * 0x85EBCA6B) & low
    h = ((h ^ (h >> 13)) * 0xC2B2AE35) & low
    h = h ^ (h >> 16)
    return (h >> 8).float() / 16777216.0


def yolo_output(cells, every):
    import torch

    i = torch.arange(cells, device="cuda")
    boxes = torch.stack([640 * hashed(i, 0), 640 * hashed(i, 1), 16 + 128 * hashed(i, 2), 16 + 128 * hashed(i, 3)])
    best = (CLASSES * hashed(i, 4)).long()
    positions = i[None] * CLASSES + torch.arange(CLASSES, device="cuda")[:, None]
    scores = 0.2 * hashed(positions, 5)
    passing = i[i % every == 0]
    scores[best[passing], passing] = 0.3 + 0.7 * hashed(passing, 6)
    return torch.cat([boxes, scores])[None].contiguous()


def ellipses():
    import torch

    masks = torch.arange(MASKS, device="cuda")
    cells = torch.arange(GRID, device="cuda") + 0.5
    x = (cells[None] - (108 * hashed(masks, 9))[:, None]) / (5 + 25 * hashed(masks, 11))[:, None]
    y = (cells[None] - (108 * hashed(masks, 10))[:, None]) / (5 + 25 * hashed(masks, 12))[:, None]
    return (4 * (1 - x[:, None, :] ** 2 - y[:, :, None] ** 2)).contiguous()


# --- The peers -------------------------------------------------------------------------------------------------------


def decode_and_suppress(output):
    """What programs write: the best class, a threshold, torchvision's class-wise suppression, the first 300."""
    import torch
    import torchvision

    scores, classes = output[0, 4:].max(0)
    keep = scores > 0.25
    x, y, w, h = output[0, :4, keep]
    boxes = torch.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 1)
    scores, classes = scores[keep], classes[keep]
    kept = torchvision.ops.batched_nms(boxes, scores, classes, 0.7)[:KEPT]
    return boxes[kept] * 3, scores[kept], classes[kept]


def select(logits, boxes):
    """The post-processing of RF-DETR's reference in its own words: sigmoid, top K of all pairs, boxes of their queries."""
    import torch

    scores, pairs = torch.topk(logits.sigmoid().view(1, -1), KEPT, dim=1)
    queries, classes = pairs // logits.shape[2], pairs % logits.shape[2]
    centre, size = boxes[..., :2], boxes[..., 2:]
    corners = torch.cat([centre - size / 2, centre + size / 2], -1)
    chosen = torch.gather(corners, 1, queries[..., None].expand(-1, -1, 4))
    return chosen * torch.tensor([1920.0, 1080.0, 1920.0, 1080.0], device="cuda"), scores, classes


def upsample(planes, height, width):
    import torch

    return torch.nn.functional.interpolate(planes[:, None], size=(height, width), mode="bilinear", align_corners=False) > 0


def peer_time(work, count=None, expected=None):
    """Microseconds without a graph, and a remark. `count` of the result has to be `expected`."""
    remarks = []
    if count is not None:
        found = count(work())
        if found != expected:
            raise RuntimeError(f"finds {found}, vrt {expected}")
        remarks.append(f"both find {found}")
    launched = common.gpu_us(work)
    try:
        remarks.append(f"{common.gpu_us(common.captured(work)):.1f} as a graph")
    except RuntimeError as error:
        remarks.append(f"no graph: {common.first_line(error)[:60]}")
    return launched, ", ".join(remarks)


def compare(table, report):
    import torch

    rows = {row["what"]: row for row in report["rows"]}
    for cells, every, passing in ((8400, 84, 100), (8400, 1, 8400), (34000, 1, 34000)):
        row = rows[f"decode and suppress, {passing} of {cells} pass"]
        output = yolo_output(cells, every)
        table.add(row["what"], "us", row["gpu_us"], "PyTorch and torchvision batched_nms",
                  lambda: peer_time(lambda: decode_and_suppress(output), lambda r: len(r[1]), row["found"]))  # noqa: B023
    i = torch.arange(300 * 91, device="cuda")
    logits = (-8 + 10 * hashed(i, 7)).view(1, 300, 91)
    boxes = (0.1 + 0.4 * hashed(i[:1200], 8)).view(1, 300, 4)
    row = rows["selection, 300 x 91, threshold 0"]
    table.add(row["what"], "us", row["gpu_us"], "PyTorch topk",
              lambda: peer_time(lambda: select(logits, boxes), lambda r: r[1].numel(), row["found"]))
    planes = ellipses()
    for width, height in ((1920, 1080), (3840, 2160)):
        row = rows[f"{MASKS} masks to {width}x{height}, ellipses"]
        table.add(row["what"], "us", row["gpu_us"], "PyTorch interpolate",
                  lambda: peer_time(lambda: upsample(planes, height, width)))  # noqa: B023


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default=str(ROOT / "build/release/bin/vrt_gpu_benchmark"))
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the documents")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        report = common.run_benchmark(arguments.benchmark, "detect", folder)
        table = common.Table()
        print(table.header())
        compare(table, report)
        (folder / "detect_against_python.json").write_text(common.json.dumps(table.rows, indent=1) + "\n")
    return 1 if table.missing else 0


if __name__ == "__main__":
    sys.exit(main())
