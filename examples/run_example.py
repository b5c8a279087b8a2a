"""Runs an example as its test: it must succeed, print what is expected, and write the file that it promises.

    run_example.py EXPRESSION [--writes FILE] [--status N] [--needs-gpu] -- PROGRAM ARGUMENTS…

With --status it must fail with that status instead and say on standard error what is expected. With --needs-gpu it may also end with
status 77, saying what is missing, where there is no GPU.
"""

import argparse
import pathlib
import re
import subprocess
import sys

NO_GPU = 77


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("expression", help="regular expression that the whole output matches")
    parser.add_argument("--writes", type=pathlib.Path)
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--needs-gpu", action="store_true")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    if arguments.writes:
        arguments.writes.unlink(missing_ok=True)
    run = subprocess.run(arguments.command, capture_output=True, text=True)
    print(run.stdout, run.stderr, sep="")
    expected, expression = arguments.status, arguments.expression
    if arguments.needs_gpu and run.returncode == NO_GPU:
        expected, expression = NO_GPU, "this lesson needs a CUDA device: .*(no CUDA driver|finds no GPU|no NVRTC).*\n"
    if run.returncode != expected:
        sys.exit(f"exit status {run.returncode}")
    if not re.fullmatch(expression, run.stderr if expected else run.stdout):
        sys.exit(f"the output does not match {expression}")
    if arguments.writes and arguments.writes.stat().st_size == 0:
        sys.exit(f"{arguments.writes} is empty")


if __name__ == "__main__":
    main()
