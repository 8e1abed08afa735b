"""The stored token states of tiny models are what the installed transformers computes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tiny_families import FAMILIES, kept_states, torch_states

# torch and its company deprecate things of their own.
pytestmark = [pytest.mark.convert, pytest.mark.filterwarnings("default")]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_kept_states_are_those_of_transformers(name: str) -> None:
    pytest.importorskip("transformers", reason="needs `make test-convert`")
    for found, kept in zip(torch_states(name), kept_states(name), strict=True):
        np.testing.assert_allclose(found, kept, atol=1e-5)
