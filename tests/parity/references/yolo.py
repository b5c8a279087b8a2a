"""Ultralytics' networks: suppression for each class by torchvision, the rest by Ultralytics' own functions.

Ultralytics separates classes by adding 7680 times the class to the coordinates, which costs them precision: boxes of class
79 are rounded to 1/16 pixel before they are compared. Here each class is suppressed for itself, which is what is meant.
"""

import numpy as np
import torch
from torchvision.ops import nms
from ultralytics.data.augment import LetterBox
from ultralytics.utils import ops


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
    rows = raw[0]
    return rows[rows[:, 4] > options["score_threshold"]][: options["max_detections"]]


def _mask_logits(rows, prototypes, boxes, shape, size):
    """Blended, cut to the picture, upsampled, then cropped by the box: Ultralytics' `retina_masks`.

    Its intermediate upsampling is left out: it only serves grids whose padding is no whole cell, which `prepare`'s sizes avoid.
    """
    channels, height, width = prototypes.shape
    logits = (rows[:, 6:] @ prototypes.reshape(channels, -1)).reshape(-1, height, width)
    gain = min(shape[2] / size[0], shape[3] / size[1])
    inner = [max(round(side * gain), 1) for side in size]
    stride = shape[2] // height
    pads = [(shape[2 + axis] - inner[axis]) / 2 / stride for axis in range(2)]
    cells = [inner[axis] / stride for axis in range(2)]
    assert all(number == int(number) for number in (*pads, *cells)), "this picture's padding is no whole cell"
    top, left = (int(pad) for pad in pads)
    logits = logits[:, top : top + int(cells[0]), left : left + int(cells[1])]
    logits = torch.nn.functional.interpolate(logits[:, None], size, mode="bilinear", align_corners=False)[:, 0]
    inside = ops.crop_mask(torch.ones_like(logits), boxes) > 0
    own = ops.process_mask_native(prototypes, rows[:, 6:], boxes, size)
    assert torch.equal(((logits > 0) & inside).byte(), own), "the masks restated here are not the package's"
    return torch.where(inside, logits, -torch.inf).numpy()


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
        expected["mask_logits"] = _mask_logits(rows, prototypes, boxes, shape, picture.shape[:2])
    return expected
