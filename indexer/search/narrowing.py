"""Resolves a query's filters to documents, and to conditions on passages.

A filter on files is resolved before retrieval, so a filtered search is exact; conditions on a
passage (excluded words and phrases, page numbers) are checked on every hit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.types import ANNOTATION_SIGN
from indexer.catalog.records import DocFilter
from indexer.query.filters import ANNOTATION, DateRange, Filters, NumberRange
from indexer.query.grammar import Query, parse
from indexer.store.values import ORDINAL_BITS, DocSet, Term, docs_of, keys_of
from indexer.store.word_queries import WordSequence
from indexer.text.terms import sequence, words

if TYPE_CHECKING:
    from indexer.arrays import Int32s, Int64s, Mask
    from indexer.catalog.catalog import Catalog
    from indexer.store.store import Store
    from indexer.store.values import StoredPassage

_MAX_COMMENTS = 5_000
_MAX_ON_PAGES = 100_000  # passages that are read to find labelled pages


class SearchRequest(Struct, frozen=True):
    """A query, its resolved filters, the library's number of passages, and the limit of hits.

    With ``apart`` the question of a query is encoded without its context. With ``by_words`` the
    query is not encoded.
    """

    query: Query
    narrowing: Narrowing
    passages: int
    limit: int
    apart: bool = False
    by_words: bool = False


class Narrowing(Struct, frozen=True):
    """The resolved filters of a query; ``annotated`` says whether passages must be comments."""

    docs: DocSet | None
    pages: NumberRange
    words: frozenset[str]
    phrases: tuple[WordSequence, ...]
    annotated: bool | None = None
    # The passages that match, ascending, if they are few: comments, or passages of some pages.
    keys: Int64s | None = None
    # By mailbox, a mask of the mails that were sent outside the dates of the filter.
    unsent: Mapping[int, Mask] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether no document is left."""
        return self.docs is not None and self.docs.allowed and not len(self.docs.docs)

    @property
    def checks_text(self) -> bool:
        """Whether hits must be checked one by one."""
        checked = self.words or self.phrases or self.unsent or self.annotated is not None
        return bool(checked) or self.pages != NumberRange()

    def keeps(self, passage: StoredPassage, doc: int = 0) -> bool:
        """Whether a passage of a document matches, by its view and its pages."""
        unsent, mail = self.unsent.get(doc, ()), passage.page_first
        if mail <= len(unsent) and unsent[mail - 1]:
            return False
        first, last = self.pages.first, self.pages.last
        if first is not None and passage.page_last < first:
            return False
        if last is not None and passage.page_first > last:
            return False
        view = passage.view
        if self.annotated is not None and view.startswith(ANNOTATION_SIGN) != self.annotated:
            return False
        if self.words and not self.words.isdisjoint(words(view)):
            return False
        return not any(phrase.is_in(view) for phrase in self.phrases)


def narrow(query: Query, catalog: Catalog) -> Narrowing:
    """Resolve a query's filters against the present catalog.

    Raises ``unknown_collection`` if the collection that bounds the search does not exist.
    """
    filters = query.filters
    asked = filters.folders or filters.not_folders or filters.within
    named = catalog.collections() if asked else {}
    collections = _Collections(catalog, {name.casefold(): text for name, text in named.items()})
    kinds, left_out = ANNOTATION in filters.kinds, ANNOTATION in filters.not_kinds
    return Narrowing(
        annotated=kinds if kinds or left_out else None,
        docs=collections.bounded(filters),
        pages=filters.pages,
        unsent=_unsent(filters.dates, catalog),
        words=frozenset(word for text in query.excluded_words for word in words(text)),
        phrases=tuple(
            WordSequence(found) for found in map(sequence, query.excluded_phrases) if found
        ),
    )


def _unsent(days: DateRange, catalog: Catalog) -> Mapping[int, Mask]:
    if days == DateRange():
        return {}
    return catalog.docs.unsent(
        (days.first or dt.date.min).isoformat(), (days.last or dt.date.max).isoformat()
    )


def with_few(narrowing: Narrowing, catalog: Catalog, store: Store) -> Narrowing:
    """Find the matching passages if they are few: comments, or passages of labelled pages.

    All of them become candidates, as retrieval might find only other passages.
    """
    if narrowing.pages.labels:
        keys = _on_labelled(narrowing, catalog, store)
        return replace(narrowing, docs=DocSet.from_docs(docs_of(keys).tolist()), keys=keys)
    if not narrowing.annotated:
        return narrowing
    sign = Term(ANNOTATION_SIGN)
    keys = np.sort(store.match((sign,), _MAX_COMMENTS, narrowing.docs).keys)
    return replace(narrowing, docs=DocSet.from_docs(docs_of(keys).tolist()), keys=keys)


