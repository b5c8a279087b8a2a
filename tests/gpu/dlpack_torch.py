#!/usr/bin/env python3
"""vrt and PyTorch share a GPU's memory and streams through DLPack. Run by hand on a machine with a GPU and PyTorch:

    VRT_DLPACK_MODULE=build/release/tests/interop/vrt_dlpack_module.so python3 tests/gpu/dlpack_torch.py -v
"""

import gc
import pathlib
import sys
import unittest

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "interop"))
from vrt_dlpack import Stream  # noqa: E402

SLOW = 200_000_000  # Clock cycles of a kernel that only waits: about a tenth of a second.


class DlpackTorchTest(unittest.TestCase):
    def setUp(self):
        self.assertTrue(torch.cuda.is_available(), "this test needs a GPU and a PyTorch built for it")
        self.stream = Stream("cuda:0")
        self.addCleanup(self.stream.close)
        self.side = torch.cuda.Stream()

    def test_torch_reads_and_writes_vrts_memory(self):
        expected = torch.arange(12, dtype=torch.float32, device="cuda").reshape(3, 4)
        for torch_stream in (torch.cuda.default_stream(), self.side):
            with torch.cuda.stream(torch_stream):
                tensor = torch.from_dlpack(self.stream.lend(3, 4))
                self.assertTrue(tensor.is_cuda)
                self.assertTrue(torch.equal(tensor, expected))
                tensor += 1
                self.assertEqual(tensor.sum().item(), 66 + 12)

    def test_vrt_waits_for_torchs_slow_producer(self):
        with torch.cuda.stream(self.side):
            tensor = torch.zeros(1024, device="cuda")
            torch.cuda._sleep(SLOW)
            tensor.fill_(3)
            self.assertEqual(self.stream.sum(tensor), 3 * 1024)

    def test_torch_waits_for_vrts_work(self):
        picture = torch.randint(0, 256, (1080, 1920, 3), dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()
        expected = (picture.permute(2, 0, 1)[None].float() / 255).cpu()
        for _ in range(20):
            with torch.cuda.stream(self.side):
                tensor = torch.from_dlpack(self.stream.preprocess(picture, 1920, 1080))
                torch.testing.assert_close(tensor.cpu(), expected, rtol=1e-6, atol=0)

    def test_memory_that_torch_lets_go_is_not_used_again_too_early(self):
        for _ in range(5):
            with torch.cuda.stream(self.side):
                tensor = torch.from_dlpack(self.stream.lend(1, 1 << 20))
                torch.cuda._sleep(SLOW)
                copied = tensor.clone()
                del tensor  # The copy has not begun yet.
            # Takes the block over if vrt thinks that it is free, and zeroes it.
            other = torch.from_dlpack(self.stream.lend(1 << 10, 1 << 10))
            self.stream.clear(other)
            self.side.synchronize()
            self.assertEqual(copied[0, -1].item(), (1 << 20) - 1)
            del other

    def test_memory_that_vrt_lets_go_is_not_used_again_too_early(self):
        for _ in range(50):
            tensor = torch.ones(1 << 24, device="cuda")
            self.stream.clear(tensor)
            del tensor
            again = torch.ones(1 << 24, device="cuda")
            self.assertEqual(again.sum().item(), 1 << 24)

    def test_an_adopted_stream_of_torch_is_in_order_with_its_work(self):
        adopted = Stream("cuda:0", native=self.side.cuda_stream)
        self.assertEqual(adopted.number, self.side.cuda_stream)
        with torch.cuda.stream(self.side):
            tensor = torch.zeros(1024, device="cuda")
            torch.cuda._sleep(SLOW)
            tensor.fill_(5)
            self.assertEqual(adopted.sum(tensor), 5 * 1024)
        adopted.close()
        with torch.cuda.stream(self.side):
            self.assertEqual((tensor + 1).sum().item(), 6 * 1024)

    def test_torchs_types_and_layouts_are_taken_or_refused_in_words(self):
        for tensor, words in ((torch.ones(4, device="cuda", dtype=torch.float64), "elements of float64"),
                              (torch.ones(4, 4, device="cuda").t()[1:], "make it contiguous"),
                              (torch.ones(4, device="cuda", dtype=torch.bfloat16), "bfloat16, float32 were asked for")):
            with self.assertRaisesRegex(RuntimeError, words):
                self.stream.sum(tensor)

    def test_memory_does_not_grow(self):
        def turn():
            tensor = torch.from_dlpack(self.stream.lend(1024, 1024))
            self.stream.clear(tensor)
        for _ in range(20):
            turn()
        gc.collect()
        torch.cuda.synchronize()
        free = torch.cuda.mem_get_info()[0]
        for _ in range(500):
            turn()
        torch.cuda.synchronize()
        self.assertLess(free - torch.cuda.mem_get_info()[0], 64 << 20)


if __name__ == "__main__":
    unittest.main()
