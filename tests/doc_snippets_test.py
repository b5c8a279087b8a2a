"""Code shown in docs/ is code of the repository: a block under "<!-- from PATH -->" is in that file, line for line."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- from (\S+) -->\n```\w*\n(.*?)```", re.DOTALL)


class DocSnippetsTest(unittest.TestCase):
    def test_snippets_are_taken_from_the_files_they_name(self):
        pages = sorted(ROOT.glob("docs/**/*.md"))
        blocks = [(page, *match) for page in pages for match in BLOCK.findall(page.read_text())]
        self.assertTrue(blocks, "no page of docs/ has a block that names its file")
        for page, path, code in blocks:
            with self.subTest(page=page.name, path=path, code=code.splitlines()[0]):
                self.assertIn(code, (ROOT / path).read_text(), f"{page.name} shows code that {path} does not have")


if __name__ == "__main__":
    unittest.main()
