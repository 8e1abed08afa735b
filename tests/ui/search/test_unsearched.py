"""Below "No good match" the files that were not searched are listed, with the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from indexer.api.answers import ReindexCost
from indexer.api.models import EstimateReindex, Reindex
from indexer.api.phrases import Note
from indexer.api.requests import GetStatus, Index, Search
from indexer.api.status import LanguageStatus
from indexer.api.types import Match, SearchResult
from tests.answers import EMPTY
from tests.ui.library.port import canned_context
from tests.ui.search.hits import many
from tests.ui.search.pages import search
from ui.search.labels import Link
from ui.search.page import SearchPage
from ui.search.panels import ModelOffer, ResultsSummary, Unsearched
from ui.widgets import ElidedLabel
from ui.words import amounts

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.fake_engine import FakeEngine


def words_only(*languages: str) -> list[LanguageStatus]:
    return [LanguageStatus(language, 3, Note("words_only")) for language in languages]


def texts(line: Unsearched) -> list[str]:
    """The texts of the line, from its beginning."""
    parts = [each for each in line.findChildren(QWidget) if not each.isHidden()]
    return [each.text() for each in parts if isinstance(each, Link | QLabel | ElidedLabel)]


def test_each_state_links_to_its_files(qtbot: QtBot) -> None:
    line = Unsearched()
    qtbot.addWidget(line)
    files = {"queued": 1, "needs_password": 5, "no_text": 4, "indexed": 90}
    languages = (LanguageStatus("de", 90), *words_only("fr", "da"))
    line.show_status(replace(EMPTY, files=files, languages=languages))
    assert not line.isHidden()
    assert texts(line) == [
        "Not searched:", "1 waiting to be read", "5 locked", "4 without text",
        "By words only: \u2068français\u2069, \u2068dansk\u2069",
    ]  # fmt: skip
    locked = next(each for each in line.findChildren(Link) if each.text() == "5 locked")
    assert "password" in locked.accessibleDescription()
    with qtbot.waitSignal(line.files_requested) as wanted:
        locked.click()
    assert wanted.args == ["needs_password"]


def test_the_line_is_laid_out_again_with_the_next_answer(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    line = Unsearched()
    QVBoxLayout(page).addWidget(line)
    page.resize(600, 200)
    page.show()
    for _answer in range(2):
        line.show_status(replace(EMPTY, files={"needs_password": 1, "unreadable": 2}))
        QApplication.processEvents()
        links = [each for each in line.findChildren(Link) if each.isVisible()]
        assert len(links) == 2
        assert all(link.size() == link.sizeHint() for link in links)
        assert 0 < links[0].x() < links[1].x()


def test_many_languages_take_one_place(qtbot: QtBot) -> None:
    line = Unsearched()
    qtbot.addWidget(line)
    languages = tuple(words_only("fr", "da", "nl", "fi", "cs", "hu", "tr"))
    line.show_status(replace(EMPTY, languages=languages))
    _, named = texts(line)
    assert named.count(",") == 5
    assert named.endswith("…")
    (label,) = line.findChildren(ElidedLabel)
    assert label.toolTip().count("\n") == 6
    least, text = line.minimumSizeHint().width(), label.fontMetrics().horizontalAdvance(named)
    assert 0 < least < text / 2, "it leaves the results as narrow as they are"


def test_a_doubt_leaves_the_results_their_width(qtbot: QtBot) -> None:
    summary = ResultsSummary()
    qtbot.addWidget(summary)
    summary.show()
    widths = []
    for match in (Match.GOOD, Match.PERHAPS, Match.NONE):
        summary.show_result(SearchResult(tuple(many(2)), match=match), 2, more=False)
        QApplication.processEvents()
        widths.append(summary.minimumSizeHint().width())
    assert max(widths) == widths[0]


def test_the_line_is_hidden_if_everything_was_searched(qtbot: QtBot) -> None:
    line = Unsearched()
    qtbot.addWidget(line)
    line.show_status(replace(EMPTY, files={"indexed": 90}))
    assert line.isHidden()


def test_the_line_is_below_nothing_was_found_too(
    qtbot: QtBot, page: SearchPage, engine: FakeEngine, library_files: Path
) -> None:
    (library_files / "locked.txt").write_text("LOCKED swordfish The treasure is on the island.")
    engine.call(Index((library_files,)))
    search(qtbot, page, "treasure")
    assert page.results.shown is page.results.nothing
    line = page.results.unsearched
    qtbot.waitUntil(line.isVisible)
    assert texts(line)[:2] == ["Not searched:", "1 locked"]
    with qtbot.waitSignal(page.files_requested) as wanted:
        line.findChildren(Link)[0].click()
    assert wanted.args == ["needs_password"]
    search(qtbot, page, "lamp")
    assert not line.isVisible()


def test_without_a_good_match_five_are_shown_and_none_is_chosen(
    qtbot: QtBot, page: SearchPage, engine: FakeEngine
) -> None:
    search(qtbot, page, "crew")
    assert page.current_hit is not None
    answered = page.results.result
    assert answered is not None
    with qtbot.waitSignal(page.emptied):
        page.results.show_answer(
            "teddy", replace(answered, hits=tuple(many(3, 4)), match=Match.NONE),
            same_query=False, more=False,
        )  # fmt: skip
    rows = page.results.model.rows
    assert sum(row.is_hit for row in rows) == 5
    said = "No good match; closest passages below."
    assert page.results.summary.text == said, "nothing counts as found; the foot says what is read"
    assert page.results.current is None
    page.results.step_hits(1)
    assert page.results.view.currentIndex().row() == 1
    page.results.view.unfolded.emit(rows[-1])
    assert sum(row.is_hit for row in page.results.model.rows) == 12


def test_a_late_status_is_not_shown_below_a_good_match(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[GetStatus] = lambda _request: replace(EMPTY, files={"needs_password": 5})
    matches = {"dep": Match.NONE, "deposit": Match.GOOD}
    link.answers[Search] = lambda request: SearchResult(tuple(many(2)), match=matches[request.text])
    page = SearchPage(context)
    qtbot.addWidget(page)
    link.holding.add(GetStatus)
    for text in matches:
        search(qtbot, page, text)
    link.release()
    link.holding.clear()
    unsearched = page.results.summary.unsearched
    QApplication.processEvents()
    assert unsearched.isHidden()
    search(qtbot, page, "dep")
    qtbot.waitUntil(lambda: not unsearched.isHidden())
    page.stop()


def test_a_question_that_the_model_does_not_read_offers_the_one_that_does(
    qtbot: QtBot, tmp_path: Path
) -> None:
    context, link, notices = canned_context(tmp_path)
    link.answers[EstimateReindex] = lambda request: ReindexCost(
        request.model, "int8", "", 3, 40, 9000, 1500.0, True, 1000, 0
    )
    offer = ModelOffer(context)
    qtbot.addWidget(offer)
    offer.show_notes([Note("no_word", {})])
    assert link.asked == []
    offer.show_notes([Note("question_unread", {"model": "many"})])
    qtbot.waitUntil(lambda: not offer.isHidden())
    assert amounts.about(1500.0) in offer.text.text()
    offer.use.click()
    assert context.settings["model"] == "many"
    assert link.asked[-1] == Reindex("many")
    assert offer.isHidden()
    assert len(notices.told) == 1
    offer.show_notes(())
    offer.show_notes([Note("question_unread", {"model": "many"})])
    qtbot.waitUntil(lambda: not offer.isHidden())
    offer.show_notes(())
    assert offer.isHidden()
