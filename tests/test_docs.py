"""The documentation names everything there is, and its command lines are real ones."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest

from app.cli import COMMANDS, build_parser
from app.settings import SETTINGS
from indexer.api.errors import CODES
from indexer.api.labels import STATES
from indexer.api.types import FileState
from indexer.query.filters import GRAMMAR

ROOT = Path(__file__).resolve().parents[1]
TRUST = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
PAGES = [*sorted((ROOT / "resources" / "help").glob("*.md")), ROOT / "README.md"]
DOCUMENTATION = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
COMMAND_LINE = re.compile(r"^\s*(lectern .*?)\s*(?:#.*)?$", re.MULTILINE)
FENCE = re.compile(r"^```.*?$(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", [command.name for command in COMMANDS if not command.hidden])
def test_every_command_is_documented(name: str) -> None:
    assert f"lectern {name}" in DOCUMENTATION


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_documented(name: str) -> None:
    assert f"`{name}`" in DOCUMENTATION


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_is_documented(code: str) -> None:
    assert f"### {code}\n" in DOCUMENTATION


@pytest.mark.parametrize("state", FileState)
def test_every_state_is_documented(state: FileState) -> None:
    assert f"`{state}` | {STATES[state].meaning}" in DOCUMENTATION


@pytest.mark.parametrize("example", [operator.example for operator in GRAMMAR])
def test_every_operator_is_documented(example: str) -> None:
    assert f"`{example}`" in DOCUMENTATION


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
def test_every_error_is_a_sentence_with_a_next_step(code: object) -> None:
    assert getattr(code, "message", "").endswith(".")
    assert getattr(code, "next_step", "")[-1:] in ("", ".", "}")


def command_lines() -> list[str]:
    fenced = "\n".join(match[1] for match in FENCE.finditer(DOCUMENTATION))
    named = [line for command in COMMANDS for line, _meaning in command.examples]
    return list(dict.fromkeys([*COMMAND_LINE.findall(fenced), *named]))


@pytest.mark.parametrize("line", command_lines())
def test_every_command_line_that_is_shown_can_be_run(line: str) -> None:
    options = build_parser().parse_args(shlex.split(line)[1:])
    assert isinstance(options, argparse.Namespace)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_help_has_examples(command: object, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(getattr(command, "name", ""))
    with pytest.raises(SystemExit) as caught:
        build_parser().parse_args([name, "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text
    assert f"lectern {name}" in text.split("examples:")[1]


def test_next_steps_name_commands_that_exist() -> None:
    names = {command.name for command in COMMANDS}
    for code in CODES.values():
        for named in re.findall(r"`lectern ([a-z-]+)", code.next_step):
            assert named in names, code.code


def test_what_is_promised_names_tests_that_exist() -> None:
    """A promise whose test was renamed or taken out must be proven anew."""
    promises = 0
    in_table = False
    for line in TRUST.splitlines():
        file = ""
        named = re.findall(r"(tests/[\w/]+\.py)|::(test_\w+)", line)
        for path, test in named:
            file = path or file
            assert file, f"of which file is {test}?"
            written = (ROOT / file).read_text(encoding="utf-8")
            assert not test or f"def {test}(" in written, f"{file}::{test}"
        in_table = line.startswith("|") and (in_table or line.startswith("| promise"))
        if in_table and not line.startswith(("| promise", "|---")):
            promises += 1
            assert named, f"nothing proves this: {line}"
    assert promises > 50


def test_every_package_that_ships_was_read_for_what_it_could_contact() -> None:
    told: dict[str, str] = {}
    for row in re.findall(r"^\| ([^|]+) \| ([^|]+) \|", TRUST, re.MULTILINE):
        names, versions = (each.split(", ") for each in row)
        versions *= len(names) // len(versions)
        told |= dict(zip(map(_plain, names), versions, strict=False))
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = re.findall(r"^([\w.-]+)==(\S+) (?!; python_full_version >=)", lock, re.MULTILINE)
    assert sorted({_plain(name) for name, _ in locked} - told.keys()) == []
    for name, version in locked:
        assert told[_plain(name)] in {version, "as locked"}, name


def _plain(name: str) -> str:
    """A package's name as indexes compare it, without what stands in brackets."""
    return re.sub(r"[-_.]+", "-", re.sub(r" ?\(.*", "", name).strip("` ")).lower()
