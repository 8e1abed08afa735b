"""Explains a passage's similarity to a query: how much each word contributes to the cosine.

Owns the explanation of one hit, made on request: the model reads the passage again as it did for
the index, and what each token adds to the similarity is computed exactly
(``indexer.search.alignment``). Attention weights are not used, since they do not explain
similarity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.pipeline.reuse import section_reader
from indexer.query.focus import question
from indexer.query.grammar import parse
from indexer.search.evidence import naming_words
from indexer.search.explain_match import TokenisedText, describe_match
from indexer.search.query_terms import languages_of, prepare

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import Explanation
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow, Space
    from indexer.embed.base import EmbedInput
    from indexer.embed.embedder import OnnxEmbedder
    from indexer.embed.models_in_use import ModelsInUse
    from indexer.search.lexicon import Lexicon
    from indexer.store.store import Store
    from indexer.store.values import StoredPassage


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains hits of one library. Any number of threads may ask."""

    catalog: Catalog
    store: Store
    models: ModelsInUse
    lexicon: Lexicon

    def explain(self, text: str, path: Path, start: int) -> Explanation | None:
        """See ``indexer.api.requests.Explain``.

        Raises:
            WorldError: ``not_a_root``, if the library has no such file; ``not_indexed``, if
                no passage of the file begins there.
        """
        space, doc = self._known(path)
        found = self._read(space, doc, start)
        if found is None:
            raise WorldError("not_indexed", path=str(path))
        passage, read, place = found
        query = parse(text)
        readers = self._readers(space)
        if readers is None or not query.terms:
            return None
        names = naming_words(np.array([doc.doc], np.int32), self.catalog)
        asking = question(query.text, names)
        with self.lexicon.reading() as reading:
            languages = languages_of(self.catalog)
            terms = prepare(query, self.lexicon, reading, languages, passages=1).within(asking)
        return describe_match(
            TokenisedText.from_tokens(asking, readers[0].query_states(asking)),
            TokenisedText.from_tokens(passage.view, readers[1].passage_states(read, place)),
            passage.text,
            doc.language,
            terms,
            query.phrases,
        )

    def _known(self, path: Path) -> tuple[Space, DocRow]:
        known, space = self.catalog.coverage.document(path), self.catalog.spaces.active()
        if known is None:
            raise WorldError("not_a_root", path=str(path))
        if known[2] is None or space is None:
            raise WorldError("not_indexed", path=str(path))
        return space, known[2]

    def _readers(self, space: Space) -> tuple[OnnxEmbedder, OnnxEmbedder] | None:
        """The embedders of queries and of passages, in most models the same.

        None if the model is not available, and only words are searched.
        """
        try:
            return self.models.query(space.record), self.models.passages(space.record)
        except WorldError:
            return None

    def _read(
        self, space: Space, doc: DocRow, start: int
    ) -> tuple[StoredPassage, list[EmbedInput], int] | None:
        """The passage that begins at an offset, the run it is embedded in, and its index there."""
        reading = section_reader(doc, space)
        for run in reading.runs(self.store.iter_passages([doc.doc])):
            for place, passage in enumerate(run.passages):
                if passage.char_start == start:
                    before = () if run.before is None else (run.before,)
                    read = [reading.input(one) for one in (*before, *run.passages)]
                    return passage, read, place + len(before)
        return None
