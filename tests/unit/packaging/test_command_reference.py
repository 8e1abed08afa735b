"""The tables and the man page have all that is declared; troff reads no text as a request."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.cli import COMMANDS, build_parser
from app.settings import SETTINGS

if TYPE_CHECKING:
    from types import ModuleType

MACROS = re.compile(r"\.(TH|SH|SS|TP|PP|B|I|nf|fi)\b|\.B |\.I ")


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).resolve().parents[3] / "packaging"))
        return importlib.import_module("command_reference")


def test_every_setting_is_in_its_table(reference: ModuleType) -> None:
    lines = reference.tables()["settings"].splitlines()
    for setting in SETTINGS.values():
        assert any(f"`{setting.name}`" in line and setting.help in line for line in lines)


def test_every_command_and_option_is_in_the_man_page(reference: ModuleType) -> None:
    page = reference.manual()
    assert build_parser().prog in page
    for command in COMMANDS:
        assert (f'.SS "lectern {command.name}"' in page) is not command.hidden
        if not command.hidden:
            for name, _meaning in reference.options_of(command.name):
                assert f".B {name}".replace("-", r"\-") in page


def test_text_is_escaped_for_troff(reference: ModuleType) -> None:
    for line in reference.manual().splitlines():
        assert not line.startswith("'")
        assert not line.startswith(".") or MACROS.match(line), line
