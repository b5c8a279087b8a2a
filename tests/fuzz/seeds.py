#!/usr/bin/env python3
"""Writes what the fuzzers start from: small pictures and videos of each kind, values, EXIF, ONNX files. seeds.py FOLDER"""

import io
import json
import pathlib
import sys

import cv2
import numpy as np
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/models"))
from make_test_networks import dynamic_batch, grid_sample, integer_outputs, resize, top_k  # noqa: E402

# Of the source fuzzer's names the first byte chooses one: a.mp4, a.png, a.mjpeg, a.mkv.
MP4, PNG, MJPEG, MKV = (bytes([n]) for n in range(4))


# As vrt/engine/manifest.h writes it.
MANIFEST = json.dumps({
    "schema": "vrt-engine-1",
    "sources": [{"path": "/a.onnx", "bytes": 12, "sha256": "a" * 64}],
    "key": {
        "sources": ["a" * 64],
        "settings": {
            "input_shapes": {"": [1, 3, 64, 96]}, "precision": "float16", "batch_smallest": 1, "batch_typical": 2,
            "batch_largest": 4, "workspace_bytes": 0, "optimization_level": -1, "hardware_compatible": False,
            "throughput": False, "concurrent_sessions": 1, "threads": 0,
        },
        "builder": {"name": "openvino", "version": "1", "module": "0", "vrt": "0.1.0"},
        "target": {"name": "cpu", "architecture": "x86-64", "driver": ""},
    },
    "built": {"library": "/l.so", "device": "cpu", "driver": "", "created": "2026-11-30T12:53:30Z", "seconds": 1.5},
    "layers": {"precisions": {"float16": 3}, "weights_bytes": 5, "activation_bytes": 6},
    "preparation": {"converted_nodes": 3, "kept_count": 1, "kept": [{"name": "s", "type": "Softmax", "reason": "sums"}]},
    "files": [{"path": "engine.bin", "bytes": 7, "sha256": "a" * 64}],
    "accuracy": {
        "reference": "openvino 1", "runs": 8, "samples": "",
        "outputs": [{"name": "o", "largest_difference": 0.5, "share_of_range": 0.01, "cosine": 0.9995}],
    },
})  # fmt: skip


def pictures():
    picture = Image.fromarray(np.random.default_rng(0).integers(0, 255, (12, 16, 3), dtype=np.uint8))
    exif = Image.Exif()
    exif[0x0112] = 6
    for kind in ("PNG", "JPEG", "BMP", "TIFF", "WEBP", "GIF", "PPM"):
        buffer = io.BytesIO()
        picture.save(buffer, kind, **({"exif": exif} if kind in ("PNG", "JPEG", "TIFF", "WEBP") else {}))
        yield kind, buffer.getvalue()
    for kind in ("PNG", "GIF", "WEBP"):
        buffer = io.BytesIO()
        picture.save(buffer, kind, save_all=True, append_images=[picture.rotate(180)], duration=100)
        yield "animated " + kind, buffer.getvalue()


def video(folder, end, code):
    path = folder / f"video.{end}"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*code), 25, (32, 32))
    for number in range(4):
        writer.write(np.full((32, 32, 3), 60 * number, np.uint8))
    writer.release()
    content = path.read_bytes()
    path.unlink()
    return content


def models():
    """The test networks that are small, for each of a few options."""
    for make in (resize, dynamic_batch, grid_sample, top_k, integer_outputs):
        content = make().model().SerializeToString()
        for options in (0, 1, 3):
            yield f"{make.__name__} {options}", bytes([options]) + content


def write(folder, seeds):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in seeds:
        (folder / name.replace(" ", "_")).write_bytes(content)


def main():
    folder = pathlib.Path(sys.argv[1])
    made = list(pictures())
    jpeg = dict(made)["JPEG"]
    source = folder / "source"
    source.mkdir(parents=True, exist_ok=True)
    videos = [("mp4", MP4 + video(source, "mp4", "mp4v")), ("mkv", MKV + video(source, "mkv", "mp4v"))]
    write(source, [(name, PNG + content) for name, content in made] + videos + [("mjpeg", MJPEG + jpeg * 3)])
    write(folder / "orientation", made)
    write(folder / "surgery", models())
    write(folder / "values", [(str(n), text) for n, text in enumerate((b"auto", b"cpu", b"cuda:0", b"17", b"-1", b"1e9"))])
    write(folder / "json_line", [("text", 'caf\u00e9 "1"\n'.encode() * 4), ("numbers", bytes(range(256)))])
    write(folder / "backend", [("text", b"\x10a line\nof text")])
    write(folder / "manifest", [("whole", MANIFEST.encode()), ("empty", b"{}")])
    write(folder / "registry", [("name", b"centerface"), ("path", b"/tmp/models")])


if __name__ == "__main__":
    main()
