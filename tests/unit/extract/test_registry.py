"""Detection of formats: the content has priority over the extension."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from indexer.api.errors import WorldError
from indexer.api.formats import FORMATS
from indexer.extract import registry


def identified(tmp_path: Path, name: str, content: bytes) -> str:
    path = tmp_path / name
    path.write_bytes(content)
    return registry.identify(path).name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.pdf", "pdf"), ("A.PDF", "pdf"), ("a.b.md", "markdown"), ("a.htm", "html"),
        ("a.xhtml", "html"), ("a.txt", "text"), ("a.docx", "docx"), ("a.DOTX", "docx"),
        ("a.mobi", None), ("a.tar.gz", "tar"), ("a.py", "code"), ("a.mht", "eml"),
        ("a", None), (".txt", None),
    ],
)  # fmt: skip
def test_extensions_map_to_formats(name: str, expected: str | None) -> None:
    known = registry.by_name(PurePath(name))
    assert (known.name if known else None) == expected


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("report.pdf", b"%PDF-1.4\n", "pdf"),
        ("report", b"junk before it %PDF-1.4\n", "pdf"),
        ("report.txt", b"%PDF-1.7 kept under another name", "pdf"),
        ("page.pdf", b"\xef\xbb\xbf  <!DOCTYPE html><p>x", "html"),
        ("damaged.pdf", b"not much of a header", "pdf"),
        ("README", b"plain words", "text"),
        ("index", b"<html><body>x", "html"),
        ("export.xls", b"<table><tr><td>Pears", "html"),
        ("grown.log", b"The lamp was lit.\n" + bytes(4000), "text"),
        ("notes.txt", "wörter".encode("utf-16"), "text"),
        ("notes.txt", "no mark at all".encode("utf-16-le"), "text"),
        ("notes.txt", "no mark at all".encode("utf-32-be"), "text"),
        ("notes.md", b"one stray \x00 zero in a text of some length", "markdown"),
    ],
)
def test_content_decides_the_format(
    tmp_path: Path, name: str, content: bytes, expected: str
) -> None:
    assert identified(tmp_path, name, content) == expected


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("nothing.pdf", b"", "empty"),
        ("nothing", b"", "empty"),
        ("picture.pdf", b"\x89PNG\r\n\x1a\n", "unsupported"),
        ("letter.txt", b"PK\x03\x04rest", "unsupported"),
        ("letter.mobi", b"anything", "unsupported"),
        ("program", b"\x7fELF\x02\x01\x01", "unsupported"),
        ("noise", bytes(range(32)) * 8, "unsupported"),
        ("header", b"A record" + bytes(4000), "unsupported"),
        ("noise.txt", bytes(range(32)) * 8, "unsupported"),
    ],
)
def test_unsupported_formats_are_named(
    tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    with pytest.raises(WorldError) as caught:
        identified(tmp_path, name, content)
    assert caught.value.code == code


def test_every_format_has_a_reader() -> None:
    for known in FORMATS:
        assert callable(registry.opener(known))


def test_asciidoc_below_asc_is_text_and_a_key_is_not(tmp_path: Path) -> None:
    path = tmp_path / "chapter.asc"
    path.write_text("= Of oil\n\nIt burns.\n")
    assert registry.identify(path).name == "text"
    path.write_text("-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBF\n")
    with pytest.raises(WorldError, match="PGP"):
        registry.identify(path)


@pytest.mark.parametrize(
    "name",
    ["notes v1.2", "minutes 2024.03.15", "letter to Mr. Smith", "Brief an Dr.Meier", "a.v2",
     "server.log.1", "3.4 final.2b or not", "lease.final"],
)  # fmt: skip
def test_a_name_with_a_dot_is_read_by_its_content(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("Plain words.\n")
    assert registry.identify(path).name == "text"
    path.write_bytes(b"<!doctype html><p>Words")
    assert registry.identify(path).name == "html"
    path.write_bytes(bytes(range(32)) * 9)
    with pytest.raises(WorldError):
        registry.identify(path)


@pytest.mark.parametrize("text", ["Größe", "Привет, мир", "शब्द और शब्द", "租赁合同自双方签字"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_text(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "note.txt"
    path.write_bytes((text * 9).encode(encoding))
    assert registry.identify(path).name == "text"


def test_zeros_before_a_text_are_no_program(tmp_path: Path) -> None:
    path = tmp_path / "padded.log"
    path.write_bytes(bytes(3_000_000) + b"And then the power came back.\n")
    assert registry.identify(path).name == "text"
    path.write_bytes(bytes(3_000_000))
    with pytest.raises(WorldError):
        registry.identify(path)
