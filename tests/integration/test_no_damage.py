"""What keeps a store from being read and is no damage: nothing is called broken, no row is lost."""

from __future__ import annotations

import json
import shutil
import signal
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from indexer.api.errors import WorldError
from indexer.library.rescue import rescue
from indexer.store import checks, damage, indices, runtime
from indexer.store.disk import open_errors
from indexer.store.metadata_copies import MetadataCopies
from indexer.store.store import Store
from indexer.store.table import Table
from tests.integration import rights
from tests.integration.killing import ROOT
from tests.integration.upkeep import SCATTERED, enlarge, flip, read_plainly
from tests.store_rows import rows, vectors

if TYPE_CHECKING:
    from pathlib import Path

SPACE, TABLE = "tiny", "vectors_tiny.lance"
COMMITS, PASSAGES = 4, 30


def table_of(store: Store) -> Table:
    table = store.tables.vectors(SPACE)
    assert table is not None
    return table


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "lance"
    store = Store.open(path, threads=1, thresholds=SCATTERED)
    for doc in range(1, COMMITS + 1):
        store.add_passages(rows(doc, [f"The zephyr {doc} of word{i}." for i in range(PASSAGES)]))
        store.add_vectors(SPACE, vectors(doc, range(PASSAGES)))
    table, config = table_of(store), indices.vector_index()
    table.commit(lambda: table.inner.create_index("vector", config=config))
    return path


@pytest.fixture
def lance(made: Path, tmp_path: Path) -> Path:
    path = tmp_path / "library" / "lance"
    shutil.copytree(made, path)
    return path


