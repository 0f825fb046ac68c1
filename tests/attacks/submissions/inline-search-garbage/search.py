import os
import struct


def say(session, kind, content):
    try:
        session.ask(struct.pack("<IBI", 5 + len(content), kind, 0) + content)
    except ValueError:
        return
    raise AssertionError(content[:100])


def search(session, seed, seconds):
    names = b'"functions": ["a\\nf b", "c"]'
    for kind in (0, 1, 2, 7, 100, 101, 255):
        say(session, kind, b"\xff" * 64)
        say(session, kind, b"[" * 1_100_000)
        say(session, kind, b"[" * 100_000)
        say(session, kind, b"1" * 100_000)
        say(session, kind, b"{" + names + b', "sites": []}')
        say(session, kind, b'{"functions": [], "sites": [[0, 1, 0, 1]]}')
        say(session, kind, b'{"functions": ["a"], "sites": [[0, 0, 1e400, 1]]}')
        say(session, kind, b'{"functions": ["a"], "sites": [[0, 0, -1, 1]]}')
        say(session, kind, b'{"metric": ["size.alloc"], "least": NaN, "only_calls": 1}')
        say(session, kind, b'{"metric": "size.alloc", "least": 1e308, "only_calls": true}')
    for content in (struct.pack("<I", 1 << 31), b"\0" * 4096, os.urandom(65536)):
        os.write(session._write, content)
    while True:
        os.read(session._read, 4096)
