#!/usr/bin/env python3
"""Writes a model as an ONNX file that vrt takes: from a checkpoint, or with weights from a seed for tests.

    export.py rf-detr --variant seg-nano --checkpoint rf-detr-seg-nano.pt --tokens --output seg.onnx
    export.py xfeat --random-weights 7 --output xfeat.onnx

Runs with the packages of requirements.txt beside this file; docs/export.md says where checkpoints come from. The file is
checked, its inputs and outputs are printed, and its metadata says what it was made from.
"""

import argparse
import hashlib
import importlib
import pathlib
import sys
import time

FAMILIES = {
    "rf-detr": "rf_detr",
    "depth-anything": "depth_anything",
    "xfeat": "xfeat",
    "osnet": "osnet",
    "yolo": "yolo",
    "classifier": "classifier",
}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="family", required=True)
    for name, module_name in FAMILIES.items():
        module = importlib.import_module(f"families.{module_name}")
        command = commands.add_parser(name, description=module.__doc__)
        source = command.add_mutually_exclusive_group(required=True)
        source.add_argument("--checkpoint", type=pathlib.Path, help="the file, or Depth Anything's folder")
        source.add_argument("--random-weights", type=int, metavar="SEED", help="weights from a seed, for tests")
        command.add_argument("--output", type=pathlib.Path, required=True, help="the ONNX file to write")
        command.add_argument(
            "--skeleton", type=pathlib.Path, help="with random weights: also a small file that fill.py makes whole"
        )
        module.add_arguments(command)
        command.set_defaults(module=module)
    return parser.parse_args(arguments)


def digest(path):
    """SHA-256 of a file, or of a folder's weights."""
    files = sorted(path.glob("*.safetensors")) or sorted(path.glob("*.bin")) if path.is_dir() else [path]
    result = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                result.update(block)
    return result.hexdigest()


def origin(args):
    """What the file was made from, for its metadata."""
    if args.checkpoint:
        return {"checkpoint": args.checkpoint.name, "checkpoint_sha256": digest(args.checkpoint)}
    return {"random_weights": args.random_weights}


def describe(path):
    import onnx

    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(path)
    for kind, values in (("input", model.graph.input), ("output", model.graph.output)):
        for value in values:
            shape = [axis.dim_param or axis.dim_value for axis in value.type.tensor_type.shape.dim]
            print(f"{kind} {value.name} {shape}")
    opset = next(entry.version for entry in model.opset_import if not entry.domain)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, opset {opset}, {len(model.graph.node)} nodes")


def write_skeleton(args):
    import onnx

    import skeleton
    from families import seeded_weights

    model = onnx.load(args.output)
    kept, total = skeleton.strip(model, args.random_weights, seeded_weights.DRAWN)
    skeleton.write(model, args.skeleton)
    size = args.skeleton.stat().st_size
    print(f"{args.skeleton}: {size / 1e3:.0f} kB, with {kept / 1e3:.0f} kB of the weights' {total / 1e6:.1f} MB in it")


def main():
    args = parse(sys.argv[1:])
    if args.skeleton and args.checkpoint:
        raise SystemExit("--skeleton is for --random-weights: a checkpoint's numbers come from nowhere else")
    if args.checkpoint and not args.checkpoint.exists():
        raise SystemExit(f"{args.checkpoint} does not exist")
    start = time.monotonic()
    from families import network

    if hasattr(args.module, "write"):  # a package with an export of its own
        args.module.write(args)
    else:
        network.write(args.module.build(args), args.output)
    network.add_metadata(args.output, origin(args))
    describe(args.output)
    if args.skeleton:
        write_skeleton(args)
    print(f"done in {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
