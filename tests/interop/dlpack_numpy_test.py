"""vrt and NumPy share memory through DLPack, both ways."""

import gc
import sys
import threading
import unittest

import numpy as np

from vrt_dlpack import Stream


class DlpackNumpyTest(unittest.TestCase):
    def setUp(self):
        self.stream = Stream("cpu")
        self.addCleanup(self.stream.close)

    def test_numpy_reads_and_writes_vrts_memory(self):
        array = np.from_dlpack(self.stream.lend(3, 4))
        self.assertEqual(array.dtype, np.float32)
        np.testing.assert_array_equal(array, np.arange(12, dtype=np.float32).reshape(3, 4))
        array[1] = 0  # Writable, and its own memory now.
        self.assertEqual(array.sum(), 66 - 22)

    def test_read_only_memory_is_read_only_in_numpy(self):
        array = np.from_dlpack(self.stream.lend(2, 2, read_only=True))
        with self.assertRaises(ValueError):
            array[0, 0] = 1

    def test_memory_outlives_stream_and_views(self):
        stream = Stream("cpu")
        view = np.from_dlpack(stream.lend(1000, 1000))[500:]
        stream.close()
        gc.collect()
        self.assertEqual(view[0, 0], 500_000)

    def test_the_cpu_has_no_streams_to_adopt(self):
        with self.assertRaisesRegex(RuntimeError, "no foreign streams to adopt"):
            Stream("cpu", native=1)

    def test_nothing_can_be_lent(self):
        self.assertEqual(np.from_dlpack(self.stream.lend(0, 4)).shape, (0, 4))

    def test_vrt_reads_and_writes_numpys_memory(self):
        for version in ((1, 0), None):  # None: the format before 1.0.
            array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
            self.assertEqual(self.stream.sum(array, max_version=version), 276)
            self.assertEqual(self.stream.sum(array[1:], max_version=version), 210)
            self.stream.clear(array, max_version=version)
            self.assertEqual(array.sum(), 0)

    def test_the_array_is_given_back_once(self):
        array = np.ones(1000, dtype=np.float32)
        before = sys.getrefcount(array)
        for _ in range(100):
            self.assertEqual(self.stream.sum(array), 1000)
        self.assertEqual(sys.getrefcount(array), before)
        for _ in range(100):
            with self.assertRaises(RuntimeError):
                self.stream.sum(array[::2])
        gc.collect()
        self.assertEqual(sys.getrefcount(array), before)

    def test_what_does_not_fit_is_refused_in_words(self):
        for array, words in ((np.ones(4), "elements of float64"),
                             (np.ones((4, 4), dtype=np.float32).T[1:], "make it contiguous"),
                             (np.ones(4, dtype=np.int32), "int32, float32 were asked for"),
                             (np.ones((1,) * 9, dtype=np.float32), "9 axes")):
            with self.assertRaisesRegex(RuntimeError, words):
                self.stream.sum(array)

    def test_a_read_only_array_is_not_written_to(self):
        array = np.ones(4, dtype=np.float32)
        array.flags.writeable = False
        self.assertEqual(self.stream.sum(array), 4)
        with self.assertRaisesRegex(RuntimeError, "read-only"):
            self.stream.clear(array)

    def test_a_picture_goes_in_and_a_networks_input_comes_out(self):
        large = np.random.default_rng(1).integers(0, 256, (48, 64, 3), dtype=np.uint8)
        for picture in (large, large[8:40, 10:50]):  # The second one's rows are further apart than they are long.
            rows, columns, _ = picture.shape
            tensor = np.from_dlpack(self.stream.preprocess(picture, columns, rows))
            np.testing.assert_allclose(tensor, picture.transpose(2, 0, 1)[None] / np.float32(255), rtol=1e-6)

    def test_threads_share_memory_side_by_side(self):
        failures = []

        def share():
            stream = Stream("cpu")
            for turn in range(200):
                array = np.from_dlpack(stream.lend(8, turn + 1))
                if stream.sum(array) != array.size * (array.size - 1) / 2:
                    failures.append(turn)
            stream.close()

        threads = [threading.Thread(target=share) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
