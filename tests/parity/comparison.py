"""vrt's results beside the reference's: what differs by more than it may."""

import functools
import itertools
import json

import numpy as np

BOX_PIXELS = 0.01
SCORE = 1e-5
NEAR_ZERO = 1e-4  # a mask's logits, whose sign may differ
ABOUT = 0.005  # of all masks' pixels, where the reference blends otherwise
RELATIVE_DEPTH = 1e-5
VECTOR = 1e-5


def read(folder):
    result = json.loads((folder / "result.json").read_text())
    for name, kind in result["arrays"].items():
        values = np.fromfile(folder / f"{name}.bin", dtype=kind["type"])
        result[name] = values.reshape(kind["shape"])
    return result


class Comparison:
    """Collects problems, and the worst difference of each kind."""

    def __init__(self):
        self.problems = []
        self.worst = {}

    def within(self, what, found, expected, limit):
        found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
        if found.shape != expected.shape:
            self.problems.append(f"{what}: shape {found.shape}, {expected.shape} expected")
            return
        same = (found == expected) | (np.isnan(found) & np.isnan(expected))
        with np.errstate(invalid="ignore"):
            difference = np.where(same, 0, np.abs(found - expected))
        self.note(what, difference, limit)

    def note(self, what, difference, limit):
        worst = float(np.max(difference, initial=0))
        self.worst[what] = max(self.worst.get(what, 0), worst)
        if not worst <= limit:
            where = np.unravel_index(np.argmax(difference), np.shape(difference))
            self.problems.append(f"{what}: {worst:.3g} at {tuple(map(int, where))}, at most {limit:g} expected")

    def detections(self, found, expected):
        if len(found) != len(expected):
            self.problems.append(f"{len(found)} detections, {len(expected)} expected")
            return
        found = _in_order_of_ties(found, expected)
        differ = sum(own["class"] != other["class"] for own, other in zip(found, expected, strict=True))
        if differ:
            self.problems.append(f"{differ} of {len(found)} classes differ")
        self.within("boxes, pixels", _column(found, "box"), _column(expected, "box"), BOX_PIXELS)
        self.within("scores", _column(found, "score"), _column(expected, "score"), SCORE)
        points = [np.array(_column(rows, "keypoints")) for rows in (found, expected)]
        if points[1].size:
            self.within("keypoints, pixels", points[0][..., :2], points[1][..., :2], BOX_PIXELS)
            self.within("keypoints' confidence", points[0][..., 2], points[1][..., 2], SCORE)

    def masks(self, found, logits, near_zero=NEAR_ZERO):
        """Pixels may differ where the logit is as good as zero."""
        if found.shape != logits.shape:
            self.problems.append(f"masks: shape {found.shape}, {logits.shape} expected")
            return
        differs = (found > 0) != (logits > 0)
        far = differs & (np.abs(logits) >= near_zero)
        self.worst["mask pixels that differ near zero"] = int(differs.sum())
        if far.any():
            worst = np.abs(logits[far]).max()
            self.problems.append(f"masks: {int(far.sum())} of {far.size} pixels differ, up to a logit of {worst:.3g}")

    def about_masks(self, found, expected):
        """The share of all masks' pixels that differ; beside it, of those that one of the two masks has."""
        if found.shape != expected.shape:
            self.problems.append(f"masks: shape {found.shape}, {expected.shape} expected")
            return
        found, expected = found > 0, expected > 0
        differs = found != expected
        self.worst["share of foreground beside the package"] = float(differs.sum() / max((found | expected).sum(), 1))
        self.note("share of pixels beside the package", differs.mean(), ABOUT)

    def depth(self, found, wanted):
        expected, where = wanted["depth"], wanted.get("compare", True)
        if found.shape != expected.shape:
            self.problems.append(f"depth: shape {found.shape}, {expected.shape} expected")
            return
        difference = np.abs(found - expected) / np.maximum(wanted["scale"], 1e-6)
        self.note("depth, relative", np.where(where, difference, 0), RELATIVE_DEPTH)

    def keypoints(self, found, expected):
        if len(found) != len(expected):
            self.problems.append(f"{len(found)} keypoints, {len(expected)} expected")
            return
        self.within("keypoints, pixels", found[:, :2], expected[:, :2], 1e-3)
        self.within("keypoints' scores", found[:, 2], expected[:, 2], SCORE)

    def matches(self, found, expected):
        own = [tuple(match[:2]) for match in found]
        others = [tuple(map(int, match[:2])) for match in expected]
        if own != others:
            self.problems.append(f"{len(set(own) ^ set(others))} of {len(others)} matches differ")
        self.worst["matches"] = len(others)


def _column(rows, name):
    return [row[name] for row in rows]


def _distance(row, wanted):
    return row["class"] != wanted["class"], np.abs(np.subtract(row["box"], wanted["box"])).max()


def _in_order_of_ties(found, expected):
    """`found`, but what has one and the same score in `expected` in the expected order: only an index orders it there."""
    ordered, start = [], 0
    for _, group in itertools.groupby(expected, key=lambda row: np.float32(row["score"])):
        group = list(group)
        own = found[start : start + len(group)]
        start += len(group)
        for wanted in group:
            nearest = min(own, key=functools.partial(_distance, wanted=wanted))
            own.remove(nearest)
            ordered.append(nearest)
    return ordered


def compare(found, expected):
    comparison = Comparison()
    if "detections" in expected:
        comparison.detections(found["detections"], expected["detections"])
    if "mask_logits" in expected:
        comparison.masks(found["masks"], expected["mask_logits"], expected.get("near_zero", NEAR_ZERO))
    if "about_masks" in expected:
        comparison.about_masks(found["masks"], expected["about_masks"])
    if "depth" in expected:
        comparison.depth(found["depth"], expected)
    for name in ("appearance", "descriptors", "descriptors_other", "embeddings"):
        if name in expected:
            comparison.within(name, found[name], expected[name], VECTOR)
    for name in ("keypoints", "keypoints_other"):
        if name in expected:
            comparison.keypoints(found[name], expected[name])
    if "matches" in expected:
        comparison.matches(found["matches"], expected["matches"])
    return comparison
