"""Errors of the system below the store are told as what they are, and all others left alone."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.database import system_error, write_errors

if TYPE_CHECKING:
    from pathlib import Path

DENIED = OSError(errno.EACCES, os.strerror(errno.EACCES))
FULL = OSError(errno.ENOSPC, "No space left on device")
ODD = ValueError("odd")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other numbers")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DENIED, "path_denied"),
        (RuntimeError(f"lance error: refused (os error {errno.EMFILE})"), "read_error"),
        (OSError(errno.ENOENT, "No such file"), None),  # may be damage
        (FULL, None),
        (ODD, None),
    ],
)
def test_what_the_system_refuses_is_told(
    error: Exception, code: str | None, tmp_path: Path
) -> None:
    told = system_error(error, tmp_path / "index")
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
