"""TeX as a stream of tokens, and what its signs and accents stand for.

Owns the syntax and the tables of characters; it must not know what commands do to a document. TeX
is a programming language: nothing is executed, what a file defines for itself stays what it is.
"""

from __future__ import annotations

import re
import unicodedata

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
SIGNS = {
    "&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", ",": " ",
    ";": " ", ":": " ", "!": "", "/": "", "-": "\xad", "@": "", "\n": " ", "\\": "\n",
    "(": "", ")": "", "[": "", "]": "",
}  # fmt: skip
WORDS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "aa": "å", "AA": "Å", "i": "i", "j": "j", "dh": "ð", "th": "þ", "ldots": "…", "dots": "…",
    "cdots": "…", "textellipsis": "…", "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">", "textdegree": "°",
    "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "glqq": "„", "grqq": "“", "flqq": "«",
    "frqq": "»", "euro": "€", "EUR": "€", "pounds": "£", "S": "§", "P": "¶", "copyright": "©",
    "texttrademark": "™", "textregistered": "®", "TeX": "TeX", "LaTeX": "LaTeX", "BibTeX": "BibTeX",
    "quad": " ", "qquad": " ", "space": " ", "newline": "\n", "linebreak": "\n", "times": "×",
    "cdot": "·", "pm": "±", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠",
    "approx": "≈", "sim": "∼", "equiv": "≡", "infty": "∞", "sum": "∑", "prod": "∏", "int": "∫",
    "partial": "∂", "nabla": "∇", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆",
    "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "to": "→", "rightarrow": "→",
    "leftarrow": "←", "Rightarrow": "⇒", "mapsto": "↦", "langle": "⟨", "rangle": "⟩", "sqrt": "√",
    "ell": "ℓ", "hbar": "ħ", "circ": "∘", "bullet": "•", "dagger": "†", "star": "⋆", "prime": "′",
}  # fmt: skip
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
    "sigma tau upsilon phi chi psi omega"
)
for _name in _GREEK.split():
    WORDS[_name] = unicodedata.lookup(
        f"GREEK SMALL LETTER {'LAMDA' if _name == 'lambda' else _name}"
    )
    WORDS[_name.capitalize()] = WORDS[_name].upper()
WORDS |= {"varepsilon": "ε", "varphi": "φ", "vartheta": "θ", "varrho": "ρ", "varsigma": "ς"}


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
