"""PowerPoint presentations: each slide is a page, with its title as heading, then its notes.

Hidden slides are read, since their author may look for them, but hidden shapes are not. The text of
a layout or master is read with the first slide that uses it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.extract.embedded.office_objects import EMBEDDED, OfficeObjects
from indexer.extract.numerals import lowered, raised, written_number
from indexer.extract.office.drawings import write_drawing
from indexer.extract.office.formulas import formula
from indexer.extract.office.ooxml import OfficePackage, OfficeSource
from indexer.extract.office.package import opened
from indexer.extract.office.slides import Shape, write_notes, write_slide
from indexer.extract.office.xml import attribute, description, local
from indexer.extract.page_writer import PageWriter, read_each

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from indexer.config import Limits
    from indexer.extract.base import RawPage

_DRAWN = ("diagramData", "chart", "chartEx", "comments")
_AROUND = ("slideLayout", "slideMaster")
_SHAPES = frozenset({"sp", "graphicFrame", "cxnSp", "pic"})
_LEGIBLE = re.compile(r"[^\W_]")  # some layouts have shapes that are quotation marks
_NUMBERED = re.compile(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)")
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman",
          "romanUc": "upperRoman"}  # fmt: skip
_AROUND_NUMBERS = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}
_MAX_SLIDES = 20_000
_DEEPEST = 8  # level of paragraphs


class PptxSource(OfficeSource):
    """An open presentation."""

    def __init__(self, package: OfficePackage) -> None:
        super().__init__(package)
        listed = self._main().iterfind("{*}sldIdLst/{*}sldId")
        self._slides = [_relation(each) for each in listed][:_MAX_SLIDES]
        self.page_count = len(self._slides)
        self._read_layouts: set[str] = set()  # and masters

    def _pages(self, writer: PageWriter, skip: Collection[int]) -> Iterator[RawPage]:
        yield from read_each(self.page_count, skip, writer, partial(self._slide, writer))
        package = self._package
        slides = (package.part(package.main, slide) for slide in self._slides)
        embedded = (package.related(part, *EMBEDDED) for part in slides)
        objects = OfficeObjects(package, writer, self.on_page)
        yield from objects.objects_of_pages(embedded, skip)

    def _slide(self, writer: PageWriter, number: int) -> Iterator[None]:
        part = self._package.part(self._package.main, self._slides[number - 1])
        if not part:
            raise WorldError("unreadable", reason="part_missing", part="slide")
        package = self._package
        root, damage = package.tree(part)
        shapes = list(_shapes(root))
        opens = number == 1 and any(shape.placeholder == "ctrTitle" for shape in shapes)
        write_slide(shapes, writer, number, opens=opens)
        for drawn in package.related(part, *_DRAWN):
            write_drawing(package, drawn, writer)
        if root is not None and attribute(root, "showMasterSp") not in ("0", "false"):
            self._around(part, _AROUND, writer)
        for notes in package.related(part, "notesSlide")[:1]:
            write_notes(list(_shapes(package.tree(notes)[0])), writer)
        yield
        if damage is not None:
            raise damage

    def _around(self, part: str, kinds: Sequence[str], writer: PageWriter) -> None:
        """Write the text of a slide's layout and master, each only once."""
        for around in self._package.related(part, *kinds[:1]):
            if around in self._read_layouts:
                continue
            self._read_layouts.add(around)
            root, _ = self._package.tree(around)
            for shape in () if root is None else root.iter("{*}sp"):
                if next(shape.iter("{*}ph"), None) is None and not _is_hidden(shape):
                    for text in filter(_LEGIBLE.search, _paragraphs(shape)):
                        writer.add_block(text)
            if root is not None and attribute(root, "showMasterSp") not in ("0", "false"):
                self._around(around, kinds[1:], writer)


def _relation(slide: Any) -> str:
    """Return the relationship id of a slide, which is the ``id`` attribute with a namespace."""
    key = next((key for key in slide.keys() if key.endswith("}id")), "none")  # noqa: SIM118  # an element is its children
    return str(slide.get(key, ""))