@pytest.fixture
def tiny_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the least library the indices do not fit, as those of a large one in a small machine."""
    monkeypatch.setattr(runtime, "_INDEX_CACHE_LEAST", 512)
    monkeypatch.setattr(runtime, "_INDEX_CACHE_LIMIT", 512)


def broken_vectors(lance: Path) -> list[str]:
    table = Store.open(lance, threads=1, thresholds=SCATTERED).tables.vectors(SPACE)
    assert table is not None
    if not table.has_vector_index:
        table.inner.create_index("vector", config=indices.vector_index())
    return checks.examine("vectors_tiny", table, lambda: None).broken_indices


@pytest.mark.usefixtures("tiny_cache")
def test_an_index_that_does_not_fit_into_the_cache_is_whole_and_damaged_is_found(
    lance: Path,
) -> None:
    assert broken_vectors(lance) == []
    for path in (lance / "vectors_tiny.lance" / "_indices").rglob("*.idx"):
        content = path.read_bytes()
        assert len(content) > 512 or path.stem == "index"
        path.write_bytes(content[: len(content) // 2])
    assert broken_vectors(lance) == ["vector"]


def make_texts(lance: Path, many: int) -> Path:
    """Make a table of compressed texts, in which the bytes of a row stand together."""
    import pyarrow as pa

    Store.open(lance, threads=1, thresholds=SCATTERED).close()
    squeezed = {
        "lance-encoding:compression": "zstd",
        "lance-encoding:structural-encoding": "miniblock",
    }
    numbers = pa.array(range(many))
    columns = {
        "doc": numbers.cast(pa.int32()),
        "key": numbers,
        "text": pa.array([f"The zephyr of word{i} and {i**60}." for i in range(many)]),
    }
    fields = [
        pa.field(name, one.type, metadata=squeezed if name == "text" else None)
        for name, one in columns.items()
    ]
    database = runtime.connect(lance, 1, 1 << 25)
    database.create_table("plain", pa.table(columns, schema=pa.schema(fields)))
    return lance / "plain.lance"


def plain(lance: Path) -> Table:
    path = lance / "plain.lance"
    return Table(runtime.reopen(path), path)


def test_damage_in_one_place_costs_the_rows_that_stand_there(tmp_path: Path) -> None:
    many, places = 6 * damage.BLOCK, 12
    lance = tmp_path / "lance"
    (file,) = (make_texts(lance, many) / "data").iterdir()
    content = file.read_bytes()
    lost = set()
    for place in range(places):
        start = len(content) * place // places
        file.write_bytes(content[:start] + b"\xff" * 64 + content[start + 64 :])
        table = plain(lance)
        damaged = damage.unreadable(table)
        lost.add(sum(len(block.rows) for block in damaged))
    assert lost & set(range(1, many))  # some damage is met by reading, and costs not everything
    file.write_bytes(content)
    assert damage.delete_unreadable(table, damaged) == 0  # whole again: nothing is taken out
    file.write_bytes(b"")
    again = plain(lance)
    assert damage.delete_unreadable(again, damage.blocks(table.inner)) == many
    assert again.count() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a process ends by no signal there")
def test_a_length_that_ends_whoever_reads_it_costs_the_rows_that_stand_there(
    tmp_path: Path,
) -> None:
    many = 3 * damage.BLOCK
    lance = tmp_path / "lance"
    path = make_texts(lance, many)
    (file,) = (path / "data").iterdir()
    content = file.read_bytes()
    enlarge(file)
    done = read_plainly(path)
    assert done.returncode == -signal.SIGABRT
    assert "memory allocation of" in done.stderr
    damaged = damage.unreadable(plain(lance))
    lost = sum(len(block.rows) for block in damaged)
    assert 0 < lost < many
    file.write_bytes(content)
    assert damage.delete_unreadable(plain(lance), damaged) == 0
    enlarge(file)
    store = Store.open(lance, threads=1, thresholds=SCATTERED, suspect=True)
    table = store.tables.by_name()["plain"]
    assert table.lost == lost
    assert damage.broken_indices(table) == []
    assert len(table.rows.keys()) == many - lost


@pytest.mark.parametrize("folder", ["data", "_indices"])
@pytest.mark.parametrize(
    "place", [-13, -9, -27], ids=["of global buffers", "of columns", "of the table of columns"]
)
def test_a_number_that_would_end_the_process_is_put_right(
    lance: Path, folder: str, place: int
) -> None:
    whole = {path: path.read_bytes() for path in (lance / TABLE / folder).rglob("*.*")}
    for path, content in whole.items():
        flip(path, place)
        assert path.read_bytes() != content
    opened = "import sys, pathlib, indexer.store.store as s; "
    opened += "print(len(s.Store.open(pathlib.Path(sys.argv[1]), threads=1).known_docs()))"
    command = [sys.executable, "-c", opened, str(lance)]  # Lance asks for 34 GB, or panics
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{COMMITS}\n"), done.stderr
    assert {path: path.read_bytes() for path in whole} == whole


def test_a_broken_index_is_made_anew(lance: Path) -> None:
    table = table_of(Store.open(lance, threads=1, thresholds=SCATTERED))
    for path in (lance / TABLE / "_indices").rglob("auxiliary.idx"):
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
    broken = checks.examine("vectors_tiny", table, lambda: None).broken_indices
    assert broken == ["vector"]
    indices.rebuild(table, broken)
    assert damage.broken_indices(table) == []


def test_such_a_count_in_a_library_that_can_only_be_read_is_said(lance: Path) -> None:
    (path, *_) = (lance / TABLE / "data").iterdir()
    flip(path, -13)
    with pytest.raises(WorldError) as said:
        Store.open(lance, threads=1, writable=False)
    assert said.value.code == "library_damaged"


def test_a_footer_without_sound_places_is_put_back(lance: Path) -> None:
    (path, *_) = (lance / TABLE / "data").iterdir()
    flip(path, -13)
    flip(path, -17)  # where the table of global buffers begins
    table = table_of(Store.open(lance, threads=1, thresholds=SCATTERED))
    assert table.count() == COMMITS * PASSAGES
    assert damage.unreadable(table) == []


@pytest.mark.skipif(sys.platform == "win32", reason="limits and modes are those of POSIX")
@pytest.mark.parametrize(
    ("how", "code"), [("rights", "path_denied"), ("descriptors", "read_error")]
)
def test_what_the_system_refuses_is_no_damage(lance: Path, how: str, code: str) -> None:
    prefix = rights.bound_by_permissions() if how == "rights" else []
    done = subprocess.run(
        [*prefix, sys.executable, "-m", "tests.integration.refused", str(lance), how],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    came: dict[str, Any] = json.loads(done.stdout)
    assert set(came["said"]) <= {code, "nothing"}
    assert came["said"].count(code) >= 2
    assert came["after"] == came["before"]
    assert came["before"]["vectors_tiny"] == COMMITS * PASSAGES
    assert (came["lost"], came["unreadable"]) == (0, 0)


def test_a_library_whose_drive_is_away_loses_nothing(lance: Path) -> None:
    store = Store.open(lance, threads=1, thresholds=SCATTERED)
    table = table_of(store)
    keys = table.rows.keys()
    away = lance.with_name("away")
    lance.rename(away)
    for work in (
        lambda: store.sentence_vectors_of(SPACE, keys),
        lambda: table.select("doc > 0", ["doc"]),
        lambda: checks.examine("vectors_tiny", table, lambda: None),
    ):
        with pytest.raises((WorldError, RuntimeError)):
            work()
    assert not lance.exists()  # nothing is written where the drive was
    assert table.lost == 0
    away.rename(lance)
    assert table.count() == COMMITS * PASSAGES
    assert store.vectors_of(SPACE, keys).any(axis=1).all()


def test_a_table_without_its_lists_is_not_dropped_at_opening(lance: Path) -> None:
    lists = lance / TABLE / "_versions"
    MetadataCopies(lists.parent, writable=True).forget()
    shutil.rmtree(lists)
    before = sorted((lance / TABLE / "data").iterdir())
    with pytest.raises(WorldError) as caught, open_errors(lance):
        Store.open(lance, threads=1, thresholds=SCATTERED)
    assert caught.value.code == "library_damaged"
    assert sorted((lance / TABLE / "data").iterdir()) == before
    assert any("vectors_tiny" in said for said in rescue(lance.parent))  # because somebody asked


def test_a_table_of_a_later_lance_is_left_alone(lance: Path) -> None:
    MetadataCopies(lance / TABLE, writable=True).forget()
    lists = sorted((lance / TABLE / "_versions").glob("*.manifest"))
    for path in lists:
        content = path.read_bytes()
        (start,) = struct.unpack("<Q", content[-16:-8])
        (size,) = struct.unpack("<I", content[start : start + 4])
        told = content[start + 4 : start + 4 + size] + b"\x48\x80\x80\x80\x80\x80\x80\x01"
        path.write_bytes(
            content[:start] + struct.pack("<I", len(told)) + told + content[-16:]
        )  # a flag for readers that none knows
    with pytest.raises(WorldError) as caught, open_errors(lance):
        Store.open(lance, threads=1, thresholds=SCATTERED)
    assert caught.value.code == "library_newer"
    with pytest.raises(WorldError) as caught:
        rescue(lance.parent)
    assert caught.value.code == "library_newer"
    assert sorted((lance / TABLE / "_versions").glob("*.manifest")) == lists


@pytest.mark.parametrize(
    ("passages_", "vectors_", "free", "expected"),
    [
        (0, 0, 8 << 30, 32 << 20),  # the least
        (60 << 20, 20 << 20, 8 << 30, 100 << 20),  # all of it
        (60 << 20, 20 << 20, 400 << 20, 50 << 20),  # an eighth of what is free
        (60 << 20, 20 << 20, 0, 32 << 20),
        (4 << 30, 4 << 30, 64 << 30, 2 << 30),
    ],
)
def test_the_cache_grows_with_the_library_and_the_machine(
    tmp_path: Path, passages_: int, vectors_: int, free: int, expected: int
) -> None:
    for name, size in (("passages", passages_), ("vectors_x", vectors_)):
        folder = tmp_path / f"{name}.lance" / "_indices"
        folder.mkdir(parents=True)
        with (folder / "index").open("wb") as file:
            file.truncate(size)
    assert runtime.cache_bytes(tmp_path, free) == expected
