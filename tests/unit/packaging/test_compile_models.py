"""What an installation compiles is what the first start opens."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

PACKAGING = Path(__file__).resolve().parents[3] / "packaging"
ON_THE_PROCESSOR = [("int8", "passages", False), ("fp32", "queries", False)]
ON_A_CARD = [("fp32", "passages", True), ("fp32", "queries", True)]


@pytest.fixture(scope="module")
def compile_models() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PACKAGING))
        return importlib.import_module("compile_models")


@pytest.mark.parametrize(
    ("providers", "expected"),
    [
        (["AzureExecutionProvider", "CPUExecutionProvider"], ON_THE_PROCESSOR),
        (["CUDAExecutionProvider", "CPUExecutionProvider"], [*ON_THE_PROCESSOR, *ON_A_CARD]),
    ],
)
def test_forms_for_accelerators_are_compiled_where_the_runtime_has_any(
    compile_models: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    providers: list[str],
    expected: list[tuple[str, str, bool]],
) -> None:
    runtime = SimpleNamespace(get_available_providers=lambda: providers)
    monkeypatch.setattr(compile_models, "load_runtime", lambda: runtime)
    assert sorted(compile_models.forms()) == sorted(expected)
