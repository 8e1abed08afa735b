"""The tokens of TeX, tables of commands, and the characters of symbols and accents.

Nothing is executed: macros that a file defines are not expanded. The symbols are those of
pylatexenc. Its parser is not used: for 120 bytes of open brackets it takes minutes, it fails at two
hundred nested braces, and it reads 90 kB a second.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

TOKEN = re.compile(
    r"(?P<comment>%[^\n]*(?:\n(?![ \t]*\n)[ \t]*)?)"
    r"|\\(?P<word>[a-zA-Z@]+)\*?[ \t]*"
    r"|\\(?P<sign>.)"
    r"|(?P<blank>\n[ \t\r]*\n\s*)"
    r"|(?P<open>\{)|(?P<close>\})"
    r"|(?P<math>\$\$?)"
    r"|(?P<amp>&)"
    r"|(?P<text>[^\\%{}$&\n]+|\n)"
    r"|(?P<lone>\\)",
    re.DOTALL,
)
HEADINGS = {
    "part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6,
    "subparagraph": 7, "frametitle": 3, "framesubtitle": 4,
}  # fmt: skip
# Commands whose arguments are no text, with the number of arguments.
SILENT = {
    "label": 1, "ref": 1, "eqref": 1, "pageref": 1, "autoref": 1, "cref": 1, "Cref": 1, "cite": 1,
    "citep": 1, "citet": 1, "citeauthor": 1, "citeyear": 1, "parencite": 1, "textcite": 1,
    "footcite": 1, "autocite": 1, "nocite": 1, "bibliographystyle": 1, "bibliography": 1,
    "addbibresource": 1, "usepackage": 1, "documentclass": 1, "RequirePackage": 1, "input": 1,
    "include": 1, "includeonly": 1, "includegraphics": 1, "graphicspath": 1, "vspace": 1,
    "hspace": 1, "pagestyle": 1, "thispagestyle": 1, "pagenumbering": 1, "setlength": 2,
    "addtolength": 2, "setcounter": 2, "addtocounter": 2, "newcommand": 2, "renewcommand": 2,
    "providecommand": 2, "DeclareMathOperator": 2, "newenvironment": 3, "renewenvironment": 3,
    "newtheorem": 2, "hypersetup": 1, "geometry": 1, "color": 1, "textcolor": 1, "colorbox": 1,
    "definecolor": 3, "lstset": 1, "tikzset": 1, "usetikzlibrary": 1, "index": 1, "glossary": 1,
    "hyphenation": 1, "rule": 2, "multicolumn": 2, "multirow": 2, "cline": 1, "cmidrule": 1,
    "fontsize": 2, "href": 1, "special": 1, "usetheme": 1, "usecolortheme": 1, "selectlanguage": 1,
    "foreignlanguage": 1, "phantom": 1, "hphantom": 1, "vphantom": 1, "raisebox": 1, "write": 1,
    "captionsetup": 1, "theoremstyle": 1, "numberwithin": 2, "counterwithin": 2,
}  # fmt: skip
FIELDS = frozenset({"title", "author", "date"})
SILENT_ENVIRONMENTS = frozenset({"tikzpicture", "pgfpicture", "picture", "axis"})
TABLES = frozenset({"tabular", "tabularx", "longtable", "array", "supertabular", "tabu"})
WITH_ARGUMENT = {
    "tabularx": 2,
    "minipage": 1,
    "wrapfigure": 2,
    "multicols": 1,
    "thebibliography": 1,
}
LISTS = frozenset({"itemize", "enumerate", "description", "thebibliography"})
# Environments whose content is not TeX.
VERBATIM = frozenset(
    {"verbatim", "Verbatim", "lstlisting", "minted", "alltt", "filecontents", "comment"}
)

_COMBINING = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a", "d": "\u0323", "b": "\u0331",
}  # fmt: skip
ACCENT_SYMBOLS = frozenset("\"'`^~=.")
ACCENT_WORDS = frozenset("uvHckrdb")
# Symbols that pylatexenc lacks or maps to other characters.
_OWN = {
    "%": "%", "\n": " ", "i": "i", "j": "j", "sqrt": "√", "ne": "≠", "space": " ", "quad": " ",
    "qquad": " ", "newline": "\n", "linebreak": "\n", "textbar": "|", "textless": "<",
    "textgreater": ">", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "euro": "€", "EUR": "€",
    "pounds": "£", "S": "§", "P": "¶", "copyright": "©", "TeX": "TeX", "LaTeX": "LaTeX",
    "BibTeX": "BibTeX",
}  # fmt: skip


def symbol_of(command: str) -> str:
    """Return the character that a command prints, "" if it is no known symbol."""
    return _OWN.get(command) or _symbols().get(command, "")


@lru_cache(maxsize=1)
def _symbols() -> dict[str, str]:
    from pylatexenc.latex2text import get_default_latex_context_db

    specs: Any = get_default_latex_context_db().iter_macro_specs()
    texts = {spec.macroname: spec.simplify_repl for spec in specs}
    functions = {name: f"{name} " for name, text in texts.items() if text == name}
    # Longer texts are templates with arguments, and the current date.
    return functions | {
        name: text for name, text in texts.items() if isinstance(text, str) and len(text) == 1
    }


def accented(accent: str, letter: str) -> str:
    """Put an accent on a letter."""
    return unicodedata.normalize("NFC", letter + _COMBINING.get(accent, ""))


def typeset(text: str) -> str:
    """Replace TeX's ligatures of ASCII characters."""
    if "-" in text:
        text = text.replace("---", "—").replace("--", "–")
    if "`" in text or "'" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    return text.replace("~", "\xa0")
