#!/usr/bin/env python3
"""Write a compilation database for clang-tidy: clang_compile_commands.py BUILD_FOLDER OUTPUT_FOLDER

Sources that tests compile again stand in CMake's database once a target, and clang-tidy would read them as often; and tests come with a
header that GCC has precompiled, which Clang refuses. The result has each source once, without that header.
"""
import json
import pathlib
import shlex
import sys


def without_precompiled_header(arguments: list[str]) -> list[str]:
    kept = []
    for argument in arguments:
        if argument.endswith("/cmake_pch.hxx") and kept[-1:] == ["-include"]:
            kept.pop()
        elif argument != "-Winvalid-pch":
            kept.append(argument)
    return kept


def main() -> None:
    build, output = map(pathlib.Path, sys.argv[1:])
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        # A library's own entry comes without the header; a test's is taken where a source has no other.
        if entry["file"] not in entries or "cmake_pch.hxx" not in entry["command"]:
            entries[entry["file"]] = entry
    for entry in entries.values():
        entry["command"] = shlex.join(without_precompiled_header(shlex.split(entry["command"])))
    output.mkdir(parents=True, exist_ok=True)
    (output / "compile_commands.json").write_text(json.dumps(list(entries.values()), indent=1))


if __name__ == "__main__":
    main()
