"""The text of diagrams, comments and charts of Word, PowerPoint and Excel files.

Charts may be in the formats of 2007 and 2016. Their titles are read, and the values that were
cached when the file was saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from indexer.extract.office.sheets import formatted
from indexer.extract.office.xml import attribute, local, paragraphs

if TYPE_CHECKING:
    from indexer.extract.office.ooxml import OfficePackage
    from indexer.extract.page_writer import PageWriter

_MAX_POINTS = 2_000  # in one series
_MAX_SERIES = 255
_MAX_DIGITS = 13


class _Series(Struct):
    name: str = ""
    labels: dict[int, str] = field(default_factory=dict)
    values: dict[int, str] = field(default_factory=dict)


def write_chart(root: Any, writer: PageWriter) -> None:
    """Write the series of a chart as columns of tables."""
    series = [_series(each) for each in root.iter("{*}ser")] or _newer(root)
    series = [each for each in series[:_MAX_SERIES] if each.values or each.labels]
    tables: dict[tuple[str, ...], list[_Series]] = {}
    for each in series:
        tables.setdefault(tuple(each.labels.values()), []).append(each)
    for together in tables.values():
        _write_table(together, writer)


def _write_table(series: list[_Series], writer: PageWriter) -> None:
    writer.add_row([each.name for each in series])
    labels = series[0].labels
    for at in sorted(set(labels).union(*(each.values for each in series))):
        writer.add_row([labels.get(at, ""), *(each.values.get(at, "") for each in series)])
    writer.end_table()


def _series(element: Any) -> _Series:
    found = _Series()
    for child in element:
        name = local(child)
        if name == "tx":
            found.name = " ".join(_points(child).values())
        elif name in ("cat", "xVal"):
            found.labels = _points(child)
        elif name in ("val", "yVal"):
            found.values = _points(child)
    return found


def _newer(root: Any) -> list[_Series]:
    """Return the series of a chart in the format of 2016, which have no names."""
    found = []
    for data in root.iter("{*}data"):
        series = _Series()
        for dimension in data:
            points = _points(dimension)
            if local(dimension) == "strDim":
                series.labels = points
            else:
                series.values = series.values or points
        found.append(series)
    return found


def _points(element: Any) -> dict[int, str]:
    """Return the cached values by their index, with labels of several levels joined."""
    code = next((each.text or "" for each in element.iter("{*}formatCode")), "")
    found: dict[int, str] = {}
    for point in element.iter("{*}pt"):
        index = attribute(point, "idx")
        value = next((each.text or "" for each in point.iter("{*}v")), point.text or "")
        at = int(index[:9]) if index.isdecimal() else len(found)
        if (text := _shown(" ".join(value.split()), code)) and at < _MAX_POINTS:
            found[at] = f"{text} {found[at]}" if at in found else text
    if not found:  # a name that refers to no cell
        found.update(enumerate(each.text for each in element.iter("{*}v") if each.text))
    return found


def _shown(value: str, code: str) -> str:
    """Format a number by its code, as a percentage, a date, or plain."""
    try:
        number = float(value)
    except ValueError:
        return value
    found = formatted(number, code)
    if found is not None:
        return found
    # Stored floats such as 0.30000000000000004 are rounded.
    return f"{number:.12g}" if len(value) > _MAX_DIGITS else value


def write_drawing(package: OfficePackage, part: str, writer: PageWriter) -> None:
    """Write a diagram, a chart with its shapes, or comments."""
    root, _ = package.tree(part)
    for text in paragraphs(root):
        writer.add_block(text)
    if root is not None and local(root) == "chartSpace":
        write_chart(root, writer)
    for shapes in package.related(part, "chartUserShapes"):
        for text in paragraphs(package.tree(shapes)[0]):
            writer.add_block(text)
