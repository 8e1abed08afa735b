"""Bibliographic data of documents: citations, links with citations, BibTeX and CSL-JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from indexer.api.requests import GetDocument
from ui.search import describe
from ui.search.query_text import link_of
from ui.search.safe_text import plain, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from indexer.api.answers import Document
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit
    from ui.ports import EnginePort

    Found = Callable[[Sequence[Hit], Mapping[str, "CitedSource"]], None]

# The most documents that the engine is asked about; for others the data of their hits is used.
_MOST_ASKED = 500
_AT_ONCE = 4
_YEAR = re.compile(r"[12]\d{3}")
_KEY = re.compile(r"[^a-z0-9]+")
_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#",
    "$": r"\$", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CitedSource:
    """The bibliographic data of a document; "" for unknown fields."""

    title: str
    author: str = ""
    year: str = ""
    language: str = ""

    @classmethod
    def from_hit(cls, hit: Hit, document: Document | None = None) -> CitedSource:
        """Take the data from the document, else from the hit.

        The year is that of the document's own creation date, since the date of a file is often that
        of its last copy.
        """
        title, author = describe.title(hit), _safe(hit.author)
        if document is None:
            return cls(title, author)
        year = _YEAR.match(document.created)
        return cls(
            title=_safe(document.title) or title,
            author=_safe(document.author) or author,
            year=year[0] if year else "",
            language=_safe(document.language),
        )


def passage(hit: Hit) -> str:
    """Return the text of a hit as one paragraph."""
    return plain(replace(hit, heading_path=())).text


def citation(hit: Hit, source: CitedSource) -> str:
    """Return author, title, year and page, without the unknown ones.

    What has no pages is cited by the heading below which it stands.
    """
    heading = () if describe.is_name_only(hit) else hit.heading_path[-1:]
    place = describe.pages(hit) or "".join(map(_safe, heading))
    parts = (source.author, source.title, source.year, place)
    return ", ".join(part for part in parts if part)


def quoted(hit: Hit, source: CitedSource) -> str:
    """Return the passage in quotation marks, its citation, and a link to it."""
    text, cited = passage(hit), citation(hit, source)
    return "\n".join(filter(None, (f"“{text}”\n({cited})" if text else cited, link_of(hit))))


def _safe(text: str) -> str:
    return shown(text).text


class SourceFinder(QObject):
    """Asks the engine for author and date of the documents of some hits.

    A new list of hits replaces the one before.
    """

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self._hits: Sequence[Hit] = ()
        self._found: Found | None = None
        self._sources: dict[str, CitedSource] = {}
        self._left: list[Hit] = []
        self._pending: dict[str, int] = {}

    def find_sources(self, hits: Sequence[Hit], found: Found) -> None:
        """Call ``found(hits, sources by path)``, now or when the engine has answered."""
        self.close()
        self._hits, self._found = hits, found
        heads: dict[str, Hit] = {}
        for hit in hits:
            heads.setdefault(hit.path, hit)
        self._sources = {path: CitedSource.from_hit(hit) for path, hit in heads.items()}
        self._left = list(heads.values())[:_MOST_ASKED][::-1]
        self._go_on()

    def close(self) -> None:
        """Cancel the requests."""
        for number in self._pending.values():
            self._link.cancel(number)
        self._pending.clear()
        self._found = None

    def _go_on(self) -> None:
        while self._left and len(self._pending) < _AT_ONCE:
            hit = self._left.pop()
            self._pending[hit.path] = self._link.send_request(
                GetDocument(Path(hit.path)),
                done=partial(self._handle_document, hit),
                failed=partial(self._handle_failure, hit),
            )
        if not self._pending and self._found is not None:
            found, self._found = self._found, None
            found(self._hits, distinct(self._sources))

    def _handle_document(self, hit: Hit, document: Document) -> None:
        self._sources[hit.path] = CitedSource.from_hit(hit, document)
        self._handle_failure(hit, None)

    def _handle_failure(self, hit: Hit, _error: LecternError | None) -> None:
        self._pending.pop(hit.path, None)
        self._go_on()


def distinct(sources: Mapping[str, CitedSource]) -> dict[str, CitedSource]:
    """Return sources by path, with the names of their files where their titles clash."""
    titles = Counter(source.title for source in sources.values())
    return {
        path: replace(source, title=f"{source.title} ({_safe(Path(path).name)})")
        if titles[source.title] > 1 and source.title != _safe(Path(path).name)
        else source
        for path, source in sources.items()
    }


def citable(source: CitedSource) -> bool:
    """Whether a source has enough data for an entry of a bibliography."""
    return bool(source.author or source.year)


def citation_keys(sources: Mapping[str, CitedSource]) -> dict[str, str]:
    """Return a key of its own for each source, by path: ``doe2021``."""
    keys: dict[str, str] = {}
    for path, source in sources.items():
        keys[path] = _citation_key(source, set(keys.values()))
    return keys


def bibtex(hits: Iterable[Hit], sources: Mapping[str, CitedSource]) -> str:
    """Return an entry for each source, with the pages of the hits in it."""
    pages: dict[str, dict[int, str]] = {}
    for hit in hits:
        if hit.page:
            pages.setdefault(hit.path, {})[hit.page] = _safe(hit.page_label) or str(hit.page)
    entries = []
    for path, key in citation_keys(sources).items():
        source = sources[path]
        fields = {
            "title": source.title,
            "author": source.author,
            "year": source.year,
            "pages": ", ".join(label for _, label in sorted(pages.get(path, {}).items())),
            "file": encodable(path),
        }
        lines = [f"  {name} = {{{_tex_escaped(text)}}}," for name, text in fields.items() if text]
        entries.append("\n".join([f"@misc{{{key},", *lines, "}\n"]))
    return "\n".join(entries)


def _citation_key(source: CitedSource, used: set[str]) -> str:
    family = source.author.split(",")[0].split(";")[0].split()[-1:] or source.title.split()[:1]
    base = _KEY.sub("", "".join(family).lower()) or "document"
    base += source.year
    number = 1
    key = base
    while key in used:
        number += 1
        key = f"{base}-{number}"
    return key


def _tex_escaped(text: str) -> str:
    return "".join(_TEX.get(char, char) for char in text)


def encodable(path: str) -> str:
    """Return a path that can be encoded as UTF-8, with escapes for other bytes."""
    return path.encode("utf-8", "backslashreplace").decode()


def csl_json(sources: Mapping[str, CitedSource]) -> str:
    """Return the content of the file.

    Args:
        sources: The bibliographic data of the documents, by path.
    """
    keys = citation_keys(sources)
    items = [_csl_item(keys[path], source) for path, source in sources.items()]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def _csl_item(key: str, source: CitedSource) -> dict[str, Any]:
    item: dict[str, Any] = {"id": key, "type": "document", "title": source.title}
    if source.author:
        item["author"] = [_csl_name(each) for each in source.author.split(";") if each.strip()]
    if source.year:
        item["issued"] = {"date-parts": [[int(source.year)]]}
    if source.language:
        item["language"] = source.language
    return item


def _csl_name(text: str) -> dict[str, str]:
    """Split a name at its comma; any other is left whole, since families differ in their place."""
    family, comma, given = (part.strip() for part in text.partition(","))
    return {"family": family, "given": given} if comma and given else {"literal": family}
