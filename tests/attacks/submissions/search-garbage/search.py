import os
import struct


def search(session, seed, seconds):
    for content in (b"\xff" * 64, struct.pack("<I", 1 << 31), b"\0" * 4096, os.urandom(65536)):
        os.write(session._write, content)
    while True:
        os.read(session._read, 4096)
