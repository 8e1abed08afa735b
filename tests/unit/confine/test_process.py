"""The scratch folders of children, and what children are told of the environment."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.confine.process import SCRATCH_PREFIX, child_environment, make_scratch

if TYPE_CHECKING:
    import pytest


def test_folders_that_killed_parents_left_are_removed() -> None:
    left = Path(tempfile.gettempdir()) / f"{SCRATCH_PREFIX}old"
    left.mkdir()
    os.utime(left, (0, 0))
    with make_scratch() as made:
        assert not left.exists()
        assert Path(made).stat().st_mode & 0o077 == 0
    assert not Path(made).exists()


def test_children_are_not_told_the_secrets_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    told = child_environment()
    assert told.keys().isdisjoint(
        {"AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY", "DBUS_SESSION_BUS_ADDRESS"}
    )
    assert told["LC_ALL"] == "C.UTF-8"
    assert told["PATH"] == os.environ["PATH"]
