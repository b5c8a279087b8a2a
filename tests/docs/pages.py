"""The pages that people read: Markdown of this repository."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def pages():
    """Every page that is ours, as (path from the root, text)."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    return [(page.relative_to(ROOT), page.read_text()) for page in sorted(found)]


def without_code(text):
    """The text without its code blocks and inline code."""
    return re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))