def _shapes(root: Any) -> Iterator[Shape]:
    """Yield the shapes of a slide, in drawing order."""
    if root is None:
        return
    for alternatives in list(root.iter("{*}AlternateContent")):
        for element in list(next(iter(alternatives), ())):  # the whole first alternative
            alternatives.addprevious(element)
        alternatives.getparent().remove(alternatives)
    for tree in root.iterfind("{*}cSld/{*}spTree"):
        yield from _written(tree)


def _written(parent: Any) -> Iterator[Shape]:
    for shape in parent:
        name = local(shape)
        if name == "grpSp" and not _is_hidden(shape):
            yield from _written(shape)
        elif name in _SHAPES and not _is_hidden(shape):
            placeholder = shape.find("./{*}*/{*}nvPr/{*}ph")
            kind = None if placeholder is None else placeholder.get("type", "obj")
            rows = [
                [" ".join(_paragraphs(cell)) for cell in row.iterchildren("{*}tc")]
                for row in shape.iter("{*}tr")
            ]
            about = filter(None, map(description, shape.iterfind("./{*}*/{*}cNvPr")))
            outline = [] if rows else _outline(shape)
            texts = [text for _depth, text in outline]
            yield Shape(kind, [*texts, *about], rows, [depth for depth, _text in outline])


def _is_hidden(shape: Any) -> bool:
    known = shape.find("./{*}*/{*}cNvPr")
    return known is not None and attribute(known, "hidden") in ("1", "true")


def _paragraphs(element: Any) -> list[str]:
    return [text for _depth, text in _outline(element)]


def _outline(element: Any) -> list[tuple[int, str]]:
    """Return the paragraphs of a shape, each with its depth, its list number and its text."""
    found = []
    counts: dict[int, int] = {}
    for paragraph in element.iter("{*}p"):
        text = _text(paragraph).strip()
        if text:
            properties = paragraph.find("{*}pPr")
            level = attribute(properties, "lvl") if properties is not None else ""
            depth = min(int(level[:2]), _DEEPEST) if level.isdecimal() else 0
            found.append((depth, _number(properties, depth, counts) + text))
    return found


def _number(properties: Any, depth: int, counts: dict[int, int]) -> str:
    """Count a paragraph and return its number, "" if it has none."""
    for deeper in [each for each in counts if each > depth]:
        del counts[deeper]
    numbered = properties.find("{*}buAutoNum") if properties is not None else None
    form = _NUMBERED.match(attribute(numbered, "type")) if numbered is not None else None
    if form is None:
        counts.pop(depth, None)
        return ""
    first = attribute(numbered, "startAt")
    counts[depth] = counts.get(depth, int(first[:6]) - 1 if first.isdecimal() else 0) + 1
    number = written_number(counts[depth], _FORMS.get(form[1], ""))
    return _AROUND_NUMBERS[form[2]].format(number) + " "


def _text(paragraph: Any) -> str:
    """Return the text of a paragraph, without slide numbers."""
    parts: list[str] = []
    written: set[Any] = set()  # in formulas
    for element in paragraph.iter("{*}t", "{*}br", "{*}tab", "{*}oMath"):
        name = local(element)
        if name == "oMath":
            parts.append(formula(element))
            written.update(element.iter("{*}t"))
        elif element in written:
            continue
        elif name != "t":
            parts.append("\n" if name == "br" else "" if attribute(element, "pos") else " ")
        elif attribute(element.getparent(), "type") != "slidenum":
            parts.append(_positioned(element))
    return "".join(parts)


def _positioned(element: Any) -> str:
    """Return the text of a run, with raised and lowered figures as displayed."""
    properties = element.getparent().find("{*}rPr")
    baseline = "" if properties is None else attribute(properties, "baseline")
    text = element.text or ""
    if baseline.strip("0%") in ("", "-"):
        return text
    return lowered(text) if baseline.startswith("-") else raised(text)


def open_source(path: Path, password: str | None, limits: Limits) -> PptxSource:
    """Open a presentation (``indexer.extract.base.Opener``)."""
    return opened(OfficePackage(path, limits, "ppt/presentation.xml", "no_slides"), PptxSource)
