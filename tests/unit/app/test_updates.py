"""A list of releases counts only if it is signed with the key in the program, whole and fresh."""

from __future__ import annotations

import base64
import importlib
import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app import cli, updates
from app.updates import Release, Source, newer, opened, own_source
from indexer.api.errors import WorldError
from indexer.embed import connections

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
TODAY = date(2026, 11, 22)
ADDRESS = "https://releases.example/list.json"


@dataclass(frozen=True)
class Publisher:
    """A publisher of releases, with the packaging's own program."""

    release: ModuleType
    key: Path
    public: str

    def announce(self, dist: Path, version: str, today: date = TODAY) -> str:
        content = self.release.announcement(dist, "https://releases.example", version, today)
        return str(self.release.signed(content, self.key))


@pytest.fixture(scope="module")
def release() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        return importlib.import_module("release")


@pytest.fixture
def publisher(release: ModuleType, tmp_path: Path) -> Publisher:
    key = tmp_path / "key"
    return Publisher(release, key, release.new_key(key))


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "lectern_2.0.0_amd64.deb").write_bytes(b"a package")
    (folder / "SHA256SUMS").write_text("not a package")
    return folder


def refused(packed: str, key: str, today: date = TODAY) -> str:
    with pytest.raises(WorldError) as caught:
        opened(packed, key, today)
    assert caught.value.code == "update_refused"
    return caught.value.reason


def test_a_published_list_is_read(publisher: Publisher, dist: Path) -> None:
    (found,) = opened(publisher.announce(dist, "2.0.0"), publisher.public, TODAY).releases
    assert (found.version, found.day) == ("2.0.0", "2026-11-22")
    (file,) = found.files
    assert file.address == "https://releases.example/lectern_2.0.0_amd64.deb"
    assert len(file.sha256) == 64


def test_a_list_signed_with_another_key_is_refused(
    publisher: Publisher, dist: Path, release: ModuleType, tmp_path: Path
) -> None:
    other = release.new_key(tmp_path / "other")
    assert refused(publisher.announce(dist, "2.0.0"), other) == "wrong_signature"


def test_a_changed_list_is_refused(publisher: Publisher, dist: Path) -> None:
    packed = json.loads(publisher.announce(dist, "2.0.0"))
    content = base64.b64decode(packed["signed"]).replace(b"2.0.0", b"9.0.0")
    packed["signed"] = base64.b64encode(content).decode()
    assert refused(json.dumps(packed), publisher.public) == "wrong_signature"


def test_an_expired_list_is_refused(publisher: Publisher, dist: Path) -> None:
    packed = publisher.announce(dist, "2.0.0")
    assert refused(packed, publisher.public, date(2027, 11, 22)) == "releases_expired"


@pytest.mark.parametrize("packed", ["", "[]", "{}", '{"signed": "?", "signature": ""}', "<html>"])
def test_a_file_that_is_no_list_is_refused(publisher: Publisher, packed: str) -> None:
    assert refused(packed, publisher.public) == "not_releases"


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{}",
        '{"until": "soon"}',
        '{"until": "2026-13-01"}',
        '{"until": "2027-01-01", "releases": [{"version": "new"}]}',
    ],
)
def test_a_signed_but_invalid_list_is_refused(publisher: Publisher, content: str) -> None:
    packed = publisher.release.signed(content.encode(), publisher.key)
    assert refused(packed, publisher.public) == "not_releases"


def test_a_key_is_written_once_and_for_its_owner(publisher: Publisher) -> None:
    assert publisher.key.stat().st_mode & 0o077 == 0
    with pytest.raises(FileExistsError):
        publisher.release.new_key(publisher.key)


@pytest.mark.parametrize(
    ("own", "told"), [("1.9.9", "2.0.0"), ("1.10", "2.0.0"), ("2.0.0", ""), ("2.0.1", "")]
)
def test_only_a_newer_version_is_returned(
    publisher: Publisher, dist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    own: str, told: str,
) -> None:  # fmt: skip
    packed = publisher.announce(dist, "2.0.0", date.today())  # noqa: DTZ011  # of this machine
    monkeypatch.setattr(updates, "SOURCE", Source(ADDRESS, publisher.public))
    monkeypatch.setattr(updates, "_fetch_outside", lambda: packed)
    found = newer(own, tmp_path, offline=False)
    assert (found.version if isinstance(found, Release) else "") == told
    (made,) = connections.read(tmp_path)
    assert (made.what, made.outcome) == (f"GET {ADDRESS}", "connected")


def test_nothing_is_fetched_without_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def contacted() -> str:
        pytest.fail("somebody was contacted")

    monkeypatch.setattr(updates, "_fetch_outside", contacted)
    for source, said in ((Source(ADDRESS, "key"), ADDRESS), (Source(), "names no place")):
        monkeypatch.setattr(updates, "SOURCE", source)
        assert cli.main(["updates"]) == 0
        assert said in capsys.readouterr().out
    assert cli.main(["updates", "--check"]) == 0  # there is no place to ask
    assert "names no place" in capsys.readouterr().out


def test_the_address_is_https_and_comes_with_a_key() -> None:
    source = own_source()
    assert source.address == "" or source.address.startswith("https://")
    assert bool(source.address) == bool(source.key)
