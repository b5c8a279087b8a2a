"""The comparison finds what it is there to find."""

import copy
import unittest

import numpy as np

from comparison import compare

EXPECTED = {
    "detections": [
        {"box": [10.0, 20.0, 30.0, 40.0], "score": 0.9, "class": 1, "keypoints": [[1.0, 2.0, 0.5]]},
        {"box": [50.0, 20.0, 70.0, 40.0], "score": 0.8, "class": 2, "keypoints": [[3.0, 4.0, 0.5]]},
    ],
    "mask_logits": np.array([[[1.0, -1.0], [5e-5, -2.0]]]),
    "depth": np.array([[1.0, 2.0]]),
    "scale": np.array([[1.0, 2.0]]),
    "keypoints": np.array([[0.5, 1.5, 0.3]]),
    "descriptors": np.array([[0.6, 0.8]]),
    "matches": np.array([[0, 3, 0.9]]),
}


def found():
    """Results that are exactly what is expected."""
    return copy.deepcopy({**EXPECTED, "masks": (EXPECTED["mask_logits"] > 0).astype(np.uint8)})


def problems(change):
    results = found()
    change(results)
    return compare(results, EXPECTED).problems


class ComparisonTest(unittest.TestCase):
    def test_equal_results_have_no_problem(self):
        self.assertEqual(problems(lambda results: None), [])

    def test_each_difference_is_one_problem(self):
        changes = {
            "a missing detection": lambda results: results["detections"].pop(),
            "another order": lambda results: results["detections"].reverse(),
            "another class": lambda results: results["detections"][1].update({"class": 3}),
            "a box": lambda results: results["detections"][0]["box"].__setitem__(2, 30.02),
            "a score": lambda results: results["detections"][0].update(score=0.90002),
            "a keypoint": lambda results: results["detections"][1]["keypoints"][0].__setitem__(0, 3.02),
            "a score that is no number": lambda results: results["detections"][0].update(score=float("nan")),
            "a mask's pixel": lambda results: results["masks"].__setitem__((0, 0, 1), 1),
            "a mask's size": lambda results: results.update(masks=results["masks"][:, :1]),
            "depth": lambda results: results["depth"].__setitem__((0, 1), 2.0001),
            "a feature's place": lambda results: results["keypoints"].__setitem__((0, 0), 1.5),
            "a descriptor": lambda results: results["descriptors"].__setitem__((0, 0), 0.60002),
            "a match": lambda results: results["matches"].__setitem__((0, 1), 4),
        }
        for name, change in changes.items():
            with self.subTest(name):
                self.assertTrue(problems(change))

    def test_masks_that_are_met_about_may_differ_in_one_of_two_hundred_pixels(self):
        expected = np.zeros((2, 20, 30), np.uint8)
        expected[0, :10, :15] = 1
        masks = expected.copy()
        masks[1, 0, :6] = 1
        self.assertEqual(compare({"masks": masks}, {"about_masks": expected}).problems, [])
        masks[0, 0, 0] = 0
        self.assertEqual(len(compare({"masks": masks}, {"about_masks": expected}).problems), 1)
        self.assertEqual(len(compare({"masks": masks[:1]}, {"about_masks": expected}).problems), 1)

    def test_pixels_whose_logit_is_near_zero_may_differ(self):
        self.assertEqual(problems(lambda results: results["masks"].__setitem__((0, 1, 0), 0)), [])
        results = found() | {"masks": np.array([[[1, 0], [1, 1]]])}  # its logit is -2
        self.assertEqual(len(compare(results, EXPECTED | {"near_zero": 1.5}).problems), 1)
        self.assertEqual(compare(results, EXPECTED | {"near_zero": 2.5}).problems, [])

    def test_equal_scores_may_change_places(self):
        expected = copy.deepcopy(EXPECTED)
        expected["detections"][1]["score"] = 0.9
        results = {**found(), "detections": list(reversed(copy.deepcopy(expected["detections"])))}
        self.assertEqual(compare(results, expected).problems, [])


if __name__ == "__main__":
    unittest.main()
