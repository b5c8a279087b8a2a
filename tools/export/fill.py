#!/usr/bin/env python3
"""Makes an ONNX file of a skeleton: the very file that export.py wrote beside it, without the packages that it was exported with.

    export.py xfeat --random-weights 7 --output xfeat.onnx --skeleton xfeat.skeleton      (once, with PyTorch)
    fill.py xfeat.skeleton xfeat.onnx                                                     (anywhere, with ONNX and NumPy)

The weights are drawn again from the seed; the digest that the skeleton has of the file is compared.
"""

import argparse
import pathlib

import onnx

import skeleton


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("skeleton", type=pathlib.Path, help="what export.py --skeleton wrote")
    parser.add_argument("output", type=pathlib.Path, help="the ONNX file to write")
    args = parser.parse_args()
    try:
        model = skeleton.read(args.skeleton)
        skeleton.fill(model)
    except (OSError, ValueError) as error:
        raise SystemExit(f"{args.skeleton}: {error}") from error
    onnx.save(model, args.output)
    print(f"{args.output}: {args.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
