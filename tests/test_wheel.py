"""What is installed has both models, and the licences of what came from others."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.config import DEFAULT_MODEL, LANGUAGES_MODEL

ROOT = Path(__file__).resolve().parents[1]
pytest.importorskip("setuptools", "77", reason="older ones cannot read our pyproject.toml")


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The files of the wheel but for the sources, by what the build's own tool says."""
    from setuptools import Distribution

    monkeypatch.chdir(ROOT)
    distribution = Distribution()
    distribution.parse_config_files()
    build = distribution.get_command_obj("build_py")
    build.ensure_finalized()
    data = build.get_data_files_without_manifest()
    return {f"{folder}/{name}" for _, folder, _, names in data for name in names} | set(
        distribution.metadata.license_files
    )


def test_both_models_ship_whole(packed: set[str]) -> None:
    for model in (DEFAULT_MODEL, LANGUAGES_MODEL):
        folder = f"resources/models/{model}"
        assert {path.as_posix() for path in Path(folder).iterdir()} <= packed
        assert f"{folder}/model.safetensors" in packed


def test_what_came_from_others_is_named_with_its_licence(packed: set[str]) -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert {"LICENSE", "NOTICE", "LICENSES/Apache-2.0.txt"} <= packed
    for model in (DEFAULT_MODEL, LANGUAGES_MODEL):
        assert f"resources/models/{model}" in notice
    for licence in ("Apache License 2.0", "MIT License", "CC BY-SA 4.0"):
        assert licence in notice
