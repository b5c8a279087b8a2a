"""vrt as other projects use it: installed and found, as a subfolder, by pkg-config; archives and libvrt.so.

    check_consumers.py --source FOLDER --model centerface.onnx --clip CLIP [--openvino FOLDER]

Everything is built in a temporary folder, outside the source tree. Each command is printed.
"""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


class Check:
    def __init__(self, arguments, work):
        self.arguments = arguments
        self.work = work
        launcher = shutil.which("ccache")
        self.flags = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
        self.flags += [f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []
        if arguments.openvino:
            self.flags.append(f"-DOpenVINO_DIR={arguments.openvino}")

    def run(self, *command, environment=None, expect=None):
        command = [str(word) for word in command]
        settings = [f"{name}={value}" for name, value in (environment or {}).items()]
        print("$", *settings, shlex.join(command), flush=True)
        start = time.monotonic()
        done = subprocess.run(command, env={**os.environ, **(environment or {})}, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\nexit status {done.returncode}")
        if expect is not None:
            print(done.stdout, end="")
            if expect not in done.stdout:
                sys.exit(f"expected: {expect}")
        print(f"  ({time.monotonic() - start:.1f} s)", flush=True)

    def build(self, source, build, *flags):
        self.run("cmake", "-S", source, "-B", build, *self.flags, *flags)
        self.run("cmake", "--build", build, "-j", str(os.cpu_count()))

    def project(self, kind):
        """A copy of one consumer, with the sources that all share, outside the tree."""
        folder = self.work / kind
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(HERE / kind, folder)
        for shared in ["consumer.cpp", "kernel_consumer.cpp", "double_it.cu"]:
            shutil.copy(HERE / shared, folder)
        return folder

    def run_consumers(self, folder, **environment):
        self.run(folder / "consumer", self.arguments.model, self.arguments.clip, environment=environment,
                 expect="openvino: 1 face(s)")

    def install(self, kind, *flags):
        build, prefix = self.work / f"vrt-{kind}", self.work / f"prefix-{kind}"
        shutil.rmtree(prefix, ignore_errors=True)
        self.build(self.arguments.source, build, "-DVRT_BUILD_TESTS=OFF", "-DVRT_BUILD_BENCHMARKS=OFF",
                   f"-DCMAKE_INSTALL_PREFIX={prefix}", *flags)
        self.run("cmake", "--install", build)
        return prefix

    def find_package(self, prefix):
        folder = self.project("find_package")
        self.build(folder, folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.run_consumers(folder / "build")
        self.run(folder / "build/kernel_consumer", expect="2 4 6")

    def add_subdirectory(self):
        folder = self.project("add_subdirectory")
        # Warnings as errors is this test's wish: the compiler's cache then has every object already.
        self.build(folder, folder / "build", f"-DVRT_SOURCE={self.arguments.source}", "-DVRT_WARNINGS_AS_ERRORS=ON")
        self.run_consumers(folder / "build")
        self.run(folder / "build/kernel_consumer", expect="2 4 6")
        self.run("cmake", "--install", folder / "build", "--prefix", folder / "prefix")
        if any(path.is_file() for path in (folder / "prefix").rglob("*")):
            sys.exit("vrt has added its install rules to another project")

    def pkg_config(self, prefix):
        folder = self.project("pkg_config")
        library = next(prefix.rglob("vrt.pc")).parent.parent
        self.run("make", "-C", folder, environment={"PKG_CONFIG_PATH": str(library / "pkgconfig")})
        self.run_consumers(folder, LD_LIBRARY_PATH=str(library))

    def everything(self):
        prefix = self.install("static")
        self.find_package(prefix)
        self.pkg_config(prefix)
        # libvrt.so and its modules find each other wherever they are moved to.
        installed = self.install("shared", "-DBUILD_SHARED_LIBS=ON")
        prefix = self.work / "moved"
        shutil.rmtree(prefix, ignore_errors=True)
        installed.rename(prefix)
        self.run(sys.executable, self.arguments.source / "tools/lint/check_exported_symbols.py",
                 *sorted(prefix.rglob("*.so")), expect="exported")
        self.find_package(prefix)
        self.pkg_config(prefix)
        self.add_subdirectory()


def main():
    parser = argparse.ArgumentParser()
    for name in ["source", "model", "clip", "openvino"]:
        parser.add_argument(f"--{name}", type=pathlib.Path, required=name != "openvino")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vrt-consumers-") as work:
        Check(arguments, pathlib.Path(work)).everything()


if __name__ == "__main__":
    main()
