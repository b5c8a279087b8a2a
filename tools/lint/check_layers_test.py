"""Tests of check_layers.py: run by CTest, or by hand with python3 -m unittest."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_layers  # noqa: E402

DESIGN = """
| folder | what lives there | may use |
| --- | --- | --- |
| `vrt/base` | `Error` | – |
| `vrt/device` | `Device`; `cuda/` | base |
| `vrt/image` | views | device |
| `vrt/hub` | registry | base |
| `vrt/media` | sources | image, hub |
| `vrt/pipeline` | all | all above |
| `apps/vrt` | tool | all |
| `bench/`, `tests/` | the rest | all |
"""


class RulesTest(unittest.TestCase):
    def setUp(self):
        self.rules = check_layers.parse_rules(DESIGN)

    def test_may_use_counts_transitively(self):
        self.assertEqual(self.rules["vrt/image"], {"vrt/image", "vrt/device", "vrt/base"})
        self.assertEqual(self.rules["vrt/media"], {"vrt/media", "vrt/image", "vrt/device", "vrt/base", "vrt/hub"})

    def test_a_dash_allows_only_the_layer_itself(self):
        self.assertEqual(self.rules["vrt/base"], {"vrt/base"})

    def test_all_above_is_every_row_above(self):
        self.assertIn("vrt/hub", self.rules["vrt/pipeline"])
        self.assertNotIn("apps/vrt", self.rules["vrt/pipeline"])
        self.assertIn("vrt/pipeline", self.rules["tests"])

    def test_a_rule_that_names_a_layer_without_a_row_above_is_refused(self):
        with self.assertRaises(ValueError):
            check_layers.parse_rules(DESIGN.replace("image, hub", "image, engine"))

    def test_a_page_without_the_table_is_refused(self):
        with self.assertRaises(ValueError):
            check_layers.parse_rules("# nothing here\n")

    def test_the_real_page_gives_the_known_rules(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        rules = check_layers.parse_rules((root / "docs/design.md").read_text())
        self.assertEqual(rules["vrt/engine"], {"vrt/engine", "vrt/device", "vrt/base"})
        self.assertNotIn("vrt/engine", rules["vrt/view"])
        self.assertIn("vrt/models", rules["vrt/pipeline"])


class FileTest(unittest.TestCase):
    def setUp(self):
        self.rules = check_layers.parse_rules(DESIGN)

    def messages(self, path, text):
        return [message for _, message in check_layers.check_file(path, text, self.rules)]

    def test_allowed_includes_pass(self):
        text = '#include "vrt/image/image.h"\n#include <vector>\n#include "vrt/base/error.h"\n'
        self.assertEqual(self.messages("vrt/image/cpu/resize.cpp", text), [])

    def test_a_layer_above_is_refused_with_its_line(self):
        text = '#include <vector>\n\n#  include "vrt/image/image.h"\n'
        self.assertEqual([line for line, _ in check_layers.check_file("vrt/device/a.cpp", text, self.rules)], [3])

    def test_a_neighbour_is_refused(self):
        self.assertEqual(len(self.messages("vrt/image/a.cpp", '#include "vrt/hub/registry.h"\n')), 1)

    def test_includes_that_do_not_start_at_the_root_are_refused(self):
        self.assertEqual(len(self.messages("vrt/image/a.cpp", '#include "image.h"\n')), 1)
        self.assertEqual(len(self.messages("vrt/image/a.cpp", '#include "../hub/registry.h"\n')), 1)

    def test_vendor_headers_are_refused_in_public_headers_only(self):
        text = "// A thing.\n#pragma once\n#include <opencv2/core.hpp>\n"
        self.assertEqual(len(self.messages("vrt/image/a.h", text)), 1)
        self.assertEqual(len(self.messages("vrt/image/a.h", text.replace("opencv2/core.hpp", "dlfcn.h"))), 1)
        self.assertEqual(self.messages("vrt/image/a.h", text.replace("A thing", "Internal: a thing")), [])
        self.assertEqual(self.messages("vrt/image/a.cpp", text), [])

    def test_a_folder_without_a_row_is_refused(self):
        self.assertEqual(len(self.messages("vrt/novelty/a.cpp", "")), 1)

    def test_a_tree_is_read_and_violations_are_named_by_file_and_line(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs/design.md").write_text(DESIGN)
            (root / "vrt/base").mkdir(parents=True)
            (root / "vrt/base/good.h").write_text('#include "vrt/base/export.h"\n')
            (root / "vrt/base/bad.cu").write_text('\n#include "vrt/image/image.h"\n')
            count, violations = check_layers.check_tree(root)
        self.assertEqual(count, 2)
        self.assertEqual(len(violations), 1)
        self.assertTrue(violations[0].startswith("vrt/base/bad.cu:2: "), violations[0])


if __name__ == "__main__":
    unittest.main()
