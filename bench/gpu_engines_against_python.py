#!/usr/bin/env python3
"""Networks on a GPU: vrt's engine beside PyTorch and ONNX Runtime's own Python, on the same weights, in one session.

    bench/gpu_engines_against_python.py --benchmark build/release/bin/vrt_gpu_benchmark [--models PATH …] [--keep DIR]

The networks are RT-DETRv2 and Depth Anything V2 (small) of `transformers` with seeded random weights, exported here, and every
ONNX file that --models names or that lies below a folder of it: a batch that it leaves open is 4. For each: the largest difference of vrt's outputs from PyTorch's (ONNX Runtime's,
where there is no PyTorch module), and GPU and host time by events: PyTorch eager, ONNX Runtime with I/O binding, vrt call by call,
vrt as one graph. FP32 without TF32 everywhere.

Needs PyTorch, transformers and onnxruntime-gpu in this Python, and VRT_ONNXRUNTIME where vrt does not find the library itself.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

SEED = 7
SAMPLES = 51
OPEN_BATCH = 4  # As vrt_gpu_benchmark takes it.
KINDS = 16  # Of integers: the test networks look them up in tables of as many rows.


def rt_detr(side=640, queries=300):
    import torch
    from transformers import RTDetrV2Config, RTDetrV2ForObjectDetection

    torch.manual_seed(SEED)
    config = RTDetrV2Config(num_queries=queries)
    config.backbone_config.out_features = ["stage2", "stage3", "stage4"]
    model = RTDetrV2ForObjectDetection(config).eval()

    class Outputs(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            found = self.model(pixel_values=image, return_dict=True)
            return found.logits, found.pred_boxes

    return Outputs().eval(), (1, 3, side, side), ["logits", "boxes"]


def rt_detr_every_query():
    """So small a picture that each place of the encoder's three maps becomes a query. With random weights places nearly tie, and which
    300 of 8,400 are chosen is decided by rounding; here only their order is, and the outputs are compared as sets."""
    return rt_detr(side=128, queries=16**2 + 8**2 + 4**2)


def depth_anything():
    import torch
    from transformers import DepthAnythingConfig, DepthAnythingForDepthEstimation, Dinov2Config

    torch.manual_seed(SEED)
    backbone = Dinov2Config(
        hidden_size=384, num_attention_heads=6, num_hidden_layers=12, image_size=518, patch_size=14,
        out_indices=[3, 6, 9, 12], apply_layernorm=True, reshape_hidden_states=False,
    )  # fmt: skip
    config = DepthAnythingConfig(
        backbone_config=backbone, reassemble_hidden_size=384, neck_hidden_sizes=[48, 96, 192, 384],
        fusion_hidden_size=64, depth_estimation_type="metric", max_depth=20,
    )  # fmt: skip
    model = DepthAnythingForDepthEstimation(config).eval()

    class Outputs(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, image):
            return self.model(pixel_values=image, return_dict=True).predicted_depth

    return Outputs().eval(), (1, 3, 392, 392), ["depth"]


def export(name, make, folder):
    """The module on the GPU, its ONNX file and its input."""
    import torch

    module, shape, outputs = make()
    path = folder / f"{name}.onnx"
    image = torch.rand(shape, generator=torch.Generator().manual_seed(SEED)) * 2 - 1
    with torch.no_grad():
        torch.onnx.export(module, (image,), str(path), input_names=["image"], output_names=outputs, opset_version=17,
                          dynamo=False)  # fmt: skip
    return module.cuda(), path, image.cuda()


def times(work):
    """Median GPU and host microseconds: the work runs in front of the first event too, so that the host is ahead if it can be."""
    import torch

    for _ in range(5):
        work()
    torch.cuda.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    gpu, host = [], []
    for _ in range(SAMPLES):
        work()
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        gpu.append(start.elapsed_time(end) * 1e3)
        before = time.perf_counter()
        work()
        host.append((time.perf_counter() - before) * 1e6)
        torch.cuda.synchronize()
    return statistics.median(gpu), statistics.median(host)


def onnxruntime_session(path):
    import onnxruntime
    import torch

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    stream = torch.cuda.current_stream().cuda_stream
    provider = ("CUDAExecutionProvider", {"use_tf32": "0", "user_compute_stream": str(stream)})
    return onnxruntime.InferenceSession(str(path), options, providers=[provider])


def bind(session, inputs):
    """I/O binding to PyTorch's memory; returns the function that runs, and its outputs."""
    import torch

    binding = session.io_binding()
    kinds = {"tensor(float)": torch.float32, "tensor(int64)": torch.int64, "tensor(bool)": torch.bool}
    numpy_kinds = {torch.float32: "float32", torch.int64: "int64", torch.bool: "bool"}
    for name, tensor in inputs.items():
        binding.bind_input(name, "cuda", 0, numpy_kinds[tensor.dtype], tuple(tensor.shape), tensor.data_ptr())
    import onnxruntime

    sample = session.run(None, {name: tensor.cpu().numpy() for name, tensor in inputs.items()})
    outputs = {}
    for output, value in zip(session.get_outputs(), sample):
        tensor = torch.empty(value.shape, dtype=kinds[output.type], device="cuda")
        binding.bind_output(output.name, "cuda", 0, numpy_kinds[tensor.dtype], tuple(tensor.shape), tensor.data_ptr())
        outputs[output.name] = tensor
    run_options = onnxruntime.RunOptions()
    run_options.add_run_config_entry("disable_synchronize_execution_providers", "1")
    return (lambda: session.run_with_iobinding(binding, run_options)), outputs


