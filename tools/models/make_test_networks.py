#!/usr/bin/env python3
"""Writes the test networks, small ONNX files of seeded random weights: make_test_networks.py FOLDER

Each network is a folder: model.onnx, and of one run the inputs and outputs, in order, as the raw bytes input_0, output_0, …
The outputs come from ONNX's reference implementation in NumPy. The same bytes on every machine and in every run, but
for the last digits of outputs, which are NumPy's.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


class Network:
    """A graph that grows node by node; each method returns the name of what it adds."""

    def __init__(self, name, opset=17):
        self.name, self.opset = name, opset
        self.random = np.random.default_rng(sum(name.encode()))
        self.nodes, self.inputs, self.outputs, self.weights = [], [], [], []

    def input(self, name, *shape, kind=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, *shape, kind=FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def constant(self, values, kind=np.float32):
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values, kind), name))
        return name

    def noise(self, *shape, scale=1.0):
        return self.constant(self.random.normal(0, scale, shape))

    def add(self, kind, *inputs, outputs=1, names=None, **attributes):
        made = names or [f"{kind.lower()}_{len(self.nodes)}" + (f"_{n}" if outputs > 1 else "") for n in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), made, name=f"{kind}_{len(self.nodes)}", **attributes))
        return made[0] if len(made) == 1 else made

    def conv(self, x, inside, outside, size=3, **attributes):
        group = attributes.get("group", 1)
        weights = self.noise(outside, inside // group, size, size, scale=(inside // group * size * size) ** -0.5)
        return self.add("Conv", x, weights, self.noise(outside, scale=0.1), pads=[size // 2] * 4, **attributes)

    def linear(self, x, inside, outside):
        return self.add("Add", self.add("MatMul", x, self.noise(inside, outside, scale=inside**-0.5)),
                        self.noise(outside, scale=0.1))

    def layer_norm(self, x, width):
        """As exporters wrote it before there was an operator."""
        centred = self.add("Sub", x, self.add("ReduceMean", x, axes=[-1]))
        variance = self.add("ReduceMean", self.add("Pow", centred, self.constant(2.0)), axes=[-1])
        deviation = self.add("Sqrt", self.add("Add", variance, self.constant(1e-5)))
        scaled = self.add("Mul", self.add("Div", centred, deviation), self.noise(width))
        return self.add("Add", scaled, self.noise(width))

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], producer_name="vrt")
        model.ir_version = 8
        onnx.checker.check_model(model, full_check=True)
        return model


def convolution():
    net = Network("convolution", opset=14)
    x = net.conv(net.input("image", 1, 3, 32, 32), 3, 16, strides=[2, 2])
    x = net.add("BatchNormalization", x, net.noise(16), net.noise(16), net.noise(16, scale=0.2),
                net.constant(net.random.uniform(0.1, 2, 16)), epsilon=1e-5)
    x = net.add("Clip", x, net.constant(0.0), net.constant(6.0))
    y = net.conv(x, 16, 16, group=16)
    y = net.add("Mul", y, net.add("Sigmoid", y))
    x = net.add("Add", x, net.conv(y, 16, 16, size=1))
    x = net.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = net.add("ConvTranspose", x, net.noise(16, 8, 2, 2, scale=0.2), strides=[2, 2])
    net.add("Relu", x, names=["map"])
    pooled = net.add("Flatten", net.add("GlobalAveragePool", "map"))
    net.add("Gemm", pooled, net.noise(8, 10), net.noise(10), names=["scores"])
    net.output("map", 1, 8, 16, 16)
    net.output("scores", 1, 10)
    return net


def attention():
    net = Network("attention")
    tokens, width, heads = 24, 32, 4
    x = net.input("tokens", 1, tokens, width)
    normal = net.layer_norm(x, width)

    def head(value, permutation):
        shape = net.constant([1, tokens, heads, width // heads], np.int64)
        return net.add("Transpose", net.add("Reshape", value, shape), perm=permutation)

    query, keys, values = (net.linear(normal, width, width) for _ in range(3))
    scores = net.add("MatMul", head(query, [0, 2, 1, 3]), head(keys, [0, 2, 3, 1]))
    scores = net.add("Div", scores, net.constant((width // heads) ** 0.5))
    mask = np.where(np.arange(tokens) < tokens - 4, 0, np.finfo(np.float32).min)
    weights = net.add("Softmax", net.add("Add", scores, net.constant(mask)), axis=-1)
    mixed = net.add("Transpose", net.add("MatMul", weights, head(values, [0, 2, 1, 3])), perm=[0, 2, 1, 3])
    mixed = net.add("Reshape", mixed, net.constant([1, tokens, width], np.int64))
    x = net.add("Add", x, net.linear(mixed, width, width))
    normal = net.add("LayerNormalization", x, net.noise(width), net.noise(width), axis=-1, epsilon=1e-6)
    hidden = net.linear(normal, width, 64)
    erf = net.add("Erf", net.add("Div", hidden, net.constant(2**0.5)))
    hidden = net.add("Mul", net.add("Mul", hidden, net.add("Add", erf, net.constant(1.0))), net.constant(0.5))
    net.add("Add", x, net.linear(hidden, 64, width), names=["features"])
    net.output("features", 1, tokens, width)
    return net


def grid_sample():
    net = Network("grid_sample")
    image = net.conv(net.input("image", 1, 3, 24, 40), 3, 8)
    offsets = net.add("Tanh", net.conv(image, 8, 2))
    offsets = net.add("Transpose", net.add("Mul", offsets, net.constant(0.1)), perm=[0, 2, 3, 1])
    rows, columns = np.meshgrid(np.linspace(-1, 1, 24), np.linspace(-1, 1, 40), indexing="ij")
    grid = net.add("Add", offsets, net.constant(np.stack([columns, rows], -1)[None]))
    sampled = net.add("GridSample", image, grid, mode="bilinear", padding_mode="zeros", align_corners=1)
    x = net.conv(sampled, 8, 4)
    net.add("Relu", x, names=["warped"])
    net.output("warped", 1, 4, 24, 40)
    return net


def top_k():
    net = Network("top_k")
    features = net.linear(net.input("features", 1, 60, 32), 32, 64)
    features = net.add("Relu", features)
    logits = net.linear(features, 64, 8)
    best = net.add("ReduceMax", logits, axes=[-1], keepdims=0)
    scores, indices = net.add("TopK", net.add("Sigmoid", best), net.constant([10], np.int64), outputs=2, axis=1)
    net.add("Identity", scores, names=["scores"])
    boxes = net.linear(features, 64, 4)
    centres, sizes = net.add("Split", boxes, net.constant([2, 2], np.int64), outputs=2, axis=-1)
    sizes = net.add("Exp", net.add("Mul", sizes, net.constant(0.2)))
    centres = net.add("Mul", net.add("Sigmoid", centres), net.constant(64.0))
    half = net.add("Mul", sizes, net.constant(4.0))
    corners = net.add("Concat", net.add("Sub", centres, half), net.add("Add", centres, half), axis=-1)
    repeated = net.add("Expand", net.add("Unsqueeze", indices, net.constant([-1], np.int64)),
                       net.constant([1, 10, 4], np.int64))
    net.add("GatherElements", corners, repeated, names=["boxes"], axis=1)
    net.output("scores", 1, 10)
    net.output("boxes", 1, 10, 4)
    return net


def resize():
    net = Network("resize")
    x = net.conv(net.input("image", 1, 3, 15, 20), 3, 8, strides=[1, 1])
    doubled = net.add("Resize", x, "", net.constant([1, 1, 2, 2]), mode="nearest",
                      coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    height = net.add("Slice", net.add("Shape", doubled), net.constant([2], np.int64), net.constant([4], np.int64))
    sizes = net.add("Concat", net.constant([1, 8], np.int64), height, axis=0)
    odd = net.conv(x, 8, 8, strides=[2, 2])
    smooth = net.add("Resize", odd, "", "", sizes, mode="linear", coordinate_transformation_mode="half_pixel")
    net.add("Concat", doubled, smooth, names=["pyramid"], axis=1)
    net.output("pyramid", 1, 16, 30, 40)
    return net


def dynamic_batch():
    net = Network("dynamic_batch")
    x = net.conv(net.input("images", "n", 3, 16, 16), 3, 8, strides=[2, 2])
    x = net.add("LeakyRelu", x, alpha=0.1)
    x = net.add("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = net.add("Reshape", x, net.constant([-1, 128], np.int64))
    net.add("Gemm", x, net.noise(128, 6, scale=0.1), net.noise(6), names=["scores"])
    net.output("scores", "n", 6)
    return net


def external_data():
    net = Network("external_data")
    x = net.linear(net.input("features", 4, 128), 128, 128)
    x = net.add("HardSwish", x)
    x = net.add("Tanh", net.linear(x, 128, 64))
    net.add("Mul", x, net.noise(64), names=["embedding"])
    net.output("embedding", 4, 64)
    return net


def integer_outputs():
    net = Network("integer_outputs")
    x = net.input("features", 2, 64)
    tokens = net.input("tokens", 2, 9, kind=INT64)
    embedded = net.add("ReduceMean", net.add("Gather", net.noise(16, 64), tokens), axes=[1], keepdims=0)
    x = net.add("Add", x, embedded)
    logits = net.linear(net.add("Elu", net.linear(x, 64, 64)), 64, 12)
    net.add("ArgMax", logits, names=["labels"], axis=-1, keepdims=0)
    net.add("Greater", logits, net.constant(0.25), names=["positive"])
    net.add("Cast", net.add("Round", net.add("Mul", logits, net.constant(8.0))), names=["levels"], to=INT64)
    net.add("Identity", logits, names=["logits"])
    net.output("labels", 2, kind=INT64)
    net.output("positive", 2, 12, kind=BOOL)
    net.output("levels", 2, 12, kind=INT64)
    net.output("logits", 2, 12)
    return net


def float16_overflow():
    """Squares of a normalisation that pass 65504, which a rule has to see; and a product that does, which only a run shows."""
    net = Network("float16_overflow")
    x = net.linear(net.input("features", 1, 16, 64), 64, 64)
    x = net.layer_norm(net.add("Mul", x, net.constant(900.0)), 64)
    hidden = net.add("Relu", net.linear(net.add("Mul", x, net.constant(2000.0)), 64, 64))
    gate = net.add("Relu", net.linear(net.add("Mul", x, net.constant(30.0)), 64, 64))
    large = net.add("Mul", hidden, gate)
    x = net.linear(net.add("Mul", large, net.constant(1e-5)), 64, 32)
    net.add("Tanh", x, names=["bounded"])
    net.output("bounded", 1, 16, 32)
    return net


NETWORKS = [convolution, attention, grid_sample, top_k, resize, dynamic_batch, external_data, integer_outputs,
            float16_overflow]
BATCH = 3


def sample(value, random):
    tensor = value.type.tensor_type
    shape = [dim.dim_value or BATCH for dim in tensor.shape.dim]
    if tensor.elem_type == INT64:
        return random.integers(0, 16, shape)
    return random.normal(0, 1, shape).astype(np.float32)


def reference(model):
    """An evaluator of the model. It calls bilinear sampling linear, the name that later operator sets have for it."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "GridSample" and attribute.name == "mode":
                attribute.s = b"linear"
    return ReferenceEvaluator(model)


def write(network, folder):
    model = network.model()
    folder.mkdir(parents=True, exist_ok=True)
    inputs = [sample(value, np.random.default_rng(7)) for value in model.graph.input]
    for number, values in enumerate(inputs):
        (folder / f"input_{number}").write_bytes(values.tobytes())
    named = {value.name: values for value, values in zip(model.graph.input, inputs)}
    for number, values in enumerate(reference(model).run(None, named)):
        (folder / f"output_{number}").write_bytes(np.ascontiguousarray(values).tobytes())
    if network.name == "external_data":
        (folder / "weights").unlink(missing_ok=True)
        onnx.external_data_helper.convert_model_to_external_data(model, location="weights", size_threshold=0)
    onnx.save_model(model, folder / "model.onnx")


def main():
    for make in NETWORKS:
        write(make(), pathlib.Path(sys.argv[1]) / make.__name__)


if __name__ == "__main__":
    main()
