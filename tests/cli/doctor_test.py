"""`vrt doctor` where something is missing: it says what, and what to install on the distribution at hand."""

import os
import pathlib
import re
import shutil
import unittest

import bad_files
from tool import MODEL, PROGRAM, ToolTest, vrt

DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n'
UBUNTU = 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n'
MINT = "ID=linuxmint\nID_LIKE='ubuntu debian'\n"
FEDORA = 'ID=fedora\nNAME="not debian"\nVARIANT_ID=debian\n'


class DoctorTest(ToolTest):
    def doctor(self, os_release=DEBIAN, program=PROGRAM, **environment):
        path = self.folder / "os-release"
        path.write_text(os_release)
        return vrt("doctor", program=program, environment={"VRT_OS_RELEASE": str(path), **environment})

    def wrong_model(self):
        folder = self.folder / "models"
        folder.mkdir(exist_ok=True)
        (folder / "centerface.onnx").write_text("not it")
        return {"VRT_MODELS": str(folder)}

    def test_the_hint_is_of_the_distribution(self):
        for os_release, apt in ((DEBIAN, True), (UBUNTU, True), (MINT, True), (FEDORA, False), ("", False)):
            with self.subTest(os_release=os_release):
                result = self.doctor(os_release, **self.wrong_model())
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertRegex(result.stdout, r"(?m)^model centerface +missing .*\n +install +\S+")
                hint = re.search(r"(?m)^model .*\n +install +(.*)$", result.stdout)[1]
                self.assertEqual("apt install" in hint, apt, hint)

    def test_the_machines_own_distribution_is_read_where_nothing_else_is_said(self):
        own = pathlib.Path("/etc/os-release")
        if not own.exists():
            self.skipTest("this machine has no /etc/os-release")
        result = vrt("doctor", environment={"VRT_OS_RELEASE": "", **self.wrong_model()})
        self.assertEqual(result.stdout, self.doctor(own.read_text(), **self.wrong_model()).stdout)

    def test_a_distribution_that_cannot_be_read_is_named(self):
        result = vrt("doctor", environment={"VRT_OS_RELEASE": str(self.folder)})
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, f"vrt: cannot read {self.folder}: Is a directory\n")
        absent = vrt("doctor", environment={"VRT_OS_RELEASE": str(self.folder / "none")})
        self.assertEqual(absent.stderr, "")

    def test_nothing_to_install_where_nothing_is_missing(self):
        os.symlink(MODEL, self.folder / "centerface.onnx")
        result = self.doctor(VRT_MODELS=str(self.folder), VRT_CACHE=str(self.folder / "cache"))
        if re.search(r"(?m)^CUDA driver +missing", result.stdout):  # A machine without a GPU is fine, and told of the driver.
            self.assertRegex(result.stdout, r"(?m)^CUDA driver .*\n +install +apt install nvidia-driver")
        self.assertNotRegex(result.stdout, r"(?m)^(?!CUDA driver).*\n +install ")
        self.assertRegex(result.stdout, rf"(?m)^cache folder +ok +{self.folder}/cache$")
        self.assertEqual(self.names(), ["centerface.onnx", "os-release"])

    def test_driver_and_nvrtc_are_told_with_version_and_place(self):
        driver, nvrtc = os.environ["VRT_FAKE_DRIVER"], os.environ["VRT_TEST_NVRTC12"]
        result = self.doctor(VRT_CUDA_DRIVER=driver, VRT_NVRTC=nvrtc)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, rf"(?m)^CUDA driver +ok +CUDA 1\d\.\d, {re.escape(driver)}$")
        self.assertRegex(result.stdout, r"(?m)^cuda:0 +ok +Fake GPU 0, sm_\d+$")
        self.assertRegex(result.stdout, rf"(?m)^NVRTC +ok +CUDA 12\.\d, {re.escape(nvrtc)}$")

    def test_a_missing_nvrtc_is_told_with_the_places_and_a_hint_where_there_is_a_gpu(self):
        wrong = {"VRT_NVRTC": "/nowhere/libnvrtc.so"}
        result = self.doctor(VRT_CUDA_DRIVER=os.environ["VRT_FAKE_DRIVER"], **wrong)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^NVRTC +missing .*/nowhere/libnvrtc.so.*\n +install +.*VRT_NVRTC")
        result = self.doctor(VRT_CUDA_DRIVER="/nowhere/libcuda.so.1", **wrong)
        self.assertRegex(result.stdout, r"(?m)^CUDA driver +missing .*/nowhere/libcuda.so.1.*\n +install ")
        self.assertRegex(result.stdout, r"(?m)^NVRTC +missing .*/nowhere/libnvrtc.so.*\n(?! +install)")

    def test_without_a_backend_it_fails_and_says_how_to_get_one(self):
        alone = self.folder / "bin" / "vrt"  # Far from the modules that lie beside the built tool.
        alone.parent.mkdir()
        shutil.copy(PROGRAM, alone)
        empty = self.folder / "empty"
        empty.mkdir()
        result = self.doctor(program=alone, VRT_BACKEND_PATH=str(empty))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, rf"(?m)^openvino +missing .*{empty}.*\n +install +apt install python3-venv")
        self.assertRegex(result.stdout, rf"(?m)^onnxruntime +missing .*{empty}.*\n +install +.*onnxruntime-gpu")
        self.assertRegex(result.stderr, r"\Avrt: no inference backend [^\n]+\n\Z")

    def test_a_backend_without_its_library_is_told_of_its_own_package(self):
        result = self.doctor(VRT_ONNXRUNTIME="/nowhere/libonnxruntime.so")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^openvino +ok ")
        self.assertRegex(result.stdout, r"(?m)^onnxruntime +missing .*VRT_ONNXRUNTIME=/nowhere/.*\n +install +.*setup.sh")

    def test_without_ffmpeg_the_rest_is_still_listed(self):
        libraries = self.folder / "libraries"
        libraries.mkdir()
        for number in range(55, 65):
            (libraries / f"libavutil.so.{number}").write_text("no library")
        others = os.environ.get("LD_LIBRARY_PATH", "")
        result = self.doctor(LD_LIBRARY_PATH=f"{libraries}:{others}")
        self.assertEqual(result.returncode, 0, result.stderr)
        for subject in ("media", "H.264 encoder"):
            self.assertRegex(result.stdout, rf"(?m)^{subject} +missing .*libavutil.*\n +install +apt install ffmpeg")
        self.assertRegex(result.stdout, r"(?m)^CPU +ok")

    def test_a_cache_that_cannot_be_written_or_is_nowhere(self):
        result = self.doctor(VRT_CACHE="/proc/nowhere")
        self.assertRegex(result.stdout, r"(?m)^cache folder +missing .*/proc/nowhere.*VRT_CACHE")
        result = self.doctor(VRT_CACHE="", XDG_CACHE_HOME="", HOME="")
        self.assertRegex(result.stdout, r"(?m)^cache folder +missing .*VRT_CACHE")
        disk = bad_files.small_disk(self, 100, "ro")
        result = self.doctor(VRT_CACHE=str(disk / "vrt"))
        self.assertRegex(result.stdout, r"(?m)^cache folder +missing .*Read-only")


if __name__ == "__main__":
    unittest.main()
