"""The validator finds each kind of fault; a validator that accepts everything would prove nothing about the lines."""

import copy
import json
import os
import pathlib
import unittest

import schema

SCHEMA = json.loads((pathlib.Path(os.environ["VRT_SOURCE_DIR"]) / "docs/schema/frame.schema.json").read_text())
GOOD = {
    "source": "clip.mp4",
    "frame": 17,
    "time": 0.567,
    "width": 176,
    "height": 144,
    "detections": [
        {
            "box": [1, 2, 3.5, 4],
            "score": 0.93,
            "class": 0,
            "label": "face",
            "keypoints": [[1, 2, 0.5], [3, 4, 1]],
            "model": "centerface",
        }
    ],
}
DEPTH = {
    "model": "depth",
    "unit": "metre",
    "width": 2,
    "height": 1,
    "known": 0.5,
    "min": 1.5,
    "median": 1.5,
    "max": 1.5,
}
OPTIONAL = {
    "classes": [{"model": "kind", "class": 7, "label": "truck", "score": 0.5}],
    "features": [{"model": "xfeat", "keypoints": [[1, 2, 0.5]]}],
    "depth": [DEPTH, {**DEPTH, "unit": "relative", "known": 0, "min": None, "median": None, "max": None}],
}
OF_A_DETECTION = {"mask": {"size": [144, 176], "counts": "0"}, "embedding": [0.5, -0.5]}


def changed(path, value):
    """GOOD with one place replaced; None removes it."""
    line = copy.deepcopy(GOOD)
    at = line
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return line


class SchemaTest(unittest.TestCase):
    def test_a_good_line_passes_also_with_fields_of_later_versions(self):
        self.assertEqual(schema.errors(GOOD, SCHEMA), [])
        self.assertEqual(schema.errors({**GOOD, "later": 1}, SCHEMA), [])

    def test_what_other_families_find_may_be_there(self):
        whole = {**GOOD, **OPTIONAL, "detections": [{**GOOD["detections"][0], **OF_A_DETECTION}]}
        self.assertEqual(schema.errors(whole, SCHEMA), [])
        faults = (
            ({"classes": []}, "classes"),
            ({"features": [{"model": "xfeat"}]}, "keypoints"),
            ({"depth": [{**DEPTH, "unit": "mile"}]}, "unit"),
            ({"depth": [{**DEPTH, "min": "1"}]}, "min"),
            ({"detections": [{**GOOD["detections"][0], "mask": {"size": [144], "counts": ""}}]}, "size"),
            ({"detections": [{**GOOD["detections"][0], "embedding": []}]}, "embedding"),
            ({"detections": [{**GOOD["detections"][0], "model": 1}]}, "model"),
        )
        for change, place in faults:
            with self.subTest(change=change):
                found = schema.errors({**whole, **change}, SCHEMA)
                self.assertEqual(len(found), 1, found)
                self.assertIn(place, found[0])

    def test_each_fault_is_found(self):
        face = ("detections", 0)
        faults = {
            ("source",): 7,
            ("frame",): 1.5,
            ("time",): -0.1,
            ("width",): 0,
            ("height",): True,
            ("detections",): {},
            (*face, "box"): [1, 2, 3],
            (*face, "box", 0): "1",
            (*face, "score"): 1.01,
            (*face, "class"): -1,
            (*face, "label"): None,
            (*face, "keypoints", 0): [1, 2],
            (*face, "keypoints", 1, 2): 2,
            (*face, "keypoints", 1): [1, 2, 1, 1],
        }
        for path, value in faults.items():
            with self.subTest(path=path):
                self.assertTrue(schema.errors(changed(path, value), SCHEMA))

    def test_every_field_is_required(self):
        for field in GOOD:
            self.assertTrue(schema.errors(changed((field,), None), SCHEMA), field)
        for field in GOOD["detections"][0]:
            self.assertTrue(schema.errors(changed(("detections", 0, field), None), SCHEMA), field)

    def test_references_and_other_properties_are_followed(self):
        text = {"type": "string"}
        nested = {"properties": {"known": {"$ref": "#/$defs/list"}}, "additionalProperties": text}
        nested["$defs"] = {"list": {"type": "array", "items": {"$ref": "#/$defs/text"}}, "text": text}
        self.assertEqual(schema.errors({"known": ["a"], "other": "b"}, nested), [])
        self.assertEqual(schema.errors({"known": ["a", 1]}, nested), ["$.known[1]: 1 is not of type string"])
        self.assertEqual(schema.errors({"other": 2}, nested), ["$.other: 2 is not of type string"])
        with self.assertRaises(ValueError):
            schema.errors(1, {"$ref": "https://example.com/other.json"})

    def test_a_keyword_that_the_validator_does_not_know_is_an_error(self):
        with self.assertRaises(ValueError):
            schema.errors(1, {"multipleOf": 2})


if __name__ == "__main__":
    unittest.main()
