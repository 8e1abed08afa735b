"""The times that commands print are the whole time since their start."""

from __future__ import annotations

import io
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from app.cli import COMMANDS, parse
from app.cli_common import CommandContext
from app.settings import Settings
from tests.fake_engine import FakeEngine

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.progress import CancelToken

NOTHING = "The library has no files yet: `lectern index PATH` adds a folder."
WAITED_S = 500.0


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandContext:
    """The context of a command that began a while ago, in a temporary folder."""
    (tmp_path / "run").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "ice.txt").write_text("The ship sank in November.")
    (folder / "sea.txt").write_text("The sea froze in November.")
    return CommandContext(
        Settings(tmp_path / "settings.json"),
        tmp_path / "library",
        offline=True,
        open_engine=FakeEngine.open,
        out=io.StringIO(),
        err=io.StringIO(),
        began=time.monotonic() - WAITED_S,
    )


def run(context: CommandContext, *words: str) -> str:
    context.out = io.StringIO()
    options = parse([str(word) for word in words])
    next(each for each in COMMANDS if each.name == options.command).run(options, context)
    return context.out.getvalue()


def seconds(text: str) -> float:
    told: dict[str, Any] = json.loads(text)
    return float(told["seconds"])


def test_where_there_is_nothing_to_index_it_says_so(
    context: CommandContext, tmp_path: Path
) -> None:
    assert isinstance(context.err, io.StringIO)
    run(context, "index")
    assert NOTHING in context.err.getvalue()
    context.err = io.StringIO()
    run(context, "index", str(tmp_path / "documents"))
    run(context, "index")
    assert NOTHING not in context.err.getvalue()


def test_every_command_prints_the_whole_time(context: CommandContext, tmp_path: Path) -> None:
    documents = str(tmp_path / "documents")
    assert run(context, "index", documents).startswith("Done after 8 min ")
    assert "hits in 50" in run(context, "search", "november")
    assert "looked through in 8 min " in run(context, "verify")
    for words in (
        ["index", "--json"],
        ["reindex", "--json"],
        ["search", "--json", "november"],
        ["verify", "--json"],
    ):
        assert seconds(run(context, *words)) >= WAITED_S


def test_what_was_done_is_said_before_the_library_is_calibrated(
    context: CommandContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    def calibrate(_engine: FakeEngine, token: CancelToken) -> None:
        assert isinstance(context.out, io.StringIO)
        said.append(context.out.getvalue())
        token.cancel()
        token.check()

    monkeypatch.setattr(FakeEngine, "calibrate", calibrate)
    assert run(context, "index", str(tmp_path / "documents")) == said[0]
    assert said[0].startswith("Done after")
