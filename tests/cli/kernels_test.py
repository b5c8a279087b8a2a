"""`vrt kernels`: what there is, compiling without a GPU, clearing away. The GPU is the fake driver's, the compiler is real."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import bad_files
from tool import PROGRAM, SOURCE_DIR, ToolTest, vrt

NVRTC = os.environ["VRT_TEST_NVRTC12"]
FAKE_DRIVER = os.environ["VRT_FAKE_DRIVER"]
KERNELS = re.compile(r"extern \"C\" __global__ void (?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(")


def sources():
    """Every .cu file of the repository but those of tests, with its kernels."""
    files = (path for path in (SOURCE_DIR / "vrt").rglob("*.cu") if "test_kernels" not in path.parts)
    return {str(path.relative_to(SOURCE_DIR)): KERNELS.findall(path.read_text()) for path in files}


class KernelsTest(ToolTest):
    @classmethod
    def setUpClass(cls):
        # Compiling everything takes seconds: tests of what comes afterwards begin with a copy of this.
        cls.compiled = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.compiled)
        for arch in ("sm_87", "sm_90"):
            arguments = ("compile", "--arch", arch, "--into", f"{cls.compiled}/{arch}")
            result = vrt("kernels", *arguments, environment={"VRT_NVRTC": NVRTC, "VRT_KERNEL_CACHE": "off"})
            assert result.returncode == 0, result.stderr

    def start_with_compiled(self, arch):
        shutil.copytree(f"{self.compiled}/{arch}", self.folder / "cache/kernels")

    def kernels(self, *arguments, **environment):
        settings = {"VRT_CACHE": str(self.folder / "cache"), "VRT_NVRTC": NVRTC, "VRT_CUDA_DRIVER": "/nowhere/libcuda.so.1"}
        return vrt("kernels", *arguments, environment={**settings, "VRT_KERNEL_CACHE": "", **environment})

    def entries(self, folder="cache/kernels"):
        return sorted((self.folder / folder).glob("*.kernels"))

    def test_the_list_names_every_kernel_and_the_host_build(self):
        result = self.kernels("list", VRT_HOST_ISA="baseline")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertGreater(len(sources()), 5)
        for file, names in sources().items():
            self.assertIn(f"{file}\n  kernels: {', '.join(names)}\n", result.stdout)
        self.assertEqual(len(re.findall(r"built in, (?:x86-64|aarch64)$", result.stdout, re.MULTILINE)), len(sources()))

    def test_the_list_for_a_gpu_says_what_is_compiled(self):
        gpu = {"VRT_CUDA_DRIVER": FAKE_DRIVER}
        before = self.kernels("list", "--device", "cuda:0", **gpu)
        self.assertEqual(before.returncode, 0, before.stderr)
        self.assertEqual(before.stdout.count("not compiled yet"), len(sources()))
        compiled = self.kernels("compile", "--device", "cuda:0", **gpu)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        after = self.kernels("list", "--device", "cuda:0", **gpu)
        self.assertNotIn("not compiled yet", after.stdout)
        for entry in self.entries():
            self.assertRegex(after.stdout, rf"state: +{entry.stat().st_size} bytes, less than a minute old, {entry}\n")
        self.assertEqual(len(self.entries()), len(sources()))

    def test_compile_reports_each_kernel_and_needs_no_gpu(self):
        result = self.kernels("compile", "--arch", "sm_87")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for file, names in sources().items():
            self.assertRegex(result.stdout, rf"(?m)^{file} \(sm_87\): \d+ ms, \d+ bytes$")
            for name in names:
                registers = re.search(rf"(?m)^  {name} +(\d+) +\d+ +\d+ +\d+$", result.stdout)
                self.assertIn(int(registers[1]), range(8, 256))
        self.assertEqual(len(self.entries()), len(sources()))

    def test_a_seed_serves_a_machine_of_that_architecture_and_no_other(self):
        self.assertEqual((len(os.listdir(f"{self.compiled}/sm_90")), self.entries()), (len(sources()), []))
        # The fake GPU is an sm_90.
        gpu = {"VRT_CUDA_DRIVER": FAKE_DRIVER, "VRT_KERNEL_SEED": f"{self.compiled}/sm_90"}
        self.assertNotIn("not compiled yet", self.kernels("list", "--device", "cuda:0", **gpu).stdout)
        gpu["VRT_KERNEL_SEED"] = f"{self.compiled}/sm_87"
        self.assertEqual(self.kernels("list", "--device", "cuda:0", **gpu).stdout.count("not compiled yet"), len(sources()))

    def test_an_architecture_that_the_compiler_does_not_know_gets_ptx(self):
        result = self.kernels("compile", "--arch", "sm_120")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("(compute_90, PTX that the driver compiles)"), len(sources()))

    def test_clear_removes_the_cache_s_entries_and_nothing_else(self):
        self.start_with_compiled("sm_87")
        notes = self.folder / "cache/kernels/notes.txt"
        notes.write_text("mine")
        size = sum(entry.stat().st_size for entry in self.entries())
        result = self.kernels("clear")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout, f"removed {len(sources())} entries, {size} bytes from {notes.parent}\n")
        self.assertEqual(self.entries(), [])
        self.assertTrue(notes.exists())
        self.assertIn("removed 0 entries, 0 bytes", self.kernels("clear").stdout)

    def test_wrong_usage_is_code_2(self):
        for arguments, word in (
            ([], "list, compile or clear"),
            (["compile"], "--arch sm_87"),
            (["compile", "--arch", "sm_87", "--device", "cuda:0"], "--device cuda:0"),
            (["compile", "--arch", "hopper"], "hopper is not an architecture"),
            (["compile", "--arch", "sm_8x"], "sm_8x"),
            (["compile", "--device", "cpu"], "nothing to compile"),
            (["compile", "--arch", "sm_87", "--into", ""], "empty"),
            (["list", "--device", "tpu"], "tpu"),
            (["list", "clear"], "clear"),
        ):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.kernels(*arguments), 2, word)
        self.assertEqual(self.names(), [])

    def test_failures_are_code_1(self):
        cases = (
            (["list", "--device", "cuda:0"], {}, "no CUDA driver"),
            (["compile", "--arch", "sm_87"], {"VRT_NVRTC": "/nowhere/libnvrtc.so"}, "/nowhere/libnvrtc.so"),
            (["compile", "--arch", "sm_87"], {"VRT_KERNEL_CACHE": "off"}, "--into"),
            (["clear"], {"VRT_KERNEL_CACHE": "off"}, "VRT_KERNEL_CACHE"),
        )
        for arguments, environment, word in cases:
            with self.subTest(arguments=arguments):
                self.assert_refused(self.kernels(*arguments, **environment), 1, word)

    def test_a_signal_while_the_compiler_works_ends_it_as_any_other(self):
        environment = {**os.environ, "VRT_NVRTC": NVRTC, "VRT_CACHE": str(self.folder / "cache")}
        for number in (signal.SIGINT, signal.SIGTERM):
            for step in range(6):
                arguments = [PROGRAM, "kernels", "compile", "--arch", "sm_87", "--into", str(self.folder / "into")]
                process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
                time.sleep(0.02 + step / 50)  # NVRTC has handlers of its own early in its first compilation.
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), -number)
        self.assertEqual([name for name in self.names() if "/." in name], [])

    def test_kernels_that_were_not_kept_are_no_success(self):
        result = self.kernels("compile", "--arch", "sm_87", VRT_KERNEL_CACHE_MB="0")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"\Avrt: only 0 of [^\n]*VRT_KERNEL_CACHE_MB[^\n]*\n\Z")
        for limit in ("many", "-1", "1e3", "99999999999999999999"):
            self.assert_refused(self.kernels("clear", VRT_KERNEL_CACHE_MB=limit), 2, "VRT_KERNEL_CACHE_MB", limit)

    def test_a_cache_that_is_no_folder_is_not_called_empty(self):
        (self.folder / "cache").mkdir()
        (self.folder / "cache/kernels").write_text("a file")
        self.assert_refused(self.kernels("clear"), 1, f"cannot read the folder {self.folder}/cache/kernels")

    def test_a_pipe_in_the_cache_is_no_entry(self):
        gpu = {"VRT_CUDA_DRIVER": FAKE_DRIVER}
        self.start_with_compiled("sm_90")
        self.assertNotIn("not compiled yet", self.kernels("list", "--device", "cuda:0", **gpu).stdout)
        for entry in self.entries():
            entry.unlink()
            os.mkfifo(entry)
        listed = self.kernels("list", "--device", "cuda:0", **gpu)
        self.assertEqual(listed.stdout.count("not compiled yet"), len(sources()))

    def test_a_place_that_cannot_be_written_is_named(self):
        self.start_with_compiled("sm_87")  # Taken from the cache, and to be written elsewhere.
        full = bad_files.small_disk(self, 16)
        for folder in ("/proc/nowhere", full):
            result = self.kernels("compile", "--arch", "sm_87", "--into", folder)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, rf"\Avrt: cannot .*{folder}[^\n]*\n\Z")
        self.assertEqual([path.name for path in full.rglob(".*")], [], "a temporary file was left on the full disk")


if __name__ == "__main__":
    unittest.main()
