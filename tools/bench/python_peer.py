#!/usr/bin/env python3
"""The faces of a video by a straightforward Python program: the peer that `vrt run` is measured against.

OpenCV reads the video, OpenVINO runs the network, NumPy decodes its output, one line of JSON a frame goes to a file. Written
from the facts about the network alone, so that its results are also an independent check of vrt's.

  python_peer.py clip.mp4 centerface.onnx lines.jsonl [--size 320x288] [--threads 2]

Prints one line of JSON on its own speed: frames, seconds of the loop, seconds of the set-up.
"""

import argparse
import json
import time

import cv2
import numpy as np
import openvino as ov

STRIDE = 4


def letterbox(picture, size, grey=0):
    """The picture scaled into the middle of a grey one of (width, height), black if not told; and the scale and shift that it got."""
    height, width = picture.shape[:2]
    scale = min(size[0] / width, size[1] / height)
    inner = round(width * scale), round(height * scale)
    left, top = (size[0] - inner[0]) // 2, (size[1] - inner[1]) // 2
    out = np.full((size[1], size[0], 3), grey, np.uint8)
    out[top : top + inner[1], left : left + inner[0]] = cv2.resize(picture, inner, interpolation=cv2.INTER_LINEAR)
    return out, (inner[0] / width, inner[1] / height), (left, top)


def overlap(box, others):
    """Intersection over union of one box with many."""
    width = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    height = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    common = np.clip(width, 0, None) * np.clip(height, 0, None)
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    return common / ((box[2] - box[0]) * (box[3] - box[1]) + areas - common)


def suppress(boxes, scores, limit):
    """The boxes that no better one overlaps by more than the limit, best first."""
    order = np.argsort(-scores, kind="stable")
    kept = []
    while order.size:
        best, order = order[0], order[1:]
        kept.append(best)
        order = order[overlap(boxes[best], boxes[order]) <= limit]
    return kept


def decode(heat, scale, offset, points, threshold, nms_threshold):
    """Boxes [n, 4], scores [n] and landmarks [n, 5, 2] in pixels of the network's input."""
    rows, columns = np.where(heat[0, 0] >= threshold)
    scores = heat[0, 0, rows, columns]
    height, width = np.exp(scale[0, :, rows, columns]).T * STRIDE
    shift_y, shift_x = offset[0, :, rows, columns].T
    left = (columns + shift_x + 0.5) * STRIDE - width / 2
    top = (rows + shift_y + 0.5) * STRIDE - height / 2
    boxes = np.stack([left, top, left + width, top + height], axis=1)
    pairs = points[0, :, rows, columns].reshape(-1, 5, 2)
    x = pairs[:, :, 1] * width[:, None] + left[:, None]
    y = pairs[:, :, 0] * height[:, None] + top[:, None]
    kept = suppress(boxes, scores, nms_threshold)
    return boxes[kept], scores[kept], np.stack([x, y], axis=2)[kept]


class Detector:
    """CenterFace on OpenVINO: FP32, tuned for latency, as OpenVINO does it by itself."""

    def __init__(self, model, size, threads):
        core = ov.Core()
        network = core.read_model(model)
        network.reshape([1, 3, size[1], size[0]])
        options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
        self.request = core.compile_model(network, "CPU", options).create_infer_request()
        self.size = size

    def detect(self, picture, threshold=0.5, nms_threshold=0.3):
        """The faces of a BGR picture, in its own pixels."""
        boxed, factor, shift = letterbox(picture, self.size)
        planar = cv2.cvtColor(boxed, cv2.COLOR_BGR2RGB).transpose(2, 0, 1)[None].astype(np.float32)
        outputs = list(self.request.infer({0: planar}).values())
        heat, points = (next(o for o in outputs if o.shape[1] == channels) for channels in (1, 10))
        scale, offset = (o for o in outputs if o.shape[1] == 2)
        boxes, scores, landmarks = decode(heat, scale, offset, points, threshold, nms_threshold)
        boxes = (boxes.reshape(-1, 2, 2) - shift) / factor
        height, width = picture.shape[:2]
        return np.clip(boxes, 0, [width, height]).reshape(-1, 4), scores, (landmarks - shift) / factor


def line_of(source, number, seconds, picture, faces):
    """One frame's line, of the same shape as vrt's."""
    detections = [
        {
            "box": box.tolist(),
            "score": float(score),
            "class": 0,
            "label": "face",
            "keypoints": [[x, y, 1] for x, y in points.tolist()],
        }
        for box, score, points in zip(*faces)
    ]
    height, width = picture.shape[:2]
    return json.dumps(
        {"source": source, "frame": number, "time": seconds, "width": width, "height": height, "detections": detections}
    )


def run(arguments):
    """Frames and seconds of the loop."""
    detector = Detector(arguments.model, arguments.size, arguments.threads)
    video = cv2.VideoCapture(arguments.video)
    start, number = time.perf_counter(), 0
    with open(arguments.lines, "w", encoding="utf-8") as lines:
        while True:
            found, picture = video.read()
            if not found:
                return number, time.perf_counter() - start
            seconds = video.get(cv2.CAP_PROP_POS_MSEC) / 1000
            lines.write(line_of(arguments.video, number, seconds, picture, detector.detect(picture)) + "\n")
            number += 1


def size_of(text):
    width, height = text.split("x")
    return int(width), int(height)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("video")
    parser.add_argument("model")
    parser.add_argument("lines")
    parser.add_argument("--size", type=size_of, default=(320, 288), help="the network's input")
    parser.add_argument("--threads", type=int, default=2)
    began = time.perf_counter()
    frames, seconds = run(parser.parse_args())
    print(json.dumps({"frames": frames, "seconds": seconds, "set_up": time.perf_counter() - began - seconds}))


if __name__ == "__main__":
    main()
