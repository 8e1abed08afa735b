"""Jupyter notebooks: each cell is a page, with Markdown or code and its text output."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.base import Metadata, RawBlock, check_size
from indexer.extract.markup.html import parse_markup, read_tree
from indexer.extract.markup.markdown import markdown_blocks
from indexer.extract.page_writer import PageWriter, WrittenSource
from indexer.extract.plain.decode import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.config import Limits

_MAX_OUTPUT_CHARS = 4_000  # of a cell, enough for a table or an error but not for a log
_OUTPUTS = ("text/markdown", "text/plain", "text/latex")
_DESCRIBED = re.compile(r"\s*<[\w.]+(?: [^\n<>]*)?>\s*")
_MAX_CELLS = 100_000


class NotebookSource(WrittenSource[list[dict[str, Any]]]):
    """An open notebook."""

    def __init__(self, content: dict[str, Any], limits: Limits) -> None:
        super().__init__(_cells(content), limits)
        self.page_count = len(self._file)
        self.metadata = _metadata(content)

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        for number, cell in enumerate(self._file, 1):
            writer.begin_page(number)
            _write(cell, writer)
            yield


def open_source(path: Path, password: str | None, limits: Limits) -> NotebookSource:
    """Open a notebook (``indexer.extract.base.Opener``)."""
    check_size(path, limits.notebook_bytes)
    data = path.read_bytes()
    try:
        content = json.loads(decoded(data).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise WorldError("unreadable", reason="not_notebook", said=str(error)[:200]) from error
    if not isinstance(content, dict) or not ("cells" in content or "worksheets" in content):
        raise WorldError("unreadable", reason="not_notebook")
    return NotebookSource(content, limits)


def _cells(content: dict[str, Any]) -> list[dict[str, Any]]:
    found = content.get("cells")
    if not isinstance(found, list):  # before version 4 cells were in worksheets
        sheets = content.get("worksheets")
        found = [
            cell
            for sheet in (sheets if isinstance(sheets, list) else [])
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
            for cell in sheet["cells"]
        ]
    return [cell for cell in found[:_MAX_CELLS] if isinstance(cell, dict)]


def _metadata(content: dict[str, Any]) -> Metadata:
    about = content.get("metadata")
    about = about if isinstance(about, dict) else {}
    authors = about.get("authors")
    names = [
        str(author.get("name", ""))
        for author in (authors if isinstance(authors, list) else [])
        if isinstance(author, dict)
    ]
    title = about.get("title") or about.get("name")
    return Metadata(
        title[:500] if isinstance(title, str) else "", ", ".join(filter(None, names))[:500]
    )


def _write(cell: dict[str, Any], writer: PageWriter) -> None:
    kind = cell.get("cell_type")
    source = _joined(cell.get("source", cell.get("input")))
    if kind == "markdown":
        writer.append(source, markdown_blocks(source))
    elif kind == "heading":
        level = cell.get("level")
        writer.add_block(
            source, BlockKind.HEADING, level if isinstance(level, int) and 0 < level < 7 else 1
        )
    elif kind == "raw":
        writer.add_block(source)
    else:
        _write_code(source, writer)
        left = _MAX_OUTPUT_CHARS
        for text in _outputs(cell.get("outputs")):
            shown = text.strip("\r\n")[:left]
            left -= len(shown)
            if shown:
                _write_code(shown, writer)


def _write_code(text: str, writer: PageWriter) -> None:
    body = text.strip("\r\n")
    if body.strip():
        writer.append(body, [RawBlock(0, len(body), BlockKind.CODE)])


def _outputs(outputs: object) -> Iterator[str]:
    """Yield the text outputs of a cell."""
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = output.get("data", output)
        data = data if isinstance(data, dict) else {}
        drawn = any(str(kind).startswith("image/") for kind in data)
        found = (_joined(data.get(kind)) for kind in _OUTPUTS)
        # "<Figure size 640x480 with 1 Axes>" is a description of the object.
        said = (text for text in found if text and not (drawn or _DESCRIBED.fullmatch(text)))
        shown = next(said, None) or output.get("text")
        if not shown and (page := _joined(data.get("text/html"))):
            shown = read_tree(parse_markup(page.encode("utf-8", "replace"), "utf-8"))[0]
        if not shown and (value := data.get("application/json")):
            shown = json.dumps(value, ensure_ascii=False)
        if output.get("output_type") == "error":
            shown = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        yield _joined(shown)


def _joined(text: object) -> str:
    """Return a text, which may be a string or a list of lines."""
    if isinstance(text, list):
        return "".join(line for line in text if isinstance(line, str))
    return text if isinstance(text, str) else ""
