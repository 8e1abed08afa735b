"""Lists of references (BibTeX, RIS, EndNote, PubMed, RDF): each entry below its work's title.

bibtexparser, rispy and similar libraries hold all entries, and fail at the first damaged one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from indexer.api.types import BlockKind
from indexer.extract.document import Budget
from indexer.extract.markup.entries import field_text
from indexer.extract.markup.tex import TexReader
from indexer.extract.office.xml import local, one_line, read_tree
from indexer.extract.page_writer import DecodedSource, PageWriter

# Names of fields in BibTeX, and tags in RIS, PubMed (NBIB) and EndNote, by their role.
_ROLES = {
    "title": "title TI T1 %T BTI", "author": "author editor AU A1 A2 FAU ED %A %E",
    "year": "year date PY Y1 DA DP %D %8",
    "source": "journal journaltitle booktitle T2 JO JF JT %J %B school institution",
    "volume": "volume VL VI %V", "number": "number IS IP %N", "pages": "pages SP PG %P",
    "publisher": "publisher PB %I", "abstract": "abstract AB N2 %X", "doi": "doi DO LID",
    "keywords": "keywords KW OT MH %K", "note": "note annote annotation N1 RN %Z",
    "isbn": "isbn issn SN", "url": "url UR %U",
}  # fmt: skip
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names.split()}
_OWN_LINES = ("abstract", "keywords", "note")
_ENTRY = re.compile(r"@(\w+)\s*[{(]\s*([^,\s{}]*)\s*,", re.ASCII)
_ABBREVIATION = re.compile(r"@string\s*[{(]\s*([\w.:+/-]{1,40})\s*=\s*", re.ASCII | re.IGNORECASE)
_FIELD = re.compile(r"[\s,]*([\w-]{1,40})\s*=\s*", re.ASCII)
_PIECE = re.compile(r"[{\"]|[^\s,{}\"#]+")
_JOINT = re.compile(r"\s*#\s*")
_TAGGED = re.compile(r"(?:([A-Z][A-Z0-9]{1,3}) {0,2}- ?|(%[A-Z0-9@]) )(.*)")
_TYPES = frozenset({"TY", "PMID", "%0"})  # tags that begin an entry
_AND = re.compile(r"\s+and\s+")
_TEX = re.compile(r"[\\${}~]|--|``|''")
_MAX_ENTRY_CHARS = 200_000
_MAX_FIELD_CHARS = 50_000
_MAX_ABBREVIATED_CHARS = 1_000

_MAX_NODES = 2_000_000  # elements and attributes
_RDF = re.compile(r"<rdf:RDF\b")
_ENCODING = re.compile(r"<\?xml.*?\?>", re.DOTALL)
_RDF_ROLES = {
    "date": "year", "volume": "volume", "number": "number", "pages": "pages", "name": "publisher",
    "abstract": "abstract", "identifier": "doi", "subject": "keywords", "description": "note",
}  # fmt: skip

Fields = dict[str, list[str]]


class ReferenceSource(DecodedSource):
    """An open list of references."""

    limit = "markup_bytes"

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        text = self.text
        of_text = _rdf(text, self.budget) if _RDF.search(text[:4_000]) else _tagged(text)
        for key, fields in _bibtex(text) if _ENTRY.search(text) else of_text:
            self.budget.spend_elements(1 + len(fields))
            _write(writer, key, fields)
            yield


open_source = ReferenceSource.open_source


def _write(writer: PageWriter, key: str, fields: Fields) -> None:
    title = " ".join(fields.pop("title", [])[:1])
    own = {role: fields.pop(role, []) for role in _OWN_LINES}
    authors, year = "; ".join(fields.pop("author", [])), " ".join(fields.pop("year", [])[:1])
    writer.add_block(title or key, BlockKind.HEADING, 1)
    head = f"{authors} ({year})" if authors and year else authors or year
    rest = (", ".join(values) for values in fields.values())
    writer.add_block(". ".join(part for part in (head, *rest, key if title else "") if part))
    for role, values in own.items():
        writer.add_block(("; " if role == "keywords" else "\n").join(values))


def _bibtex(text: str) -> Iterator[tuple[str, Fields]]:
    """Yield the key and the fields of each entry. A damaged one ends where the next begins."""
    abbreviations: dict[str, str] = {}
    for one in _ABBREVIATION.finditer(text):
        value = text[one.end() : one.end() + _MAX_ABBREVIATED_CHARS]
        abbreviations[one[1].lower()] = _bibtex_value(value, 0, abbreviations)[0]
    entries = [found for found in _ENTRY.finditer(text) if found[1].lower() != "comment"]
    for at, entry in enumerate(entries):
        end = entries[at + 1].start() if at + 1 < len(entries) else len(text)
        body = text[entry.end() : min(end, entry.end() + _MAX_ENTRY_CHARS)]
        fields: Fields = {}
        position = 0
        while field := _FIELD.match(body, position):
            value, position = _bibtex_value(body, field.end(), abbreviations)
            role = _ROLE_OF.get(field[1].lower())
            if role == "author":
                fields.setdefault(role, []).extend(_AND.split(_printed(value)))
            elif role is not None:
                fields.setdefault(role, []).append(_printed(value))
        yield entry[2], fields


def _bibtex_value(body: str, position: int, abbreviations: Mapping[str, str]) -> tuple[str, int]:
    """Return the value of a field, joined from its pieces, and where it ends.

    ``abbreviations`` has the meanings of names defined by ``@string``, by name in lower case.
    """
    parts = []
    while piece := _PIECE.match(body, position):
        position = piece.end()
        if piece[0] in '{"':
            end = _closing(body, position, quoted=piece[0] == '"')
            parts.append(body[position:end])
            position = min(end + 1, len(body))
        else:
            parts.append(abbreviations.get(piece[0].lower(), piece[0]))
        joint = _JOINT.match(body, position)
        if joint is None:
            break
        position = joint.end()
    return "".join(parts), position


def _closing(body: str, position: int, *, quoted: bool) -> int:
    """Return the end of a value that begins at ``position``."""
    depth = 0
    for at in range(position, len(body)):
        char = body[at]
        if (quoted and char == '"' and not depth) or (char == "}" and not depth):
            return at
        escaped = body[at - 1] == "\\"
        depth += (char == "{" and not escaped) - (char == "}" and not escaped)
    return len(body)


def _printed(value: str) -> str:
    """Return a value as TeX prints it."""
    value = value[:_MAX_FIELD_CHARS]
    if _TEX.search(value):
        from indexer.config import Limits

        writer = PageWriter(Budget(Limits()))
        reader = TexReader(value, writer)
        while reader.read(1_000):
            pass
        value = " ".join(page.text for page in writer.finish())
    return " ".join(value.split())


def _rdf(text: str, budget: Budget) -> Iterator[tuple[str, Fields]]:
    """Yield the works and notes of an RDF export, but not attachments, which are other files."""
    data = _ENCODING.sub("", text.lstrip(), count=1).encode("utf-8", "replace")
    root, damage = read_tree([data], budget, _MAX_NODES)
    for entry in () if root is None else root.iterchildren("{*}*"):
        if local(entry) == "Attachment":
            continue
        fields: Fields = {"title": [_line(each) for each in entry.iterchildren("{*}title")]}
        fields["note"] = [field_text(each.text or "") for each in entry.iterchildren("{*}value")]
        for person in entry.iter("{*}Person"):
            names = (person.findtext(f"{{*}}{part}", "") for part in ("givenName", "surname"))
            fields.setdefault("author", []).append(" ".join(filter(None, names)))
        for each in entry.iterdescendants("{*}*"):
            name = local(each)
            nested = name == "title" and each.getparent() is not entry
            role = "source" if nested else _RDF_ROLES.get(name, "")
            if role and (value := _line(each)):
                fields.setdefault(role, []).append(value)
        if any(fields.values()):
            yield "", fields
    if damage is not None:
        raise damage


def _line(element: Any) -> str:
    return one_line(element)[:_MAX_FIELD_CHARS]


def _tagged(text: str) -> Iterator[tuple[str, Fields]]:
    """Yield the fields of each entry whose lines begin with a tag."""
    fields: Fields = {}
    values: list[str] = [""]
    for line in text.splitlines():
        found = _TAGGED.match(line)
        if found is None:
            if line.strip() and len(values[-1]) < _MAX_FIELD_CHARS:
                values[-1] = f"{values[-1]} {line.strip()}".strip()
            continue
        tag, value = found[1] or found[2], found[3].strip()
        if tag in _TYPES and fields:
            yield "", fields
            fields = {}
        role = _ROLE_OF.get(tag, "")
        values = fields.setdefault(role, []) if role else []
        values.append(value)
    if fields:
        yield "", fields
