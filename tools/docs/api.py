#!/usr/bin/env python3
"""Makes the API reference of the public headers with Doxygen; fails if it warns.

    tools/docs/api.py OUTPUT_FOLDER

Doxygen reads the same comments as people do, with one help: the comment that opens a header (plain `//`) is handed to
it as the file's description, its indented lines as code (this script is Doxygen's INPUT_FILTER, too).
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/lint"))
# Headers that are public for tests or for generated code, not for users.
NOT_FOR_USERS = re.compile(r"/(emulator|testing|compile_fail|cuda)/|/prelude_|/host_kernel\.h")
FOR_TESTS = re.compile(r"// For (the layer's )?tests")

# Members whose names say all: accessors, fields, enumerators.
SAYS_ALL = re.compile(
    r"Member .* of (class|struct) .* is not documented|\(enumvalue\) of|parameters of member .* are not"
)


def public_headers():
    from check_layers import is_public_header

    texts = {path.relative_to(ROOT).as_posix(): path.read_text() for path in sorted((ROOT / "vrt").rglob("*.h"))}
    return [
        path
        for path, text in texts.items()
        if is_public_header(path, text) and not NOT_FOR_USERS.search(path) and not FOR_TESTS.match(text)
    ]


def filtered(path, text):
    """The header with its opening comment as a file description."""
    lines = text.splitlines()
    count = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    opening = []
    for line in lines[:count]:
        body = line[2:]
        opening.append("///" + (re.sub(r"^ {3}", " " * 6, body) if body.startswith("   ") else body))
    # In front of the first line's own words, so that line numbers of warnings stay true.
    if opening:
        opening[0] = f"/** @file {path} */ {opening[0]}"
    return "\n".join(opening + lines[count:]) + "\n"


def configuration(output):
    settings = (ROOT / "docs/Doxyfile").read_text()
    headers = " ".join(str(ROOT / path) for path in public_headers())
    version = re.search(r"project\(vrt VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    return f"""{settings}
INPUT = {headers}
OUTPUT_DIRECTORY = {output}
PROJECT_NUMBER = {version}
STRIP_FROM_PATH = {ROOT}
STRIP_FROM_INC_PATH = {ROOT}
INPUT_FILTER = "{sys.executable} {__file__} --filter"
"""


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--filter":
        sys.stdout.write(filtered(sys.argv[2], pathlib.Path(sys.argv[2]).read_text()))
        return
    output = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("doxygen") is None:
        sys.exit("doxygen is missing; install it (Debian: apt-get install doxygen)")
    output.mkdir(parents=True, exist_ok=True)
    run = subprocess.run(["doxygen", "-"], input=configuration(output), text=True, cwd=ROOT, capture_output=True)
    warnings = [line for line in run.stderr.splitlines() if not SAYS_ALL.search(line)]
    if run.returncode != 0 or warnings:
        sys.exit("\n".join(["the API reference has warnings:", *warnings]))
    print(f"API reference of {len(public_headers())} headers: {os.path.relpath(output)}/html/index.html")


if __name__ == "__main__":
    main()
