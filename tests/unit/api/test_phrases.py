"""What the engine tells by code is declared, and filled from its details."""

from __future__ import annotations

import ast
import errno
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api import errors
from indexer.api.errors import CODES, WorldError, sentence
from indexer.api.phrases import PHRASES, Note, english, fill, read_detail, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
# Their reasons are for whoever mends the program, or for a command line alone.
TECHNICAL = {"bad_request", "internal", "bad_usage", "no_window", "bad_query", "store_failed"}


def told_codes() -> Iterator[tuple[str, str]]:
    """Yield every code of a phrase that stands in the sources, and where."""
    for package in ("indexer", "app", "ui"):
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call):
                    yield from ((code, f"{file.name}:{node.lineno}") for code in codes_in(node))


def codes_in(call: ast.Call) -> Iterator[str]:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    first = text_of(call.args[0]) if call.args else None
    named = {word.arg: text_of(word.value) for word in call.keywords}
    if name == "WorldError" and first not in TECHNICAL and (reason := named.get("reason")):
        yield reason
    if name == "RawPage" and (reason := named.get("unreadable")):
        yield reason
    if name == "Note" and first:
        yield first


def text_of(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_every_code_that_is_told_is_declared() -> None:
    found = list(told_codes())
    assert len(found) > 40
    assert [each for each in found if each[0] not in PHRASES] == []


def test_no_phrase_is_taken_for_an_error() -> None:
    assert not set(PHRASES) & set(CODES)


def test_a_reason_is_a_phrase_within_its_error() -> None:
    error = WorldError("unreadable", reason="part_missing", part="word/document.xml")
    assert error.message == "The document cannot be read: it has no part word/document.xml."
    assert error.reason == "part_missing"
    reason = WorldError("too_complex", limit="1 GB").reason
    assert english(reason, {}) == "it is too large when unpacked"
    assert sentence(error.note()) == f"{error.message} {error.next_step}"


def test_what_is_no_code_is_told_as_it_is() -> None:
    assert english("a library's own words", {}) == "a library's own words"
    assert sentence(Note("of_the_future")) == "of_the_future"
    assert fill("{x} and {reason}", {"reason": "{y}"}) == "? and {y}"


def test_details_come_back_from_the_catalog() -> None:
    assert read_detail(json.dumps({"reason": "hidden"})) == {"reason": "hidden"}
    assert read_detail("no trailer") == {"reason": "no trailer"}
    assert read_detail("12") == {"reason": "12"}
    assert read_detail("") == {}


@pytest.mark.parametrize(("number", "code"), [(errno.ENOENT, "os_absent"), (errno.EIO, "os_fault")])
def test_the_system_is_understood(number: int, code: str) -> None:
    assert reason_of(OSError(number, os.strerror(number))) == code
    assert reason_of(OSError("odd")) == "odd"


@pytest.mark.parametrize("unread", ["x", [1], [["a"]], [["a", "b", "c"]], None, {"a": "b"}])
def test_parts_in_no_form_that_is_known_are_no_failure(unread: object) -> None:
    assert english("parts_unread", {"unread": unread, "more": None}).startswith("Not read inside")


def test_no_error_code_is_declared_twice() -> None:
    assert len(errors.CODES) == len(errors._DECLARED)
