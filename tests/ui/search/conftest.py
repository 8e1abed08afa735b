"""The search page over the fake engine, with a few documents in its library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.requests import Index
from tests.ui.search.pages import shown
from ui.search.page import SearchPage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.fake_engine import FakeEngine
    from ui.ports import Context


@pytest.fixture
def page(
    context: Context, engine: FakeEngine, library_files: Path, qtbot: QtBot
) -> Iterator[SearchPage]:
    engine.call(Index((library_files,)))
    yield from shown(qtbot, SearchPage(context))
