"""Descriptions without a content word of the passage they describe."""

from __future__ import annotations

from indexer.text.terms import stems, stop_words, words
from tests.benchmarks import sets
from tests.benchmarks.described import SET, Description, descriptions
from tests.corpora import needs_corpus


def content(text: str) -> set[str]:
    found = [word for word in words(text) if word not in stop_words("en")]
    return {stem for word in found for stem in stems(word, "en").split()}


def test_there_are_sixty_of_as_many_passages() -> None:
    found = descriptions()
    assert len({(one.file, one.start) for one in found}) == len({one.text for one in found}) == 60


@needs_corpus
def test_no_description_has_a_word_of_its_passage() -> None:
    def passage(one: Description) -> str:
        text = (sets.find(SET).corpus / one.file).read_text(encoding="utf-8")
        return text[one.start : one.end]

    shared = {one.text: content(one.text) & content(passage(one)) for one in descriptions()}
    assert not {text: found for text, found in shared.items() if found}
    assert all(len(content(passage(one))) > 4 for one in descriptions())
