"""`vrt bench`: what it reports of the CPU and of a GPU, what it refuses, and two reports side by side."""

import copy
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

import networks
import schema
from tool import CLIP, MODEL, PROGRAM, SOURCE_DIR, ToolTest, vrt, without_progress, write_png

SCHEMA = json.loads((SOURCE_DIR / "docs/schema/benchmark.schema.json").read_text())
MADE = ("--synthetic", "96x64:nv12", "--model", "centerface", "--without-network")
SHORT = (*MADE, "--frames", "100", "--warm-up", "5")
STAGES = ["source", "enqueue", "worker", "wait", "finalise", "frame"]
FAKE_GPU = {
    "VRT_CUDA_DRIVER": os.environ["VRT_TEST_FAKE_CUDA"],
    "VRT_NVML": os.environ["VRT_TEST_FAKE_NVML"],
    "VRT_NVRTC": os.environ["VRT_TEST_NVRTC"],
    "VRT_KERNEL_CACHE": "off",
    "VRT_FAKE_POOLS": "0",
}


def wait_until_it_catches(process, number):
    """Until the process has its handler: before, a signal does what it does by default."""
    status = pathlib.Path(f"/proc/{process.pid}/status")
    deadline = time.monotonic() + 60
    while not int(re.search(r"SigCgt:\s*([0-9a-f]+)", status.read_text())[1], 16) >> (number - 1) & 1:
        if time.monotonic() > deadline:
            raise TimeoutError("the tool never became ready for the signal")
        time.sleep(0.01)


class BenchTest(ToolTest):
    def bench(self, *arguments, environment=None):
        """The report of a run that succeeds, checked against its schema, and the table."""
        result = vrt("bench", *arguments, "--json", self.folder / "report.json", environment=environment)
        self.assertEqual((result.returncode, without_progress(result.stderr)), (0, ""))
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual(schema.errors(report, SCHEMA), [])
        return report, result.stdout

    def gpu(self, *arguments, **environment):
        return self.bench(*SHORT, "--device", "cuda:0", *arguments, environment={**FAKE_GPU, **environment})

    def table_rows(self, table):
        """The table's rows of times, by stage."""
        rows = re.findall(r"(?m)^(\w+) +" + r" +".join([r"(\d+\.\d{4})"] * 5) + "$", table)
        return {name: [float(value) for value in values] for name, *values in rows}


