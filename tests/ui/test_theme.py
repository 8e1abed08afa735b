"""Colours have enough contrast and follow the setting; text can be scaled."""

from __future__ import annotations

import itertools
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QSplitter,
    QStyle,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QTextEdit,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from indexer.api.types import FileState
from tests.ui.contrast import contrast
from ui import theme
from ui.application import FocusRing, FocusRings
from ui.library.file_table import chip_colours
from ui.lists import RowDelegate, style_tree
from ui.theme import DARK, LIGHT, XL, L, M, S, Theme, Themes, icon, icon_side, pixmap
from ui.widgets import CardFrame, ChoiceBox, Drawing, ElidedLabel, filled, plain_label

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

UI = Path(theme.__file__).parent
ENOUGH = 4.5
PAPER = QColor("white")
both = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


def test_contrast_follows_wcag() -> None:
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert contrast(QColor("white"), QColor("white")) == pytest.approx(1)
    assert contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.48, abs=0.01)


@both
@pytest.mark.parametrize("name", ["text", "muted", "accent", "good", "warning", "bad"])
def test_text_has_enough_contrast_on_each_background(colours: Theme, name: str) -> None:
    for ground in (colours.base, colours.raised):
        assert contrast(getattr(colours, name), ground) >= ENOUGH


@both
def test_marked_and_selected_text_can_be_read(colours: Theme) -> None:
    assert contrast(colours.mark_text, colours.mark) >= ENOUGH
    assert contrast(colours.selection_text, colours.selection) >= ENOUGH


@both
def test_outlines_can_be_seen_on_paper(colours: Theme) -> None:
    assert contrast(colours.outline, PAPER) >= ENOUGH


def test_texts_and_progress_can_be_seen_on_selected_rows(themes: Themes) -> None:
    for mode in ("light", "dark"):
        themes.apply(mode)
        colours, row = theme.current(), theme.row_background(selected=True)
        for name in ("text", "muted", "warning", "accent"):
            assert contrast(getattr(colours, name), row) >= ENOUGH, (mode, name)
        assert contrast(colours.accent, colours.line) >= 3


