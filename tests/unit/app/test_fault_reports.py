"""A report of a fault has its place in the program, and nothing of documents or the person."""

from __future__ import annotations

import logging
import stat
from typing import TYPE_CHECKING

import pytest

from app import cli, logs, paths

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "the tenant owes 4,000"
PLACE = "/home/jane/Leases/north.pdf"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "log"
    monkeypatch.setattr(paths, "log_folder", lambda: folder)
    level = logging.getLogger().level
    logs.stop()  # another test's
    logs.start()
    yield folder
    logs.stop()
    logging.getLogger().setLevel(level)


def fail(message: str) -> None:
    try:
        raise KeyError(PLACE)
    except KeyError as error:
        raise ValueError(message) from error


def note_fault(message: str = SECRET) -> None:
    try:
        fail(message)
    except ValueError:
        logging.getLogger("lectern.test").exception("a job failed: %s", PLACE)


def test_a_report_has_the_traceback_and_no_secrets(folder: Path) -> None:
    note_fault()
    (file,) = logs.fault_reports()
    text = file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert f"{__name__}:" in text
    assert "in fail" in text
    assert text.index("ValueError") < text.index("KeyError")
    for secret in (SECRET, PLACE, str(folder), "jane", str(file.parents[1])):
        assert secret not in text


def test_the_same_fault_is_kept_once_and_all_are_bounded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_fault("one")
    note_fault("another")
    assert len(logs.fault_reports()) == 1
    monkeypatch.setattr(logs, "KEPT_REPORTS", 2)
    for number in range(5):
        scope: dict[str, object] = {"__name__": f"module{number}"}
        try:
            exec("1 / 0", scope)  # noqa: S102  # a place of its own
        except ZeroDivisionError:
            logging.getLogger("lectern.test").exception("again")
    assert len(logs.fault_reports()) == 2
    logs.remove()
    assert list(folder.iterdir()) == []


def test_only_exceptions_make_a_report(folder: Path) -> None:
    logging.getLogger("lectern.test").error("without an exception")
    logging.getLogger("lectern.test").warning("a drive is away", exc_info=OSError(PLACE))
    assert folder.is_dir()
    assert logs.fault_reports() == []


def test_the_log_is_added_only_when_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note_fault()
    assert cli.main(["report"]) == 0
    shown = capsys.readouterr().out
    assert "ValueError" in shown
    assert SECRET not in shown
    assert PLACE not in shown
    assert cli.main(["report", "--with-log"]) == 0
    assert PLACE in capsys.readouterr().out
    assert folder.is_dir()


def test_without_faults_the_report_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["report"]) == 0
    assert "No fault was noted." in capsys.readouterr().out
    assert folder.is_dir()
