"""The install tree of a build: complete, its headers public, self-contained and free of other libraries' headers.

    check_install.py BUILD_FOLDER COMPILER
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

REQUIRED = ["bin/vrt", "include/vrt/base/error.h", "include/vrt/device/stream.h", "include/vrt/pipeline/run.h",
            "lib/cmake/vrt/vrtConfig.cmake", "lib/cmake/vrt/vrtConfigVersion.cmake", "lib/cmake/vrt/vrtTargets.cmake",
            "lib/pkgconfig/vrt.pc", "share/doc/vrt/LICENSE"]
# Put before kernels that are compiled, never included by a program.
PRELUDES = re.compile(r"prelude_\w+\.h$")
FOREIGN = re.compile(r"/(fmt|spdlog|opencv4?|opencv2|openvino|openssl|lib(av|sw)\w+|nlohmann|CLI|gtest|cuda)/")


def install(build, prefix):
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    names = {str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file()}
    # lib may be lib64 or lib/x86_64-linux-gnu.
    plain = {re.sub(r"^lib(64|/[a-z0-9_]+-linux-gnu)/", "lib/", name) for name in names}
    return plain


def check_listing(names):
    faults = [f"{name} is missing" for name in REQUIRED if name not in names]
    libraries = [name for name in names if re.fullmatch(r"lib/libvrt\w*\.(a|so)", name)]
    faults += [] if libraries else ["no library is installed"]
    faults += [f"{name} is for tests or internal" for name in names if re.search(r"test|fake|emulat", name)]
    return faults


def check_header(compiler, include, header):
    text = (include / header).read_text()
    if text.startswith("// Internal") or not re.search(r"^#(pragma once|ifndef VRT_\w+_H)", text, re.MULTILINE):
        return [f"{header}: internal, or without a guard"]
    with tempfile.NamedTemporaryFile(suffix=".d") as depends:
        run = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{include}",
                              "-MD", "-MF", depends.name, "-x", "c++", "-"],
                             input=f'#include "{header}"\n#include "{header}"\n', capture_output=True, text=True)
        foreign = sorted({found.group(1) for found in FOREIGN.finditer(pathlib.Path(depends.name).read_text())})
    faults = [f"{header}: does not compile by itself:\n{run.stderr}"] if run.returncode else []
    return faults + ([f"{header}: includes headers of {', '.join(foreign)}"] if foreign else [])


def main():
    build, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder)
        faults = check_listing(install(build, prefix))
        include = prefix / "include"
        headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
        compiled = [header for header in headers if not PRELUDES.search(header)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for found in pool.map(lambda header: check_header(compiler, include, header), compiled):
                faults += found
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(headers)} public headers, {len(compiled)} compiled one by one")
    sys.exit(1 if faults or len(compiled) < 20 else 0)


if __name__ == "__main__":
    main()
