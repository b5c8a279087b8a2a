#!/usr/bin/env python3
"""Fails where a file includes a layer that docs/design.md does not allow it.

The table of layers in docs/design.md is the rule: "may use" counts transitively, "all above" means every row above.
Checked besides: every include of our own names its layer ("vrt/..."), and no public header includes a vendor's
header. A header is internal when the comment that opens it begins with "Internal".
"""

import pathlib
import re
import sys

SOURCE_SUFFIXES = {".h", ".cpp", ".cu"}
# Sources of projects that use vrt: they have a root of their own.
OTHER_PROJECTS = "tests/consumers/"
ROW = re.compile(r"^\|(?P<folders>[^|]+)\|[^|]*\|(?P<uses>[^|]+)\|\s*$")
FOLDER = re.compile(r"`([a-z_/]+?)/?`")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# The C library and POSIX headers that public headers may include; those of C++ have no dot and no folder.
PUBLIC_SYSTEM_HEADERS = {"stdint.h", "stddef.h"}
NOT_IN_PUBLIC_HEADERS = "no vendor or system header in public headers"


def layer_of(path):
    """'vrt/device/cpu/x.h' belongs to 'vrt/device', 'tests/x.cpp' to 'tests'."""
    parts = pathlib.PurePosixPath(path).parts
    return "/".join(parts[:2]) if parts[0] in ("vrt", "apps") else parts[0]


def parse_rules(design):
    """Maps each layer of the table to the layers it may include, itself and the transitive closure included."""
    rules = {}
    for line in design.splitlines():
        row = ROW.match(line)
        layers = FOLDER.findall(row["folders"]) if row else []
        if not layers:
            continue
        allowed = set(rules)
        if not re.fullmatch(r"all( above)?", row["uses"].strip()):
            allowed = set()
            for name in re.findall(r"[a-z]+", row["uses"]):
                if f"vrt/{name}" not in rules:
                    raise ValueError(f"docs/design.md: {layers[0]} may use '{name}', which is not a row above it")
                allowed |= rules[f"vrt/{name}"]
        for layer in layers:
            rules[layer] = allowed | {layer}
    if "vrt/base" not in rules:
        raise ValueError("docs/design.md: the table of layers was not found")
    return rules


def is_public_header(path, text):
    if not path.startswith("vrt/") or not path.endswith(".h") or "/testing/" in path:
        return False
    return not re.match(r"\s*//\s*Internal", text)


def vendor_include(target):
    return ("/" in target or "." in target) and target not in PUBLIC_SYSTEM_HEADERS


def check_file(path, text, rules):
    """Yields (line, message) for each include that is not allowed."""
    layer = layer_of(path)
    if layer not in rules:
        yield 1, f"the folder {layer} has no row in docs/design.md"
        return
    for include in INCLUDE.finditer(text):
        line = text.count("\n", 0, include.start(1)) + 1
        target = include[2]
        if include[1] == "<":
            if is_public_header(path, text) and vendor_include(target):
                yield line, f"<{target}>: {NOT_IN_PUBLIC_HEADERS}"
        elif not target.startswith(("vrt/", "apps/", "tests/", "bench/", "examples/")):
            yield line, f'"{target}": name it from the root of the repository'
        elif layer_of(target) not in rules[layer]:
            names = ", ".join(sorted(rules[layer] - {layer})) or "nothing"
            yield line, f"{layer} includes {layer_of(target)}; docs/design.md allows it {names}"


def check_tree(root):
    """Returns the number of files read and the list of violations."""
    rules = parse_rules((root / "docs/design.md").read_text())
    violations, count = [], 0
    for folder in ("vrt", "apps", "bench", "examples", "tests", "tools"):
        for file in sorted((root / folder).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix in SOURCE_SUFFIXES and not path.startswith(OTHER_PROJECTS):
                count += 1
                found = check_file(path, file.read_text(), rules)
                violations += [f"{path}:{line}: {message}" for line, message in found]
    return count, violations


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    count, violations = check_tree(root)
    print("\n".join(violations) if violations else f"layers: {count} files keep to docs/design.md")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
