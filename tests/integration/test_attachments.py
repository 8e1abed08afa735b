"""Attachments through a real child and a real library: found in their mail, at their own risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.cli_library import file_line
from indexer.api.phrases import read_detail
from indexer.api.requests import ListFiles
from indexer.api.types import FileState
from indexer.config import Limits
from indexer.extract import registry
from indexer.extract.process.sandbox import ExtractionChild
from indexer.render.requests import TextDocument
from tests.fuzz.samples import SENTENCE
from tests.integration.extraction import read
from tests.integration.world import World, search
from tests.locked import word
from tests.mails import forwarded, mail, part
from tests.unit.extract.pdfs import endless_page

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = endless_page(pages=2, endless=1)


@pytest.mark.parametrize("name", ["a.eml", "a.mbox"])
def test_an_attachment_that_stops_its_reader_costs_itself(tmp_path: Path, name: str) -> None:
    data = mail(part("first.txt", SENTENCE.encode()), part("endless.pdf", ENDLESS))
    if name == "a.mbox":
        border = b"From mina@example.org Mon May  3 10:20:30 2021\n"
        data = b"\n".join(border + each for each in (mail(), data, mail(subject="Last")))
    (tmp_path / name).write_bytes(data)
    with ExtractionChild(Limits(silence_s=6.0)) as child:
        info, passages = read(child, tmp_path / name)
    told = read_detail(info.lost)
    assert ["endless.pdf", "stops_reader"] in told["unread"]
    text = " ".join(" ".join(passage.view.split()) for passage in passages)
    assert "Own words." in text
    if name == "a.eml":
        assert SENTENCE in text  # a mailbox loses what else is attached to that mail
    else:
        assert "Last" in text
        assert info.pages == 3


def test_a_long_attachment_is_no_silence(tmp_path: Path) -> None:
    """The first pass over an attachment shows signs of life, page by page."""
    path = tmp_path / "a.eml"
    path.write_bytes(mail(forwarded(mail(part("a.pdf", endless_page(30, 31)), border="c"))))
    seen = []
    with ExtractionChild() as child:
        for _ in child.extract(path, "", None, lambda *_: True, watch=lambda *at: seen.append(at)):
            pass
    assert {pages for _, pages in seen} == {2}


def test_a_mail_is_found_by_what_is_attached_and_counted_with_what_is_not(
    tmp_path: Path, tiny_models_dir: Path
) -> None:
    world = World(tmp_path / "documents", tmp_path / "library", tiny_models_dir)
    folder = world.documents / "post"
    folder.mkdir(parents=True)
    words = "The harbour master forbids lanterns of whale oil on the western mole."
    inner = mail(
        part("order.docx", word(f"{SENTENCE} " * 20 + words)), subject="Forwarded", border="c"
    )
    data = mail(forwarded(inner), part("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(50)))
    (folder / "order.eml").write_bytes(data)
    with world.engine() as engine:
        world.index(engine)
        hits = search(engine, '"lanterns of whale oil" in:post')
        assert {hit.file for hit in hits} == {"post/order.eml"}
        assert "order.docx" in hits[0].heading_path
        (row,) = engine.call(ListFiles()).files
    assert row.state == FileState.PARTIAL
    assert "photo.png (its pages are pictures" in file_line(row)
    shown = TextDocument(folder / "order.eml", registry.EML, None, Limits())
    window, shown_text = shown.window(hits[0].start, hits[0].end, 0)
    at = hits[0].start - window.offset
    assert words in " ".join(shown_text[at : at + hits[0].end - hits[0].start].split())
