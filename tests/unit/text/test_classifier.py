"""The unpacked model of the classifier: made once, checked, and done without where it must be."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.text import language as language_module
from indexer.text.language import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

PROSE = "The committee shall meet at least once in every year."

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the folder is set as on Linux")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    language_module.classifier.cache_clear()
    yield tmp_path / "lectern"
    language_module.classifier.cache_clear()


def opened_again() -> NDArray[Any]:
    """The features of the model as another process would hold them."""
    language_module.classifier.cache_clear()
    assert detect_language(PROSE) == "en"
    features = language_module.classifier().nb_ptc
    assert isinstance(features, np.ndarray)
    return features


def is_mapped(features: NDArray[Any]) -> bool:
    while isinstance(features.base, np.ndarray):
        features = features.base
    return isinstance(features, np.memmap)


def test_the_model_is_unpacked_once_and_mapped(cache: Path) -> None:
    opened_again()
    (made,) = cache.iterdir()
    status = made.stat()
    assert status.st_mode & 0o777 == 0o600
    assert is_mapped(opened_again())
    assert [made] == list(cache.iterdir())
    assert made.stat().st_ino == status.st_ino


@pytest.mark.parametrize("size", [0, 100, 1_000_000])
def test_a_damaged_file_is_written_again(cache: Path, size: int) -> None:
    cache.mkdir()
    opened_again()
    (made,) = cache.iterdir()
    whole = made.read_bytes()
    made.write_bytes(whole[:size] + bytes(size) + (whole[2 * size :] if size > 100 else b""))
    assert is_mapped(opened_again())
    assert made.read_bytes() == whole


def test_where_nothing_can_be_written_it_is_unpacked_into_memory(cache: Path) -> None:
    cache.write_text("no folder")
    assert not is_mapped(opened_again())
