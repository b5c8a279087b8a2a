"""Ctrl-C, SIGTERM, a closed terminal, at moments spread over a whole run: files are whole or not there."""

import os
import signal
import subprocess
import time
import unittest

import bad_files
from tool import CLIP, MODEL, PROGRAM, ToolTest, lines_of

STEPS = int(os.environ.get("VRT_SIGNAL_STEPS", "12"))


class SignalTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.saved, self.lines = self.folder / "out.mp4", self.folder / "out.jsonl"

    def start(self):
        outputs = ["--save", str(self.saved), "--json", str(self.lines)]
        return subprocess.Popen([PROGRAM, "run", CLIP, "--model", MODEL, *outputs], stderr=subprocess.PIPE, text=True)

    def whole_run(self):
        """How long a run takes here and now."""
        start = time.monotonic()
        process = self.start()
        _, errors = process.communicate(timeout=240)
        self.assertEqual(process.returncode, 0, errors)
        self.remove_outputs()
        return time.monotonic() - start

    def remove_outputs(self):
        for path in (self.saved, self.lines):
            path.unlink(missing_ok=True)

    def check_files(self, before):
        """Both as before the run, or both whole with the same frames; nothing else beside them."""
        self.assertTrue(set(self.names()) <= {"out.mp4", "out.jsonl"}, self.names())
        contents = {path: path.read_bytes() for path in (self.saved, self.lines) if path.exists()}
        if contents == before:
            return
        count = len(lines_of(contents[self.lines].decode())) if contents.get(self.lines) != before.get(self.lines) else None
        if contents.get(self.saved) != before.get(self.saved):
            frames = bad_files.frames_of(self.saved)
            self.assertTrue(1 <= frames <= 120)
            self.assertIn(count, (frames, None))

    def interrupt_everywhere(self, numbers, codes, before):
        duration = self.whole_run()
        for step in range(STEPS):
            number = numbers[step % len(numbers)]
            delay = duration * 1.1 * step / STEPS
            with self.subTest(signal=number.name, delay=round(delay, 3)):
                for path, content in before.items():
                    path.write_bytes(content)
                process = self.start()
                time.sleep(delay)
                process.send_signal(number)
                _, errors = process.communicate(timeout=240)
                self.assertIn(process.returncode, codes(number), errors)
                self.assertNotRegex(errors, "(?i)sanitizer|terminate|assert")
                self.check_files(before)
                self.remove_outputs()

    def test_one_signal_at_any_moment(self):
        # Before the tool is ready for it, and when all is done, the signal does what it does by default.
        stops = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        self.interrupt_everywhere(stops, lambda number: (0, 128 + number, -number), {})

    def test_one_signal_at_any_moment_with_files_there_already(self):
        before = {self.saved: b"from before", self.lines: b"also from before"}
        self.interrupt_everywhere((signal.SIGINT, signal.SIGTERM), lambda number: (0, 128 + number, -number), before)

    def test_being_killed_leaves_nothing_half_written(self):
        if not bad_files.has_nameless_files(self.folder):
            self.skipTest("this file system has no files without a name")
        self.interrupt_everywhere((signal.SIGKILL,), lambda number: (0, -number), {self.saved: b"from before"})

    def test_the_second_ctrl_c_ends_at_once_and_leaves_nothing(self):
        if not bad_files.has_nameless_files(self.folder):
            self.skipTest("this file system has no files without a name")
        duration = self.whole_run()
        for share in (0.3, 0.6, 0.9):
            process = self.start()
            time.sleep(duration * share)
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=240)
            self.assertIn(process.returncode, (0, 130, -signal.SIGINT), errors)
            self.check_files({})
            self.remove_outputs()


if __name__ == "__main__":
    unittest.main()
