"""Every scenario of the soak in short, a few files and accidents; ``make soak`` does more."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.soak import compare
from tests.soak.__main__ import SCENARIOS
from tests.soak.crowd import LOOK_S, WARM_S, Memory
from tests.soak.write_faults import compile_shim

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills and links are POSIX")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_wrong_after_a_short_soak(name: str, tmp_path: Path) -> None:
    if name == "writes" and compile_shim(tmp_path) is None:
        pytest.skip("nothing compiles a library to preload here (apt-get install gcc)")
    # The paths of sockets are short, those of pytest's folders are not.
    with tempfile.TemporaryDirectory(prefix="lectern-soak-") as folder:
        assert SCENARIOS[name].soak(Path(folder), SCENARIOS[name].small) == []


def test_memory_that_keeps_growing_is_found() -> None:
    looks = round(WARM_S / LOOK_S)
    sizes = {
        "level": [100_000_000] * looks,
        "grows": [100_000_000 + at * 2_000_000 for at in range(looks)],
        "is loaded": [100_000_000 + at * 2_000_000 for at in range(looks - 1)],
    }
    told = {name: Memory(psutil.Process(), each).grown() for name, each in sizes.items()}
    assert told == {"level": [], "is loaded": [], "grows": ["the engine grew from 189 to 309 MB"]}


def test_differences_are_found() -> None:
    """A comparison that finds nothing proves nothing unless it could have."""
    row = {"doc": 1, "ordinal": 0, "text_id": "t", "view": "words", "key": 1}
    vector = {"doc": 1, "ordinal": 0, "key": 1, "vector": [0.5, 0.5], "sentence_codes": b"ab"}
    one = compare.Contents({b"/a": ("indexed",)}, {1: "t"}, [row], [vector], ())
    moved = compare.Contents(
        {b"/a": ("indexed",)},
        {7: "t"},
        [row | {"doc": 7, "key": 7}],
        [vector | {"doc": 7, "key": 7, "vector": [0.5004, 0.5]}],
        (),
    )
    assert compare.differences(one, moved) == []
    worse = {
        "file: 1 missing": compare.Contents({}, *_rest(one)),
        "passages: 1 differ": compare.Contents(
            one.files, one.docs, [row | {"view": "other"}], one.vectors, ()
        ),
        "1 passages twice": compare.Contents(one.files, one.docs, [row, row], one.vectors, ()),
        "vectors: 1 vectors differ": compare.Contents(
            one.files, one.docs, one.passages, [vector | {"vector": [0.6, 0.5]}], ()
        ),
        "vectors: 1 missing": compare.Contents(one.files, one.docs, one.passages, [], ()),
        "1 documents of passages that nobody knows": compare.Contents(
            one.files, one.docs, [row, row | {"doc": 9}], one.vectors, ()
        ),
        "3 files queued": compare.Contents(*_all(one), ("3 files queued",)),
    }
    for told, library in worse.items():
        found = compare.differences(library, one)
        assert any(told in difference for difference in found), (told, found)


def _all(library: compare.Contents) -> tuple[Any, Any, Any, Any]:
    return library.files, library.docs, library.passages, library.vectors


def _rest(library: compare.Contents) -> tuple[Any, Any, Any, Any]:
    return library.docs, library.passages, library.vectors, library.problems
