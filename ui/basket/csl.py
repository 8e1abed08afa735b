"""The sources of some documents as CSL-JSON, which reference managers and pandoc read. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ui.search.export import citation_keys

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ui.search.citation import CitedSource


def csl_json(sources: Mapping[str, CitedSource]) -> str:
    """Return the content of the file.

    Args:
        sources: The bibliographic data of the documents, by path.
    """
    keys = citation_keys(sources)
    items = [_item(keys[path], source) for path, source in sources.items()]
    return json.dumps(items, ensure_ascii=False, indent=2) + "\n"


def _item(key: str, source: CitedSource) -> dict[str, Any]:
    item: dict[str, Any] = {"id": key, "type": "document", "title": source.title}
    if source.author:
        item["author"] = [_name(each) for each in source.author.split(";") if each.strip()]
    if source.year:
        item["issued"] = {"date-parts": [[int(source.year)]]}
    if source.language:
        item["language"] = source.language
    return item


def _name(text: str) -> dict[str, str]:
    """Split a name at its comma; any other is left whole, since families differ in their place."""
    family, comma, given = (part.strip() for part in text.partition(","))
    return {"family": family, "given": given} if comma and given else {"literal": family}
