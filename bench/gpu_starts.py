#!/usr/bin/env python3
"""Starts and ends of processes on a GPU, and what becomes of the kernel cache when a process is killed.

    bench/gpu_starts.py build/release/bin [--starts 100] [--kills 20] [--seed N]

1. vrt_cuda_exit_program, which leaves every object to the end of the process, again and again: exit status 0, nothing on the
   standard error.
2. Two processes at once that compile all kernels into one empty cache: both succeed, and a third finds every kernel there.
3. A process killed by SIGKILL at a random moment while it fills an empty cache; the next one succeeds and completes it.

Prints a summary; the exit status is 0 if all of it held.
"""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

WAYS = ("static", "leaked", "threads")
TIMEOUT = 120


def run(command, cache):
    """Starts a process whose kernel cache lies below `cache`."""
    environment = {**os.environ, "VRT_CACHE": str(cache)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def problem_of(process):
    """Waits for the process; what was wrong with it, or an empty text."""
    try:
        _, errors = process.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"still running after {TIMEOUT} s"
    if process.returncode < 0:
        return f"ended by {signal.Signals(-process.returncode).name}: {errors.strip()}"
    return f"status {process.returncode}: {errors.strip()}" if process.returncode or errors else ""


def entries(cache):
    return sorted(path.name for path in (pathlib.Path(cache) / "kernels").glob("[!.]*.kernels"))


class Checks:
    def __init__(self):
        self.failed = False

    def tell(self, subject, count, problems):
        self.failed = self.failed or bool(problems)
        print(f"{subject}: {count - len(problems)} of {count} as they should be", flush=True)
        for problem in problems:
            print(f"  {problem}")


def check_starts(checks, program, count):
    problems, seconds = [], []
    with tempfile.TemporaryDirectory() as cache:
        for i in range(count):
            begin = time.perf_counter()
            problem = problem_of(run([program, WAYS[i % len(WAYS)]], cache))
            seconds.append(time.perf_counter() - begin)
            if problem:
                problems.append(f"start {i + 1} ({WAYS[i % len(WAYS)]}): {problem}")
    checks.tell(f"starts and ends, {sorted(seconds)[count // 2]:.2f} s each", count, problems)


def fill(fill_command):
    """One process on an empty cache: its seconds, its entries, its problem."""
    with tempfile.TemporaryDirectory() as cache:
        begin = time.perf_counter()
        problem = problem_of(run(fill_command, cache))
        return time.perf_counter() - begin, entries(cache), problem


def check_two_at_once(checks, fill_command, expected):
    with tempfile.TemporaryDirectory() as cache:
        pair = [run(fill_command, cache) for _ in range(2)]
        problems = [problem for problem in map(problem_of, pair) if problem]
        if entries(cache) != expected:
            problems.append(f"{len(entries(cache))} entries; expected {len(expected)}")
        if problem := problem_of(run(fill_command, cache)):
            problems.append(f"the process after them: {problem}")
    checks.tell("two processes on an empty cache, its entries, and one after them", 4, problems)


def kill_and_run(fill_command, seconds, expected):
    """Kills a process that fills an empty cache after `seconds`. How many entries it left (None if it had ended before), and the
    problem of the process after it."""
    with tempfile.TemporaryDirectory() as cache:
        process = run(fill_command, cache)
        time.sleep(seconds)
        process.kill()
        process.communicate()
        if process.returncode == 0:
            return None, ""
        left = len(entries(cache))
        problem = problem_of(run(fill_command, cache))
        if not problem and entries(cache) != expected:
            problem = f"{len(entries(cache))} entries after it; expected {len(expected)}"
        return left, problem


def check_kills(checks, fill_command, expected, fill_seconds, count, seed):
    moments = random.Random(seed)
    problems, left_by = [], []
    for _ in range(5 * count):
        if len(left_by) == count:
            break
        moment = moments.uniform(0, fill_seconds)
        left, problem = kill_and_run(fill_command, moment, expected)
        if left is None:  # It had ended: that was no kill.
            continue
        left_by.append(str(left))
        if problem:
            problems.append(f"killed after {moment:.3f} s: {problem}")
    if len(left_by) < count:
        problems.append(f"only {len(left_by)} processes were still running when they were to be killed")
    print(f"entries that the killed left, of {len(expected)}: {' '.join(left_by)}")
    checks.tell(f"runs after a SIGKILL, seed {seed}", count, problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="of vrt_cuda_exit_program and vrt_gpu_benchmark")
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    checks = Checks()
    check_starts(checks, arguments.folder / "vrt_cuda_exit_program", arguments.starts)
    fill_command = [arguments.folder / "vrt_gpu_benchmark", "jit-child", "async"]
    seconds, expected, problem = fill(fill_command)
    if problem or not expected:
        sys.exit(f"a process alone on an empty cache: {problem or 'left no entry'}")
    print(f"filling a cache with {len(expected)} entries takes {seconds:.2f} s")
    check_two_at_once(checks, fill_command, expected)
    check_kills(checks, fill_command, expected, seconds, arguments.kills, arguments.seed)
    print("all held" if not checks.failed else "NOT all held")
    return int(checks.failed)


if __name__ == "__main__":
    sys.exit(main())
