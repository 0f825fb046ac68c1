"""Files that others have written: read within bounds, never waited for, and refused with the file's name."""

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.base.reading import KIB, MIB, read_bytes, read_text, shown_size


def test_a_file_at_its_limit_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 1000)
    assert read_bytes(file, 1000) == b"x" * 1000
    with pytest.raises(UsageError, match=r"file: larger than 999 bytes: it has 1,000 bytes"):
        read_bytes(file, 999)


def test_a_file_of_three_gibibytes_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "submission.toml"
    with file.open("wb") as sparse:
        sparse.truncate(3 << 30)
    with pytest.raises(UsageError, match=r"larger than 64 KiB: it has 3 GiB"):
        read_bytes(file, 64 * KIB)


def test_a_file_that_has_more_than_it_says_is_not_read_to_its_end() -> None:
    """As one that grows meanwhile, and as those of the kernel, which say that they are empty."""
    told = Path("/proc/self/maps")
    assert told.stat().st_size == 0
    with pytest.raises(UsageError, match=r"larger than 100 bytes: it is growing"):
        read_bytes(told, 100)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    """A FIFO without a writer and a terminal would be waited for, and /dev/zero has no end."""
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        (tmp_path / "link").symlink_to("/dev/zero")
        (tmp_path / "circle").symlink_to(tmp_path / "circle")
        for name in ("fifo", "socket", "link", ".", "missing", "circle", "nul\0", "n" * 300):
            with pytest.raises(UsageError):
                read_bytes(tmp_path / name, MIB)


def test_a_link_is_followed_unless_it_leads_out(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret").write_text("secret")
    (inside / "own").write_text("own")
    (inside / "near").symlink_to("own")
    (inside / "far").symlink_to("../secret")
    assert read_text(inside / "near", KIB, inside=inside) == "own"
    assert read_text(inside / "far", KIB) == "secret"
    with pytest.raises(UsageError, match="leads out of the folder"):
        read_text(inside / "far", KIB, inside=inside)


def test_text_is_utf_8(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"good \xff")
    with pytest.raises(UsageError, match=r"not UTF-8 text \(byte 5\)"):
        read_text(tmp_path / "file", KIB)


@given(st.integers(0, 1 << 40))
def test_sizes_are_shown_with_a_unit(count: int) -> None:
    assert shown_size(count).rpartition(" ")[2] in ("bytes", "KiB", "MiB", "GiB")
