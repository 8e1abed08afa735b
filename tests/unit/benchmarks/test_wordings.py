"""The wordings of one question."""

from __future__ import annotations

import pytest

from tests.benchmarks.wordings import FORMS, reworded


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_a_question_in_one_wording_is_put_in_all(number: int) -> None:
    parts = {"one": "aspirin (100 mg)", "other": "no drug", "outcome": "pain at night"}
    found, texts = reworded(FORMS[number].format(**parts))
    assert found == number
    assert texts == tuple(form.format(**parts) for form in FORMS)


def test_another_question_has_none_of_them() -> None:
    with pytest.raises(ValueError, match="Who pays"):
        reworded("Who pays the rent?")
