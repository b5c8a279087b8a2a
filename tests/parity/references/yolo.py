"""Ultralytics' networks: suppression for each class by torchvision, the rest by Ultralytics' own functions.

Ultralytics separates classes by adding 7680 times the class to the coordinates, which costs them precision: boxes of
class 79 are rounded to 1/16 pixel before they are compared. Here each class is suppressed for itself, which is meant.
"""

import math

import numpy as np
import torch
from torchvision.ops import nms
from ultralytics.data.augment import LetterBox
from ultralytics.utils import ops


PLACES_ROUNDED = (
    1e-3  # of a logit: places that are no halves and quarters of cells are rounded, and logits of tens are steep
)


def prepare(picture, shape, _options):
    boxed = LetterBox(tuple(shape[2:]), auto=False)(image=picture)
    return (boxed.transpose(2, 0, 1)[None] / np.float32(255)).astype(np.float32)


def _suppress(boxes, scores, classes, options):
    """Indices of what stays, best first, of equal scores the first."""
    if options.get("class_agnostic"):
        return nms(boxes, scores, options["nms_threshold"])
    kept = []
    for which in torch.unique(classes):
        own = torch.nonzero(classes == which)[:, 0]
        kept.append(own[nms(boxes[own], scores[own], options["nms_threshold"])])
    kept = torch.sort(torch.cat(kept))[0] if kept else torch.zeros(0, dtype=torch.int64)
    return kept[torch.argsort(scores[kept], descending=True, stable=True)]


def _from_planes(raw, classes, options):
    """Rows x1, y1, x2, y2, score, class, rest of a head that needs suppression."""
    rows = raw[0].T
    scores, labels = rows[:, 4 : 4 + classes].max(dim=1)
    keep = scores > options["score_threshold"]
    rows, scores, labels = rows[keep], scores[keep], labels[keep]
    boxes = ops.xywh2xyxy(rows[:, :4])
    kept = _suppress(boxes, scores, labels, options)[: options["max_detections"]]
    rest = rows[kept, 4 + classes :]
    return torch.cat([boxes[kept], scores[kept, None], labels[kept, None].float(), rest], dim=1)


def _from_end_to_end(raw, options):
    """Without boxes that are inside out, which this head can give: vrt's results have none, Ultralytics' have them."""
    rows = raw[0]
    whole = (rows[:, 2] >= rows[:, 0]) & (rows[:, 3] >= rows[:, 1])
    return rows[whole & (rows[:, 4] > options["score_threshold"])][: options["max_detections"]]


def _cells_of_picture(prototypes, shape, size):
    """Top, left, height and width of the picture in cells of the prototypes."""
    gain = min(shape[2] / size[0], shape[3] / size[1])
    inner = [max(round(side * gain), 1) for side in size]
    stride = shape[2] // prototypes.shape[1]
    pads = [(shape[2 + axis] - inner[axis]) / 2 / stride for axis in range(2)]
    return (*pads, *(side / stride for side in inner))


def _enlarged(logits, cells, size):
    """Cut to the cells that the picture touches, and blended once where its pixels' centres are."""
    top, left, height, width = cells
    first, last = (int(top), int(left)), (math.ceil(top + height), math.ceil(left + width))
    logits = logits[:, first[0] : last[0], first[1] : last[1]]
    # In cells, from the first one's edge.
    y = (torch.arange(size[0], dtype=torch.float64) + 0.5) / size[0] * height + top - first[0]
    x = (torch.arange(size[1], dtype=torch.float64) + 0.5) / size[1] * width + left - first[1]
    places = torch.meshgrid(2 * x / logits.shape[2] - 1, 2 * y / logits.shape[1] - 1, indexing="xy")
    grid = torch.stack(places, -1)[None].to(logits).expand(len(logits), -1, -1, -1)
    options = {"mode": "bilinear", "padding_mode": "border", "align_corners": False}
    return torch.nn.functional.grid_sample(logits[:, None], grid, **options)[:, 0]


def _masks(rows, prototypes, boxes, shape, size):
    """Logits at each pixel, cropped by the box: those of Ultralytics' `retina_masks`, where the padding is whole cells.

    Where it is not, the package enlarges the prototypes first, by 2 or 4, then what is left without padding: it blends twice. Its masks
    are to be met about, those that are blended once exactly.
    """
    channels, height, width = prototypes.shape
    logits = (rows[:, 6:] @ prototypes.reshape(channels, -1)).reshape(-1, height, width)
    cells = _cells_of_picture(prototypes, shape, size)
    logits = _enlarged(logits.double(), cells, size)
    inside = ops.crop_mask(torch.ones_like(logits), boxes) > 0
    expected = {"mask_logits": torch.where(inside, logits, -torch.inf).numpy()}
    own = ops.process_mask_native(prototypes, rows[:, 6:], boxes, size)
    if any(count != int(count) for count in cells):
        return expected | {"about_masks": own.numpy(), "near_zero": PLACES_ROUNDED}
    differs = ((logits > 0) & inside).byte() != own
    assert not (differs & (logits.abs() > 1e-4)).any(), "the masks restated here are not the package's"
    return expected


def expect(outputs, picture, shape, options):
    raw = torch.from_numpy(outputs["output0"])
    end_to_end = options.get("end_to_end", False)
    rows = _from_end_to_end(raw, options) if end_to_end else _from_planes(raw, options["classes"], options)
    boxes = ops.scale_boxes(shape[2:], rows[:, :4].clone(), picture.shape)
    detections = [
        {"box": box, "score": row[4], "class": int(row[5]), "keypoints": []}
        for box, row in zip(boxes.tolist(), rows.tolist(), strict=True)
    ]
    expected = {"detections": detections}
    if "keypoints" in options:
        points = rows[:, 6:].reshape(len(rows), options["keypoints"], 3).clone()
        points = ops.scale_coords(shape[2:], points, picture.shape)
        for detection, own in zip(detections, points.tolist(), strict=True):
            detection["keypoints"] = own
    if "output1" in outputs:
        prototypes = torch.from_numpy(outputs["output1"][0])
        expected |= _masks(rows, prototypes, boxes, shape, picture.shape[:2])
    return expected
