"""Bibliographic data of documents: citations in the usual styles, BibTeX and CSL-JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QMimeData, QObject
from PySide6.QtGui import QGuiApplication

from indexer.api.formats import page_unit
from indexer.api.requests import GetDocument
from ui.ports import Context, EnginePort, Notice
from ui.search import describe
from ui.search.query_text import link_of
from ui.search.safe_text import line, plain

if TYPE_CHECKING:
    from indexer.api.answers import Document
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit

    Found = Callable[[Sequence[Hit], Mapping[str, "CitedSource"]], None]

# The most documents that the engine is asked about; for others the data of their hits is used.
_MOST_ASKED = 500
_AT_ONCE = 4
_MOST_GIVEN = 4  # given names of a person
_YEAR = re.compile(r"[12]\d{3}")
_KEY = re.compile(r"[^a-z0-9]+")
_TEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "%": r"\%", "&": r"\&", "#": r"\#",
    "$": r"\$", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip


class CitedSource(Struct, frozen=True):
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
        title, author = describe.title(hit), line(hit.author)
        if document is None:
            return cls(title, author)
        year = _YEAR.match(document.created)
        title, author = line(document.title) or title, line(document.author) or author
        return cls(title, author, year[0] if year else "", line(document.language))


def passage(hit: Hit) -> str:
    """Return the text of a hit as one paragraph."""
    return plain(replace(hit, heading_path=())).text


class CitationStyle(Struct, frozen=True):
    """How a source is cited, and how its authors are named.

    Attributes:
        template: Fields are in braces, italics between asterisks, groups in brackets. Of a group's
            alternatives, separated by bars, the first one whose fields are all known is used.
        form: "given" names first, the same "without stops", the first author "inverted",
            "initials", or "" for unchanged.
        both: The text between two authors; ``last`` precedes the last of more than two.
        most: The most authors that are named; if there are more, the first one and ``others``.
    """

    template: str
    form: str = ""
    both: str = " and "
    last: str = " and "
    most: int = 3
    others: str = " et al."


# A person's own template writes authors as the document has them.
STYLES = {
    "simple": CitationStyle("[{author}, ]*{title}*[, {year}][, {page}]"),
    "apa": CitationStyle(
        "[{author}. [({year})|(n.d.)]. *{title}*|*{title}*. [({year})|(n.d.)]][, {page}].",
        "initials", ", & ", ", & ", most=20,
    ),
    "chicago": CitationStyle(
        "[{author}, ]*{title}* [({year})|(n.d.)][, {number}].", "given", last=", and "
    ),
    "mla": CitationStyle(
        "[{author}. ]*{title}*.[ {year}, {page}.| {year}.| {Page}.]", "inverted", ", and ", most=2,
        others=", et al.",
    ),
    "oscola": CitationStyle(
        "[{author}, ]*{title}*[ ({year})][ {number}].", "without stops", others=" and others"
    ),
}  # fmt: skip
_GROUP, _FIELD = re.compile(r"\[([^\[\]]*)\]"), re.compile(r"\{(\w+)\}((?:</i>)?)(\.?)")


def citation(hit: Hit, source: CitedSource, style: str = "simple", *, rich: bool = False) -> str:
    """Cite a source in a style of ``STYLES``, or by a template; as HTML if ``rich``.

    A passage without a page is cited by its heading. Values are filled in last, so that nothing in
    a document is taken for a part of the template.
    """
    used = STYLES.get(style) or CitationStyle(style)
    values = {
        **_place(hit, printed=bool(used.form)),
        "author": _authors(source.author, used),
        "title": source.title,
        "year": source.year,
        "file": line(Path(hit.path).name),
        "link": link_of(hit),
    }
    values["Page"] = values["page"][:1].upper() + values["page"][1:]
    known = {name for name, value in values.items() if value}

    def choose(group: re.Match[str]) -> str:
        alternatives = group[1].split("|")
        return next((each for each in alternatives if _fields(each) <= known), "")

    def fill(field: re.Match[str]) -> str:
        value = values.get(field[1], field[0])
        stop = "" if value.endswith((".", "?", "!")) else field[3]
        return (escape(value) if rich else value) + field[2] + stop

    template, before = used.template, ""
    while template != before:
        before, template = template, _GROUP.sub(choose, template)
    template = re.sub(r"\*([^*]*)\*", r"<i>\1</i>" if rich else r"\1", template)
    return _FIELD.sub(fill, template).strip()


def _fields(template: str) -> set[str]:
    return {field[1] for field in _FIELD.finditer(template)}


def _place(hit: Hit, *, printed: bool) -> dict[str, str]:
    """Return the pages of a hit with and without "p."; without pages, its heading for both.

    ``printed`` leaves out the number of a sheet that has another one printed on it.
    """
    heading = () if describe.is_name_only(hit) else hit.heading_path[-1:]
    page, label = describe.pages(hit) or "".join(map(line, heading)), line(hit.page_label)
    if not describe.has_pages(hit) or page_unit(hit.format) not in {"page", ""}:
        return {"page": page, "number": page}
    translate, number = QCoreApplication.translate, label or str(hit.page)
    if hit.page_first < hit.page_last and number.isdecimal():
        ends = (each - hit.page + int(number) for each in (hit.page_first, hit.page_last))
        number = "\u2013".join(map(str, ends))
        page = translate("Results", "pp. {pages}").format(pages=number)
    elif printed:
        page = translate("Results", "p. {page}").format(page=number)
    return {"page": page, "number": number}


def _authors(authors: str, style: CitationStyle) -> str:
    if not style.form:
        return authors
    names = [_csl_name(each) for each in authors.split(";") if each.strip()]
    written = [_author(name, style.form, first=not at) for at, name in enumerate(names)]
    if len(written) > style.most:
        return written[0] + style.others
    between = style.both if len(written) == 2 else style.last
    return between.join(filter(None, (", ".join(written[:-1]), *written[-1:])))


def _author(name: Mapping[str, str], form: str, *, first: bool) -> str:
    if form == "without stops":  # and initials side by side: "JK Rowling"
        bare = {part: re.sub(r"\b(\w)\.", r"\1", text) for part, text in name.items()}
        name = {part: re.sub(r"\b(\w) (?=\w\b)", r"\1", text) for part, text in bare.items()}
    if "literal" in name:
        return name["literal"]
    family, given = name["family"], name["given"]
    if form == "initials":
        initials = re.sub(r"([^\s-])[^\s-]*", r"\1.", given)
        return f"{family}, {initials}"
    return f"{family}, {given}" if form == "inverted" and first else f"{given} {family}"


def quoted(
    hit: Hit, source: CitedSource, style: str = "simple", *, link: bool = False
) -> QMimeData:
    """Return the passage in quotation marks and its citation, as text and as rich text.

    ``link`` adds a line with a link that opens the passage in Lectern.
    """
    text = passage(hit)
    url = link_of(hit) if link else ""
    rich = [f"“{escape(text)}”"] if text else []
    rich.append(citation(hit, source, style, rich=True))
    if url:
        rich.append(f'<a href="{escape(url)}">{escape(url)}</a>')
    data = QMimeData()
    lines = (f"“{text}”" if text else "", citation(hit, source, style), url)
    data.setText("\n".join(filter(None, lines)))
    data.setHtml("".join(f"<p>{each}</p>" for each in rich if each))
    return data


class CitationCopier(QObject):
    """Copies passages with their citations, in the style that is set."""

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._sources = SourceFinder(context.link, self)

    def copy_cited(self, hit: Hit) -> None:
        """Copy a passage once its author and year are known."""
        self._sources.find_sources([hit], self._copy)

    def close(self) -> None:
        """Cancel what is under way."""
        self._sources.close()

    def _copy(self, hits: Sequence[Hit], sources: Mapping[str, CitedSource]) -> None:
        settings, hit = self._context.settings, hits[0]
        data = quoted(hit, sources[hit.path], settings["citation"], link=settings["citation_link"])
        QGuiApplication.clipboard().setMimeData(data)
        self._context.notices.post(Notice(self.tr("Passage and citation copied"), seconds=3.0))


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
        path: replace(source, title=f"{source.title} ({line(Path(path).name)})")
        if titles[source.title] > 1 and source.title != line(Path(path).name)
        else source
        for path, source in sources.items()
    }


def citable(source: CitedSource) -> bool:
    """Whether a source has enough data for an entry of a bibliography."""
    return bool(source.author or source.year)


def citation_keys(sources: Mapping[str, CitedSource]) -> dict[str, str]:
    """Return a unique key for each source, such as ``doe2021``, by path."""
    keys: dict[str, str] = {}
    for path, source in sources.items():
        keys[path] = _citation_key(source, set(keys.values()))
    return keys


def bibtex(hits: Iterable[Hit], sources: Mapping[str, CitedSource]) -> str:
    """Return an entry for each source, with the pages of the hits in it."""
    pages: dict[str, dict[int, str]] = {}
    for hit in hits:
        if hit.page:
            pages.setdefault(hit.path, {})[hit.page] = line(hit.page_label) or str(hit.page)
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
        lines = [f"  {name} = {{{text.translate(_TEX)}}}," for name, text in fields.items() if text]
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


def encodable(path: str) -> str:
    """Return a path that can be encoded as UTF-8, with escapes for other bytes."""
    return path.encode("utf-8", "backslashreplace").decode()


def csl_json(sources: Mapping[str, CitedSource]) -> str:
    """Return the content of the file.

    ``sources`` are the bibliographic data of the documents, by path.
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
    """Split a name at its comma; without one it stays whole, as languages differ in name order.

    So does an organisation that is described after the comma.
    """
    family, _, given = (part.strip() for part in text.partition(","))
    if 0 < len(given.split()) <= _MOST_GIVEN:
        return {"family": family, "given": given}
    return {"literal": f"{family}, {given}" if given else family}
