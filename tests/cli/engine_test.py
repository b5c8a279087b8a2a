"""`vrt engine`: built once, listed, checked and removed; stopped and damaged builds; runs that take what is kept."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

from tool import CLIP, MODEL, PROGRAM, ToolTest, vrt, without_progress, write_png

SHAPE = ("--input", "1x3x64x96")
# A build makes an engine for pictures and, where a CPU has more threads than one, another for videos.
USES = 1 if len(os.sched_getaffinity(0)) == 1 else 2


class EngineTest(ToolTest):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.environment = {"VRT_CACHE": str(self.cache), "VRT_ENGINE_CACHE": "on"}

    def engine(self, *arguments, **environment):
        return vrt("engine", *arguments, environment={**self.environment, **environment})

    def build(self, *arguments):
        result = self.engine("build", MODEL, *arguments)
        self.assertEqual((result.returncode, without_progress(result.stderr)), (0, ""))
        return result.stdout

    def entries(self):
        return json.loads(self.engine("list", "--json").stdout)

    def test_an_engine_is_built_once_and_told_of(self):
        built = json.loads(self.build(*SHAPE, "--json"))
        self.assertEqual(built, self.entries()[::-1])
        entry = built[0]
        manifest = entry["manifest"]
        self.assertEqual(manifest["sources"][0]["path"], MODEL)
        self.assertEqual(manifest["key"]["settings"]["input_shapes"], {"": [1, 3, 64, 96]})
        self.assertEqual(json.loads(self.build(*SHAPE, "--json"))[0]["manifest"], manifest, "it was built again")
        again = self.engine("build", MODEL, *SHAPE, "-v")
        self.assertIn("loaded from cache entry " + entry["entry"][:12], again.stderr)
        self.build("--input", "input.1=1x3x64x64")
        self.assertEqual(len(self.entries()), 2 * USES)
        listed = self.engine("list").stdout
        self.assertRegex(listed, rf"(?m)^{entry['entry'][:12]} .* float32 +openvino .*centerface.onnx, \[1, 3, 64, 96\]$")
        self.assertRegex(listed, rf"(?m)^{2 * USES} engines, \d+\.\d MB in {self.cache}/engines$")
        self.assertEqual(self.engine("info", entry["entry"][:8]).stdout.count("\n  from: "), 1)
        self.assertEqual(self.engine("info", MODEL).stdout.count("\n  from: "), 2 * USES)
        self.assertEqual(json.loads(self.engine("info", MODEL, "--json").stdout), self.entries())

    def test_a_run_takes_what_an_earlier_one_has_built(self):
        runs = [
            vrt("run", CLIP, "--model", MODEL, "--json", "-", "--max-frames", 3, "-v", environment=self.environment)
            for _ in range(2)
        ]
        self.assertEqual([run.stderr.count(": building for") for run in runs], [1, 0])
        self.assertIn("loaded from cache", runs[1].stderr)
        self.assertEqual(runs[0].stdout, runs[1].stdout)

    def test_what_was_built_serves_pictures_and_videos(self):
        picture = self.folder / "picture.png"
        write_png(picture, 176, 144, 120)  # As large as the clip.
        built = json.loads(self.build("--input", "1x3x288x320", "--json"))
        sessions = [entry["manifest"]["key"]["settings"].get("concurrent_sessions", 1) for entry in built]
        self.assertEqual(sessions, [1, min(len(os.sched_getaffinity(0)), 4)][:USES])
        for source in (CLIP, picture):
            run = vrt("run", source, "--model", MODEL, "--json", "-", "--max-frames", 2, "-v", environment=self.environment)
            self.assertEqual(run.stderr.count(": building for"), 0, run.stderr)

    def test_verify_and_prune_find_what_is_damaged(self):
        self.build(*SHAPE)
        self.build("--input", "1x3x64x64")
        self.assertEqual(self.engine("verify").returncode, 0)
        blob = self.cache / "engines" / self.entries()[0]["entry"] / "engine.bin"
        content = bytearray(blob.read_bytes())
        content[1000] ^= 1
        blob.write_bytes(content)
        result = self.engine("verify")
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(re.findall(r"(?m)^[0-9a-f]{64} ok$", result.stdout)), 2 * USES - 1)
        self.assertRegex(result.stdout, r"(?m)^[0-9a-f]{64} not taken: .*engine.bin is not what its manifest says")
        problems = [entry.get("problem") for entry in json.loads(self.engine("verify", "--json").stdout)]
        self.assertEqual(problems.count(None), 2 * USES - 1)
        self.assertRegex(self.engine("prune").stdout, r"^removed 1 engines, \d+ bytes")
        self.assertEqual(self.engine("verify").returncode, 0)

    def test_prune_keeps_what_was_used_last(self):
        self.build(*SHAPE)
        self.build("--input", "1x3x64x64")
        first = self.entries()[0]["entry"]
        self.assertRegex(self.engine("prune", "--keep-mb", 10).stdout, f"removed {2 * USES - 1} engines")
        self.assertEqual([entry["entry"] for entry in self.entries()], [first])
        self.assertRegex(self.engine("prune", "--all").stdout, "removed 1 engines")
        self.assertEqual(self.entries(), [])

    def test_float16_is_refused_or_kept_with_what_was_measured(self):
        result = self.engine("build", MODEL, *SHAPE, "--fp16", "--samples", CLIP, "--max-difference", 90)
        if "was asked for, the network was compiled to" in result.stderr:
            self.skipTest("this processor has no float16")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"accuracy:   8 runs of samples against float32 of openvino")
        self.assertRegex(result.stdout, r"precision:  float16; layers: .*\d+ float16")
        strict = self.engine("build", MODEL, *SHAPE, "--fp16", "--max-difference", 0.01)
        self.assert_refused(strict, 1, "differs too much from float32")
        self.assertEqual(len(self.entries()), USES)

    def test_ctrl_c_ends_a_build_and_leaves_nothing(self):
        environment = {**os.environ, **self.environment}
        for number in (signal.SIGINT, signal.SIGTERM):
            for step in range(6):
                process = subprocess.Popen(
                    [PROGRAM, "engine", "build", MODEL, *SHAPE], env=environment,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )  # fmt: skip
                time.sleep(0.05 + step / 12)
                process.send_signal(number)
                self.assertIn(process.wait(timeout=60), (-number, 128 + number, 0))
        left = [name for name in os.listdir(self.cache / "engines") if name.startswith(".")] if self.cache.exists() else []
        self.assertEqual(left, [])
        self.assertEqual(self.engine("verify").returncode, 0)

    def test_wrong_usage_is_code_2(self):
        for arguments, words in (
            ([], ("build, info, list, prune or verify",)),
            (["build"], ("MODEL",)),
            (["build", MODEL, "--input", "1x3xAx96"], ("--input 1x3xAx96", "1x3x480x640")),
            (["build", MODEL, "--input", "x=0x3"], ("--input x=0x3",)),
            (["build", MODEL, "--batch", "1:2"], ("--batch 1:2", "1:4:8")),
            (["build", MODEL, "--batch", "4:2:8", *SHAPE], ("1 <= smallest <= typical <= largest",)),
            (["build", MODEL, "--engine", "abacus"], ("abacus",)),
            (["build", MODEL, "--optimization-level", "9"], ("9",)),
            (["build", MODEL, "--samples", CLIP, "--input", "3x64x96"], ("--samples", "one input of pictures")),
            (["prune", "--all", "--keep-mb", "3"], ("--keep-mb",)),
            (["info", "nothing"], ("nothing",)),
        ):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.engine(*arguments), 2, *words)

    def test_failures_are_code_1(self):
        self.assert_refused(self.engine("info", "0123456789"), 1, "no engine of it is kept")
        for arguments in (["list"], ["verify"], ["prune"], ["info", MODEL], ["build", MODEL]):
            self.assert_refused(self.engine(*arguments, VRT_ENGINE_CACHE="off"), 1, "VRT_ENGINE_CACHE")
        self.assert_refused(self.engine("build", self.folder / "absent.onnx"), 1, "absent.onnx")
        full = self.engine("build", MODEL, *SHAPE, VRT_ENGINE_CACHE_MB="1")
        self.assert_refused(full, 1, "is not kept")


if __name__ == "__main__":
    unittest.main()
