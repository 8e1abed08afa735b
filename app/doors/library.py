"""The calls that every door offers: search, read, similar, compare, documents, status.

Each call looks only into the collections that the door may see, and is noted in the log. A query
cannot leave its collection, since the engine intersects it with every filter; a document outside
the collection is treated as one that is not in the library. The operator that compares with a
document (``like``) is refused if the door may not see the whole library.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import Field

from app.doors.access import EVERYTHING, Access, Door
from app.doors.answers import (
    AS_INDEXED,
    CollectionCount,
    CollectionDocuments,
    CollectionHits,
    CompareAnswer,
    DocumentsAnswer,
    OutlinedBox,
    PageAnswer,
    QuotedPassage,
    QuotedText,
    ReadAnswer,
    SearchAnswer,
    StatusAnswer,
    address_of,
    card_of,
    file_state,
    path_of,
    quoted_statement,
    safe_text,
    text_hash,
)
from app.doors.call_log import note_call
from indexer.api import requests
from indexer.api.errors import WorldError, sentence
from indexer.api.formats import page_name, page_unit
from indexer.api.lru_cache import SharedCache
from indexer.api.progress import CancelToken
from indexer.query.links import link_to

if TYPE_CHECKING:
    from app.doors.page_images import PageRenderer
    from app.settings import Settings
    from indexer.api.contract import EngineApi, Request
    from indexer.api.types import Hit

A = TypeVar("A")

MOST_HITS = 50
MOST_DOCUMENTS = 200
MOST_STATEMENTS = 100
MOST_BYTES = 256 << 10  # of text in one answer
MOST_QUERY = 2_000
_MOST_COLLECTIONS = 50
_YEARS_KEPT = 512
_TEXTS = 8  # how many texts one request embeds
_MOST_NUMBER = 2**31

Collections = Annotated[
    tuple[str, ...],
    Field(max_length=50, description="Names of collections; empty: all that may be seen."),
]
DocumentName = Annotated[
    str, Field(max_length=20_000, description="The address or the absolute path of a document.")
]
PageFilter = Annotated[int, Field(ge=0, le=_MOST_NUMBER, description="Only this page; 0: all.")]
Offset = Annotated[int, Field(ge=0, le=2**40, description="A character, counted from 0.")]
HitLimit = Annotated[int, Field(ge=1, le=MOST_HITS, description="The most to return.")]
ShortText = Annotated[str, Field(max_length=500)]


@dataclass(frozen=True, slots=True)
class DoorCaller:
    """Who asks: the name that the program gives itself, and a token that ends the call.

    ``access`` is what a user of a server may see; None stands for all that the door may see.
    """

    name: str
    token: CancelToken = field(default_factory=CancelToken)
    access: Access | None = None


@dataclass(frozen=True, slots=True)
class QueryFilters:
    """Filters of a search beside its text; an empty value filters nothing. Dates are ISO 8601."""

    types: Annotated[
        tuple[str, ...], Field(max_length=20, description="Such as pdf, docx or mail.")
    ] = ()
    folder: Annotated[ShortText, Field(description="Only files below this folder.")] = ""
    title: ShortText = ""
    author: ShortText = ""
    language: Annotated[ShortText, Field(description="Such as de or German.")] = ""
    after: Annotated[ShortText, Field(description="Files changed after this date.")] = ""
    before: Annotated[ShortText, Field(description="Files changed before this date.")] = ""

    def terms(self) -> list[str]:
        """Write the filters in the grammar of queries."""
        named = {
            "in": self.folder, "title": self.title, "author": self.author,
            "lang": self.language, "after": self.after, "before": self.before,
        }  # fmt: skip
        terms = [f"type:{_quoted(kind)}" for kind in self.types]
        return terms + [f"{name}:{_quoted(value)}" for name, value in named.items() if value]


@dataclass(frozen=True, slots=True)
class TextRange:
    """A part of a document: a page, or a range with ``around`` characters on both sides.

    0 stands for all pages, the beginning, or the end.
    """

    page: PageFilter = 0
    start: Offset = 0
    end: Annotated[Offset, Field(description="0: the end.")] = 0
    around: Annotated[
        int, Field(ge=0, le=100_000, description="Characters before and after the range.")
    ] = 0
    max_bytes: Annotated[int, Field(ge=1, le=MOST_BYTES)] = 32 << 10


class DoorLibrary:
    """A library as a door shows it. Thread-safe.

    Every method raises ``door_closed`` if the person has opened nothing to the door,
    ``unknown_collection`` or ``not_a_root`` for what the door may not see, and ``Cancelled``.
    """

    def __init__(
        self,
        engine: EngineApi,
        settings: Settings,
        door: Door,
        renderer: PageRenderer | None = None,
    ) -> None:
        self._engine = engine
        self._renderer = renderer
        self._settings = settings
        self.door = door
        self._years: SharedCache[tuple[str, int], str] = SharedCache(_YEARS_KEPT)

    def search(
        self,
        caller: DoorCaller,
        query: Annotated[str, Field(max_length=MOST_QUERY, description="A question, or words.")],
        filters: QueryFilters | None = None,
        collections: Collections = (),
        limit: HitLimit = 10,
    ) -> SearchAnswer:
        """Find the passages that answer a question, in each collection separately.

        A collection that cannot be searched has an error; the others are searched all the same.
        "match" says whether the best passage is likely an answer. Texts are quotations.
        """
        access = self._access(caller)
        text = " ".join([*(filters or QueryFilters()).terms(), query]).strip()
        _check_query(text, whole=access.everything)
        return self._outcomes(caller, "search", query, text, collections, limit)

    def similar(
        self,
        caller: DoorCaller,
        document: DocumentName,
        page: PageFilter = 0,
        collections: Collections = (),
        limit: HitLimit = 10,
    ) -> SearchAnswer:
        """Find passages that resemble a document, or a page of it. Texts are quotations."""
        path = self.visible(caller, document)
        place = f"{path}#page={page}" if page else str(path)
        if '"' in place:
            raise WorldError("bad_query", reason="the name of the document has a quotation mark")
        return self._outcomes(caller, "similar", document, f'like:"{place}"', collections, limit)

    def read(
        self,
        caller: DoorCaller,
        document: DocumentName,
        wanted: TextRange | None = None,
        hash: Annotated[  # noqa: A002  # its name in answers
            str, Field(max_length=64, description="Of a passage, to verify that it is there.")
        ] = "",
    ) -> ReadAnswer:
        """Read a page, a passage with its surroundings, a range, or a document from its beginning.

        Read on from "next_start" until that is 0. Texts are quotations.
        """
        wanted = wanted or TextRange()
        path = self.visible(caller, document)
        first = max(wanted.start - wanted.around, 0)
        last = wanted.end + wanted.around if wanted.end else 0
        found = self._call(
            caller, requests.ReadPassages(path, first, last, wanted.page, wanted.max_bytes)
        )
        parts = [
            QuotedText(
                one.start, one.end, one.page, one.page_last,
                tuple(map(safe_text, one.heading_path)), safe_text(one.text), text_hash(one.text),
            )
            for one in found.passages
        ]  # fmt: skip
        kept, following = _within_bytes(parts, wanted.max_bytes, found.following)
        card = card_of(found.document)
        verified = None
        if hash:
            same = any(part.hash == hash.lower() for part in parts)
            verified = same and card.file_state == AS_INDEXED
        place = {"page": wanted.page or None, "start": wanted.start or None}
        self._note(caller, "read", document=str(path), **place, parts=len(kept))
        return ReadAnswer(card, found.characters, tuple(kept), following, verified)

    def compare(
        self,
        caller: DoorCaller,
        first: DocumentName,
        second: DocumentName,
        limit: Annotated[int, Field(ge=1, le=MOST_STATEMENTS)] = 30,
    ) -> CompareAnswer:
        """Find what each of two documents says that the other does not. Texts are quotations."""
        paths = [self.visible(caller, document) for document in (first, second)]
        found = self._call(caller, requests.Compare(str(paths[0]), str(paths[1]), limit))
        cards = [card_of(self._call(caller, requests.GetDocument(path))) for path in paths]
        left_out = sum(side.alone - len(side.only) for side in (found.first, found.second))
        left_out += found.changes - len(found.changed)
        self._note(caller, "compare", document=str(paths[0]), other=str(paths[1]))
        return CompareAnswer(
            cards[0],
            cards[1],
            tuple(quoted_statement(one, one.near) for one in found.first.only),
            tuple(quoted_statement(one, one.near) for one in found.second.only),
            tuple(quoted_statement(one.first, one.second) for one in found.changed),
            left_out,
        )

    def documents(
        self,
        caller: DoorCaller,
        filters: QueryFilters | None = None,
        collections: Collections = (),
        offset: Annotated[int, Field(ge=0, le=_MOST_NUMBER)] = 0,
        limit: Annotated[int, Field(ge=1, le=MOST_DOCUMENTS)] = 50,
    ) -> DocumentsAnswer:
        """List documents, with their titles, dates and addresses. Read on from "next_offset"."""
        access = self._access(caller)
        text = " ".join((filters or QueryFilters()).terms())
        _check_query(text, whole=access.everything)

        def listed(scope: str) -> CollectionDocuments:
            request = requests.ListDocuments(text, scope, offset=offset, limit=limit)
            found = self._call(caller, request)
            following = request.offset + len(found.documents)
            more = following if found.documents and following < found.total else 0
            cards = tuple(map(card_of, found.documents))
            return CollectionDocuments(
                scope or EVERYTHING, total=found.total, documents=cards, next_offset=more
            )

        outcomes = self._each(access, collections, listed, CollectionDocuments)
        self._note(caller, "documents", query=text, found=sum(one.total for one in outcomes))
        return DocumentsAnswer(outcomes)

    def status(self, caller: DoorCaller) -> StatusAnswer:
        """Say which collections can be seen, and whether documents still wait to be read."""
        access = self._access(caller)

        def counted(scope: str) -> CollectionCount:
            found = self._call(caller, requests.ListDocuments(within=scope, limit=1))
            return CollectionCount(scope or EVERYTHING, found.total)

        outcomes = self._each(
            access, (), counted,
            lambda name, error, _message: CollectionCount(name, 0, error),
        )  # fmt: skip
        activity = self._call(caller, requests.GetActivity())
        self._note(caller, "status")
        return StatusAnswer(outcomes, activity.embedded_share, activity.pending)

    def page(
        self,
        caller: DoorCaller,
        document: DocumentName,
        page: Annotated[int, Field(ge=1, le=_MOST_NUMBER)] = 1,
        start: Offset = 0,
        end: Offset = 0,
    ) -> PageAnswer:
        """Say how large a page is, and where the passage of a range stands on it."""
        path, renderer = self._shown(caller, document)
        opened = renderer.open_page(path, page)
        self._note(caller, "page", document=str(path), page=page)
        if opened.pages is None:
            return PageAnswer(address_of(str(path)), 0, 0, 0, 0, ())
        shown, (width, height) = opened.pages.page, opened.pages.size
        boxes = []
        if end > start:
            text = self._call(caller, requests.ReadPassages(path, start, end))
            for one in text.passages[:1]:
                places = renderer.places(path, one.page, one.page_last, one.text, one.start)
                boxes = [
                    OutlinedBox(
                        box.page, box.x0 / width, box.y0 / height,
                        (box.x1 - box.x0) / width, (box.y1 - box.y0) / height,
                    )
                    for box in places if box.page == shown
                ]  # fmt: skip
        count = opened.pages.count
        return PageAnswer(address_of(str(path)), count, shown, width, height, tuple(boxes))

    def image(
        self,
        caller: DoorCaller,
        document: DocumentName,
        page: Annotated[int, Field(ge=1, le=_MOST_NUMBER)] = 1,
        width: Annotated[int, Field(ge=100, le=2_400, description="In pixels.")] = 900,
    ) -> bytes:
        """Return a page as a PNG."""
        path, renderer = self._shown(caller, document)
        return renderer.image(path, page, width)

    def embed(
        self, caller: DoorCaller, texts: tuple[str, ...], *, passages: bool
    ) -> tuple[tuple[float, ...], ...]:
        """Return the vectors of texts, by the model of the library."""
        self._access(caller)
        # Several small requests, so that those of a window have their turn between them.
        parts = (texts[at : at + _TEXTS] for at in range(0, len(texts), _TEXTS))
        found = [self._call(caller, requests.EmbedTexts(part, passages)) for part in parts]
        self._note(caller, "embed", texts=len(texts))
        return tuple(itertools.chain.from_iterable(found))

    # -- how --------------------------------------------------------------------------------

    def _outcomes(
        self, caller: DoorCaller, what: str, asked: str, text: str, collections: Sequence[str],
        limit: int,
    ) -> SearchAnswer:  # fmt: skip
        access = self._access(caller)

        def found(scope: str) -> CollectionHits:
            result = self._call(caller, requests.Search(text, limit, within=scope))
            return CollectionHits(
                scope or EVERYTHING,
                match=str(result.match),
                notes=tuple(safe_text(sentence(note)) for note in result.notes),
                passages=tuple(self._passage(caller, hit) for hit in result.hits),
            )

        outcomes = self._each(access, collections, found, CollectionHits)
        hits = sum(len(one.passages) for one in outcomes)
        names = ", ".join(one.collection for one in outcomes)
        self._note(caller, what, query=asked, collections=names, found=hits)
        return SearchAnswer(safe_text(asked), outcomes)

    def _each(
        self,
        access: Access,
        collections: Sequence[str],
        answered: Callable[[str], A],
        failed: Callable[[str, str, str], A],
    ) -> tuple[A, ...]:
        """Answer for each collection; one that cannot be searched gets an outcome with an error."""
        outcomes = []
        for scope in access.scopes(collections)[:_MOST_COLLECTIONS]:
            try:
                access.check(scope)
                outcomes.append(answered(scope))
            except WorldError as error:
                outcomes.append(
                    failed(safe_text(scope or EVERYTHING), error.code, safe_text(error.message))
                )
        return tuple(outcomes)

    def _access(self, caller: DoorCaller) -> Access:
        access = caller.access
        if access is None:
            access = Access.read(self._settings, self.door)
        access.check_open(self.door)
        return access

    def _shown(self, caller: DoorCaller, document: str) -> tuple[Path, PageRenderer]:
        if self._renderer is None:
            raise WorldError("bad_request", reason="this door shows no pages")
        return self.visible(caller, document), self._renderer

    def visible(self, caller: DoorCaller, document: str) -> Path:
        """Return the path of a document that may be seen.

        Raises ``not_a_root``, both for a hidden document and for one that is not in the library.
        """
        access = self._access(caller)
        path = path_of(document)
        for scope in access.scopes():
            request = requests.ListDocuments(within=scope, paths=(path,), limit=1)
            try:
                if self._call(caller, request).total:
                    return path
            except WorldError as error:
                if error.code != "unknown_collection":
                    raise
        raise WorldError("not_a_root", path=safe_text(document))

    def _call(self, caller: DoorCaller, request: Request[A]) -> A:
        return self._engine.call(request, token=caller.token)

    def _note(self, caller: DoorCaller, what: str, **detail: object) -> None:
        note_call(self._settings, self.door, caller.name, what, **detail)

    def _year(self, caller: DoorCaller, path: str) -> str:
        try:
            return self._call(caller, requests.GetDocument(Path(path))).created[:4]
        except WorldError:
            return ""

    def _passage(self, caller: DoorCaller, hit: Hit) -> QuotedPassage:
        best = hit.text[slice(*hit.best)]
        year = self._years.get((hit.path, hit.modified_ns), lambda: self._year(caller, hit.path))
        unit = page_unit(hit.format) if hit.format else "page"
        known = unit and hit.start < hit.end
        page = page_name(unit, hit.page, hit.page_label) if known else ""
        cited = (hit.author, hit.title, year, page)
        return QuotedPassage(
            document=address_of(hit.path),
            path=safe_text(hit.path),
            title=safe_text(hit.title),
            author=safe_text(hit.author),
            page=hit.page,
            page_last=hit.page_last,
            heading_path=tuple(map(safe_text, hit.heading_path)),
            start=hit.start,
            end=hit.end,
            text=safe_text(hit.text),
            best=safe_text(best),
            score=hit.score,
            why=str(hit.why),
            citation=safe_text(", ".join(part for part in cited if part)),
            link=link_to((best, hit.text)),
            hash=text_hash(hit.text),
            file_state=file_state(hit.path, hit.modified_ns),
        )


def _quoted(value: str) -> str:
    return '"' + " ".join(value.replace('"', " ").split()) + '"'


def _check_query(text: str, *, whole: bool) -> None:
    """Refuse a query that is too long or compares with documents that may not be seen.

    Raises ``bad_query``.
    """
    from indexer.query.grammar import parse  # late, since importing it takes 30 ms

    if len(text) > MOST_QUERY:
        raise WorldError("bad_query", reason=f"it has more than {MOST_QUERY:,} characters")
    filters = parse(text).filters
    if filters.like and not whole:
        raise WorldError("bad_query", reason="like needs a door to the whole library")


def _within_bytes(
    parts: Sequence[QuotedText], most: int, following: int
) -> tuple[list[QuotedText], int]:
    """Return the first parts that fit into a number of bytes, and where the next begins."""
    kept: list[QuotedText] = []
    size = 0
    for part in parts:
        size += len(part.text.encode())
        if kept and size > most:
            return kept, part.start
        kept.append(part)
    return kept, following
