"""Fixtures that tests of several packages share."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.encrypting import why_no_encryption
from tests.mounting import Mounter, can_mount
from tests.object_storage import MOTO, WITHOUT, s3_server
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

TESTS = Path(__file__).parent
# Modules that kill, damage, fill, wait for and index whole engines again and again: two thirds of
# the time of all tests. They are marked as slow, for `make test-slow`; so are single tests of other
# modules that take seconds for an accident that is rare.
SLOW = frozenset(
    f"{folder}/test_{name}.py"
    for folder, names in {
        "e2e": (
            "browser cli_models cli_pace cli_repair cli_watch confined copies people_files "
            "published real_engine self_test trust"
        ),
        "fuzz": "fuzz",
        "integration": (
            "archives attachments bad_clients bad_input bad_library bad_requests benchmarks "
            "change_of_model cluster cluster_readers crashes damage edits encryption "
            "extract_process failing_writes hard_files illegible images kill languages_model "
            "legible_corpora meanwhile moved older_library pace "
            "reindex render_child rescue scan_places scans soak store_kill "
            "watching"
        ),
        "ui/walk": "walk",
        "unit/embed": "late",
    }.items()
    for name in names.split()
)

# A busy machine is no failure. CI tries the same examples each time, people try new ones.
settings.register_profile("lectern", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("lectern")

# A command's engine ends with it, so that libraries can be deleted, damaged and moved.
os.environ["LECTERN_ENGINE_STAYS"] = "0"


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests of slow modules, all of which must be there."""
    if gone := sorted(name for name in SLOW if not (TESTS / name).is_file()):
        raise pytest.UsageError(f"tests/conftest.py calls slow what is not there: {gone}")
    for item in items:
        if item.path.is_relative_to(TESTS) and item.path.relative_to(TESTS).as_posix() in SLOW:
            item.add_marker(pytest.mark.slow)


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
def gocryptfs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where a library cannot be encrypted, as without gocryptfs or in most containers."""
    if reason := why_no_encryption(tmp_path_factory.mktemp("encrypted")):
        pytest.skip(reason)


@pytest.fixture(scope="session")
def tiny_models_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models with the tiny model in it; needs no network and no time."""
    models = tmp_path_factory.mktemp("models")
    install_tiny_model(models)
    return models


@pytest.fixture(scope="session")
def s3() -> Iterator[int]:
    """The port of a server of S3; skip where it is not installed."""
    if not MOTO.is_dir():
        pytest.skip(WITHOUT)
    with s3_server() as port:
        yield port


@pytest.fixture
def mounter() -> Iterator[Mounter]:
    if not can_mount():
        pytest.skip("only root on Linux may mount")
    with contextlib.closing(Mounter()) as mounter:
        yield mounter
