"""The commands that the documentation shows: `vrt` is run, of make and CMake the targets and presets exist."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from PIL import Image

from pages import FENCED, ROOT, pages

TOOL = os.environ["VRT_PROGRAM"]


def commands_of(text):
    """The command lines of the blocks marked sh, comments dropped."""
    for language, block in FENCED.findall(text):
        if language != "sh":
            continue
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if words:
                yield line, words


def check_make(test, words):
    for target in words[1:]:
        test.assertRegex((ROOT / "Makefile").read_text(), rf"(?m)^([\w-]+ )*{re.escape(target)}( [\w-]+)*:")


def check_preset(test, words):
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    names = {preset["name"] for preset in presets["configurePresets"] if not preset.get("hidden")}
    for preset in re.findall(r"--preset(?: |=)(\S+)", " ".join(words)):
        test.assertIn(preset, names)


class CommandsTest(unittest.TestCase):
    def setUp(self):
        """A folder with what a reader has: clip.mp4, picture.jpg, photos/, centerface.onnx."""
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copyfile(os.environ["VRT_TEST_CLIP"], self.folder / "clip.mp4")
        shutil.copyfile(os.environ["VRT_TEST_CENTERFACE"], self.folder / "centerface.onnx")
        (self.folder / "photos").mkdir()
        for name in ("picture.jpg", "photos/first.png", "photos/second.jpg"):
            Image.open(ROOT / "docs/images/demo.png").convert("RGB").save(self.folder / name)

    def run_tool(self, words, line):
        command = shlex.split(line, comments=True)
        command[command.index(words[0])] = TOOL
        text = " ".join(word if word in ("|", "&&") else shlex.quote(word) for word in command)
        result = subprocess.run(["bash", "-c", f"set -e; {text}"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, f"{line}\n{result.stderr}")

    def check(self, line, words):
        program = pathlib.Path(words[0]).name
        if program == "vrt":
            self.run_tool(words, line)
        elif program == "make":
            check_make(self, words)
        elif program in ("cmake", "ctest"):
            check_preset(self, words)
        elif program.endswith(".sh"):
            self.assertTrue((ROOT / "tools/bundle" / program).exists(), "not a script of the archives")
        elif program.endswith(".py"):
            self.assertTrue(os.access(ROOT / words[0], os.X_OK), "not a program of the repository")
        else:
            self.assertRegex(words[0], r"\A(build/\w+/)?bin/vrt_\w+\Z", "this test does not know the command: teach it")

    def test_commands_work(self):
        shown = [(page, line, words) for page, text in pages() for line, words in commands_of(text)]
        self.assertIn("README.md", [str(page) for page, _, _ in shown])
        for page, line, words in shown:
            with self.subTest(page=page, line=line):
                self.check(line, words)

    def test_options_of_the_guide_are_those_of_the_tool(self):
        for page, command in (("docs/cli.md", "run"), ("docs/benchmarking.md", "bench")):
            guide = (ROOT / page).read_text()
            help_text = subprocess.run([TOOL, command, "--help"], check=True, capture_output=True, text=True).stdout
            options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", help_text)) - {"--help"}
            explained = set(re.findall(r"^\| `(?:-\w, )?(--[a-z-]+)", guide, re.MULTILINE))
            with self.subTest(command=command):
                self.assertEqual(explained, options)

    def test_variables_of_the_guide_are_read_by_the_sources(self):
        guide = (ROOT / "docs/cli.md").read_text()
        files = [path for path in (ROOT / "vrt").rglob("*.cpp") if not re.search(r"_test\.|/testing/", path.as_posix())]
        read = set(re.findall(r'"(VRT_[A-Z_]+)"', "".join(path.read_text() for path in files)))
        self.assertGreater(len(read), 3)
        self.assertEqual(set(re.findall(r"^\| `(VRT_[A-Z_]+)`", guide, re.MULTILINE)), read)


if __name__ == "__main__":
    unittest.main()
