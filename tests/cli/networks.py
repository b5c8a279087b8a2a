"""Small networks whose outputs are chosen, written as ONNX files: what they find in a picture is known."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def write(path, input_shape, outputs, metadata=None):
    """Outputs {name: array} that are the same for every input. An input extent of None is open."""
    values = {f"value of {name}": np.asarray(value, np.float32) for name, value in outputs.items()}
    nodes = [helper.make_node("Identity", [f"value of {name}"], [name]) for name in outputs]
    shapes = {name: np.shape(value) for name, value in outputs.items()}
    return _save(path, nodes, {"images": input_shape}, shapes, values, metadata)


def _save(path, nodes, inputs, outputs, values, metadata=None):
    """Inputs and outputs are {name: shape}, values {name: array}."""

    def described(tensors):
        return [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in tensors.items()]

    weights = [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in values.items()]
    graph = helper.make_graph(nodes, "chosen", described(inputs), described(outputs), weights)
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


def crowd(path, count, masks=False):
    """Objects of a ninth of the input's sides, end to end, in rows of nine; those behind the 81st lie on others."""
    rows = [[i % 9 * 7, i // 9 % 9 * 7, i % 9 * 7 + 7, i // 9 % 9 * 7 + 7, 0.9 - 0.5 * i / count, 1] for i in range(count)]
    outputs = {"output0": [rows]}
    if masks:  # One prototype, positive everywhere: each mask is its box.
        outputs = {"output0": [[[*row, 1] for row in rows]], "output1": np.ones((1, 1, 16, 16))}
    task = "segment" if masks else "detect"
    metadata = {"task": task, "names": "{0: 'cat', 1: 'dog'}", "stride": "32", "end2end": "True"}
    return write(path, [1, 3, 64, 64], outputs, metadata)


def depth(path, metadata=None):
    """2 everywhere."""
    return write(path, [1, 3, 28, 28], {"depth": np.full((1, 28, 28), 2)}, metadata)


def osnet(path, batch=16):
    """The mean of each crop's channels."""
    mean = helper.make_node("ReduceMean", ["crops"], ["embeddings"], axes=[2, 3], keepdims=0)
    return _save(path, [mean], {"crops": [batch, 3, 256, 128]}, {"embeddings": [batch, 3]}, {})


CELLS = 84  # Of YOLO's grids of 8, 16 and 32 pixels in an input of 64×64.
NAMES = "{0: 'cat', 1: 'dog'}"


def yolo_cells(*objects):
    """YOLO's output: an object's numbers in a cell of its own each, and zeros."""
    cells = np.zeros((1, len(objects[0]), CELLS))
    for place, numbers in enumerate(objects):
        cells[0, :, 5 + 7 * place] = numbers
    return cells


def _yolo_objects(task, extra):
    """Two dogs, of which the better one suppresses the other, a cat in the same place, and one that is hardly one."""
    boxes = [[32, 32, 30, 20], [33, 32, 30, 20], [32, 33, 30, 20], [50, 40, 8, 8]]
    scores = [[0, 0.875], [0, 0.75], [0.625, 0], [0.125, 0]]
    if task == "pose":
        scores = [[max(pair)] for pair in scores]
    return yolo_cells(*(box + score + more for box, score, more in zip(boxes, scores, extra)))


def yolo_several(path):
    metadata = {"task": "detect", "names": NAMES, "stride": "32"}
    return write(path, [1, 3, 64, 64], {"output0": _yolo_objects("detect", [[]] * 4)}, metadata)


def yolo_seg(path):
    """The masks are the left half of the input and the lower one."""
    left, lower = np.full((16, 16), -4), np.full((16, 16), -4)
    left[:, :8], lower[8:] = 4, 4
    objects = _yolo_objects("segment", [[1, 0], [1, 0], [0, 1], [0, 1]])
    metadata = {"task": "segment", "names": NAMES, "stride": "32"}
    return write(path, [1, 3, 64, 64], {"output0": objects, "output1": [[left, lower]]}, metadata)


def yolo_pose(path):
    """17 points on a line, the first of which lies outside of the picture."""
    points = [number for point in range(17) for number in (4 * point - 8, 16 + 2 * point, point / 17)]
    metadata = {"task": "pose", "names": "{0: 'person'}", "stride": "32", "kpt_shape": "[17, 3]"}
    return write(path, [1, 3, 64, 64], {"output0": _yolo_objects("pose", [points] * 4)}, metadata)


def _rfdetr_outputs(columns):
    """Ten queries; one has two classes, one sticks out of the picture, one is below a half."""
    boxes = np.tile([0.5, 0.5, 0.25, 0.5], (1, 10, 1))
    boxes[0, 4] = [0.9, 0.75, 0.5, 0.25]
    logits = np.full((1, 10, columns), -9.0)
    logits[0, [3, 3, 4, 5], [1, 0, 1, 1]] = [2, 1.5, 1, -0.5]
    return {"dets": boxes, "labels": logits}


def rfdetr(path):
    return write(path, [1, 3, 64, 64], _rfdetr_outputs(5), {"task": "detect", "names": NAMES, "antialias": "False"})


def rfdetr_seg(path):
    """The masks are the left half of the picture and the lower one, in turn."""
    masks = np.full((1, 10, 16, 16), -4)
    masks[0, ::2, :, :8], masks[0, 1::2, 8:] = 4, 4
    outputs = _rfdetr_outputs(5) | {"masks": masks}
    return write(path, [1, 3, 64, 64], outputs, {"task": "segment", "names": NAMES, "antialias": "False"})


def rfdetr_keypoints(path):
    """The first column is background; of each person point n is at n hundredths of the picture's sides and half its middle."""
    slots = np.zeros((1, 10, 34, 8))
    point = np.arange(34) % 17
    slots[..., 0], slots[..., 1], slots[..., 2] = point / 100, point / 200 + 0.5, point / 4 - 2
    slots[..., 4], slots[..., 5], slots[..., 6] = 3, 0.5, 2.5
    metadata = {"task": "pose", "names": "{1: 'person'}", "antialias": "False"}
    metadata |= {"keypoints_per_class": "[0, 17]", "background": "0"}
    return write(path, [1, 3, 64, 64], _rfdetr_outputs(2) | {"keypoints": slots}, metadata)


def xfeat(path, height, width):
    """Three keypoints, one of which is no peak, and one below the threshold."""
    heat = np.zeros((1, 1, height, width))
    heat[0, 0, [24, 25, 40, 60], [40, 40, 50, 70]] = [0.75, 0.5, 0.25, 0.04]
    outputs = {
        "descriptors": np.ones((1, 64, height // 8, width // 8)),
        "heatmap": heat,
        "reliability": np.full((1, 1, height, width), 0.5),
    }
    return write(path, [1, 3, height, width], outputs, {"task": "features"})


def grey_depth(path, kind):
    """Ten, and the mean of the picture's normalised channels."""
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["grey"], axes=[1], keepdims=0),
        helper.make_node("Add", ["grey", "ten"], ["depth"]),
    ]
    metadata = {"task": "depth", "depth": kind}
    return _save(path, nodes, {"image": [1, 3, 28, 28]}, {"depth": [1, 28, 28]}, {"ten": [10]}, metadata)


def color_classifier(path):
    """Of seven classes, by the means of the picture's normalised channels."""
    weights = np.array([[1, 0, 0, 1, -1, 0.5, 0], [0, 1, 0, 1, 0, -1, 0.5], [0, 0, 1, -1, 0, 0.5, -1]])
    nodes = [
        helper.make_node("ReduceMean", ["image"], ["means"], axes=[2, 3], keepdims=0),
        helper.make_node("MatMul", ["means", "weights"], ["scores"]),
    ]
    names = str({i: f"class {i}" for i in range(7)})
    metadata = {"task": "classify", "names": names}
    return _save(path, nodes, {"image": [1, 3, 32, 32]}, {"scores": [1, 7]}, {"weights": weights}, metadata)


def centerface(path, height, width):
    """Two faces, and a third that the better of them suppresses; landmark n is n tenths into a face, across and down."""
    grid = (height // 4, width // 4)
    heat, scale, offset = np.zeros((1, 1, *grid)), np.zeros((1, 2, *grid)), np.full((1, 2, *grid), 0.25)
    for (row, column), score in {(20, 30): 0.875, (21, 30): 0.75, (50, 60): 0.625, (40, 10): 0.375}.items():
        heat[0, 0, row, column] = score
        scale[0, :, row, column] = [2.5, 2.25]
    landmarks = np.repeat(np.arange(5) / 10, 2)[None, :, None, None] * np.ones((1, 10, *grid))
    outputs = {"heatmap": heat, "scale": scale, "offset": offset, "landmarks": landmarks}
    return write(path, [1, 3, height, width], outputs)
