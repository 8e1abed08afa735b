"""Fixtures of the preview: a client with a real child, a panel over an engine of canned answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from indexer.api.requests import Unlock
from tests.ui.library.port import Canned, canned_context
from tests.ui.preview.made import hit_of, passages_of, tale
from ui import passwords
from ui.preview.client import RenderClient, Urgency
from ui.preview.panel import Preview

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.errors import LecternError
    from indexer.api.pages import PageRequest
    from indexer.api.types import Hit


@pytest.fixture
def client(qtbot: QtBot) -> Iterator[RenderClient]:
    client = RenderClient()
    yield client
    client.close()


@pytest.fixture(scope="session")
def tale_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tale(tmp_path_factory.mktemp("tale") / "tale.pdf")


@pytest.fixture
def canned(tmp_path: Path) -> Canned:
    folder = tmp_path / "person"
    folder.mkdir()
    return canned_context(folder)


@pytest.fixture
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[passwords.Passwords]:
    """Passwords of this test's own, without a keyring."""
    kept = passwords.Passwords(find=lambda: None)
    monkeypatch.setattr(passwords, "_shared", [kept])
    yield kept
    kept.deleteLater()


@pytest.fixture
def preview(
    qtbot: QtBot,
    canned: Canned,
    no_keyring: passwords.Passwords,
) -> Iterator[Preview]:
    context, link, _said = canned
    link.answers[Unlock] = lambda _request: 1
    panel = Preview(context)
    panel.resize(700, 900)
    panel.show()
    yield panel
    panel.close()
    panel.deleteLater()


@pytest.fixture
def hits(tale_path: Path) -> list[Hit]:
    """A hit for each page of the tale, its second sentence the best."""
    return [hit_of(tale_path, passage, (1,)) for passage in passages_of(tale_path)]


class Answers:
    """Sends requests and records their outcomes."""

    def __init__(self, client: RenderClient) -> None:
        self.client = client
        self.done: list[Any] = []
        self.failed: list[str] = []
        self.order: list[int] = []  # of the requests that were answered

    def ask(self, request: PageRequest[Any], urgency: Urgency = Urgency.VISIBLE) -> int:
        numbers: list[int] = []

        def done(answer: object, _data: bytes) -> None:
            self.done.append(answer)
            self.order.extend(numbers)

        numbers.append(self.client.ask_child(request, done, self._fail, urgency))
        return numbers[0]

    def _fail(self, error: LecternError) -> None:
        self.failed.append(error.code)


@pytest.fixture
def answers(client: RenderClient) -> Answers:
    return Answers(client)
