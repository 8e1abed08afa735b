"""What the help says is so: its tables are the program's, and what its sentences name is there."""

from __future__ import annotations

import html
import importlib
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QKeySequence

from app.cli import COMMANDS, parse
from app.settings import SETTINGS
from indexer.api.errors import CODES
from indexer.api.formats import FORMATS
from indexer.api.labels import STATES
from indexer.embed.model_files import known_records
from indexer.query import grammar
from ui.help import anchor
from ui.keys import KEYS
from ui.pages import HELP

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
PAGES = {page.stem: page for page in sorted((ROOT / "resources" / "help").glob("*.md"))}
MADE = re.compile(r"<!-- made: (\w+) -->.*?<!-- end -->", re.DOTALL)
FENCE = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXTS = ROOT / "resources" / "i18n" / "lectern_de.ts"
# What stands as code and is no name of ours: places, and what other programs are told.
FOREIGN = re.compile(
    r"~/|/|%LOCALAPPDATA%|\.\\lectern$|sudo |pipx |winget |brew |chmod |make |\.lecternignore$"
    r"|(\./)?[Ll]ectern[-_]VERSION|libfuse2(t64)?$|!$|gpu$"
    r"|(HF_ENDPOINT|HF_TOKEN|HTTPS_PROXY)$"
)
SCRIPTS = ("install.sh",)


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        return importlib.import_module("help_pages")


def by_hand(name: str) -> str:
    """What of a page a person wrote."""
    return MADE.sub("", PAGES[name].read_text(encoding="utf-8"))


def spans(name: str) -> list[str]:
    """What stands as code within the sentences of a page."""
    return re.findall(r"`([^`\n]+)`", FENCE.sub("", by_hand(name)))


def headings(name: str) -> list[str]:
    text = FENCE.sub("", PAGES[name].read_text(encoding="utf-8"))
    return [anchor(line.lstrip("# ")) for line in text.splitlines() if line.startswith("#")]


@pytest.mark.parametrize("name", PAGES)
def test_its_tables_are_those_of_the_program(maker: ModuleType, name: str) -> None:
    page = PAGES[name].read_text(encoding="utf-8")
    assert page == maker.renewed(page, maker.tables()), "run `make help-pages`"


def test_every_table_stands_on_one_page(maker: ModuleType) -> None:
    used = [table for page in PAGES.values() for table in MADE.findall(page.read_text("utf-8"))]
    assert sorted(used) == sorted(maker.tables())


@pytest.mark.parametrize("name", PAGES)
def test_every_command_line_can_be_run(name: str) -> None:
    fenced = "".join(FENCE.findall(by_hand(name))).splitlines()
    for line in [*fenced, *spans(name)]:
        if re.match(r"lectern( |$)", line) and "VERSION" not in line:
            parse(shlex.split(line)[1:])  # it would end the test
        elif line in fenced:
            assert FOREIGN.match(line), line


def is_a_name_of_ours(code: str) -> bool:
    name, _, value = code.partition(" ")
    if name in SETTINGS:
        return not value or bool(SETTINGS[name].parse_value(value.split()))
    commands = {command.name for command in COMMANDS}
    models = {record.id for record in known_records()}
    known = {*CODES, *STATES, *commands, *models, *SCRIPTS, *(known.name for known in FORMATS)}
    return name in known or code in known


def is_a_query(code: str) -> bool:
    """Whether it is one with an operator or a phrase in it, all of which mean something."""
    if re.fullmatch(r"\w+:", code):
        code += "2024"
    read = grammar.parse(code)
    return bool(read.filters or read.phrases) and not read.notes


def is_a_value(code: str) -> bool:
    choices = {value for setting in SETTINGS.values() for value in setting.choices}
    return code in choices or code in {str(setting.default) for setting in SETTINGS.values()}


@pytest.mark.parametrize("name", PAGES)
def test_whatever_stands_as_code_is_there(name: str) -> None:
    for code in spans(name):
        known = (
            re.match(r"lectern( |$)|--library$", code) or FOREIGN.match(code)
            or code.split()[0] in SCRIPTS or is_a_name_of_ours(code) or is_a_value(code)
            or is_a_query(code)
        )  # fmt: skip
        assert known, f"{name}: what is `{code}`?"


@pytest.mark.parametrize("name", PAGES)
def test_every_key_is_one(name: str) -> None:
    keys = {each for group in KEYS for key in group.keys for each in key.keys}
    for named in re.findall(r"<kbd>(.+?)</kbd>", PAGES[name].read_text(encoding="utf-8")):
        assert named in keys
        assert QKeySequence(named).toString() == named


@pytest.mark.parametrize("name", PAGES)
def test_what_the_window_is_said_to_show_it_shows(name: str) -> None:
    sources = re.findall(r"<source>(.*?)</source>", TEXTS.read_text("utf-8"), re.DOTALL)
    shown = {html.unescape(source).replace("&", "") for source in sources}
    for named in re.findall(r"\*\*(.+?)\*\*", by_hand(name)):
        assert named in shown, f"nothing in the window is called {named}"


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)]*)\)", by_hand(name)):
        page, _, heading = link.partition("#")
        page = page.removesuffix(".md") or name
        assert page in PAGES, link
        assert not heading or heading in headings(page), link


def test_the_window_opens_pages_that_are_there() -> None:
    for place in [*HELP.values(), "settings", "privacy", "keys", "library#states-of-files"]:
        page, _, heading = place.partition("#")
        assert not heading or heading in headings(page)
    assert set(CODES) <= set(headings("troubleshooting"))
