"""Depth Anything V2 by Hugging Face's package `transformers`: `depth` [B,H,W] for `image` [B,3,H,W].

Metric checkpoints give metres, relative ones inverse depth without a unit; the file's metadata says which under `depth`.
"""

import torch

from families import seeded_weights
from families.network import Network

PATCH = 14
# (width, heads, blocks, blocks whose output is used, channels of the neck, channels of the fusion), from the paper's
# encoders and its repository's table of decoders
SIZES = {
    "small": (384, 6, 12, (3, 6, 9, 12), (48, 96, 192, 384), 64),
    "base": (768, 12, 12, (3, 6, 9, 12), (96, 192, 384, 768), 128),
    "large": (1024, 16, 24, (5, 12, 18, 24), (256, 512, 1024, 1024), 256),
}
HEAD_SCALES = [(r"^head\.conv3\.weight", 0.1)]  # metres that do not all reach the end of the scale


def add_arguments(parser):
    parser.add_argument("--size", choices=SIZES, default="small", help="with random weights")
    parser.add_argument("--metric", type=int, metavar="METRES", help="with random weights: metres, up to this many")
    parser.add_argument("--input", type=int, nargs=2, metavar=("HEIGHT", "WIDTH"), default=(518, 518))
    parser.add_argument("--dynamic-batch", action="store_true", help="leave the number of frames open")


class DepthOnly(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image):
        return self.network(image).predicted_depth


def _random(args):
    from transformers import DepthAnythingConfig, DepthAnythingForDepthEstimation, Dinov2Config

    width, heads, blocks, used, neck, fusion = SIZES[args.size]
    backbone = Dinov2Config(
        hidden_size=width,
        num_attention_heads=heads,
        num_hidden_layers=blocks,
        image_size=518,
        patch_size=PATCH,
        out_features=[f"stage{block}" for block in used],
        apply_layernorm=True,
        reshape_hidden_states=False,
    )
    config = DepthAnythingConfig(
        backbone_config=backbone,
        reassemble_hidden_size=width,
        neck_hidden_sizes=list(neck),
        fusion_hidden_size=fusion,
        depth_estimation_type="metric" if args.metric else "relative",
        max_depth=args.metric or 1,
    )
    network = DepthAnythingForDepthEstimation(config)
    seeded_weights.fill(network, args.random_weights, scale=HEAD_SCALES)
    return network


def _from_folder(folder):
    from transformers import DepthAnythingForDepthEstimation

    return DepthAnythingForDepthEstimation.from_pretrained(folder, local_files_only=True, dtype=torch.float32)


def _fix_positions(network, height, width):
    """Learnt positions at the input's grid, once: their bicubic resize would otherwise be a part of every frame."""
    embeddings = network.backbone.embeddings
    patches = (height // PATCH) * (width // PATCH)
    with torch.no_grad():
        tokens = torch.zeros(1, patches + 1, embeddings.position_embeddings.shape[-1])
        positions = embeddings.interpolate_pos_encoding(tokens, height, width)
    embeddings.interpolate_pos_encoding = lambda *_: positions


def build(args):
    height, width = args.input
    if height % PATCH or width % PATCH:
        raise SystemExit(f"--input takes multiples of {PATCH}, not {height} and {width}")
    network = (_from_folder(args.checkpoint) if args.checkpoint else _random(args)).eval()
    _fix_positions(network, height, width)
    config = network.config
    metric = config.depth_estimation_type == "metric"
    metadata = {"task": "depth", "depth": "metric" if metric else "relative"}
    if metric:
        metadata["max_depth"] = config.max_depth
    axes = {name: {0: "batch"} for name in ("image", "depth")} if args.dynamic_batch else {}
    return Network(DepthOnly(network), torch.zeros(1, 3, height, width), ["image"], ["depth"], axes, metadata)
