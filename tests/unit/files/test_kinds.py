from __future__ import annotations

import stat
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from indexer.api.types import FileState
from indexer.files.excludes import EntryClassifier, is_away

if TYPE_CHECKING:
    import os

KINDS = EntryClassifier({".txt": "text"}, limit=1 << 20)


def _found(**more: int) -> os.stat_result:
    """A status as on other systems."""
    usual = {"st_mode": stat.S_IFREG | 0o644, "st_size": 100, "st_blocks": 8, "st_dev": 1}
    return cast("os.stat_result", SimpleNamespace(**{**usual, **more}))


@pytest.mark.parametrize("attribute", [0x1000, 0x40000, 0x400000])
def test_a_file_that_windows_would_fetch_is_a_placeholder(attribute: int) -> None:
    found = _found(st_file_attributes=0x20 | attribute)
    assert is_away(found)
    assert KINDS.classify(b"a.txt", found).state is FileState.PLACEHOLDER
    assert KINDS.classify(b"a.txt", _found(st_file_attributes=0x20)).state is None


def test_a_file_that_macos_would_fetch_is_a_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _found(st_flags=0x40000000)
    monkeypatch.setattr("sys.platform", "darwin")
    assert KINDS.classify(b"a.txt", found).state is FileState.PLACEHOLDER
    assert KINDS.classify(b"a.txt", _found(st_flags=0x40)).state is None
