#!/usr/bin/env python3
"""Fails where a function is too long: none over 60 lines, and nine in ten within 15 (tests count for the first only).

Lengths are those of lizard, code lines without blank and comment lines. Run with the Python of .venv/, which has it.
"""

import pathlib
import sys

import lizard

LONGEST = 60
MOST_WITHIN = 15
SHARE = 0.9
SUFFIXES = {".h", ".cpp", ".cu"}
FOLDERS = ("vrt", "apps", "bench", "examples", "tests", "tools")


def functions_in(root):
    """Yields (path, function) for every function of our sources."""
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in SUFFIXES:
                path = file.relative_to(root).as_posix()
                # The name decides the language: a .cu file is C++ to lizard.
                found = lizard.analyze_file.analyze_source_code(path.replace(".cu", ".cpp"), file.read_text())
                for function in found.function_list:
                    yield path, function


def is_test(path):
    return path.endswith("_test.cpp") or path.startswith("tests/") or "/testing/" in path


def main():
    functions = list(functions_in(pathlib.Path(__file__).resolve().parents[2]))
    too_long = [(path, f) for path, f in functions if f.nloc > LONGEST]
    for path, f in too_long:
        print(f"{path}:{f.start_line}: {f.name} has {f.nloc} lines, more than {LONGEST}")
    lengths = sorted(f.nloc for path, f in functions if not is_test(path))
    p90 = lengths[int(len(lengths) * SHARE)] if lengths else 0
    print(f"functions: {len(lengths)} outside tests, nine in ten within {p90} lines (limit {MOST_WITHIN})")
    if p90 > MOST_WITHIN:
        longest = sorted((f.nloc, path, f.name) for path, f in functions if not is_test(path))[-20:]
        print("the longest:", *(f"  {lines:3} {path} {name}" for lines, path, name in reversed(longest)), sep="\n")
    return 1 if too_long or p90 > MOST_WITHIN else 0


if __name__ == "__main__":
    sys.exit(main())
