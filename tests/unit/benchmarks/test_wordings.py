"""The wordings of one question."""

from __future__ import annotations

import pytest

from tests.benchmarks.wordings import FORMS, NAMING_FORMS, naming_wordings, reworded


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_a_question_in_one_wording_is_put_in_all(number: int) -> None:
    parts = {"one": "aspirin (100 mg)", "other": "no drug", "outcome": "pain at night"}
    found, texts = reworded(FORMS[number].format(**parts))
    assert found == number
    assert texts == tuple(form.format(**parts) for form in FORMS)


def test_a_contract_is_named_in_all_forms() -> None:
    texts = naming_wordings("Consider the Lease between A, Inc.; B; C; Is there a cap?")
    assert len(texts) == len(NAMING_FORMS)
    assert texts[1:] == (
        "In the Lease between A, Inc. and B and C, is there a cap?",
        "Is there a cap, in the Lease between A, Inc. and B and C?",
    )
    with pytest.raises(ValueError, match="Is there"):
        naming_wordings("Is there a cap?")


def test_another_question_has_none_of_them() -> None:
    with pytest.raises(ValueError, match="Who pays"):
        reworded("Who pays the rent?")
