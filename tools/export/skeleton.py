"""A graph without its seeded weights, and the same file again: ONNX and NumPy alone.

A skeleton is a compressed ONNX file in which tensors that can be made from the seed have no numbers. Its metadata says for each of
them what it is made of (`RECIPES`): a drawn tensor, with its axes exchanged or a part of its rows, or one into which an exporter
has folded a batch normalisation. What is none of these, such as an index or a resized table, is kept. `DIGEST` is that of the whole file.
"""

import gzip
import hashlib
import itertools
import json
import zlib

import numpy as np
import onnx
from google.protobuf.message import DecodeError

import seeded_tensors

RECIPES, DIGEST = "vrt_skeleton_recipes", "vrt_skeleton_sha256"
SMALL = 64  # bytes: what is smaller is kept
EQUAL_PARTS = (
    2,
    3,
    13,
)  # halves; queries, keys and values; RF-DETR's groups of queries, of which the first is exported
STATISTICS = ("weight", "bias", "running_mean", "running_var")


class Drawn:
    """The drawn tensors by name, made when they are first asked for."""

    def __init__(self, seed, tensors):
        self.seed, self.tensors, self.made = seed, tensors, {}

    def __getitem__(self, name):
        if name not in self.made:
            how = self.tensors[name]
            self.made[name] = seeded_tensors.draw(self.seed, name, how["kind"], how["shape"], how["factor"])
        return self.made[name]

    def normalisation(self, path):
        """weight, bias, mean and deviation of the batch normalisation at `path`; ones and zeros where it has no weight and bias.

        "epsilon" is its own, "root_units" are the channels whose root PyTorch rounds otherwise, and by how many units in the last place.
        """
        variance, how = self[f"{path}.running_var"], self.tensors[f"{path}.running_var"]
        weight, bias = (
            self[f"{path}.{name}"] if f"{path}.{name}" in self.tensors else np.full_like(variance, value)
            for name, value in (("weight", 1), ("bias", 0))
        )
        return weight, bias, self[f"{path}.running_mean"], np.sqrt(variance + np.float32(how["epsilon"]))

    def deviation(self, path):
        """As PyTorch rounds it."""
        units = np.zeros(self.tensors[f"{path}.running_var"]["shape"], np.int32)
        for channel, count in self.tensors[f"{path}.running_var"]["root_units"].items():
            units[int(channel)] = count
        return (self.normalisation(path)[3].view(np.int32) + units).view(np.float32)


def _part(drawn, name, rows=None, axes=None):
    values = drawn[name] if rows is None else drawn[name][rows[0] : rows[1]]
    return values if axes is None else values.transpose(axes)


def _folded_weight(drawn, name, norm):
    """A convolution's, as PyTorch's ONNX exporter folds a batch normalisation into it."""
    weight, _, _, _ = drawn.normalisation(norm)
    return _by_channel(drawn[name], weight / drawn.deviation(norm))


def _folded_bias(drawn, norm, name=None):
    weight, bias, mean, _ = drawn.normalisation(norm)
    own = drawn[name] if name else np.zeros_like(mean)
    return (own - mean) * (weight / drawn.deviation(norm)) + bias


def _fused_weight(drawn, name, norm):
    """The same by torch.nn.utils.fusion, before an export."""
    weight, _, _, deviation = drawn.normalisation(norm)
    return _by_channel(drawn[name], weight * (np.float32(1) / deviation))


def _fused_bias(drawn, norm, name=None):
    weight, bias, mean, deviation = drawn.normalisation(norm)
    own = drawn[name] if name else np.zeros_like(mean)
    return (own - mean) * (np.float32(1) / deviation) * weight + bias


def _by_channel(values, scale):
    return values * scale.reshape(-1, *[1] * (values.ndim - 1))


RULES = {
    "part": _part,
    "folded weight": _folded_weight,
    "folded bias": _folded_bias,
    "fused weight": _fused_weight,
    "fused bias": _fused_bias,
}


def made(drawn, recipe):
    """The numbers of one recipe: {"rule": a name of RULES, and its arguments}, as little-endian bytes."""
    arguments = {key: value for key, value in recipe.items() if key != "rule"}
    return np.ascontiguousarray(RULES[recipe["rule"]](drawn, **arguments), "<f4").tobytes()


def _parts(name, shape):
    """Recipes of a drawn tensor: itself, and equal parts of its rows, each with its axes in any order."""
    axes = [list(order) for order in itertools.permutations(range(len(shape)))] if len(shape) < 4 else [None]
    yield from ({"rule": "part", "name": name, "axes": order} for order in axes)
    for count in EQUAL_PARTS:
        if shape and shape[0] % count == 0:
            step = shape[0] // count
            for first, order in itertools.product(range(0, shape[0], step), axes):
                yield {"rule": "part", "name": name, "rows": [first, first + step], "axes": order}


