"""The demo: index the sample documents into a library of its own and answer a question.

Owns the question and what the demo prints; it works through the same commands as a person.
The hidden ``lectern demo`` runs it.
"""

from __future__ import annotations

from pathlib import Path

from app.cli_common import Context, absolute_path
from app.cli_index import index, summary_lines
from app.hit_lines import hit_lines
from app.signals import CANCELLED
from indexer.api.requests import Search

FOLDER = ".demo"
# Shares hardly a word with the clause that answers it.
QUESTION = "What if the shed cannot be used because water has come in?"
SHOWN = 3


def documents() -> Path:
    """Return the folder of the sample documents, which come with the program."""
    import resources

    return Path(next(iter(resources.__path__))) / "sample" / "documents"


def run(context: Context, folder: str = FOLDER) -> int:
    """Index the samples into ``folder`` and answer the question; return the exit status."""
    home = absolute_path(folder)
    context.library = home / "library"
    context.note("Reading the sample documents. The first time, the language model is compiled.")
    summary = index(context, [documents()])
    context.print(*summary_lines(summary))
    if summary.cancelled:
        return CANCELLED
    result = context.with_engine(lambda engine: engine.call(Search(QUESTION, SHOWN)))
    style = context.style()
    context.print("", style.bold(f"lectern search {QUESTION}"), "")
    for number, hit in enumerate(result.hits, 1):
        context.print(*hit_lines(number, hit, style), "")
    if not result.hits:
        return 1
    context.print("Ask it something yourself:")
    context.print(f"  lectern --library {_short(context.library)} search how did they reach land")
    return 0


def _short(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
