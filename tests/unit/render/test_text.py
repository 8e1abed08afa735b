"""Windows into the text of documents without pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.config import Limits
from indexer.extract.document import PAGE_JOINT
from indexer.extract.registry import identify, opener
from indexer.render import requests
from indexer.render.requests import TextDocument

if TYPE_CHECKING:
    from pathlib import Path


def canonical(path: Path) -> str:
    source = opener(identify(path))(path, None, Limits())
    return PAGE_JOINT.join(page.text for page in source.pages())


def opened(path: Path) -> TextDocument:
    return TextDocument(path, identify(path), None, Limits())


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_a_window_is_a_slice_of_the_canonical_text(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    lines = [f"{i}: the keeper 🕯️ wrote cafe\u0301 <b>{i}</b>" for i in range(4_000)]
    joint = "<p>" if name.endswith("html") else "\n\n"
    path.write_text("# Log\n\n" + joint.join(lines), encoding="utf-8")
    text = canonical(path)
    document = opened(path)
    for start, end, room in [(0, 10, 50), (5_000, 5_100, 300), (90_000, 90_100, 1_000)]:
        window, shown_text = document.window(start, end, room)
        assert shown_text == text[window.offset : window.offset + len(shown_text)]
        assert window.offset <= max(0, start - room)
        assert window.offset + len(shown_text) >= min(end + room, len(text))
        assert window.offset == 0 or text[window.offset - 1] == "\n"
        assert window.more == (window.offset + len(shown_text) < len(text))
    whole, all_text = document.window(0, 0, 10**6)
    assert all_text == text
    assert not whole.more


def test_a_text_too_long_to_cache_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "MAX_KEPT_CHARS", 1_000)
    path = tmp_path / "a.txt"
    path.write_text("\n\n".join(f"Paragraph {i} says what it says." for i in range(3_000)))
    text = canonical(path)
    document = opened(path)
    for start in (90_000, 10, 50_000):
        window, shown_text = document.window(start, start + 50, 400)
        assert shown_text == text[window.offset : window.offset + len(shown_text)]
        assert shown_text.find(text[start : start + 50]) == start - window.offset


def test_an_endless_line_does_not_extend_the_window(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("word " * 40_000)
    window, shown_text = opened(path).window(100_000, 100_010, 500)
    assert window.offset == 99_500
    assert len(shown_text) == 1_010


def test_a_window_beyond_the_end_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("short")
    assert opened(path).window(100, 120, 10)[1] == ""
