"""The check of the devices in ``doctor``."""

from __future__ import annotations

from indexer.api.phrases import Note
from indexer.engine.status import check_devices

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
