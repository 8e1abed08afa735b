"""Highlights: marked quotes of documents, painted on their pages and in texts.

They are passages with a colour, kept like those of the basket. A quote is found by its words near
its old place; if its page no longer has it, it is looked for on the neighbouring pages.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QColor, QHelpEvent, QIcon, QPixmap
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from indexer.api.pages import CopyWithHighlights, PageHighlight, find_quote
from indexer.api.private_files import replacing
from indexer.api.translation import N_
from ui import keys
from ui.basket.basket import COLOURS, Basket, Kept
from ui.dialogs import ask_text, choose_export
from ui.export import ExportFormat, tell_written
from ui.ports import Notice, Notices
from ui.preview.client import Urgency
from ui.preview.controls import selected_passage
from ui.preview.marks import flowing
from ui.search.safe_text import shown
from ui.theme import icon
from ui.widgets import add_shortcut
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.api.errors import LecternError
    from indexer.api.types import Hit
    from ui.preview.panel import Preview

_NAMES = {"yellow": N_("Yellow"), "green": N_("Green"), "blue": N_("Blue"), "pink": N_("Pink")}
_SWATCH_PX = 16


def in_document(kept: Iterable[Kept], hit: Hit) -> tuple[Kept, ...]:
    """Return the highlights of the document of a hit, which may have been renamed or copied."""
    return tuple(one for one in kept if _same_file(one.hit, hit))


def _same_file(one: Hit, other: Hit) -> bool:
    same_time = bool(one.modified_ns) and one.modified_ns == other.modified_ns
    return one.path == other.path or (same_time and one.format == other.format)


def _mark_of(one: Kept) -> PageHighlight:
    made = QColor(COLOURS[one.colour])
    shares = made.redF(), made.greenF(), made.blueF()
    return PageHighlight(one.hit.page, one.hit.text, one.place, shares, one.note)


class Highlighter(QObject):
    """Makes, changes and shows the highlights of the document in a preview."""

    def __init__(self, preview: Preview, kept: Basket, notices: Notices, pane: QWidget) -> None:
        super().__init__(preview)
        self._preview, self._kept, self._notices = preview, kept, notices
        self._colour = next(iter(COLOURS))
        self._pointed: Kept | None = None  # where the menu was opened
        self.menu = self._make_menu()
        add_shortcut(pane, keys.HIGHLIGHT, self.toggle)
        add_shortcut(pane, keys.NOTE, self.write_note)
        kept.changed.connect(self._show)
        loader = preview.loader
        for signal in (loader.opened, loader.text_came, loader.more_came, loader.marked):
            signal.connect(self._show)
        preview.pages.viewport().installEventFilter(self)

    def toggle(self) -> None:
        """Highlight the selection, else the best sentence; remove the highlight if it has one."""
        one = self._current()
        if one is not None:
            self.remove(one)
        else:
            self._add(self._colour)

    def mark(self, colour: str) -> None:
        """Highlight the selection in a colour, or give an existing highlight that colour."""
        self._colour = colour
        before, one = self._kept.kept, self._current()
        if one is None:
            self._add(colour)
            return
        self._kept.replace_passages(
            replace(each, colour=colour) if each.key == one.key else each for each in before
        )
        self._say(self.tr("The highlight has another colour"), before)

    def write_note(self) -> None:
        """Ask for the note of a highlight; make the highlight if necessary."""
        one = self._current() or self._add(self._colour)
        if one is None:
            return
        title, label = self.tr("Note"), self.tr("Note on the highlighted text:")

        def noted(note: str) -> None:
            self._kept.annotate(one.key, note)
            undo = partial(self._kept.annotate, one.key, one.note)
            self._notices.post(Notice(self.tr("The note was changed"), undo=undo))

        ask_text(self._preview, title, label, noted, text=one.note)

    def remove(self, one: Kept) -> None:
        before = self._kept.kept
        self._kept.remove_passage(one.key)
        self._say(self.tr("The highlight was removed"), before)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the note of the highlight under the pointer, and remember it for the menu."""
        if event.type() == QEvent.Type.ContextMenu:
            self._pointed = self._preview.pages.highlight_at(event.pos())  # type: ignore[attr-defined]  # of its subclass
        elif isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            one = self._preview.pages.highlight_at(event.pos())
            if one is not None and one.note:
                QToolTip.showText(event.globalPos(), shown(one.note).text, self._preview)
                return True
        return super().eventFilter(watched, event)

    def ask_copy(self) -> None:
        """Ask where to write a copy of the PDF with the highlights."""
        hit = self._preview.hit_actions.hit
        if hit is None or not (known := in_document(self._kept.kept, hit)):
            text = self.tr("This document has no highlights.")
            self._notices.post(Notice(text))
            return
        title, name = self.tr("Copy with highlights"), self.tr("{name} with highlights")
        name = name.format(name=PurePath(hit.file).stem)
        wanted = partial(self.write_copy, Path(hit.path), known)
        choose_export(self._preview, title, name, ExportFormat.PDF.suffix, wanted)

    def write_copy(self, original: Path, known: Sequence[Kept], path: Path) -> None:
        """Have the render child make the copy, and write it, but never over the original."""
        if path.exists() and path.samefile(original):
            self._notices.post(Notice(self.tr("The document itself is not changed.")))
            return
        marks = tuple(map(_mark_of, known))

        def write(found: int, data: bytes) -> None:
            error, text = None, self.tr("%Ln highlight(s) written into the copy", "", found)
            try:
                with replacing(path) as file:
                    file.write(data)
            except OSError as failed:
                error = failed
            tell_written(self._notices, path, text, error)

        loader = self._preview.loader
        loader.client.ask_child(
            CopyWithHighlights(loader.source, marks), write, self._refused, Urgency.REST
        )

    def _refused(self, error: LecternError) -> None:
        self._notices.post(Notice(failures.failure(error)))

    def _say(self, text: str, before: tuple[Kept, ...]) -> None:
        undo = partial(self._kept.replace_passages, before)
        self._notices.post(Notice(text, undo=undo))

    def _add(self, colour: str) -> Kept | None:
        hit = self._preview.hit_actions.hit
        quote = self._quote(hit) if hit is not None and hit.text else None
        if quote is None:
            return None
        one = self._kept.add_passage(quote, colour=colour, place=self._place(quote))
        if one is not None:
            undo = partial(self._kept.remove_passage, one.key)
            self._notices.post(Notice(self.tr("Highlighted"), undo=undo))
        return one

    def _quote(self, hit: Hit) -> Hit | None:
        """Return the selected text, else the best sentence of the passage."""
        selected = selected_passage(self._preview, hit)
        if selected is not None:
            return selected
        low, high = hit.best if hit.best[1] > hit.best[0] else (0, len(hit.text))
        text = hit.text[low:high]
        return replace(
            hit, text=text, start=hit.start + low, end=hit.start + high, best=(0, len(text)),
            marks=((0, len(text)),), left_out=(), pages_before=0, page_last=hit.page,
        )  # fmt: skip

    def _place(self, quote: Hit) -> int:
        """Return the offset of a quote in the text of its page, or of its document."""
        if self._preview.has_pages:
            return self._preview.pages.selection.start
        return quote.start

    def _current(self) -> Kept | None:
        """Return the highlight of the selection, else the one on which the menu was opened."""
        hit = self._preview.hit_actions.hit
        if hit is None:
            return None
        pointed, self._pointed = self._pointed, None
        quote = self._quote(hit)
        known = in_document(self._kept.kept, hit)
        if pointed is not None and not selected_passage(self._preview, hit):
            return next((one for one in known if one.key == pointed.key), None)
        if quote is None:
            return None
        page, text, place = quote.page, flowing(quote.text), self._place(quote)
        return next(
            (one for one in known
             if (one.hit.page, flowing(one.hit.text), one.place) == (page, text, place)), None,
        )  # fmt: skip

    def _show(self, *_told: object) -> None:
        """Paint the highlights of the shown document."""
        preview, hit = self._preview, self._preview.hit_actions.hit
        known = in_document(self._kept.kept, hit) if hit is not None else ()
        preview.pages.show_highlights(known)
        if preview.shown is preview.text:
            first, text = preview.text.loaded[0], preview.text.loaded_text
            spans = []
            for one in known:
                span = find_quote(one.hit.text, text, one.place - first)
                if span is not None:
                    spans.append(((first + span[0], first + span[1]), QColor(COLOURS[one.colour])))
            preview.text.show_highlights(spans)

    def _make_menu(self) -> QMenu:
        bar = self._preview.bar
        menu = QMenu(self.tr("Highlight"), bar.menu)
        menu.setIcon(icon("highlight"))
        for colour, name in _NAMES.items():
            swatch = QPixmap(_SWATCH_PX, _SWATCH_PX)
            swatch.fill(QColor(COLOURS[colour]))
            text = QCoreApplication.translate("Words", name)
            menu.addAction(QIcon(swatch), text, partial(self.mark, colour))
        menu.addSeparator()
        key = keys.shown([keys.NOTE])
        menu.addAction(icon("document"), f"{self.tr('Note…')}\t{key}", self.write_note)
        key = keys.shown([keys.HIGHLIGHT])
        text = self.tr("Highlight, or remove the highlight")
        menu.addAction(icon("highlight"), f"{text}\t{key}", self.toggle)
        menu.addSeparator()
        self.copy = menu.addAction(icon("export"), self.tr("Copy of the PDF…"), self.ask_copy)
        menu.aboutToShow.connect(lambda: self.copy.setEnabled(self._preview.has_pages))
        bar.menu.insertMenu(self._preview.folder, menu)
        return menu
