"""The preview as a person meets it: real files, a real render child, canned engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from indexer.types import FileState, page_unit
from tests.ui.preview.conftest import WAIT_MS
from tests.ui.preview.made import hit_of, passages_of
from tests.unit.extract.pdfs import PROSE, box, save, text_at
from ui.preview import panel as panel_module
from ui.preview.page_layout import Fit
from ui.preview.page_painter import OUTLINE, TINT_BEST

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.types import Hit
    from tests.ui.library.port import CannedLink, Said
    from ui import passwords
    from ui.ports import Context
    from ui.preview.panel import Preview


@pytest.fixture
def hits(tale_path: Path) -> list[Hit]:
    """A hit for each page of the tale, its second sentence the best."""
    return [hit_of(tale_path, passage, (1,)) for passage in passages_of(tale_path)]


def wait_for_page(qtbot: QtBot, preview: Preview) -> None:
    """Wait until the page of the hit is painted with its marks."""

    def there() -> bool:
        pages = preview.pages
        document = pages.document
        return (
            preview.shown is pages
            and document is not None
            and bool(pages.marks.passage)
            and all(
                document.band(key.page, key.width, key.band) is not None
                for page in pages.visible_pages()
                for key in pages.wanted(page)
            )
        )

    qtbot.waitUntil(there, timeout=WAIT_MS)


def wait_for_excerpt(qtbot: QtBot, preview: Preview) -> None:
    """Wait until the passage is shown as it was read, in place of a page."""
    excerpt = preview.message._excerpt
    qtbot.waitUntil(lambda: excerpt.isVisible() and "Night 1." in excerpt.text(), timeout=WAIT_MS)


def show(qtbot: QtBot, preview: Preview, hit: Hit) -> None:
    preview.show_hit(hit, [hit], 0)
    wait_for_page(qtbot, preview)


def pixels(widget: QWidget) -> Any:
    """What a widget looks like: rows, columns, colours."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return data[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def like(found: Any, colour: QColor, slack: int = 12) -> Any:
    wanted = np.array([colour.red(), colour.green(), colour.blue()])
    return (np.abs(found.astype(int) - wanted) <= slack).all(axis=2)


