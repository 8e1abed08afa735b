"""Files that break programs: each ends in the state it should, in time and in little memory."""

from __future__ import annotations

import json
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from indexer.api.errors import LecternError
from indexer.config import Limits
from indexer.extract.office.libreoffice import find_program
from indexer.extract.process.sandbox import ExtractionChild
from tests.corpora import BENCH, needs_corpus
from tests.integration.extraction import reader_of

if TYPE_CHECKING:
    from indexer.api.types import DocumentInfo

pytestmark = [needs_corpus, pytest.mark.corpus]
SLOWEST_S = 60.0
# What the list calls otherwise. Where the list of pages is lost, pages that are found are read, and
# a file in which there is none is damaged rather than empty; some are drawings, or blank.
NO_PAGES = {
    **dict.fromkeys((1, 4, 5, 6, 7, 9, 11), "unreadable"),
    **dict.fromkeys((2, 3, 8, 12), "indexed"),
    10: "no_text",
}
# Their fonts do not say which letters they show; the list asks only whether they open.
ILLEGIBLE = ("cyrillic-02.pdf", "plain-24.pdf", "rtl-01.pdf", "rtl-07.pdf")
STATES = {
    **{f"no_pages-{number:02}.pdf": state for number, state in NO_PAGES.items()},
    **dict.fromkeys(ILLEGIBLE, "partial"),
    "cjk-11.pdf": "partial",  # the picture of a page with a line of text on it
    # Attached files of kinds that are not read are named.
    **{f"embedded_files-{number:02}.pdf": "partial" for number in (1, 2, 4, 6)},
    "scan_no_text-02.pdf": "indexed",  # its subject is text
}


@dataclass
class Outcome:
    """What became of one file."""

    state: str
    info: DocumentInfo | None
    seconds: float


def expectations() -> list[dict[str, Any]]:
    listed = BENCH / "hard-files.jsonl"
    if not listed.is_file():
        return []
    return [json.loads(line) for line in listed.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def outcomes() -> tuple[dict[str, Outcome], int]:
    """The outcome of every file, and the peak resident size of all their readers, in bytes."""
    found: dict[str, Outcome] = {}
    peaks = [0]
    with ExtractionChild() as child:
        for row in expectations():
            name = row["file"]
            found[name] = extract(child, BENCH / "hard-files" / name, peaks)
    return found, max(peaks)


def extract(child: ExtractionChild, path: Path, peaks: list[int]) -> Outcome:
    infos: list[DocumentInfo] = []

    def decide(info: DocumentInfo) -> bool:
        infos.append(info)
        peaks.append(resident_peak(reader_of(child).pid))
        return True

    begun = time.monotonic()
    try:
        for _ in child.extract(path, "", None, decide):
            pass
    except LecternError as error:
        return Outcome(error.code, None, time.monotonic() - begun)
    state = "partial" if infos[0].lost else "indexed"
    return Outcome(state, infos[0], time.monotonic() - begun)


def resident_peak(pid: int) -> int:
    if sys.platform != "linux":
        return 0
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def test_every_pdf_reaches_its_state(outcomes: tuple[dict[str, Outcome], int]) -> None:
    found, _ = outcomes
    wrong = {
        row["file"]: (found[row["file"]].state, expected)
        for row in expectations()
        if row["state"] is not None
        and found[row["file"]].state != (expected := STATES.get(row["file"], row["state"]))
    }
    assert wrong == {}


def test_every_page_is_counted(outcomes: tuple[dict[str, Outcome], int]) -> None:
    found, _ = outcomes
    wrong = {
        row["file"]: (info.pages, row["pages"])
        for row in expectations()
        if row["pages"] and (info := found[row["file"]].info) and info.pages != row["pages"]
    }
    assert wrong == {}


# Pictures and empty tables alone; a book whose text is drawn.
WITHOUT_TEXT = {"odp-01.odp", "pptx-02.pptx", "xlsx-06.xlsx"}
# Pictures are attached to them.
PARTLY = {"eml-06.eml", "msg-03.msg"}


def test_other_formats_are_read_or_say_why(outcomes: tuple[dict[str, Outcome], int]) -> None:
    found, _ = outcomes
    old = "indexed" if find_program() else "needs_libreoffice"
    for row in expectations():
        name = row["file"]
        if row["state"] is None:
            expected = old if name.endswith((".doc", ".xls", ".ppt")) else "indexed"
            expected = "no_text" if name in WITHOUT_TEXT else expected
            expected = "partial" if name in PARTLY else expected
            assert found[name].state == expected, name


def test_nothing_hangs(outcomes: tuple[dict[str, Outcome], int]) -> None:
    assert max(outcome.seconds for outcome in outcomes[0].values()) < SLOWEST_S


def test_memory_stays_small(outcomes: tuple[dict[str, Outcome], int]) -> None:
    peak = outcomes[1]
    assert peak <= Limits().resident_bytes
    assert peak or sys.platform != "linux"  # it was measured