def test_scroll_bars_are_flat_and_can_be_seen(themes: Themes, qtbot: QtBot) -> None:
    view = QListWidget()
    view.addItems(list(map(str, range(100))))
    qtbot.addWidget(view)
    view.show()
    for mode, percent in (("light", 100), ("dark", 100), ("light", 200)):
        themes.apply(mode)
        themes.scale_text(percent)
        bar = view.verticalScrollBar()
        QApplication.processEvents()
        image = bar.grab().toImage()
        middle = [image.pixelColor(image.width() // 2, y) for y in range(image.height())]
        handle = QColor(theme.current().edge).name()
        assert {colour.name() for colour in middle} >= {handle}
        assert middle[0].name() != handle, "there is a gap, and no arrow"
        assert len({colour.name() for colour in middle}) <= 4, "one colour, and its smooth ends"
        ratio = image.devicePixelRatio()
        assert image.width() / ratio == pytest.approx(11 * percent / 100)
        assert contrast(theme.current().edge, theme.current().raised) >= 3
    themes.scale_text(100)


def test_the_chips_of_states_can_be_read(themes: Themes) -> None:
    for mode in ("light", "dark"):
        themes.apply(mode)
        for state in FileState:
            back, text = chip_colours(state)
            assert contrast(text, back) >= ENOUGH, (mode, state)


def test_every_list_shows_a_selection_in_the_same_way(themes: Themes, qtbot: QtBot) -> None:
    lists = QListWidget(), QTreeWidget()
    for each in lists:
        qtbot.addWidget(each)
        each.ensurePolished()
    for mode in ("light", "dark"):
        themes.apply(mode)
        row, text = theme.row_background(selected=True), theme.current().text
        for each in lists:
            qtbot.waitUntil(partial(_is_role, each, "Highlight", row))
            assert _is_role(each, "HighlightedText", text)


def _is_role(widget: QWidget, name: str, colour: QColor) -> bool:
    return widget.palette().color(QPalette.ColorRole[name]) == colour


def test_the_numbers_of_a_tree_can_be_read_when_the_theme_changes(
    themes: Themes, qtbot: QtBot
) -> None:
    tree = QTreeWidget()
    style_tree(tree, "Folders")
    QTreeWidgetItem(tree, ["papers", "80"])
    qtbot.addWidget(tree)
    tree.show()
    for mode in ("light", "dark", "light"):
        themes.apply(mode)
        QApplication.processEvents()
        index = tree.model().index(0, 1)
        seen = tree.viewport().grab(tree.visualRect(index)).toImage()
        dots = itertools.product(range(seen.width()), range(seen.height()))
        inked = max(contrast(seen.pixelColor(*dot), theme.current().base) for dot in dots)
        assert inked >= ENOUGH, mode


def test_a_shortened_text_has_all_of_its_letters(qtbot: QtBot) -> None:
    """Signs that keep the order of a path come from another font, which may be higher."""
    feet = []
    for label in (ElidedLabel(), plain_label()):
        qtbot.addWidget(label)
        label.setText("_gpqy_")
        label.resize(label.sizeHint())
        seen = label.grab().toImage()
        ground = seen.pixelColor(seen.width() - 1, 0)
        rows = range(seen.height())
        inked = [y for y in rows if any(seen.pixelColor(x, y) != ground for x in range(40))]
        feet.append((inked[0], inked[-1]))
    assert feet[0] == feet[1]


def test_a_selected_row_has_a_bar_at_its_leading_edge(themes: Themes, qtbot: QtBot) -> None:
    themes.apply("light")
    rows = QListWidget()
    rows.setItemDelegate(RowDelegate(rows))
    rows.addItems(["one", "two"])
    qtbot.addWidget(rows)
    rows.show()
    for row, direction in itertools.product((0, 1), Qt.LayoutDirection):
        if direction is Qt.LayoutDirection.LayoutDirectionAuto:
            continue
        rows.setLayoutDirection(direction)
        rows.setCurrentRow(row)
        place = rows.visualItemRect(rows.item(row))
        mirrored = direction is Qt.LayoutDirection.RightToLeft
        seen = rows.viewport().grab().toImage()
        ends = (place.left() + 1, place.right() - 1)
        edges = [seen.pixelColor(x, place.center().y()) for x in ends]
        assert [edge == theme.current().accent for edge in edges] == [not mirrored, mirrored]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_card_stands_out_from_its_page(themes: Themes, qtbot: QtBot, mode: str) -> None:
    themes.apply(mode)
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(200, 100)
    card = CardFrame(page)
    card.setGeometry(0, 0, 100, 100)
    seen = page.grab().toImage()
    assert seen.pixelColor(50, 50) == theme.current().base
    assert seen.pixelColor(50, 50) != seen.pixelColor(150, 50)


def test_the_text_of_a_row_keeps_off_its_bar(qtbot: QtBot) -> None:
    rows = QListWidget()
    rows.addItem("All files")
    qtbot.addWidget(rows)
    delegate = RowDelegate(rows)
    option = QStyleOptionViewItem()
    option.initFrom(rows)
    option.rect = QRect(0, 0, 200, 20)
    delegate.initStyleOption(option, rows.model().index(0, 0))
    text = rows.style().subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, rows)
    assert text.left() >= 3 + S


def test_one_ring_is_around_whatever_has_the_focus(
    themes: Themes, qapp: QApplication, qtbot: QtBot
) -> None:
    window, inside = QWidget(), QSplitter()
    column = QVBoxLayout(window)
    parts = [QCheckBox("one"), QComboBox(), QListWidget(), inside]
    for part in parts:
        column.addWidget(part)
    inside.addWidget(last := QToolButton())
    last.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    qtbot.addWidget(window)
    rings = FocusRings(qapp, window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for part in (*parts[:-1], last):
        part.setFocus()
        ring = rings.ring
        assert ring is not None
        assert ring.mapToGlobal(ring.rect().topLeft()) == part.mapToGlobal(part.rect().topLeft())
        assert ring.size() == part.size()
        assert len([one for one in window.findChildren(FocusRing) if one.isVisible()]) == 1
        middle = ring.grab().toImage().pixelColor(part.width() // 2, 0)
        assert contrast(middle, theme.current().accent) < 1.5
    assert inside.count() == 1
    window.setFocus()
    assert rings.ring is None
    column.addWidget(page := QTextEdit())
    page.setFrameShape(QFrame.Shape.NoFrame)
    page.setFocus()
    assert rings.ring is None, "it is the page of a document"
    last.setFocus()
    window.resize(window.size() * 2)
    qtbot.waitUntil(lambda: rings.ring is not None and rings.ring.size() == last.size())


def test_muted_labels_follow_a_change_of_the_theme(themes: Themes, qtbot: QtBot) -> None:
    themes.apply("light")
    window = QWidget()
    label = plain_label("50 % embedded", muted=True)
    label.setParent(window)
    qtbot.addWidget(window)
    window.show()
    for mode in ("dark", "light"):
        themes.apply(mode)
        qtbot.waitUntil(lambda: _colour(label) == theme.current().muted)


def test_a_drawing_in_a_label_follows_a_change_of_the_theme(themes: Themes, qtbot: QtBot) -> None:
    themes.apply("light")
    drawing = Drawing("info", "text")
    qtbot.addWidget(drawing)
    drawing.show()
    for mode in ("dark", "light"):
        before = drawing.pixmap().toImage()
        themes.apply(mode)
        qtbot.waitUntil(partial(_differs, drawing, before))


def _differs(drawing: Drawing, before: QImage) -> bool:
    return drawing.pixmap().toImage() != before


def _colour(label: QLabel) -> QColor:
    return label.palette().color(label.foregroundRole())


@both
def test_check_boxes_have_a_visible_edge(colours: Theme, qtbot: QtBot) -> None:
    box = QCheckBox()
    qtbot.addWidget(box)
    box.setPalette(theme.edged_palette(colours))
    drawn = box.grab().toImage()
    places = [(x, y) for x in range(drawn.width()) for y in range(drawn.height())]
    counted = 0
    for x, y in places:
        here = drawn.pixelColor(x, y)
        counted += min(contrast(here, colours.base), contrast(here, colours.raised)) >= 3
    assert counted > 20, "a line around it"


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_fields_of_several_lines_have_a_visible_edge(
    themes: Themes, qtbot: QtBot, mode: str
) -> None:
    themes.apply(mode)
    field = QPlainTextEdit()
    qtbot.addWidget(field)
    drawn = field.grab().toImage()
    middle = drawn.height() // 2
    edge = max(contrast(drawn.pixelColor(x, middle), theme.current().base) for x in range(3))
    assert edge >= 3


def test_a_mode_is_applied_and_emits_changed(
    themes: Themes, qapp: QApplication, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(themes.changed):
        themes.apply("dark")
    assert theme.current() is DARK
    assert qapp.palette().color(QPalette.ColorRole.Base) == DARK.base
    themes.apply("light")
    assert theme.current() is LIGHT
    themes.apply("system")
    assert theme.current() in (LIGHT, DARK)


def test_text_grows_from_its_own_size_not_from_its_last(themes: Themes, qapp: QApplication) -> None:
    before = qapp.font().pointSizeF()
    themes.scale_text(150)
    themes.scale_text(200)
    assert qapp.font().pointSizeF() == pytest.approx(2 * before)
    themes.scale_text(100)
    assert qapp.font().pointSizeF() == pytest.approx(before)


def test_the_glyphs_of_boxes_grow_with_the_text(
    themes: Themes, qapp: QApplication, qtbot: QtBot
) -> None:
    box = QCheckBox("Large")
    qtbot.addWidget(box)
    width = QStyle.PixelMetric.PM_IndicatorWidth
    before = qapp.style().pixelMetric(width)
    themes.scale_text(200)
    assert qapp.style().pixelMetric(width) == 2 * before
    themes.apply("dark")
    assert qapp.palette().color(QPalette.ColorRole.Base) == DARK.base
    themes.scale_text(100)
    assert qapp.style().pixelMetric(width) == before


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("direction", list(Qt.LayoutDirection)[:2])
def test_heads_of_lists_and_lists_of_choices_are_flat(
    themes: Themes, qtbot: QtBot, mode: str, direction: Qt.LayoutDirection
) -> None:
    """No bevel: below the edge, the ground has one colour from top to bottom."""
    themes.apply(mode)
    window, box, table = QWidget(), ChoiceBox(), QTableWidget(1, 1)
    box.addItem("A choice")
    item = QTableWidgetItem()
    item.setCheckState(Qt.CheckState.Unchecked)
    table.setItem(0, 0, item)
    window.setLayoutDirection(direction)
    filled(QVBoxLayout(window), box, table)
    qtbot.addWidget(window)
    window.show()
    for part in (box, table.horizontalHeader()):
        drawn = part.grab().toImage()
        middle = {drawn.pixelColor(3, y).rgb() for y in range(5, drawn.height() - 5)}
        assert len(middle) == 1, part
    drawn = table.viewport().grab(table.visualItemRect(item)).toImage()
    inks = [
        contrast(drawn.pixelColor(x, y), theme.current().base)
        for x in range(drawn.width())
        for y in range(drawn.height())
    ]
    assert max(inks) > 2.5, "a box that is not checked is seen"


@pytest.mark.parametrize("direction", list(Qt.LayoutDirection)[:2])
def test_the_arrow_of_a_list_of_choices_grows_with_the_text(
    themes: Themes, qtbot: QtBot, direction: Qt.LayoutDirection
) -> None:
    box = ChoiceBox()
    box.addItem("")
    box.setLayoutDirection(direction)
    qtbot.addWidget(box)
    box.show()
    themes.apply("light")
    widths = []
    for percent in (100, 200):
        themes.scale_text(percent)
        box.adjustSize()
        QApplication.processEvents()
        drawn = box.grab().toImage()
        dark = [
            x
            for x in range(4, drawn.width() - 4)
            if any(
                contrast(drawn.pixelColor(x, y), LIGHT.raised) > 4
                for y in range(4, drawn.height() - 4)
            )
        ]
        widths.append(dark[-1] - dark[0] + 1)
        mirrored = direction is Qt.LayoutDirection.RightToLeft
        assert (sum(dark) / len(dark) < drawn.width() / 2) == mirrored
    assert widths[1] >= 1.7 * widths[0]


def drawings() -> list[str]:
    from tests.ui.engines import ROOT

    folder: Path = ROOT / "resources" / "icons"
    return sorted(file.stem for file in folder.glob("*.svg"))


@pytest.mark.parametrize("name", drawings())
def test_every_drawing_is_drawn_sharp_at_any_size(name: str, qapp: QApplication) -> None:
    for side in (16, 24, 48):
        drawn = icon(name).pixmap(QSize(side, side), 2.0)
        assert drawn.size() == QSize(2 * side, 2 * side)
        image = drawn.toImage()
        opaque = sum(
            image.pixelColor(x, y).alpha() > 100 for x in range(2 * side) for y in range(2 * side)
        )
        assert opaque > side


def test_icons_take_the_colour_of_the_text(themes: Themes, qtbot: QtBot) -> None:
    button = QToolButton()
    qtbot.addWidget(button)
    button.setIcon(icon("stop"))
    for mode in ("light", "dark"):
        themes.apply(mode)
        drawn = button.icon().pixmap(24, 24).toImage().pixelColor(12, 6)
        wanted = theme.current().text
        assert drawn.red() == pytest.approx(wanted.red(), abs=2)


def test_a_drawing_for_a_delegate_has_the_colour_and_ratio_asked_for(qapp: QApplication) -> None:
    drawn = pixmap("stop", 24, QColor("#ff0000"), 2.0)
    assert drawn.devicePixelRatio() == 2
    assert drawn.size() == QSize(48, 48)
    assert drawn.toImage().pixelColor(24, 12).name() == "#ff0000"


def test_a_missing_icon_raises_at_once(qapp: QApplication) -> None:
    with pytest.raises(FileNotFoundError):
        icon("nothing")


@pytest.mark.parametrize(
    ("height", "lines", "side"),
    [(15, 1.2, 20), (15, 1.5, 24), (17, 1.2, 20), (30, 1.2, 40), (15, 0.75, 12), (60, 2.0, 64)],
)
def test_icons_have_the_sizes_they_are_drawn_at(height: int, lines: float, side: int) -> None:
    assert icon_side(height, lines) == side


def test_gaps_are_those_of_the_grid() -> None:
    """Layouts are spaced by the named gaps alone, which are parts and multiples of 8."""
    assert (S, M, L, XL) == (4, 8, 16, 24)
    spaced = re.compile(r"set(?:Horizontal|Vertical)?(?:Spacing|ContentsMargins)\(([^)]*)\)")
    for path in sorted(UI.rglob("*.py")):
        for found in spaced.finditer(path.read_text(encoding="utf-8")):
            numbers = re.findall(r"(?<![\w.])\d+", found[1])
            assert set(numbers) <= {"0", "2"}, f"{path.name}: {found[0]}"


def test_every_list_paints_its_own_selection() -> None:
    """A list left to the style would have another selection than the rest (``ui.lists``)."""
    made = re.compile(r"\bQ(?:List|Tree|Table)(?:View|Widget)(?:\(\)|\):)")
    for path in sorted(UI.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        painted = re.search(r"\bsetItemDelegate\(|\bstyle_(?:list|tree)\(", text)
        assert not made.search(text) or painted, path.name
