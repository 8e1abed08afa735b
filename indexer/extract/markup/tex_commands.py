"""What the commands and environments of LaTeX do to the text: a table, no code."""

from __future__ import annotations

HEADINGS = {
    "part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5, "paragraph": 6,
    "subparagraph": 7, "frametitle": 3, "framesubtitle": 4,
}  # fmt: skip
# Commands whose arguments are no text, and how many they have.
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
