"""Every request has a method that answers it, with what the request declares."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

from indexer.api import answers, models, status, types
from indexer.api.contract import Request
from indexer.api.requests import Shutdown
from indexer.engine.engine import Engine

NAMES = {**vars(types), **vars(answers), **vars(models), **vars(status), "models": models}
ANSWERED = [kind for kind in Request.kinds.values() if kind is not Shutdown]


def test_the_engine_answers_everything_but_its_end() -> None:
    methods = {name for name in dir(Engine) if name.startswith("answer_")}
    assert methods == {f"answer_{kind.wire_name}" for kind in ANSWERED}


@pytest.mark.parametrize("kind", ANSWERED, ids=lambda kind: kind.wire_name)
def test_a_method_takes_its_request_and_answers_as_declared(kind: type[Request[Any]]) -> None:
    given = inspect.get_annotations(getattr(Engine, f"answer_{kind.wire_name}"))
    request = next(name for name in given if name.strip("_") == "request")
    assert given[request].rpartition(".")[2] == kind.__name__
    answer = eval(given["return"], NAMES)  # noqa: S307  # our own annotation
    assert answer == (None if kind.answer is type(None) else kind.answer)


def test_a_server_understands_every_request_whatever_else_is_loaded() -> None:
    script = "import indexer.server.service as service; print(*service.Request.kinds)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    assert set(done.stdout.split()) == set(Request.kinds)
