"""`vrt selftest`: a table or JSON, and an exit code that is 0 only if every check passed."""

import json
import os
import re
import unittest

from tool import MODEL, ToolTest, vrt

NAMES = (
    "preprocess, bilinear",
    "preprocess, antialiased",
    "crops, bilinear",
    "crops, antialiased",
    "matching of descriptors",
    "keypoints and descriptors",
    "depth maps",
    "embeddings and classes",
    "candidate ranking",
    "candidate selection",
    "suppression of boxes",
    "face decoding",
    "objects and keypoints of cells",
    "objects of cells with objectness",
    "end-to-end objects and masks",
    "instances, keypoints and appearance",
    "memory",
    "graph",
    "one wait a frame",
    "clock of events",
    "network",
)
KERNELS = NAMES[: NAMES.index("memory")]


class SelfTestTest(ToolTest):
    def setUp(self):
        super().setUp()
        os.symlink(MODEL, self.folder / "centerface.onnx")
        self.models = {"VRT_MODELS": str(self.folder)}

    def selftest(self, *arguments, **environment):
        return vrt("selftest", *arguments, environment={"VRT_HOST_ISA": "", **self.models, **environment})

    def results(self, **environment):
        result = self.selftest("--json", **environment)
        self.assertEqual(result.stderr, "")
        report = json.loads(result.stdout)
        self.assertEqual(tuple(check["name"] for check in report["checks"]), NAMES)
        for kind in ("passed", "failed", "not_run"):
            word = {"passed": "ok", "failed": "FAILED", "not_run": "not run"}[kind]
            self.assertEqual(report[kind], sum(check["result"] == word for check in report["checks"]))
        return result.returncode, {check["name"]: check for check in report["checks"]}

    def test_the_cpu_passes_and_every_check_says_what_it_compared(self):
        result = self.selftest("--device", "cpu")
        rows = re.findall(r"(?m)^(\S.*?) +(ok|FAILED|not run) +(\d+\.\d) ms  (\S.*)$", result.stdout)
        self.assertEqual(tuple(row[0] for row in rows), NAMES, result.stdout + result.stderr)
        self.assertNotIn("FAILED", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^cpu: \S")
        passed = sum(row[1] == "ok" for row in rows)
        self.assertTrue(result.stdout.endswith(f"\n{passed} passed, 0 failed, {len(rows) - passed} not run\n"))
        # A processor without a better build than the reference has nothing to compare.
        self.assertEqual(result.returncode, 0 if passed == len(rows) else 3)
        self.assertGreaterEqual(passed, len(NAMES) - len(KERNELS))

    def test_what_cannot_be_run_is_counted_and_is_no_success(self):
        code, checks = self.results(VRT_HOST_ISA="baseline")
        self.assertEqual(code, 3)
        for name in NAMES:
            self.assertEqual(checks[name]["result"], "not run" if name in KERNELS else "ok", checks[name])
        self.assertIn("baseline", checks[KERNELS[0]]["detail"])

    def test_a_missing_model_is_said(self):
        (self.folder / "centerface.onnx").unlink()
        (self.folder / "centerface.onnx").write_text("not it")
        code, checks = self.results()
        self.assertEqual((code, checks["network"]["result"]), (3, "not run"))
        self.assertIn("centerface.onnx", checks["network"]["detail"])

    def test_a_network_that_cannot_be_run_is_said(self):
        empty = self.folder / "empty"
        empty.mkdir()
        code, checks = self.results(VRT_BACKEND_PATH=str(empty))
        # The module beside the tool is still found: then all is well.
        self.assertIn((code, checks["network"]["result"]), ((0, "ok"), (3, "ok"), (3, "not run")))

    def test_a_device_that_is_not_there_is_a_failure(self):
        result = self.selftest("--device", "cuda:0", VRT_CUDA_DRIVER="/nowhere/libcuda.so.1")
        self.assert_refused(result, 1, "/nowhere/libcuda.so.1")

    def test_wrong_usage_is_code_2(self):
        self.assert_refused(self.selftest("--device", "tpu"), 2, "tpu")
        self.assert_refused(self.selftest("now"), 2, "now")

    def test_a_gpu_whose_kernels_do_nothing_fails(self):
        # The fake driver counts launches and runs none of them.
        driver = {"VRT_CUDA_DRIVER": os.environ["VRT_FAKE_DRIVER"], "VRT_NVRTC": os.environ["VRT_TEST_NVRTC12"]}
        result = self.selftest("--device", "cuda:0", "--json", VRT_CACHE=str(self.folder / "cache"), **driver)
        checks = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
        self.assertEqual(result.returncode, 1, result.stdout)
        for name in KERNELS:
            self.assertEqual(checks[name]["result"], "FAILED", checks[name])
        self.assertEqual(checks["memory"]["result"], "ok", checks["memory"])
        self.assertEqual(checks["network"]["result"], "not run", checks["network"])


if __name__ == "__main__":
    unittest.main()
