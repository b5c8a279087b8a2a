"""Driving the built tool: paths come from the environment that CTest sets."""

import json
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
import zlib

PROGRAM = os.environ["VRT_PROGRAM"]
CLIP = os.environ["VRT_TEST_CLIP"]
MODEL = os.environ["VRT_TEST_CENTERFACE"]
SOURCE_DIR = pathlib.Path(os.environ["VRT_SOURCE_DIR"])


def vrt(*arguments, program=PROGRAM, environment=None, timeout=240, **options):
    """Runs the tool to its end; standard output and error as text. `options` go to subprocess.run."""
    return subprocess.run(
        [program, *map(str, arguments)],
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, **(environment or {})},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def without_progress(errors):
    """A standard error without the lines that a slow machine gets while a network is compiled."""
    return re.sub(r"(?m)^network: .*\n", "", errors)


def write_png(path, width, height, grey):
    """A uniform picture, written by the letter of the PNG specification."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress((b"\0" + bytes([grey]) * width) * height))
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + header + rows + chunk(b"IEND", b""))


class ToolTest(unittest.TestCase):
    """A test with a folder of its own, which must hold only what the tool was asked for."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def names(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))

    def assert_refused(self, result, code, *words):
        """Ended with that code, one line on the standard error that holds the words, and nothing on the standard output."""
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(without_progress(result.stderr), r"\Avrt: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, result.stderr)
