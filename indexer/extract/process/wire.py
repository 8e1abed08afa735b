"""Document facts and passages as JSON-able dictionaries, and back.

Owns the shape these values have between the extraction child and the engine; it must not know how
dictionaries become bytes (``indexer.api.protocol``). Standard library only.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.types import DocumentInfo, Passage

if TYPE_CHECKING:
    from collections.abc import Mapping

_INFO_FIELDS = tuple(field.name for field in fields(DocumentInfo))
_PASSAGE_FIELDS = tuple(field.name for field in fields(Passage))


def info_to_wire(info: DocumentInfo) -> dict[str, Any]:
    return {name: getattr(info, name) for name in _INFO_FIELDS}


def info_from_wire(data: Mapping[str, Any]) -> DocumentInfo:
    """Rebuild what is known of a document.

    Raises:
        WorldError: ``bad_request`` if a field is missing or of the wrong kind.
    """
    try:
        values = {name: data[name] for name in _INFO_FIELDS}
        values["bad_pages"] = tuple(int(page) for page in values["bad_pages"])
    except (KeyError, TypeError, ValueError) as error:
        raise WorldError("bad_request", reason=f"document: {error}") from error
    return DocumentInfo(**values)


def passage_to_wire(passage: Passage) -> dict[str, Any]:
    return {name: getattr(passage, name) for name in _PASSAGE_FIELDS}


def passage_from_wire(data: Mapping[str, Any]) -> Passage:
    """Rebuild a passage.

    Raises:
        WorldError: ``bad_request`` if a field is missing or of the wrong kind.
    """
    try:
        values = {name: data[name] for name in _PASSAGE_FIELDS}
        for name in ("heading_path", "text_starts", "view_starts"):
            values[name] = tuple(values[name])
    except (KeyError, TypeError) as error:
        raise WorldError("bad_request", reason=f"passage: {error}") from error
    return Passage(**values)
