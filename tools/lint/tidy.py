#!/usr/bin/env python3
"""Runs clang-tidy with .clang-tidy on our sources, tests left out, as the release preset compiles them.

    tidy.py [SOURCE…]

Most of clang-tidy's time goes into the headers of other projects, which it reads and searches for each source anew. So sources of one
target are read together, as one that includes them all. Where names of two sources clash, the later one goes into the next group.
That each source includes what it uses is the compiler's business, not this check's.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = ROOT / "build/release/compile_commands.json"
FOLDER = ROOT / "build/lint"
# Large enough that headers count little, small enough that two processors end at about the same time.
GROUP = 14
# Host versions of kernels are no files of their own: the build includes them in what it generates.
EXCLUDED = re.compile(r"_test\.cpp$|_host\.cpp$|/testing/|/compile_fail/")
# The sources are included, so that they count as headers.
REPORTED = r"/(vrt|apps)/.*\.(h|cpp)$"


def all_sources():
    files = (path.relative_to(ROOT).as_posix() for folder in ("vrt", "apps") for path in (ROOT / folder).rglob("*.cpp"))
    return sorted(file for file in files if not EXCLUDED.search(file))


def flags_in(command):
    """The standard, definitions and include folders of a command, each as a tuple of its words."""
    words = shlex.split(command)
    for word, value in zip(words, words[1:] + [""]):
        if word.startswith(("-std=", "-D", "-I")):
            yield (word,)
        elif word == "-isystem":
            yield word, value


def sources_of_targets(wanted):
    """Maps each target to {source: flags}. A source of several targets counts for the first; one of none stands alone."""
    targets, left = {}, set(wanted)
    for entry in json.loads(COMMANDS.read_text()):
        source = os.path.relpath(entry["file"], ROOT)
        if source in left:
            left.remove(source)
            target = re.search(r"CMakeFiles/([^/]+)\.dir/", entry["command"])[1]
            targets.setdefault(target, {})[source] = list(flags_in(entry["command"]))
    for source in left:
        targets[source.replace("/", "_")] = {source: [("-std=c++20",), (f"-I{ROOT}",)]}
    return targets


class Group:
    def __init__(self, name, sources):
        self.sources = list(sources)
        self.file = FOLDER / f"{name}.cpp"
        self.file.write_text("".join(f'#include "{source}"\n' for source in sources))
        flags = dict.fromkeys(flag for own in sources.values() for flag in own)
        self.flags = [word for flag in flags for word in flag] + ["-w"]

    def clashing(self):
        """Those of its sources in which the compiler finds errors."""
        command = ["clang++-14", "-fsyntax-only", "-ferror-limit=0", *self.flags, str(self.file)]
        errors = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stderr
        if " error: " not in errors:
            return []
        places = re.findall(r"^(\S+?):\d+:\d+: (?:fatal )?error: ", errors, re.MULTILINE)
        found = {os.path.relpath(place, ROOT) for place in places}
        return [source for source in self.sources if source in found] or self.sources[1:]

    def tidy(self):
        command = ["clang-tidy-14", "--quiet", "--warnings-as-errors=*", f"--header-filter={REPORTED}", str(self.file), "--", *self.flags]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        complaints = [line for line in result.stderr.splitlines() if " warnings generated" not in line and "warning generated" not in line]
        return result.returncode, result.stdout + "".join(line + "\n" for line in complaints)


def groups_of(target, sources):
    """Groups of sources that can be read together: one, where no names clash."""
    pending = [list(sources)]
    count = 0
    while pending:
        group = Group(f"{target}_{count}", {name: sources[name] for name in pending.pop(0)})
        count += 1
        clashing = group.clashing() if len(group.sources) > 1 else []
        if clashing:
            # The first source of a group cannot clash with those before it: what is wrong there is wrong alone, and clang-tidy says so.
            apart = [name for name in clashing if name != group.sources[0]] or group.sources[1:]
            pending.append(apart)
            group = Group(group.file.stem, {name: sources[name] for name in group.sources if name not in apart})
        yield group


def check_target(target_and_sources):
    target, sources = target_and_sources
    return [group.tidy() for group in groups_of(target, sources)]


def main():
    wanted = [os.path.relpath(pathlib.Path(name).resolve(), ROOT) for name in sys.argv[1:]] or all_sources()
    FOLDER.mkdir(parents=True, exist_ok=True)
    # A large target in parts, so that its groups run beside each other.
    parts = [(f"{target}_{at}", dict(list(sources.items())[at : at + GROUP]))
             for target, sources in sources_of_targets(wanted).items() for at in range(0, len(sources), GROUP)]
    parts.sort(key=lambda part: -len(part[1]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [result for part in pool.map(check_target, parts) for result in part]
    failed = [output for code, output in results if code != 0]
    print(*failed, sep="\n", end="", file=sys.stderr)
    print(f"clang-tidy: {len(wanted)} files in {len(results)} groups")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
