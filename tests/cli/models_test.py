"""Runs of the built tool with models of several families: how it tells them, and what it does with more than one."""

import json
import unittest

import networks
import schema
from tool import CLIP, MODEL, SOURCE_DIR, ToolTest, lines_of, vrt

SCHEMA = json.loads((SOURCE_DIR / "docs/schema/frame.schema.json").read_text())


class SeveralModelsTest(ToolTest):
    def test_two_models_look_at_the_same_frames(self):
        yolo = networks.yolo(self.folder / "animals.onnx")
        alone = lines_of(vrt("run", CLIP, "--model", MODEL, "--json", "-", "--max-frames", 6).stdout)
        both = vrt("run", "--model", yolo, "--model", MODEL, CLIP, "--json", "-", "--max-frames", 6)
        self.assertEqual(both.returncode, 0, both.stderr)
        found = lines_of(both.stdout)
        self.assertEqual(len(found), 6)
        text = [json.dumps(line) for line in found]
        for line, before in zip(text, alone, strict=True):
            self.assertIn('"dog"', line)
            self.assertIn(json.dumps(before["detections"][0]["box"]), line, "the face is where it is without the other")
        self.assertRegex(both.stderr, r"6 frames of 176x144, 12 detections, ")
        self.assertRegex(both.stderr, r"(?m)^animals \(YOLO\): 6 found, on cpu with \w+ [\d.]+, network input 64x64$")
        self.assertRegex(both.stderr, r"(?m)^centerface \(CenterFace\): 6 found, on cpu .*, network input 320x288$")

    def test_boxes_of_one_are_embedded_by_another(self):
        yolo, osnet = networks.yolo(self.folder / "animals.onnx"), networks.osnet(self.folder / "looks.onnx")
        result = vrt("run", CLIP, "--model", yolo, "--model", osnet, "--json", "-", "--max-frames", 3)
        self.assertEqual((result.returncode, len(lines_of(result.stdout))), (0, 3), result.stderr)
        self.assertRegex(result.stderr, r"(?m)^looks \(OSNet\): 3 found")
        for line in lines_of(result.stdout):
            self.assertEqual([d["model"] for d in line["detections"]], ["animals"])
            embedding = networks.np.array(line["detections"][0]["embedding"])
            self.assertEqual(embedding.shape, (3,))
            self.assertAlmostEqual(float(embedding @ embedding), 1, places=4)
        wrong = vrt("run", CLIP, "--model", osnet, "--model", yolo)
        self.assert_refused(wrong, 2, "looks.onnx", "OSNet looks at the boxes", "name a detector first")

    def test_boxes_that_are_not_embedded_are_said(self):
        crowd, osnet = networks.crowd(self.folder / "crowd.onnx", 40), networks.osnet(self.folder / "looks.onnx")
        for more, embedded in (([], 16), (["--max-embeddings", 20], 20), (["--max-embeddings", 300], 40)):
            with self.subTest(embedded=embedded):
                run = vrt(
                    "run", CLIP, "--model", crowd, "--model", osnet, "--json", "-", "--max-frames", 3, *more
                )  # fmt: skip
                self.assertEqual(run.returncode, 0, run.stderr)
                for line in lines_of(run.stdout):
                    self.assertEqual(schema.errors(line, SCHEMA), [])
                    has = ["embedding" in detection for detection in line["detections"]]
                    self.assertEqual(has, [True] * embedded + [False] * (40 - embedded))
                    self.assertEqual(line.get("not_embedded", 0), 40 - embedded)
                left_out = embedded < 40
                found = f"{3 * embedded} of 120 boxes embedded" if left_out else "120 found"
                self.assertRegex(run.stderr, rf"(?m)^looks \(OSNet\): {found}, on cpu")
                warning = f"frame 0 has 40 boxes, and {embedded} are embedded"
                self.assertEqual(run.stderr.count(warning), left_out)
                self.assertEqual(run.stderr.count("warning"), left_out, run.stderr)

    def test_every_object_of_coco_results_has_its_mask(self):
        crowd = networks.crowd(self.folder / "crowd.onnx", 250, masks=True)
        run = ["run", CLIP, "--model", crowd, "--json", "-", "--max-frames", 2]
        coco = vrt(*run, "--json-format", "coco")
        self.assertEqual(coco.returncode, 0, coco.stderr)
        results = json.loads(coco.stdout)
        self.assertEqual(len(results), 2 * 250)
        self.assertEqual(sum("segmentation" in result for result in results), 2 * 250)
        for line in lines_of(vrt(*run).stdout):
            self.assertEqual(sum("mask" in detection for detection in line["detections"]), 100, "as docs/json-lines.md says")

    def test_the_number_of_embeddings_has_bounds(self):
        for wrong in ("0", "4097", "many"):
            self.assert_refused(vrt("run", CLIP, "--model", MODEL, "--max-embeddings", wrong), 2, "--max-embeddings")

    def test_the_threshold_is_each_familys_own_unless_it_is_given(self):
        cells = networks.np.zeros((1, 6, 84))
        cells[0, :, 5] = [32, 32, 32, 32, 0, 0.3]
        metadata = {"task": "detect", "names": "{0: 'cat', 1: 'dog'}"}
        weak = networks.write(self.folder / "weak.onnx", [1, 3, 64, 64], {"output0": cells}, metadata)
        for given, count in (([], 2), (["--threshold", "0.5"], 0), (["--threshold", "0.1"], 2)):
            result = vrt("run", CLIP, "--model", weak, "--max-frames", 2, *given)
            self.assertIn(f", {count} detections,", result.stderr)

    def test_one_that_cannot_be_opened_ends_the_run_and_leaves_nothing(self):
        yolo = networks.yolo(self.folder / "animals.onnx")
        (self.folder / "text.onnx").write_text("not a network")
        result = vrt("run", CLIP, "--model", yolo, "--model", self.folder / "text.onnx", "--save", self.folder / "o.mp4")
        self.assert_refused(result, 1, "text.onnx")
        self.assertEqual(self.names(), ["animals.onnx", "text.onnx"])

    def test_no_model_is_written_over(self):
        yolo = networks.yolo(self.folder / "animals.onnx")
        before = yolo.read_bytes()
        self.assert_refused(vrt("run", CLIP, "--model", MODEL, "--model", yolo, "--json", yolo), 2, "animals.onnx")
        self.assertEqual(yolo.read_bytes(), before)


class NamesTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.animals = networks.yolo(self.folder / "animals.onnx")
        self.file = self.folder / "names.txt"
        self.file.write_text("chat\nchien\n")

    def labels(self, *arguments):
        result = vrt("run", CLIP, *arguments, "--json", "-", "--max-frames", 1)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [(d["model"], d["label"]) for d in lines_of(result.stdout)[0]["detections"]]

    def test_names_are_those_of_the_model_before_them(self):
        twice = ["--model", self.animals, "--model", self.animals]
        self.assertEqual(self.labels(*twice, "--names", self.file), [("animals", "dog"), ("animals#2", "chien")])
        one, two = twice[:2], twice[2:]
        self.assertEqual(self.labels(*one, "--names", self.file, *two), [("animals", "chien"), ("animals#2", "dog")])
        self.assertEqual(self.labels(f"--model={self.animals}", f"--names={self.file}"), [("animals", "chien")])

    def test_names_without_a_model_or_too_many_are_wrong_usage(self):
        names = ["--names", self.file]
        for arguments in ([*names, "--model", self.animals], ["--model", self.animals, *names, *names]):
            self.assert_refused(vrt("run", CLIP, *arguments), 2, "names.txt", "behind a --model, one file for each")
            self.assert_refused(vrt("bench", CLIP, *arguments), 2, "names.txt", "behind a --model, one file for each")
        self.assert_refused(vrt("run", CLIP, "--model", MODEL, *names), 2, "CenterFace has no classes", "names.txt")
        self.file.write_text("a\nb\nc\n")
        self.assert_refused(vrt("run", CLIP, "--model", self.animals, *names), 2, "with 3 classes", "[1, 6, 84]")
        self.assert_refused(
            vrt("bench", CLIP, "--model", "centerface", *names, "--without-network", "--device", "cpu"), 2, "--names"
        )

    def test_files_without_names_are_failures(self):
        missing = vrt("run", CLIP, "--model", self.animals, "--names", self.folder / "none.txt")
        self.assert_refused(missing, 1, "none.txt", "no such file")
        self.assert_refused(vrt("run", CLIP, "--model", self.animals, "--names", self.animals), 1, "animals.onnx: line 1")

    def test_no_file_of_names_is_written_over(self):
        run = ["run", CLIP, "--model", self.animals, "--names", self.file]
        self.assert_refused(vrt(*run, "--json", self.file), 2, "names.txt")
        self.assertEqual(self.file.read_text(), "chat\nchien\n")

    def test_a_benchmark_takes_them_too(self):
        network = networks.yolo(self.folder / "nameless.onnx", {"task": "detect"})
        result = vrt("bench", "--synthetic", "64x64", "--model", network, "--names", self.file, "--frames", 100)
        self.assertEqual(result.returncode, 0, result.stderr)


