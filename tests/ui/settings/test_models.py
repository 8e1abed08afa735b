"""The page of language models: by keyboard, with a question before anything is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from indexer.api.answers import ReindexCost
from indexer.api.errors import WorldError
from indexer.api.models import (
    EstimateReindex,
    GetModel,
    ListModels,
    ModelInfo,
    ModelState,
    Origin,
    Reindex,
    RemoveModel,
)
from indexer.api.progress import Progress, Step
from indexer.api.requests import GetStatus
from tests.answers import EMPTY
from tests.ui.library.port import Canned, CannedLink, canned_context, fact
from tests.ui.menus import entries
from ui.settings_dialog.models import ModelsPage

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

HERE = ModelInfo("here", Origin.SHIPPED, ModelState.HERE, dimensions=384, disk_bytes=1000)
AWAY = ModelInfo("away", Origin.PUBLISHED, ModelState.ABSENT, licence="Apache-2.0")
THIRD = ModelInfo("third", Origin.PUBLISHED, ModelState.ABSENT, licence="Gemma")
OTHER = ModelInfo("other", Origin.PUBLISHED, ModelState.ABSENT)


@pytest.fixture
def canned(tmp_path: Path) -> Canned:
    canned = canned_context(tmp_path)
    canned[1].answers[GetStatus] = lambda _request: replace(EMPTY, model="answering")
    canned[1].answers[ListModels] = lambda _request: (HERE, AWAY, THIRD, OTHER)
    return canned


@pytest.fixture
def link(canned: Canned) -> CannedLink:
    return canned[1]


@pytest.fixture
def page(qtbot: QtBot, canned: Canned) -> ModelsPage:
    page = ModelsPage(canned[0])
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.list.topLevelItemCount() == 4)
    page.other.click()
    return page


def requests(link: CannedLink, kind: type[Any]) -> list[Any]:
    return [request for request in link.asked if type(request) is kind]


def press(qtbot: QtBot, button: QPushButton) -> None:
    assert button.isEnabled()
    qtbot.keyClick(button, Qt.Key.Key_Space)


def test_each_model_offers_what_can_be_done_with_it(page: ModelsPage) -> None:
    def offered(model: str) -> tuple[bool, bool, bool]:
        page.list.choose_model(model)
        return page.get.isEnabled(), page.use.isEnabled(), page.remove.isEnabled()

    assert offered("here") == (False, True, True)
    assert offered("away") == (True, False, False)
    assert offered("other") == (True, False, False)
    assert fact(page.facts, "Languages:") == "unknown"
    buttons = page.findChildren(QPushButton)
    assert len(buttons) == 8
    for button in buttons:
        assert button.accessibleName() or not button.text()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert page.list.accessibleName() == "Language models"


def test_the_models_that_come_with_lectern_are_cards(
    page: ModelsPage, link: CannedLink, qtbot: QtBot
) -> None:
    link.answers[GetStatus] = lambda _request: replace(EMPTY, model="here")
    english = replace(HERE, languages=("en",))
    many = replace(HERE, id="many", languages=(), language_count=100)
    link.answers[ListModels] = lambda _request: (many, english, AWAY)
    link.answers[EstimateReindex] = lambda request: ReindexCost(
        request.model, "int8", "many/1", 10, 100, 20_000, 300.0, measured=True, bytes=1_000_000,
        outdated=0,
    )  # fmt: skip
    page.hide()
    page.cards.clear()
    page.show()
    qtbot.waitUntil(lambda: list(page.cards) == ["here", "many"])
    assert page.cards["here"].use.text() == "In use"
    assert not page.cards["here"].use.isEnabled()
    press(qtbot, page.cards["many"].use)
    qtbot.waitUntil(page.confirmation.question.isVisible)
    assert "many reads your documents anew" in page.confirmation.question.text()


def test_a_licence_is_named_before_a_model_is_fetched(
    page: ModelsPage, link: CannedLink, qtbot: QtBot
) -> None:
    link.holding.add(GetModel)
    page.list.choose_model("third")
    press(qtbot, page.get)
    assert "Its licence: Gemma." in page.confirmation.question.text()
    press(qtbot, page.confirmation.refuse)
    assert not page.confirmation.question.isVisible()
    assert requests(link, GetModel) == []
    press(qtbot, page.get)
    press(qtbot, page.confirmation.agree)
    assert requests(link, GetModel) == [GetModel("third")]
    assert page.task.bar.isVisible()
    assert page.task.bar.accessibleName() == "Getting third"
    page.task.show_progress(Progress(Step.FETCH, bytes_done=5_000_000, bytes_total=10_000_000))
    assert (page.task.bar.value(), page.task.note.text()) == (500, "5.0 MB of 10.0 MB")
    press(qtbot, page.task.cancel)
    assert not page.task.bar.isVisible()
    assert len(link.cancelled) == 1
    assert "kept for the next time" in page.task.note.text()


def test_a_model_is_fetched_and_is_there(page: ModelsPage, link: CannedLink, qtbot: QtBot) -> None:
    link.answers[GetModel] = lambda _request: AWAY
    page.list.choose_model("away")
    press(qtbot, page.get)
    press(qtbot, page.confirmation.agree)
    qtbot.waitUntil(lambda: "away is installed" in page.task.note.text())
    assert requests(link, GetModel) == [GetModel("away")]
    assert not page.task.bar.isVisible()


def test_a_failure_is_told_beside_the_list(
    page: ModelsPage, link: CannedLink, qtbot: QtBot
) -> None:
    link.answers[GetModel] = lambda _request: WorldError(
        "model_missing", model="away", reason="not_on_hub"
    )
    page.list.choose_model("away")
    press(qtbot, page.get)
    press(qtbot, page.confirmation.agree)
    qtbot.waitUntil(lambda: "the hub has no such model" in page.task.note.text())
    assert page.get.isEnabled()


def test_a_model_is_used_after_its_cost_is_told(
    page: ModelsPage, link: CannedLink, qtbot: QtBot, canned: Canned
) -> None:
    link.answers[EstimateReindex] = lambda request: ReindexCost(
        request.model, "int8", "here/1", 10, 100, 20_000, 300.0, measured=True, bytes=1_000_000,
        outdated=0,
    )  # fmt: skip
    page.list.choose_model("here")
    press(qtbot, page.use)
    qtbot.waitUntil(page.confirmation.question.isVisible)
    assert "1.0 MB more on the disk" in page.confirmation.question.text()
    press(qtbot, page.confirmation.agree)
    assert requests(link, Reindex) == [Reindex("here")]
    assert canned[0].settings["model"] == "here"
    assert not page.use.isEnabled()
    assert not page.remove.isEnabled()


def test_a_model_is_removed(page: ModelsPage, link: CannedLink, qtbot: QtBot) -> None:
    link.answers[RemoveModel] = lambda _request: 2_000_000
    page.list.choose_model("here")
    menu = entries(page.list.viewport())
    assert [name for name, each in menu.items() if each.isEnabled()] == ["Use…", "Remove"]
    menu["Remove"].trigger()
    qtbot.waitUntil(lambda: page.task.note.text() == "2.0 MB are free again.")
    assert requests(link, RemoveModel) == [RemoveModel("here")]
