"""A file of every format through a real child: what is known of it, and what its passages say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.formats import page_unit
from indexer.extract.process.sandbox import ExtractionChild
from tests.fuzz.run import outcome
from tests.fuzz.samples import SENTENCE, docx, epub, pptx, samples, slide, xlsx
from tests.integration.extraction import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def child() -> Iterator[ExtractionChild]:
    with ExtractionChild() as running:
        yield running


@pytest.mark.parametrize("name", sorted(samples()))
def test_every_format_is_read(child: ExtractionChild, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(samples()[name])
    assert outcome(child, path) == "indexed"
    info, passages = read(child, path)
    assert info.pages >= 1
    assert passages
    if name not in ("a.py", "a.csv"):
        assert any(SENTENCE in " ".join(passage.view.split()) for passage in passages)


@pytest.mark.parametrize(
    ("name", "data", "title", "author"),
    [
        ("a.docx", docx(), "Nights at the Harbour", "Mina Harker"),
        ("a.epub", epub(), "The Keeper", "Mina Harker"),
        ("a.eml", samples()["a.eml"], "Lämpchen", "Mina Härker <mina@example.org>"),
        ("a.rtf", samples()["a.rtf"], "Of Lamps", "Mina Harker"),
        ("a.tex", samples()["a.tex"], "On Lamps", "Mina Harker"),
        ("a.pptx", pptx([slide(("ctrTitle", "Of Oil")), slide(("title", "Wick"))]), "Of Oil", ""),
        ("a.xlsx", xlsx({"Sheet1": "<row><c><v>1</v></c></row>"}), "", ""),
    ],
)
def test_titles_and_authors(
    child: ExtractionChild, tmp_path: Path, name: str, data: bytes, title: str, author: str
) -> None:
    (tmp_path / name).write_bytes(data)
    info, _ = read(child, tmp_path / name)
    assert (info.title, info.author) == (title, author)


def test_what_stands_for_a_page_is_known_by_number_kind_and_name(
    child: ExtractionChild, tmp_path: Path
) -> None:
    row = f'<row><c t="inlineStr"><is><t>{SENTENCE}</t></is></c></row>'
    (tmp_path / "a.xlsx").write_bytes(xlsx({"Income": row, "Budget": row * 90}))
    info, passages = read(child, tmp_path / "a.xlsx")
    last = passages[-1]
    assert (page_unit(info.format), last.page_first, last.heading_path) == ("sheet", 2, ("Budget",))
    chapters = {f"{n}.xhtml": f"<p>{SENTENCE * 9}</p>" for n in range(1, 4)}
    (tmp_path / "a.epub").write_bytes(epub(chapters))
    info, passages = read(child, tmp_path / "a.epub")
    last = passages[-1]
    assert (page_unit(info.format), last.page_first) == ("", 3)
    assert last.heading_path == ("Chapter 3",)
    deck = [slide(("title", f"On {what}"), ("body", SENTENCE * 9)) for what in ("oil", "wicks")]
    (tmp_path / "a.pptx").write_bytes(pptx(deck))
    info, passages = read(child, tmp_path / "a.pptx")
    last = passages[-1]
    assert (page_unit(info.format), last.page_first) == ("slide", 2)
    assert last.heading_path == ("On wicks",)


def test_a_part_that_cannot_be_read_is_told(child: ExtractionChild, tmp_path: Path) -> None:
    (tmp_path / "a.pptx").write_bytes(pptx([slide(("title", "One")), "<broken"]))
    info, _ = read(child, tmp_path / "a.pptx")
    assert info.bad_pages == (2,)


def test_nothing_but_damage_is_unreadable(child: ExtractionChild, tmp_path: Path) -> None:
    (tmp_path / "a.pptx").write_bytes(pptx(["<broken", "<broken"]))
    with pytest.raises(WorldError) as caught:
        read(child, tmp_path / "a.pptx")
    assert caught.value.code == "unreadable"
