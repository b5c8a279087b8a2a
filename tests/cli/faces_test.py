"""The faces of the real clip, against a program that shares nothing with vrt but the network: tools/bench/python_peer.py."""

import sys
import unittest

from tool import CLIP, MODEL, SOURCE_DIR, ToolTest, lines_of, vrt

sys.path.insert(0, str(SOURCE_DIR / "tools/bench"))
import cv2  # noqa: E402
import numpy as np  # noqa: E402
import python_peer  # noqa: E402


class FacesTest(ToolTest):
    def test_every_frame_has_the_faces_that_the_peer_finds(self):
        result = vrt("run", CLIP, "--model", MODEL, "--json", "-")
        ours = lines_of(result.stdout)
        self.assertEqual(len(ours), 120)
        detector = python_peer.Detector(MODEL, (320, 288), threads=2)
        video = cv2.VideoCapture(CLIP)
        for line in ours:
            found, picture = video.read()
            self.assertTrue(found)
            boxes, scores, points = detector.detect(picture)
            with self.subTest(frame=line["frame"]):
                self.assertEqual(len(line["detections"]), len(scores))
                for mine, box, score, landmarks in zip(line["detections"], boxes, scores, points):
                    self.assertGreaterEqual(python_peer.overlap(np.array(mine["box"]), box[None])[0], 0.98)
                    self.assertAlmostEqual(mine["score"], float(score), delta=0.01)
                    distance = np.abs(np.array(mine["keypoints"])[:, :2] - landmarks).max()
                    self.assertLess(distance, 1.0)
        self.assertFalse(video.read()[0], "the clip has more frames")


if __name__ == "__main__":
    unittest.main()
