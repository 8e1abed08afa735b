"""What a PDF and a question cross: as few modules as the map says, by the paths that it names."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from indexer.api.requests import Index, Search
from indexer.confine.process import start_child
from indexer.server.service import Host, Service
from tests.integration.corpus import pdf
from tests.integration.crossing import FOLLOWED, IN_CHILDREN, ROOT, Trace
from tests.integration.speaking import attached
from tests.integration.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence
    from subprocess import Popen

OTHER = "The tide tables of the harbour were printed twice a year. They were sold out by June."
MAP = Path(ROOT, "ARCHITECTURE.md")
# The aims are 70, 75 and 9. Lower these with each module that goes; by the pace of the machine one
# or two modules more are crossed.
MOST_OF_A_PDF, MOST_OF_A_QUESTION, MOST_FORMS = 70, 68, 9
# A small library is not calibrated, and the page is shown by the window.
NOT_HERE = {"indexer/search/answerability.py", "indexer/render/pdf.py"}


@pytest.fixture(scope="module")
def walks(tiny_models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trace]:
    """The traces of a PDF and of a question, by a client of an engine that has seen others."""
    folder = tmp_path_factory.mktemp("walks")
    world = World(folder / "documents", folder / "library", tiny_models_dir)
    world.documents.mkdir()
    pdf(world.documents / "other.pdf", [OTHER])
    loaded, written = folder / "loaded", folder / "written"
    loaded.mkdir()
    (loaded / "sitecustomize.py").write_text(IN_CHILDREN)
    trace = Trace()

    def start_traced(command: Sequence[str], _errors: IO[bytes]) -> Popen[bytes]:
        with written.open("ab") as errors:
            return start_child(command, errors)

    def taken() -> Trace:
        trace.add_written(written.read_text())
        written.write_text("")
        return trace.take()

    with pytest.MonkeyPatch.context() as patched, contextlib.ExitStack() as opened:
        patched.setenv("PYTHONPATH", str(loaded))
        patched.setattr("indexer.extract.process.process.start_child", start_traced)
        opened.enter_context(trace)
        engine = opened.enter_context(world.engine())
        service = Service(engine, world.library, offline=True)
        opened.enter_context(contextlib.closing(Host(engine, service)))
        client = opened.enter_context(contextlib.closing(attached(world.library)))
        client.call(Index((world.documents,)))
        client.call(Search("tide tables", 5))
        taken()
        client.call(Index((world.documents,)))
        nothing_new = taken()
        pdf(
            world.documents / "kept.pdf", [f"In winter {FOLLOWED}. He is never wrong."], "The Rules"
        )
        client.call(Index((world.documents,)))
        one_pdf = taken()
        assert client.call(Search("who counts the boats", 5)).hits
        return {"A PDF": one_pdf, "Nothing": nothing_new, "A question": taken()}


def test_a_pdf_crosses_few_modules(walks: dict[str, Trace]) -> None:
    # Those that do more than in a run that finds nothing new.
    crossed = walks["A PDF"].modules - walks["Nothing"].modules
    assert len(crossed) <= MOST_OF_A_PDF, sorted(crossed)


def test_a_question_crosses_few_modules(walks: dict[str, Trace]) -> None:
    crossed = walks["A question"].modules
    assert len(crossed) <= MOST_OF_A_QUESTION, sorted(crossed)


def test_the_text_of_a_passage_takes_few_forms(walks: dict[str, Trace]) -> None:
    forms = walks["A PDF"].forms
    assert "indexer.api.types.Passage" in forms
    assert len(forms) <= MOST_FORMS, sorted(forms)


@pytest.mark.parametrize("name", ["A PDF", "A question"])
def test_it_goes_the_way_that_the_map_names(walks: dict[str, Trace], name: str) -> None:
    named = set(re.findall(r"`(indexer/[\w/]+\.py)`", section(name))) - NOT_HERE
    assert len(named) >= 6
    assert named - set(walks[name].modules) == set()


def section(title: str) -> str:
    """A part of the map."""
    return MAP.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
