"""A person's own model in the settings, with a real engine: imported, measured, compared, left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt

from indexer.api.model_requests import Reindex
from indexer.api.requests import Index
from tests.sentence_folder import write_folder
from tests.tiny_model import TINY
from tests.ui.engines import answer
from tests.ui.settings.test_models import press
from ui.settings_dialog.models import ModelsPage

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from ui.ports import Context

SUBJECTS = ("zephyr", "theremin", "harbour", "celesta", "persimmon")


@pytest.fixture
def page(real_context: Context, tmp_path: Path, qtbot: QtBot) -> ModelsPage:
    """The page of a library of some documents."""
    documents = tmp_path / "documents"
    documents.mkdir()
    for subject in SUBJECTS:
        parts = (f"Part {part} tells of the {subject}. " * 60 for part in range(4))
        (documents / f"{subject}.txt").write_text("\n\n".join(parts))
    answer(qtbot, real_context.link, Index((documents,)))
    page = ModelsPage(real_context)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.list.current is not None)
    return page


def import_own(page: ModelsPage, tmp_path: Path, qtbot: QtBot) -> None:
    folder = write_folder(tmp_path / "mine", "modernbert")
    (folder / "README.md").write_text("---\nlicense: cc-by-nc-4.0\n---\n")
    page.form._choose([str(folder)])
    press(qtbot, page.form.take)
    qtbot.waitUntil(lambda: "mine is here" in page.task.note.text())
    assert "Its licence: cc-by-nc-4.0." in page.task.note.text()
    qtbot.waitUntil(lambda: page.list.current is not None and page.list.current.id == "mine")
    assert page.facts.value("Licence:") == "cc-by-nc-4.0"


def test_an_own_model_is_imported_measured_compared_and_left(
    page: ModelsPage, real_context: Context, tmp_path: Path, qtbot: QtBot
) -> None:
    import_own(page, tmp_path, qtbot)
    press(qtbot, page.bench.measure)
    qtbot.waitUntil(page.bench.facts.isVisible)
    assert page.bench.facts.value("Found if read together:")

    answer(qtbot, real_context.link, Reindex("mine"))
    page.hide()
    page.show()
    panel = page.comparison
    qtbot.waitUntil(panel.questions.isVisible)
    asked = tmp_path / "mine.txt"
    asked.write_text("# mine\nwhat of the zephyr\nwhat of the lyre\n")
    panel._read([str(asked)])
    press(qtbot, panel.compare)
    qtbot.waitUntil(panel.list.isVisible)
    assert panel.task.note.text().startswith("2 question(s); of the first ten passages both find")
    assert not panel.score.isVisible()
    qtbot.keyClick(panel.list, Qt.Key.Key_Down)
    qtbot.keyClick(panel.list, Qt.Key.Key_Space)
    assert panel.questions.toPlainText().startswith("what of the zephyr\tzephyr.txt#page=1\n")
    assert "tiny:fp32: the right passage first 1 of 1 times" in panel.score.text()
    qtbot.keyClick(panel.list, Qt.Key.Key_Down)
    qtbot.keyClick(panel.list, Qt.Key.Key_Space)
    marked = [each.right for each in panel.list.comparison.questions[0].passages]
    assert marked.index(True) == 1
    assert marked.count(True) == 1

    assert panel.back.text() == "Go &back to tiny"
    press(qtbot, panel.back)
    qtbot.waitUntil(lambda: "tiny answers again." in panel.task.note.text())
    assert real_context.settings["model"] == TINY
    qtbot.waitUntil(lambda: panel.back.text() == "Go &back to mine")
