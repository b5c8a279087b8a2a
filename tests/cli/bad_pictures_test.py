"""Pictures of every kind and size: each is read as other programs read it, or refused by one line."""

import unittest

import numpy as np
from PIL import Image

import bad_files
from bad_files import COLORS, quarters
from tool import MODEL, ToolTest, lines_of, vrt


class PictureKindTest(ToolTest):
    def kinds(self):
        """A picture of quarters in every way of storing one: name → colours to expect, from left to right, down."""
        still = Image.fromarray(quarters())
        grey = [(round(0.299 * r + 0.587 * g + 0.114 * b),) * 3 for r, g, b in COLORS]
        pictures = self.folder / "in"
        pictures.mkdir()
        expected = {}

        def add(name, picture, colors=COLORS, **options):
            picture.save(pictures / name, **options)
            expected[name] = colors

        for name in ("rgb.png", "rgb.jpg", "rgb.bmp", "rgb.tif", "rgb.webp", "rgb.ppm", "rgb.gif"):
            add(name, still)
        for mode in ("L", "LA"):
            add(f"{mode}.png", still.convert(mode), grey)
        add("L.jpg", still.convert("L"), grey)
        add("palette.png", still.convert("P", palette=Image.Palette.ADAPTIVE))
        for name in ("cmyk.jpg", "cmyk.tif"):
            add(name, still.convert("CMYK"))
        half = still.convert("RGBA")
        half.putalpha(100)
        for name in ("alpha.png", "alpha.webp", "alpha.tif"):
            add(name, half)
        others = [Image.fromarray(255 - quarters())]
        for name in ("animated.gif", "animated.webp", "animated.png"):
            add(name, still, save_all=True, append_images=others, duration=100)
        for orientation in range(1, 9):
            stored = Image.fromarray(bad_files.stored_for(orientation, quarters()))
            for end in ("jpg", "png", "tif", "webp"):
                add(f"exif{orientation}.{end}", stored, exif=bad_files.exif(orientation))
        for name in ("16 bit.png", "16 bit.tif"):
            bad_files.write_16_bit(pictures / name)
            expected[name] = COLORS
        return pictures, expected

    def test_every_kind_arrives_upright_in_its_colours(self):
        pictures, expected = self.kinds()
        saved = self.folder / "out"
        result = vrt("run", pictures, "--model", MODEL, "--threshold", 1, "--save", saved, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = lines_of(result.stdout)
        self.assertEqual({line["source"].rsplit("/", 1)[1] for line in lines}, set(expected))
        for line in lines:
            name = line["source"].rsplit("/", 1)[1]
            with self.subTest(name=name):
                self.assertEqual((line["width"], line["height"]), (60, 40))
                written = name if name.endswith((".png", ".jpg")) else name + ".png"
                self.check_colors(saved / written, expected[name])
        self.assertEqual(len(list(saved.iterdir())), len(expected), "something else was left there")

    def check_colors(self, path, colors):
        picture = np.asarray(Image.open(path).convert("RGB"), int)
        height, width = picture.shape[:2]
        self.assertEqual(width * 2, height * 3)
        for number, color in enumerate(colors):
            row, column = divmod(number, 2)
            found = picture[height * (1 + 2 * row) // 4, width * (1 + 2 * column) // 4]
            # Eight-bit palettes, JPEG and lossy WebP are not exact; a wrong quarter is off by a hundred.
            self.assertLess(np.abs(found - color).max(), 25, f"quarter {number} of {path.name} is {found}, not {color}")

    def test_an_animation_as_a_file_is_a_video(self):
        frames = [Image.fromarray(np.roll(quarters(), 10 * n, axis=1)) for n in range(3)]
        for end in ("gif", "png"):
            path = self.folder / f"animated.{end}"
            frames[0].save(path, save_all=True, append_images=frames[1:], duration=100)
            result = vrt("run", path, "--model", MODEL, "--json", "-", "--save", self.folder / f"{end}.mp4")
            self.assertEqual([line["time"] for line in lines_of(result.stdout)], [0, 0.1, 0.2], result.stderr)
        self.assertEqual(self.names(), ["animated.gif", "animated.png", "gif.mp4", "png.mp4"])


class PictureSizeTest(ToolTest):
    def test_from_one_pixel_to_108_million(self):
        noise = np.random.default_rng(0).integers(0, 255, (10, 20000, 3), dtype=np.uint8)
        pictures = {
            "1x1.png": Image.new("RGB", (1, 1), (9, 99, 199)),
            "20000x10.png": Image.fromarray(noise),
            "10x20000.jpg": Image.fromarray(np.ascontiguousarray(np.transpose(noise, (1, 0, 2)))),
            "12000x9000.jpg": Image.new("RGB", (12000, 9000), (90, 120, 30)),
        }
        for name, picture in pictures.items():
            with self.subTest(name=name):
                picture.save(self.folder / name)
                saved = self.folder / "out.jpg"
                result = vrt("run", self.folder / name, "--model", MODEL, "--json", "-", "--save", saved)
                self.assertEqual(result.returncode, 0, result.stderr)
                (line,) = lines_of(result.stdout)
                self.assertEqual((line["width"], line["height"]), picture.size)
                with Image.open(saved) as written:
                    self.assertEqual(written.width * picture.height, written.height * picture.width)
                    written.load()
                saved.unlink()
        self.assertEqual(self.names(), sorted(pictures))

    def test_a_forged_size_is_refused_without_its_memory(self):
        picture = self.folder / "forged.bmp"
        Image.new("RGB", (8, 8)).save(picture)
        content = bytearray(picture.read_bytes())
        content[18:26] = (60000).to_bytes(4, "little") * 2
        picture.write_bytes(content)
        self.assert_refused(vrt("run", picture, "--model", MODEL), 1, "forged.bmp")

    def test_a_picture_too_large_for_jpeg_is_one_line(self):
        picture = self.folder / "wide.png"
        Image.new("L", (70000, 2)).save(picture)
        result = vrt("run", picture, "--model", MODEL, "--save", self.folder / "out.jpg")
        self.assert_refused(result, 1, "out.jpg", "70000")
        self.assertEqual(self.names(), ["wide.png"])


class DamagedPictureTest(ToolTest):
    def refuse(self, name, content, *words):
        path = self.folder / name
        path.write_bytes(content)
        saved, lines = self.folder / "out.png", self.folder / "out.jsonl"
        self.assert_refused(vrt("run", path, "--model", MODEL, "--save", saved, "--json", lines), 1, name, *words)
        path.unlink()
        self.assertEqual(self.names(), [])

    def test_what_is_no_whole_picture_is_one_line(self):
        whole = bad_files.jpeg(320, 240)
        Image.fromarray(quarters()).save(self.folder / "a.png")
        png = (self.folder / "a.png").read_bytes()
        (self.folder / "a.png").unlink()
        for name, content, word in (
            ("empty.png", b"", "empty"),
            ("cut.jpg", whole[: len(whole) // 2], "cut"),
            ("head.jpg", whole[:20], "cut"),
            ("head.png", png[:20], "head.png"),
            ("signature.png", png[:8], "signature.png"),
            ("text.jpg", b"no picture\n" * 50, "text.jpg"),
            ("noise.png", np.random.default_rng(3).bytes(5000), "noise.png"),
        ):
            with self.subTest(name=name):
                self.refuse(name, content, word)

    def test_a_folder_without_pictures(self):
        for entries in ((), ("notes.txt", "clip.mp4")):
            for entry in entries:
                (self.folder / entry).write_text("x")
            self.assert_refused(vrt("run", self.folder, "--model", MODEL), 2, "no pictures", str(self.folder))

    def test_a_damaged_picture_in_a_folder_is_named_and_no_lines_are_written(self):
        pictures = self.folder / "in"
        pictures.mkdir()
        for number in range(3):
            (pictures / f"{number}.jpg").write_bytes(bad_files.jpeg(64, 48, number)[: None if number != 1 else 700])
        lines = self.folder / "out.jsonl"
        lines.write_text("from before\n")
        result = vrt("run", pictures, "--model", MODEL, "--json", lines, "--save", self.folder / "out")
        self.assert_refused(result, 1, "in/1.jpg", "cut")
        self.assertEqual(lines.read_text(), "from before\n")
        self.assertEqual([name for name in self.names() if name.startswith(("out/.", "."))], [])


if __name__ == "__main__":
    unittest.main()
