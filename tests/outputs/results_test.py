"""Lines of JSON and COCO results of findings that are made here, read by the letter of their formats."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(os.environ["VRT_SOURCE_DIR"])
sys.path.insert(0, str(ROOT / "tests/cli"))
import schema  # noqa: E402
from coco import decode  # noqa: E402

SCHEMA = json.loads((ROOT / "docs/schema/frame.schema.json").read_text())
NAMES = ["person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
         "fire hydrant", "stop sign"]  # fmt: skip
CATEGORIES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13]  # Of COCO's annotation files: there is no 12.


def load_results(text):
    """What the COCO API's loadRes takes: a list of results, each with what its evaluation of boxes, masks and keypoints reads."""
    results = json.loads(text)
    assert isinstance(results, list)
    for result in results:
        assert isinstance(result["image_id"], int) and isinstance(result["category_id"], int)
        assert len(result["bbox"]) == 4 and result["bbox"][2] >= 0 and result["bbox"][3] >= 0
        assert 0 <= result["score"] <= 1
        assert len(result.get("keypoints", [])) % 3 == 0 and set(result.get("keypoints", [])[2::3]) <= {0, 2}
        if "segmentation" in result:
            assert sorted(result["segmentation"]) == ["counts", "size"]
    return results


def rounded(values):
    """As 32-bit floats, which the findings are."""
    return [float(np.float32(value)) for value in values]


