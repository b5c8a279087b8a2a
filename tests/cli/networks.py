"""Small networks whose outputs are chosen, written as ONNX files: what they find in a picture is known."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def write(path, input_shape, outputs, metadata=None):
    """Outputs {name: array} that are the same for every input. An input extent of None is open."""
    nodes, weights, infos = [], [], []
    for name, value in outputs.items():
        value = np.asarray(value, np.float32)
        weights.append(numpy_helper.from_array(value, f"value of {name}"))
        nodes.append(helper.make_node("Identity", [f"value of {name}"], [name]))
        infos.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, value.shape))
    image = helper.make_tensor_value_info("images", TensorProto.FLOAT, input_shape)
    graph = helper.make_graph(nodes, "chosen", [image], infos, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    for key, text in (metadata or {}).items():
        model.metadata_props.add(key=key, value=text)
    onnx.save(model, path)
    return path


def yolo(path, metadata=None):
    """A dog of half the input's side in its middle, 0.875."""
    cells = np.zeros((1, 6, 84))
    cells[0, :, 5] = [32, 32, 32, 32, 0, 0.875]
    given = {"task": "detect", "names": "{0: 'cat', 1: 'dog'}", "stride": "32"}
    return write(path, [1, 3, 64, 64], {"output0": cells}, given if metadata is None else metadata)


def depth(path, metadata=None):
    """2 everywhere."""
    return write(path, [1, 3, 28, 28], {"depth": np.full((1, 28, 28), 2)}, metadata)


def osnet(path, batch=16):
    """The mean of each crop's channels."""
    crops = helper.make_tensor_value_info("crops", TensorProto.FLOAT, [batch, 3, 256, 128])
    embeddings = helper.make_tensor_value_info("embeddings", TensorProto.FLOAT, [batch, 3])
    mean = helper.make_node("ReduceMean", ["crops"], ["embeddings"], axes=[2, 3], keepdims=0)
    graph = helper.make_graph([mean], "means", [crops], [embeddings])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path
