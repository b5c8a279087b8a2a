"""tools/check_gpu.sh with programs that only pretend: what it runs, what it makes of how they end, and that it needs a GPU."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/check_gpu.sh"
CPU = "CPU               ok      some processor"
GPU = "cuda:0            ok      some GPU, sm_90"
NO_GPU = "CUDA              missing no CUDA driver: libcuda.so.1"
PASSES = "echo '[  PASSED  ] 3 tests.'"


class CheckGpuTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.archive, self.logs = self.folder / "archive", self.folder / "logs"
        (self.archive / "bin").mkdir(parents=True)
        shutil.copy(ROOT / "tools/bundle/test_environment.sh", self.archive)
        self.doctor(CPU, GPU)
        for layer in ("device", "image", "models", "engine"):
            self.program(f"bin/vrt_{layer}_test", PASSES)
        for program in ("onnxruntime_gpu_test", "gpu_benchmark"):
            self.program(f"bin/vrt_{program}", PASSES)
        # As compute-sanitizer: its options, then the program.
        self.program("sanitizer", 'shift 6; "$@"; echo "========= ERROR SUMMARY: 0 errors"')
        self.program("python", "exit 1")

    def program(self, name, text):
        path = self.archive / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def doctor(self, *rows):
        listing = "\n".join(rows)
        self.program("bin/vrt", f"[ $1 = doctor ] || exit 0\ncat <<'END'\n{listing}\nEND")

    def check(self, *words):
        environment = {**os.environ, "COMPUTE_SANITIZER": str(self.archive / "sanitizer")}
        environment["PYTHON"] = str(self.archive / "python")
        command = [SCRIPT, self.archive, "--logs", self.logs, *words]
        return subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, check=False)

    def outcomes(self, *words):
        """{step: (outcome, detail)} of the table, and the exit status."""
        result = self.check(*words)
        rows = [row.split(maxsplit=3) for row in (self.logs / "summary.txt").read_text().splitlines()[:-1]]
        return {row[0]: (row[1], row[3]) for row in rows}, result.returncode

    def test_without_a_gpu_nothing_is_run(self):
        self.doctor(CPU, NO_GPU)
        result = self.check()
        self.assertEqual(result.returncode, 2)
        self.assertRegex(
            result.stderr, r"\Acheck_gpu.sh: no GPU that vrt can use: CUDA +missing no CUDA driver: .*\n\Z"
        )
        self.assertEqual(list(self.logs.glob("*.log")), [])

    def test_each_layer_is_run_by_itself_and_under_each_of_four_tools(self):
        table, status = self.outcomes("--only", "@(test|sanitizer).@(device|image|models|*.*)")
        self.assertEqual(status, 0)
        self.assertEqual(len(table), 3 + 4 * 3)
        self.assertEqual(set(table.values()), {("passed", "3 tests")})
        log = (self.logs / "sanitizer.racecheck.models.log").read_text()
        self.assertIn("--tool racecheck", log)
        self.assertIn("*YoloTest*", log, "engines are left out")

    def test_what_is_not_there_is_skipped_with_the_reason(self):
        table, status = self.outcomes("--only", "test.*")
        self.assertEqual(status, 0)
        self.assertEqual(table["test.networks"], ("skipped", "no ONNX Runtime: VRT_ONNXRUNTIME=(not set)"))
        self.assertEqual(table["test.dlpack"], ("skipped", f"{self.archive / 'python'} has no module torch"))
        self.doctor(CPU, GPU, f"onnxruntime       ok      1.32.0, module.so, {self.folder}/libonnxruntime.so.1")
        table, _ = self.outcomes("--only", "test.networks")
        self.assertEqual(table["test.networks"], ("skipped", f"{self.folder} has no ONNX Runtime for GPUs"))
        (self.folder / "libonnxruntime_providers_cuda.so").touch()
        self.assertEqual(self.outcomes("--only", "test.networks"), ({"test.networks": ("passed", "3 tests")}, 0))

    def test_a_step_that_fails_is_told_and_the_others_are_run(self):
        self.program("bin/vrt_image_test", f"{PASSES}; exit 1")
        table, status = self.outcomes("--only", "test.@(device|image|models)")
        self.assertEqual(status, 1)
        self.assertEqual(table["test.image"], ("failed", f"exit status 1: {self.logs / 'test.image.log'}"))
        self.assertEqual(table["test.models"][0], "passed")

    def test_that_nothing_was_tested_is_a_failure(self):
        for text, reason in (("echo '[  PASSED  ] 0 tests.'", "ran no test"), ("true", "says nothing of tests")):
            self.program("bin/vrt_device_test", text)
            table, status = self.outcomes("--only", "test.device")
            self.assertEqual((status, table["test.device"][0]), (1, "failed"))
            self.assertIn(reason, table["test.device"][1])

    def test_errors_that_the_sanitizer_finds_are_failures(self):
        self.program("sanitizer", 'shift 6; "$@"; echo "========= ERROR SUMMARY: 2 errors"')
        table, status = self.outcomes("--only", "sanitizer.memcheck.image")
        self.assertEqual((status, table["sanitizer.memcheck.image"][0]), (1, "failed"))
        self.assertIn("says nothing of 0 errors", table["sanitizer.memcheck.image"][1])

    def test_a_step_that_does_not_end_is_stopped(self):
        self.program("bin/vrt_device_test", "sleep 60")
        table, status = self.outcomes("--only", "test.device", "--limit", "1")
        self.assertEqual((status, table["test.device"][0]), (1, "failed"))
        self.assertIn("not done in 1 s", table["test.device"][1])

    def test_nothing_to_run_is_no_success(self):
        self.assertEqual(self.check("--only", "test.networks").returncode, 2)
        self.assertEqual(self.check("--only", "no.such").returncode, 2)
        (self.archive / "test_environment.sh").unlink()
        result = self.check()
        self.assertEqual(result.returncode, 2)
        self.assertIn("no unpacked core archive", result.stderr)


if __name__ == "__main__":
    unittest.main()
