"""The two frozen programs: each starts its children, and hands the other's commands over."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO, cast

import pytest
from PySide6.QtWidgets import QMessageBox

from app import cli
from app.__main__ import main
from indexer.api.codec import Hello, check_hello, read_frame
from indexer.config import Limits
from indexer.confine.process import CHILD_ARGUMENT, child_command, frozen_program
from indexer.extract.process.process import command
from tests.windows.test_system import is_wine


class Answer:
    """A question that is answered by yes."""

    def exec(self) -> QMessageBox.StandardButton:
        return QMessageBox.StandardButton.Yes


def test_the_frozen_command_line_starts_a_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    program, *arguments = command(Limits(), str(tmp_path))
    assert program == frozen_program()
    assert arguments[0] == CHILD_ARGUMENT
    started = [sys.executable, "-m", "app", *arguments]
    with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        frame = read_frame(cast("BinaryIO", child.stdout))
        assert frame is not None
        assert check_hello(frame[0], Hello).role == "extract"
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait() == 0


def test_the_frozen_window_asks_about_a_viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    program, *arguments = child_command("ui.confirm_viewer", window=True)
    assert program == frozen_program(window=True)
    monkeypatch.setattr(sys, "argv", [program, *arguments, "en", "viewer {path}"])
    monkeypatch.setattr("ui.confirm_viewer.question", lambda _command: Answer())
    monkeypatch.setattr("ui.confirm_viewer.make_application", lambda: None)
    monkeypatch.setattr("ui.confirm_viewer.use_language", lambda _app, _language: None)
    assert main() == 0


@pytest.mark.parametrize(
    ("own", "arguments", "other"),
    [
        ("lectern", ["gui", "rent"], "lectern-window"),
        ("lectern", ["--library", "/l"], "lectern-window"),
        ("lectern-window", ["search", "rent"], "lectern"),
        ("lectern-window", [], ""),
        ("lectern", ["status"], ""),
    ],
)
def test_each_frozen_program_hands_over_what_the_other_is_for(
    monkeypatch: pytest.MonkeyPatch, own: str, arguments: list[str], other: str
) -> None:
    started: list[list[str]] = []

    def take_over(_program: str, command: list[str]) -> None:
        started.append(command)
        raise SystemExit(0)

    def begin(command: str, *, offline: bool) -> None:
        raise SystemExit(0)

    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", f"/opt/lectern/{own}")
    monkeypatch.setattr(sys, "argv", [own, *arguments])
    monkeypatch.setattr("os.execv", take_over)
    monkeypatch.setattr(cli, "begin", begin)
    with pytest.raises(SystemExit):
        cli.main(confined=True)
    assert started == ([[f"/opt/lectern/{other}", *arguments]] if other else [])


@pytest.mark.skipif(is_wine(), reason="Wine cuts a long command line")
def test_a_query_that_the_other_program_cannot_be_given_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = sys.executable
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / Path(frozen_program()).name))
    shutil.copy(python, frozen_program(window=True))
    monkeypatch.setattr(sys, "argv", ["lectern", "gui", "who pays?" * 30_000])
    assert cli.main() == 2
    assert "no command line holds so much text. [bad_query]" in capsys.readouterr().err


@pytest.mark.parametrize("before", [[], ["--offline"], ["--library", "search"], ["--library=a"]])
def test_a_command_is_known_behind_the_options_of_every_command(before: list[str]) -> None:
    options = cli.parse([*before, "files", "--root", "search"])
    assert (options.command, options.root) == ("files", "search")
    assert options.offline is ("--offline" in before)
