"""Networks that play back what another one gave: vrt then decodes exactly the numbers that the reference decodes.

The whole of vrt runs, on either device; only the rounding of an inference engine, which would hide or excuse a difference of
decoding, is taken out. Where two pictures are run, the network tells them apart by the mean of its input.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper


def run(session, tensor):
    """The raw outputs, by name."""
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {session.get_inputs()[0].name: tensor}), strict=True))


def _metadata(source):
    return {entry.key: entry.value for entry in onnx.load(source, load_external_data=False).metadata_props}


def _choice(input_name, border):
    """Nodes that say whether the input's mean is above `border`."""
    return [
        helper.make_node("ReduceMean", [input_name], ["mean"], keepdims=0),
        helper.make_node("Greater", ["mean", "border"], ["is_other"]),
    ], [numpy_helper.from_array(np.float32(border), "border")]


def write(path, source, inputs, outputs, other_outputs=None):
    """`inputs` are the input tensors of one picture or two, `outputs` what each gave. Metadata is that of `source`."""
    name = onnx.load(source, load_external_data=False).graph.input[0].name
    nodes, constants = [], []
    if other_outputs:
        means = [float(tensor.mean()) for tensor in inputs]
        assert means[1] - means[0] > 1e-3, "the second picture has to be the brighter one"
        nodes, constants = _choice(name, sum(means) / 2)
    for output, values in outputs.items():
        constants.append(numpy_helper.from_array(values, f"value of {output}"))
        if other_outputs:
            constants.append(numpy_helper.from_array(other_outputs[output], f"other value of {output}"))
            choice = ["is_other", f"other value of {output}", f"value of {output}"]
            nodes.append(helper.make_node("Where", choice, [output]))
        else:
            nodes.append(helper.make_node("Identity", [f"value of {output}"], [output]))
    float_info = lambda key, values: helper.make_tensor_value_info(key, onnx.TensorProto.FLOAT, values.shape)  # noqa: E731
    graph = helper.make_graph(
        nodes, "playback", [float_info(name, inputs[0])], [float_info(*item) for item in outputs.items()], constants
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, _metadata(source))
    onnx.save(model, path)
