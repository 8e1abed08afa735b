"""Notebooks, LaTeX and source code."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.document import Budget
from indexer.extract.markup.tex import TexReader
from indexer.extract.page_writer import PageWriter
from indexer.extract.plain.code import code_blocks
from tests.fuzz.samples import CODE, NOTEBOOK, SENTENCE, TEX
from tests.unit.extract.reading import check, read

if TYPE_CHECKING:
    from pathlib import Path


def test_cells_are_pages(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(NOTEBOOK)
    found = read(tmp_path / "a.ipynb")
    assert found.count == 2
    assert found.blocks(1) == [("furniture", "# "), ("heading1", "Oil"), ("paragraph", SENTENCE)]
    assert found.blocks(2) == [("code", "burn(12)"), ("code", "burnt 12")]
    assert (found.metadata.title, found.metadata.author) == ("Measured Lamps", "Mina Harker")


def test_notebooks_of_the_old_version(tmp_path: Path) -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Oil"}, {"input": ["x = 1"]}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"worksheets": [{"cells": cells}]}))
    assert read(tmp_path / "a.ipynb").blocks() == [("heading2", "Oil"), ("code", "x = 1")]


@pytest.mark.parametrize(
    "content",
    ["{", "[]", '{"x": 1}', "[" * 100_000, '{"cells": 3, "worksheets": 7}', '{"cells": [1, null]}',
     '{"cells": [{"cell_type": "code", "source": {"a": 1}, "outputs": [7, {"data": [1]}]}]}',
     '{"cells": [{"cell_type": "heading", "level": "x", "source": 9}], "metadata": []}'],
)  # fmt: skip
def test_invalid_notebooks_are_rejected(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.ipynb").write_text(content)
    with suppress(WorldError):
        assert read(tmp_path / "a.ipynb").text.strip() == ""


def test_latex(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_bytes(TEX)
    found = read(tmp_path / "a.tex")
    assert found.blocks() == [
        ("heading1", "On Lamps"),
        ("heading3", "Oil"),
        ("paragraph", f"{SENTENCE} Schrödinger's café costs 5% more when α≤2."),
        ("paragraph", "A note below."),
        ("list_item", "First point"),
        ("list_item", "Second point"),
        ("table", "Year\tOil\n1890\t12"),
        ("code", "raw % text {"),
    ]


def tex(text: str) -> str:
    writer = PageWriter(Budget(Limits()))
    reader = TexReader(text, writer)
    while reader.read(1000):
        pass
    pages = list(writer.finish())
    check(pages, 1)
    return "\n".join(page.text for page in pages)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\v{c}aj \c cedille \'{\i}n \H{o} \~n", "čaj çedille ín ő ñ"),
        (r"na\"{\i}ve \ss tra\ss e", "naïve ßtraße"),
        (r"\lceil x\rceil \textcelsius \sin x \vspace{1cm}\% \today", "⌈x⌉℃sin x %"),
        (r"a\&b \$5 \#1 \{x\} y\_z", "a&b $5 #1 {x} y_z"),
        ("a---b -- ``c'' ~d", "a—b – “c” d"),
        (r"see~\cite[p.~3]{x}, \ref{y}", "see , "),
        (r"\unknown[opt]{kept} \textbf{bold \emph{both}}", "kept bold both"),
        (r"\frac{a}{b}", "a b"),
        ("x % gone\ny", "x y"),
        (r"\def\foo#1{gone}kept", "kept"),
        (r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}after", "after"),
        (r"\footnote{one \footnote{two} three}x", "x\ntwo\none three"),
        ("}}}a", "a"),
        (r"\section{open", "open"),
        (r"\begin{nowhere", ""),
        ("\\", ""),
    ],
)
def test_commands(source: str, expected: str) -> None:
    assert tex(source).strip() == expected.strip()


@given(
    st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                "\\",
                "\\begin{tabular}",
                "\\end{tabular}",
                "&",
                "$",
                "\\\\",
                "\\item",
                "\n\n",
                "%",
                "x ",
                "\\section",
                "\\'",
                "[",
                "]",
            ]
        )
    )
)
def test_any_order_of_tex_tokens_is_read(parts: list[str]) -> None:
    tex("".join(parts))


def test_endless_braces_are_read() -> None:
    assert tex("{" * 50_000 + "deep" + "}" * 50_000) == "deep"
    assert "deep" in tex(r"\footnote{" * 2_000 + "deep")
    assert "deep" in tex(r"\section{" * 2_000 + "deep")


def test_definitions_head_their_code_and_comments_are_prose(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(CODE)
    found = read(tmp_path / "a.py")
    assert found.text == CODE.decode()
    assert found.blocks() == [
        ("code", '"""Lamps."""'),
        ("heading1", "class Lamp:"),
        ("code", '    """Burns oil."""'),
        ("heading3", "def burn(self, litres: int) -> None:"),
        ("paragraph", "        # Slowly, all night."),
        ("code", "        self.left -= litres"),
    ]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("pub(crate) fn burn() {", 1), ("  async function burn() {", 2), ("func (l) Burn() {", 0),
        ("func Burn() {", 1), ("export default class Lamp {", 1), ("CREATE TABLE lamps (", 1),
        ("type Lamp struct {", 1), ("define the oil;", 0), ("x = 1", 0), ("class Lamp;", 0),
    ],
)  # fmt: skip
def test_definitions_are_detected(line: str, level: int) -> None:
    (block,) = code_blocks(line)
    assert block.level == level


def test_scripts_are_known_by_their_first_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("#!/bin/sh\necho oil\n")
    assert read(tmp_path / "run").form == "code"


@given(st.text(alphabet="ab# /\n\tdef{}", max_size=200))
def test_every_character_of_code_is_in_a_block(text: str) -> None:
    covered: set[int] = set()
    for block in code_blocks(text):
        covered.update(range(block.start, block.end))
    assert all(at in covered for at, char in enumerate(text) if not char.isspace())
