#!/usr/bin/env python3
"""Writes docs/cli-reference.md from the built tool's own --help.

    tools/docs/cli_reference.py build/release/bin/vrt            writes the page
    tools/docs/cli_reference.py build/release/bin/vrt --check    fails if the page is not what would be written
"""

import difflib
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/cli-reference.md"
HEAD = """# The command line: reference

Written by `tools/docs/cli_reference.py` from the tool's own `--help`: do not edit. [cli.md](cli.md) explains it.
"""


def help_of(tool, *command):
    return subprocess.run([tool, *command, "--help"], check=True, capture_output=True, text=True).stdout.strip()


def commands_in(text):
    """The names in the list of commands that a help text ends with; none if it has no such list."""
    commands = re.search(r"^Subcommands:\n((?:  .*\n?)+)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)", commands[1], re.MULTILINE) if commands else []


def sections(tool, *command):
    """The page's sections for a command and those below it."""
    text = help_of(tool, *command)
    title = " ".join(("vrt", *command))
    below = [sections(tool, *command, name) for name in commands_in(text)]
    return f"\n## {title}\n\n```text\n{text}\n```\n" + "".join(below)


def page_of(tool):
    if not commands_in(help_of(tool)):
        raise SystemExit("vrt --help lists no commands")
    return HEAD + sections(tool)


def words_of(page):
    """A page's lines without what CLI11's versions lay out differently: where defaults stand (`TEXT=auto`, `TEXT [auto]`), columns."""
    lines = []
    for line in page.splitlines():
        if line.startswith("  -"):
            line = re.sub(r"=\S+(?=\s|$)| \[[^\]\s]+\](?=\s|$)", "", line, count=1)
        indented = line.startswith("      ")
        words = " ".join(line.split())
        if indented and lines:  # The description of an option whose name took a line.
            lines[-1] = f"{lines[-1]} {words}".strip()
        else:
            lines.append(words)
    return lines


def main():
    page = page_of(sys.argv[1])
    if sys.argv[2:] != ["--check"]:
        PAGE.write_text(page)
        return
    written, printed = words_of(PAGE.read_text()), words_of(page)
    difference = list(difflib.unified_diff(written, printed, str(PAGE), "vrt --help", lineterm=""))
    if difference:
        raise SystemExit("\n".join(difference + [f"run tools/docs/cli_reference.py {sys.argv[1]}"]))


if __name__ == "__main__":
    main()
