#!/usr/bin/env python3
"""Writes golden results of XFeat's post-processing, of matching and of resampled depth for the tests of the models.

They come from NumPy in double precision, which shares no code with vrt. The inputs are patterns of integers that the tests make again: see
`pattern`. All files are little-endian float32.

usage: dense_models.py vrt/models/golden
"""
import pathlib
import sys

import numpy as np


def pattern(count, modulus, factor=7919):
    """Element i is (i * factor) % modulus."""
    return (np.arange(count, dtype=np.int64) * factor) % modulus


def xfeat(width, height, source, keep):
    """The number of candidates, then x, y, score and 64 channels of each keypoint; keypoints in source pixels."""
    value = pattern(width * height, 1009)
    heatmap = np.where(value % 5 == 0, value, 0).astype(np.float32).reshape(height, width) / np.float32(1009)
    reliability = pattern(width * height, 13, 104729).astype(np.float32).reshape(height, width) / np.float32(13)
    maps = ((pattern(width * height, 256) - 128) / 64).reshape(64, height // 8, width // 8)
    padded = np.pad(heatmap, 2, constant_values=-np.inf)
    greatest = np.lib.stride_tricks.sliding_window_view(padded, (5, 5)).max(axis=(2, 3))
    score = heatmap * reliability
    y, x = np.nonzero((heatmap == greatest) & (heatmap > np.float32(0.05)) & (score > 0))
    order = np.argsort(-score[y, x], kind="stable")[:keep]
    candidates, y, x = len(y), y[order], x[order]
    values = bilinear(maps, (x + 0.5) / 8 - 0.5, (y + 0.5) / 8 - 0.5)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    places = np.stack([(x + 0.5) * source[0] / width, (y + 0.5) * source[1] / height, score[y, x]], axis=1)
    return np.concatenate([[candidates], np.concatenate([places, values], axis=1).ravel()])


def bilinear(maps, u, v):
    """Each channel at columns u and rows v, counted from the first cell's centre; the border's values beyond."""
    rows, columns = maps.shape[1:]
    u, v = np.clip(u, 0, columns - 1), np.clip(v, 0, rows - 1)
    left, top = np.floor(u).astype(int), np.floor(v).astype(int)
    right, bottom = np.minimum(left + 1, columns - 1), np.minimum(top + 1, rows - 1)
    a, b = u - left, v - top
    upper = maps[:, top, left] * (1 - a) + maps[:, top, right] * a
    lower = maps[:, bottom, left] * (1 - a) + maps[:, bottom, right] * a
    return (upper * (1 - b) + lower * b).T


def matches(rows, columns, least):
    """First, second and similarity of each match, of descriptors of whole numbers from -3 to 3."""
    one = (pattern(rows * 64, 7, 104729) - 3 + pattern(rows * 64, 61) % 2).reshape(rows, 64)
    other = (pattern(columns * 64, 7, 7919) - 3 + pattern(columns * 64, 59) % 2).reshape(columns, 64)
    similarity = one @ other.T
    second, first = similarity.argmax(axis=1), similarity.argmax(axis=0)
    mutual = np.flatnonzero((first[second] == np.arange(rows)) & (similarity.max(axis=1) >= least))
    return np.stack([mutual, second[mutual], similarity[mutual, second[mutual]]], axis=1).ravel()


def depth(width, height, target_width, target_height):
    """Metres at another size; a thirteenth of the network's are 0, which is not known."""
    value = pattern(width * height, 997)
    grid = np.where(value % 13 == 0, 0, 0.5 + value / 64).reshape(height, width)
    weights_across = weights(target_width, width)
    weights_down = weights(target_height, height)
    known = (grid > 0).astype(float)
    sums = weights_down @ grid @ weights_across.T
    totals = weights_down @ known @ weights_across.T
    nearest = known[nearest_cells(target_height, height)[:, None], nearest_cells(target_width, width)[None, :]]
    return np.where(nearest > 0, sums / np.where(totals > 0, totals, 1), 0).ravel()


def places(pixels, cells):
    """Of the pixels' centres, counted from the first cell's centre."""
    return np.clip((np.arange(pixels) + 0.5) * cells / pixels - 0.5, 0, cells - 1)


def weights(pixels, cells):
    return np.maximum(0, 1 - np.abs(places(pixels, cells)[:, None] - np.arange(cells)[None, :]))


def nearest_cells(pixels, cells):
    return np.minimum(np.floor(places(pixels, cells) + 0.5).astype(int), cells - 1)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    results = {
        "xfeat_160x96": xfeat(160, 96, (200, 90), 40),
        "matches_150x210": matches(150, 210, 40),
        "depth_56x42_to_101x67": depth(56, 42, 101, 67),
    }
    for name, values in results.items():
        print(name, len(values), float(values.min()), float(values.max()))
        values.astype("<f4").tofile(folder / f"{name}.f32")


if __name__ == "__main__":
    main()