class ReportTest(BenchTest):
    def test_a_video_with_its_model(self):
        report, table = self.bench(CLIP, "--model", MODEL, "--frames", "150", "--warm-up", "10")
        self.assertEqual(list(report["stages"]), STAGES)
        self.assertEqual(report["run"]["source_restarts"], 1)
        self.assertIn("source repeated once", table)
        self.assertEqual(report["run"]["detections"], 150)
        self.assertEqual(report["subject"]["picture"], [176, 144])
        self.assertRegex(report["subject"]["backend"], r"\Aopenvino \d")
        self.assertEqual(report["subject"]["network"], "run")
        self.assertNotIn("gpu", report)
        self.assertEqual(report["not_measured"], {})

    def test_the_table_has_the_numbers_of_the_document(self):
        report, table = self.bench(*SHORT)
        rows = self.table_rows(table)
        self.assertEqual(list(rows), STAGES)
        for name, times in report["stages"].items():
            self.assertEqual(times["count"], 100)
            for shown, exact in zip(rows[name], [times[f] for f in ("mean", "p50", "p95", "p99", "max")]):
                self.assertAlmostEqual(shown, exact, delta=0.00006)
        self.assertIn(f"{report['run']['frames_per_second']:.1f} frames/s", table)

    def test_two_models_are_one_frame(self):
        yolo = networks.yolo(self.folder / "animals.onnx")
        report, table = self.bench(CLIP, "--model", yolo, "--model", MODEL, "--frames", "100", "--warm-up", "5")
        self.assertEqual(report["subject"]["model"], f"{yolo} + {MODEL}")
        self.assertEqual(report["subject"]["network_input"], [64, 64])
        self.assertEqual(report["run"]["detections"], 200, "an animal and a face in each")
        self.assertIn("animals.onnx + ", table)

    def test_without_network_no_model_file_is_needed(self):
        report, table = self.bench(*SHORT)
        self.assertEqual(report["subject"]["network"], "left out")
        self.assertNotIn("backend", report["subject"])
        self.assertEqual(report["run"]["detections"], 1600)
        self.assertIn("centerface without its network on cpu", table)
        for fact in (report["machine"]["cpu"], report["machine"]["kernel"], f"{report['machine']['threads']} threads"):
            self.assertIn(fact, table)
        nowhere = {"VRT_MODELS": str(self.folder), "VRT_CACHE": str(self.folder)}
        self.assertEqual(vrt("bench", *SHORT, environment=nowhere).returncode, 0)

    def test_opening_a_picture_is_no_time_of_its_frames(self):
        write_png(self.folder / "grey.png", 96, 64, 120)
        report, table = self.bench(self.folder / "grey.png", *SHORT[2:])
        self.assertNotIn("source", report["stages"])
        self.assertIn("opening", report["not_measured"]["source"])
        self.assertRegex(table, r"(?m)^source +not measured: ")
        self.assertEqual(report["run"]["source_restarts"], 105)

    def test_pictures_of_several_sizes_are_refused(self):
        write_png(self.folder / "a.png", 96, 64, 120)
        write_png(self.folder / "b.png", 64, 64, 120)
        self.assert_refused(vrt("bench", self.folder, *SHORT[2:]), 1, "96x64", "64x64", "one size")

    def test_a_graph_is_said_and_finds_the_same(self):
        report, table = self.bench(*SHORT, "--graph")
        self.assertEqual(report["subject"]["submission"], "graph")
        self.assertIn(f"one graph of {report['subject']['graph_nodes']} nodes", table)
        self.assertEqual(report["run"]["detections"], 1600)

    def test_the_document_can_go_to_the_standard_output_and_the_table_makes_room(self):
        result = vrt("bench", *SHORT, "--json", "-")
        self.assertEqual(result.returncode, 0)
        self.assertEqual(schema.errors(json.loads(result.stdout), SCHEMA), [])
        self.assertEqual(list(self.table_rows(result.stderr)), STAGES)

    def test_the_schema_finds_faults(self):
        report, _ = self.bench(*SHORT)
        for path in (("stages", "frame"), ("stages", "wait", "p99"), ("subject", "model"), ("run", "frames"), ("date",)):
            broken = copy.deepcopy(report)
            at = broken
            for step in path[:-1]:
                at = at[step]
            del at[path[-1]]
            self.assertTrue(schema.errors(broken, SCHEMA), path)
        report["not_measured"] = {"gpu": 0}
        self.assertEqual(schema.errors(report, SCHEMA), ["$.not_measured.gpu: 0 is not of type string"])


