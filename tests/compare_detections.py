"""Compares two files of detections, one JSON object a frame: exits 1 and says where they differ.

    python compare_detections.py found.jsonl expected.jsonl --frames 120 --each 1 --min-iou 0.98
"""

import argparse
import json
import sys


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def iou(a, b):
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = width * height
    union = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)) - shared
    return shared / union if union > 0 else 0.0


def pair(found, expected):
    """Pairs each expected detection with the nearest one found that is still free."""
    free = list(found)
    for wanted in expected:
        best = max(free, key=lambda candidate: iou(candidate["box"], wanted["box"]))
        free.remove(best)
        yield best, wanted


def landmark_distance(found, expected):
    """The worst distance of landmarks, in units of the box's longer side."""
    box = expected["box"]
    side = max(box[2] - box[0], box[3] - box[1])
    points = zip(found["keypoints"], expected["keypoints"], strict=True)
    return max((max(abs(a[0] - b[0]), abs(a[1] - b[1])) / side for a, b in points), default=0.0)


class Comparison:
    def __init__(self, limits):
        self.limits = limits
        self.problems = []
        self.pairs = 0
        self.least_iou = 1.0
        self.worst_score = 0.0
        self.worst_landmark = 0.0

    def require(self, holds, problem):
        if not holds:
            self.problems.append(problem)

    def frame(self, index, found, expected):
        for field in ("frame", "width", "height"):
            self.require(found[field] == expected[field], f"frame {index}: {field} {found[field]} != {expected[field]}")
        found, expected = found["detections"], expected["detections"]
        if len(found) != len(expected):
            self.problems.append(f"frame {index}: {len(found)} detections, {len(expected)} expected")
            return
        each = self.limits.each
        self.require(each is None or len(found) == each, f"frame {index}: {len(found)} detections, not {each}")
        for one, other in pair(found, expected):
            self.detection(index, one, other)

    def detection(self, index, found, expected):
        overlap = iou(found["box"], expected["box"])
        score = abs(found["score"] - expected["score"])
        landmark = landmark_distance(found, expected)
        self.pairs += 1
        self.least_iou = min(self.least_iou, overlap)
        self.worst_score = max(self.worst_score, score)
        self.worst_landmark = max(self.worst_landmark, landmark)
        limits = self.limits
        self.require(overlap >= limits.min_iou, f"frame {index}: IoU {overlap:.4f} < {limits.min_iou}")
        self.require(score <= limits.max_score_difference, f"frame {index}: scores differ by {score:.4f}")
        self.require(landmark <= limits.max_landmark_distance, f"frame {index}: landmarks {landmark:.4f} sides apart")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("found")
    parser.add_argument("expected")
    parser.add_argument("--frames", type=int, help="how many frames both must have")
    parser.add_argument("--each", type=int, help="how many detections each frame must have")
    parser.add_argument("--min-iou", type=float, default=0.98)
    parser.add_argument("--max-score-difference", type=float, default=0.01)
    parser.add_argument("--max-landmark-distance", type=float, default=0.01, help="in units of the box's longer side")
    limits = parser.parse_args()

    found, expected = read(limits.found), read(limits.expected)
    comparison = Comparison(limits)
    comparison.require(len(found) == len(expected), f"{len(found)} frames, {len(expected)} expected")
    if limits.frames is not None:
        comparison.require(len(found) == limits.frames, f"{len(found)} frames, not {limits.frames}")
    for index, frames in enumerate(zip(found, expected)):
        comparison.frame(index, *frames)
    for problem in comparison.problems:
        print(problem, file=sys.stderr)
    print(
        f"{len(found)} frames, {comparison.pairs} detections: least IoU {comparison.least_iou:.5f}, scores within "
        f"{comparison.worst_score:.5f}, landmarks within {comparison.worst_landmark:.5f} sides"
    )
    sys.exit(1 if comparison.problems else 0)


if __name__ == "__main__":
    main()
