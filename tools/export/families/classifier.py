"""Classifiers of ImageNet by the package `torchvision`: `scores` [1,1000] for `image` [1,3,H,W], with the classes' names.

Checkpoints are state dictionaries, as the package publishes them.
"""

import torch

from families import seeded_weights
from families.network import Network


def add_arguments(parser):
    parser.add_argument("--architecture", default="resnet18", help="resnet18, mobilenet_v3_large, …")
    parser.add_argument("--input", type=int, nargs=2, metavar=("HEIGHT", "WIDTH"), default=(224, 224))


def build(args):
    from torchvision import models  # here, so that each family needs only its own package

    if args.architecture not in models.list_models(module=models):
        raise SystemExit(f"--architecture {args.architecture}: torchvision has no classifier of this name")
    network = models.get_model(args.architecture, weights=None).eval()
    if args.checkpoint:
        network.load_state_dict(torch.load(args.checkpoint, map_location="cpu", weights_only=True))
    else:
        seeded_weights.fill(network, args.random_weights)
    names = models.get_model_weights(args.architecture).DEFAULT.meta["categories"]
    metadata = {"task": "classify", "names": dict(enumerate(names))}
    return Network(network, torch.zeros(1, 3, *args.input), ["image"], ["scores"], {}, metadata)
