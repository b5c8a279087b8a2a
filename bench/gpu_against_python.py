#!/usr/bin/env python3
"""vrt on a GPU beside PyTorch, NPP and CuPy, in one session.

    bench/gpu_against_python.py --benchmark build/release/bin/vrt_gpu_benchmark [--keep FOLDER]

Runs the benchmark's modes preprocess, launch and jit, then the peers on the same GPU, and prints one table; a ratio above 1 means
that vrt takes less time. GPU times are medians by events with the work in one CUDA graph on both sides; in brackets the peer's without
a graph, where at one picture the host is what takes the time. Every peer computes the whole of what vrt does: uint8 rows of
RGB to normalised float planes of 640x640. What cannot be measured says why, and the exit status is then 1.

Needs PyTorch and CuPy; NPP is taken from CUDA's folders or from wheels. --keep leaves the benchmark's documents and the table's.
"""

import argparse
import ctypes
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIDE = 640
BATCHES = (1, 8, 64)
RING_BYTES = 256 << 20  # As vrt_gpu_benchmark: more than the L2 cache holds.
LEAST_LAUNCHES = 20
SAMPLES = 31
NPP_FOLDERS = ("/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib", "/usr/lib/*-linux-gnu", "/usr/lib64")


# --- PyTorch ---------------------------------------------------------------------------------------------------------


def torch_preparation(antialias):
    """What a program writes: pictures [N, H, W, 3] of uint8 to a network's input [N, 3, 640, 640]."""
    import torch

    mean = torch.zeros(1, 3, 1, 1, device="cuda")
    deviation = torch.ones(1, 3, 1, 1, device="cuda")

    def prepare(pictures):
        planes = pictures.permute(0, 3, 1, 2).float()
        small = torch.nn.functional.interpolate(
            planes, size=(SIDE, SIDE), mode="bilinear", align_corners=False, antialias=antialias
        )
        return ((small * (1 / 255) - mean) / deviation).contiguous()

    return prepare


def gpu_us(work):
    """The median of what the GPU needs for `work`, which runs once in front of the events too, as in bench/gpu_timing.h."""
    import torch

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    for _ in range(2):
        work()
    for _ in range(SAMPLES):
        work()
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times)


