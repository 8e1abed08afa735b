"""The command line over the real engine: the sample documents from files to answers and back.

The model is a tiny untrained one, so only words, pages, states, offsets and processes are tested.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from app.cli_engine import sample_documents
from indexer.api.endpoint import EngineClient
from indexer.api.progress import CancelToken, Progress
from indexer.api.requests import Index
from tests.e2e.conftest import Lectern
from tests.tiny_model import TINY, install_tiny_model
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = 7


def prepare(folder: Path) -> Lectern:
    """Return a command line whose home has the tiny model."""
    (folder / "run").mkdir(mode=0o700)
    lectern = Lectern(folder, "app")
    install_tiny_model(lectern.library.parent / "models")
    lectern("settings", "set", "model", TINY)
    return lectern


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the samples are indexed; to be copied, not changed."""
    folder = tmp_path_factory.mktemp("indexed")
    lectern = prepare(folder)
    out = lectern("index", sample_documents()).stdout
    assert f"{FILES} files seen" in out
    return folder


@pytest.fixture(scope="module")
def served(indexed: Path) -> Iterator[Lectern]:
    """The indexed samples with a running engine, for tests that change nothing."""
    lectern = Lectern(indexed, "app")
    with lectern.serving():
        yield lectern


@pytest.fixture
def copied(indexed: Path, served: Lectern, tmp_path: Path) -> Lectern:
    """A copy of the indexed library, to be changed."""
    folder = tmp_path / "copy"
    shutil.copytree(indexed, folder, ignore=shutil.ignore_patterns("run"))
    (folder / "run").mkdir(mode=0o700)
    return Lectern(folder, "app")


