#!/usr/bin/env python3
"""Writes what detectors have to find in seeded outputs, for vrt/models/detectors_golden_test.cpp.

NumPy: YOLO's suppression for each class by itself with a stable sort, with objectness and YOLOX's grids too, end-to-end objects,
keypoints, RF-DETR's best of all pairs, as the public post-processing has them; OpenCV for the masks' blending. Inputs are hashes of
their positions, which the test makes again. Each section of the file is a name, rows and columns, then the rows.

usage: detectors.py vrt/models/testdata/detectors.golden
"""

import sys

import cv2
import numpy as np

SOURCE, INPUT = (1920, 1080), (640, 640)
YOLOX_INPUT = (320, 320)  # whose grids of 8, 16 and 32 pixels have CELLS cells
CELLS, CLASSES, KEPT = 2100, 20, 300
QUERIES, COLUMNS = 300, 91
POINTS = 5  # of YOLO's pose
MASK = (96, 54)  # what masks are blended to
COEFFICIENTS, PROTOTYPES = 8, (160, 160)


def hashed(positions, stream):
    """Numbers of [0, 1) in steps of 2^-24."""
    low = np.uint64(0xFFFFFFFF)
    h = (np.asarray(positions, np.uint64) * np.uint64(0x9E3779B9) + np.uint64(stream * 0x7F4A7C15)) & low
    h = ((h ^ (h >> np.uint64(16))) * np.uint64(0x85EBCA6B)) & low
    h = ((h ^ (h >> np.uint64(13))) * np.uint64(0xC2B2AE35)) & low
    h = h ^ (h >> np.uint64(16))
    return (h >> np.uint64(8)).astype(np.float32) / np.float32(1 << 24)


def yolo_output():
    """[4 + classes, cells]; scores in steps of 1/128, so that ties are common."""
    i = np.arange(CELLS)
    boxes = np.stack([640 * hashed(i, 0), 640 * hashed(i, 1), 16 + 128 * hashed(i, 2), 16 + 128 * hashed(i, 3)])
    positions = i[None] * CLASSES + np.arange(CLASSES)[:, None]
    return np.concatenate([boxes, np.floor(hashed(positions, 5) * 128) / 128]).astype(np.float32)


def overlaps(box, others):
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=1)
    area = lambda b: (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])  # noqa: E731
    return shared / (area(box) + area(others) - shared)


def suppress_class(boxes, order, threshold):
    kept = []
    while len(order):
        kept.append(order[0])
        order = order[1:][overlaps(boxes[order[0]], boxes[order[1:]]) <= threshold]
    return kept


def letterboxed_to_source(boxes):
    scale = max(SOURCE[0] / INPUT[0], SOURCE[1] / INPUT[1])
    padding = [(INPUT[axis] - round(SOURCE[axis] / scale)) // 2 for axis in range(2)]
    source = (boxes - np.array(padding * 2)) * scale
    return np.clip(source, 0, np.array(SOURCE * 2))


def corners(x, y, w, h):
    return np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 1)


def suppressed(boxes, scores, candidates, nms_threshold):
    """Cells that stay, their classes and scores; `scores` are [classes, cells]."""
    classes, scores = scores.argmax(0), scores.max(0)
    kept = []
    for class_id in range(CLASSES):
        members = np.flatnonzero((classes == class_id) & candidates)
        order = members[np.argsort(-scores[members], kind="stable")]
        kept += suppress_class(boxes, order, nms_threshold)
    kept = np.sort(np.array(kept))
    kept = kept[np.argsort(-scores[kept], kind="stable")][:KEPT]
    return kept, classes[kept], scores[kept]


def yolo(score_threshold, nms_threshold):
    output = yolo_output().astype(np.float64)
    boxes, scores = corners(*output[:4]), output[4:]
    found = suppressed(boxes, scores, scores.max(0) > score_threshold, nms_threshold)
    return *found, letterboxed_to_source(boxes[found[0]])


def with_objectness(score_threshold):
    """Products of objectness and scores, in steps of 1/16384, and which cells are candidates."""
    objectness = np.floor(hashed(np.arange(CELLS), 4) * 128) / 128
    scores = yolo_output()[4:].astype(np.float64) * objectness
    return scores, (objectness > score_threshold) & (scores.max(0) > score_threshold)


