"""Places that cannot be written, disks that are full, files that are there already, two runs into one file."""

import os
import resource
import shutil
import subprocess
import unittest

import bad_files
from tool import CLIP, MODEL, PROGRAM, ToolTest, lines_of, vrt


class UnwritableTest(ToolTest):
    def refuse(self, save, *words):
        for option, path in (("--save", save), ("--json", save.with_suffix(".jsonl"))):
            self.assert_refused(vrt("run", CLIP, "--model", MODEL, option, path), 1, path.name, *words)

    def test_places_that_cannot_be_written(self):
        (self.folder / "file").write_text("x")
        for place in (bad_files.pathlib.Path("/proc"), self.folder / "file"):
            self.refuse(place / "out.mp4")
        (self.folder / "out.mp4").mkdir()
        self.assert_refused(vrt("run", CLIP, "--model", MODEL, "--save", self.folder / "out.mp4"), 1, "out.mp4")
        self.refuse(self.folder / ("x" * 300 + ".mp4"))
        self.assertEqual(self.names(), ["file", "out.mp4"])

    def test_a_read_only_file_system(self):
        disk = bad_files.small_disk(self, 100, "ro")
        self.refuse(disk / "out.mp4", "Read-only")

    def test_a_folder_of_somebody_else(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere; the read-only file system stands in")
        self.refuse(bad_files.pathlib.Path("/usr/out.mp4"), "denied")

    def test_devices_and_pipes_are_not_replaced(self):
        pipe = self.folder / "pipe.mp4"
        os.mkfifo(pipe)
        self.assert_refused(vrt("run", CLIP, "--model", MODEL, "--save", pipe), 1, "pipe.mp4")
        self.assert_refused(vrt("run", CLIP, "--model", MODEL, "--json", "/dev/full"), 1, "/dev/full")
        self.assertTrue(pipe.is_fifo())


class FullDiskTest(ToolTest):
    def check_full(self, folder, before=(), **options):
        for name, arguments in (
            ("out.mp4", ("--save", folder / "out.mp4")),
            ("out.jsonl", ("--json", folder / "out.jsonl")),
        ):
            with self.subTest(name=name):
                result = vrt("run", CLIP, "--model", MODEL, *arguments, **options)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr.splitlines()[-1], rf"\Avrt: .*{name}")
                self.assertEqual(sorted(os.listdir(folder)), sorted(before))

    def test_a_small_disk(self):
        disk = bad_files.small_disk(self, 16)
        self.check_full(disk)

    def test_a_limit_on_the_size_of_files(self):
        (self.folder / "out.mp4").write_text("from before")
        self.check_full(
            self.folder,
            ["out.mp4"],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, resource.RLIM_INFINITY)),
        )
        self.assertEqual((self.folder / "out.mp4").read_text(), "from before")

    def test_a_picture_on_a_full_disk(self):
        disk = bad_files.small_disk(self, 16)
        picture = self.folder / "noise.jpg"
        picture.write_bytes(bad_files.jpeg(400, 300))
        result = vrt("run", picture, "--model", MODEL, "--save", disk / "out.png")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"\Avrt: [^\n]*out.png[^\n]*\n\Z")
        self.assertEqual(os.listdir(disk), [])

    def test_a_standard_output_that_takes_nothing(self):
        for arguments in (("run", CLIP, "--model", MODEL, "--json", "-"), ("models",), ("doctor",), ("--help",)):
            with self.subTest(arguments=arguments), open("/dev/full", "w", encoding="ascii") as full:
                result = vrt(*arguments, stdout=full)
                self.assertEqual(result.returncode, 1, result.stderr)
                self.assertRegex(result.stderr, r"\Avrt: [^\n]*standard output[^\n]*\n\Z")

    def test_closed_standard_streams_are_not_taken_by_other_files(self):
        saved = self.folder / "out.mp4"
        arguments = [PROGRAM, "run", CLIP, "--model", MODEL, "--max-frames", "3", "--json", "-", "--save", str(saved)]
        result = subprocess.run(
            ["sh", "-c", 'exec "$@" >&-', "sh", *arguments], stderr=subprocess.PIPE, text=True, check=False
        )
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("standard output", result.stderr)
        self.assertEqual(self.names(), [])
        del arguments[-4:-2]
        result = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *arguments], check=False)
        self.assertEqual((result.returncode, bad_files.frames_of(saved)), (0, 3))


class ExistingOutputTest(ToolTest):
    def test_it_is_replaced_by_a_success_and_kept_by_a_failure(self):
        save, lines = self.folder / "out.mp4", self.folder / "out.jsonl"
        for path in (save, lines):
            path.write_text("from before")
        whole = bad_files.moov_first(bad_files.clip_bytes())
        cut = self.folder / "cut.mp4"
        cut.write_bytes(whole[: len(whole) * 9 // 10])
        self.assertEqual(vrt("run", cut, "--model", MODEL, "--save", save, "--json", lines).returncode, 1)
        self.assertEqual({save.read_text(), lines.read_text()}, {"from before"})
        result = vrt("run", CLIP, "--model", MODEL, "--save", save, "--json", lines)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((bad_files.frames_of(save), len(lines_of(lines.read_text()))), (120, 120))
        self.assertEqual(self.names(), ["cut.mp4", "out.jsonl", "out.mp4"])

    def test_nothing_is_written_over_what_is_read(self):
        clip, model, link = (self.folder / name for name in ("clip.mp4", "net.onnx", "link.mp4"))
        shutil.copyfile(CLIP, clip)
        shutil.copyfile(MODEL, model)
        os.link(clip, link)
        for option, path in (("--json", clip), ("--json", model), ("--save", link), ("--json", link)):
            self.assert_refused(vrt("run", clip, "--model", model, option, path), 2, str(path.name if path != link else clip))
        both = self.folder / "out.mp4"
        self.assert_refused(vrt("run", clip, "--model", model, "--save", both, "--json", both), 2, "out.mp4")
        self.assertEqual((clip.stat().st_size, model.stat().st_size), tuple(os.stat(p).st_size for p in (CLIP, MODEL)))
        self.assertEqual(self.names(), ["clip.mp4", "link.mp4", "net.onnx"])

    def test_two_runs_into_one_file_leave_one_whole_file(self):
        save, lines = self.folder / "out.mp4", self.folder / "out.jsonl"
        arguments = [PROGRAM, "run", CLIP, "--model", MODEL, "--save", str(save), "--json", str(lines)]
        runs = [
            subprocess.Popen([*arguments, *more], stderr=subprocess.PIPE, text=True)
            for more in ([], [], ["--max-frames", "60"])
        ]
        for run in runs:
            _, errors = run.communicate(timeout=240)
            self.assertEqual(run.returncode, 0, errors)
        self.assertIn(bad_files.frames_of(save), (60, 120))
        self.assertIn(len(lines_of(lines.read_text())), (60, 120))
        self.assertEqual(self.names(), ["out.jsonl", "out.mp4"])


if __name__ == "__main__":
    unittest.main()