def test_a_hit_is_shown_on_its_page_with_its_marks(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    preview.show_hit(hits[2], hits, 2)
    wait_for_page(qtbot, preview)
    assert preview.pages.page == 3
    assert preview.pages.marks.pages() == [3]
    assert preview.bar.page.text() == "3"
    assert preview.bar.total.text() == "of 8"
    assert preview.bar.place.text() == f"Hit 3 of {len(hits)}"
    assert preview.pages.zoom.fit is Fit.WIDTH


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("cropped", [False, True])
def test_the_colours_stand_where_the_passage_is(
    qtbot: QtBot, preview: Preview, tmp_path: Path, rotation: int, cropped: bool
) -> None:
    def draw(page: Any) -> None:
        box(72, 90, 280, 700, "First column. " + PROSE)(page)
        box(320, 90, 540, 700, "Second column. " + PROSE)(page)
        if cropped:
            page.set_cropbox(pymupdf.Rect(50, 60, 570, 500))
        page.set_rotation(rotation)

    path = save(tmp_path / "a.pdf", draw)
    passage = passages_of(path)[0]
    show(qtbot, preview, hit_of(path, passage, (1,)))
    view = preview.pages
    painted = pixels(view.viewport())
    tinted, lined = like(painted, TINT_BEST), like(painted, OUTLINE)
    assert tinted.sum() > 300
    assert lined.sum() > 300
    (sentence,) = view.marks.sentences
    offset = QPointF(view.offset())
    places = [view.layout_.from_page(1, one.box).translated(-offset) for one in sentence[1]]
    rows, columns = tinted.nonzero()
    for x, y in list(zip(columns.tolist(), rows.tolist(), strict=True))[::7]:
        assert any(place.adjusted(-2, -2, 2, 2).contains(QPointF(x, y)) for place in places)
    around = QRectF()
    for one in view.marks.passage[1]:
        around = around.united(view.layout_.from_page(1, one.box).translated(-offset))
    rows, columns = lined.nonzero()
    outer = around.adjusted(-8, -8, 8, 8)
    assert all(
        outer.contains(QPointF(x, y)) for x, y in zip(columns.tolist(), rows.tolist(), strict=True)
    )
    # The outline surrounds: it comes near every side.
    assert abs(columns.min() - around.left()) < 8
    assert abs(columns.max() - around.right()) < 8


def test_the_newest_hit_wins(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    shown: list[int] = []
    preview.loader.marked.connect(lambda marks, _scroll: shown.extend(marks.pages()))
    for hit in hits:
        preview.show_hit(hit, hits, 0)
    wait_for_page(qtbot, preview)
    assert shown == [hits[-1].page]
    assert preview.pages.page == hits[-1].page


def test_hits_of_the_document_one_after_the_other(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    wanted: list[int] = []
    preview.hit_wanted.connect(wanted.append)
    preview.show_hit(hits[0], hits, 0)
    wait_for_page(qtbot, preview)
    assert not preview.bar.before.isEnabled()
    qtbot.mouseClick(preview.bar.after, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: preview.pages.marks.pages() == [2], timeout=WAIT_MS)
    qtbot.keyClick(preview, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: preview.pages.marks.pages() == [3], timeout=WAIT_MS)
    assert wanted == [1, 2]
    assert preview.bar.before.isEnabled()


def test_a_page_is_entered_by_label_or_number(
    qtbot: QtBot, preview: Preview, tmp_path: Path
) -> None:
    document = pymupdf.open()
    for _ in range(6):
        document.new_page().insert_text((72, 72), "A lamp is lit at dusk.")
    document.set_page_labels([{"startpage": 0, "style": "r"}, {"startpage": 2, "style": "D"}])
    path = tmp_path / "a.pdf"
    document.save(path)
    show(qtbot, preview, hit_of(path, passages_of(path)[0]))
    assert (preview.bar.page.text(), preview.bar.total.text()) == ("i", "(1 of 6)")
    for text, page in (("3", 5), ("ii", 2), ("6", 6), ("99", 6), ("x", 6)):
        preview.bar.page.setText(text)
        qtbot.keyClick(preview.bar.page, Qt.Key.Key_Return)
        assert preview.pages.page == page
    assert preview.bar.page.text() == "4"


def test_zooming(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    show(qtbot, preview, hits[0])
    fitted = preview.pages.scale
    qtbot.keyClick(preview, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert preview.pages.scale > fitted
    assert preview.bar.zoom.text() == f"{round(100 * preview.pages.scale)} %"
    qtbot.mouseClick(preview.bar.smaller, Qt.MouseButton.LeftButton)
    qtbot.keyClick(preview, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert preview.pages.scale == pytest.approx(fitted)
    turn(preview, 120)
    assert preview.pages.scale > fitted
    turn(preview, -120)
    turn(preview, -120)
    assert preview.pages.scale < fitted
    preview.bar.zoom.menu().actions()[1].trigger()
    assert preview.pages.zoom.fit is Fit.PAGE
    for _ in range(30):
        preview.pages.zoom_in()
    assert preview.pages.scale == pytest.approx(4.0)
    wait_for_page(qtbot, preview)
    assert max(len(preview.pages.wanted(page)) for page in preview.pages.visible_pages()) >= 1
    for _ in range(30):
        preview.pages.zoom_out()
    assert preview.pages.scale == pytest.approx(0.25)
    wait_for_page(qtbot, preview)


def turn(preview: Preview, angle: int) -> None:
    viewport = preview.pages.viewport()
    middle = QPointF(viewport.rect().center())
    event = QWheelEvent(
        middle, viewport.mapToGlobal(middle), QPoint(), QPoint(0, angle),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(viewport, event)


def test_scrolling_goes_on_to_the_next_page(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[0])
    preview.pages.setFocus()
    for _ in range(3):
        qtbot.keyClick(preview.pages, Qt.Key.Key_PageDown)
    assert preview.pages.page > 1
    assert preview.bar.page.text() == str(preview.pages.page)
    qtbot.keyClick(preview.pages, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert preview.pages.page == 8
    qtbot.keyClick(preview.pages, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert preview.pages.page == 1


def test_the_passage_stays_in_view_when_the_panel_is_resized(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[4])
    for width in (400, 900, 500):
        preview.resize(width, 600)
        QApplication.processEvents()
        page, place = preview.pages.marks.first() or (0, QRectF())
        shown = preview.pages.layout_.from_page(page, place)
        seen = QRectF(preview.pages.viewport().rect()).translated(preview.pages.offset())
        assert seen.contains(shown.center())
    wait_for_page(qtbot, preview)


def test_neighbours_are_fetched_ahead(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    show(qtbot, preview, hits[3])
    view = preview.pages
    document = view.document
    assert document is not None
    last = view.visible_pages().stop
    qtbot.waitUntil(
        lambda: document.band(last, view.pixel_width(last), 0) is not None, timeout=WAIT_MS
    )


def test_text_is_selected_with_the_mouse_and_copied(
    qtbot: QtBot, preview: Preview, canned: tuple[Context, CannedLink, Said], hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[0])
    view = preview.pages
    document = view.document
    assert document is not None
    qtbot.waitUntil(lambda: document.letters(1) is not None, timeout=WAIT_MS)
    letters = document.letters(1)
    assert letters is not None
    start = letters.text.index("keeper")
    end = letters.text.index("narrow") + len("narrow")

    def point(place: int, *, right: bool) -> QPoint:
        letter = letters.boxes[place]
        assert letter is not None
        at = view.layout_.from_page(1, letter).translated(-QPointF(view.offset()))
        return QPointF(at.right() - 1 if right else at.left() + 1, at.center().y()).toPoint()

    press = point(start, right=False)
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=press)
    qtbot.mouseMove(view.viewport(), point(end - 1, right=True))
    view.selection.move(QPointF(point(end - 1, right=True)) + QPointF(view.offset()))
    assert view.selection.text.split() == letters.text[start:end].split()
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton)
    view.copy()
    assert QGuiApplication.clipboard().text() == "keeper climbed the narrow"
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=press)
    assert view.selection.text == "keeper"
    preview.bar.copy.click()
    assert QGuiApplication.clipboard().text() == "keeper"
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=press)
    preview.bar.copy.click()
    assert QGuiApplication.clipboard().text().startswith("Night 1. The keeper climbed")
    assert canned[2].texts == ["The selection was copied.", "Passage copied."]
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.selection.text == letters.text


def test_the_outline_leads_to_its_pages(qtbot: QtBot, preview: Preview, tmp_path: Path) -> None:
    document = pymupdf.open()
    for _ in range(9):
        document.new_page().insert_text((72, 72), "A lamp is lit at dusk.")
    document.set_toc([[1, "One", 1], [2, "One and a half", 3], [1, "Two", 6], [1, "Three", 8]])
    path = tmp_path / "a.pdf"
    document.save(path)
    show(qtbot, preview, hit_of(path, passages_of(path)[0]))
    assert preview.bar.outline.isVisible()
    preview.pages.go_to(4)
    preview.bar.outline.click()
    popover = preview.controls.outline
    qtbot.waitUntil(popover.isVisible, timeout=WAIT_MS)
    assert popover.tree.currentIndex().data() == "One and a half"
    qtbot.keyClick(popover.tree, Qt.Key.Key_Down)
    qtbot.keyClick(popover.tree, Qt.Key.Key_Return)
    assert preview.pages.page == 6
    assert not popover.isVisible()


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_text_formats_show_their_text_with_the_same_marks(
    qtbot: QtBot, preview: Preview, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    lines = [f"Night {i}. The 🕯️ lamp burnt in the cafe\u0301. It went out." for i in range(300)]
    joint = "<p>" if name.endswith("html") else "\r\n\r\n"
    path.write_bytes(joint.join(lines).encode())
    passages = passages_of(path)
    passage = passages[len(passages) // 2]
    preview.show_hit(hit_of(path, passage, (1, 0)), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(preview.text.extraSelections()), timeout=WAIT_MS)
    marked = [selection.cursor.selectedText() for selection in preview.text.extraSelections()]
    best = hit_of(path, passage, (1,)).marks[0]
    assert "".join(marked[-1:]).split() == passage.text[slice(*best)].splitlines()[-1].split()
    seen = preview.text.cursorForPosition(QPoint(20, preview.text.viewport().height() // 3))
    assert seen.position() > 0
    assert not preview.bar.page.isVisible()
    assert preview.bar.unit.text() == ""
    assert not preview.banner.isVisible()
    before = preview.text.zoom_percent
    turn_text(preview, 120)
    assert preview.text.zoom_percent > before


def test_slides_and_sheets_are_called_that(preview: Preview) -> None:
    labels = []
    for form in ("pptx", "xlsx", "epub", "docx", "mbox", "ipynb", "md"):
        preview.bar.show_unit(page_unit(form), 3)
        labels.append(preview.bar.unit.text())
    assert labels == ["Slide 3", "Sheet 3", "Chapter 3", "Page 3", "Message 3", "Cell 3", ""]


def turn_text(preview: Preview, angle: int) -> None:
    viewport = preview.text.viewport()
    middle = QPointF(viewport.rect().center())
    event = QWheelEvent(
        middle, viewport.mapToGlobal(middle), QPoint(), QPoint(0, angle),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(viewport, event)


def test_more_of_a_long_text_is_loaded_where_the_person_reaches_its_edge(
    qtbot: QtBot, preview: Preview, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text("\n\n".join(f"Paragraph {i} says what it says." for i in range(20_000)))
    passages = passages_of(path)
    preview.show_hit(hit_of(path, passages[len(passages) // 2]), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text, timeout=WAIT_MS)
    start, end = preview.text.loaded
    assert 0 < start < end < len(path.read_text())
    bar = preview.text.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: preview.text.loaded[1] > end, timeout=WAIT_MS)
    bar.setValue(0)
    qtbot.waitUntil(lambda: preview.text.loaded[0] < start, timeout=WAIT_MS)
    whole = path.read_text()
    assert preview.text.loaded_text == whole[slice(*preview.text.loaded)]
    assert preview.text.extraSelections()


def test_a_file_that_is_gone(
    qtbot: QtBot, preview: Preview, tmp_path: Path, hits: list[Hit], tale_path: Path
) -> None:
    gone = tmp_path / "gone.pdf"
    preview.show_hit(replace(hits[0], path=str(gone)), [], 0)
    wait_for_excerpt(qtbot, preview)
    gone.write_bytes(tale_path.read_bytes())
    assert preview.message._again.isVisible()
    qtbot.mouseClick(preview.message._again, Qt.MouseButton.LeftButton)
    wait_for_page(qtbot, preview)


def test_a_file_that_has_changed(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    preview.show_hit(replace(hits[0], text="What it once said."), [], 0)
    qtbot.waitUntil(preview.banner.isVisible, timeout=WAIT_MS)
    assert preview.shown is preview.pages
    assert "changed" in preview.banner.text()
    show(qtbot, preview, hits[1])
    assert not preview.banner.isVisible()


@pytest.mark.parametrize("state", [FileState.OFFLINE, FileState.PLACEHOLDER])
def test_what_must_not_be_touched_is_not(
    qtbot: QtBot, preview: Preview, hits: list[Hit], state: FileState
) -> None:
    preview.show_hit(replace(hits[0], state=state), [], 0)
    assert preview.shown is preview.message
    assert preview.loader.client._known == {}
    assert "Night 1." in preview.message._excerpt.text()


def test_a_password_is_asked_for_in_place(
    qtbot: QtBot,
    preview: Preview,
    canned: tuple[Context, CannedLink, Said],
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
    field = preview.message._password
    qtbot.waitUntil(field.isVisible, timeout=WAIT_MS)
    qtbot.keyClicks(field, "wrong")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "does not open" in preview.message._step.text(), timeout=WAIT_MS)
    assert field.isVisible()
    assert field.text() == ""
    qtbot.keyClicks(field, "door")
    qtbot.mouseClick(preview.message._unlock, Qt.MouseButton.LeftButton)
    wait_for_page(qtbot, preview)
    link = canned[1]
    assert [fields for kind, fields in link.asked if kind == "unlock"] == [
        {"path": str(path), "password": "door"}
    ]
    assert no_keyring.remembered(str(path)) == "door"
    preview.clear()
    show(qtbot, preview, replace(hit, state=FileState.INDEXED))
    assert len([kind for kind in link.kinds() if kind == "unlock"]) == 1


@pytest.mark.parametrize(
    ("content", "drawn"), [(b"%PDF-1.7 nothing", "warning"), (b"PK\x03\x04 zip", "document")]
)
def test_what_cannot_be_shown_says_why(
    qtbot: QtBot, preview: Preview, tmp_path: Path, hits: list[Hit], content: bytes, drawn: str
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    preview.show_hit(replace(hits[0], path=str(path)), [], 0)
    wait_for_excerpt(qtbot, preview)
    assert preview.message._title.text()
    assert preview.message._icon_name == drawn


def test_a_slow_document_shows_the_shape_of_a_page(
    qtbot: QtBot, preview: Preview, hits: list[Hit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview.loader, "show", lambda *_: None)
    preview.show_hit(hits[0], hits, 0)
    assert not preview.pages.isVisible()
    qtbot.waitUntil(lambda: preview.pages.loading, timeout=WAIT_MS)
    assert preview.pages.isVisible()
    painted = pixels(preview.pages.viewport())
    assert like(painted, QColor("#e8eaed"), 2).sum() > 1000


def test_finding_what_is_similar_and_searching_inside(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[1])
    queries: list[str] = []
    paths: list[str] = []
    preview.like_wanted.connect(queries.append)
    preview.search_inside_wanted.connect(paths.append)
    for action in preview.bar.menu.actions():
        action.trigger()
    assert len(queries) == 2
    assert f"#{hits[1].start}-{hits[1].end}" in queries[0]
    assert queries[1].startswith("like:")
    assert paths == [hits[1].path]


def test_opening_outside_goes_to_the_page_in_view(
    qtbot: QtBot, preview: Preview, hits: list[Hit], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, int]] = []
    monkeypatch.setattr(
        panel_module, "open_external", lambda hit, _context, page: opened.append((hit.path, page))
    )
    monkeypatch.setattr(panel_module, "show_in_folder", lambda hit: opened.append((hit.path, -1)))
    show(qtbot, preview, hits[1])
    preview.pages.go_to(5)
    preview.bar.open.click()
    preview.bar.folder.click()
    assert opened == [(hits[1].path, 5), (hits[1].path, -1)]


def test_every_control_has_a_name_and_can_be_reached(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[0])
    for button in preview.bar.findChildren(QToolButton):
        assert button.accessibleName()
        assert button.toolTip()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert preview.pages.accessibleName()
    assert preview.text.accessibleName()


def test_what_nobody_sees_is_loaded_when_it_is_seen(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    preview.hide()
    preview.show_hit(hits[1], hits, 1)
    assert preview.loader.client._known == {}
    preview.show()
    wait_for_page(qtbot, preview)
    assert preview.pages.page == 2


def test_a_narrow_panel_leaves_out_what_keys_do_too(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    preview.show_hit(hits[0], hits, 0)
    wait_for_page(qtbot, preview)
    assert preview.bar.smaller.isVisible()
    assert preview.bar.place.isVisible()
    preview.resize(preview.minimumSizeHint().width(), 600)
    QApplication.processEvents()
    assert not preview.bar.smaller.isVisible()
    for part in (preview.bar.after, preview.bar.page, preview.bar.zoom):
        assert part.isVisible()
        assert preview.bar.rect().contains(part.geometry())
    preview.resize(700, 600)
    QApplication.processEvents()
    assert preview.bar.smaller.isVisible()


def test_clearing_lets_go_of_everything(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    show(qtbot, preview, hits[0])
    preview.clear()
    assert preview.shown is preview.message
    assert preview.pages.document is None
    assert preview.loader.client._known == {}


def test_a_hidden_file_name_cannot_steer_the_title(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, replace(hits[0], title="<b>x</b>\u202egnp.exe"))
    assert "\u202e" not in preview.bar.title.toolTip()
