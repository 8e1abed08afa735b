"""Each old fault can be put back into the tree of today, and its tests are there."""

from __future__ import annotations

import pytest

from tests.faults.rows import ROOT, Fault, faults


@pytest.mark.parametrize("fault", [pytest.param(row, id=name) for name, row in faults().items()])
def test_it_can_be_put_back(fault: Fault) -> None:
    compile(fault.put_back((ROOT / fault.file).read_text("utf-8")), fault.file, "exec")
    for test in fault.tests:
        path, _, name = test.partition("::")
        assert (ROOT / path).exists()
        assert not name or f"def {name}(" in (ROOT / path).read_text("utf-8")
