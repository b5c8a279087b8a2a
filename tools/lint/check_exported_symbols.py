"""What vrt's shared libraries export: libvrt.so nothing but vrt's own names, a backend module its C entry alone.

    check_exported_symbols.py [--list] LIBRARY…
"""

import pathlib
import re
import subprocess
import sys

OWN = re.compile(r"((typeinfo( name)?|vtable|VTT|guard variable) for |(non-)?virtual thunk to )?vrt::")
ENTRY = "vrt_backend_entry"


def exported(library):
    output = subprocess.run(["nm", "-D", "--defined-only", "--demangle", "--format=posix", library], check=True,
                            capture_output=True, text=True).stdout
    # "name T value size": names have blanks.
    return [re.sub(r" [A-Za-z]( [0-9a-f]+)*$", "", line).split("@")[0] for line in output.splitlines()]


def faults_of(library, symbols):
    if library.name.startswith("libvrt_backend_"):
        return [] if symbols == [ENTRY] else [f"{library}: exports {symbols}, not {ENTRY} alone"]
    if not symbols:
        return [f"{library}: exports nothing"]
    return [f"{library}: exports {symbol}" for symbol in symbols if not OWN.match(symbol)]


def main():
    arguments = [word for word in sys.argv[1:] if word != "--list"]
    faults = []
    for library in map(pathlib.Path, arguments):
        symbols = exported(library)
        faults += faults_of(library, symbols)
        print(f"{library.name}: {len(symbols)} exported")
        if "--list" in sys.argv:
            print(*sorted(symbols), sep="\n")
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    sys.exit(1 if faults or not arguments else 0)


if __name__ == "__main__":
    main()
