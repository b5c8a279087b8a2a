"""What prepare_model writes of the ten test networks, before ONNX's own checker, shape inference and reference implementation.

The reference computes each float16 node in float16, as no CPU backend does, so that it shows what rounding does.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx

ROOT = pathlib.Path(os.environ["VRT_SOURCE_DIR"])
NETWORKS = pathlib.Path(os.environ["VRT_TEST_NETWORKS"])
sys.path.insert(0, str(ROOT / "tools/models"))
from make_test_networks import BATCH, NETWORKS as MAKERS, reference  # noqa: E402

CENTERFACE = pathlib.Path(os.environ["VRT_TEST_CENTERFACE"])
MODELS = {make.__name__: NETWORKS / make.__name__ / "model.onnx" for make in MAKERS} | {"centerface": CENTERFACE}
ARGUMENTS = {"dynamic_batch": ["--batch", str(BATCH)], "centerface": ["--shape", "=1x3x480x640"]}
NUMPY = {onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.INT64: np.int64}


def prepare(name, folder, *arguments):
    target = pathlib.Path(folder) / f"{name}.onnx"
    command = [os.environ["VRT_PREPARE_MODEL"], MODELS[name], target, *ARGUMENTS.get(name, []), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return onnx.load(target), done.stdout


def signature(values):
    return [(value.name, value.type.tensor_type.elem_type) for value in values]


def documented_bounds():
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([\d.]+) \|$", (ROOT / "docs/fp16.md").read_text(), re.MULTILINE)
    return {name: float(bound) for name, bound in rows}


def run(model, folder):
    feeds = {}
    for number, value in enumerate(model.graph.input):
        tensor = value.type.tensor_type
        values = np.frombuffer((folder / f"input_{number}").read_bytes(), NUMPY[tensor.elem_type])
        feeds[value.name] = values.reshape([dim.dim_value or BATCH for dim in tensor.shape.dim])
    return reference(model).run(None, feeds)


def share_of_range(found, folder):
    worst = 0.0
    for number, values in enumerate(found):
        expected = np.frombuffer((folder / f"output_{number}").read_bytes(), values.dtype).reshape(values.shape)
        expected = expected.astype(np.float64)
        difference = np.abs(values.astype(np.float64) - expected).max()
        worst = np.maximum(worst, difference / (expected.max() - expected.min()))  # NaN stays.
    return worst


class PreparedModelsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def each(self, *arguments):
        for name in MODELS:
            yield name, *prepare(name, self.folder, *arguments)

    def check(self, model):
        onnx.checker.check_model(model, full_check=True)
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)

    def test_there_are_ten(self):
        self.assertEqual(len(MODELS), 10)

    def test_float32_passes_onnx_checker_and_shape_inference(self):
        for name, model, _ in self.each():
            with self.subTest(name):
                self.check(model)
                given = {tensor.name for tensor in model.graph.initializer}
                self.assertFalse(given & {value.name for value in model.graph.input})

    def test_float16_passes_onnx_checker_and_shape_inference(self):
        for arguments in (["--float16"], ["--float16", "--noise", "1"]):
            for name, model, _ in self.each(*arguments):
                with self.subTest(name):
                    self.check(model)

    def test_float16_keeps_names_and_types_of_inputs_and_outputs(self):
        for name, model, report in self.each("--float16"):
            with self.subTest(name):
                original = onnx.load(MODELS[name], load_external_data=False)
                given = {tensor.name for tensor in original.graph.initializer}
                inputs = [value for value in original.graph.input if value.name not in given]
                self.assertEqual(signature(model.graph.input), signature(inputs))
                self.assertEqual(signature(model.graph.output), signature(original.graph.output))
                self.assertEqual(model.opset_import, original.opset_import)
                self.assertGreater(int(report.split()[0]), 3)

    def test_no_tensor_is_cast_twice_and_no_cast_undoes_another(self):
        for name, model, _ in self.each("--float16"):
            with self.subTest(name):
                casts = [node for node in model.graph.node if node.op_type == "Cast"]
                self.assertEqual(len({(node.input[0], node.attribute[0].i) for node in casts}), len(casts))
                self.assertFalse({node.input[0] for node in casts} & {node.output[0] for node in casts})

    def test_float16_in_float16_arithmetic_stays_within_the_documented_bounds(self):
        bounds = documented_bounds()
        self.assertEqual(set(bounds), set(MODELS))
        for name, model, _ in self.each("--float16", "--noise", "1"):
            with self.subTest(name):
                # The reference normalises batches as in training where the operator set is CenterFace's.
                if name != "centerface":
                    share = share_of_range(run(model, NETWORKS / name), NETWORKS / name)
                    print(f"{name}: {share:.5f} of the output's range")
                    self.assertLessEqual(share, bounds[name])

    def test_without_samples_a_product_overflows_that_the_range_check_finds(self):
        folder = NETWORKS / "float16_overflow"
        with np.errstate(all="ignore"):
            model, report = prepare("float16_overflow", self.folder, "--float16")
            self.assertFalse(share_of_range(run(model, folder), folder) < 1)
        self.assertNotIn("range", [line.split(": ")[1].split()[0] for line in report.splitlines()[1:]])
        _, report = prepare("float16_overflow", self.folder, "--float16", "--noise", "1")
        self.assertRegex(report, r"\(Mul\): range [\d.e+]+ of '")


if __name__ == "__main__":
    unittest.main()
