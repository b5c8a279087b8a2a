#!/usr/bin/env python3
"""Writes the golden outputs of the CenterFace network for the OpenVINO module's test.

They come from OpenCV's dnn module, which shares no code with OpenVINO. The input is a pattern of integers that the
test makes again: element i of the flat [1, 3, 64, 96] tensor is (i * 7919) % 256.

usage: centerface.py centerface.onnx vrt/engine/openvino/golden/centerface_64x96.f32
"""
import sys

import cv2
import numpy as np

SHAPE = (1, 3, 64, 96)
OUTPUTS = ["537", "538", "539", "540"]  # heatmap, scale, offset, landmarks


def main() -> None:
    model, target = sys.argv[1:3]
    pattern = (np.arange(np.prod(SHAPE), dtype=np.int64) * 7919) % 256
    network = cv2.dnn.readNetFromONNX(model)
    network.setInput(pattern.astype(np.float32).reshape(SHAPE))
    outputs = network.forward(OUTPUTS)
    for name, output in zip(OUTPUTS, outputs):
        print(name, output.shape, float(output.min()), float(output.max()))
    np.concatenate([output.ravel() for output in outputs]).astype("<f4").tofile(target)


if __name__ == "__main__":
    main()