def yolov5(score_threshold, nms_threshold):
    """As YOLOv5's own post-processing: cells by their objectness, then by its product with the best class's score."""
    boxes = corners(*yolo_output()[:4].astype(np.float64))
    found = suppressed(boxes, *with_objectness(score_threshold), nms_threshold)
    return *found, letterboxed_to_source(boxes[found[0]])


def yolox(score_threshold, nms_threshold):
    """As YOLOX's demonstration: places and strides of all grids, one behind the other, then boxes in pixels of the input."""
    i = np.arange(CELLS)
    raw = np.stack([3 * hashed(i, 0) - 1, 3 * hashed(i, 1) - 1, 2 * hashed(i, 2), 2 * hashed(i, 3)]).astype(np.float64)
    places, strides = [], []
    for stride in (8, 16, 32):
        columns, rows = YOLOX_INPUT[0] // stride, YOLOX_INPUT[1] // stride
        y, x = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
        places.append(np.stack([x.ravel(), y.ravel()]))
        strides.append(np.full(rows * columns, stride))
    places, strides = np.concatenate(places, 1), np.concatenate(strides)
    boxes = corners(*((raw[:2] + places) * strides), *(np.exp(raw[2:]) * strides))
    found = suppressed(boxes, *with_objectness(score_threshold), nms_threshold)
    ratio = min(YOLOX_INPUT[0] / SOURCE[0], YOLOX_INPUT[1] / SOURCE[1])  # the picture is at the upper left
    return *found, np.clip(boxes[found[0]] / ratio, 0, np.array(SOURCE * 2))


def rfdetr(score_threshold):
    logits = np.floor(-512 + 640 * hashed(np.arange(QUERIES * COLUMNS), 7)) / 64
    boxes = (0.1 + 0.8 * hashed(np.arange(QUERIES * 4), 8)).reshape(QUERIES, 4).astype(np.float64)
    best = np.argsort(-logits, kind="stable")[:KEPT]
    scores = 1 / (1 + np.exp(-logits[best].astype(np.float64)))
    best, scores = best[scores > score_threshold], scores[scores > score_threshold]
    queries, classes = best // COLUMNS, best % COLUMNS
    centre, size = boxes[queries, :2], boxes[queries, 2:]
    boxes = np.concatenate([centre - size / 2, centre + size / 2], 1) * np.array(SOURCE * 2)
    return queries, classes, scores, np.clip(boxes, 0, np.array(SOURCE * 2))


def end_to_end_output():
    """Rows of corners, score and class; some are inside out."""
    i = np.arange(QUERIES)
    x, y = 600 * hashed(i, 10), 600 * hashed(i, 11)
    right, bottom = (x - 16) + 200 * hashed(i, 12), (y - 16) + 200 * hashed(i, 13)
    score, class_id = np.floor(hashed(i, 14) * 128) / 128, np.floor(hashed(i, 15) * 80)
    return np.stack([x, y, right, bottom, score, class_id], 1).astype(np.float32)


def end_to_end(score_threshold):
    """As they come, without those that are inside out."""
    rows = end_to_end_output().astype(np.float64)
    whole = (rows[:, 2:4] >= rows[:, :2]).all(1)
    kept = np.flatnonzero(whole & (rows[:, 4] > score_threshold))
    return kept, rows[kept, 5].astype(int), rows[kept, 4], letterboxed_to_source(rows[kept, :4])


def pose(score_threshold, nms_threshold):
    """People among the cells: the scores of the first class, and points around the input, some of them in the padding."""
    output = yolo_output().astype(np.float64)
    boxes, scores = corners(*output[:4]), output[4:5]
    kept, classes, scores = suppressed(boxes, scores, scores[0] > score_threshold, nms_threshold)
    values = 640 * hashed(np.arange(CELLS * POINTS * 3), 16).reshape(CELLS, POINTS, 3).astype(np.float64)[kept]
    places = letterboxed_to_source(np.tile(values[..., :2].reshape(-1, 2), 2))[:, :2]
    points = np.concatenate([places.reshape(len(kept), POINTS, 2), values[..., 2:] / 640], 2)
    return kept, classes, scores, np.concatenate([letterboxed_to_source(boxes[kept]), points.reshape(len(kept), -1)], 1)


