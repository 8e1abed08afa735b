"""``lectern text``: what is read of a document, through the confined reader."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING

import docx
import pytest
from msgspec.structs import replace

from app.cli_text import _Read
from indexer.catalog.catalog import Catalog
from indexer.extract.process.child import CHARACTERS_A_FRAME
from indexer.extract.process.messages import TextSent
from indexer.library.library import CATALOG_NAME
from tests import mails
from tests.unit.catalog.fakes import FakeWalk, found, info, root_at
from tests.unit.extract.pdfs import save, text_at

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern


def test_pages_of_a_file_outside_any_library(lectern: Lectern, tmp_path: Path) -> None:
    pages = [text_at((72, 100, f"The keeper counts lamp {n}.")) for n in range(1, 4)]
    path = save(tmp_path / "tale.pdf", *pages)
    whole = lectern("text", path).stdout
    assert whole.startswith("[page 1]\nThe keeper counts lamp 1.")
    assert "[page 3]\nThe keeper counts lamp 3." in whole
    assert not lectern.library.exists()
    assert lectern("text", path, "--pages", "2-").stdout == whole[whole.index("[page 2]") :]
    assert "lamp 2" not in lectern("text", path, "--pages", "1").stdout
    answer = json.loads(lectern("text", "--json", path).stdout)
    assert (answer["path"], answer["format"], answer["pages"]) == (str(path), "pdf", 3)
    assert [(one["page"], one["part"]) for one in answer["text"]] == [(1, ""), (2, ""), (3, "")]


def test_documents_inside_a_document_have_their_names(lectern: Lectern, tmp_path: Path) -> None:
    attached = mails.part("lamp.txt", b"The lamp burns oil."), mails.part("a.bin", b"\0\1\2")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("letters/first.eml", mails.mail(*attached))
    path = tmp_path / "box.zip"
    path.write_bytes(packed.getvalue())
    said = lectern("text", path)
    assert "Own words." in said.stdout
    assert "[letters/first.eml › lamp.txt]\nlamp.txt\nThe lamp burns oil." in said.stdout
    assert said.stderr.startswith("Not read inside it: ")
    assert "a.bin" in said.stderr


def test_a_long_line_is_printed_whole_and_controls_are_not(
    lectern: Lectern, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text("lamp " * (CHARACTERS_A_FRAME // 4) + "\x1b[31mred\tand blue\n")
    text = lectern("text", path).stdout
    assert text.split() == [*["lamp"] * (CHARACTERS_A_FRAME // 4), "[31mred", "and", "blue"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("none.txt",), "path_missing"), ((".",), "bad_usage"), (("a", "--pages", "0"), "bad_usage"),
     (("a", "--pages", "3-2"), "bad_usage")],
)  # fmt: skip
def test_what_cannot_be_printed(lectern: Lectern, arguments: tuple[str, ...], code: str) -> None:
    assert f"[{code}]" in lectern("text", *arguments, status=2).stderr


def test_a_damaged_document_has_its_reason(lectern: Lectern, tmp_path: Path) -> None:
    path = tmp_path / "broken.docx"
    path.write_bytes(b"PK\x03\x04 and nothing more")
    said = lectern("text", path, status=1)
    assert said.stdout == ""
    assert "[unreadable]" in said.stderr


def test_the_languages_of_the_library_decide_on_short_texts(
    lectern: Lectern, tmp_path: Path
) -> None:
    path = tmp_path / "short.txt"
    path.write_bytes("żółć".encode("cp1250"))
    assert lectern("text", path).stdout.strip() != "żółć"
    lectern.library.mkdir(parents=True)
    with closing(Catalog(lectern.library / CATALOG_NAME)) as catalog:
        root = root_at(catalog, tmp_path / "Listy").id
        catalog.scans.apply([(root, FakeWalk({"": [found("list.txt")]}))])
        (job,) = catalog.queue.take(1)
        about = replace(info("list"), language="pl")
        begun = catalog.docs.begin(job.file, "list", job.stamp, about, title_used="")
        catalog.docs.finish_passages(begun.doc, 1)
    assert lectern("text", path).stdout.strip() == "żółć"
    (lectern.library / CATALOG_NAME).write_bytes(b"no catalog")
    assert lectern("text", path).stdout.strip() != "żółć"


def test_comments_follow_the_pages(lectern: Lectern, tmp_path: Path) -> None:
    document = docx.Document()
    run = document.add_paragraph("The keeper counts.").runs[0]
    document.add_comment(run, text="Which lamp?", author="Mina")
    document.add_page_break()
    document.add_paragraph("The second page.")
    document.save(str(tmp_path / "a.docx"))
    said = lectern("text", tmp_path / "a.docx").stdout
    assert said.index("second page") < said.index("Which lamp?")


def test_a_page_that_was_recognised_is_not_said_to_lack_text() -> None:
    read = _Read(textless=[1, 2])
    for number, text in ((1, "The lamp burns oil.\n"), (2, "\n")):
        read.recognised(TextSent(number, "", text))
    assert read.textless == [2]
