"""A skeleton has no weights and becomes the very file again.

    cd tests/parity && python -m unittest skeleton_test      (with ONNX and NumPy)

The network here is made by hand, as exporters leave theirs; checkpoints_test.py does the same with real ones.
"""

import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

EXPORT = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/export"
sys.path.insert(0, str(EXPORT))

import seeded_tensors  # noqa: E402
import skeleton  # noqa: E402

SEED = 5
TENSORS = {
    "conv.weight": {"kind": "matrix", "shape": [6, 3, 3, 3], "factor": 1.0},
    "conv.bias": {"kind": "offset", "shape": [6], "factor": 1.0},
    "norm.weight": {"kind": "factor", "shape": [6], "factor": 1.0},
    "norm.bias": {"kind": "offset", "shape": [6], "factor": 1.0},
    "norm.running_mean": {"kind": "offset", "shape": [6], "factor": 1.0},
    "norm.running_var": {"kind": "variance", "shape": [6], "factor": 1.0, "epsilon": 1e-5, "root_units": {"4": -1}},
    "attention.in_proj": {"kind": "matrix", "shape": [60, 20], "factor": 0.5},
    "queries": {"kind": "embedding", "shape": [26, 8], "factor": 1.0},
    "not exported": {"kind": "matrix", "shape": [9, 9], "factor": 1.0},
}


def drawn(name):
    how = TENSORS[name]
    return seeded_tensors.draw(SEED, name, how["kind"], how["shape"], how["factor"])


def deviation():
    root = np.sqrt(drawn("norm.running_var") + np.float32(1e-5))
    root[4] = np.nextafter(root[4], np.float32(0))
    return root


def tensors():
    """As exporters leave them: folded into a convolution, fused, turned, cut, and such as come from no seed."""
    scale = drawn("norm.weight") / deviation()
    root = np.float32(1) / np.sqrt(drawn("norm.running_var") + np.float32(1e-5))
    shifted = drawn("conv.bias") - drawn("norm.running_mean")
    return {
        "folded": drawn("conv.weight") * scale[:, None, None, None],
        "fused": drawn("conv.weight") * (drawn("norm.weight") * root)[:, None, None, None],
        "turned": drawn("attention.in_proj")[20:40].T,
        "first queries": drawn("queries")[None, :2],
        "table": np.linspace(0, 1, 100, dtype=np.float32),
        "index": np.arange(40),
        "few": (shifted * scale + drawn("norm.bias"))[:3],
    }


def network():
    """Not one that makes sense: a sum over each of its tensors."""
    initializers = [numpy_helper.from_array(np.ascontiguousarray(values), name) for name, values in tensors().items()]
    nodes = [helper.make_node("ReduceSum", [name], [f"sum of {name}"], keepdims=0) for name in tensors()]
    outputs = [
        helper.make_tensor_value_info(f"sum of {name}", TensorProto.INT64 if name == "index" else TensorProto.FLOAT, [])
        for name in tensors()
    ]
    model = helper.make_model(helper.make_graph(nodes, "g", [], outputs, initializers))
    onnx.checker.check_model(model)
    entry = model.metadata_props.add()
    entry.key, entry.value = "random_weights", str(SEED)
    return model


class SkeletonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = network()
        self.whole = self.model.SerializeToString()
        self.kept = skeleton.strip(self.model, SEED, TENSORS)

    def test_what_comes_from_the_seed_is_taken_out(self):
        empty = {tensor.name for tensor in self.model.graph.initializer if not tensor.raw_data}
        self.assertEqual(empty, {"folded", "fused", "turned", "first queries"})
        self.assertEqual(self.kept, (100 * 4 + 40 * 8 + 3 * 4, sum(values.nbytes for values in tensors().values())))
        self.assertNotIn(drawn("attention.in_proj")[0].tobytes(), self.model.SerializeToString())

    def test_only_what_is_used_is_described(self):
        self.assertNotIn(b"not exported", self.model.SerializeToString())

    def test_the_program_makes_the_very_file(self):
        small, output = self.folder / "network.skeleton", self.folder / "network.onnx"
        skeleton.write(self.model, small)
        subprocess.run([sys.executable, EXPORT / "fill.py", small, output], check=True, capture_output=True)
        self.assertEqual(output.read_bytes(), self.whole)

    def test_a_skeleton_has_the_same_bytes_each_time(self):
        for name in ("one", "other"):
            skeleton.write(self.model, self.folder / name)
        self.assertEqual((self.folder / "one").read_bytes(), (self.folder / "other").read_bytes())

    def test_other_numbers_are_refused(self):
        entry = next(entry for entry in self.model.metadata_props if entry.key == skeleton.RECIPES)
        entry.value = entry.value.replace(f'"seed": {SEED}', f'"seed": {SEED + 1}')
        with self.assertRaisesRegex(ValueError, "not the weights that it was made of"):
            skeleton.fill(self.model)

    def test_files_that_are_no_skeletons_are_refused_in_one_line(self):
        contents = {
            "model": gzip.compress(self.whole),
            "text": b"no skeleton",
            "no model": gzip.compress(b"no model"),
            "cut": gzip.compress(self.whole)[:200],
        }
        for name, content in contents.items():
            path = self.folder / name
            path.write_bytes(content)
            words = [sys.executable, EXPORT / "fill.py", path, self.folder / "out.onnx"]
            result = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 1, name)
            self.assertTrue(result.stderr.startswith(f"{path}: "), result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
            self.assertFalse((self.folder / "out.onnx").exists())


if __name__ == "__main__":
    unittest.main()
