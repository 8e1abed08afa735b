"""The card between choosing folders and reading them: the estimated time, and Start.

Nothing is read before Start is pressed.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from indexer.api.requests import EstimateIndex
from ui.requests import Questions
from ui.theme import L
from ui.widgets import (
    CardFrame,
    Facts,
    FlowLayout,
    FocusReturn,
    IconButton,
    filled,
    make_bold,
    wrapped_label,
)
from ui.words import amounts, failures
from ui.words.names import kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.api.answers import Estimate, FormatEstimate
    from indexer.api.errors import LecternError
    from ui.ports import Context

MOST_KINDS = 6


class EstimateCard(CardFrame):
    """Asks whether to start.

    Signals:
        accepted: With the paths, when Start was pressed.
        dismissed: Cancel was pressed.
        estimated: The estimate has arrived.
    """

    accepted = Signal(list)
    dismissed = Signal()
    estimated = Signal()

    def __init__(
        self, context: Context, parent: QWidget | None = None, *, can_cancel: bool = True
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._paths: list[str] = []
        self._focus = FocusReturn(self, self.dismiss if can_cancel else None)
        self.setAccessibleName(self.tr("Estimate"))
        self._title = wrapped_label()
        make_bold(self._title)
        self.note = wrapped_label()
        self._busy = QProgressBar()
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setAccessibleName(self.tr("Counting"))
        self.facts = Facts()
        self.start = IconButton(self.tr("&Start"), "play")
        self.start.setDefault(True)
        self.start.setEnabled(False)
        self.start.clicked.connect(self._accept)
        self.cancel = IconButton(self.tr("Cance&l"))
        self.cancel.clicked.connect(self.dismiss)
        if not can_cancel:  # a ``setVisible(can_cancel)`` would show it before it has a parent
            self.cancel.hide()
        buttons = QWidget()
        row = FlowLayout(buttons)
        row.addWidget(self.start)
        row.addWidget(self.cancel)
        parts = (self._title, self._busy, self.facts, self.note, buttons)
        filled(QVBoxLayout(self), *parts, spacing=L, edges=(L, L, L, L))
        self.hide()

    @property
    def paths(self) -> Sequence[str]:
        return self._paths

    def estimate_paths(self, paths: Sequence[str]) -> None:
        """Ask the engine for an estimate of these paths, and show it."""
        self._paths = list(dict.fromkeys(paths))
        self._title.setText(self._named())
        self.facts.hide()
        self.note.setText(self.tr("Counting files. Nothing is read yet."))
        self.note.show()
        self._busy.show()
        self.start.setEnabled(False)
        self.show()
        request = EstimateIndex(tuple(map(Path, self._paths)))
        self._questions.ask(request, self._handle_estimate, failed=self._fail)

    def dismiss(self) -> None:
        """Hide the card and drop its folders."""
        self._questions.cancel_all()
        self._paths = []
        self._focus.give_back()
        self.hide()
        self.dismissed.emit()

    def _named(self) -> str:
        names = [PurePath(path).name or path for path in self._paths]
        if len(names) <= 3:
            return QLocale().createSeparatedList(names)
        return self.tr("%Ln folders or files", "", len(names))

    def _accept(self) -> None:
        paths, self._paths = self._paths, []
        self._focus.give_back()
        self.hide()
        self.accepted.emit(paths)

    def _fail(self, error: LecternError) -> None:
        self._busy.hide()
        if error.code == "engine_gone":
            self.note.setText(self.tr("The engine is starting; this is counted in a moment."))
            self._context.link.connected.connect(
                self._count_again, Qt.ConnectionType.SingleShotConnection
            )
        else:
            self.note.setText(failures.failure(error))

    def _count_again(self) -> None:
        if self._paths and self.isVisible():
            self.estimate_paths(self._paths)

    def _handle_estimate(self, estimate: Estimate) -> None:
        self._busy.hide()
        self.facts.show_facts(self._fact_rows(estimate))
        self.note.setText(self._said(estimate))
        self.note.setVisible(bool(self.note.text()))
        self.start.setEnabled(bool(estimate.files or estimate.known))
        self.start.setFocus()
        self.estimated.emit()

    def _fact_rows(self, estimate: Estimate) -> list[tuple[str, str]]:
        rows = []
        if estimate.files:
            text = self.tr("{files} ({size}), about {pages}").format(
                files=amounts.files(estimate.files),
                size=amounts.size(estimate.bytes),
                pages=amounts.pages(estimate.pages),
            )
            rows.append((self.tr("To read:"), text))
            rows.append((self.tr("Kinds:"), _kinds(estimate.formats)))
            soon = amounts.about(estimate.seconds_words)
            late = amounts.about(estimate.seconds_meaning)
            rows.append((self.tr("Found by words:"), self.tr("in {time}").format(time=soon)))
            rows.append((self.tr("Found by meaning:"), self.tr("in {time}").format(time=late)))
        left_out = {code: n for code, n in estimate.left_out.items() if n}
        if left_out:
            rows.append((self.tr("Skipped:"), _left_out(left_out)))
        if estimate.known:
            rows.append((self.tr("Known already:"), amounts.files(estimate.known)))
        return rows

    def _said(self, estimate: Estimate) -> str:
        if not estimate.files:
            if estimate.known:
                return self.tr("Everything in it has been read already.")
            return self.tr("There is nothing in it that Lectern can read.")
        if estimate.measured:
            return ""
        return self.tr(
            "A first estimate of the time; it improves once this computer’s speed is known."
        )


def _kinds(formats: Mapping[str, FormatEstimate]) -> str:
    counted = sorted(((one.files, name) for name, one in formats.items()), reverse=True)
    parts = [f"{kind(name)}:\u00a0{amounts.count(files)}" for files, name in counted[:MOST_KINDS]]
    if len(counted) > MOST_KINDS:
        parts.append("…")
    return " · ".join(parts)


def _left_out(counts: Mapping[str, int]) -> str:
    counted = sorted(counts.items(), key=lambda item: -item[1])
    return " · ".join(f"{failures.reason(code)}:\u00a0{amounts.count(n)}" for code, n in counted)
