"""XFeat's network by the package `kornia`, which takes the authors' `xfeat.pt`.

Input `image` [B,C,H,W] with values in [0, 1], sides multiples of 32. Outputs: `descriptors` [B,64,H/8,W/8] of length 1,
`heatmap` [B,1,H,W], the probability of a keypoint at each pixel, and `reliability` [B,1,H,W], brought to full size.
Which pixels are keypoints depends on data: that is left to who runs the network.
"""

import torch

from families import seeded_weights
from families.network import Network

CELL = 8
HEAD_SCALES = [(r"^keypoint_head\.3\.weight", 2.0)]  # more contrast between the pixels of a cell


def add_arguments(parser):
    parser.add_argument("--input", type=int, nargs=2, metavar=("HEIGHT", "WIDTH"), default=(480, 640))
    parser.add_argument("--dynamic", action="store_true", help="leave batch, height and width open")
    parser.add_argument("--reliability-at-cells", action="store_true", help="give reliability as it is: [B,1,H/8,W/8]")


class Backbone(torch.nn.Module):
    def __init__(self, network, full_size):
        super().__init__()
        self.network = network
        # The same values as the package's own cells; its `unfold` becomes a slice for each column of the image.
        self.network._unfold2d = lambda image, ws: torch.nn.functional.pixel_unshuffle(image, ws)
        self.full_size = full_size

    def forward(self, image):
        descriptors, logits, reliability = self.network(image)
        # A cell's 64 pixels, row by row; the 65th logit stands for no keypoint.
        probabilities = torch.softmax(logits, dim=1)[:, : CELL * CELL]
        heatmap = torch.nn.functional.pixel_shuffle(probabilities, CELL)
        if self.full_size:
            reliability = torch.nn.functional.interpolate(
                reliability, size=heatmap.shape[-2:], mode="bilinear", align_corners=False
            )
        return torch.nn.functional.normalize(descriptors, dim=1), heatmap, reliability


def build(args):
    from kornia.feature.xfeat import XFeatModel

    network = XFeatModel()
    if args.checkpoint:
        network.load_state_dict(torch.load(args.checkpoint, map_location="cpu", weights_only=True))
    else:
        seeded_weights.fill(network, args.random_weights, scale=HEAD_SCALES)
    height, width = args.input
    if height % 32 or width % 32:
        raise SystemExit(f"--input takes multiples of 32, not {height} and {width}")
    outputs = ["descriptors", "heatmap", "reliability"]
    axes = {}
    if args.dynamic:
        axes = {name: {0: "batch", 2: f"{name}_height", 3: f"{name}_width"} for name in ["image", *outputs]}
    backbone = Backbone(network.eval(), not args.reliability_at_cells)
    return Network(backbone, torch.rand(1, 3, height, width), ["image"], outputs, axes, {"task": "features"})
