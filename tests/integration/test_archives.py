"""Archives in a real library: found by what is in them, with a state and a reason for the rest."""

from __future__ import annotations

import gzip
import zipfile
from typing import TYPE_CHECKING

import pytest

from app.cli_library import file_line
from indexer.api.errors import WorldError
from indexer.api.phrases import read_detail
from indexer.api.requests import ListFiles, Unlock
from indexer.api.types import FileState
from indexer.config import Limits
from indexer.confine import worker
from indexer.extract.office.libreoffice import find_program
from indexer.extract.process.sandbox import ExtractionChild
from tests.fuzz.ole import ole_file
from tests.integration.extraction import read
from tests.integration.world import World, found, quoted, search, states
from tests.mails import mail
from tests.unit.extract.embedded.test_archive import LOCKED, WORDS, tarred, zipped
from tests.unit.extract.pdfs import endless_page

if TYPE_CHECKING:
    from pathlib import Path


def test_a_hit_says_which_member_and_in_finds_the_archive(world: World) -> None:
    files = {"trips/north/plan.txt": WORDS, "trips/old.md": b"# Old\n\nNothing to see here."}
    (world.documents / "a.zip").write_bytes(zipped(files))
    (world.documents / "b.tar.gz").write_bytes(gzip.compress(tarred({"c/plan.txt": WORDS[:-1]})))
    (world.documents / "other.txt").write_text("The ferry does not leave.")
    with world.engine() as engine:
        world.index(engine)
        assert set(states(engine).values()) == {FileState.INDEXED}
        assert quoted(engine, "northern harbour") == ["a.zip", "b.tar.gz"]
        hits = search(engine, f'"northern harbour" in:{world.documents / "a.zip"}')
        assert {hit.file for hit in hits} == {"a.zip"}
        assert hits[0].heading_path[0] == "trips/north/plan.txt"
        assert found(engine, f"ferry in:{world.documents / 'b.tar.gz'}") == ["b.tar.gz"]


def test_what_is_not_read_has_its_reason(world: World) -> None:
    (world.documents / "locked.zip").write_bytes(LOCKED)
    (world.documents / "some.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(90))
    (world.documents / "part.zip").write_bytes(zipped({"a.txt": WORDS, "b.wpd": b"WPC" * 9}))
    (world.documents / "programs.zip").write_bytes(zipped({"a.exe": b"MZ" * 9}))
    (world.documents / "broken.tar").write_bytes(tarred({"a.txt": WORDS * 90})[:1200])
    with world.engine() as engine:
        world.index(engine)
        known = states(engine)
        assert known["locked.zip"] == "needs_password"
        assert known["some.7z"] == "unsupported"
        assert known["programs.zip"] == "empty"
        assert known["broken.tar"] == "unreadable"
        lines = {row.file: file_line(row) for row in engine.call(ListFiles()).files}
        assert lines["part.zip"].startswith(FileState.PARTIAL)
        assert "b.wpd" in lines["part.zip"]
        engine.call(Unlock(world.documents / "locked.zip", "harbour"))
        world.index(engine)
        assert quoted(engine, "northern harbour") == ["locked.zip", "part.zip"]


@pytest.mark.skipif(
    not (worker.is_available() and find_program()), reason="nothing keeps LibreOffice from it here"
)
def test_what_needs_a_program_is_said_to_be_unread(world: World) -> None:
    files = {"a.txt": WORDS, "old.doc": ole_file({"WordDocument": b"old words"})}
    (world.documents / "a.zip").write_bytes(zipped(files))
    with world.engine() as engine:
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert "old.doc (LibreOffice is needed to read it" in file_line(row)
        assert quoted(engine, "northern harbour") == ["a.zip"]


def test_a_maildir_is_its_mails(world: World) -> None:
    for folder, name in (("new", "1700000000.M1P2.host"), ("cur", "1700000001.M2P3.host:2,RS")):
        (world.documents / "Mail" / folder).mkdir(parents=True)
        (world.documents / "Mail" / folder / name).write_bytes(mail(subject=f"The {folder} ferry"))
    (world.documents / "1700000002.M1.host").write_bytes(bytes(100))
    with world.engine() as engine:
        world.index(engine)
        known = states(engine)
        assert known.pop("1700000002.M1.host") == "unsupported"
        assert set(known.values()) == {FileState.INDEXED}
        assert len(quoted(engine, "the cur ferry")) == 1


def test_a_member_that_stops_its_reader_costs_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    endless = endless_page(pages=2, endless=1)
    path.write_bytes(zipped({"a.txt": WORDS, "b.pdf": endless, "c.txt": b"The last words."}))
    with ExtractionChild(Limits(silence_s=6.0)) as child:
        info, passages = read(child, path)
    assert read_detail(info.lost)["unread"] == [["b.pdf", "stops_reader"]]
    text = " ".join(passage.view for passage in passages)
    assert "northern harbour" in text
    assert "The last words." in text


def test_what_is_not_read_is_not_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "only.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inside.7z", b"7z\xbc\xaf\x27\x1c" + bytes(200))
    with ExtractionChild() as child, pytest.raises(WorldError) as caught:
        list(child.extract(path, "", None, lambda _info: True))
    assert caught.value.message == (
        "The document cannot be read: Lectern does not read files of its kind."
    )
