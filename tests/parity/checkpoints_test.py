"""A checkpoint in each project's own format gives the very network that the seed gives.

    cd tests/parity && python -m unittest checkpoints_test      (with the packages of tools/export/requirements.txt)

The checkpoints are made here: the networks with weights from a seed, stored as their projects store theirs.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import torch

EXPORT = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/export"
sys.path.insert(0, str(EXPORT))
os.environ.setdefault("YOLO_AUTOINSTALL", "false")

import export  # noqa: E402
from families import classifier, depth_anything, network, osnet, rf_detr, seeded_weights, xfeat  # noqa: E402

SEED = 11


def weights_of(path):
    """A digest of what a graph computes with, whatever its tensors are called."""
    tensors = [tensor.raw_data for tensor in onnx.load(path).graph.initializer]
    return hashlib.sha256(b"".join(sorted(tensors))).hexdigest()


def tensors_of(path):
    return {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer}


class CheckpointsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def arguments(self, *words):
        return export.parse([*words, "--output", str(self.folder / "out.onnx")])

    def write(self, *words):
        args = self.arguments(*words)
        if hasattr(args.module, "write"):
            args.module.write(args)
        else:
            network.write(args.module.build(args), args.output)
        return weights_of(args.output)

    def compare(self, checkpoint, *words):
        from_seed = self.write(*words, "--random-weights", str(SEED))
        self.assertNotEqual(from_seed, self.write(*words, "--random-weights", str(SEED + 1)))
        self.assertEqual(from_seed, self.write(*words, "--random-weights", str(SEED)), "the seed gives other weights")
        self.assertEqual(from_seed, self.write(*words, "--checkpoint", str(checkpoint)))

    def test_xfeat(self):
        built = xfeat.build(self.arguments("xfeat", "--random-weights", str(SEED)))
        torch.save(built.module.network.state_dict(), self.folder / "xfeat.pt")
        self.compare(self.folder / "xfeat.pt", "xfeat")

    def test_osnet_with_the_classifier_and_names_of_its_training(self):
        built = osnet.build(self.arguments("osnet", "--random-weights", str(SEED)))
        state = {f"module.{name}": tensor for name, tensor in built.module.state_dict().items()}
        state["module.classifier.weight"] = torch.zeros(1041, 512)
        torch.save({"state_dict": state, "epoch": 60}, self.folder / "osnet.pth")
        self.compare(self.folder / "osnet.pth", "osnet")

    def test_osnet_refuses_the_weights_of_another_width(self):
        other = osnet.architecture().osnet_x0_5(num_classes=1, pretrained=False)
        torch.save(other.state_dict(), self.folder / "osnet.pth")
        with self.assertRaises(RuntimeError):
            self.write("osnet", "--checkpoint", str(self.folder / "osnet.pth"))

    def test_depth_anything_metric(self):
        words = ["depth-anything", "--input", "98", "126"]
        args = self.arguments(*words, "--metric", "20", "--random-weights", str(SEED))
        depth_anything._random(args).save_pretrained(self.folder / "depth")
        self.compare_depth(words, self.folder / "depth")

    def compare_depth(self, words, folder):
        from_seed = self.write(*words, "--metric", "20", "--random-weights", str(SEED))
        self.assertEqual(from_seed, self.write(*words, "--checkpoint", str(folder)))
        entries = {entry.key: entry.value for entry in onnx.load(self.folder / "out.onnx").metadata_props}
        self.assertEqual(entries["depth"], "metric")

    def test_classifier(self):
        built = classifier.build(self.arguments("classifier", "--random-weights", str(SEED)))
        torch.save(built.module.state_dict(), self.folder / "resnet18.pth")
        self.compare(self.folder / "resnet18.pth", "classifier")
        with self.assertRaises(SystemExit):
            self.write("classifier", "--architecture", "resnet_18", "--random-weights", str(SEED))

    def test_yolo(self):
        from ultralytics import YOLO

        model = YOLO("yolo11n.yaml")
        seeded_weights.fill(model.model, SEED, keep=r"\.dfl\.")
        model.save(self.folder / "best.pt")
        words = ["yolo", "--input", "64", "64"]
        self.write(*words, "--architecture", "yolo11n", "--random-weights", str(SEED))
        from_seed = tensors_of(self.folder / "out.onnx")
        self.write(*words, "--checkpoint", str(self.folder / "best.pt"))
        from_checkpoint = tensors_of(self.folder / "out.onnx")
        self.assertEqual(from_seed.keys(), from_checkpoint.keys())
        for name, values in from_seed.items():  # Ultralytics stores its checkpoints in float16
            np.testing.assert_allclose(from_checkpoint[name], values, rtol=2e-3, atol=1e-3, err_msg=name)

    def test_rf_detr(self):
        self.compare_rf_detr("--variant", "nano")

    def test_rf_detr_with_masks(self):
        self.compare_rf_detr("--variant", "seg-nano", "--tokens")

    def test_rf_detr_with_keypoints(self):
        self.compare_rf_detr("--variant", "keypoint-preview")

    def compare_rf_detr(self, *words):
        words = ["rf-detr", *words]
        model = rf_detr._load(self.arguments(*words, "--random-weights", str(SEED)))
        state = {"model": model.model.model.state_dict(), "args": argparse.Namespace(num_classes=90)}
        torch.save(state, self.folder / "checkpoint.pth")
        from_seed = self.write(*words, "--random-weights", str(SEED))
        self.assertEqual(from_seed, self.write(*words, "--checkpoint", str(self.folder / "checkpoint.pth")))

    def test_skeletons_become_the_very_files(self):
        for words in (["xfeat", "--dynamic"], ["osnet"], ["yolo", "--architecture", "yolo11n"]):
            output, small, again = (self.folder / name for name in ("out.onnx", "out.skeleton", "again.onnx"))
            words = [*words, "--random-weights", str(SEED), "--output", str(output), "--skeleton", str(small)]
            subprocess.run([sys.executable, EXPORT / "export.py", *words], check=True, capture_output=True)
            subprocess.run([sys.executable, EXPORT / "fill.py", small, again], check=True, capture_output=True)
            self.assertEqual(again.read_bytes(), output.read_bytes(), words[0])
            self.assertLess(small.stat().st_size, output.stat().st_size / 50, words[0])


if __name__ == "__main__":
    unittest.main()
