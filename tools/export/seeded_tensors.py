"""Numbers from a seed and a tensor's name, by NumPy alone: what `families/seeded_weights.py` fills networks with, and `fill.py` their graphs."""

import zlib

import numpy as np

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


def draw(seed, name, kind, shape, factor=1.0):
    """The float32 numbers of one tensor. `kind` says how they are spread, and nothing else than these arguments decides them."""
    generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
    return np.asarray(_values(kind, tuple(shape), generator) * factor, np.float32)
