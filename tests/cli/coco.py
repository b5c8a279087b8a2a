"""Masks as COCO's files have them, read by the format's own description."""

import numpy as np


def decode(segmentation):
    """The mask of COCO's compressed run lengths, as [height, width]."""
    runs, at, text = [], 0, segmentation["counts"].encode("ascii")
    while at < len(text):
        value, shift, more = 0, 0, True
        while more:
            group = text[at] - 48
            value += (group % 32) << shift
            shift += 5
            more = group & 32
            at += 1
        if group & 16:
            value -= 1 << shift
        runs.append(value + (runs[-2] if len(runs) > 2 else 0))
    height, width = segmentation["size"]
    bits = np.repeat(np.arange(len(runs)) % 2 == 1, runs)
    return bits.reshape(width, height).T
