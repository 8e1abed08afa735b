"""The checks of the devices and of the processor in ``doctor``."""

from __future__ import annotations

import pytest

from indexer.api.phrases import Note
from indexer.engine.status import check_devices, processor_path

ABSENT = {name: Note("device_absent", {"device": name}) for name in ("directml", "coreml")}
CPU = {"cpu": Note("device_runs")}


def test_a_provider_that_is_not_installed_is_no_problem() -> None:
    assert check_devices({**ABSENT, **CPU}) == (
        "devices", True, "cpu: it runs; not in the installed ONNX Runtime: directml, coreml", "",
    )  # fmt: skip


def test_a_provider_that_is_refused_is_one_with_its_reason() -> None:
    wrong = Note("device_wrong", {"device": "cuda", "error": "0.4"})
    _, ok, said, advice = check_devices({"cuda": wrong, **ABSENT, **CPU})
    assert not ok
    assert "cuda: cuda computes other numbers than the processor (error 0.4)" in said
    assert advice.startswith("It is not used.")
    # Of two that CUDA's package has, one is enough.
    both = {"cuda": Note("device_tested"), "tensorrt": wrong, **CPU}
    assert check_devices(both)[1]


@pytest.mark.parametrize(
    ("features", "said"),
    [
        (
            {"avx2", "avx512bw", "avx512_vnni", "avx512_bf16"},
            "8 bits by AVX-512 VNNI; has bfloat16; no AMX",
        ),
        ({"avx2", "avx512_vnni", "amx_int8", "amx_tile"}, "8 bits by AMX; no bfloat16; has AMX"),
        ({"asimd", "asimddp"}, "8 bits by dot products of NEON"),
        (set(), "unknown"),
    ],
)
def test_the_path_of_a_processor_is_said(features: set[str], said: str) -> None:
    assert processor_path(frozenset(features)) == said
