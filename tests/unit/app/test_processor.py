"""A processor without the needed instructions is reported before a library crashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app import engine
from app.engine import missing_of
from indexer.api.errors import WorldError
from indexer.config import EngineConfig

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
def test_missing_instructions_are_found(tmp_path: Path, text: str, lacks: str) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(text)
    assert missing_of(file) == lacks
    assert missing_of(tmp_path / "nowhere") == ""


def test_no_engine_is_opened_without_the_instructions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "missing_instructions", lambda: "AVX2")
    library = tmp_path / "library"
    with pytest.raises(WorldError, match="lacks AVX2") as caught:
        engine.open_engine(EngineConfig(library=library, models=tmp_path))
    assert caught.value.code == "old_processor"
    assert not library.exists()
