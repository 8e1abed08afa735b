"""Fixtures that tests of several packages share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from app.paths import models_folder
from indexer.config import DEFAULT_MODEL, Precision
from indexer.embed.build import ensure_compiled
from indexer.embed.models import MINILM, RECORDS, Side
from indexer.embed.record_files import find_record
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from collections.abc import Generator

# A busy machine is no failure, and what fails here fails everywhere.
settings.register_profile("lectern", deadline=None, derandomize=True)
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
def minilm_models_dir() -> Path:
    """The folder of models with the default model and the genuine one, fetched once a machine.

    It is the folder the program itself uses; ``LECTERN_MODELS`` names another.
    """
    models = Path(os.environ.get("LECTERN_MODELS") or models_folder())
    for precision in Precision:
        ensure_compiled(RECORDS[MINILM], models, precision)
        for side in Side:
            ensure_compiled(find_record(DEFAULT_MODEL), models, precision, side)
    return models


@pytest.fixture(scope="session")
def tiny_models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models with the tiny model in it; needs no network and no time."""
    models = tmp_path_factory.mktemp("models")
    install_tiny_model(models)
    return models
