"""What each command does with a library that is named by a URI: it reads, refuses or uses none."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from app.cli import COMMANDS, main, parse
from app.cli_common import LIBRARY_VARIABLE, LibraryUse
from app.doors.mcp_bundle import manifest

if TYPE_CHECKING:
    from pathlib import Path

NONE, ASKS, READS, CHANGES = LibraryUse
URI = "s3://firm/archive"
SECRET = "9xT7secret"
#: Of every command what it does, for each of the actions that differ.
USES = {
    "gui": {"": READS},
    "index": {"/documents": CHANGES},
    "search": {"lease": ASKS},
    "compare": {"a.txt b.txt": ASKS},
    "text": {"a.txt": ASKS},
    "status": {"": ASKS},
    "files": {"": ASKS},
    "remove": {"/documents": CHANGES, "--everything --yes": CHANGES},
    "move-library": {"/elsewhere": CHANGES},
    "pause": {"": CHANGES},
    "resume": {"": CHANGES},
    "pace": {"": READS, "slow": CHANGES},
    "retry": {"": CHANGES},
    "estimate": {"/documents": READS},
    "encrypt": {"": CHANGES},
    "decrypt": {"": CHANGES},
    "unlock": {"": CHANGES},
    "lock": {"": CHANGES},
    "library": {
        "publish s3://firm/copy": READS,
        "pull s3://firm/other --to /here": NONE,
        "open s3://firm/other": NONE,
    },
    "cluster": {"build /documents --to s3://firm/other": NONE, "status s3://firm/other": NONE},
    "shard": {"--first 1 --reader tiny": CHANGES},
    "verify": {"": ASKS},
    "repair": {"": CHANGES},
    "reindex": {"": CHANGES, "--rollback": CHANGES, "--dry-run": READS},
    "models": {
        "": NONE,
        "info tiny": NONE,
        "get tiny": NONE,
        "import /model": NONE,
        "remove tiny": NONE,
        "use tiny": CHANGES,
        "use tiny --dry-run": READS,
        "compare --queries q.txt": READS,
    },
    "doctor": {"": READS},
    "report": {"": NONE},
    "self-test": {"": NONE},
    "settings": {"": NONE, "set precision int8": NONE},
    "doors": {"": ASKS, "allow serve --everything": ASKS, "log": ASKS},
    "mcp": {"": ASKS},
    "serve": {"": ASKS},
    "desktop": {"": ASKS},
    "engine": {"": ASKS, "--watch": ASKS},
    "demo": {"": NONE},
}  # fmt: skip
EACH = [(name, words, use) for name, actions in USES.items() for words, use in actions.items()]
REFUSED = [(name, words) for name, words, use in EACH if use is CHANGES]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DATA", "CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.delenv(LIBRARY_VARIABLE, raising=False)
    return tmp_path


def test_of_every_command_it_is_known_what_it_does() -> None:
    assert [command.name for command in COMMANDS] == list(USES)
    declared = {command.name: command for command in COMMANDS}
    for name, words, use in EACH:
        assert declared[name].use(parse([name, *words.split()])) is use, f"{name} {words}"


@pytest.mark.parametrize(("name", "words"), REFUSED)
def test_what_would_change_it_is_refused(
    name: str, words: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--library", URI, name, *words.split()]) == 3
    said = capsys.readouterr().err
    assert f"The library {URI} is published: it is searched, but not changed. [" in said
    assert "[library_published]" in said
    assert "`lectern library pull`" in said
    assert not (home / "cache").exists()


@pytest.mark.parametrize("by", ["option", "variable", "setting"])
def test_a_uri_counts_wherever_it_is_named(
    by: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    given = ["--library", URI] if by == "option" else []
    if by == "variable":
        monkeypatch.setenv(LIBRARY_VARIABLE, URI)
    if by == "setting":
        assert main(["settings", "set", "library", URI]) == 0
    assert main([*given, "index", str(home)]) == 3
    assert URI in capsys.readouterr().err
    assert main([*given, "settings", "get", "precision"]) == 0
    assert main([*given, "models", "list"]) == 0


@pytest.mark.parametrize(
    "uri",
    [
        f"s3://KEY:{SECRET}@firm/archive",
        f"s3://KEY:{SECRET}/more@firm/archive",
        f"s3://{SECRET}@firm/archive",
        f"az://firm/archive?sig={SECRET}",
        f"https://anna:{SECRET}@firm.example/archive",
        f"s3://firm/archive#{SECRET}\n{SECRET}",
    ],
)
@pytest.mark.parametrize(
    "line",
    ["--library URI status", "--library URI index", "--library URI gui", "library publish URI",
     "library pull URI --to here", "library open URI", "cluster status URI",
     "cluster build . --to URI", "cluster build URI --to file:///PLACE"],
)  # fmt: skip
def test_credentials_in_a_uri_are_refused_and_said_nowhere(
    uri: str, line: str, home: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(home)
    words = [word.replace("PLACE", str(home)[1:]) for word in line.split(" ")]
    assert main([uri if word == "URI" else word for word in words]) == 4
    said = capsys.readouterr()
    assert "[store_failed]" in said.err
    assert "credentials" in said.err
    assert SECRET not in said.out + said.err
    files = [path for path in home.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    assert not [path for path in home.rglob("*") if SECRET in path.name]


@pytest.mark.parametrize("uri", ["ftp://firm/archive", "s3://", "file://", "file:///", "S3://a/b"])
def test_what_is_no_uri_of_a_place_is_said(uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--library", uri, "status"]) == 4
    assert f"The library {uri} was neither" in capsys.readouterr().err


def test_an_assistants_bundle_names_the_uri() -> None:
    arguments = manifest("1.0", URI)["server"]["mcp_config"]["args"]
    assert arguments[-3:] == ["--library", URI, "mcp"]


@pytest.mark.skipif(sys.platform == "win32", reason="names of folders")
def test_a_folder_may_have_a_colon(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--library", str(tmp_path / "s3:"), "settings", "get", "precision"]) == 0
    assert capsys.readouterr().out
