#!/usr/bin/env python3
"""What people do today with networks of each family: OpenCV reads the video, OpenVINO runs the network, NumPy and OpenCV do the
rest, one line of JSON a frame goes to a file. The peers that `vrt run` is measured against.

  family_peers.py yolo clip.mp4 lines.jsonl yolo11n.onnx [--threshold 0.25] [--threads 2]

Families: yolo, yolo-seg, rf-detr, rf-detr-seg, depth, xfeat, osnet (of the faces that a first model, CenterFace, finds). Written from
the facts about the networks alone. Masks are made, counted and not written; vrt writes theirs. Prints one line of JSON on its own
speed: frames, seconds of the loop, and how many objects, keypoints or embeddings there were.
"""

import argparse
import json
import pathlib
import sys
import time

import cv2
import numpy as np
import openvino as ov

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import python_peer  # noqa: E402

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def compiled(model, threads, shape=None):
    core = ov.Core()
    network = core.read_model(model)
    if shape:
        network.reshape(shape)
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
    return core.compile_model(network, "CPU", options)


def planar(rgb):
    return np.ascontiguousarray(rgb.transpose(2, 0, 1))[None]


def normalised(picture, size):
    """Stretched to (width, height), with ImageNet's mean and deviation."""
    rgb = cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR), cv2.COLOR_BGR2RGB)
    return planar((rgb.astype(np.float32) / 255 - MEAN) / DEVIATION)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Network:
    def __init__(self, model, threads, shape=None):
        network = compiled(model, threads, shape)
        self.request = network.create_infer_request()
        height, width = network.inputs[0].shape[2:]
        self.size = (width, height)

    def run(self, blob):
        return list(self.request.infer({0: blob}).values())


class Detector:
    """What `objects` gives of a picture: boxes, scores, classes, and what its masks are made of."""

    def __init__(self, models, arguments):
        self.network = Network(models[0], arguments.threads)
        self.threshold = arguments.threshold

    def frame(self, picture):
        return python_line(*self.objects(picture)[:3])


class Yolo(Detector):
    def objects(self, picture):
        size = self.network.size
        boxed, factor, shift = python_peer.letterbox(picture, size)
        outputs = self.network.run(planar(cv2.cvtColor(boxed, cv2.COLOR_BGR2RGB).astype(np.float32) / 255))
        values = outputs[0][0].T
        classes = 80
        scores = values[:, 4 : 4 + classes]
        best = scores.argmax(1)
        passing = np.where(scores[np.arange(len(scores)), best] > self.threshold)[0]
        boxes, score, kind = values[passing, :4], scores[passing, best[passing]], best[passing]
        corners = np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], axis=1)
        kept = python_peer.suppress(corners + kind[:, None] * 8192.0, score, 0.7)[:300]
        corners, score, kind = corners[kept], score[kept], kind[kept]
        height, width = picture.shape[:2]
        source = ((corners.reshape(-1, 2, 2) - shift) / factor).reshape(-1, 4)
        source = np.clip(source, 0, [width, height, width, height])
        rest = (values[passing][kept][:, 4 + classes :], outputs[1][0] if len(outputs) > 1 else None, factor, shift)
        return source, score, kind, rest


class YoloSeg(Yolo):
    def frame(self, picture):
        boxes, scores, kinds, (coefficients, prototypes, factor, shift) = self.objects(picture)
        height, width = picture.shape[:2]
        channels, rows, columns = prototypes.shape
        pixels = 0
        step = self.network.size[0] / columns
        left, top = round(shift[0] / step), round(shift[1] / step)
        logits = (coefficients[:100] @ prototypes.reshape(channels, -1)).reshape(-1, rows, columns)
        for plane, box in zip(logits, boxes):
            inner = plane[top : rows - top or rows, left : columns - left or columns]
            mask = cv2.resize(inner, (width, height), interpolation=cv2.INTER_LINEAR) > 0
            x1, y1, x2, y2 = np.ceil(box).astype(int)
            pixels += int(mask[y1:y2, x1:x2].sum())
        return python_line(boxes, scores, kinds, mask_pixels=pixels)


class RfDetr(Detector):
    def objects(self, picture):
        outputs = self.network.run(normalised(picture, self.network.size))
        boxes = next(o[0] for o in outputs if o.ndim == 3 and o.shape[2] == 4)
        logits = next(o[0] for o in outputs if o.ndim == 3 and o.shape[2] != 4)
        scores = sigmoid(logits).ravel()
        order = np.argsort(-scores, kind="stable")[:300]
        order = order[scores[order] > self.threshold]
        queries, kinds = order // logits.shape[1], order % logits.shape[1]
        centre, half = boxes[queries, :2], boxes[queries, 2:] / 2
        height, width = picture.shape[:2]
        corners = np.concatenate([centre - half, centre + half], axis=1) * [width, height, width, height]
        source = np.clip(corners, 0, [width, height, width, height])
        return source, scores[order], kinds, (queries, outputs)


class RfDetrSeg(RfDetr):
    def frame(self, picture):
        boxes, scores, kinds, (queries, outputs) = self.objects(picture)
        planes = next(o[0] for o in outputs if o.ndim == 4)
        height, width = picture.shape[:2]
        pixels = 0
        for query in queries[:100]:
            pixels += int((cv2.resize(planes[query], (width, height), interpolation=cv2.INTER_LINEAR) > 0).sum())
        return python_line(boxes, scores, kinds, mask_pixels=pixels)