class GpuTest(BenchTest):
    """With a driver and an NVML that stand in; no number of theirs means anything, only where they go."""

    def test_clocks_temperature_and_versions_are_reported(self):
        report, table = self.gpu()
        self.assertEqual(list(report["stages"]), ["source", "enqueue", "gpu", "wait", "finalise", "frame"])
        gpu = report["gpu"]
        self.assertEqual(report["device"]["model"], "Fake GPU 0")
        self.assertEqual((gpu["driver"], gpu["cuda"], gpu["nvrtc"]), ("580.65.06", "CUDA 13.0", "CUDA 12.6"))
        self.assertEqual(gpu["power_mode"], "700 W limit")
        self.assertGreaterEqual(len(gpu["during"]), 1)
        for state in (gpu["before"], *gpu["during"], gpu["after"]):
            self.assertEqual(
                state,
                {"sm_clock_mhz": 1980, "memory_clock_mhz": 3201, "temperature_celsius": 41, "power_watts": 123.5, "limits": []},
            )
        self.assertEqual(gpu["throttling"], [])
        self.assertRegex(table, r"(?m)^throttling +none noticed$")
        self.assertRegex(table, r"(?m)^temperature +41.0 C$")

    def test_throttling_is_noticed(self):
        report, table = self.gpu(VRT_FAKE_NVML_REASONS="69")
        self.assertEqual(report["gpu"]["throttling"], ["software power cap", "hardware thermal slowdown"])
        self.assertEqual(report["gpu"]["after"]["limits"], ["idle", "software power cap", "hardware thermal slowdown"])
        self.assertIn("NOTICED: software power cap, hardware thermal slowdown", table)

    def test_a_gpu_time_that_no_event_measured_is_not_printed(self):
        report, table = self.gpu(VRT_FAKE_ELAPSED="1")
        self.assertNotIn("gpu", report["stages"])
        self.assertIn("cuEventElapsedTime", report["not_measured"]["gpu"])
        self.assertRegex(table, r"(?m)^gpu +not measured: .*cuEventElapsedTime")
        self.assertNotIn("gpu", self.table_rows(table))

    def test_without_nvml_nothing_is_made_up(self):
        report, table = self.gpu(VRT_NVML="/nowhere/libnvidia-ml.so.1")
        for state in (report["gpu"]["before"], *report["gpu"]["during"], report["gpu"]["after"]):
            self.assertEqual(state, {})
        self.assertNotIn("throttling", report["gpu"])
        for name in ("driver", "sm_clock_mhz", "power_watts", "throttling"):
            self.assertIn("/nowhere/libnvidia-ml.so.1", report["gpu"]["not_measured"][name])
        self.assertRegex(table, r"(?m)^throttling +not known: no NVML")
        self.assertRegex(table, r"(?m)^power +not measured: no NVML")

    def test_an_integrated_gpu_reads_the_hosts_memory(self):
        """As a Jetson: frames are mapped memory, which nothing copies; clocks come from sysfs."""
        calls = {}
        for integrated in (1, 0):
            log = self.folder / f"calls_{integrated}"
            environment = {
                **FAKE_GPU,
                "VRT_FAKE_INTEGRATED": str(integrated),
                "VRT_CUDA_DRIVER": os.environ["VRT_TEST_FORWARDING_DRIVER"],
                "VRT_FORWARD_TO": FAKE_GPU["VRT_CUDA_DRIVER"],
                "VRT_FORWARD_LOG": str(log),
            }
            report, _ = self.bench(CLIP, *MADE[2:], "--frames", "100", "--device", "cuda:0", environment=environment)
            calls[integrated] = [line.split(" ", 2)[2].removesuffix("_v2") for line in log.read_text().splitlines()]
            self.assertEqual(report["gpu"]["reader"], "sysfs" if integrated else "NVML")
        frames = {each: names[names.index("cuLaunchKernel") :] for each, names in calls.items()}
        self.assertGreaterEqual(frames[0].count("cuMemcpyHtoDAsync"), 100)
        self.assertEqual(frames[1].count("cuMemcpyHtoDAsync"), 0)
        self.assertGreater(calls[1].count("cuMemHostGetDevicePointer"), 4, "frames and results are mapped")

    def test_each_frame_is_one_launch_of_a_graph(self):
        report, _ = self.gpu("--graph")
        self.assertGreater(report["subject"]["graph_nodes"], 5)


