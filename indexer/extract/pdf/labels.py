"""Page labels of PDFs: the numbers that are printed on the pages, such as "iv" or "A-3".

They are computed from the rules of the PDF (ISO 32000-1, 12.4.2). PyMuPDF's ``Page.get_label``
reads all rules for each page (13 s for 3,000 pages with 290 rules) and counts z, aa, ab where PDF
counts z, aa, bb.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from indexer.extract.numerals import written_number

_FORMS = {
    "D": "decimal", "r": "lowerRoman", "R": "upperRoman", "a": "lowerLetter", "A": "upperLetter",
}  # fmt: skip
# Limits for hostile files: the highest number, and the length of a label.
_MAX_NUMBER = 100_000
MAX_LABEL_CHARS = 40
_BLANKS = re.compile(r"[\s\x00-\x1f]+")


def page_labels(rules: Sequence[Mapping[str, Any]], pages: int) -> list[str]:
    """Return the label of every page, or nothing if all labels are the page numbers.

    Rules have ``startpage`` (from 0) and optionally ``prefix``, ``style`` (``D``, ``R``, ``r``,
    ``A``, ``a`` or "") and ``firstpagenum``.
    """
    ordered = sorted(rules, key=_start)
    starts = [_start(rule) for rule in ordered]
    numbers = [str(number) for number in range(1, pages + 1)]
    labels = [
        _label(ordered[at - 1], page) if (at := bisect_right(starts, page)) else numbers[page]
        for page in range(pages)
    ]
    return [] if labels == numbers else labels


def _start(rule: Mapping[str, Any]) -> int:
    return int(rule.get("startpage") or 0)


def _label(rule: Mapping[str, Any], page: int) -> str:
    first = int(rule.get("firstpagenum") or 1)
    number = min(max(first + page - _start(rule), 1), _MAX_NUMBER)
    form = _FORMS.get(str(rule.get("style") or ""))
    prefix = _BLANKS.sub(" ", str(rule.get("prefix") or "").encode("utf-8", "replace").decode())
    label = prefix + (written_number(number, form) if form else "")
    return label.strip()[:MAX_LABEL_CHARS] or str(page + 1)
