"""What the preview shows where there is no page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from indexer.api.private_files import COPY_NAME
from indexer.api.requests import Unlock
from indexer.api.types import FileState
from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import like, pixels, show, wait_for_child, wait_for_page
from tests.unit.extract.pdfs import save, text_at
from ui.preview.panel import Preview

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from tests.ui.library.port import Canned
    from ui import passwords


def wait_for_excerpt(qtbot: QtBot, preview: Preview) -> None:
    """Wait until the text of the passage is shown in place of a page."""
    excerpt = preview.message.excerpt
    qtbot.waitUntil(lambda: excerpt.isVisible() and "Night 1." in excerpt.text())


def test_a_file_that_is_gone(
    qtbot: QtBot, preview: Preview, tmp_path: Path, hits: list[Hit], tale_path: Path
) -> None:
    gone = tmp_path / "gone.pdf"
    preview.show_hit(replace(hits[0], path=str(gone)), [], 0)
    wait_for_excerpt(qtbot, preview)
    gone.write_bytes(tale_path.read_bytes())
    assert preview.message.again.isVisible()
    qtbot.mouseClick(preview.message.again, Qt.MouseButton.LeftButton)
    wait_for_page(qtbot, preview)


def test_a_document_of_a_published_library_is_elsewhere(
    qtbot: QtBot, canned: Canned, no_keyring: passwords.Passwords, hits: list[Hit]
) -> None:
    """Its passage is there as it was read, and a sentence says why its page is not."""
    library = canned[0].library
    library.mkdir()
    (library / COPY_NAME).touch()
    preview = Preview(canned[0])
    qtbot.addWidget(preview)
    preview.show()
    preview.show_hit(replace(hits[0], path="/s3/firm/tale.pdf"), [], 0)
    wait_for_excerpt(qtbot, preview)
    assert preview.message.title.text() == "The document is not on this computer."
    assert "published without its documents" in preview.message.step.text()
    preview.close()


def test_a_file_that_has_changed(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    preview.show_hit(replace(hits[0], text="What it once said."), [], 0)
    qtbot.waitUntil(preview.banner.isVisible)
    assert preview.shown is preview.pages
    assert "changed" in preview.banner.text()
    show(qtbot, preview, hits[1])
    assert not preview.banner.isVisible()


def test_a_passage_that_is_not_found_in_the_same_file(
    qtbot: QtBot, preview: Preview, hits: list[Hit], tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("What it says now.")
    paths = (hits[0].path, str(note))
    for path in paths:
        said = "What it never said."
        seen = Path(path).stat().st_mtime_ns
        preview.show_hit(replace(hits[0], path=path, text=said, modified_ns=seen), [], 0)
        qtbot.waitUntil(preview.banner.isVisible)
        assert "changed" not in preview.banner.text()
        preview.clear()


@pytest.mark.parametrize("state", [FileState.OFFLINE, FileState.PLACEHOLDER])
def test_offline_files_are_not_opened(
    qtbot: QtBot, preview: Preview, hits: list[Hit], state: FileState
) -> None:
    preview.show_hit(replace(hits[0], state=state), [], 0)
    wait_for_child(qtbot, preview)
    assert preview.shown is preview.message
    assert "Night 1." in preview.message.excerpt.text()


def test_a_password_is_asked_for_in_place(
    qtbot: QtBot,
    preview: Preview,
    canned: Canned,
    tmp_path: Path,
    no_keyring: passwords.Passwords,
) -> None:
    path = save(
        tmp_path / "locked.pdf", text_at((72, 72, "The lamp is lit at dusk.")),
        encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="door", owner_pw="owner",
    )  # fmt: skip
    text = "The lamp is lit at dusk."
    passage = passages_of(save(tmp_path / "open.pdf", text_at((72, 72, text))))[0]
    hit = replace(hit_of(path, passage), state=FileState.NEEDS_PASSWORD)
    preview.show_hit(hit, [hit], 0)
    field = preview.message.password
    qtbot.waitUntil(field.isVisible)
    qtbot.keyClicks(field, "wrong")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "does not open" in preview.message.step.text())
    assert field.isVisible()
    assert field.text() == ""
    qtbot.keyClicks(field, "door")
    qtbot.mouseClick(preview.message.unlock, Qt.MouseButton.LeftButton)
    wait_for_page(qtbot, preview)
    link = canned[1]
    unlocked = [Unlock(path, "door")]
    assert link.asked == unlocked
    assert no_keyring.remembered_password(str(path)) == "door"
    preview.clear()
    show(qtbot, preview, replace(hit, state=FileState.INDEXED))
    assert link.asked == unlocked


@pytest.mark.parametrize(
    ("content", "drawn"), [(b"%PDF-1.7 nothing", "warning"), (b"PK\x03\x04 zip", "document")]
)
def test_a_document_that_cannot_be_shown_has_a_reason(
    qtbot: QtBot, preview: Preview, tmp_path: Path, hits: list[Hit], content: bytes, drawn: str
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    preview.show_hit(replace(hits[0], path=str(path)), [], 0)
    wait_for_excerpt(qtbot, preview)
    assert preview.message.title.text()
    assert preview.message.drawing == drawn


def test_a_slow_document_shows_the_shape_of_a_page(
    qtbot: QtBot, preview: Preview, hits: list[Hit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview.loader, "load_hit", lambda *_: None)
    preview.show_hit(hits[0], hits, 0)
    assert not preview.pages.isVisible()
    qtbot.waitUntil(lambda: preview.pages.loading)
    assert preview.pages.isVisible()
    painted = pixels(preview.pages.viewport())
    assert like(painted, QColor("#e8eaed"), 2).sum() > 1000