class CompareTest(BenchTest):
    def setUp(self):
        super().setUp()
        self.report, _ = self.bench(*SHORT)

    def write(self, name, **changes):
        """The report with some places replaced ("run__frames"); its path."""
        report = copy.deepcopy(self.report)
        for place, value in changes.items():
            at = report
            *steps, last = place.split("__")
            for step in steps:
                at = at[step]
            if value is None:
                del at[last]
            else:
                at[last] = value
        path = self.folder / name
        path.write_text(json.dumps(report))
        return path

    def compare(self, a, b):
        result = vrt("bench", "--compare", a, b)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def times(self, p50, p95):
        return {"count": 100, "mean": 1, "p50": p50, "p95": p95, "p99": 9, "max": 9}

    def test_times_and_their_ratios_stand_side_by_side(self):
        a = self.write("a.json", stages__wait=self.times(2, 4), run__frames_per_second=100)
        b = self.write("b.json", stages__wait=self.times(1, 5), run__frames_per_second=150)
        text = self.compare(a, b)
        self.assertRegex(text, r"(?m)^wait +2\.0000 +1\.0000 +0\.500 +4\.0000 +5\.0000 +1\.250$")
        self.assertRegex(text, r"(?m)^frames/s +100\.0 +150\.0 +1\.500$")
        self.assertIn("the same machine, device, versions, model and frames", text)
        self.assertNotIn("not the same", text)

    def test_what_differs_is_named(self):
        a = self.write("a.json")
        b = self.write("b.json", machine__cpu="Other CPU", vrt="9.9.9", device__model="Other CPU", run__frames=200)
        text = self.compare(a, b)
        self.assertIn("not the same in both", text)
        for line in (r"vrt +\S+  \|  9\.9\.9", r"machine/cpu .*\|  Other CPU", r"device/model .*\|  Other", r"run/frames +100  \|  200"):
            self.assertRegex(text, rf"(?m)^  {line}$" if not line.endswith("Other") else rf"(?m)^  {line}")
        self.assertNotIn("machine/kernel", text)

    def test_a_stage_that_only_one_has_gets_no_ratio(self):
        a = self.write("a.json", stages__worker=None, stages__gpu=self.times(3, 3))
        text = self.compare(a, self.write("b.json", stages__worker=self.times(5, 6)))
        self.assertRegex(text, r"(?m)^gpu +3\.0000 +- +- +3\.0000 +- +-$")
        self.assertRegex(text, r"(?m)^worker +- +5\.0000 +- +- +6\.0000 +-$")

    def test_throttling_is_said_first(self):
        gpu = {"reader": "NVML", "before": {}, "during": [], "after": {}, "throttling": ["software power cap"], "not_measured": {}}
        text = self.compare(self.write("a.json"), self.write("b.json", gpu=gpu))
        self.assertIn("B was throttled: software power cap\nstage", text)

    def test_deep_and_endless_files_are_refused(self):
        good = self.write("good.json")
        text = good.read_text()
        depth = 1_000_000
        deep = {"list": "[" * depth + "]" * depth, "object": '{"a":' * depth + "1" + "}" * depth}
        for name, value in deep.items():
            for place in ('"format": "vrt-benchmark"', '"vrt": '):
                path = self.folder / f"{name}.json"
                path.write_text(text.replace(place, f'{place.split(":")[0]}: {value}, "x": {"" if place.endswith(" ") else 1}', 1))
                with self.subTest(path=path.name, place=place):
                    self.assert_refused(vrt("bench", "--compare", good, path), 1, path.name, "nested too deeply")
        self.assert_refused(vrt("bench", "--compare", "/dev/zero", good), 1, "/dev/zero", "larger than any report")

    def test_a_report_gives_the_terminal_no_commands(self):
        gpu = {"reader": "NVML", "before": {}, "during": [], "after": {}, "throttling": ["\x1b[2J"], "not_measured": {}}
        stages = {"st\x1bage\n": self.times(1, 1)}
        text = self.compare(self.write("a.json"), self.write("b\x1b.json", date="x\ny", machine__cpu="\x1b[31m", stages=stages, gpu=gpu))
        self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f]")
        self.assertIn("x y\n", text)

    def test_other_files_are_refused(self):
        good = self.write("good.json")
        (self.folder / "text.json").write_text("no report")
        (self.folder / "list.json").write_text("[1, 2]")
        for path in (
            self.folder / "text.json",
            self.folder / "list.json",
            self.write("other.json", format="something else"),
            self.write("later.json", version=2),
            self.write("hole.json", stages__wait={"count": 100}),
            self.write("words.json", stages__wait__p50="fast"),
            self.write("empty.json", stages={}),
            self.write("rate.json", run__frames_per_second=None),
            self.write("no_run.json", run=None),
            self.write("listed.json", stages=[1]),
            self.write("bare.json", stages__wait=3),
            self.write("negative.json", stages__wait__p50=-5),
            self.write("vast.json", stages__wait__p95=1e300),
            self.write("backwards.json", run__frames_per_second=-1),
        ):
            with self.subTest(path=path.name):
                self.assert_refused(vrt("bench", "--compare", good, path), 1, path.name, "no report that")
                self.assert_refused(vrt("bench", "--compare", path, good), 1, path.name, "no report that")
        self.assert_refused(vrt("bench", "--compare", good, self.folder / "none.json"), 1, "none.json", "no such file")
        self.assert_refused(vrt("bench", "--compare", self.folder, good), 1, str(self.folder), "cannot read")


