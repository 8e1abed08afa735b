"""Documents through the extraction child, as the engine reads them: a real process each time."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pymupdf
import pytest

from indexer.api.errors import WorldError
from indexer.extract.process.sandbox import ExtractionChild
from tests.integration.extraction import Seen, code_of, read
from tests.unit.extract.pdfs import PROSE, box, endless_page, save

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def test_a_document_comes_out_as_passages(child: ExtractionChild, tale: Path) -> None:
    seen = Seen()
    passages = [p for group in child.extract(tale, "pdf", None, seen) for p in group]
    (info,) = seen.infos
    assert (info.format, info.pages, info.language) == ("pdf", 6, "en")
    assert [p.ordinal for p in passages] == list(range(len(passages)))
    assert all(0 <= p.char_start < p.char_end <= info.characters for p in passages)
    assert all(len(p.text) == p.char_end - p.char_start for p in passages)
    views = " ".join(p.view for p in passages)
    # The running head is a passage of its own, once.
    assert [p.view for p in passages if "Keeper's Tale" in p.view] == ["A Keeper's Tale"]
    assert views.count("keeper climbed the narrow stair") == 6
    assert all(p.stems for p in passages)
    assert {p.page_first for p in passages} <= set(range(1, 7))


def test_the_same_bytes_give_the_same_identity(child: ExtractionChild, tale: Path) -> None:
    first, _ = read(child, tale)
    with ExtractionChild() as other:
        assert read(other, tale) == read(child, tale)
    assert first.text_id == read(child, tale)[0].text_id


def test_an_unwanted_document_is_not_cut(child: ExtractionChild, tale: Path) -> None:
    assert list(child.extract(tale, "", None, Seen(wanted=False))) == []
    assert read(child, tale)[1]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "Größe first.\r\n\r\nSecond — paragraph.\r\n".encode()),
        ("a.md", "# Lamp\n\nIt *burns* oil.\n\n- wick\n".encode("utf-8-sig")),
        ("a.txt", "LAMP\n\nIt burns oil.\n".encode("utf-8-sig")),
        ("a.csv", "lamp,oil\nwick,2\nglass,3\n".encode("utf-8-sig")),
        ("a.py", "# The lamp burns oil.\nLAMP = 1\n".encode("utf-8-sig")),
        ("a.txt", "Größe in two bytes a letter.\n".encode("utf-16")),
    ],
)
def test_offsets_count_in_the_decoded_file(
    child: ExtractionChild, tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    decoded = content.decode("utf-16" if b"\xff\xfe" in content else "utf-8")
    passages = read(child, path)[1]
    for passage in passages:
        assert decoded[passage.char_start : passage.char_end] == passage.text
    assert passages[0].text[0] != "\ufeff"


def test_a_text_of_many_sections_keeps_its_offsets(child: ExtractionChild, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    text = "\r\n\r\n".join(f"Paragraph {i}. {PROSE}" for i in range(2_000))
    path.write_bytes(text.encode())
    info, passages = read(child, path)
    assert info.characters == len(text)
    assert info.pages == 1
    assert {p.page_first for p in passages} == {1}
    assert all(text[p.char_start : p.char_end] == p.text for p in passages)


@posix_only
def test_names_that_are_no_utf8_are_read(child: ExtractionChild, tmp_path: Path) -> None:
    path = Path(os.fsdecode(bytes(tmp_path) + b"/l\xe4mp\xff.txt"))
    path.write_text("It burns oil all night.")
    assert read(child, path)[1]


def test_a_password_opens(child: ExtractionChild, tmp_path: Path) -> None:
    path = save(
        tmp_path / "a.pdf",
        box(72, 72, 540, 400, PROSE),
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw="oil",
    )
    assert code_of(child, path) == "needs_password"
    assert code_of(child, path, "water") == "needs_password"
    assert read(child, path, "oil")[1]


def test_files_that_are_not_there_or_not_ours(child: ExtractionChild, tmp_path: Path) -> None:
    assert code_of(child, tmp_path / "gone.pdf") == "vanished"
    (tmp_path / "empty.pdf").touch()
    assert code_of(child, tmp_path / "empty.pdf") == "empty"
    (tmp_path / "a.txt").symlink_to(tmp_path / "a.txt")
    assert code_of(child, tmp_path / "a.txt") == "read_error"
    assert code_of(child, tmp_path) in ("read_error", "path_denied")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_one_may_not_read(child: ExtractionChild, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("secret")
    path.chmod(0)
    assert code_of(child, path) == "path_denied"
    path.chmod(stat.S_IRUSR)


@pytest.mark.parametrize("name", ["sparse.pdf", "sparse.txt", "sparse.html"])
def test_a_sparse_file_of_four_gigabytes_is_refused_at_once(
    child: ExtractionChild, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(b"%PDF-1.7\n" if name.endswith("pdf") else b"some text\n")
        file.truncate(4 * 1024**3)
    assert code_of(child, path) == "too_large"


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(endless_page(pages=40, endless=41))

    def touch(page: int, pages: int) -> None:
        os.utime(path, ns=(1, 1))

    with ExtractionChild() as child, pytest.raises(WorldError) as caught:
        list(child.extract(path, "", None, Seen(), watch=touch))
    assert caught.value.code == "changed_while_read"


def test_scans_say_so(child: ExtractionChild, tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", lambda page: page.draw_rect((10, 10, 99, 99), fill=(1, 0, 0)))
    assert code_of(child, path) == "no_text"