def _normalisations(tensors):
    """{channels: paths of batch normalisations}"""
    found = {}
    for name in tensors:
        if name.endswith(".running_var"):
            found.setdefault(tensors[name]["shape"][0], []).append(name.removesuffix(".running_var"))
    return found


def _folds(tensors, norms):
    """Recipes of convolutions' weights and biases with a batch normalisation folded into them."""
    for how in ("folded", "fused"):
        for norm in itertools.chain(*norms.values()):
            yield {"rule": f"{how} bias", "norm": norm}
        for name, norm in _pairs(tensors, norms):
            what = "bias" if len(tensors[name]["shape"]) == 1 else "weight"
            yield {"rule": f"{how} {what}", "name": name, "norm": norm}


def _pairs(tensors, norms):
    """Convolutions' weights and biases with each batch normalisation that could be behind them, the neighbours by name first."""
    pairs = []
    for name, how in tensors.items():
        if len(how["shape"]) >= 3 or (len(how["shape"]) == 1 and name.endswith(".bias")):
            pairs += [(name, norm) for norm in norms.get(how["shape"][0], [])]
    return sorted(pairs, key=lambda pair: pair[0].split(".")[:-2] != pair[1].split(".")[:-1])


def _search(drawn, wanted):
    """{bytes: recipe} of those of `wanted` that are found."""
    found = {}
    norms = _normalisations(drawn.tensors)
    parts = (_parts(name, how["shape"]) for name, how in drawn.tensors.items())
    for recipe in itertools.chain(*parts, _folds(drawn.tensors, norms)):
        if len(found) == len(wanted):
            break
        values = made(drawn, recipe)
        if values in wanted and values not in found:
            found[values] = recipe
    return found


def _is_candidate(tensor):
    return tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.raw_data) >= SMALL


def _digest(model):
    return hashlib.sha256(model.SerializeToString()).hexdigest()


def strip(model, seed, tensors):
    """Takes the numbers of what can be made again out of `model`, in place. Returns how many bytes were kept of how many there were.

    `tensors` is families/seeded_weights.py's DRAWN.
    """
    drawn = Drawn(seed, tensors)
    digest = _digest(model)
    candidates = [tensor for tensor in model.graph.initializer if _is_candidate(tensor)]
    total = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    found = _search(drawn, {tensor.raw_data for tensor in candidates})
    recipes = {}
    for tensor in candidates:
        if tensor.raw_data in found:
            recipes[tensor.name] = found[tensor.raw_data]
            tensor.ClearField("raw_data")
    names = {name for recipe in recipes.values() for name in _names(tensors, recipe)}
    made_of = {"seed": seed, "tensors": {name: tensors[name] for name in sorted(names)}, "recipes": recipes}
    for key, value in ((RECIPES, json.dumps(made_of)), (DIGEST, digest)):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    return sum(len(tensor.raw_data) for tensor in model.graph.initializer), total


def _names(tensors, recipe):
    """The drawn tensors that a recipe needs."""
    names = [recipe["name"]] if recipe.get("name") else []
    norms = [f"{recipe['norm']}.{name}" for name in STATISTICS] if "norm" in recipe else []
    return [*names, *(name for name in norms if name in tensors)]


def fill(model):
    """Gives a skeleton its numbers back, in place. Raises ValueError if it is none, or if this is not the file that it was made of."""
    entries = {entry.key: entry.value for entry in model.metadata_props}
    if RECIPES not in entries or DIGEST not in entries:
        raise ValueError(f"not a skeleton: its metadata has no {RECIPES}")
    for key in (RECIPES, DIGEST):
        model.metadata_props.remove(next(entry for entry in model.metadata_props if entry.key == key))
    made_of = json.loads(entries[RECIPES])
    drawn = Drawn(made_of["seed"], made_of["tensors"])
    for tensor in model.graph.initializer:
        if tensor.name in made_of["recipes"]:
            tensor.raw_data = made(drawn, made_of["recipes"][tensor.name])
    if _digest(model) != entries[DIGEST]:
        raise ValueError("these are not the weights that it was made of: it is damaged, or this NumPy draws others")


def write(model, path):
    """Compressed, and the same bytes for the same skeleton."""
    path.write_bytes(gzip.compress(model.SerializeToString(), compresslevel=9, mtime=0))


def read(path):
    """Raises ValueError for what is no compressed ONNX file."""
    content = path.read_bytes()
    try:
        return onnx.load_model_from_string(gzip.decompress(content))
    except (EOFError, gzip.BadGzipFile, zlib.error, DecodeError) as error:
        raise ValueError(f"not a skeleton: {error}") from error
