"""Tests whether a line may be a title: boilerplate, file names and placeholders may not.

Pure functions of one line of text.
"""

from __future__ import annotations

import re

MAX_TITLE_CHARS = 120
_FILE_NAME = re.compile(
    r"\.(?:docx?|dotx?|odt|rtf|wpd|pages|pdf|tex|dvi|e?ps|ai|cdr|indd?|qxd|qxp|pmd|p65|fm|pub|xlsx?|"
    r"ods|pptx?|odp|html?|xml|txt|md|jpe?g|png|tiff?|dwg|vsd)\s*(?:\(.*\))?$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:untitled|unbenannt|sans titre|sin título|no ?title|title|titel|document|dokument|doc|book|"
    r"presentation|präsentation|slide|folie|page|print(?:ing)?|scan(?:ned)?|image|img|fax|template|"
    r"layout|report|letter|brochure|flyer|poster|cover|draft|test|temp|tmp|new|default|normal|"
    r"adobe \w+ (?:pdf|document)|workbook|sheet|blank|file|about:blank|"
    r"full page photo|powerpoint presentation|"
    r"microsoft (?:word|excel|powerpoint).*|word document|pdf|acrobat document)"
    r"[\s\d_.#()-]*$",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"(?:\d[\d\s./_-]*|[0-9a-f]{8,}|\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?|"
    r"(?=\S*\d)[\w.-]*_[\w.-]*|[a-z]{1,4}\d[\w.-]*|[a-z]+[\d._-]+|"
    r"(?:https?|file|ftp):\S*|www\.\S+|[A-Za-z]:\\.*|/\S*)$",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"united states(?: securities and exchange commission)?$|securities and exchange commission|"
    r"washington,? d\.? ?c|(?:form|schedule) [\dsfn]{1,2}-?[a-z\d]{1,3}(?:/a)?$|mark one|"
    r"commission file|"
    r"(?:exhibit|annex|appendix|schedule)\s*\W?[\w.()]{1,8}\W?$|exhibit\s+\d|"
    r"table of contents|contents$|index$|"
    r"confidential|redacted|\[?\*\*\*|certain (?:portions|confidential|identified)|portions of|"
    r"information in this exhibit|omitted|omissions|asterisks|execution (?:version|copy)|"
    r"executed (?:version|copy)|conformed copy|for immediate release|press release|news release|"
    r"quicklinks|click here|source:|page \d|draft|final$|copy$|copyright|©|all rights reserved|"
    r"arxiv:|doi:|https?:|www\.|issn|isbn|downloaded from|accepted manuscript|preprint|volume \d|"
    r"vol\. ?\d|this is a translation|in accordance with item|pursuant to|last updated|"
    r"registration no|filed |as filed|not for|strictly|private and|dated?\b|date:|to:|from:|re:|"
    r"subject:|dear |ladies and|cover page|check box",
    re.IGNORECASE,
)
_SMALL_CAPITALS = re.compile(r"\b([A-Z]) (?=[A-Z]{3,}\b)")
_LETTER = re.compile(r"[^\W\d_]")


def tidy(text: str) -> str:
    """Normalise white space, and strip decoration."""
    return " ".join(text.replace("\ufffd", " ").split()).strip(" _-–—*|·•")


def tidy_capitals(name: str) -> str:
    """Remove the gaps of small capitals, as in "MGM R ESORTS I NTERNATIONAL"."""
    name = tidy(name)
    gaps = _SMALL_CAPITALS.findall(name)
    return _SMALL_CAPITALS.sub(r"\1", name) if len(gaps) > 1 else name


def is_boilerplate(line: str) -> bool:
    """Return whether a line is common to many documents, so that it identifies none."""
    return _BOILERPLATE.match(line.strip(" \t_-–—*\"'“”[(")) is not None


def is_plausible_title(text: str) -> bool:
    """Return whether a text may be a title.

    Numbers, file names, identifiers, placeholders and boilerplate may not.
    """
    title = tidy(text)
    if not 3 <= len(title) <= 300 or len(_LETTER.findall(title)) * 3 < len(title.replace(" ", "")):
        return False
    if title.count("?") * 4 > len(title) or "\ufffd" in text:
        return False  # it was decoded wrongly
    wrong = _FILE_NAME.search(title) or _PLACEHOLDER.match(title) or _IDENTIFIER.match(title)
    return not wrong and not is_boilerplate(title)
