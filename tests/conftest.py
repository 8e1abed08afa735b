"""Fixtures that tests of several packages share."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.mounting import Mounter, can_mount
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

# A busy machine is no failure. CI tries the same examples each time, people try new ones.
settings.register_profile("lectern", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("lectern")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Log lines name files whose names are not UTF-8; the way to the main process is."""
    report = yield
    report.sections = [
        (title, text.encode("utf-8", "backslashreplace").decode())
        for title, text in report.sections
    ]
    return report


@pytest.fixture(scope="session")
def own_models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder of models, for tests of those that come with Lectern."""
    return tmp_path_factory.mktemp("own-models")


@pytest.fixture(scope="session")
def tiny_models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models with the tiny model in it; needs no network and no time."""
    models = tmp_path_factory.mktemp("models")
    install_tiny_model(models)
    return models


@pytest.fixture
def mounter() -> Iterator[Mounter]:
    if not can_mount():
        pytest.skip("only root on Linux may mount")
    with contextlib.closing(Mounter()) as mounter:
        yield mounter
