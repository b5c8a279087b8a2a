"""Depth Anything V2. Its packages resample the map bicubically (transformers) or with aligned corners (the repository); vrt's rule
is bilinear between the cells' centres, which is what stands here. At the network's own size all are the same."""

import numpy as np
import torch
from torchvision.transforms import functional

MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def prepare(picture, shape, _options):
    tensor = functional.resize(functional.to_tensor(picture), list(shape[2:]), antialias=False)
    return functional.normalize(tensor, MEAN, DEVIATION)[None].numpy()


def expect(outputs, _picture, shape, options):
    depth = torch.from_numpy(outputs["depth"]).reshape(1, 1, *shape[2:])
    width, height = options.get("map_size", (shape[3], shape[2]))
    mapped = torch.nn.functional.interpolate(depth, (height, width), mode="bilinear", align_corners=False)[0, 0].numpy()
    if not options["metric"]:
        return {"depth": mapped}
    known = torch.nn.functional.interpolate((depth > 0).float(), (height, width), mode="bilinear", align_corners=False)
    return {"depth": mapped, "compare": known[0, 0].numpy() == 1}  # where no cell is unknown