def captured(work):
    import torch

    work()  # Compiles and allocates.
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def times_of(prepare, pictures, frames):
    """Microseconds a batch as a graph, and a remark with those without one; the latter alone if it cannot be captured."""
    batches = len(pictures) // frames
    launches = -(-LEAST_LAUNCHES // batches) * batches

    def work():
        for i in range(launches):
            first = i % batches * frames
            prepare(pictures[first : first + frames])

    launched = gpu_us(work) / launches
    try:
        return gpu_us(captured(work)) / launches, f"{launched:.1f} without a graph"
    except RuntimeError as error:
        return launched, f"no graph: {first_line(error)}"


def first_line(error):
    return f"{type(error).__name__}: {(str(error).strip() or '-').splitlines()[0][:160]}"


def ring(height, width):
    import torch

    count = (RING_BYTES // (height * width * 3) // BATCHES[-1] + 1) * BATCHES[-1]
    return torch.randint(0, 256, (count, height, width, 3), dtype=torch.uint8, device="cuda")


def smooth(height, width):
    """A picture that brightens to the right and downwards, a little differently in each channel."""
    import torch

    down = torch.linspace(0, 100, height, device="cuda")[:, None, None]
    right = torch.linspace(0, 100, width, device="cuda")[None, :, None]
    return (down + right + torch.tensor([0.0, 20.0, 40.0], device="cuda")).round().to(torch.uint8)[None]


# --- NPP -------------------------------------------------------------------------------------------------------------


class NppSize(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class NppRectangle(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("x", "y", "width", "height")]


class NppStreamContext(ctypes.Structure):
    """As nppdefs.h of CUDA 12 and 13 lays it out."""

    _fields_ = [
        ("stream", ctypes.c_void_p),
        ("device", ctypes.c_int),
        ("multiprocessors", ctypes.c_int),
        ("threads_of_multiprocessor", ctypes.c_int),
        ("threads_of_block", ctypes.c_int),
        ("shared_bytes_of_block", ctypes.c_size_t),
        ("compute_major", ctypes.c_int),
        ("compute_minor", ctypes.c_int),
        ("stream_flags", ctypes.c_uint),
        ("reserved", ctypes.c_int),
    ]


def npp_folder():
    wheels = [f"{path}/nvidia/*/lib" for path in sys.path if path.endswith("-packages")]
    for pattern in (*wheels, *NPP_FOLDERS):
        for library in sorted(glob.glob(f"{pattern}/libnppig.so*"), reverse=True):
            return pathlib.Path(library).parent
    raise RuntimeError("no libnppig.so in the wheels or in CUDA's folders")


class Npp:
    """The chain of calls that makes a network's input of a picture: resize, convert, scale, to planes. No antialiasing."""

    LINEAR = 2

    def __init__(self):
        import torch

        folder = npp_folder()
        self.libraries = {}
        for name in ("nppc", "nppig", "nppidei", "nppial"):
            path = sorted(folder.glob(f"lib{name}.so*"))[0]
            self.libraries[name] = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        self.small = torch.empty(SIDE, SIDE, 3, dtype=torch.uint8, device="cuda")
        self.floats = torch.empty(SIDE, SIDE, 3, device="cuda")
        self.planes = torch.empty(BATCHES[-1], 3, SIDE, SIDE, device="cuda")
        self.scale = (ctypes.c_float * 3)(1 / 255, 1 / 255, 1 / 255)

    def context(self):
        import torch

        device = torch.cuda.get_device_properties(0)
        stream = torch.cuda.current_stream().cuda_stream
        return NppStreamContext(
            stream, 0, device.multi_processor_count, device.max_threads_per_multi_processor, 1024, 48 << 10, device.major,
            device.minor, 1 if stream else 0, 0,
        )  # fmt: skip

    def call(self, library, name, *arguments):
        function = getattr(self.libraries[library], name)
        function.restype = ctypes.c_int
        status = function(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} answers {status}")

    def prepare_one(self, picture, planes, context):
        height, width = picture.shape[:2]
        size, target = NppSize(width, height), NppSize(SIDE, SIDE)
        whole, all_of_target = NppRectangle(0, 0, width, height), NppRectangle(0, 0, SIDE, SIDE)
        pointer = lambda tensor: ctypes.c_void_p(tensor.data_ptr())  # noqa: E731
        bytes_row, floats_row, plane_row = (ctypes.c_int(SIDE * n) for n in (3, 12, 4))
        self.call("nppig", "nppiResize_8u_C3R_Ctx", pointer(picture), ctypes.c_int(width * 3), size, whole,
                  pointer(self.small), bytes_row, target, all_of_target, ctypes.c_int(self.LINEAR), context)  # fmt: skip
        self.call("nppidei", "nppiConvert_8u32f_C3R_Ctx", pointer(self.small), bytes_row, pointer(self.floats),
                  floats_row, target, context)  # fmt: skip
        self.call("nppial", "nppiMulC_32f_C3IR_Ctx", self.scale, pointer(self.floats), floats_row, target, context)
        outputs = (ctypes.c_void_p * 3)(*(planes[channel].data_ptr() for channel in range(3)))
        self.call("nppidei", "nppiCopy_32f_C3P3R_Ctx", pointer(self.floats), floats_row, outputs, plane_row, target, context)

    def prepare(self, pictures):
        context = self.context()
        for picture, planes in zip(pictures, self.planes):
            self.prepare_one(picture, planes, context)
        return self.planes[: len(pictures)]


# --- CuPy ------------------------------------------------------------------------------------------------------------


def cupy_launch_ns():
    """Host time of a launch of the kernel that vrt_gpu_benchmark launches, the stream drained between batches."""
    import cupy
    import numpy

    source = 'extern "C" __global__ void touch(int* __restrict__ out, int value) { if (value < 0) out[0] = value; }'
    touch = cupy.RawKernel(source, "touch")
    out, value = cupy.zeros(1, dtype=cupy.int32), numpy.int32(1)
    times = []
    for _ in range(500):
        cupy.cuda.get_current_stream().synchronize()
        begin = time.perf_counter_ns()
        for _ in range(100):
            touch((1,), (32,), (out, value))
        times.append((time.perf_counter_ns() - begin) / 100)
    return statistics.median(times)


def cupy_child(files):
    """In a process of its own: milliseconds that CuPy needs for vrt's sources, as its cache folder has them."""
    import cupy

    cupy.zeros(1)
    cupy.cuda.runtime.deviceSynchronize()  # The device is open when vrt's clock starts, too.
    prelude = (ROOT / "vrt/device/prelude_cuda.h").read_text()
    begin = time.perf_counter()
    for file in files:
        text = f'{prelude}#line 1 "{file}"\n{(ROOT / file).read_text()}'
        cupy.RawModule(code=text, options=("--std=c++17", "--fmad=false"), backend="nvrtc").compile()
    print((time.perf_counter() - begin) * 1e3)


def cupy_compile_ms(files):
    """With an empty cache and with a full one; medians of processes."""
    cold, cached = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            for times in (cold, cached):
                command = [sys.executable, __file__, "--cupy-child", *files]
                environment = {**os.environ, "CUPY_CACHE_DIR": folder}
                result = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
                if result.returncode != 0:
                    raise RuntimeError(result.stderr.strip().splitlines()[-1])
                times.append(float(result.stdout.split()[-1]))
    return statistics.median(cold), statistics.median(cached)


# --- The table -------------------------------------------------------------------------------------------------------


class Table:
    def __init__(self):
        self.rows = []
        self.missing = 0

    def add(self, subject, unit, ours, peer, measure):
        """`measure` gives the peer's value, or it and a remark."""
        row = {"subject": subject, "unit": unit, "vrt": ours, "peer": peer}
        try:
            value = measure()
            row["value"], row["remark"] = value if isinstance(value, tuple) else (value, "")
            row["ratio"] = row["value"] / ours
        except Exception as error:  # A library of the machine, in whatever way it fails; the others are measured all the same.
            row["remark"] = f"not measured: {first_line(error)}"
            self.missing += 1
        self.rows.append(row)
        print(self.line(row), flush=True)

    @staticmethod
    def header():
        return f"{'':44} {'vrt':>10} {'peer':>10} {'unit':4} {'ratio':>6}  peer"

    @staticmethod
    def line(row):
        value = f"{row['value']:10.1f}" if "value" in row else f"{'-':>10}"
        ratio = f"{row['ratio']:6.2f}" if "ratio" in row else f"{'-':>6}"
        remark = f" ({row['remark']})" if row["remark"] else ""
        return f"{row['subject']:44} {row['vrt']:10.1f} {value} {row['unit']:4} {ratio}  {row['peer']}{remark}"


def run_benchmark(binary, mode, folder):
    file = folder / f"{mode}.json"
    subprocess.run([binary, mode, "--json", file], check=True)
    print()
    return json.loads(file.read_text())


def by_what(report, field):
    return {row["what"]: row[field] for row in report["rows"]}


class Lazy:
    """Makes its object on first use, so that what is missing is told in the row that needs it."""

    def __init__(self, make):
        self.make = make
        self.made = None

    def get(self):
        if self.made is None:
            self.made = self.make()
        return self.made


def eager_times(antialias, pictures, frames):
    return times_of(torch_preparation(antialias), pictures.get(), frames)


def compiled_times(antialias, pictures, frames):
    import torch

    torch._dynamo.reset()  # Else every case counts against the limit of recompiling one function.
    return times_of(torch.compile(torch_preparation(antialias), dynamic=False), pictures.get(), frames)


def npp_times(npp, pictures, frames):
    """Times, and how far NPP's result is from PyTorch's on a smooth picture: rounding to 8 bits alone is a quarter of a step of 1/255.

    On noise the two are far apart, for NPP samples at other positions."""
    prepare = npp.get().prepare
    value, remark = times_of(prepare, pictures.get(), frames)
    one = smooth(*pictures.get().shape[1:3])
    steps = (prepare(one) - torch_preparation(False)(one)).abs().mean().item() * 255
    return value, f"{remark}; on a smooth picture {steps:.2f} steps of 1/255 from PyTorch on average"


def compare_preprocess(table, report):
    pictures, npp = Lazy(lambda: ring(1080, 1920)), Lazy(Npp)
    for row in report["rows"]:
        if (row["source"], row["format"], row["mode"]) != ("1920x1080", "rgb8", "stretch"):
            continue
        antialias, frames, ours = row["filter"] == "antialiased", row["frames"], row["gpu_us"]
        subject = f"1080p RGB to 640x640, {row['filter']}, {frames} pictures"
        table.add(subject, "us", ours, "PyTorch eager", lambda: eager_times(antialias, pictures, frames))  # noqa: B023
        table.add(subject, "us", ours, "torch.compile", lambda: compiled_times(antialias, pictures, frames))  # noqa: B023
        if not antialias:
            table.add(subject, "us", ours, "NPP, 4 calls a picture", lambda: npp_times(npp, pictures, frames))  # noqa: B023


def compare_jit(table, report):
    ours = by_what(report, "load_ms")
    files = [what.removeprefix("cold, ") for what in ours if what.endswith(".cu")]
    peer = Lazy(lambda: cupy_compile_ms(files))
    for kind, index in (("cold", 0), ("cached", 1)):
        for way in ("one by one", "side by side"):
            table.add(f"{len(files)} sources, {kind}, {way}", "ms", ours[f"{kind}, {way}"], "CuPy RawModule, one by one",
                      lambda: peer.get()[index])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", default=str(ROOT / "build/release/bin/vrt_gpu_benchmark"))
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the documents")
    parser.add_argument("--cupy-child", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cupy_child:
        return cupy_child(arguments.cupy_child)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        reports = {mode: run_benchmark(arguments.benchmark, mode, folder) for mode in ("preprocess", "launch", "jit")}
        table = Table()
        print(table.header())
        compare_preprocess(table, reports["preprocess"])
        launch = by_what(reports["launch"], "host_ns")
        table.add("launch, host time", "ns", launch["launch, vrt"], "CuPy RawKernel", cupy_launch_ns)
        compare_jit(table, reports["jit"])
        (folder / "against_python.json").write_text(json.dumps(table.rows, indent=1) + "\n")
    return 1 if table.missing else 0


if __name__ == "__main__":
    sys.exit(main())
