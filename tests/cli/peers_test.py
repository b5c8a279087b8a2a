"""The Python programs that `vrt run` is measured against (tools/bench) find what it finds, on small networks of each family; and the
script that measures them (bench) ends as it should."""

import argparse
import dataclasses
import json
import subprocess
import sys
import unittest

import coco
import networks
import numpy as np
import schema
from tool import CLIP, MODEL, PROGRAM, SOURCE_DIR, ToolTest

sys.path.insert(0, str(SOURCE_DIR / "bench"))
import families_against_python as script  # noqa: E402

SCHEMA = json.loads((SOURCE_DIR / "docs/schema/frame.schema.json").read_text())
FRAMES = 3
MAKERS = {
    "yolo": networks.yolo_several,
    "yolo-seg": networks.yolo_seg,
    "yolo-pose": networks.yolo_pose,
    "rfdetr": networks.rfdetr,
    "rfdetr-seg": networks.rfdetr_seg,
    "rfdetr-keypoints": networks.rfdetr_keypoints,
    "depth": lambda path: networks.grey_depth(path, "metric"),
    "relative-depth": lambda path: networks.grey_depth(path, "relative"),
    "xfeat": lambda path: networks.xfeat(path, 128, 160),  # The clip's 144×176 in multiples of 32.
    "osnet": networks.osnet,
    "classifier": networks.color_classifier,
}
# Objects, keypoints, classes or maps in a frame.
COUNTS = {"yolo": 2, "yolo-seg": 2, "yolo-pose": 1, "rfdetr": 3, "rfdetr-seg": 3, "rfdetr-keypoints": 2, "depth": 1,
          "relative-depth": 1, "xfeat": 2, "osnet": 2, "classifier": 5}  # fmt: skip


def pixels(mask):
    """vrt's counts are COCO's text, the peers' its list."""
    if isinstance(mask["counts"], str):
        return coco.decode(mask)
    bits = np.repeat(np.arange(len(mask["counts"])) % 2 == 1, mask["counts"])
    return bits.reshape(mask["size"][::-1]).T


class PeersTest(ToolTest):
    def test_there_is_a_network_for_each_family(self):
        self.assertEqual([case.family for case in script.CASES], list(MAKERS))

    def test_each_peer_finds_what_the_tool_finds(self):
        video = self.folder / "clip.mp4"
        script.write_video(script.frames_of(CLIP)[:FRAMES], video)
        faces = networks.centerface(self.folder / "faces.onnx", 288, 320)  # What vrt chooses for the clip's 144×176.
        arguments = argparse.Namespace(models=self.folder, centerface=faces)
        for case in script.CASES:
            with self.subTest(case.family):
                MAKERS[case.family](self.folder / case.file)
                self.check_family(case, video, script.models_of(case, arguments))

    def check_family(self, case, video, models):
        threshold = None if case.threshold is None else 0.5
        ours, theirs = self.folder / "ours.jsonl", self.folder / "theirs.jsonl"
        frames, seconds = script.run_vrt(PROGRAM, video, models, ours, threshold)
        peer_frames, peer_seconds = script.run_peer(case.family, video, models, theirs, threshold)
        self.assertEqual((frames, peer_frames), (FRAMES, FRAMES))
        self.assertGreater(min(seconds, peer_seconds), 0)
        self.assertEqual(script.found_in(ours), FRAMES * COUNTS[case.family])
        self.assertEqual(script.found_in(theirs), FRAMES * COUNTS[case.family])
        for line, peers in zip(*(map(json.loads, path.read_text().splitlines()) for path in (ours, theirs))):
            self.check_line(line, peers)

    def check_line(self, ours, theirs):
        self.assertEqual(ours.keys(), theirs.keys())
        for field in ("source", "frame", "width", "height"):
            self.assertEqual(ours[field], theirs[field])
        self.assertAlmostEqual(ours["time"], theirs["time"], places=3)
        for field in ("detections", "classes", "features", "depth"):
            self.assertEqual(len(ours.get(field, [])), len(theirs.get(field, [])))
            for found, peers in zip(ours.get(field, []), theirs.get(field, [])):
                self.check_finding(found, peers)
        for detection in theirs["detections"]:
            if "mask" in detection:
                detection["mask"]["counts"] = ""  # Plain counts are all that is not as the schema says.
        self.assertEqual(schema.errors(theirs, SCHEMA), [])

    def check_finding(self, ours, theirs):
        self.assertEqual(ours.keys(), theirs.keys())
        for field, value in ours.items():
            if field == "mask":
                differing = np.mean(pixels(value) != pixels(theirs[field]))
                self.assertLess(differing, 0.02, "the peer rounds padding to whole cells")
            elif isinstance(value, (str, int)):
                self.assertEqual(value, theirs[field], field)
            else:  # The peer resizes to whole numbers, and its crops start at whole pixels.
                tolerance = {"box": 0.1, "keypoints": 0.1, "embedding": 0.1}.get(field, 0.05)
                np.testing.assert_allclose(np.array(value), np.array(theirs[field]), 0, tolerance, err_msg=field)


class ScriptTest(ToolTest):
    def measure(self, *more):
        words = [PROGRAM, CLIP, "--models", self.folder, "--centerface", MODEL, "--rounds", 1, "--frames", 4, *more]
        program = SOURCE_DIR / "bench/families_against_python.py"
        return subprocess.run([sys.executable, program, *map(str, words)], capture_output=True, text=True, check=False)

    def test_it_prints_both_speeds_and_their_ratio(self):
        networks.color_classifier(self.folder / "classifier.onnx")
        result = self.measure("--only", "classifier", "--least", 0)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^classifier +[\d.]+ +[\d.]+ +[\d.]+   20, 20$")
        self.assertIn("above 0.0 times the peer, with the same work: yes", result.stdout)

    def test_a_ratio_that_is_not_above_the_least_is_a_failure(self):
        networks.color_classifier(self.folder / "classifier.onnx")
        result = self.measure("--only", "classifier", "--least", 1e9)
        self.assertEqual(result.returncode, 1)
        self.assertIn("NOT classifier", result.stdout)

    def test_what_is_missing_is_named_and_nothing_is_measured(self):
        result = self.measure("--only", "yolo")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("yolo11n.onnx, yolo11n-seg.onnx, yolo11n-pose.onnx missing", result.stderr)
        result = self.measure("--only", "yolo", "--export-python", "/bin/false")
        self.assertEqual(result.returncode, 1)
        self.assertIn("export.py yolo --architecture yolo11n --random-weights 7", result.stderr)
        self.assertEqual(self.names(), [], "no network is left half written")

    def test_works_that_differ_are_not_taken_for_the_same(self):
        for ours, theirs, same in ((100, 100, True), (100, 85, True), (100, 70, False), (0, 0, False), (0, 5, False)):
            self.assertEqual(script.is_same_work(ours, theirs), same)

    def test_cases_export_each_a_file_of_its_own(self):
        self.assertEqual(len({case.file for case in script.CASES}), len(script.CASES))
        self.assertTrue(all(dataclasses.is_dataclass(case) and case.export for case in script.CASES))


if __name__ == "__main__":
    unittest.main()
