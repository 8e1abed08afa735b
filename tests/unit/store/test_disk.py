"""Errors of the system below the store are told as what they are, and all others left alone."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.store.disk import open_errors, system_error, write_errors
from indexer.store.metadata_copies import MetadataCopies

if TYPE_CHECKING:
    from pathlib import Path

DENIED = OSError(errno.EACCES, os.strerror(errno.EACCES))
FULL = OSError(errno.ENOSPC, "No space left on device")
LATER = RuntimeError("LanceError(IO): it cannot be read by this version of Lance")
DAMAGED = RuntimeError("lance error: the footer is wrong, /src/reader.rs:7")
ODD = ValueError("odd")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other numbers")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DENIED, "path_denied"),
        (RuntimeError(f"lance error: refused (os error {errno.EMFILE})"), "read_error"),
        (LATER, "library_newer"),
        (OSError(errno.ENOENT, "No such file"), None),  # may be damage
        (FULL, None),
        (ODD, None),
    ],
)
def test_what_the_system_refuses_is_told(
    error: Exception, code: str | None, tmp_path: Path
) -> None:
    told = system_error(error, tmp_path / "lance" / "passages.lance")
    assert (told.code if told else None) == code


@pytest.mark.parametrize(
    ("error", "code"), [(DENIED, "path_denied"), (FULL, "disk_full"), (ODD, None)]
)
def test_what_keeps_a_write_from_happening_is_told(
    error: Exception, code: str | None, tmp_path: Path
) -> None:
    with pytest.raises(Exception) as caught, write_errors(tmp_path):  # noqa: PT011  # of two kinds
        raise error
    assert (caught.value.code if isinstance(caught.value, WorldError) else None) == code
    assert caught.value is error or caught.value.__cause__ is error


@pytest.mark.parametrize(
    ("error", "code"),
    [(DENIED, "path_denied"), (LATER, "library_newer"), (DAMAGED, "library_damaged"), (ODD, None)],
)
def test_what_keeps_a_table_from_being_opened_is_told(
    error: Exception, code: str | None, tmp_path: Path
) -> None:
    with pytest.raises(Exception) as caught, open_errors(tmp_path):  # noqa: PT011  # of two kinds
        raise error
    assert (caught.value.code if isinstance(caught.value, WorldError) else None) == code
    assert "reader.rs" not in str(caught.value)


def test_a_file_that_was_cut_short_is_found_and_not_copied(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    cut, whole = tmp_path / "data" / "cut.lance", tmp_path / "data" / "whole.lance"
    cut.write_bytes(b"rows and rows and more of them, but no footer behind them" * 9)
    whole.write_bytes(b"rows and a footer LANC")
    copies = MetadataCopies(tmp_path, writable=True)
    assert copies.record() == copies.record() == [cut]
    for path in (cut, whole):
        path.write_bytes(path.read_bytes()[:-2] + b"??")
    assert copies.restore() == [whole]
