"""Hits made up for tests."""

from __future__ import annotations

from typing import Any

from indexer.api.types import Hit, Why

NOON = 1_710_504_000_000_000_000  # 2024-03-15


def hit(path: str = "/docs/lease.txt", start: int = 0, **fields: Any) -> Hit:
    """Return a hit with all fields that are shown."""
    text = fields.pop("text", "Rent is due on the first. It rises with the index. Deposits stay.")
    values: dict[str, Any] = {
        "path": path,
        "root": path.rpartition("/")[0],
        "file": path.rpartition("/")[2],
        "title": path.rpartition("/")[2].partition(".")[0],
        "page": 1 + start // 100,
        "page_last": 1 + start // 100,
        "start": start,
        "end": start + len(text),
        "score": 1.0 / (1 + start),
        "text": text,
        "heading_path": ("Lease", "Rent"),
        "why": Why.BOTH,
        "best": (26, 50) if len(text) >= 50 else (0, len(text)),
        "modified_ns": NOON,
    }
    return Hit(**(values | fields))


def many(documents: int, each: int = 1) -> list[Hit]:
    """Return hits of several documents, in turns."""
    return [
        hit(f"/docs/report {number}.pdf", start=100 * at)
        for at in range(each)
        for number in range(documents)
    ]
