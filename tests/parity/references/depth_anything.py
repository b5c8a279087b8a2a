"""Depth Anything V2, brought to any size by vrt's rule: bilinear between the cells' centres.

Its packages resample the map bicubically (transformers) or with aligned corners (the repository). At the network's own size
all are the same.
"""

import numpy as np
import torch
from torchvision.transforms import functional

MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
PLACE, RELATIVE = 2.0**-15, 1e-5


def prepare(picture, shape, _options):
    tensor = functional.resize(functional.to_tensor(picture), list(shape[2:]), antialias=False)
    return functional.normalize(tensor, MEAN, DEVIATION)[None].numpy()


def expect(outputs, _picture, shape, options):
    depth = torch.from_numpy(outputs["depth"]).reshape(1, 1, *shape[2:])
    width, height = options.get("map_size", (shape[3], shape[2]))
    # The limit is relative to the greatest cell that a pixel is blended from. Where the map falls from one value to another,
    # the pixel's place among the cells counts too, which float32 knows to 2^-15 beyond the 256th.
    greatest = torch.nn.functional.max_pool2d(depth, 3, stride=1, padding=1)
    least = -torch.nn.functional.max_pool2d(-depth, 3, stride=1, padding=1)
    scale = greatest.abs() + (greatest - least) * (PLACE / RELATIVE)
    scale = torch.nn.functional.interpolate(scale, (height, width), mode="nearest-exact")[0, 0].numpy()
    mapped = torch.nn.functional.interpolate(depth, (height, width), mode="bilinear", align_corners=False)[0, 0].numpy()
    if not options["metric"]:
        return {"depth": mapped, "scale": scale}
    known = torch.nn.functional.interpolate((depth > 0).float(), (height, width), mode="bilinear", align_corners=False)
    return {"depth": mapped, "scale": scale, "compare": known[0, 0].numpy() == 1}  # where no cell is unknown
