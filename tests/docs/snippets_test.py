"""Code shown in the documentation is code of the repository, which is compiled and run.

A C++ or CUDA block stands under "<!-- from PATH -->" (its lines are in that file, perhaps further indented) or under
"<!-- file: PATH -->" (the whole file; checked beside the file). design.md may sketch what is to come.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import textwrap
import unittest

from pages import FENCED, ROOT, pages

BLOCK = re.compile(r"<!-- from (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)
MARKED = re.compile(r"<!-- (?:from|file:) \S+ -->\n\Z")
SKETCHES = pathlib.Path("docs/design.md")


def is_in(code, text):
    return any(textwrap.indent(code, " " * depth) in text for depth in range(0, 9, 2))


class SnippetsTest(unittest.TestCase):
    def test_snippets_are_taken_from_the_files_they_name(self):
        blocks = [(page, *match) for page, text in pages() for match in BLOCK.findall(text)]
        self.assertIn("README.md", [str(page) for page, _, _ in blocks])
        for page, path, code in blocks:
            with self.subTest(page=page, path=path, code=code.splitlines()[0]):
                self.assertTrue(is_in(code, (ROOT / path).read_text()), f"{page} shows code that {path} does not have")

    def test_all_code_names_its_file(self):
        for page, text in pages():
            for block in FENCED.finditer(text):
                if block[1] in ("cpp", "cuda", "c", "python", "cmake", "make") and page != SKETCHES:
                    with self.subTest(page=page, code=block[2].splitlines()[0]):
                        self.assertRegex(text[: block.start()], MARKED, "no line says where this code is from")

    def test_the_program_of_the_readme_finds_the_faces_of_the_clip(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.environ["VRT_TEST_CLIP"], f"{folder}/clip.mp4")
            os.symlink(os.environ["VRT_TEST_CENTERFACE"], f"{folder}/centerface.onnx")
            program = os.environ["VRT_README_EXAMPLE"]
            output = subprocess.run([program], cwd=folder, check=True, capture_output=True, text=True)
        lines = output.stdout.splitlines()
        self.assertEqual(len(lines), 120)
        for line in lines:
            self.assertRegex(line, r"\A\d+\.\d{3} s: a face at \d+, \d+\Z")


if __name__ == "__main__":
    unittest.main()
