"""XFeat's `detectAndCompute` and `match`, restated for outputs that hold the heatmap and the reliability at full size.

Rules of the published export: descriptors bilinear at the pixel's centre with the border repeated, and a keypoint at its pixel's
centre. The authors' own code samples them bicubically on a grid that is stretched by W / (W - 1), and counts from the first
pixel's centre.
"""

import numpy as np
import torch

WINDOW = 5


def prepare(picture, shape, _options):
    tensor = torch.from_numpy(picture).permute(2, 0, 1)[None].float()
    resized = torch.nn.functional.interpolate(tensor, list(shape[2:]), mode="bilinear", align_corners=False)
    return (resized / 255).numpy()


def features(outputs, picture, shape, options):
    """Keypoints x, y, score in source pixels, best first, and their descriptors."""
    heatmap = torch.from_numpy(outputs["heatmap"])
    peaks = torch.nn.functional.max_pool2d(heatmap, WINDOW, stride=1, padding=WINDOW // 2)
    rows, columns = torch.nonzero((heatmap == peaks)[0, 0] & (heatmap > options["threshold"])[0, 0], as_tuple=True)
    scores = heatmap[0, 0, rows, columns] * torch.from_numpy(outputs["reliability"])[0, 0, rows, columns]
    order = torch.argsort(scores, descending=True, stable=True)
    order = order[scores[order] > 0][: options["max_keypoints"]]
    rows, columns, scores = rows[order], columns[order], scores[order]
    height, width = shape[2:]
    grid = torch.stack([(columns + 0.5) / width * 2 - 1, (rows + 0.5) / height * 2 - 1], dim=1)[None, :, None]
    sampled = torch.nn.functional.grid_sample(
        torch.from_numpy(outputs["descriptors"]), grid, mode="bilinear", padding_mode="border", align_corners=False
    )
    descriptors = torch.nn.functional.normalize(sampled[0, :, :, 0].T, dim=1)
    x = (columns.double() + 0.5) * picture.shape[1] / width
    y = (rows.double() + 0.5) * picture.shape[0] / height
    return torch.stack([x, y, scores.double()], dim=1).numpy(), descriptors.numpy()


def match(first, second, least):
    """Mutual nearest neighbours, (first, second) by the first; of equal similarities the lower index."""
    similarity = first @ second.T
    of_first, of_second = similarity.argmax(axis=1), similarity.argmax(axis=0)
    own = np.arange(len(first))
    good = (of_second[of_first] == own) & (similarity[own, of_first] >= least)
    return np.column_stack([own[good], of_first[good], similarity[own, of_first][good]])


def expect(outputs, picture, shape, options):
    """`outputs` are those of the picture and, with names that end in "_other", of the second one."""
    other = {name.removesuffix("_other"): value for name, value in outputs.items() if name.endswith("_other")}
    keypoints, descriptors = features(outputs, picture, shape, options)
    keypoints_other, descriptors_other = features(other, picture, shape, options)
    return {
        "keypoints": keypoints,
        "descriptors": descriptors,
        "keypoints_other": keypoints_other,
        "descriptors_other": descriptors_other,
        "matches": match(descriptors, descriptors_other, options["min_similarity"]),
    }
