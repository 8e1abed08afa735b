"""Answers requests for a document's data and text, documents by filters, and vectors of texts.

The text comes from the library, so it is available while the file's drive is unplugged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from indexer.api.answers import Document, DocumentList, DocumentText, TextPassage
from indexer.api.errors import WorldError
from indexer.embed.batches import EmbedInput
from indexer.query.filters import clean
from indexer.query.grammar import Query, parse
from indexer.search.narrowing import narrow
from indexer.store.values import keys_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.api.requests import EmbedTexts, ListDocuments, ReadPassages
    from indexer.catalog.catalog import Catalog
    from indexer.embed.factory import ModelsInUse
    from indexer.store.store import Store


def parse_within(text: str, collection: str) -> Query:
    """Parse a query and bound it by a collection, whatever its text says."""
    query = parse(text)
    return replace(query, filters=replace(query.filters, within=collection))


def describe_document(catalog: Catalog, path: Path) -> Document:
    """Return a file and its document. Raises ``not_a_root`` if the library has no such file."""
    known = catalog.coverage.document(path)
    if known is None:
        raise WorldError("not_a_root", path=str(path))
    row, form, doc = known
    return Document(
        path=row.path,
        root=row.root,
        file=row.file,
        title=(doc.title if doc else "") or row.file.rpartition("/")[2],
        author=doc.author if doc else "",
        created=doc.created if doc else "",
        language=doc.language if doc else "",
        pages=row.pages or (doc.pages if doc else 0),
        format=form,
        size=row.size,
        mtime_ns=row.mtime_ns,
        state=row.state,
        code=row.code,
        bad_pages=row.bad_pages,
    )


def list_documents(catalog: Catalog, request: ListDocuments) -> DocumentList:
    """List the documents that filters select, each with the first file that has it.

    Raises ``unknown_collection``.
    """
    narrowing = narrow(parse_within(request.filters, request.within), catalog)
    known = catalog.docs.known()
    docs = known if narrowing.docs is None else known[narrowing.docs.keeps(known)]
    if request.paths:
        docs = np.intersect1d(docs, list(_docs_of(catalog, request)))
    chosen = docs[request.offset : request.offset + request.limit].tolist()
    places = catalog.files.by_document(chosen)
    paths = [places[doc][0].path for doc in chosen if doc in places]
    found = tuple(describe_document(catalog, Path(path)) for path in paths)
    return DocumentList(found, len(docs))


def _docs_of(catalog: Catalog, request: ListDocuments) -> Iterator[int]:
    for path in request.paths:
        known = catalog.files.at(path)
        doc = catalog.files.doc_of(known[0]) if known is not None else None
        if doc is not None:
            yield doc


def read_passages(catalog: Catalog, store: Store, request: ReadPassages) -> DocumentText:
    """Read passages of a document. Raises ``not_a_root`` if the library has no such file."""
    document = describe_document(catalog, request.path)
    known = catalog.coverage.document(request.path)
    row = known[2] if known is not None else None
    if row is None:
        return DocumentText(document, 0, (), 0)
    found = store.texts.passages(keys_of(row.doc, row.passages))
    end = request.end or row.characters
    passages: list[TextPassage] = []
    following, length = 0, 0
    for one in sorted(found.values(), key=lambda one: one.char_start):
        if one.char_end <= request.start or one.char_start >= end:
            continue
        if request.page and not one.page_first <= request.page <= one.page_last:
            continue
        length += one.char_end - one.char_start
        if passages and length > request.most:
            following = one.char_start
            break
        passages.append(
            TextPassage(
                start=one.char_start,
                end=one.char_end,
                page=one.page_first,
                page_last=one.page_last,
                heading_path=one.heading_path,
                text=one.text,
            )
        )
    return DocumentText(document, row.characters, tuple(passages), following)


def embed_texts(
    catalog: Catalog, models: ModelsInUse, request: EmbedTexts, make_way: Callable[[], None]
) -> tuple[tuple[float, ...], ...]:
    """Embed texts as questions, or as passages without a title; call ``make_way`` before each."""
    space, config = catalog.spaces.active(), models.config
    new = {"model": config.model, "precision": str(config.precision)}
    record = new if space is None else space.record
    embed: Callable[[str], NDArray[np.float32]]
    if request.passages:
        embedder = models.passages(record)

        def embed(text: str) -> NDArray[np.float32]:
            # They are embedded one by one, since together they would be each other's context.
            return embedder.encode_passages([EmbedInput("", (), text, (0,))])[0].vector
    else:
        embed = models.query(record).encode_query
    vectors = []
    for text in request.texts:
        make_way()
        vectors.append(tuple(embed(clean(text)).tolist()))
    return tuple(vectors)
