"""Weights from a seed: the same for the same names and shapes, whatever the order or the version that built the network.

Each tensor is drawn by NumPy from the seed and its own name. The scale keeps activations of the same size from layer to
layer, so that the outputs of a deep network depend on its input, as a trained network's do.
"""

import re

import numpy as np
import torch

import seeded_tensors

# What `fill` drew: {full name: {"kind", "shape", "factor"}}; for the variances of batch normalisation also what skeleton.py says of them.
DRAWN = {}


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


def _of_normalisation(module):
    """PyTorch's square root is not always the nearest float32 (its vector library's is within one unit): where it is another."""
    deviation = torch.sqrt(module.running_var + module.eps).numpy()
    nearest = np.sqrt(module.running_var.numpy() + np.float32(module.eps))
    units = deviation.view(np.int32) - nearest.view(np.int32)
    return {"epsilon": module.eps, "root_units": {str(i): int(units[i]) for i in np.flatnonzero(units)}}


@torch.no_grad()
def fill(network, seed, keep="", scale=()):
    """Fills `network` in place. What `keep` matches stays as it is; `scale` has (pattern, factor) for single tensors."""
    for full_name, module, name, tensor in _tensors(network):
        if keep and re.search(keep, full_name):
            continue
        factor = next((factor for pattern, factor in scale if re.search(pattern, full_name)), 1.0)
        drawn = {"kind": _kind(module, name, tensor), "shape": list(tensor.shape), "factor": factor}
        tensor.copy_(torch.from_numpy(seeded_tensors.draw(seed, full_name, **drawn)))
        DRAWN[full_name] = drawn | (_of_normalisation(module) if name == "running_var" else {})
