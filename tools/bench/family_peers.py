#!/usr/bin/env python3
"""What people do today with networks of each family: OpenCV reads the video, OpenVINO runs the network, NumPy and OpenCV do the
rest, one line of JSON a frame goes to a file. The peers that `vrt run` is measured against.

  family_peers.py yolo clip.mp4 lines.jsonl yolo11n.onnx [--threshold 0.25] [--threads 2]

Families: those of `vrt run`, with yolo-seg and yolo-pose by themselves; osnet looks at the faces that a first model, CenterFace, finds.
Written from the facts about the networks alone. The lines have the fields of vrt's (docs/schema/frame.schema.json), but for the counts of
masks: COCO's plain list of them, since its compressed text is no work for NumPy. Prints one line of JSON on its own speed: frames,
seconds of the loop, and how many objects, keypoints, classes or maps there were.
"""

import argparse
import ast
import json
import pathlib
import sys
import time

import cv2
import numpy as np
import onnx
import openvino as ov

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import python_peer  # noqa: E402

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
MOST_MASKS = 100  # The best ones', as vrt's.
TYPICAL_SPREAD = 0.06  # Of a keypoint of RF-DETR, at which its confidence is half its visibility.


def compiled(model, threads, shape=None):
    core = ov.Core()
    network = core.read_model(model)
    if shape:
        network.reshape(shape)
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
    return core.compile_model(network, "CPU", options)


def metadata_of(model):
    return {entry.key: entry.value for entry in onnx.load(model, load_external_data=False).metadata_props}


def planar(rgb):
    return np.ascontiguousarray(rgb.transpose(2, 0, 1))[None]


def to_input(picture):
    """BGR of 8 bits, in the network's size already, with ImageNet's mean and deviation."""
    return planar((cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype(np.float32) / 255 - MEAN) / DEVIATION)


