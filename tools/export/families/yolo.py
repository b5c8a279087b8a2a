"""Ultralytics' networks by its own export, which writes `names`, `task` and `stride` into the file.

Raw heads give [B,4+classes+…,N] for suppression afterwards; `--end-to-end` takes the head that needs none, [B,300,6+…],
where the network has one (v10, 26). With masks there is a second output, the prototypes [B,32,H/4,W/4].
"""

import contextlib
import os
import pathlib
import shutil
import tempfile

from families import seeded_weights

COCO_CLASSES = 80


def add_arguments(parser):
    parser.add_argument("--architecture", help="with random weights: yolov8n, yolo11n-seg, yolo11n-pose, yolov10n, …")
    parser.add_argument("--input", type=int, nargs=2, metavar=("HEIGHT", "WIDTH"), default=(640, 640))
    parser.add_argument("--end-to-end", action="store_true", help="the head that needs no suppression")
    parser.add_argument("--dynamic", action="store_true", help="leave batch, height and width open")


@contextlib.contextmanager
def _working_folder():
    """A folder to run in: the package writes beside its input, and keeps settings; it must not install anything."""
    before = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(YOLO_CONFIG_DIR=folder, YOLO_AUTOINSTALL="false", YOLO_OFFLINE="true")
        os.chdir(folder)
        try:
            yield pathlib.Path(folder)
        finally:
            os.chdir(before)


def _random(args, folder):
    from ultralytics import YOLO
    from ultralytics.nn.tasks import yaml_model_load
    from ultralytics.utils import ROOT, YAML

    if not args.architecture:
        raise SystemExit("--random-weights needs --architecture: yolov8n, yolo11n-seg, yolo11n-pose, …")
    file = f"{args.architecture}.yaml"
    architecture = yaml_model_load(file)
    if "kpt_shape" in architecture:
        architecture["nc"] = 1  # people only, as the checkpoints; some of the architectures' files say 80 classes
    YAML.save(folder / file, architecture)
    model = YOLO(folder / file)
    seeded_weights.fill(model.model, args.random_weights, keep=r"\.dfl\.")
    if model.task == "pose":
        model.model.names = {0: "person"}
    elif model.model.model[-1].nc == COCO_CLASSES:
        model.model.names = YAML.load(ROOT / "cfg/datasets/coco.yaml")["names"]
    return model


def write(args):
    from families.network import OPSET

    output = args.output.absolute()
    checkpoint = args.checkpoint.absolute() if args.checkpoint else None
    output.parent.mkdir(parents=True, exist_ok=True)
    with _working_folder() as folder:
        if checkpoint:
            from ultralytics import YOLO

            model = YOLO(shutil.copy(checkpoint, folder))
        else:
            model = _random(args, folder)
        has_end = getattr(model.model.model[-1], "one2one_cv2", None) is not None
        if args.end_to_end and not has_end:
            raise SystemExit("--end-to-end: this network has no such head")
        written = model.export(
            format="onnx",
            imgsz=list(args.input),
            opset=OPSET,
            dynamic=args.dynamic,
            simplify=False,
            nms=False if args.end_to_end else None,
            device="cpu",
        )
        shutil.move(folder / written, output)
