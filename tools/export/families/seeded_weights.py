"""Weights from a seed: the same for the same names and shapes, whatever the order or the version that built the network.

Each tensor is drawn by NumPy from the seed and its own name. The scale keeps activations of the same size from layer to
layer, so that the outputs of a deep network depend on its input, as a trained network's do.
"""

import re
import zlib

import numpy as np
import torch

EMBEDDING_DEVIATION = 0.5  # of learnt positions, queries and tokens, which meet activations of deviation 1


def _values(kind, shape, generator):
    noise = generator.standard_normal(shape)
    if kind == "matrix":
        return noise * np.sqrt(2.0 / (np.prod(shape) / shape[0]))
    if kind == "embedding":
        return noise * EMBEDDING_DEVIATION
    if kind == "factor":
        return 1.0 + 0.1 * noise
    if kind == "variance":
        return 1.0 + 0.1 * np.abs(noise)
    return 0.1 * noise


def _kind(module, name, tensor):
    if name == "running_var":
        return "variance"
    if name.endswith("bias") or name == "running_mean":
        return "offset"
    if tensor.ndim < 2:
        return "factor"
    linear = isinstance(module, (torch.nn.Linear, torch.nn.MultiheadAttention, torch.nn.modules.conv._ConvNd))
    return "matrix" if linear else "embedding"


def _tensors(network):
    """(full name, owner, own name, tensor) of every parameter and of the statistics of batch normalisation."""
    for path, module in network.named_modules():
        own = dict(module.named_parameters(recurse=False))
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            own.update(running_mean=module.running_mean, running_var=module.running_var)
        for name, tensor in own.items():
            yield f"{path}.{name}", module, name, tensor


@torch.no_grad()
def fill(network, seed, keep="", scale=()):
    """Fills `network` in place. Names that `keep` matches stay as they are; `scale` has (pattern, factor) for single tensors."""
    for full_name, module, name, tensor in _tensors(network):
        if keep and re.search(keep, full_name):
            continue
        generator = np.random.default_rng([seed, zlib.crc32(full_name.encode())])
        values = _values(_kind(module, name, tensor), tuple(tensor.shape), generator)
        factor = next((factor for pattern, factor in scale if re.search(pattern, full_name)), 1.0)
        tensor.copy_(torch.from_numpy(np.asarray(values * factor, np.float32)))
