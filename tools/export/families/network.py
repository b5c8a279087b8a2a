"""A network that is ready to be written: what every family hands over, and how it becomes an ONNX file."""

import dataclasses
import pathlib
import warnings

import onnx
import torch

OPSET = 17  # LayerNormalization is one node from here on; GridSample needs 16


@dataclasses.dataclass
class Network:
    """`module` is in evaluation mode. `dynamic` names the axes that stay open: {tensor: {axis: name}}."""

    module: torch.nn.Module
    example: torch.Tensor
    inputs: list
    outputs: list
    dynamic: dict = dataclasses.field(default_factory=dict)
    metadata: dict = dataclasses.field(default_factory=dict)


def write(network, path):
    """Writes one self-contained file: weights inside, no external data.

    By tracing (`dynamo=False`): it needs no further package, keeps the names, and gives static shapes where they are.
    """
    warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)  # of sizes that are constants here
    warnings.filterwarnings("ignore", category=DeprecationWarning)  # of tracing itself
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        results = network.module(network.example)
        torch.onnx.export(
            network.module,
            (network.example,),
            str(path),
            input_names=network.inputs,
            output_names=network.outputs,
            dynamic_axes=network.dynamic or None,
            opset_version=OPSET,
            dynamo=False,
        )
    results = [results] if isinstance(results, torch.Tensor) else results
    _state_shapes(path, network, [tuple(network.example.shape), *(tuple(result.shape) for result in results)])
    add_metadata(path, network.metadata)


def _state_shapes(path, network, shapes):
    """Inputs and outputs get the sizes that were met, but for open axes: the exporter loses some, and invents names."""
    model = onnx.load(path)
    values = {value.name: value for value in (*model.graph.input, *model.graph.output)}
    for name, shape in zip([*network.inputs, *network.outputs], shapes, strict=True):
        for axis, size in enumerate(shape):
            dimension = values[name].type.tensor_type.shape.dim[axis]
            if axis in network.dynamic.get(name, {}):
                dimension.dim_param = network.dynamic[name][axis]
            else:
                dimension.dim_value = size
    onnx.save(model, path)


def add_metadata(path, entries):
    model = onnx.load(path)
    for key, value in entries.items():
        entry = next((entry for entry in model.metadata_props if entry.key == key), None) or model.metadata_props.add()
        entry.key, entry.value = key, str(value)
    onnx.save(model, path)