def run_vrt(benchmark, path, inputs, folder, extra):
    """vrt's report and its outputs, by name."""
    given, written = folder / "in", folder / "out"
    given.mkdir(exist_ok=True)
    written.mkdir(exist_ok=True)
    for name, tensor in inputs.items():
        (given / f"{name}.bin").write_bytes(tensor.cpu().numpy().tobytes())
    report = folder / "report.json"
    command = [benchmark, "engine", str(path), str(given), str(written), "--json", str(report), *extra]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or done.stdout.strip())
    return json.loads(report.read_text()), {file.stem: file.read_bytes() for file in written.glob("*.bin")}


def worst(found, expected):
    """The largest difference, as a share of the range of what was expected."""
    import numpy as np

    largest = 0.0
    for name, tensor in expected.items():
        wanted = tensor.detach().cpu().numpy()
        got = np.frombuffer(found[name], dtype=wanted.dtype).reshape(wanted.shape)
        if wanted.dtype.kind != "f":
            largest = max(largest, float(np.count_nonzero(got != wanted)))
            continue
        scale = max(float(wanted.max() - wanted.min()), 1e-6)
        largest = max(largest, float(np.abs(got - wanted).max()) / scale)
    return largest


def worst_of_sets(found, expected):
    """The same for [1, queries, …] outputs whose queries may come in another order: each query, all its outputs side by side and each
    output scaled to its range, beside its nearest one among the other's, both ways."""
    import numpy as np

    ours, theirs = [], []
    for name, tensor in expected.items():
        wanted = tensor.detach().cpu().numpy()
        scale = max(float(wanted.max() - wanted.min()), 1e-6)
        theirs.append(wanted[0] / scale)
        ours.append(np.frombuffer(found[name], dtype=wanted.dtype).reshape(wanted.shape)[0] / scale)
    ours, theirs = np.concatenate(ours, axis=1), np.concatenate(theirs, axis=1)
    distances = np.abs(ours[:, None, :] - theirs[None, :, :]).max(axis=2)
    spread = np.abs(theirs[:, None, :] - theirs[None, :, :]).max(axis=2)
    np.fill_diagonal(spread, np.inf)
    return float(max(distances.min(axis=0).max(), distances.min(axis=1).max())), float(np.median(spread.min(axis=1)))


def seeded_inputs(session):
    import torch

    generator = torch.Generator().manual_seed(SEED)
    inputs = {}
    for each in session.get_inputs():
        shape = [extent if isinstance(extent, int) else OPEN_BATCH for extent in each.shape]
        if each.type == "tensor(int64)":
            inputs[each.name] = torch.randint(KINDS, shape, generator=generator).cuda()
        else:
            inputs[each.name] = torch.rand(shape, generator=generator).cuda()
    return inputs


def models_in(paths):
    for path in paths:
        yield from sorted(path.rglob("*.onnx")) if path.is_dir() else [path]


def row_of(label, gpu, host):
    return f"  {label:<34} {gpu:10.1f} {host:10.1f}"


def difference_text(found, expected, as_sets):
    if not as_sets:
        return f"{worst(found, expected):.2e}"
    difference, spread = worst_of_sets(found, expected)
    return f"{difference:.2e} (queries as a set; a query's nearest neighbour is {spread:.2e} away)"


def measure(name, path, module, inputs, arguments, folder, precisions, as_sets=False):
    import torch

    print(name, flush=True)
    with torch.no_grad():
        run, ort_outputs = bind(onnxruntime_session(path), inputs)
        run()
        torch.cuda.synchronize()
        by_onnxruntime = {key: value.clone() for key, value in ort_outputs.items()}
        expected = by_onnxruntime
        if module is not None:
            results = module(*inputs.values())
            results = results if isinstance(results, tuple) else (results,)
            expected = dict(zip(expected, results))
            print(row_of("PyTorch eager", *times(lambda: module(*inputs.values()))))
        print(row_of("ONNX Runtime, I/O binding", *times(run)))
    for precision in precisions:
        try:
            report, found = run_vrt(arguments.benchmark, path, inputs, folder, ["--precision", precision])
        except RuntimeError as problem:
            print(f"  vrt {precision}: {problem}", flush=True)
            continue
        for row in report["rows"]:
            print(row_of(f"vrt {precision}, {row['what']}", row["gpu_us"], row["host_us"]))
        facts = report["facts"]
        print(f"  {facts['backend']}, opened in {facts['open_ms']:.0f} ms, graph's bits {facts['graph_bits']}")
        print(f"  largest difference, share of the range: {difference_text(found, expected, as_sets)}, "
              f"from ONNX Runtime's Python {difference_text(found, by_onnxruntime, as_sets)}", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("--models", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.cuda.set_stream(torch.cuda.Stream())
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; microseconds: GPU, host")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        makers = {"rt-detr-v2": rt_detr, "rt-detr-v2-every-query": rt_detr_every_query,
                  "depth-anything-v2-small": depth_anything}  # fmt: skip
        for name, make in makers.items():
            module, path, image = export(name, make, folder)
            measure(name, path, module, {"image": image}, arguments, folder, ("fp32", "fp16"), "rt-detr" in name)
        for path in models_in(arguments.models):
            name = path.parent.name if path.stem == "model" else path.stem
            measure(name, path, None, seeded_inputs(onnxruntime_session(path)), arguments, folder, ("fp32", "fp16"))


if __name__ == "__main__":
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
    main()
