"""OSNet by the package `torchreid`: `embeddings` [B,512], as the network gives them, for `crops` [B,3,256,128]."""

import importlib.util
import pathlib

import torch

from families import seeded_weights
from families.network import Network

HEIGHT, WIDTH = 256, 128
WIDTHS = ("osnet_x1_0", "osnet_x0_75", "osnet_x0_5", "osnet_x0_25")


def add_arguments(parser):
    parser.add_argument("--width", choices=WIDTHS, default="osnet_x0_25")
    parser.add_argument("--batch", type=int, default=16, help="crops in one run; 0 leaves it open")


def architecture():
    """The package's module of OSNet alone: importing the package asks for its training code's dependencies, too."""
    package = pathlib.Path(importlib.util.find_spec("torchreid").origin).parent
    spec = importlib.util.spec_from_file_location("torchreid_osnet", package / "reid/models/osnet.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _load(network, checkpoint):
    """Everything but the classifier of the people it was trained with."""
    stored = torch.load(checkpoint, map_location="cpu", weights_only=True)
    stored = stored.get("state_dict", stored)
    stored = {name.removeprefix("module."): tensor for name, tensor in stored.items()}
    stored = {name: tensor for name, tensor in stored.items() if not name.startswith("classifier.")}
    missing, unexpected = network.load_state_dict(stored, strict=False)
    missing = [name for name in missing if not name.startswith("classifier.")]
    if missing or unexpected:
        raise SystemExit(f"{checkpoint} is of another network: {missing} are missing, {unexpected} are not known")


def build(args):
    network = getattr(architecture(), args.width)(num_classes=1, pretrained=False).eval()
    if args.checkpoint:
        _load(network, args.checkpoint)
    else:
        seeded_weights.fill(network, args.random_weights)
    axes = {} if args.batch else {"crops": {0: "batch"}, "embeddings": {0: "batch"}}
    crops = torch.rand(args.batch or 2, 3, HEIGHT, WIDTH)
    return Network(network, crops, ["crops"], ["embeddings"], axes, {"task": "reid"})