def hits(lectern: Lectern, *query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(lectern("search", "--json", *query).stdout)["hits"]
    return found


@pytest.mark.parametrize(
    ("query", "file", "page"),
    [
        ('"double doors to the slipway"', "workshop-lease.pdf", 1),
        ("mediator harbour board", "workshop-lease.pdf", 3),
        ('"heart of a great gong"', None, 0),
        ("age of the tide", "tides.html", 1),
        ("gnomon tangs washer of lead", "sundials.pdf", 4),
        ("fog detector cobweb", "lighthouse-log.txt", 1),
        ("anchor bolts concrete cure", "observatory-notes.md", 1),
        ("Anstellgut Roggenmehl", "brot.txt", 1),
    ],
)
def test_queries_find_their_page(served: Lectern, query: str, file: str | None, page: int) -> None:
    found = hits(served, query)
    if file is None:
        assert not [hit for hit in found if hit["why"] == "phrase"]
    else:
        assert (found[0]["file"], found[0]["page"]) == (file, page)


def test_a_line_that_was_broken_with_a_hyphen_is_found_whole(served: Lectern) -> None:
    (first, *_rest) = hits(served, '"The ice did not trouble us again seriously until"')
    assert (first["file"], first["page"], first["why"]) == ("south.pdf", 2, "phrase")
    assert "Loss of the Endurance" in " ".join(first["heading_path"])


def test_running_heads_are_found_once(served: Lectern) -> None:
    found = hits(served, '"LEASE OF A WORKSHOP: UNIT 7, MARRAM BOATYARD"')
    assert [hit["why"] for hit in found].count("phrase") == 1


def test_filters(served: Lectern) -> None:
    assert {hit["file"] for hit in hits(served, "--ext", "html", "water")} == {"tides.html"}
    assert "south.pdf" not in {hit["file"] for hit in hits(served, "ice", "-ext:pdf", "-zebra")}


def test_offsets_lead_back_into_the_file(served: Lectern, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    texts = ["fog horn", "dew heater battery", "street lamp", "redwings", "Sauerteig"]
    lines = [json.dumps({"id": number, "query": text}) for number, text in enumerate(texts)]
    queries.write_text("\n".join(lines))
    answers = served("search", "--batch", queries).stdout.splitlines()
    seen = 0
    for answer in map(json.loads, answers):
        for hit in answer["hits"]:
            if Path(hit["path"]).suffix in {".txt", ".md"}:
                text = Path(hit["path"]).read_bytes().decode("utf-8")
                assert text[hit["start"] : hit["end"]] == hit["text"]
                seen += 1
    assert len(answers) == len(texts)
    assert seen >= len(texts)


def test_status_and_coverage(served: Lectern) -> None:
    facts = status(served)
    assert facts["library"] == str(served.library)
    assert sum(facts["files"].values()) == FILES
    assert facts["embedded_share"] == 1.0
    assert facts["bytes"] > 0
    rows = [json.loads(line) for line in served("files", "--json").stdout.splitlines()]
    assert {row["state"] for row in rows} <= {"indexed", "text_only"}
    assert {row["pages"] for row in rows} >= {3, 46}
    text = served("status").stdout
    assert str(sample_documents()) in text
    assert "100 % embedded" in text


def test_doctor_finds_nothing_wrong(served: Lectern) -> None:
    checks = json.loads(served("doctor", "--json").stdout)
    assert [check for check in checks if not check["ok"]] == []
    assert any(TINY in str(check["value"]) for check in checks)


def test_indexing_again_reads_nothing_again(copied: Lectern) -> None:
    summary = json.loads(copied("index", "--json").stdout)
    assert summary["documents_added"] == 0
    assert summary["files_seen"] == FILES


def test_what_is_removed_is_not_found(copied: Lectern) -> None:
    alone = copied.folder / "alone.txt"
    alone.write_text("A zebra crossed the road.")
    with copied.serving():
        copied("index", alone)
        assert hits(copied, "zebra")[0]["file"] == "alone.txt"
        assert (
            "[not_a_root]" in copied("remove", sample_documents() / "tides.html", status=2).stderr
        )
        copied("remove", sample_documents())
        assert {hit["file"] for hit in hits(copied, "ice zebra")} == {"alone.txt"}
        copied("remove", alone)
        assert hits(copied, "zebra") == []
        assert copied("files").stdout == ""
    assert alone.exists()


def test_a_library_can_move_and_be_deleted(copied: Lectern) -> None:
    new = copied.folder / "elsewhere"
    copied("move-library", new)
    assert hits(copied, "redwings")[0]["file"] == "lighthouse-log.txt"
    assert "deleted" in copied("remove", "--everything", "--yes").stdout
    assert not new.exists()


def test_the_library_is_for_its_owner_only(indexed: Path) -> None:
    library = Lectern(indexed, "app").library
    assert library.stat().st_mode & 0o077 == 0


def test_an_interrupted_run_continues_to_the_same_result(served: Lectern, tmp_path: Path) -> None:
    lectern = prepare(tmp_path)
    token = CancelToken()

    def stop_in_the_middle(progress: Progress) -> None:
        if progress.passages or progress.passages_pending:
            token.cancel()

    with lectern.serving():
        client = EngineClient.attach(lectern.library)
        assert client is not None
        with contextlib.closing(client):
            client.call(Index((sample_documents(),)), report=stop_in_the_middle, token=token)
        assert token.cancelled
    with lectern.serving():  # opened again, as after a crash
        lectern("index")
        assert lectern("files").stdout == served("files").stdout
        for key in ("documents", "pages", "passages", "embedded_share"):
            assert status(lectern)[key] == status(served)[key]
        assert phrases(lectern) == phrases(served)


def status(lectern: Lectern) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(lectern("status", "--json").stdout)
    return answer


def phrases(lectern: Lectern) -> set[tuple[str, int, int]]:
    """Return the places of a phrase, which unlike the order of hits do not depend on vectors."""
    found = hits(lectern, "--limit", "1000", '"the floe"')
    return {(hit["file"], hit["start"], hit["end"]) for hit in found if hit["why"] == "phrase"}


def test_no_process_is_left_behind(copied: Lectern) -> None:
    with copied.start("index", "--rescan") as indexing:
        indexing.communicate(timeout=60)
    # The command ran in a session of its own, which must have no process left.
    left = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == indexing.pid:
                left.append(process.name())
        except (ProcessLookupError, PermissionError):
            continue
    assert left == []


def staying(lectern: Lectern) -> int:
    """Return the process of the engine that stays for the next question, 0 without one."""
    client = EngineClient.attach(lectern.library)
    if client is None:
        return 0
    with contextlib.closing(client):
        assert client.greeting.staying
        return client.greeting.pid


def test_an_engine_stays_for_the_next_question(
    copied: Lectern, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", copied.environment["XDG_RUNTIME_DIR"])
    stays = {"LECTERN_ENGINE_STAYS": "600"}
    first = json.loads(copied("search", "--json", "boat", environment=stays).stdout)
    process = staying(copied)
    assert process
    again = json.loads(copied("search", "--json", "boat", environment=stays).stdout)
    assert again["hits"] == first["hits"]
    copied("status")
    assert staying(copied) == process
    copied("settings", "set", "history", "off")  # an engine has the settings that it began with
    assert not staying(copied)


def test_an_engine_that_stays_ends_by_itself(
    copied: Lectern, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", copied.environment["XDG_RUNTIME_DIR"])
    copied("search", "boat", environment={"LECTERN_ENGINE_STAYS": "0.1"})
    wait_for(lambda: not staying(copied), look_s=2.0)  # whoever asks keeps it
    copied("search", "boat")
    assert not staying(copied)
