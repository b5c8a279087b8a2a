"""Runs of the built tool on real and made pictures: what it writes, and what it leaves when it is stopped."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import schema
from tool import CLIP, MODEL, PROGRAM, SOURCE_DIR, ToolTest, lines_of, vrt, write_png

SCHEMA = json.loads((SOURCE_DIR / "docs/schema/frame.schema.json").read_text())


class RunTest(ToolTest):
    def check_lines(self, lines, count):
        self.assertEqual(len(lines), count)
        for number, line in enumerate(lines):
            self.assertEqual(schema.errors(line, SCHEMA), [])
            self.assertEqual(line["frame"], number)

    def test_the_clip_has_one_face_in_every_frame(self):
        save, lines = self.folder / "annotated.mp4", self.folder / "lines.jsonl"
        result = vrt("run", CLIP, "--model", MODEL, "--save", save, "--json", lines)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        found = lines_of(lines.read_text())
        self.check_lines(found, 120)
        for line in found:
            self.assertEqual((line["source"], line["width"], line["height"]), (CLIP, 176, 144))
            self.assertEqual([d["label"] for d in line["detections"]], ["face"])
            x1, y1, x2, y2 = line["detections"][0]["box"]
            self.assertTrue(0 <= x1 < x2 <= 176 and 0 <= y1 < y2 <= 144)
            self.assertEqual(len(line["detections"][0]["keypoints"]), 5)
        self.assertEqual(self.names(), ["annotated.mp4", "lines.jsonl"])
        for stage in ("source", "submit", "wait", "draw", "encode", "json"):
            self.assertRegex(result.stderr, rf"(?m)^{stage} +120 ")
        again = vrt("run", save, "--model", MODEL, "--json", "-")
        self.check_lines(lines_of(again.stdout), 120)
        self.assertEqual(lines_of(again.stdout)[0]["width"], 3 * 176, "the annotated video is enlarged")

    def test_two_runs_give_the_same_bytes(self):
        first, second = (vrt("run", CLIP, "--model", MODEL, "--json", "-", "--max-frames", 30) for _ in range(2))
        self.assertEqual(first.stdout, second.stdout)
        self.check_lines(lines_of(first.stdout), 30)

    def test_the_threshold_is_the_least_score(self):
        every = vrt("run", CLIP, "--model", MODEL, "--json", "-", "--max-frames", 10, "--threshold", 0.1)
        scores = [d["score"] for line in lines_of(every.stdout) for d in line["detections"]]
        self.assertGreaterEqual(min(scores), 0.1)
        none = vrt("run", CLIP, "--model", MODEL, "--json", "-", "--max-frames", 10, "--threshold", 1)
        self.assertEqual([line["detections"] for line in lines_of(none.stdout)], [[]] * 10)

    def test_a_model_is_found_by_its_name(self):
        os.symlink(MODEL, self.folder / "centerface.onnx")
        result = vrt(
            "run", CLIP, "--model", "centerface", "--json", "-", "--max-frames", 2,
            environment={"VRT_MODELS": str(self.folder)},
        )  # fmt: skip
        self.check_lines(lines_of(result.stdout), 2)

    def test_a_picture_and_a_folder(self):
        pictures = self.folder / "pictures"
        pictures.mkdir()
        sizes = {"a.png": (64, 48), "b.png": (301, 403), "c.png": (1, 1)}
        for name, (width, height) in sizes.items():
            write_png(pictures / name, width, height, 120)
        one = vrt("run", pictures / "b.png", "--model", MODEL, "--save", self.folder / "one.jpg", "--json", "-")
        self.check_lines(lines_of(one.stdout), 1)
        self.assertTrue((self.folder / "one.jpg").read_bytes().startswith(b"\xff\xd8\xff"))
        result = vrt("run", pictures, "--model", MODEL, "--save", self.folder / "out", "--json", "-")
        found = lines_of(result.stdout)
        self.check_lines(found, 3)
        self.assertEqual([(x["width"], x["height"]) for x in found], list(sizes.values()))
        self.assertEqual(sorted(p.name for p in (self.folder / "out").iterdir()), list(sizes))

    def test_coco_results_are_the_lines_detections(self):
        lines = lines_of(vrt("run", CLIP, "--model", MODEL, "--json", "-", "--max-frames", 20).stdout)
        results = self.folder / "results.json"
        self.assertEqual(self.run_coco(CLIP, results, "--max-frames", 20), "")
        found = json.loads(results.read_text())
        self.assertEqual(found, json.loads(self.run_coco(CLIP, "-", "--max-frames", 20)))
        self.assertEqual(len(found), sum(len(line["detections"]) for line in lines))
        for result, line in zip(found, lines):
            face = line["detections"][0]
            self.assertEqual((result["image_id"], result["category_id"]), (line["frame"], 0))
            self.assertEqual((result["score"], result["bbox"][:2]), (face["score"], face["box"][:2]))
            self.assertAlmostEqual(result["bbox"][2], face["box"][2] - face["box"][0], places=4)
            self.assertEqual(result["keypoints"], [v for x, y, _ in face["keypoints"] for v in (x, y, 2)])
        self.assertEqual(self.names(), ["results.json"])

    def run_coco(self, source, target, *more):
        result = vrt("run", source, "--model", MODEL, "--json", target, "--json-format", "coco", *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def test_coco_results_name_pictures_by_their_numbers(self):
        pictures = self.folder / "pictures"
        pictures.mkdir()
        for name in ("000000000139.png", "12.png"):
            shutil.copyfile(SOURCE_DIR / "docs/images/demo.png", pictures / name)
        ids = [r["image_id"] for r in json.loads(self.run_coco(pictures, "-"))]
        self.assertEqual(ids, [12, 139], "in the order of the folder")
        os.link(pictures / "12.png", pictures / "cover.png")
        ids = [r["image_id"] for r in json.loads(self.run_coco(pictures, "-"))]
        self.assertEqual(ids, [0, 1, 2], "one name is no number: frames are counted")
        self.assertEqual([r["image_id"] for r in json.loads(self.run_coco(pictures / "12.png", "-"))], [12])

    def test_pictures_without_a_detection_are_an_empty_array(self):
        write_png(self.folder / "1.png", 64, 48, 90)
        self.assertEqual(self.run_coco(self.folder / "1.png", "-"), "[]\n")

    def test_a_home_gets_the_engine_cache_and_nothing_else(self):
        environment = {"HOME": str(self.folder), "XDG_CACHE_HOME": "", "VRT_CACHE": "", "VRT_ENGINE_CACHE": "on"}
        for engine in ("auto", "openvino", "onnxruntime"):
            run = vrt(
                "run", CLIP, "--model", MODEL, "--engine", engine, "--max-frames", 1, environment=environment
            )  # fmt: skip
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual([name for name in self.names() if not name.startswith(".cache/vrt/engines")], [".cache", ".cache/vrt"])
        self.assertEqual(vrt("doctor", environment=environment).returncode, 0)
        self.assertEqual([name for name in self.names() if not name.startswith(".cache/vrt/engines")], [".cache", ".cache/vrt"])

    def test_a_name_that_is_not_utf8_gives_valid_json(self):
        name = os.fsencode(self.folder) + b"/caf\xe9 \"1\".png"
        write_png(os.fsdecode(name), 40, 30, 9)
        result = subprocess.run(
            [PROGRAM, b"run", name, b"--model", os.fsencode(MODEL), b"--json", b"-"], capture_output=True, check=False
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(json.loads(result.stdout.decode())["source"].endswith('/caf\ufffd "1".png'))

    def test_without_outputs_it_still_tells_what_it_found(self):
        result = vrt("run", CLIP, "--model", MODEL, "--max-frames", 5)
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertIn("5 frames of 176x144, 5 detections", result.stderr)


class StopTest(ToolTest):
    def start(self, *arguments):
        return subprocess.Popen(
            [PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def endless_folder(self):
        """More pictures than any machine gets through before the signal."""
        pictures = self.folder / "pictures"
        pictures.mkdir()
        write_png(pictures / "0.png", 640, 480, 100)
        for number in range(1, 3000):
            os.link(pictures / "0.png", pictures / f"{number}.png")
        return pictures

    def test_ctrl_c_and_sigterm_finish_the_files(self):
        pictures = self.endless_folder()
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                lines, saved = (self.folder / f"{number.name}{end}" for end in (".jsonl", ""))
                process = self.start("run", pictures, "--model", MODEL, "--json", lines, "--save", saved)
                deadline = time.monotonic() + 60
                while not (saved / "1.png").exists():
                    self.assertLess(time.monotonic(), deadline, "no frame was done")
                    time.sleep(0.02)
                self.assertFalse(lines.exists(), "the file has its name before it is complete")
                process.send_signal(number)
                _, errors = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 128 + number, errors)
                found = lines_of(lines.read_text())
                self.assertTrue(0 < len(found) < 3000, errors)
                self.assertIn(f"{len(found)} frames of 640x480", errors)
                self.assertEqual(len(list(saved.iterdir())), len(found))
        left = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(left, ["SIGINT", "SIGINT.jsonl", "SIGTERM", "SIGTERM.jsonl", "pictures"])

    def test_ctrl_c_closes_the_array_of_coco_results(self):
        pictures, results = self.endless_folder(), self.folder / "results.json"
        saved = self.folder / "saved"
        options = ("--json", results, "--json-format", "coco", "--save", saved)
        process = self.start("run", pictures, "--model", MODEL, *options)
        deadline = time.monotonic() + 60
        while not (saved / "1.png").exists():
            self.assertLess(time.monotonic(), deadline, "no frame was done")
            time.sleep(0.02)
        self.assertFalse(results.exists(), "the file has its name before it is complete")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIsInstance(json.loads(results.read_text()), list)

    def test_ctrl_c_leaves_a_video_that_can_be_read(self):
        save = self.folder / "annotated.mp4"
        process = self.start("run", CLIP, "--model", MODEL, "--save", save, "--json", "-")
        # By one thread to the end: what `readline` reads ahead, `communicate` does not return.
        lines = [process.stdout.readline()]
        process.send_signal(signal.SIGINT)
        lines.extend(process.stdout)
        errors = process.stderr.read()
        process.wait(timeout=30)
        frames = len(lines_of("".join(lines)))
        if process.returncode == 0:
            self.skipTest("the run was over before the signal came")
        self.assertEqual(process.returncode, 130, errors)
        result = vrt("run", save, "--model", MODEL, "--json", "-")
        self.assertEqual(len(lines_of(result.stdout)), frames)

    def test_a_reader_that_goes_away_is_a_failure_that_leaves_no_file(self):
        save = self.folder / "annotated.mp4"
        process = self.start("run", CLIP, "--model", MODEL, "--save", save, "--json", "-")
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=30), 1, errors)
        self.assertIn("standard output", errors)
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    unittest.main()