def as_words(mask):
    """A row of words for each row of pixels: pixel x is bit x % 32 of word x // 32."""
    bits = mask.reshape(mask.shape[0], -1, 32).astype(np.uint64)
    return (bits << np.arange(32, dtype=np.uint64)).sum(2)


def blended(logits):
    """At MASK's size, half-pixel centres; no pixel so near to 0 that rounding decides it."""
    logits = cv2.resize(logits.astype(np.float32), MASK, interpolation=cv2.INTER_LINEAR)
    assert np.abs(logits).min() > 2e-5, "take other inputs: rounding would decide a pixel"
    return logits > 0


def yolo_mask():
    """Coefficients times prototypes, cut to the picture, blended, cut to the box: of one object."""
    coefficients = 2 * hashed(np.arange(COEFFICIENTS), 17).astype(np.float64) - 1
    width, height = PROTOTYPES
    prototypes = 2 * hashed(np.arange(COEFFICIENTS * width * height), 18).astype(np.float64) - 1
    logits = np.tensordot(coefficients, prototypes.reshape(COEFFICIENTS, height, width), 1)
    mask = blended(logits[35:125])  # 140 of 640 rows are padding above, a cell is four
    box = letterboxed_to_source(np.array([[100.5, 200, 540, 420.25]]))[0] * MASK[0] / SOURCE[0]
    y, x = np.mgrid[: MASK[1], : MASK[0]]
    return as_words(mask & (x >= box[0]) & (x < box[2]) & (y >= box[1]) & (y < box[3]))


def rfdetr_mask():
    return as_words(blended(2 * hashed(np.arange(27 * 20), 19).reshape(20, 27).astype(np.float64) - 1))


def rfdetr_keypoints():
    """Seventeen points of a query: the spread is that of the distribution whose precision has the factor in the slots."""
    slots = 4 * hashed(np.arange(17 * 8), 20).reshape(17, 8).astype(np.float64) - 1
    rows = []
    for x, y, visibility, _, log_l11, l21, log_l22, _ in slots:
        factor = np.array([[np.exp(log_l11), 0], [l21, np.exp(log_l22)]])
        spread = np.sqrt(np.trace(np.linalg.inv(factor @ factor.T)) / 2)
        confidence = 1 / (1 + np.exp(-visibility)) / (1 + (spread / 0.06) ** 2)
        rows.append([x * SOURCE[0], y * SOURCE[1], confidence])
    return np.array(rows)


def appearance():
    """The tokens of a grid of 5x5 under a mask of 12x12, weighed by how many of its cells they have."""
    foreground = hashed(np.arange(144), 21).reshape(12, 12) > 0.5
    tokens = 2 * hashed(np.arange(7 * 25), 22).reshape(7, 5, 5).astype(np.float64) - 1
    lies_in = np.floor((np.arange(12) + 0.5) * 5 / 12) == np.arange(5)[:, None]
    weights = lies_in.astype(int) @ foreground @ lies_in.T
    pooled = (tokens * weights).sum((1, 2))
    return (pooled / np.linalg.norm(pooled))[None]


def write(file, name, found):
    indices, classes, scores, values = found
    print(name, len(indices), 3 + values.shape[1], file=file)
    for index, class_id, score, row in zip(indices, classes, scores, values):
        print(index, class_id, f"{score:.9g}", *(f"{value:.6f}" for value in row), file=file)
    print(name, len(indices))


def write_numbers(file, name, numbers):
    print(name, *numbers.shape, file=file)
    for row in numbers:
        print(*(f"{value:.10g}" for value in row), file=file)
    print(name, numbers.shape)


def main():
    with open(sys.argv[1], "w", encoding="ascii") as file:
        write(file, "yolo", yolo(0.25, 0.45))
        write(file, "yolo_few", yolo(0.985, 0.7))
        write(file, "yolov5", yolov5(0.25, 0.45))
        write(file, "yolox", yolox(0.25, 0.65))
        write(file, "rfdetr", rfdetr(0.5))
        write(file, "rfdetr_all", rfdetr(0.0))
        write(file, "end_to_end", end_to_end(0.25))
        write(file, "pose", pose(0.9, 0.7))
        write_numbers(file, "yolo_mask", yolo_mask())
        write_numbers(file, "rfdetr_mask", rfdetr_mask())
        write_numbers(file, "rfdetr_keypoints", rfdetr_keypoints())
        write_numbers(file, "appearance", appearance())


if __name__ == "__main__":
    main()
