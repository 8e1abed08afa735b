"""No page that people can read is called illegible, of contracts, texts and the hard files."""

from __future__ import annotations

import pytest

from tests.benchmarks.legible import SETS, files_of, judge
from tests.corpora import needs_corpus

pytestmark = [needs_corpus, pytest.mark.corpus]
# Of the sets of long PDFs a part; `python -m tests.benchmarks.legible` judges all of them.
MOST = {"cuad": 30, "financebench": 2}


@pytest.mark.parametrize("name", SETS)
def test_pages_are_called_what_they_are(name: str) -> None:
    judged = judge(files_of(name)[: MOST.get(name)])
    assert judged.pages
    assert (judged.wrong, judged.missed) == ([], [])
