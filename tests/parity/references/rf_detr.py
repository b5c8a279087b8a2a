"""RF-DETR by the package's own `PostProcess`."""

import numpy as np
import torch
from rfdetr.models.postprocess import PostProcess
from torchvision.transforms import functional

MEAN, DEVIATION = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
NEAR_WIDTH = 0.06  # of a keypoint's distribution, at which its confidence halves


def prepare(picture, shape, options):
    tensor = functional.to_tensor(picture)
    tensor = functional.resize(tensor, list(shape[2:]), antialias=options.get("antialias", True))
    return functional.normalize(tensor, MEAN, DEVIATION)[None].numpy()


def _tensors(outputs, options):
    """The outputs under the names that PostProcess takes. A background column can never be selected."""
    logits = torch.from_numpy(outputs["labels"].copy())
    if options.get("background_column"):
        logits[..., 0] = -torch.inf
    tensors = {"pred_logits": logits, "pred_boxes": torch.from_numpy(outputs["dets"])}
    if "masks" in outputs:
        tensors["pred_masks"] = torch.from_numpy(outputs["masks"])
    if "keypoints" in outputs:
        tensors["pred_keypoints"] = torch.from_numpy(outputs["keypoints"])
    return tensors


def _selected(tensors, picture, options):
    """One picture's results of the reference above the threshold, best first."""
    process = PostProcess(
        num_select=options["max_detections"],
        num_keypoints_per_class=options.get("schema"),
        trace_alpha=0.0,  # scores are the class's own; the package's default fuses them with the points' uncertainty
    )
    size = torch.tensor([picture.shape[:2]])
    return {name: values[0] for name, values in _in_batches(process, tensors, size, options).items()}


def _in_batches(process, tensors, size, options):
    found = process(tensors, size)[0]
    keep = found["scores"] > options["score_threshold"]
    return {name: values[keep][None] for name, values in found.items()}


def _queries(tensors, options, count):
    """The query of each selected pair, by the same order."""
    flat = tensors["pred_logits"][0].sigmoid().flatten()
    order = torch.argsort(flat, descending=True, stable=True)[:count]
    return order // tensors["pred_logits"].shape[2]


def _point_confidence(raw):
    """From a point's 8 numbers: its visibility, and how narrow its distribution is."""
    raw = raw.astype(np.float64)
    a, b, c = np.exp(raw[..., 4]), np.exp(raw[..., 6]), raw[..., 5]
    width = np.sqrt((a * a + b * b + c * c) / (a * b) ** 2 / 2)
    confidence = 1 / (1 + np.exp(-raw[..., 2])) / (1 + (width / NEAR_WIDTH) ** 2)
    return np.clip(np.where(np.isfinite(confidence), confidence, 0), 0, 1)


def _add_points(detections, tensors, queries, found, options):
    slots = max(options["schema"])
    raw = tensors["pred_keypoints"][0].numpy()
    for detection, query, points in zip(detections, queries.tolist(), found["keypoints"].numpy(), strict=True):
        first = detection["class"] * slots
        confidence = np.zeros(slots)  # the package gives zeros for columns behind the schema's
        if detection["class"] < len(options["schema"]):
            confidence = _point_confidence(raw[query, first : first + slots])
        detection["keypoints"] = np.column_stack([points[:, :2], confidence]).tolist()


def _mask_logits(tensors, queries, size):
    planes = tensors["pred_masks"][0][queries][:, None]
    return torch.nn.functional.interpolate(planes, size=size, mode="bilinear", align_corners=False)[:, 0].numpy()


def _appearance(outputs, queries):
    """Mean of the tokens, weighted by the cells of the mask's grid that are foreground and lie in them; unit length."""
    masks, tokens = outputs["masks"][0][queries] > 0, outputs["tokens"][0].astype(np.float64)
    height, width = tokens.shape[1:]
    weights = np.zeros((len(queries), height, width))
    rows = ((np.arange(masks.shape[1]) + 0.5) * height / masks.shape[1]).astype(int)
    columns = ((np.arange(masks.shape[2]) + 0.5) * width / masks.shape[2]).astype(int)
    for instance in range(len(queries)):
        np.add.at(weights[instance], np.ix_(rows, columns), masks[instance])
    vectors = np.einsum("nhw,chw->nc", weights, tokens)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def expect(outputs, picture, _shape, options):
    tensors = _tensors(outputs, options)
    found = _selected(tensors, picture, options)
    queries = _queries(tensors, options, len(found["scores"]))
    rows = zip(found["boxes"].tolist(), found["scores"].tolist(), found["labels"].tolist(), strict=True)
    detections = [{"box": box, "score": score, "class": label, "keypoints": []} for box, score, label in rows]
    expected = {"detections": detections}
    if "pred_keypoints" in tensors:
        _add_points(detections, tensors, queries, found, options)
    if "pred_masks" in tensors:
        expected["mask_logits"] = _mask_logits(tensors, queries, picture.shape[:2])
        same = (expected["mask_logits"] > 0) == found["masks"][:, 0].numpy()
        assert same.all(), "the masks restated here are not the package's"
    if "tokens" in outputs:
        expected["appearance"] = _appearance(outputs, queries.numpy())
    return expected