class FamilyTest(ToolTest):
    def test_what_a_file_does_not_say_has_to_be_said(self):
        depth = networks.depth(self.folder / "depth.onnx")
        refused = vrt("run", CLIP, "--model", depth)
        self.assert_refused(
            refused, 2, "could be of several families (depth, relative-depth)", "'depth' float32 [1, 28, 28]", "metadata none",
            f"say which, as in depth:{depth}",
        )  # fmt: skip
        for family, title in (("depth", "Depth Anything, metric"), ("relative-depth", "Depth Anything, relative")):
            result = vrt("run", CLIP, "--model", f"{family}:{depth}", "--max-frames", 2)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"depth ({title}): 2 found", result.stderr)

    def test_what_vrts_export_says_counts(self):
        depth = networks.depth(self.folder / "depth.onnx", {"task": "depth", "depth": "relative"})
        result = vrt("run", CLIP, "--model", depth, "--max-frames", 2)
        self.assertIn("depth (Depth Anything, relative): 2 found", result.stderr)

    def test_wrong_families_are_refused_with_what_was_met(self):
        yolo = networks.yolo(self.folder / "animals.onnx")
        self.assert_refused(vrt("run", CLIP, "--model", f"rfdetr:{yolo}"), 2, "RF-DETR", "'output0' float32 [1, 6, 84]")
        self.assert_refused(vrt("run", CLIP, "--model", f"yolov5:{yolo}"), 2, "'yolov5'", "centerface, yolo, rfdetr")
        sound = networks.write(self.folder / "sound.onnx", [1, 16000], {"louder": networks.np.zeros((1, 3, 4, 5, 6))})
        self.assert_refused(
            vrt("run", CLIP, "--model", sound), 2, "of no family that vrt knows", "'louder' float32 [1, 3, 4, 5, 6]"
        )
        classes = networks.write(
            self.folder / "classes.onnx", [1, 3, 32, 32], {"o": [[0.1, 0.9]]}, {"task": "classify", "stride": "1"}
        )
        self.assert_refused(vrt("run", CLIP, "--model", classes), 1, "'classify'", "detect, segment and pose")

    def test_a_file_whose_name_has_a_colon_is_a_file(self):
        yolo = networks.yolo(self.folder / "a:b.onnx")
        result = vrt("run", CLIP, "--model", "a:b.onnx", "--max-frames", 1, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("a:b (YOLO): 1 found", result.stderr)
        self.assertTrue(yolo.exists())

    def test_a_known_name_may_be_given_another_family(self):
        refused = vrt("run", CLIP, "--model", "yolo:xfeat", environment={"VRT_MODELS": str(self.folder)})
        self.assert_refused(refused, 1, "the file of model 'xfeat' was not found", "huggingface.co/kornia/xfeat")

    def test_the_known_models_are_listed_with_their_families(self):
        listed = vrt("models").stdout
        for name, family in (
            ("rfdetr-small", "rfdetr"), ("rfdetr-seg", "rfdetr-seg"), ("rfdetr-keypoints", "rfdetr-keypoints"),
            ("depth-anything-small-indoor", "depth"), ("osnet-x0.25", "osnet"), ("xfeat", "xfeat"),
        ):  # fmt: skip
            self.assertRegex(listed, rf"(?m)^{name} +{family} +\S")


if __name__ == "__main__":
    unittest.main()
