"""Hits as a file that other programs read: CSV, JSON, BibTeX.

Pure; it must not know where the file goes. Texts come from untrusted documents, so a spreadsheet
must not read one as a formula.
"""

from __future__ import annotations

import csv
import io
import json
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ui.search.citation import CitedSource, passage
from ui.search.safe_text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.api.types import Hit

_COLUMNS = (
    "title", "author", "year", "path", "page", "page_last", "heading", "why", "score",
    "best_sentence", "passage",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_KEY = re.compile(r"[^a-z0-9]+")
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#",
    "$": r"\$", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


class Form(StrEnum):
    """A format of the file; the value is its extension."""

    CSV = "csv"
    JSON = "json"
    BIBTEX = "bib"


def exported(
    hits: Sequence[Hit], sources: Mapping[str, CitedSource], form: Form, query: str = ""
) -> str:
    """Return the content of the file.

    Args:
        hits: In their order.
        sources: The bibliographic data of the documents, by path.
        form: The format.
        query: The query of the hits.
    """
    match form:
        case Form.CSV:
            return _csv(hits, sources)
        case Form.JSON:
            rows = [_row(hit, sources) for hit in hits]
            return json.dumps({"query": query, "hits": rows}, ensure_ascii=False, indent=2) + "\n"
        case Form.BIBTEX:
            return bibtex(hits, {path: one for path, one in sources.items() if citable(one)})


def citable(source: CitedSource) -> bool:
    """Whether a source has enough data for an entry of a bibliography."""
    return bool(source.author or source.year)


def _row(hit: Hit, sources: Mapping[str, CitedSource]) -> dict[str, Any]:
    source = sources.get(hit.path) or CitedSource.from_hit(hit)
    return {
        "title": source.title,
        "author": source.author,
        "year": source.year,
        "path": _encodable(hit.path),
        "page": hit.page,
        "page_last": hit.page_last,
        "heading": [shown(heading).text for heading in hit.heading_path],
        "why": hit.why.value,
        "score": round(hit.score, 6),
        "best_sentence": shown(hit.text[slice(*hit.best)]).text,
        "passage": passage(hit),
    }


def _csv(hits: Iterable[Hit], sources: Mapping[str, CitedSource]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS)
    writer.writeheader()
    for hit in hits:
        row = _row(hit, sources)
        row["heading"] = " / ".join(row["heading"])
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue()


def _cell(value: object) -> object:
    """Escape a value that a spreadsheet would read as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def citation_keys(sources: Mapping[str, CitedSource]) -> dict[str, str]:
    """Return a key of its own for each source, by path: ``doe2021``."""
    keys: dict[str, str] = {}
    for path, source in sources.items():
        keys[path] = _key(source, set(keys.values()))
    return keys


def bibtex(hits: Iterable[Hit], sources: Mapping[str, CitedSource]) -> str:
    """Return an entry for each source, with the pages of the hits in it."""
    pages: dict[str, list[int]] = {}
    for hit in hits:
        pages.setdefault(hit.path, []).extend({hit.page, hit.page_last} - {0})
    entries = []
    for path, key in citation_keys(sources).items():
        source = sources[path]
        fields = {
            "title": source.title,
            "author": source.author,
            "year": source.year,
            "pages": ", ".join(map(str, sorted(set(pages.get(path, ()))))),
            "file": _encodable(path),
        }
        lines = [f"  {name} = {{{_escaped(text)}}}," for name, text in fields.items() if text]
        entries.append("\n".join([f"@misc{{{key},", *lines, "}\n"]))
    return "\n".join(entries)


def _key(source: CitedSource, used: set[str]) -> str:
    family = source.author.split(",")[0].split(";")[0].split()[-1:] or source.title.split()[:1]
    base = _KEY.sub("", "".join(family).lower()) or "document"
    base += source.year
    number = 1
    key = base
    while key in used:
        number += 1
        key = f"{base}-{number}"
    return key


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(char, char) for char in text)


def _encodable(path: str) -> str:
    """Return a path that can be encoded as UTF-8, with escapes for other bytes."""
    return path.encode("utf-8", "backslashreplace").decode()
