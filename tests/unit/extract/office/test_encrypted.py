"""Office files with a password, encrypted as by office programs."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import pptx
import pytest

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract import registry
from indexer.extract.base import SCRATCH_PREFIX
from indexer.extract.office import encrypted
from tests.locked import locked, word, workbook

PASSWORD = "ßecret of 12"
SENTENCE = "The keeper lights the lamp at dusk."


def slides() -> bytes:
    document, made = pptx.Presentation(), io.BytesIO()
    slide = document.slides.add_slide(document.slide_layouts[0])
    slide.shapes.title.text = SENTENCE
    document.save(made)
    return made.getvalue()


def write(content: bytes, path: Path, password: str = PASSWORD) -> Path:
    path.write_bytes(locked(content, password))
    return path


def text_of(path: Path, password: str | None) -> str:
    source = registry.opener(registry.identify(path))(path, password, Limits())
    try:
        return "\n".join(page.text for page in source.pages())
    finally:
        source.close()


def left_behind() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"{SCRATCH_PREFIX}*"))


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.docx", word(SENTENCE)), ("a.xlsx", workbook(SENTENCE)), ("a.pptx", slides())],
)
def test_the_right_password_opens_and_the_decrypted_file_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other tests make such folders too
    path = write(content, tmp_path / name)
    assert SENTENCE in text_of(path, PASSWORD)
    for wrong in (None, "", "another"):
        with pytest.raises(WorldError) as caught:
            text_of(path, wrong)
        assert caught.value.code == "needs_password"
    assert left_behind() == set()


def test_a_write_protected_file_is_read_without_password(tmp_path: Path) -> None:
    path = write(word(SENTENCE), tmp_path / "a.docx", "VelvetSweatshop")
    assert SENTENCE in text_of(path, None)


def test_a_damaged_encrypted_file_is_reported(tmp_path: Path) -> None:
    path = write(word(SENTENCE), tmp_path / "a.docx")
    content = bytearray(path.read_bytes())
    at = content.index(b"<?xml")  # the description of the encryption
    content[at : at + 200] = b"\0" * 200
    path.write_bytes(content)
    with pytest.raises(WorldError) as caught:
        text_of(path, PASSWORD)
    assert caught.value.code == "unreadable"


def test_a_too_large_encrypted_file_is_not_decrypted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(word(SENTENCE), tmp_path / "a.docx")
    monkeypatch.setattr(encrypted, "LARGEST_BYTES", 1000)
    with pytest.raises(WorldError) as caught:
        text_of(path, PASSWORD)
    assert caught.value.code == "too_large"
