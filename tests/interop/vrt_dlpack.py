"""vrt's side of DLPack for Python tests: dlpack_module.cpp through ctypes, capsules included."""

import ctypes
import os

LIBRARY = ctypes.CDLL(os.environ["VRT_DLPACK_MODULE"])
PYTHON = ctypes.pythonapi
POINTER, INTEGER = ctypes.c_void_p, ctypes.c_int64
CPU, CUDA = 1, 2

PYTHON.PyCapsule_GetPointer.restype = POINTER
PYTHON.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
PYTHON.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
PYTHON.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
PYTHON.PyCapsule_New.restype = ctypes.py_object
PYTHON.PyCapsule_New.argtypes = [POINTER, ctypes.c_char_p, POINTER]

LIBRARY.vrt_test_problem.restype = ctypes.c_char_p
LIBRARY.vrt_test_open.restype = POINTER
LIBRARY.vrt_test_open.argtypes = [ctypes.c_char_p]
LIBRARY.vrt_test_adopt.restype = POINTER
LIBRARY.vrt_test_adopt.argtypes = [ctypes.c_char_p, POINTER]
LIBRARY.vrt_test_close.argtypes = [POINTER]
LIBRARY.vrt_test_stream_number.restype = ctypes.c_bool
LIBRARY.vrt_test_stream_number.argtypes = [POINTER, ctypes.POINTER(INTEGER)]
LIBRARY.vrt_test_lend.restype = POINTER
LIBRARY.vrt_test_lend.argtypes = [POINTER, INTEGER, INTEGER, ctypes.c_bool, ctypes.POINTER(INTEGER)]
LIBRARY.vrt_test_sum.restype = ctypes.c_double
LIBRARY.vrt_test_sum.argtypes = [POINTER, POINTER, ctypes.c_bool]
LIBRARY.vrt_test_clear.restype = ctypes.c_bool
LIBRARY.vrt_test_clear.argtypes = [POINTER, POINTER, ctypes.c_bool]
LIBRARY.vrt_test_preprocess.restype = POINTER
LIBRARY.vrt_test_preprocess.argtypes = [POINTER, POINTER, ctypes.c_bool, ctypes.c_int32, ctypes.c_int32,
                                        ctypes.POINTER(INTEGER)]

# Names of capsules that live as long as the program, since a capsule keeps the pointer.
VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"
PLAIN, USED_PLAIN = b"dltensor", b"used_dltensor"


def checked(result, failed):
    problem = LIBRARY.vrt_test_problem().decode()
    if result == failed and problem:
        raise RuntimeError(problem)
    return result


class Stream:
    def __init__(self, device, native=None):
        """A stream of vrt's own, or around `native`, a CUstream that outlives it."""
        self.device = device
        name = device.encode()
        made = LIBRARY.vrt_test_open(name) if native is None else LIBRARY.vrt_test_adopt(name, native)
        self.handle = checked(made, None)

    def close(self):
        LIBRARY.vrt_test_close(self.handle)

    @property
    def number(self):
        """What this stream, as a consumer, is called in __dlpack__(stream=…)."""
        value = INTEGER()
        return value.value if LIBRARY.vrt_test_stream_number(self.handle, ctypes.byref(value)) else None

    def take(self, array, max_version=(1, 0)):
        """(pointer, versioned) of an array's tensor, which is vrt's to give back from now on."""
        arguments = {} if self.number is None else {"stream": self.number}
        versions = {} if max_version is None else {"max_version": max_version}
        try:
            capsule = array.__dlpack__(**arguments, **versions)
        except TypeError:  # From before DLPack 1.0.
            capsule = array.__dlpack__(**arguments)
        versioned = bool(PYTHON.PyCapsule_IsValid(capsule, VERSIONED))
        name, used = (VERSIONED, USED_VERSIONED) if versioned else (PLAIN, USED_PLAIN)
        pointer = PYTHON.PyCapsule_GetPointer(capsule, name)
        PYTHON.PyCapsule_SetName(capsule, used)
        return pointer, versioned

    def sum(self, array, **options):
        return checked(LIBRARY.vrt_test_sum(self.handle, *self.take(array, **options)), -1.0)

    def clear(self, array, **options):
        checked(LIBRARY.vrt_test_clear(self.handle, *self.take(array, **options)), False)

    def lend(self, rows, columns, read_only=False):
        return Lent(self, lambda consumer: LIBRARY.vrt_test_lend(self.handle, rows, columns, read_only, consumer))

    def preprocess(self, picture, width, height):
        taken = self.take(picture)
        return Lent(self, lambda consumer: LIBRARY.vrt_test_preprocess(self.handle, *taken, width, height, consumer))


class Lent:
    """An object with __dlpack__ whose memory is vrt's; consumed once."""

    def __init__(self, stream, make):
        self.stream, self.make = stream, make

    def __dlpack_device__(self):
        name, _, ordinal = self.stream.device.partition(":")
        return (CPU, 0) if name == "cpu" else (CUDA, int(ordinal or 0))

    def __dlpack__(self, *, stream=None, max_version=None, **_):
        assert max_version is None or max_version[0] >= 1, max_version
        consumer = None if stream is None else ctypes.byref(INTEGER(stream))
        return PYTHON.PyCapsule_New(checked(self.make(consumer), None), VERSIONED, None)
