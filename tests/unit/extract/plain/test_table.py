"""Delimiter-separated tables: whole rows, and offsets into the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import BlockKind
from indexer.extract.plain.table import table_blocks
from tests.fuzz.samples import CSV
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path


def test_the_text_is_the_file_and_the_first_row_names_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CSV)
    found = read(tmp_path / "a.csv")
    assert found.text == CSV.decode()
    assert found.blocks()[0] == ("heading1", "Name;Year;Oil")
    assert found.blocks()[1][0] == "table"


def test_rows_with_line_ends_in_quotes_stay_whole() -> None:
    row = 'a,"two\nlines",b\n'
    text = row * 2000
    for block in table_blocks(text):
        assert text[block.start : block.end].count('"') % 2 == 0


def test_an_unclosed_quote_does_not_join_all_rows() -> None:
    text = 'a,"b\n' + "c,d\n" * 5000
    assert len(list(table_blocks(text))) > 2


def test_a_row_of_numbers_has_no_column_names() -> None:
    text = "1,2\n" * 50
    assert [block.kind for block in table_blocks(text)] == [BlockKind.TABLE]


@given(st.text(alphabet='ab,;"\t\n\r 1', max_size=300))
def test_every_character_that_can_be_read_is_in_a_block(text: str) -> None:
    covered: set[int] = set()
    end = 0
    for block in table_blocks(text):
        assert end <= block.start < block.end <= len(text)
        end = block.end
        covered.update(range(block.start, block.end))
    assert all(at in covered for at, char in enumerate(text) if char in "ab1")
