"""A processor without the needed instructions is reported before a library crashes."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

import pytest

from app import engine
from indexer.api.errors import WorldError
from indexer.config import EngineConfig
from indexer.embed import devices

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("processor\t: 0\nflags\t\t: fpu sse4_2 avx avx2 bmi1\n", ""),
        ("processor\t: 0\nflags\t\t: fpu sse4_2 avx f16c\n", "AVX2"),
        ("processor\t: 0\nmodel name\t: says nothing of flags\n", ""),
    ],
)
def test_missing_instructions_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, lacks: str
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(devices, "CPUINFO", tmp_path / "cpuinfo")
    assert engine.missing_instructions() == ""
    (tmp_path / "cpuinfo").write_text(text)
    assert engine.missing_instructions() == lacks


def test_no_engine_is_opened_without_the_instructions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "missing_instructions", lambda: "AVX2")
    library = tmp_path / "library"
    with pytest.raises(WorldError, match="lacks AVX2") as caught:
        engine.open_engine(EngineConfig(library=library, models=tmp_path))
    assert caught.value.code == "old_processor"
    assert not library.exists()