class RefusalTest(BenchTest):
    def test_wrong_usage_is_one_line_and_code_2(self):
        for arguments, word in (
            ([], "SOURCE"),
            (["--model", "centerface"], "SOURCE"),
            ([CLIP], "--model"),
            ([CLIP, *MADE], "one thing"),
            ([*MADE, "--frames", "99"], "99 frames are too few"),
            ([*MADE, "--frames", "many"], "many"),
            ([*MADE, "--frames", "1000001"], "too many"),
            ([*MADE, "--warm-up", "-1"], "-1"),
            ([*MADE, "--warm-up", "99999999999999999999"], "99999999999999999999"),
            ([*MADE, "--device", "tpu"], "tpu"),
            ([*MADE, "--engine", "abacus"], "abacus"),
            ([*MADE, "--json", ""], "--json"),
            (["--synthetic", "big", "--model", "centerface"], "'big'"),
            (["--synthetic", "64x64", "--model", "centreface"], "centreface"),
            (["--synthetic", "64x64", "--model", "centreface", "--without-network"], "centreface"),
            (["--synthetic", "64x64", "--model", MODEL, "--without-network"], "reads no file"),
            (["--synthetic", "64x64", "--model", "xfeat", "--without-network"], "centerface; there is xfeat"),
            ([CLIP, "--model", MODEL, "--graph"], "addresses"),
            ([CLIP, "--model", MODEL, "--json", CLIP], "written over"),
            ([CLIP, "--model", MODEL, "--json", MODEL], "written over"),
            (["--compare", "a.json"], "--compare"),
            (["--compare", "a.json", "b.json", "--graph"], "--graph"),
            (["--compare", "a.json", "b.json", "--model", "centerface"], "--model"),
        ):
            with self.subTest(arguments=arguments):
                self.assert_refused(vrt("bench", *arguments), 2, word)
        self.assertEqual(self.names(), [])

    def test_report_replaces_no_picture_of_its_source(self):
        picture = self.folder / "1.png"
        picture.write_bytes(b"a picture")
        output = vrt("bench", str(self.folder), "--model", MODEL, "--json", str(picture))
        self.assert_refused(output, 2, "written over a picture of the source")
        self.assertEqual(picture.read_bytes(), b"a picture")

    def test_failures_are_one_line_and_code_1(self):
        made = ("--synthetic", "64x64", "--model", MODEL)
        for arguments, word in (
            (["/nowhere/clip.mp4", "--model", MODEL], "/nowhere/clip.mp4"),
            (["--synthetic", "64x64", "--model", "/nowhere/net.onnx"], "/nowhere/net.onnx"),
            ([*made, "--device", "cuda:0"], "cuda"),
            ([*SHORT, "--json", "/proc/report.json"], "/proc/report.json"),
            ([*SHORT, "--json", "/dev/full"], "/dev/full"),
        ):
            with self.subTest(arguments=arguments):
                environment = {"VRT_CUDA_DRIVER": "/nowhere/libcuda.so.1"}
                self.assert_refused(vrt("bench", *arguments, environment=environment), 1, word)
        self.assertEqual(self.names(), [])

    def test_a_standard_output_that_takes_nothing_is_a_failure(self):
        for arguments in (SHORT, (*SHORT, "--json", "-")):
            with open("/dev/full", "w", encoding="ascii") as full:
                result = vrt("bench", *arguments, stdout=full)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr.splitlines()[-1], r"\Avrt: [^\n]*standard output")

    def test_ctrl_c_ends_it_with_nothing_half_done(self):
        arguments = [PROGRAM, "bench", *MADE, "--frames", "1000000", "--json", str(self.folder / "report.json")]
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_until_it_catches(process, number)
            process.send_signal(number)
            output, errors = process.communicate(timeout=60)
            self.assertEqual((process.returncode, output, errors), (128 + number, "", ""))
            self.assertEqual(self.names(), [])


if __name__ == "__main__":
    unittest.main()