def _on_labelled(narrowing: Narrowing, catalog: Catalog, store: Store) -> Int64s:
    """The passages of pages with one of the labels of a filter, ascending."""
    pages = catalog.docs.labelled(narrowing.pages.labels)
    docs = np.array(sorted(pages), np.int32)
    kept = docs if narrowing.docs is None else docs[narrowing.docs.keeps(docs)]
    counts = catalog.docs.docs_by_id(kept.tolist())
    of_docs = [keys_of(doc, row.passages) for doc, row in counts.items()]
    every = np.concatenate([np.zeros(0, np.int64), *of_docs])[:_MAX_ON_PAGES]
    found = store.texts.passages(every)
    return np.array(
        sorted(
            key
            for key, row in found.items()
            if not pages[key >> ORDINAL_BITS].isdisjoint(range(row.page_first, row.page_last + 1))
        ),
        np.int64,
    )


class _Collections(Struct):
    """The collections that ``in:`` finds, as queries by folded name.

    A collection may contain others. Each is resolved once, and is empty inside itself, so the cost
    of circles and long chains is only their number.
    """

    catalog: Catalog
    queries: Mapping[str, str]
    _resolved: dict[str, Int32s] = field(default_factory=dict)

    def bounded(self, filters: Filters) -> DocSet | None:
        """The documents that match, only members of the collection ``within`` if it is given."""
        found = self.documents(filters)
        if not filters.within:
            return found
        if filters.within.casefold() not in self.queries:
            raise WorldError("unknown_collection", name=filters.within)
        members = self._members(filters.within)
        return DocSet(members if found is None else members[found.keeps(members)])

    def documents(self, filters: Filters) -> DocSet | None:
        """The documents that match, None for all."""
        inside = [name for name in filters.folders if name.casefold() in self.queries]
        outside = [name for name in filters.not_folders if name.casefold() in self.queries]
        plain = tuple(name for name in filters.folders if name not in inside)
        rest = replace(
            filters,
            folders=() if inside else plain,
            not_folders=tuple(name for name in filters.not_folders if name not in outside),
        )
        allowed = self.catalog.filters.resolve(_catalog_filter(rest))
        if inside:
            in_folders = self.catalog.filters.resolve(DocFilter(folders=plain))
            parts = [self._members(name) for name in inside]
            parts += [in_folders] if in_folders is not None else []
            either = np.unique(np.concatenate(parts))
            allowed = either if allowed is None else np.intersect1d(allowed, either)
        excluded = _excluded(filters, self.catalog)
        if outside:
            left_out = [self._members(name) for name in outside]
            excluded = np.unique(np.concatenate([excluded, *left_out]))
        if allowed is not None:
            left = np.setdiff1d(allowed, excluded) if len(excluded) else allowed
            return DocSet(left)
        return DocSet(excluded, allowed=False) if len(excluded) else None

    def _members(self, name: str) -> Int32s:
        """The documents of a collection, ascending."""
        key = name.casefold()
        if key not in self._resolved:
            self._resolved[key] = np.zeros(0, np.int32)
            docs = self.documents(parse(self.queries[key]).filters)
            known = self.catalog.docs.known()
            self._resolved[key] = known if docs is None else known[docs.keeps(known)]
        return self._resolved[key]


def _catalog_filter(filters: Filters) -> DocFilter:
    sizes = filters.sizes
    return DocFilter(
        folders=filters.folders,
        not_folders=filters.not_folders,
        extensions=filters.extensions,
        not_extensions=filters.not_extensions,
        dated_ns=(_midnight(filters.dates.first, 0), _midnight(filters.dates.last, 1)),
        size=(sizes.first, None if sizes.last is None else sizes.last + 1),
        titles=filters.titles,
        authors=filters.authors,
        languages=filters.languages,
    )


def _excluded(filters: Filters, catalog: Catalog) -> Int32s:
    """The documents that match one of the excluding conditions on metadata."""
    nothing = DocFilter()
    conditions = (
        replace(nothing, titles=filters.not_titles),
        replace(nothing, authors=filters.not_authors),
        replace(nothing, languages=filters.not_languages),
    )
    found = [catalog.filters.resolve(one) for one in conditions if one != nothing]
    parts = [docs for docs in found if docs is not None]
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int32)


def _midnight(day: dt.date | None, days_later: int) -> int | None:
    """The start of a day in local time, in nanoseconds since 1970."""
    if day is None:
        return None
    try:
        start = dt.datetime.combine(day + dt.timedelta(days=days_later), dt.time()).astimezone()
        return int(start.timestamp()) * 1_000_000_000
    except (OverflowError, OSError, ValueError):  # a year beyond the system's range
        return None