class Findings:
    """Seeded findings of pictures: objects with masks, people with keypoints, classes, features, depth, embeddings."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def mask(self, width, height):
        kind = self.random.integers(4)
        if kind < 2:
            return np.full((height, width), kind == 1)
        if kind == 2:
            return self.random.random((height, width)) < 0.4
        y, x = np.mgrid[:height, :width]
        centre = self.random.random(2) * (height, width)
        return (y - centre[0]) ** 2 + (x - centre[1]) ** 2 < (0.4 * min(width, height)) ** 2

    def detection(self, width, height, keypoints=0):
        x, y = (np.sort(self.random.random(2)) * side for side in (width, height))
        points = self.random.random((keypoints, 3)) * (width, height, 1)
        points[::3, 2] = 0
        number = int(self.random.integers(len(NAMES)))
        return {
            "box": [x[0], y[0], x[1], y[1]],
            "score": float(self.random.random()),
            "class": number,
            "label": NAMES[number],
            "keypoints": points.tolist(),
        }

    def frame(self, source):
        width, height = (int(n) for n in self.random.integers(1, 150, 2))
        objects = [self.detection(width, height) for _ in range(self.random.integers(0, 4))]
        people = [self.detection(width, height, 17) for _ in range(self.random.integers(0, 3))]
        for found in objects:
            found["mask"] = ["".join("01"[bit] for bit in row.astype(int)) for row in self.mask(width, height)]
        size = [int(n) for n in self.random.integers(1, 20, 2)]
        metres = [None if share < 0.2 else 40 * share - 12 for share in self.random.random(size[0] * size[1])]
        models = [
            {"model": "seg", "names": NAMES, "detections": objects},
            {"model": "depth", "metres": metres, "width": size[0], "height": size[1]},
            {"model": "own", "detections": people},
            {"model": "reid", "embeddings": {"of": 2, "size": 3, "values": self.random.random(3 * len(people)).tolist()}},
            {"model": "kind", "classes": [{"class": 7, "label": "truck", "score": 0.5}]},
            {"model": "xfeat", "features": self.random.random((5, 3)).tolist()},
        ]
        return {"source": source, "width": width, "height": height, "models": models}


class ResultsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, frames, form):
        (self.folder / "findings.json").write_text(json.dumps(frames))
        target = self.folder / "results"
        command = [os.environ["VRT_WRITE_RESULTS"], self.folder / "findings.json", target, form]
        subprocess.run(command, check=True, timeout=240)
        return target.read_text()

    def frames(self, sources):
        findings = Findings(1)
        return [findings.frame(source) for source in sources]

    def test_coco_results_are_the_detections(self):
        frames = self.frames([f"val/{7 * i:012}.jpg" for i in range(40)])
        results = iter(load_results(self.write(frames, "coco")))
        masks = 0
        for i, frame in enumerate(frames):
            for model in (frame["models"][0], frame["models"][2]):
                for found in model["detections"]:
                    result = next(results)
                    category = CATEGORIES[found["class"]] if "names" in model else found["class"]
                    self.assertEqual((result["image_id"], result["category_id"]), (7 * i, category))
                    x1, y1, x2, y2 = found["box"]
                    np.testing.assert_allclose(result["bbox"], [x1, y1, x2 - x1, y2 - y1], atol=2e-5)
                    self.assertEqual(np.float32(result["score"]), np.float32(found["score"]))
                    expected = [[x, y, 2 if confidence > 0 else 0] for x, y, confidence in found["keypoints"]]
                    np.testing.assert_array_equal(
                        np.float32(result.get("keypoints", [])), np.float32(expected).reshape(-1)
                    )
                    self.assertEqual("mask" in found, "segmentation" in result)
                    if "mask" in found:
                        mask = np.array([[bit == "1" for bit in row] for row in found["mask"]])
                        np.testing.assert_array_equal(decode(result["segmentation"]), mask)
                        masks += 1
        self.assertIsNone(next(results, None))
        self.assertGreater(masks, 30)

    def test_frames_are_numbered_where_names_do_not_tell_all_pictures_apart(self):
        for sources in (["1.jpg", "2.jpg", "cover.jpg"], ["1.jpg", "2.jpg", "0001.png"]):
            frames = self.frames(sources)
            results = load_results(self.write(frames, "coco"))
            counts = [sum(len(model.get("detections", [])) for model in frame["models"]) for frame in frames]
            self.assertEqual([r["image_id"] for r in results], [i for i, count in enumerate(counts) for _ in range(count)])

    def test_lines_hold_what_every_family_found(self):
        frames = self.frames(["clip.mp4"] * 40)
        lines = [json.loads(line) for line in self.write(frames, "lines").splitlines()]
        self.assertEqual(len(lines), 40)
        for frame, line in zip(frames, lines):
            self.assertEqual(schema.errors(line, SCHEMA), [])
            seg, depth, own, reid, _, xfeat = frame["models"]
            self.check_detections(line["detections"], seg["detections"], own["detections"], reid["embeddings"]["values"])
            self.assertEqual(line["classes"], [{"model": "kind", "class": 7, "label": "truck", "score": 0.5}])
            self.assertEqual([found["model"] for found in line["features"]], ["xfeat"])
            np.testing.assert_array_equal(np.float32(line["features"][0]["keypoints"]), np.float32(xfeat["features"]))
            self.check_depth(line["depth"], depth)

    def check_detections(self, found, objects, people, vectors):
        self.assertEqual([d["model"] for d in found], ["seg"] * len(objects) + ["own"] * len(people))
        for written, made in zip(found, objects + people):
            self.assertEqual(rounded(written["box"]), rounded(made["box"]))
            self.assertEqual((written["class"], written["label"]), (made["class"], made["label"]))
            self.assertEqual("mask" in written, "mask" in made)
            if "mask" in made:
                self.assertEqual(["".join("01"[bit] for bit in row.astype(int)) for row in decode(written["mask"])], made["mask"])
        embedded = [value for d in found for value in d.get("embedding", [])]
        self.assertEqual(rounded(embedded), rounded(vectors))

    def check_depth(self, found, made):
        metres = np.array([np.nan if value is None else value for value in made["metres"]], np.float32)
        known = np.sort(metres[metres > 0])
        self.assertEqual(len(found), 1)
        written = found[0]
        self.assertEqual((written["model"], written["unit"]), ("depth", "metre"))
        self.assertEqual((written["width"], written["height"]), (made["width"], made["height"]))
        self.assertAlmostEqual(written["known"], len(known) / len(metres), places=6)
        if len(known) == 0:
            self.assertEqual([written[field] for field in ("min", "median", "max")], [None] * 3)
        else:
            expected = rounded([known[0], known[(len(known) - 1) // 2], known[-1]])
            self.assertEqual(rounded(written[field] for field in ("min", "median", "max")), expected)


if __name__ == "__main__":
    unittest.main()
