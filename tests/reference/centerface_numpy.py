"""Finds faces with CenterFace and plain NumPy: an implementation to compare vrt's with.

    python centerface_numpy.py FOLDER centerface.onnx faces.jsonl

Reads pictures with OpenCV, resizes with OpenCV, runs the network in OpenVINO's Python and decodes its raw output in
double precision, one candidate after the other. Writes one JSON object a picture, in the order of their names:
{"frame", "width", "height", "detections": [{"box", "score", "keypoints"}]}, in source pixels. Shares no code with vrt.

What the network expects and gives: RGB, 0..255, an input whose sides are multiples of 32. Outputs have a value for each
4x4 pixels: a score; log height and log width in units of 4 pixels; the centre's offset (y, x); five landmarks (y, x) in
units of the box's size from its upper left corner.
"""

import argparse
import json
import math
import pathlib

import cv2
import numpy as np
import openvino

STRIDE = 4
SCORE_THRESHOLD = 0.5
NMS_THRESHOLD = 0.3
MAX_FACES = 256


def input_size(width, height):
    """The longer side becomes 320 to 640 pixels, then both are rounded up to multiples of 32."""
    longer = max(width, height)
    factor = min(max(longer, 320), 640)
    return tuple(32 * math.ceil(side * factor / (longer * 32)) for side in (width, height))


def letterbox(picture, target):
    """The picture, as floats, with black bars around it, and (x, y, scale_x, scale_y) of where it went."""
    height, width = picture.shape[:2]
    factor = min(target[0] / width, target[1] / height)
    inner = tuple(max(1, round(side * factor)) for side in (width, height))
    x, y = ((target[i] - inner[i]) // 2 for i in range(2))
    resized = cv2.resize(picture.astype(np.float32), inner, interpolation=cv2.INTER_LINEAR)
    boxed = cv2.copyMakeBorder(resized, y, target[1] - inner[1] - y, x, target[0] - inner[0] - x, cv2.BORDER_CONSTANT)
    return boxed, (x, y, inner[0] / width, inner[1] / height)


def overlap(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    area = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return width * height / (area - width * height)


def decode(outputs, placed, width, height):
    """Faces of one picture, best first."""
    score, size, offset, landmark = (np.asarray(output[0], np.float64) for output in outputs)
    rows, columns = np.nonzero(np.isfinite(score[0]) & (score[0] > SCORE_THRESHOLD))
    order = np.argsort(-score[0, rows, columns], kind="stable")
    left, top, scale_x, scale_y = placed
    faces = []
    for row, column in zip(rows[order], columns[order]):
        face_height, face_width = np.exp(size[:, row, column]) * STRIDE
        centre_y, centre_x = (np.array([row, column]) + offset[:, row, column] + 0.5) * STRIDE
        x1, y1 = centre_x - face_width / 2, centre_y - face_height / 2
        points = landmark[:, row, column].reshape(5, 2)
        box = [
            min(max((x1 - left) / scale_x, 0), width),
            min(max((y1 - top) / scale_y, 0), height),
            min(max((x1 + face_width - left) / scale_x, 0), width),
            min(max((y1 + face_height - top) / scale_y, 0), height),
        ]
        keypoints = [
            [(x1 + x * face_width - left) / scale_x, (y1 + y * face_height - top) / scale_y] for y, x in points
        ]
        empty = not (np.isfinite(box).all() and box[2] > box[0] and box[3] > box[1])
        if empty or any(overlap(box, face["box"]) > NMS_THRESHOLD for face in faces):
            continue
        faces.append({"box": box, "score": float(score[0, row, column]), "keypoints": keypoints})
    return faces[:MAX_FACES]


def load(model_file, target):
    core = openvino.Core()
    model = core.read_model(model_file)
    model.reshape([1, 3, target[1], target[0]])
    return core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("model")
    parser.add_argument("output")
    arguments = parser.parse_args()

    networks = {}
    with open(arguments.output, "w", encoding="utf-8") as lines:
        for frame, file in enumerate(sorted(arguments.folder.iterdir())):
            picture = cv2.cvtColor(cv2.imread(str(file)), cv2.COLOR_BGR2RGB)
            height, width = picture.shape[:2]
            target = input_size(width, height)
            if target not in networks:
                networks[target] = load(arguments.model, target)
            network = networks[target]
            boxed, placed = letterbox(picture, target)
            result = network([boxed.transpose(2, 0, 1)[np.newaxis]])
            faces = decode([result[output] for output in network.outputs], placed, width, height)
            print(json.dumps({"frame": frame, "width": width, "height": height, "detections": faces}), file=lines)


if __name__ == "__main__":
    main()
