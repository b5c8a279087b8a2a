"""docs/errors.md: each message that it quotes is one of the sources, and no kind of error is left out."""

import os
import re
import shlex
import subprocess
import tempfile
import unittest

from pages import ROOT

PAGE = (ROOT / "docs/errors.md").read_text()
STRINGS = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"\s*)+')
TABLE = re.compile(r"^\| message \|.*\n\| ---.*\n((?:\|.*\n)+)", re.MULTILINE)
ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
COMMAND = re.compile(r"^\| `vrt ([^`]*)` \| `vrt: ([^`]+)` \|", re.MULTILINE)


def literals():
    """The string literals of the library and the tool; neighbours joined, escapes resolved, {} as an ellipsis."""
    for folder in ("vrt", "apps"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in (".cpp", ".h") or "_test." in path.name or "/testing/" in path.as_posix():
                continue
            for group in STRINGS.findall(path.read_text()):
                text = "".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', group))
                yield re.sub(r"\{[^{}]*\}", "…", text.replace('\\"', '"'))


class ErrorsTest(unittest.TestCase):
    def test_every_code_has_a_section(self):
        header = (ROOT / "vrt/base/error.h").read_text()
        codes = re.findall(r"^  (k\w+),", header[header.index("enum class ErrorCode") :], re.MULTILINE)
        self.assertGreater(len(codes), 10)
        for code in codes:
            with self.subTest(code=code):
                self.assertRegex(PAGE, rf"(?m)^### `{code}`")

    def test_quoted_messages_are_those_of_the_sources(self):
        known = list(literals())
        messages = [message for table in TABLE.findall(PAGE) for message in ROW.findall(table)]
        self.assertGreater(len(messages), 40)
        for message in messages:
            with self.subTest(message=message):
                self.assertTrue(any(message in text for text in known), f"no source says: {message}")

    def test_wrong_usage_is_answered_as_shown(self):
        commands = COMMAND.findall(PAGE)
        self.assertGreater(len(commands), 5)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.environ["VRT_TEST_CLIP"], f"{folder}/clip.mp4")
            for arguments, message in commands:
                with self.subTest(arguments=arguments):
                    result = subprocess.run(
                        [os.environ["VRT_PROGRAM"], *shlex.split(arguments)], cwd=folder, capture_output=True, text=True
                    )
                    self.assertEqual((result.returncode, result.stderr.strip()), (2, f"vrt: {message}"))


if __name__ == "__main__":
    unittest.main()
