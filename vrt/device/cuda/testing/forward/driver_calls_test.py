"""tools/driver_calls.py counts the driver calls of any program: here of Python ones, on the fake driver."""

import os
import subprocess
import sys
import unittest

TOOL = os.environ["VRT_DRIVER_CALLS"]
LIBRARY = os.environ["VRT_FORWARD_LIBRARY"]
FAKE = os.environ["VRT_FAKE_DRIVER"]

PROGRAM = """
import ctypes, threading
driver = ctypes.CDLL("libcuda.so.1")
count = ctypes.c_int()
assert driver.cuInit(0) == 0
def ask():
    for _ in range(50):
        assert driver.cuDeviceGetCount(ctypes.byref(count)) == 0
threads = [threading.Thread(target=ask) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print("GPUs:", count.value)
"""


def run(*command, options=(), real=FAKE):
    words = [sys.executable, TOOL, "--library", LIBRARY, "--real", real, *options, "--", *command]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


class DriverCallsTest(unittest.TestCase):
    def test_calls_are_counted(self):
        result = run(sys.executable, "-c", PROGRAM)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\AGPUs: 1\nprocess \d+: 101 driver calls from 3 threads\n")
        self.assertIn("     100 cuDeviceGetCount\n       1 cuInit\n", result.stdout)

    def test_calls_are_listed_in_order(self):
        result = run(sys.executable, "-c", PROGRAM, options=["--list"])
        lines = result.stdout.splitlines()[2:]
        self.assertEqual([line.split()[0] for line in lines], [str(i) for i in range(101)])
        self.assertEqual(lines[0].split()[2], "cuInit")
        self.assertEqual({line.split()[2] for line in lines[1:]}, {"cuDeviceGetCount"})

    def test_each_process_has_its_own_count(self):
        program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {PROGRAM!r}], check=True)\n{PROGRAM}"
        result = run(sys.executable, "-c", program)
        self.assertEqual(result.stdout.count(": 101 driver calls"), 2, result.stdout + result.stderr)

    def test_the_commands_status_is_kept(self):
        self.assertEqual(run("sh", "-c", "exit 7").returncode, 7)
        result = run("true")
        self.assertEqual(result.returncode, 0)
        self.assertIn("no process opened the CUDA driver", result.stdout)

    def test_a_missing_real_driver_is_said_and_answered(self):
        program = 'import ctypes; print(ctypes.CDLL("libcuda.so.1").cuInit(0))'
        result = run(sys.executable, "-c", program, real="/nowhere/libcuda.so.1")
        self.assertEqual(result.stdout.splitlines()[0], "303")  # CUDA_ERROR_SHARED_OBJECT_INIT_FAILED
        self.assertRegex(result.stderr, "cannot load the driver that VRT_FORWARD_TO names: /nowhere")

    def test_a_command_that_cannot_be_started_is_said(self):
        for command, reason in (("/nowhere/program", "No such file"), ("/tmp", "Permission denied")):
            result = run(command)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, rf"\Acannot start {command}: {reason}[^\n]*\n\Z")

    def test_calls_that_cannot_be_printed_are_said(self):
        words = [sys.executable, TOOL, "--library", LIBRARY, "--real", FAKE, "--", sys.executable, "-c", "0"]
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stderr), (1, "cannot print the calls: No space left on device\n"))

    def test_ctrl_c_ends_the_command_and_its_calls_are_printed(self):
        program = f"""{PROGRAM}
import os, signal
try:
    os.killpg(0, signal.SIGINT)
    signal.pause()
except KeyboardInterrupt:
    raise SystemExit(5)"""
        words = [sys.executable, TOOL, "--library", LIBRARY, "--real", FAKE, "--", sys.executable, "-c", program]
        result = subprocess.run(words, capture_output=True, text=True, timeout=60, start_new_session=True)
        self.assertEqual((result.returncode, result.stderr), (5, ""))
        self.assertIn("101 driver calls", result.stdout)

    def test_a_missing_library_is_said(self):
        words = [sys.executable, TOOL, "--library", "/nowhere/libcuda.so.1", "--", "true"]
        result = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("vrt_forward_cuda", result.stderr)


if __name__ == "__main__":
    unittest.main()
