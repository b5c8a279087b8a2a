"""RF-DETR by Roboflow's package `rfdetr`: boxes, masks or keypoints, with the backbone's tokens where asked for.

Outputs: `dets` [B,Q,4], `labels` [B,Q,C], then `masks` [B,Q,h,w] or `keypoints` [B,Q,slots,8], then `tokens` [B,C,gh,gw].
"""

import torch

from families import seeded_weights
from families.network import Network

VARIANTS = {
    "nano": "RFDETRNano",
    "small": "RFDETRSmall",
    "medium": "RFDETRMedium",
    "base": "RFDETRBase",
    "large": "RFDETRLarge",
    "seg-nano": "RFDETRSegNano",
    "seg-small": "RFDETRSegSmall",
    "seg-medium": "RFDETRSegMedium",
    "seg-large": "RFDETRSegLarge",
    "seg-preview": "RFDETRSegPreview",
    "keypoint-preview": "RFDETRKeypointPreview",
}
# Deep sums of random numbers: scores that are all 1, masks that are all on one side. Trained ones are smaller.
HEAD_SCALES = [(r"^keypoint_embed\.layers\.2\.", 0.15), (r"^segmentation_head\.query_features_proj\.", 0.1)]


def add_arguments(parser):
    parser.add_argument("--variant", choices=VARIANTS, required=True)
    parser.add_argument("--resolution", type=int, help="side of the input; the variant's own where not given")
    parser.add_argument("--tokens", action="store_true", help="add the backbone's token grid, of masks only")
    parser.add_argument("--dynamic-batch", action="store_true", help="leave the number of frames open")
    parser.add_argument(
        "--keypoint-schema",
        type=lambda text: [int(count) for count in text.split(",")],
        help="with random weights: keypoints of each class; 17 is today's, 0,17 has the background first",
    )


class WithTokens(torch.nn.Module):
    """The network, and as a last output its backbone's last block: the tokens that appearance is pooled from."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.tokens = None
        network.backbone[0].encoder.register_forward_hook(self._keep)

    def _keep(self, _module, _inputs, maps):
        self.tokens = maps[-1]

    def forward(self, images):
        return (*self.network(images), self.tokens)


def _load(args):
    import rfdetr  # here, so that each family needs only its own package

    build = getattr(rfdetr, VARIANTS[args.variant])
    options = {"device": "cpu"}
    if args.resolution:
        options["resolution"] = args.resolution
    if args.checkpoint:
        return build(pretrain_weights=str(args.checkpoint), **options)
    if args.keypoint_schema:
        options.update(num_keypoints_per_class=args.keypoint_schema, num_classes=max(1, len(args.keypoint_schema) - 1))
    model = build(pretrain_weights=None, **options)
    network = model.model.model
    seeded_weights.fill(network, args.random_weights, scale=HEAD_SCALES)
    if getattr(network, "keypoint_embed", None) is not None:
        with torch.no_grad():  # log l11 and log l22: places known to some hundredths, as trained networks know them
            network.keypoint_embed.layers[-1].bias[[4, 6]] += 3.0
    return model


def _names(model):
    """{column of the logits: name}. The COCO checkpoints' columns are COCO's category ids, others count from 0."""
    from rfdetr.assets.coco_classes import COCO_CLASS_NAMES, COCO_CLASSES

    schema = list(getattr(model.model_config, "num_keypoints_per_class", None) or [])
    names = list(model.class_names)
    if schema:
        columns = [column for column, count in enumerate(schema) if count > 0]
        names = ["person"] if len(columns) == 1 else names
        return dict(zip(columns, names))
    if names == list(COCO_CLASS_NAMES) and model.model_config.num_classes > len(names):
        return dict(zip(COCO_CLASSES, names))
    return dict(enumerate(names))


def build(args):
    from rfdetr.export.prepare import prepare_export_graph

    model = _load(args)
    config = model.model_config
    if args.tokens and not config.segmentation_head:
        raise SystemExit(f"--tokens needs a variant with masks; {args.variant} has none")
    side = config.resolution
    graph = prepare_export_graph(model.model.model.eval(), config, shape=(side, side), device="cpu")
    network = graph.model
    network.export()  # its parts, too, take the form that they are traced in
    outputs = list(graph.output_names)
    if args.tokens:
        network, outputs = WithTokens(network), [*outputs, "tokens"]
    task = "segment" if config.segmentation_head else "pose" if config.use_grouppose_keypoints else "detect"
    axes = {name: {0: "batch"} for name in ["input", *outputs]} if args.dynamic_batch else {}
    # predict() of the package that requirements.txt names resizes without antialiasing, as does its runtime for exported files
    metadata = {"task": task, "names": _names(model), "license": config.license, "antialias": False}
    schema = list(config.num_keypoints_per_class)
    if schema:
        metadata["keypoints_per_class"] = schema
        metadata["background"] = "0" if schema[0] == 0 else "none"
    return Network(network, graph.input_tensors, ["input"], outputs, axes, metadata)
