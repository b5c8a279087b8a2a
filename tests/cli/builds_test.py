"""What the tool shows while a network is compiled, how Ctrl-C ends that, and on what samples float16 is compared.

The backend that compiles slowly is the engine tests' stand-in under OpenVINO's name."""

import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

import networks
import onnx
from tool import CLIP, MODEL, PROGRAM, ToolTest, vrt, write_png

SLOW = "fake-model:\ninput images 1 1 3 28 28\noutput depth 1 1 28 28\nsteps {steps}\nstep_milliseconds {milliseconds}\nfake-end"


class BuildTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.environment = {"VRT_BACKEND_PATH": str(self.folder / "modules"), "VRT_CACHE": str(self.folder / "cache"), "VRT_ENGINE_CACHE": "on"}
        (self.folder / "modules").mkdir()
        os.symlink(os.environ["VRT_TEST_FAKE_BACKEND"], self.folder / "modules" / "libvrt_backend_openvino.so")

    def slow_network(self, steps, milliseconds):
        """A network that takes so long, of depth: what the fake backend computes is no probability, but may be a distance."""
        fake = SLOW.format(steps=steps, milliseconds=milliseconds)
        return networks.depth(self.folder / "net.onnx", {"depth": "metric", "fake": fake})

    def commands(self, network):
        return (
            ("run", CLIP, "--model", network, "--max-frames", 1, "--device", "cpu"),
            ("bench", CLIP, "--model", network, "--frames", 100, "--device", "cpu"),
            ("engine", "build", network, "--device", "cpu"),
        )

    def stop_on_terminal(self, arguments, number):
        """Starts it on a terminal, sends the signal when a step of the build is shown; its code and what the terminal got."""
        terminal, end = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, *map(str, arguments)], env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL, stderr=end
        )
        os.close(end)
        shown, sent, deadline = b"", False, time.monotonic() + 60
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # All ends are closed.
                break
            if not sent and re.search(rb"building [2-9]/500", shown):
                process.send_signal(number)
                sent = True
        os.close(terminal)
        self.assertTrue(sent, shown)
        return process.wait(timeout=60), shown.decode()

    def test_a_terminal_shows_each_step_and_ctrl_c_ends_the_build(self):
        network = self.slow_network(500, 10)
        for arguments in self.commands(network):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(command=arguments[0], signal=number.name):
                    code, shown = self.stop_on_terminal(arguments, number)
                    self.assertEqual(code, 128 + number, shown)
                    self.assertRegex(shown, r"\rbuilding 1/500\x1b\[K\rbuilding 2/500\x1b\[K")
                    self.assertTrue(shown.endswith("\r\x1b[K"), "the line stays behind: " + shown[-80:])
                    self.assertLess(shown.count("building"), 400)
        left = [name for name in os.listdir(self.folder / "cache" / "engines") if name.startswith(".")]
        self.assertEqual(left, [])

    def test_elsewhere_a_line_comes_every_few_seconds(self):
        result = vrt("run", CLIP, "--model", self.slow_network(13, 450), "--max-frames", 1, "--device", "cpu", environment=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line for line in result.stderr.splitlines() if line.startswith("network: ")]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertRegex(lines[0], r"^network: building 1[12]/13$")

    def test_a_short_build_says_nothing_elsewhere(self):
        result = vrt("run", CLIP, "--model", self.slow_network(2, 1), "--max-frames", 1, "--device", "cpu", environment=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("network:", result.stderr)


class SampleTest(ToolTest):
    """Float16 is compared on what a network is for; a gate that nothing passes says on what."""

    def setUp(self):
        super().setUp()
        self.environment = {"VRT_CACHE": str(self.folder / "cache"), "VRT_ENGINE_CACHE": "on"}
        self.fp16 = ("--fp16", "--engine", "openvino", "--device", "cpu")
        probe = vrt("engine", "build", MODEL, *self.fp16, "--input", "1x3x32x32", "--max-difference", 100, environment=self.environment)
        if "was asked for, the network was compiled to" in probe.stderr:
            self.skipTest("this processor has no float16")

    def tool(self, *arguments):
        return vrt(*arguments, environment=self.environment)

    def test_a_run_and_a_bench_compare_on_frames_of_their_video(self):
        for command in (("run", CLIP, "--max-frames", 1), ("bench", CLIP, "--frames", 100)):
            result = self.tool(*command, "--model", MODEL, *self.fp16, "--max-difference", 0.0001)
            self.assert_refused(result, 1, f"on 8 frames of '{CLIP}' as CenterFace takes them", "keep float32, or allow more")
            self.assertNotIn("--samples", result.stderr)

    def test_what_is_kept_needs_no_samples(self):
        run = ("run", CLIP, "--max-frames", 1, "--model", MODEL, *self.fp16)
        first = self.tool(*run, "--max-difference", 90, "-v")
        self.assertEqual(first.returncode, 0, first.stderr)
        info = self.tool("engine", "info", MODEL).stdout
        self.assertIn("8 runs of samples against float32", info)
        again = self.tool(*run, "-v")
        self.assertIn("loaded from cache", again.stderr)
        self.assertNotIn("building for", again.stderr)

    def test_a_picture_is_compared_on_noise(self):
        result = self.tool("run", self.picture(), "--model", MODEL, *self.fp16, "--max-difference", 0.0001)
        self.assert_refused(result, 1, "on 8 runs of noise", "--samples")

    def picture(self):
        write_png(self.folder / "grey.png", 96, 64, 120)
        return self.folder / "grey.png"

    def of_picture(self, path):
        """The network with the picture's mean in all of its outputs, which then are not constants."""
        model = onnx.load(path)
        picture = model.graph.input[0].name
        for node in model.graph.node:
            node.CopyFrom(onnx.helper.make_node("Add", [node.input[0], "mean"], list(node.output)))
        model.graph.node.insert(0, onnx.helper.make_node("ReduceMean", [picture], ["mean"], keepdims=0))
        onnx.save(model, path)
        return path

    def test_engine_build_prepares_samples_as_the_family_does(self):
        yolo = self.of_picture(networks.yolo(self.folder / "yolo.onnx"))
        depth = self.of_picture(networks.depth(self.folder / "depth.onnx"))
        other = self.of_picture(networks.write(self.folder / "other.onnx", [1, 3, 32, 32], {"a": [[[1.0, 2.0]]]}))
        for model, words in (
            (MODEL, "as CenterFace takes them"),
            (yolo, "as YOLO takes them"),
            (f"relative-depth:{depth}", "as Depth Anything, relative takes them"),
            (other, "as vrt has no class for this network"),
        ):
            shape = ("--input", "1x3x64x96") if model == MODEL else ()
            result = self.tool("engine", "build", model, *shape, *self.fp16, "--samples", CLIP, "--max-difference", 0, "-v")
            self.assertIn(words, result.stderr)
        ambiguous = self.tool("engine", "build", depth, *self.fp16, "--samples", CLIP)
        self.assert_refused(ambiguous, 2, "several families", "depth:")
        crops = networks.osnet(self.folder / "osnet.onnx")
        self.assert_refused(self.tool("engine", "build", crops, *self.fp16, "--samples", CLIP), 2, "boxes of another network")


if __name__ == "__main__":
    unittest.main()
