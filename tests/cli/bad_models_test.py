"""Networks that are damaged, empty, cut, huge, or not the one that was meant; caches that are read-only or gone."""

import os
import pathlib
import shutil
import unittest

import numpy as np

import bad_files
from tool import CLIP, MODEL, ToolTest, lines_of, vrt, write_png


class BadModelTest(ToolTest):
    def refuse(self, name, content, *words):
        path = self.folder / name
        path.write_bytes(content)
        lines = self.folder / "out.jsonl"
        self.assert_refused(vrt("run", CLIP, "--model", path, "--json", lines), 1, name, *words)
        path.unlink()
        self.assertEqual(self.names(), [])

    def test_damaged_files_are_one_line(self):
        model = pathlib.Path(MODEL).read_bytes()
        damaged = bytearray(model)
        damaged[0:3000:7] = bytes(b ^ 0x55 for b in damaged[0:3000:7])
        for name, content in (
            ("empty.onnx", b""),
            ("half.onnx", model[: len(model) // 2]),
            ("head.onnx", model[:1000]),
            ("one byte less.onnx", model[:-1]),
            ("damaged.onnx", bytes(damaged)),
            ("noise.onnx", np.random.default_rng(0).bytes(100_000)),
            ("text.onnx", b"not a network\n"),
            # A graph (field 7) that says it is 2 GiB long.
            ("long.onnx", b"\x08\x07\x3a\xff\xff\xff\xff\x07" + bytes(1000)),
            ("model.txt", model[:1000]),
        ):
            with self.subTest(name=name):
                self.refuse(name, content)

    def test_a_huge_file_is_refused_without_reading_it_into_memory(self):
        path = self.folder / "huge.onnx"
        with open(path, "wb") as file:
            file.truncate(8 << 30)
        self.assert_refused(vrt("run", CLIP, "--model", path, timeout=60), 1, "huge.onnx")

    def test_a_folder_and_a_missing_file(self):
        self.assert_refused(vrt("run", CLIP, "--model", self.folder), 1, str(self.folder))
        self.assert_refused(vrt("run", CLIP, "--model", self.folder / "gone.onnx"), 1, "gone.onnx")

    def test_one_changed_byte_of_a_known_model_is_told_by_its_digest(self):
        model = bytearray(pathlib.Path(MODEL).read_bytes())
        model[len(model) // 2] ^= 1
        (self.folder / "centerface.onnx").write_bytes(model)
        result = vrt("run", CLIP, "--model", "centerface", environment={"VRT_MODELS": str(self.folder)})
        self.assert_refused(result, 1, "SHA-256", "centerface.onnx")

    def test_values_that_make_no_sense_are_wrong_usage(self):
        for option, value in (
            ("--threshold", "7"), ("--threshold", "-0.1"), ("--threshold", "nan"), ("--threshold", "1e99"), ("--threshold", ""),
            ("--max-frames", "99999999999999999999"), ("--max-frames", "-1"), ("--max-frames", "1.5"), ("--max-frames", "0x10"),
            ("--device", "gpu"), ("--device", "cuda:-1"), ("--device", "cuda:99999999999"), ("--device", ""),
            ("--engine", "abacus"), ("--engine", "../x"), ("--engine", ""), ("--save", ""), ("--json", ""), ("--model", ""),
        ):  # fmt: skip
            with self.subTest(option=option, value=value):
                arguments = ["run", CLIP, *([] if option == "--model" else ["--model", MODEL]), f"{option}={value}"]
                self.assert_refused(vrt(*arguments), 2)
        self.assert_refused(vrt("run", "", "--model", MODEL), 2)

    def test_a_name_with_line_breaks_and_terminal_codes_stays_one_line(self):
        result = vrt("run", "no\nsuch\r\x1b[31mfile", "--model", MODEL)
        self.assert_refused(result, 1, "such")
        self.assertNotRegex(result.stderr, r"[\x00-\x09\x0b-\x1f]")


class CacheTest(ToolTest):
    def check_run(self, environment):
        result = vrt("run", CLIP, "--model", MODEL, "--max-frames", 2, "--json", "-", environment=environment)
        self.assertEqual((result.returncode, len(lines_of(result.stdout))), (0, 2), result.stderr)

    def test_a_run_needs_no_cache(self):
        for cache in ("/proc/nowhere", "/dev/null", str(self.folder / "not" / "there"), "relative"):
            with self.subTest(cache=cache):
                self.check_run({"VRT_CACHE": cache})
        self.check_run({"VRT_CACHE": "", "XDG_CACHE_HOME": "", "HOME": ""})
        self.assertEqual(self.names(), [])

    def test_a_full_disk_keeps_no_engine_and_warns_once(self):
        disk = bad_files.small_disk(self, 1000)  # An engine takes 7 MB.
        environment = {"VRT_CACHE": str(disk), "VRT_ENGINE_CACHE": "on"}
        pictures = self.folder / "pictures"
        pictures.mkdir()
        for name, size in (("a.png", (64, 48)), ("b.png", (96, 64)), ("c.png", (128, 96))):  # An engine each.
            write_png(pictures / name, *size, 120)
        result = vrt("run", pictures, "--model", MODEL, "--json", "-", environment=environment)
        self.assertEqual((result.returncode, len(lines_of(result.stdout))), (0, 3), result.stderr)
        self.assertEqual(result.stderr.count("the engine cache cannot be used"), 1, result.stderr)
        self.assertEqual(result.stderr.count("warning"), 1, result.stderr)
        self.assertEqual([name for name in os.listdir(disk / "engines") if name != "digests"], [])

    def test_models_are_found_in_a_read_only_cache(self):
        disk = bad_files.small_disk(self, 10_000)
        (disk / "models").mkdir()
        shutil.copyfile(MODEL, disk / "models" / "centerface.onnx")
        self.assertTrue(bad_files.mounts("-o", "remount,ro", disk))
        result = vrt("models", environment={"VRT_CACHE": str(disk)})
        self.assertIn(str(disk / "models" / "centerface.onnx"), result.stdout)
        self.check_run({"VRT_CACHE": str(disk)})
        self.assertEqual(os.listdir(disk), ["models"])


if __name__ == "__main__":
    unittest.main()
