"""The examples of docs/doors.md run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.doors.python import open_library
from indexer.api.errors import WorldError
from tests.integration.doors import CONTRACTS, FILES, LEASE, OpenDoors, open_doors

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parents[2] / "docs" / "doors.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, tiny_models_dir: Path) -> Iterator[OpenDoors]:
    with open_doors(tmp_path_factory.mktemp("p"), tiny_models_dir) as opened:
        yield opened


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(
    doors: OpenDoors,
    example: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LECTERN_LIBRARY", str(doors.world.library))
    names: dict[str, Any] = {}
    exec(compile(example, str(PAGE), "exec"), names)  # noqa: S102  # our own documentation
    assert capsys.readouterr().out.strip()


def test_a_program_of_the_person_sees_the_whole_library(doors: OpenDoors) -> None:
    with open_library(doors.world.library) as library:
        assert {document.file for document in library.documents()} == set(FILES)
        named = {document.file for document in library.documents(collection=CONTRACTS)}
        assert named == {name for name in FILES if name.startswith("contracts/")}
        hit = library.search("who pays the rent", collection=CONTRACTS, limit=1)[0]
        (passage,) = library.read(hit.path, start=hit.start, end=hit.end)
        assert passage.text == hit.text == LEASE
        with pytest.raises(WorldError):
            library.search("rent", collection="Nothing Such")
        with pytest.raises(WorldError):
            next(library.read("/etc/passwd"))
