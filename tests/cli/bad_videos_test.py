"""Videos that are cut, empty, no videos at all, or change their size."""

import unittest

import bad_files
from tool import CLIP, MODEL, ToolTest, lines_of, vrt


class BadVideoTest(ToolTest):
    def refuse(self, name, content, *words):
        path = self.folder / name
        path.write_bytes(content)
        saved, lines = self.folder / "out.mp4", self.folder / "out.jsonl"
        result = vrt("run", path, "--model", MODEL, "--save", saved, "--json", lines)
        self.assert_refused(result, 1, name, *words)
        path.unlink()
        self.assertEqual(self.names(), [])

    def test_what_is_no_video_is_one_line(self):
        clip = bad_files.clip_bytes()
        for name, content, word in (
            ("empty.mp4", b"", "empty"),
            ("text.mp4", b"not a video\n" * 100, "text.mp4"),
            ("head.mp4", clip[:40], "head.mp4"),
            ("no index.mp4", clip[: len(clip) // 2], "moov"),
            ("half an index.mp4", clip[:-1000], "half an index.mp4"),
            ("zeros.mp4", bytes(100_000), "zeros.mp4"),
            ("a page.mkv", b"<!DOCTYPE html><html></html>" * 30, "a page.mkv"),
        ):
            with self.subTest(name=name):
                self.refuse(name, content, word)

    def test_a_missing_file_a_device_and_a_closed_place(self):
        self.assert_refused(vrt("run", self.folder / "gone.mp4", "--model", MODEL), 1, "gone.mp4")
        self.assert_refused(vrt("run", "/dev/null", "--model", MODEL), 2, "/dev/null")
        self.assert_refused(vrt("run", "https://example.invalid/clip.mp4", "--model", MODEL), 1, "example.invalid")

    def test_a_video_cut_in_the_middle_says_so_and_leaves_nothing(self):
        clip = bad_files.moov_first(bad_files.clip_bytes())
        self.refuse("cut.mp4", clip[: len(clip) // 2], "cut", str(len(clip)))

    def test_the_same_video_whole_is_read(self):
        path = self.folder / "whole.mp4"
        path.write_bytes(bad_files.moov_first(bad_files.clip_bytes()))
        result = vrt("run", path, "--model", MODEL, "--json", "-")
        self.assertEqual(len(lines_of(result.stdout)), 120, result.stderr)

    def test_damage_in_the_middle_gives_frames_or_one_line(self):
        clip = bytearray(bad_files.clip_bytes())
        for at in range(len(clip) // 3, len(clip) // 2, 50):
            clip[at] ^= 0x5A
        path, saved = self.folder / "damaged.mp4", self.folder / "out.mp4"
        path.write_bytes(clip)
        result = vrt("run", path, "--model", MODEL, "--save", saved, "--json", "-")
        if result.returncode == 0:
            self.assertGreater(len(lines_of(result.stdout)), 0)
            self.assertEqual(bad_files.frames_of(saved), len(lines_of(result.stdout)))
        else:
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, r"\A(\[.*\n|\d+ frames.*\n)*vrt: [^\n]+\n\Z")
            self.assertEqual(self.names(), ["damaged.mp4"])

    def test_a_resolution_that_changes_is_read_and_not_saved(self):
        path = self.folder / "change.mjpeg"
        sizes = [(64, 48)] * 3 + [(96, 64)] * 3 + [(33, 31)] * 2
        path.write_bytes(b"".join(bad_files.jpeg(*size) for size in sizes))
        result = vrt("run", path, "--model", MODEL, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([(line["width"], line["height"]) for line in lines_of(result.stdout)], sizes)
        saved = self.folder / "out.mp4"
        saved.write_text("from before")
        refused = vrt("run", path, "--model", MODEL, "--save", saved)
        self.assert_refused(refused, 1, "change.mjpeg", "change their size")
        self.assertEqual(saved.read_text(), "from before")
        self.assertEqual(self.names(), ["change.mjpeg", "out.mp4"])


if __name__ == "__main__":
    unittest.main()
