"""Runs an example as its test: it must succeed, print what is expected, and write the file that it promises.

    run_example.py EXPRESSION [--writes FILE] -- PROGRAM ARGUMENTS…
"""

import argparse
import pathlib
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("expression", help="regular expression that the whole output matches")
    parser.add_argument("--writes", type=pathlib.Path)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    if arguments.writes:
        arguments.writes.unlink(missing_ok=True)
    run = subprocess.run(arguments.command, capture_output=True, text=True)
    print(run.stdout, run.stderr, sep="")
    if run.returncode != 0:
        sys.exit(f"exit status {run.returncode}")
    if not re.fullmatch(arguments.expression, run.stdout):
        sys.exit(f"the output does not match {arguments.expression}")
    if arguments.writes and arguments.writes.stat().st_size == 0:
        sys.exit(f"{arguments.writes} is empty")


if __name__ == "__main__":
    main()
