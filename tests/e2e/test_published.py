"""A library that is named by a URI: every command that only reads answers, and changes nothing.

Its documents were deleted after it was published, as they are on the machine of somebody else.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.cli import COMMANDS
from app.cli_common import LibraryUse
from tests.e2e.test_real_engine import prepare
from tests.integration.killing import ROOT
from tests.object_storage import MOTO, environment, new_bucket
from tests.tiny_model import TINY
from tests.unit.app.test_library_uris import EACH
from tests.unit.extract.pdfs import save, text_at
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from tests.e2e.conftest import Lectern

pytest.importorskip("obstore", reason="it comes with lectern[cluster]")
pytestmark = pytest.mark.timeout(900)  # each test starts some processes

AWAY = "The document is not on this machine; this is its text as it was read."
#: What the commands that read are called with here; those that need more than words are below.
READ = {
    "search": "landlord roof",
    "compare": "lease.txt ice.txt",
    "text": "DOCUMENTS/lease.txt",
    "status": "--json",
    "files": "--json",
    "pace": "",
    "estimate": "HERE",
    "library": "publish file://HERE/mirror",
    "verify": "--json",
    "reindex": "--dry-run",
    "models": f"use {TINY} --dry-run",
    "doctor": "--json",
    "doors": "list --json",
    "mcp": "--bundle HERE/lectern.mcpb",
    "engine": "--idle-exit 0.1",
}
SAYS = {
    "search": "The landlord mends the roof.",
    "compare": "Only in lease.txt",
    "text": "The landlord mends the roof.",
    "files": "lease.txt",
    "pace": "search only",
    "library": "version 1",
    "verify": '"problems": []',
    "doctor": "library",
}
OTHERS = {"gui", "serve", "desktop"}


class Reader:
    """Runs commands on a library by its URI, with a home and a cache of their own."""

    def __init__(self, lectern: Lectern, uri: str, environment: dict[str, str]) -> None:
        self.lectern, self.uri, self.environment = lectern, uri, environment
        self.documents = lectern.folder / "documents"
        self.cache = lectern.folder / "cache"

    def __call__(self, *words: str | Path, status: int = 0, stdin: str = "") -> str:
        named = ("--library", self.uri, *words)
        done = self.lectern(*named, status=status, stdin=stdin, environment=self.environment)
        return done.stdout + done.stderr

    def copy(self) -> Path:
        (catalog,) = self.cache.glob("lectern/libraries/*/*/catalog.sqlite")
        return catalog.parent


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("published")
    lectern = prepare(folder)
    documents = folder / "documents"
    documents.mkdir()
    (documents / "ice.txt").write_text("The ship sank in November. The crew camped on the ice.")
    (documents / "lease.txt").write_text("The tenant pays rent.\fThe landlord mends the roof.")
    page = save(documents / "lamp.pdf", text_at((72, 100, "The keeper counts the lamps.")))
    lectern("index", documents)
    uri, variables = f"file://{folder}/a shelf, 100%25 full", {}
    if MOTO.is_dir():
        port: int = request.getfixturevalue("s3")
        uri, variables = f"s3://{new_bucket(port)}/a shelf, 100% full/", environment(port)
    lectern("library", "publish", uri, environment=variables)
    page.rename(folder / "lamp.pdf")
    shutil.rmtree(documents)
    shutil.rmtree(lectern.library)
    reader = Reader(lectern, uri, {**variables, "XDG_CACHE_HOME": str(folder / "cache")})
    reader("status")
    return reader


def test_every_command_that_reads_is_tried_here() -> None:
    reads = {name for name, _, use in EACH if use in {LibraryUse.ASKS, LibraryUse.READS}}
    assert reads == READ.keys() | OTHERS
    assert reads <= {command.name for command in COMMANDS}


@pytest.mark.parametrize("name", READ)
def test_a_command_that_reads_answers_and_changes_nothing(
    reader: Reader, name: str, tmp_path: Path
) -> None:
    before = contents(reader.copy())
    places = {"DOCUMENTS": str(reader.documents), "HERE": str(tmp_path)}
    words = READ[name]
    for word, place in places.items():
        words = words.replace(word, place)
    said = reader(name, *words.split())
    assert SAYS.get(name, "") in said
    assert "Traceback" not in said
    assert contents(reader.copy()) == before
    if name == "text":
        assert AWAY in said
    if name == "mcp":
        assert reader.uri.encode() in (tmp_path / "lectern.mcpb").read_bytes()


def test_the_text_of_a_document_that_is_elsewhere_has_its_pages(reader: Reader) -> None:
    path = reader.documents / "lease.txt"
    assert json.loads(reader.lectern(
        "--library", reader.uri, "text", "--json", path, environment=reader.environment
    ).stdout)["path"] == str(path)  # fmt: skip
    assert "[path_missing]" in reader("text", reader.documents / "none.txt", status=2)


def test_what_would_change_the_copy_is_refused_by_its_folder_too(reader: Reader) -> None:
    copy, before = reader.copy(), contents(reader.copy())
    for words in (["index", ROOT / "docs"], ["repair"], ["pause"], ["remove", reader.documents]):
        said = reader.lectern("--library", copy, *words, status=3).stderr
        assert "[library_published]" in said
    assert contents(copy) == before


def test_nothing_secret_is_in_the_cache(reader: Reader) -> None:
    for path in reader.cache.rglob("*"):
        assert not path.is_file() or stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
        assert not path.is_file() or b"AWS_SECRET" not in path.read_bytes()


def test_two_that_open_it_at_once_share_one_copy(reader: Reader, tmp_path: Path) -> None:
    own = {**reader.environment, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    line = ("--library", reader.uri, "status", "--json")
    with (
        reader.lectern.start(*line, environment=own) as first,
        reader.lectern.start(*line, environment=own) as second,
    ):
        answers = [each.communicate(timeout=WAIT_S) for each in (first, second)]
    assert all(out for out, _ in answers), answers
    assert len({json.loads(out)["library"] for out, _ in answers}) == 1
    assert len(list((tmp_path / "cache/lectern/libraries").glob("*/*/catalog.sqlite"))) == 1


def test_offline_the_copy_that_is_there_answers(reader: Reader, tmp_path: Path) -> None:
    gone = {**reader.environment, "AWS_ENDPOINT": "http://127.0.0.1:9"}
    line = ("--library", reader.uri, "--offline", "search", "landlord")
    assert "mends the roof" in reader.lectern(*line, environment=gone).stdout
    empty = {**gone, "XDG_CACHE_HOME": str(tmp_path)}
    if reader.uri.startswith("s3:"):
        said = reader.lectern(*line, status=4, environment=empty).stderr
        assert "[store_failed]" in said


def test_a_new_version_replaces_the_copy(reader: Reader, tmp_path: Path) -> None:
    """A copy that nobody reads goes; who named the library by its URI sees the new version."""
    uri = f"file://{tmp_path}/shelf"
    own = {**reader.environment, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    reader("library", "publish", uri)
    said = reader.lectern("--library", uri, "status", "--json", environment=own).stdout
    first = Path(json.loads(said)["library"])
    other = tmp_path / "other"
    reader.lectern("library", "pull", uri, "--to", other, environment=own)
    (tmp_path / "new.txt").write_text("A new document on owls.")
    reader.lectern("--library", other, "index", tmp_path / "new.txt")
    reader.lectern("--library", other, "library", "publish", uri)
    said = reader.lectern("--library", uri, "search", "owls", environment=own).stdout
    assert "owls" in said
    assert not first.exists()


def test_it_is_served(reader: Reader) -> None:
    line = ("--library", reader.uri, "serve", "--port", "0")
    with reader.lectern.start(*line, environment=reader.environment) as server:
        assert server.stderr is not None
        assert server.stderr.readline().startswith("Serving at http://127.0.0.1:")


@pytest.mark.parametrize("line", ["status", "gui"])
def test_a_place_without_a_library_is_said(reader: Reader, line: str, tmp_path: Path) -> None:
    places = [f"file://{tmp_path}/nothing"]
    if reader.uri.startswith("s3:"):
        places += [f"{reader.uri.rstrip('/')}/nothing", "s3://bucket-that-does-not-exist/archive"]
    for place in places:
        with reader.lectern.start("--library", place, line, environment=reader.environment) as run:
            out, said = run.communicate(timeout=WAIT_S)
        assert run.returncode in {2, 4}, out + said
        assert place in said
        assert "[path_missing]" in said or "[store_failed]" in said
        assert len(said.splitlines()) <= 3


def test_the_window_opens_it_for_reading(reader: Reader, tmp_path: Path) -> None:
    """It shows the page of a hit, whose document is where it was for this test alone."""
    reader.documents.mkdir()
    shutil.copy2(reader.lectern.folder / "lamp.pdf", reader.documents)
    before = contents(reader.copy())
    shown = {**reader.environment, "QT_QPA_PLATFORM": "offscreen", "LANGUAGE": "en"}
    line = ("--library", reader.uri, "gui", "--check", tmp_path / "window", "counts")
    with reader.lectern.start(*line, environment=shown) as window:
        out, said = window.communicate(timeout=2 * WAIT_S)
    shutil.rmtree(reader.documents)
    assert window.returncode == 0, out + said
    assert contents(reader.copy()) == before
    assert os.listdir(tmp_path / "window")  # noqa: PTH208  # what the window keeps is elsewhere
