"""Exports the basket: finds its passages, their sources and pages, and writes a file.

Owns the order of these steps and what is said about them. It must not know how a format is written.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from indexer.api.atomic import replacing, write_file
from ui.basket import markdown, pdf, word
from ui.basket.csl import csl_json
from ui.basket.finding import PassageFinder
from ui.basket.pictures import Extent, PagePictures
from ui.basket.report import Report, entries_of, sources_of
from ui.desktop import open_path
from ui.ports import Notice
from ui.search.export import bibtex
from ui.search.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtWidgets import QWidget

    from indexer.api.types import Hit
    from ui.basket.basket import Basket
    from ui.basket.report import Picture
    from ui.ports import Context
    from ui.search.citation import CitedSource
    from ui.search.work import Worker


class Form(StrEnum):
    """A format of the file; the value is its extension."""

    MARKDOWN = "md"
    WORD = "docx"
    PDF = "pdf"
    BIBTEX = "bib"
    CSL = "json"


#: The formats with the passages themselves; the others have their sources only.
DOCUMENTS = (Form.MARKDOWN, Form.WORD, Form.PDF)


def _write(content: Callable[[Report], bytes], path: Path, report: Report) -> None:
    with replacing(path) as file:
        file.write(content(report))


_WRITERS: dict[Form, Callable[[Path, Report], None]] = {
    Form.MARKDOWN: markdown.write,
    Form.WORD: partial(_write, word.bytes_of),
    Form.PDF: partial(_write, pdf.bytes_of),
}


class BasketExport(QObject):
    """One export at a time; a new one replaces the one before.

    Signals:
        finished: The last step is done, whether the file could be written or not.
    """

    finished = Signal()

    def __init__(self, basket: Basket, context: Context, worker: Worker, parent: QWidget) -> None:
        super().__init__(parent)
        self.extent = Extent.PASSAGE
        self._basket = basket
        self._notices = context.notices
        self._worker = worker
        self._widget = parent
        self._finder = PassageFinder(context.link, self)
        self._sources = Sources(context.link, self)
        self._pictures = PagePictures(context.library, self)

    def ask_where(self, form: Form) -> None:
        """Let the person choose a file, and export to it."""
        dialog = QFileDialog(self._widget, self.tr("Export the basket"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(form.value)
        dialog.setNameFilter(f"*.{form.value}")
        dialog.selectFile(self.tr("basket") + f".{form.value}")
        dialog.fileSelected.connect(partial(self._chosen, form))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def export_to(self, path: Path, form: Form) -> None:
        """Write the basket to a file."""
        self.close()
        self._notices.post(Notice(self.tr("The basket is being exported…"), seconds=0))
        self._finder.find(self._basket.kept, partial(self._found, path, form))

    def close(self) -> None:
        """Cancel what is under way."""
        self._finder.close()
        self._sources.close()
        self._pictures.close()

    def _chosen(self, form: Form, file: str) -> None:
        self.export_to(Path(file), form)

    def _found(self, path: Path, form: Form, moved: dict[str, Hit], lost: frozenset[str]) -> None:
        self._basket.relocate(moved)
        hits = [one.hit for one in self._basket.kept]
        self._sources.find(hits, partial(self._cited, path, form, lost))

    def _cited(
        self,
        path: Path,
        form: Form,
        lost: frozenset[str],
        hits: Sequence[Hit],
        sources: Mapping[str, CitedSource],
    ) -> None:
        if form not in DOCUMENTS:
            text = bibtex(hits, sources) if form is Form.BIBTEX else csl_json(sources)
            self._worker.run(lambda: write_file(path, text), partial(self._written, path, 0))
            return
        present = [one for one in self._basket.kept if one.key not in lost]
        self._pictures.make(present, self.extent, partial(self._drawn, path, form, lost, sources))

    def _drawn(
        self,
        path: Path,
        form: Form,
        lost: frozenset[str],
        sources: Mapping[str, CitedSource],
        pictures: Mapping[str, Sequence[Picture]],
    ) -> None:
        remark = self.tr("This passage is no longer in the library; this is how it was read.")
        kept = self._basket.kept
        report = Report(
            title=self.tr("Collected passages"),
            sources_title=self.tr("Sources"),
            note_label=self.tr("Note:"),
            link_label=self.tr("Open in Lectern"),
            entries=entries_of(kept, sources, pictures, dict.fromkeys(lost, remark)),
            sources=sources_of(kept, sources),
        )
        done = partial(self._written, path, len(lost))
        self._worker.run(lambda: _WRITERS[form](path, report), done)

    def _written(self, path: Path, lost: int, _result: object, error: OSError | None) -> None:
        if error is not None:
            reason = error.strerror or str(error)
            text = self.tr("The basket could not be exported: {reason}.").format(reason=reason)
            self._notices.post(Notice(text))
        else:
            text = self.tr("%Ln passage(s) exported", "", len(self._basket))
            if lost:
                rest = self.tr("%Ln no longer in the library", "", lost)
                text = self.tr("{done}; {rest}").format(done=text, rest=rest)
            show = partial(open_path, str(path), self._notices)
            self._notices.post(Notice(text, action=self.tr("Open"), act=show))
        self.finished.emit()
