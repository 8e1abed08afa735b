"""TeX as a stream of tokens, and what its signs and accents stand for.

Owns the syntax and the way to characters; it must not know what commands do to a document. TeX is
a programming language: nothing is executed, what a file defines for itself stays what it is. The
signs are those of pylatexenc. Its parser is not used: for 120 bytes of brackets that stay open it
takes minutes, of braces it bears two hundred, and it reads 90 kB a second.
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
# \begin{verbatim} … \end{verbatim}: no TeX inside.
VERBATIM = frozenset(
    {"verbatim", "Verbatim", "lstlisting", "minted", "alltt", "filecontents", "comment"}
)

_COMBINING = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a", "d": "\u0323", "b": "\u0331",
}  # fmt: skip
ACCENT_SIGNS = frozenset("\"'`^~=.")
ACCENT_WORDS = frozenset("uvHckrdb")
# What the library does not know, or not as what takes accents and is searched for.
_OWN = {
    "%": "%", "\n": " ", "i": "i", "j": "j", "sqrt": "√", "ne": "≠", "space": " ", "quad": " ",
    "qquad": " ", "newline": "\n", "linebreak": "\n", "textbar": "|", "textless": "<",
    "textgreater": ">", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "euro": "€", "EUR": "€",
    "pounds": "£", "S": "§", "P": "¶", "copyright": "©", "TeX": "TeX", "LaTeX": "LaTeX",
    "BibTeX": "BibTeX",
}  # fmt: skip


def sign_of(command: str) -> str:
    """Return what a command prints by itself, "" if it is not known to be a sign."""
    return _OWN.get(command) or _signs().get(command, "")


@lru_cache(maxsize=1)
def _signs() -> dict[str, str]:
    from pylatexenc.latex2text import get_default_latex_context_db

    specs: Any = get_default_latex_context_db().iter_macro_specs()
    texts = {spec.macroname: spec.simplify_repl for spec in specs}
    functions = {name: f"{name} " for name, text in texts.items() if text == name}
    # What else is text is templates for arguments, and the date of today.
    return functions | {
        name: text for name, text in texts.items() if isinstance(text, str) and len(text) == 1
    }


def accented(accent: str, letter: str) -> str:
    """Put an accent on a letter."""
    return unicodedata.normalize("NFC", letter + _COMBINING.get(accent, ""))


def typeset(text: str) -> str:
    """Return what TeX's own ligatures of plain characters stand for."""
    if "-" in text:
        text = text.replace("---", "—").replace("--", "–")
    if "`" in text or "'" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    return text.replace("~", "\xa0")
