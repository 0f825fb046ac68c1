import ctypes


def decide(features):
    mask = features["mask"]
    forbidden = [slot for slot in range(33) if not mask[slot]]
    ones = (ctypes.c_int64 * 33)(*[1] * 33)
    ctypes.memmove(mask.ctypes.data, ones, ctypes.sizeof(ones))
    return forbidden[-1] if forbidden else int(features["default_slot"])
