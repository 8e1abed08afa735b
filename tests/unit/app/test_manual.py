"""The man page has every command and option, and troff reads none of its text as a request."""

from __future__ import annotations

import re

from app.cli import COMMANDS, build_parser
from app.reference import manual, options_of

MACROS = re.compile(r"\.(TH|SH|SS|TP|PP|B|I|nf|fi)\b|\.B |\.I ")


def test_every_command_and_option_is_there() -> None:
    page = manual()
    assert build_parser().prog in page
    for command in COMMANDS:
        assert (f'.SS "lectern {command.name}"' in page) is not command.hidden
        if not command.hidden:
            for name, _meaning in options_of(command.name):
                assert f".B {name}".replace("-", r"\-") in page


def test_text_is_escaped_for_troff() -> None:
    for line in manual().splitlines():
        assert not line.startswith("'")
        assert not line.startswith(".") or MACROS.match(line), line
