"""OSNet's embeddings, of unit length, of boxes: crops stretched bilinearly, with the picture's border repeated.

`torchreid` crops whole pixels and resizes them with PIL, which antialiases; a detector's boxes are no whole pixels.
"""

import numpy as np
import torch

HEIGHT, WIDTH = 256, 128
MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def prepare(picture, shape, options):
    """[batch, 3, 256, 128]; what is left of the batch is 0."""
    boxes = torch.tensor(options["boxes"], dtype=torch.float64)
    steps = [(torch.arange(side) + 0.5) / side for side in (WIDTH, HEIGHT)]
    x = boxes[:, 0:1] + steps[0] * (boxes[:, 2:3] - boxes[:, 0:1])
    y = boxes[:, 1:2] + steps[1] * (boxes[:, 3:4] - boxes[:, 1:2])
    x, y = x / picture.shape[1] * 2 - 1, y / picture.shape[0] * 2 - 1
    grid = torch.stack([x[:, None].expand(-1, HEIGHT, -1), y[:, :, None].expand(-1, -1, WIDTH)], dim=3)
    source = torch.from_numpy(picture).permute(2, 0, 1)[None].double().expand(len(boxes), -1, -1, -1) / 255
    crops = torch.nn.functional.grid_sample(source, grid, mode="bilinear", padding_mode="border", align_corners=False)
    crops = (crops - torch.tensor(MEAN).view(3, 1, 1)) / torch.tensor(DEVIATION).view(3, 1, 1)
    batch = np.zeros(shape, np.float32)
    batch[: len(boxes)] = crops.numpy()
    return batch


def expect(outputs, _picture, _shape, options):
    found = torch.from_numpy(outputs["embeddings"][: len(options["boxes"])]).double()
    return {"embeddings": torch.nn.functional.normalize(found, dim=1).numpy()}