class Depth:
    def __init__(self, models, arguments):
        self.network = Network(models[0], arguments.threads)

    def frame(self, picture):
        depth = self.network.run(normalised(picture, self.network.size))[0].reshape(self.network.size[::-1])
        height, width = picture.shape[:2]
        full = cv2.resize(depth, (width, height), interpolation=cv2.INTER_LINEAR)
        known = full[full > 0]
        return {"depth": {"min": float(known.min()), "median": float(np.median(known)), "max": float(known.max())}}, 1


class XFeat:
    def __init__(self, models, arguments):
        video = cv2.VideoCapture(arguments.video)
        width, height = (int(video.get(key)) // 32 * 32 for key in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
        self.network = Network(models[0], arguments.threads, [1, 3, height, width])

    def frame(self, picture):
        size = self.network.size
        rgb = cv2.cvtColor(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR), cv2.COLOR_BGR2RGB)
        outputs = self.network.run(planar(rgb.astype(np.float32) / 255))
        grid = next(o[0] for o in outputs if o.shape[1] == 64)
        heat, reliability = (o[0, 0] for o in outputs if o.shape[1] == 1)
        rows, columns = np.where((heat > 0.05) & (heat == cv2.dilate(heat, np.ones((5, 5), np.uint8))))
        scores = heat[rows, columns] * reliability[rows, columns]
        best = np.argsort(-scores, kind="stable")[:4096]
        rows, columns, scores = rows[best], columns[best], scores[best]
        descriptors = sampled(grid, (columns + 0.5) / 8 - 0.5, (rows + 0.5) / 8 - 0.5)
        descriptors /= np.linalg.norm(descriptors, axis=0)
        height, width = picture.shape[:2]
        x, y = (columns + 0.5) * width / size[0], (rows + 0.5) * height / size[1]
        return {"features": np.stack([x, y, scores], axis=1).tolist()}, len(scores)


def sampled(grid, x, y):
    """[C, n] of [C, H, W], bilinear, borders repeated."""
    height, width = grid.shape[1:]
    x, y = np.clip(x, 0, width - 1), np.clip(y, 0, height - 1)
    left, top = x.astype(int), y.astype(int)
    right, bottom = np.minimum(left + 1, width - 1), np.minimum(top + 1, height - 1)
    dx, dy = x - left, y - top
    upper = grid[:, top, left] * (1 - dx) + grid[:, top, right] * dx
    lower = grid[:, bottom, left] * (1 - dx) + grid[:, bottom, right] * dx
    return upper * (1 - dy) + lower * dy


class OsNet:
    def __init__(self, models, arguments):
        video = cv2.VideoCapture(arguments.video)
        sides = (int(video.get(key)) for key in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
        self.faces = python_peer.Detector(models[0], size_of(*sides), arguments.threads)
        network = compiled(models[1], arguments.threads)
        self.batch = network.inputs[0].shape[0]
        self.request = network.create_infer_request()

    def frame(self, picture):
        boxes, scores, _ = self.faces.detect(picture)
        crops = np.zeros((self.batch, 3, 256, 128), np.float32)
        for i, box in enumerate(boxes[: self.batch]):
            x1, y1, x2, y2 = box.round().astype(int)
            crops[i] = normalised(picture[y1 : max(y2, y1 + 1), x1 : max(x2, x1 + 1)], (128, 256))[0]
        vectors = next(iter(self.request.infer({0: crops}).values()))[: len(boxes)]
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        line, found = python_line(boxes, scores, np.zeros(len(boxes), int))
        line["embeddings"] = vectors.tolist()
        return line, found


def size_of(width, height):
    """CenterFace's input as vrt chooses it: the longer side 320 to 640 pixels, both in multiples of 32."""
    longer = max(width, height)
    scale = min(max(longer, 320), 640) / longer
    return tuple(int(np.ceil(side * scale / 32)) * 32 for side in (width, height))


def python_line(boxes, scores, kinds, **more):
    detections = [
        {"box": box.tolist(), "score": float(score), "class": int(kind)} for box, score, kind in zip(boxes, scores, kinds)
    ]
    return {"detections": detections, **more}, len(detections)


FAMILIES = {"yolo": Yolo, "yolo-seg": YoloSeg, "rf-detr": RfDetr, "rf-detr-seg": RfDetrSeg, "depth": Depth,
            "xfeat": XFeat, "osnet": OsNet}  # fmt: skip


def run(arguments):
    family = FAMILIES[arguments.family](arguments.models, arguments)
    video = cv2.VideoCapture(arguments.video)
    start, number, found = time.perf_counter(), 0, 0
    with open(arguments.lines, "w", encoding="utf-8") as lines:
        while True:
            seconds = video.get(cv2.CAP_PROP_POS_MSEC) / 1000
            more, picture = video.read()
            if not more:
                return {"frames": number, "seconds": time.perf_counter() - start, "found": found}
            line, count = family.frame(picture)
            lines.write(json.dumps({"source": arguments.video, "frame": number, "time": seconds, **line}) + "\n")
            number, found = number + 1, found + count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("video")
    parser.add_argument("lines")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threshold", type=float, default=0.25)
    parser.add_argument("--threads", type=int, default=2)
    print(json.dumps(run(parser.parse_args())))


if __name__ == "__main__":
    main()
