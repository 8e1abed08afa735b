"""How documents are grouped into shards, and which are found."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.embed.model_files import hash_file
from indexer.shards.sources import (
    MOST_DOCUMENTS,
    NUMBERS,
    LeftOut,
    SourceFile,
    fetch,
    listed,
    normal,
    planned,
)

if TYPE_CHECKING:
    from pathlib import Path

READER = "tiny fp32 1"


def file(number: int, size: int = 10) -> SourceFile:
    return SourceFile("/docs", f"{number}.txt", size, hashlib.sha256(b"%d" % number).hexdigest())


@given(st.sets(st.integers(0, 5_000), min_size=1, max_size=200), st.integers(10, 500))
def test_every_document_is_in_one_shard_of_bounded_size(numbers: set[int], most: int) -> None:
    shards = planned([file(each) for each in numbers], READER, most)
    inside = [one.path for shard in shards for one in shard.documents]
    assert sorted(inside) == sorted(f"{each}.txt" for each in numbers)
    assert all(sum(one.size for one in shard.documents) <= most for shard in shards)
    first = [shard.first_document for shard in shards]
    assert len(set(first)) == len(first)
    assert all(each % NUMBERS == 1 for each in first)
    assert NUMBERS > MOST_DOCUMENTS


@given(st.sets(st.integers(0, 5_000), min_size=20, max_size=200), st.integers(5_001, 6_000))
def test_a_file_that_comes_changes_its_own_shard(numbers: set[int], new: int) -> None:
    files = [file(each) for each in numbers]
    before = {shard.name for shard in planned(files, READER, 200)}
    after = {shard.name for shard in planned([*files, file(new)], READER, 200)}
    assert len(before - after) <= 1
    assert before == {shard.name for shard in planned(reversed(files), READER, 200)}


def test_equal_contents_are_together_and_another_reader_makes_other_shards() -> None:
    same = [SourceFile("/docs", f"{each}.txt", 400, "mark") for each in range(4)]
    assert len(planned(same, READER, 500)) == 1
    assert planned(same, READER, 500)[0].name != planned(same, "other fp32 1", 500)[0].name


def test_what_is_hidden_or_no_document_is_not_listed(tmp_path: Path) -> None:
    for name in ("a.txt", "b/c.md", ".hidden.txt", ".git/d.txt", "b/e.exe"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    found, failed = listed([normal(f"file://{tmp_path}")])
    assert [one.path for one in found] == ["a.txt", "b/c.md"]
    assert found[0].mark == hash_file(tmp_path / "a.txt")
    assert failed == []
    with pytest.raises(WorldError, match="nothing at"):
        normal(str(tmp_path / "gone"))


def test_a_file_that_changed_or_went_is_not_fetched(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("as it was planned")
    (one,), _ = listed([str(tmp_path)])
    assert fetch(one, tmp_path / "copies" / "a.txt") == ""
    (tmp_path / "a.txt").write_text("another text")
    assert fetch(one, tmp_path / "copies" / "b.txt") == "changed"
    (tmp_path / "a.txt").unlink()
    assert fetch(one, tmp_path / "copies" / "c.txt") == "path_missing"
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["a.txt"]
    assert LeftOut(one.whole, "changed").path == f"{tmp_path}/a.txt"