def normalised(picture, size):
    """Stretched to (width, height)."""
    return to_input(cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def video_size(path):
    video = cv2.VideoCapture(path)
    return int(video.get(cv2.CAP_PROP_FRAME_WIDTH)), int(video.get(cv2.CAP_PROP_FRAME_HEIGHT))


class Network:
    """`run` gives the outputs in the network's order; names of classes are the file's."""

    def __init__(self, model, threads, shape=None):
        network = compiled(model, threads, shape)
        self.request = network.create_infer_request()
        height, width = network.inputs[0].shape[2:]
        self.size = (width, height)
        self.name = pathlib.Path(model).stem
        self.metadata = metadata_of(model)
        self.names = ast.literal_eval(self.metadata.get("names", "{}"))

    def run(self, blob):
        return list(self.request.infer({0: blob}).values())


class Detector:
    """`objects` gives of a picture: boxes, scores, classes, and what masks or keypoints are made of."""

    def __init__(self, models, arguments):
        self.network = Network(models[0], arguments.threads)
        self.threshold = arguments.threshold

    def frame(self, picture):
        boxes, scores, kinds, _ = self.objects(picture)
        return self.line(boxes, scores, kinds)

    def line(self, boxes, scores, kinds, **more):
        """`more` holds what each object has besides, in their order: `keypoints`, `mask`. There may be fewer masks than objects."""
        names, model = self.network.names, self.network.name
        found = [
            {"box": box, "score": score, "class": kind, "label": names.get(kind, ""), "keypoints": [], "model": model}
            for box, score, kind in zip(boxes.tolist(), scores.tolist(), kinds.tolist())
        ]
        for field, values in more.items():
            for detection, value in zip(found, values):
                detection[field] = value
        return {"detections": found}, len(found)


class Yolo(Detector):
    def objects(self, picture):
        size = self.network.size
        boxed, factor, shift = python_peer.letterbox(picture, size, 114)
        outputs = self.network.run(planar(cv2.cvtColor(boxed, cv2.COLOR_BGR2RGB).astype(np.float32) / 255))
        values = outputs[0][0].T
        classes = len(self.network.names)
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
        rest = (values[passing[kept], 4 + classes :], outputs[1][0] if len(outputs) > 1 else None, factor, shift)
        return source, score, kind, rest


class YoloSeg(Yolo):
    def frame(self, picture):
        boxes, scores, kinds, (coefficients, prototypes, _, shift) = self.objects(picture)
        height, width = picture.shape[:2]
        channels, rows, columns = prototypes.shape
        step = self.network.size[0] / columns
        left, top = round(shift[0] / step), round(shift[1] / step)
        logits = (coefficients[:MOST_MASKS] @ prototypes.reshape(channels, -1)).reshape(-1, rows, columns)
        masks = []
        for plane, box in zip(logits, boxes):
            inner = plane[top : rows - top, left : columns - left]
            x1, y1, x2, y2 = np.ceil(box).astype(int)
            mask = np.zeros((height, width), bool)
            mask[y1:y2, x1:x2] = cv2.resize(inner, (width, height), interpolation=cv2.INTER_LINEAR)[y1:y2, x1:x2] > 0
            masks.append(run_lengths(mask))
        return self.line(boxes, scores, kinds, mask=masks)


class YoloPose(Yolo):
    def frame(self, picture):
        boxes, scores, kinds, (rest, _, factor, shift) = self.objects(picture)
        height, width = picture.shape[:2]
        points = rest.reshape(len(rest), -1, 3)
        places = np.clip((points[:, :, :2] - shift) / factor, 0, [width, height])
        keypoints = np.concatenate([places, points[:, :, 2:]], axis=2)
        return self.line(boxes, scores, kinds, keypoints=keypoints.tolist())


class RfDetr(Detector):
    def objects(self, picture):
        outputs = self.network.run(normalised(picture, self.network.size))
        boxes = next(o[0] for o in outputs if o.ndim == 3 and o.shape[2] == 4)
        logits = next(o[0] for o in outputs if o.ndim == 3 and o.shape[2] != 4)
        scores = sigmoid(logits)
        if self.network.metadata.get("background") == "0":
            scores[:, 0] = -1
        scores = scores.ravel()
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
        masks = [
            run_lengths(cv2.resize(planes[query], (width, height), interpolation=cv2.INTER_LINEAR) > 0)
            for query in queries[:MOST_MASKS]
        ]
        return self.line(boxes, scores, kinds, mask=masks)


class RfDetrKeypoints(RfDetr):
    """The file says how many keypoints each of the first columns has; the slots of all are as long as the longest."""

    def __init__(self, models, arguments):
        super().__init__(models, arguments)
        self.schema = ast.literal_eval(self.network.metadata["keypoints_per_class"])

    def frame(self, picture):
        boxes, scores, kinds, (queries, outputs) = self.objects(picture)
        slots = next(o[0] for o in outputs if o.ndim == 4)
        most = max(self.schema)
        slots = slots.reshape(len(slots), len(self.schema), most, 8)
        known = kinds < len(self.schema)
        own = slots[queries, np.where(known, kinds, 0)]
        height, width = picture.shape[:2]
        keypoints = np.concatenate([own[:, :, :2] * [width, height], confidence(own)[:, :, None]], axis=2)
        has = known[:, None] & (np.arange(most) < np.array([*self.schema, 0])[np.where(known, kinds, -1)][:, None])
        keypoints[~has] = 0
        return self.line(boxes, scores, kinds, keypoints=keypoints.tolist())


def confidence(slots):
    """The visibility, less where a point's distribution is wide: numbers 4 to 6 are the Cholesky factor of its precision."""
    a, b, c = np.exp(slots[:, :, 4]), np.exp(slots[:, :, 6]), slots[:, :, 5]
    spread = np.sqrt((a * a + b * b + c * c) / (a * b) ** 2 / 2)
    return sigmoid(slots[:, :, 2]) / (1 + (spread / TYPICAL_SPREAD) ** 2)


def run_lengths(mask):
    """COCO's counts, plain: columns from left to right, zeros first."""
    flat = np.concatenate([[False], mask.ravel(order="F"), [True]])
    ends = np.flatnonzero(flat[1:] != flat[:-1])
    if flat[-2]:
        ends = np.append(ends, mask.size)
    return {"size": list(mask.shape), "counts": np.diff(ends, prepend=0).tolist()}


class Depth:
    unit = "metre"

    def __init__(self, models, arguments):
        self.network = Network(models[0], arguments.threads)

    def frame(self, picture):
        depth = self.network.run(normalised(picture, self.network.size))[0].reshape(self.network.size[::-1])
        height, width = picture.shape[:2]
        full = cv2.resize(depth, (width, height), interpolation=cv2.INTER_LINEAR)
        known = full[self.is_known(full)]
        least, median, most = np.percentile(known, [0, 50, 100], method="lower").tolist() if len(known) else [None] * 3
        summary = {"model": self.network.name, "unit": self.unit, "width": width, "height": height}
        summary |= {"known": len(known) / full.size, "min": least, "median": median, "max": most}
        return {"detections": [], "depth": [summary]}, 1

    @staticmethod
    def is_known(values):
        return (values > 0) & np.isfinite(values)


class RelativeDepth(Depth):
    unit = "relative"

    @staticmethod
    def is_known(values):
        return np.isfinite(values)


class XFeat:
    def __init__(self, models, arguments):
        width, height = (side // 32 * 32 for side in video_size(arguments.video))
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
        points = np.stack([x, y, scores], axis=1).tolist()
        features = [{"model": self.network.name, "keypoints": points}] if points else []
        return {"detections": [], "features": features}, len(points)


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
        self.faces = python_peer.Detector(models[0], centerface_input(*video_size(arguments.video)), arguments.threads)
        self.model = pathlib.Path(models[0]).stem
        network = compiled(models[1], arguments.threads)
        self.batch = network.inputs[0].shape[0]
        self.request = network.create_infer_request()

    def frame(self, picture):
        boxes, scores, landmarks = self.faces.detect(picture)
        crops = np.zeros((self.batch, 3, 256, 128), np.float32)
        for i, box in enumerate(boxes[: self.batch]):
            x1, y1, x2, y2 = box.round().astype(int)
            crops[i] = normalised(picture[y1 : max(y2, y1 + 1), x1 : max(x2, x1 + 1)], (128, 256))[0]
        vectors = next(iter(self.request.infer({0: crops}).values()))[: len(boxes)]
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        found = [
            {"box": box, "score": score, "class": 0, "label": "face", "keypoints": points, "model": self.model}
            for box, score, points in zip(boxes.tolist(), scores.tolist(), with_ones(landmarks).tolist())
        ]
        for detection, vector in zip(found, vectors.tolist()):
            detection["embedding"] = vector
        return {"detections": found}, len(found)


def with_ones(points):
    """The confidence of points whose network gives none."""
    return np.concatenate([points, np.ones((*points.shape[:2], 1))], axis=2)


def centerface_input(width, height):
    """CenterFace's input as vrt chooses it: the longer side 320 to 640 pixels, both in multiples of 32."""
    longer = max(width, height)
    scale = min(max(longer, 320), 640) / longer
    return tuple(int(np.ceil(side * scale / 32)) * 32 for side in (width, height))


class Classifier:
    def __init__(self, models, arguments):
        self.network = Network(models[0], arguments.threads)

    def frame(self, picture):
        values = self.network.run(to_input(middle(picture, self.network.size)))[0][0]
        scores = np.exp(values - values.max())
        scores /= scores.sum()
        best = np.argsort(-scores, kind="stable")[:5]
        names, model = self.network.names, self.network.name
        classes = [
            {"model": model, "class": kind, "label": names.get(kind, ""), "score": score}
            for kind, score in zip(best.tolist(), scores[best].tolist())
        ]
        return {"detections": [], "classes": classes}, len(classes)


def middle(picture, size):
    """As much of the picture's middle as has the aspect of (width, height), in that size; shrunk with antialiasing."""
    height, width = picture.shape[:2]
    scale = max(size[0] / width, size[1] / height)
    inner = min(round(size[0] / scale), width), min(round(size[1] / scale), height)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    cut = picture[top : top + inner[1], left : left + inner[0]]
    return cv2.resize(cut, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)


FAMILIES = {
    "yolo": Yolo,
    "yolo-seg": YoloSeg,
    "yolo-pose": YoloPose,
    "rfdetr": RfDetr,
    "rfdetr-seg": RfDetrSeg,
    "rfdetr-keypoints": RfDetrKeypoints,
    "depth": Depth,
    "relative-depth": RelativeDepth,
    "xfeat": XFeat,
    "osnet": OsNet,
    "classifier": Classifier,
}


def run(arguments):
    family = FAMILIES[arguments.family](arguments.models, arguments)
    video = cv2.VideoCapture(arguments.video)
    start, number, found = time.perf_counter(), 0, 0
    with open(arguments.lines, "w", encoding="utf-8") as lines:
        while True:
            more, picture = video.read()
            if not more:
                return {"frames": number, "seconds": time.perf_counter() - start, "found": found}
            seconds = video.get(cv2.CAP_PROP_POS_MSEC) / 1000
            line, count = family.frame(picture)
            height, width = picture.shape[:2]
            head = {"source": arguments.video, "frame": number, "time": seconds, "width": width, "height": height}
            lines.write(json.dumps(head | line) + "\n")
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
