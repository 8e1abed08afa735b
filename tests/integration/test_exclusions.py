"""Which files are left out: private ones, those of programs, and the library itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from indexer.api.answers import FolderCount
from indexer.api.errors import WorldError
from indexer.api.requests import Compare, EstimateIndex, ListFiles, ListFolders, Search
from indexer.api.types import FileState
from tests.integration.world import World, check_whole, quoted, states

if TYPE_CHECKING:
    from pathlib import Path


# A file, what is left out because of it, and why.
PRIVATE = [
    (".ssh/notes.txt", ".ssh", "secrets"),
    (".gnupg/notes.txt", ".gnupg", "secrets"),
    (".aws/credentials.txt", ".aws", "secrets"),
    ("server.pem", "server.pem", "secrets"),
    ("passwords.kdbx", "passwords.kdbx", "secrets"),
    (".mozilla/firefox/page.html", ".mozilla", "browser"),
    (".config/google-chrome/page.html", ".config", "hidden"),
    (".thunderbird/mail.txt", ".thunderbird", "mail"),
    (".cache/page.html", ".cache", "cache"),
    ("__pycache__/notes.txt", "__pycache__", "cache"),
    (".git/description.txt", ".git", "versions"),
    ("site/node_modules/lib/readme.md", "site/node_modules", "dependencies"),
    ("work/.venv/readme.md", "work/.venv", "dependencies"),
    (".hidden.txt", ".hidden.txt", "hidden"),
    ("~$report.txt", "~$report.txt", "system"),
]


@pytest.fixture
def world(world: World) -> World:
    (world.documents / "mine.txt").write_text("My own note about a quince.")
    return world


def put(folder: Path, path: str, text: str = "A durian that nobody is to find.") -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


def test_nothing_private_or_foreign_is_read(world: World) -> None:
    for path, _, _ in PRIVATE:
        put(world.documents, path)
    with world.engine() as engine:
        world.index(engine)
        rows = {row.file: row.detail for row in engine.call(ListFiles(FileState.EXCLUDED)).files}
        assert rows.keys() == {excluded for _, excluded, _ in PRIVATE}
        for _, excluded, reason in PRIVATE:
            assert reason in rows[excluded]
        assert engine.catalog.files.counts() == {"indexed": 1, "excluded": len(PRIVATE)}
        assert engine.searcher.lexicon.df(["durian", "quince"]) == {"durian": 0, "quince": 1}


def test_what_is_left_out_can_be_let_in(world: World) -> None:
    put(world.documents, "site/node_modules/lib/readme.md")
    put(world.documents, "drafts/notes.txt")
    with world.engine(exclude=("!node_modules/", "drafts/")) as engine:
        world.index(engine)
        assert quoted(engine, "durian that nobody") == ["site/node_modules/lib/readme.md"]
    # A pattern taken back takes its file out again, and lets the other in.
    with world.engine() as engine:
        world.index(engine)
        assert quoted(engine, "durian that nobody") == ["drafts/notes.txt"]
        check_whole(engine)


def test_the_files_that_patterns_take_out_of_the_library_are_counted_by_folder(
    world: World,
) -> None:
    for number in range(3):
        put(world.documents, f"downloads/old/{number}.txt", f"Number {number} of a durian.")
    put(world.documents, "downloads/new.txt")
    put(world.documents, "letters/a.bak.txt", "A letter about a kiwi.")
    put(world.documents, "letters/b.txt", "A letter about a melon.")
    with world.engine() as engine:
        world.index(engine)
        known = EstimateIndex((world.documents,), ("/downloads/", "*.bak.txt"))
        assert engine.call(known).leaving == {"downloads": 4, "letters/a.bak.txt": 1}
        assert engine.call(EstimateIndex((world.documents,), ())).leaving == {}
        folder = world.documents / "downloads"
        assert engine.call(ListFolders(world.documents)) == (
            FolderCount(str(folder), 4, has_folders=True),
            FolderCount(str(world.documents / "letters"), 2, has_folders=False),
        )
        assert engine.call(ListFolders(folder)) == (
            FolderCount(str(folder / "old"), 3, has_folders=False),
        )
        assert engine.call(ListFiles(root=folder)).total == 4
        assert [row.file for row in engine.call(ListFiles(root=folder / "old")).files] == [
            f"downloads/old/{number}.txt" for number in range(3)
        ]
        with pytest.raises(WorldError, match="not in this library"):
            engine.call(ListFolders(world.documents.parent))


def test_the_library_is_not_read_itself(world: World) -> None:
    inner = World(world.documents, world.documents / "library", world.models)
    with inner.engine() as engine:
        inner.index(engine)
        assert states(engine) == {"mine.txt": "indexed", "library": "excluded"}


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a backslash separates folders")
def test_a_name_with_a_backslash_stays_what_it_is(world: World) -> None:
    odd = "letters\\to  a.txt"
    (world.documents / odd).write_text("The lighthouse keeper counted every gull at dawn.")
    (world.documents / "b.txt").write_text("The lighthouse keeper counted every seal at dawn.")
    with world.engine() as engine:
        world.index(engine)
        (hit,) = engine.call(Search(f'gull in:"{world.documents}"', 1)).hits
        assert (hit.file, hit.path) == (odd, str(world.documents / odd))
        assert odd in {row.file for row in engine.call(ListFiles()).files}
        compared = engine.call(Compare(odd, "b.txt", 0))
        assert compared.first.file == odd
