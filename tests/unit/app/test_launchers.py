"""Hits as launchers read them: one line each, whatever a document is called."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from app.doors.launchers import FORMATS, title_of
from indexer.api.types import Hit, Why

HOSTILE = Hit(
    path="/docs/a\nb\0c\x1f\udcff.pdf", root="/docs", file="a.pdf", title="Ti\ntle\x1b[2J\0x",
    page=3, page_last=3, start=0, end=40, score=1.0, text="The roof is\nmended \0by the landlord.",
    heading_path=(), why=Why.BOTH, best=(0, 36), format="pdf",
)  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_hit_is_a_line_that_can_be_read(name: str) -> None:
    for line in FORMATS[name]([HOSTILE, HOSTILE]):
        assert "\n" not in line
        line.encode()
        if name != "rofi":
            json.loads(line)


def test_alfred_gets_items_with_links() -> None:
    (text,) = FORMATS["alfred"]([HOSTILE])
    (item,) = json.loads(text)["items"]
    assert item["title"].endswith("page 3")
    assert item["arg"].startswith("lectern://passage?text=")
    assert item["subtitle"].startswith("The roof is mended")


def test_passages_without_pages_are_told_apart_by_their_headings() -> None:
    tides = replace(HOSTILE, title="Tides", format="html", heading_path=("Tides", "Neap\ntides"))
    assert title_of(tides) == "Tides, Neap tides"
    assert title_of(replace(tides, heading_path=("Tides",))) == "Tides"
    assert title_of(replace(tides, heading_path=())) == "Tides"


def test_rofi_gets_one_field_for_the_path() -> None:
    (row,) = FORMATS["rofi"]([HOSTILE])
    shown, _, rest = row.partition("\0")
    assert "\x1b" not in shown
    assert rest.startswith("info\x1flectern://passage")
    assert row.count("\0") == row.count("\x1f") == 1
