"""Relative links of the documentation lead somewhere, headings included."""

import re
import unittest

from pages import ROOT, pages, without_code

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors_of(text):
    """The anchors that a page's headings get: lower case, punctuation dropped, spaces to hyphens."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class LinksTest(unittest.TestCase):
    def test_relative_links_lead_to_files_and_headings(self):
        checked = 0
        for page, text in pages():
            for target in LINK.findall(without_code(text)):
                if re.match(r"[a-z]+:", target):
                    continue
                with self.subTest(page=page, target=target):
                    path, _, anchor = target.partition("#")
                    file = (ROOT / page.parent / path).resolve() if path else ROOT / page
                    self.assertTrue(file.exists(), f"{page}: there is no {path}")
                    if anchor:
                        self.assertIn(anchor, anchors_of(file.read_text()), f"{page}: {target}")
                checked += 1
        self.assertGreater(checked, 20)

    def test_every_page_of_docs_is_in_its_index(self):
        index = (ROOT / "docs/README.md").read_text()
        for page, _ in pages():
            if page.parent.as_posix() == "docs" and page.name != "README.md":
                with self.subTest(page=page):
                    self.assertIn(f"({page.name})", index)


if __name__ == "__main__":
    unittest.main()
