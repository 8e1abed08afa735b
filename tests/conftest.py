"""Fixtures that tests of several packages share."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from hypothesis import settings

from app.paths import models_folder
from indexer.embed.fetch import ensure_source
from indexer.embed.models import MINILM, RECORDS
from tests.mounting import Mounter, can_mount
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

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
def minilm_models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the default model and the genuine one, which compile there once for all workers.

    The genuine one's weights are fetched once a machine, into the folder that the program itself
    uses; ``LECTERN_MODELS`` names another.
    """
    record = RECORDS[MINILM]
    fetched = Path(os.environ.get("LECTERN_MODELS") or models_folder())
    source = ensure_source(record, fetched / MINILM / "source")
    base = tmp_path_factory.getbasetemp()
    models = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "genuine-models"
    models.mkdir(exist_ok=True)
    with FileLock(models / "copy.lock"):
        ensure_source(record, models / MINILM / "source", places=(source,))
    return models


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
