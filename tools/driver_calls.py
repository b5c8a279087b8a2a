#!/usr/bin/env python3
"""Runs a command and prints the CUDA driver calls that it made, those of every library in its processes: vrt's, PyTorch's, an engine's.

    tools/driver_calls.py -- build/release/bin/vrt_cuda_test
    tools/driver_calls.py --list -- python3 script.py

It puts the forwarding library (vrt/device/cuda/testing/forward) before the real driver. The exit status is the command's; 2 if the
library or the real driver is not there or the command cannot be started, 1 if the calls cannot be printed. Ctrl-C ends the command; its
calls are printed all the same.
"""

import argparse
import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "build/release/vrt/device/cuda/testing/forward/libcuda.so.1"


def cached_libraries():
    """Paths of libcuda.so.1 in the loader's cache."""
    try:
        cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout
    except OSError:
        return []
    entries = [line.strip() for line in cache.splitlines()]
    return [line.split("=>")[1].strip() for line in entries if re.match(r"libcuda\.so\.1 \(.*(x86-64|AArch64)", line)]


def real_driver():
    """The libcuda.so.1 that the command would load by itself; None if there is none."""
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    candidates = [os.path.join(folder, "libcuda.so.1") for folder in folders] + cached_libraries()
    return next((path for path in candidates if os.path.exists(path)), None)


def environment(library, real, log):
    before = os.environ.get("LD_LIBRARY_PATH", "")
    path = str(library.parent) + (f":{before}" if before else "")
    return {**os.environ, "LD_LIBRARY_PATH": path, "VRT_FORWARD_TO": real, "VRT_FORWARD_LOG": log}


def calls_of(log):
    """(thread, name) of each call in a process's log, in order."""
    return [tuple(line.split(" ", 2)[1:]) for line in log.read_text().splitlines()]


def report(process, calls, listed):
    threads = len({thread for thread, _ in calls})
    print(f"process {process}: {len(calls)} driver calls from {threads} threads")
    if listed:
        for number, (thread, name) in enumerate(calls):
            print(f"{number:8} {thread:>8} {name}")
    else:
        for name, count in collections.Counter(name for _, name in calls).most_common():
            print(f"{count:8} {name}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, default=LIBRARY, help="the forwarding libcuda.so.1")
    parser.add_argument("--real", help="the real libcuda.so.1; by default the one that the loader finds")
    parser.add_argument("--list", action="store_true", help="print each call in order instead of counts")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def run_and_report(arguments, real):
    # A handler that does nothing is, unlike an ignored signal, not inherited: the command has Ctrl-C as without this tool.
    signal.signal(signal.SIGINT, lambda *_: None)
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "%p")
        try:
            run = subprocess.run(arguments.command, env=environment(arguments.library.resolve(), real, log))
        except OSError as error:
            print(f"cannot start {arguments.command[0]}: {error.strerror}", file=sys.stderr)
            return 2
        logs = sorted(pathlib.Path(folder).iterdir(), key=lambda path: int(path.name))
        if not logs:
            print("no process opened the CUDA driver, or those that did were killed")
        for process in logs:
            report(process.name, calls_of(process), arguments.list)
    return run.returncode if run.returncode >= 0 else 128 - run.returncode


def main():
    arguments = parse()
    real = arguments.real or real_driver()
    if not arguments.library.exists():
        print(f"{arguments.library} is missing; build the target vrt_forward_cuda", file=sys.stderr)
        return 2
    if real is None:
        print("no libcuda.so.1 found; install the NVIDIA driver or give its path with --real", file=sys.stderr)
        return 2
    try:
        status = run_and_report(arguments, real)
        sys.stdout.flush()
    except OSError as error:
        print(f"cannot print the calls: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # For Python's own flush at its end.
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
