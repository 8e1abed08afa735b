"""What the engine believes of a reader: every message out of order or bounds ends the document."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest
from msgspec.structs import replace

from indexer.api.errors import Failure, WorldError
from indexer.api.types import DocumentInfo, Passage
from indexer.config import Limits
from indexer.extract.base import EXTRACTOR_VERSION
from indexer.extract.process.border import Border, checked_failure
from indexer.extract.process.messages import (
    DocumentRead,
    Ended,
    Failed,
    FromChild,
    LinesFound,
    PageReached,
    PassagesSent,
    Textless,
    TextSent,
)
from indexer.ocr.layer import RecognisedLine, RecognisedWord, pack, unpack

INFO = DocumentInfo("0" * 64, "text", EXTRACTOR_VERSION, "A title", "", "2024-03", "en", 3, 40)
FIRST = Passage(0, 1, 1, 0, 4, ("Part",), "Lamp", "Lamp", (0,), (0,), "lamp")
SECOND = Passage(1, 1, 2, 5, 9, (), "Wick", "Wick", (0, 2), (0, 2), "wick")
NUMBER = 7
READ = DocumentRead(INFO)


def said(
    *messages: FromChild, number: int = NUMBER, size: int = 100, wanted: bool = True
) -> list[FromChild]:
    border = Border(NUMBER, size, Limits())
    border.wanted = wanted
    return [border.check(message.header(number)) for message in messages]


def refused(*messages: FromChild, **given: Any) -> bool:
    """Whether the last message is refused, and the ones before it are not."""
    said(*messages[:-1])
    with pytest.raises(WorldError) as caught:
        said(*messages, **given)
    return caught.value.code == "child_died"


def test_what_an_honest_reader_says_is_believed() -> None:
    honest = [PageReached(1, 3), Textless((2, 3)), READ, PassagesSent((FIRST, SECOND)), Ended()]
    assert said(*honest) == honest


def test_messages_come_in_their_order() -> None:
    assert refused(PassagesSent((FIRST,)))
    assert refused(READ, READ)
    assert refused(READ, PageReached(1, 3))
    assert refused(READ, Textless((1,)))
    reached = PageReached(1, 3)
    assert refused(reached, Textless((1,)), Textless((1,)))
    assert refused(READ, Ended(), PassagesSent((FIRST,)))
    assert refused(Failed(Failure("empty")), Ended())
    assert refused(READ, PassagesSent((SECOND,)))
    assert refused(READ, PassagesSent((FIRST,)), PassagesSent((FIRST,)))
    again = [replace(FIRST, ordinal=ordinal) for ordinal in range(21)]
    assert refused(READ, PassagesSent(tuple(again[:20])), PassagesSent((again[20],)))
    assert refused(READ, number=NUMBER + 1)
    assert refused(READ, PassagesSent((FIRST,)), wanted=False)
    assert refused(READ, TextSent(1, "", "Lamp"), wanted=False)
    assert refused(READ, TextSent(1, "", "x" * 41), TextSent(1, "", "x"))
    assert refused(READ, TextSent(-1, "", "x"))
    assert said(READ, TextSent(2, "", "x"), TextSent(1, "Comments", "x"))
    assert refused(TextSent(1, "", "x"))


@pytest.mark.parametrize(
    "changes",
    [
        {"ordinal": 2**33}, {"ordinal": -1}, {"char_start": -1}, {"char_end": 0},
        {"char_end": 2**40}, {"char_end": 41, "text": "x" * 41}, {"text": "Lamps"},
        {"page_first": -1}, {"page_first": 9}, {"page_last": 2**32}, {"text_starts": ()},
        {"text_starts": (1,)}, {"text_starts": (0, 9), "view_starts": (0, 1)},
        {"text_starts": (0, 2, 2), "view_starts": (0, 1, 2)},
        {"text_starts": (0, 1), "view_starts": (0, 9)}, {"view_starts": (0, 1)},
        {"view": "x" * 5_000}, {"stems": "x" * 5_000}, {"heading_path": ("x" * 20_000,)},
        {"heading_path": ("x",) * 99}, {"sections": ((1, ("x",) * 99),)}, {"sections": ((9, ()),)},
    ],
)  # fmt: skip
def test_passages_lie_within_their_text(changes: dict[str, Any]) -> None:
    assert refused(READ, PassagesSent((replace(FIRST, **changes),)))


@pytest.mark.parametrize(
    "changes",
    [
        {"text_id": ""}, {"text_id": "x" * 64}, {"format": "nothing"}, {"pages": 0},
        {"pages": 2**33}, {"characters": -1}, {"characters": 2_000_000}, {"title": "x" * 20_000},
        {"author": "x" * 20_000}, {"created": "yesterday"}, {"sent": ("yesterday", "")},
        {"language": "Klingon"}, {"bad_pages": (0,)}, {"bad_pages": (1, 1)},
        {"title": "\ud800"}, {"author": "\udc80"},
        {"lost": "x" * 200_000}, {"labels": ("i",) * 4}, {"labels": ("x" * 50,)},
    ],
)  # fmt: skip
def test_what_is_told_of_a_document_is_plausible(changes: dict[str, Any]) -> None:
    assert refused(DocumentRead(replace(INFO, **changes)))


def test_pages_are_numbers_of_pages() -> None:
    for message in (PageReached(-1, 3), PageReached(4, 3), PageReached(1, 2**33)):
        assert refused(message)
    for pages in ((0,), (2, 1), (1, 1), (4,), (2**33,)):
        assert refused(PageReached(1, 3), Textless(pages))
    assert refused(Textless((1,)))  # of a document without pages


def test_a_small_file_has_no_millions_of_pages_that_cannot_be_read() -> None:
    reached, pages = PageReached(1, 2_000_000), tuple(range(1, 2_000_001))
    assert said(reached, Textless(pages[:1_000]))
    assert said(reached, Textless(pages), size=2_000_000)
    assert refused(reached, Textless(pages))
    assert refused(DocumentRead(replace(INFO, bad_pages=pages)))


def test_the_version_is_the_engines_own() -> None:
    (read,) = said(DocumentRead(replace(INFO, extractor_version=1_000)))
    assert read == READ


def test_a_failure_is_chosen_from_the_tables() -> None:
    def told(code: str, **detail: Any) -> tuple[str, dict[str, Any]]:
        error = checked_failure(Failure(code, "Call 555 now.", detail))
        return error.code, error.detail

    assert told("too_large", limit="64 MB") == ("too_large", {"limit": "64 MB"})
    assert told("unreadable", reason="xml_damaged") == ("unreadable", {"reason": "xml_damaged"})
    sentence = "pay here to read it"
    assert told("unreadable", reason=sentence, said=sentence, extra=[1]) == (
        "unreadable", {"reason": "reason_unknown"}
    )  # fmt: skip
    assert told("too_large", limit=sentence) == ("too_large", {})
    assert told("disk_full", path="/") == ("internal", {"reason": "reason_unknown"})
    assert told("nothing") == ("internal", {"reason": "reason_unknown"})
    assert told("internal", reason="ValueError") == ("internal", {"reason": "ValueError"})


def test_lost_parts_have_reasons_of_the_tables() -> None:
    def lost(told: str) -> str:
        (read,) = said(DocumentRead(replace(INFO, lost=told)))
        assert isinstance(read, DocumentRead)
        return read.info.lost

    known = {"reason": "parts_unread", "unread": [["a.doc", "part_locked"]], "more": 2}
    assert json.loads(lost(json.dumps(known))) == known
    assert lost("pdf_damaged") == "pdf_damaged"
    assert lost("pay here") == "content_damaged"
    known["unread"] = [["\udc80.doc", "part_locked"]]
    assert json.loads(lost(json.dumps(known)))["unread"] == [["\ufffd.doc", "part_locked"]]
    known["unread"] = [["a.doc", "pay here"]]
    assert json.loads(lost(json.dumps(known)))["unread"] == [["a.doc", "content_damaged"]]


def test_recognised_lines_are_lines() -> None:
    line = RecognisedLine((RecognisedWord("Lamp", (1.0, 2.0, 3.0, 4.0)),), 12.0)
    (found,) = said(LinesFound(base64.b64encode(pack([line])).decode(), lasting=True))
    assert isinstance(found, LinesFound)
    assert unpack(base64.b64decode(found.lines)) == [line]
    rows = (b"{}", b"[[12, 9, [[1, 2]]]]", b'[[12, 4, [["a", 1, 2, 3, 4]]]]', b"[" * 9_999)
    broken = json.dumps([[12, 1, [["\udc80", 1, 2, 3, 4]]]]).encode()
    for data in (
        zlib.compress(broken),
        *map(zlib.compress, rows),
        b"no deflate",
        zlib.compress(b" " * (64 << 20)),
    ):
        assert refused(LinesFound(base64.b64encode(data).decode(), lasting=True))
