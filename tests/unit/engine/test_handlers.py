"""Every request has a handler, and it answers what the request declares."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from indexer.api import answers, models, status, types
from indexer.api.contract import Request
from indexer.api.requests import Shutdown
from indexer.engine.engine import Engine

NAMES = {**vars(types), **vars(answers), **vars(models), **vars(status)}


def test_the_engine_answers_everything_but_its_end() -> None:
    assert set(Request.kinds.values()) - set(Engine.handlers) == {Shutdown}


@pytest.mark.parametrize("kind", Engine.handlers, ids=lambda kind: kind.wire_name)
def test_a_handler_takes_its_request_and_answers_as_declared(kind: type[Request[Any]]) -> None:
    given = inspect.get_annotations(Engine.handlers[kind])
    request = next(name for name in given if name.strip("_") == "request")
    assert given[request] == kind.__name__
    assert eval(given["return"], NAMES) == kind.answer  # noqa: S307  # our own annotation
