"""The title of a filing of a US company: registrant, form and period.

Nothing else distinguishes annual reports: their covers begin with the same five lines. Pure
functions of the text of the first pages.
"""

from __future__ import annotations

import re

from indexer.extract.structure.wording import tidy_capitals

_FORM = re.compile(
    r"^\W*(?:form|schedule)\s+(10-?[KQD](?:SB|T)?|8-?K|20-?F|40-?F|6-?K|11-?K|S-\d{1,2}|F-\d|"
    r"13[DG]|14A|N-[A-Z0-9]{1,4})\s*(/A)?\b",
    re.IGNORECASE | re.MULTILINE,
)
_AUTHORITY = re.compile(r"securities\s+and\s+exchange\s+commission", re.IGNORECASE)
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DATE = re.compile(rf"({'|'.join(_MONTHS)})\s+(\d{{1,2}})\s*,?\s+((?:19|20)\d\d)", re.IGNORECASE)
_YEAR_ENDED = re.compile(r"(?:fiscal\s+)?year\s+ended:?|annual\s+period\s+ended:?", re.IGNORECASE)
_PERIOD_ENDED = re.compile(r"(?:quarterly|transition)?\s*period\s+ended:?", re.IGNORECASE)
_REPORTED = re.compile(r"date\s+of\s+report|date\s+of\s+earliest", re.IGNORECASE)
_CHARTER = re.compile(r"\(?\s*exact\s+name\s+of\s+(?:the\s+)?registrant", re.IGNORECASE)
_NUMBER = re.compile(r"commission\s+file\s+(?:number|no\b)", re.IGNORECASE)
_NO_NAME = re.compile(
    r"^\W*$|^[\W\d_]+$|commission|^\(|\bor\b|transition|pursuant|^form\b|^of\b|number|mark one|"
    r"annual report|quarterly report|exchange act|fiscal year|securities|table of contents|"
    r"reported|\bdate\b|20\d\d",
    re.IGNORECASE,
)
_REACH = 400  # characters from a label to its date
_MAX_NAME = 90


def filing_title(pages: list[str]) -> str:
    """Return a title such as "3M COMPANY 10-K 2018", "" if there is no cover of a filing.

    Args:
        pages: The text of the first pages; the cover may follow pages of decoration.
    """
    for text in pages:
        form = _FORM.search(text)
        if form is None or not (_AUTHORITY.search(text) or _CHARTER.search(text)):
            continue
        if name := _registrant(text):
            kind = form[1].upper() + (form[2] or "").upper()
            kind = re.sub(r"^(10|8|20|40|6|11)(?=[A-Z])", r"\1-", kind)
            return " ".join(part for part in (name, kind, _period(text, kind)) if part)
    return ""


def _registrant(text: str) -> str:
    """Return the name before "(Exact name of registrant …)", else that after the file number."""
    charter = _CHARTER.search(text)
    lines = _lines(text[: charter.start()] if charter else text)
    if charter:
        above = [line for line in lines if line.strip("( ")][-4:]
        while above and _NO_NAME.search(above[-1]):
            above.pop()
        if not above:
            return ""
        name = above[-1]
        if " " not in name and len(above) > 1 and _is_name(above[-2]):
            name = f"{above[-2]} {name}"  # a name on two lines
        return tidy_capitals(name) if _is_name(name) else ""
    number = next((i for i, line in enumerate(lines) if _NUMBER.search(line)), -1)
    following = lines[number + 1 : number + 4] if number >= 0 else []
    name = next((line for line in following if line), "")
    return tidy_capitals(name) if _is_name(name) else ""


def _lines(text: str) -> list[str]:
    return [line.strip(" \t_-*–—") for line in text.split("\n")]


def _is_name(line: str) -> bool:
    return 1 < len(line) <= _MAX_NAME and not _NO_NAME.search(line)


def _period(text: str, kind: str) -> str:
    """Return the fiscal year of an annual report, the date of another form."""
    labels = (_YEAR_ENDED,) if kind.startswith(("10-K", "20-F", "40-F", "11-K")) else ()
    for label in (*labels, _PERIOD_ENDED, _REPORTED):
        found = label.search(text)
        date = _DATE.search(text, found.end(), found.end() + _REACH) if found else None
        if date is None:
            continue
        month, day, year = date[1].capitalize(), int(date[2]), int(date[3])
        if label is not _YEAR_ENDED:
            return f"{month} {day}, {year}"
        # A fiscal year of 52 weeks may end in the first days of the next year.
        return str(year - (month == "January" and day <= 7))
    return ""
