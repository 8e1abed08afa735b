"""Numbers of lists, pages and headings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.numerals import roman_value, written_number


@given(st.integers(1, 3999))
def test_roman_numerals_are_read_as_they_are_written(number: int) -> None:
    assert roman_value(written_number(number, "lowerRoman")) == number
    assert written_number(number, "upperRoman") == written_number(number, "lowerRoman").upper()


def test_letters_repeat_after_z() -> None:
    letters = [written_number(number, "lowerLetter") for number in (1, 26, 27, 52, 53)]
    assert letters == ["a", "z", "aa", "zz", "aaa"]


def test_numbers_without_such_a_form_are_decimal() -> None:
    assert written_number(0, "upperLetter") == "0"
    assert written_number(4000, "lowerRoman") == "4000"
    assert written_number(7, "decimalZero") == "07"
