"""The command line: what it prints, to which stream, and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern

HEAVY = ("lancedb", "numpy", "onnxruntime", "PySide6", "pyarrow", "pymupdf", "tokenizers")
PROBE = """
import sys
from app.cli import main
try:
    main({arguments!r})
except SystemExit:
    pass
print(*[name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["gui", "--help"], ["search", "--help"], ["settings"], ["--version"]]
)
def test_help_loads_nothing_heavy(lectern: Lectern, arguments: list[str]) -> None:
    probe = PROBE.format(arguments=arguments, heavy=HEAVY)
    command = [sys.executable, "-c", probe]
    done = subprocess.run(
        command, env=lectern.environment, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == ""
    assert done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there always is a display")
@pytest.mark.parametrize("arguments", [(), ("gui", "who", "pays")])
def test_without_a_display_one_sentence_names_a_next_step(
    lectern: Lectern, arguments: tuple[str, ...]
) -> None:
    nothing = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": ""}
    said = lectern(*arguments, status=7, environment=nothing).stderr.splitlines()
    assert said[0] == "lectern: The window cannot be opened: there is no display. [no_window]"
    assert "`lectern search`" in said[1]
    assert len(said) == 2
    assert not lectern.library.exists()


def test_without_qt_one_sentence_says_so(lectern: Lectern) -> None:
    code = "import sys; sys.modules['PySide6'] = None; from app.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=lectern.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7
    assert "PySide6 is not installed. [no_window]" in done.stderr


def test_index_then_search(lectern: Lectern, folder: Path) -> None:
    indexed = lectern("index", folder)
    assert "3 files seen" in indexed.stdout
    assert "2" in indexed.stdout.split("indexed", 1)[1]
    found = lectern("search", "where", "did", "the", "crew", "camp")
    assert "ice" in found.stdout
    assert "page 1" not in found.stdout  # a text has no pages
    assert "One › Two" in found.stdout
    assert "«The crew camped on the ice.»" in found.stdout
    assert str(folder / "ice.txt") in found.stdout
    assert "\x1b" not in found.stdout
    assert "No good match" not in found.stdout
    assert "50 % of the library is embedded" in found.stdout


def test_search_for_programs(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    answer = json.loads(lectern("search", "--json", "--limit", "1", "rent", "roof").stdout)
    (hit,) = answer["hits"]
    assert (hit["file"], hit["page"], hit["why"]) == ("lease.txt", 1, "words")
    assert answer["embedded_share"] == 0.5
    assert (
        "explain" in json.loads(lectern("search", "--json", "--explain", "rent").stdout)["hits"][0]
    )


def test_no_hits_is_reported_with_exit_status_0(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    found = lectern("search", "zebra")
    assert "Nothing found." in found.stdout
    assert found.stderr == ""


def test_an_empty_library_says_what_to_do_first(lectern: Lectern) -> None:
    assert "lectern index PATH" in lectern("search", "zebra").stderr


def test_without_a_runtime_one_sentence_names_the_extra(lectern: Lectern) -> None:
    code = (
        "import sys; sys.modules['onnxruntime'] = None; from app.cli import main; sys.exit(main())"
    )
    for command in ("search", "index", "status"):
        done = subprocess.run(
            [sys.executable, "-c", code, command, *(["x"] if command == "search" else [])],
            env=lectern.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 5
        assert "No ONNX Runtime is installed. [no_runtime]" in done.stderr
        assert "lectern[cpu]" in done.stderr
    assert not lectern.library.exists()


def test_filters_are_written_in_the_grammar(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    arguments = ("search", "--json", "--in", "documents", "--ext", "txt", "--date", "2024", "rent")
    text = json.loads(lectern(*arguments).stdout)["text"]
    assert json.loads(lectern("search", "a", "-b", "--json", "c").stdout)["text"] == "-b a c"
    assert text == f"in:{folder} ext:txt date:2024 rent"


def test_batch(lectern: Lectern, folder: Path, tmp_path: Path) -> None:
    lectern("index", folder)
    queries = tmp_path / "queries.jsonl"
    lines = [{"id": "b", "query": "rent", "gold": []}, {"id": 7, "query": "zebra"}]
    queries.write_text("".join(json.dumps(line) + "\n" for line in lines) + "\n")
    run = tmp_path / "run.jsonl"
    assert lectern("search", "--batch", queries, "--out", run).stdout == ""
    answers = [json.loads(line) for line in run.read_text().splitlines()]
    assert [answer["id"] for answer in answers] == ["b", 7]
    assert answers[1]["hits"] == []
    (hit,) = answers[0]["hits"]
    assert list(hit) == [
        "path", "file", "page", "page_last", "start", "end", "score", "text", "heading_path", "why",
    ]  # fmt: skip
    text = (folder / "lease.txt").read_bytes().decode()
    assert text[hit["start"] : hit["end"]] == hit["text"]
    piped = lectern("search", "--batch", "-", stdin=queries.read_text())
    assert piped.stdout == run.read_text()


@pytest.mark.parametrize(
    ("content", "code"),
    [("{}", "bad_query"), ("[1]", "bad_query"), ("rent", "bad_query"), (None, "path_missing")],
)
def test_a_batch_that_cannot_be_read(
    lectern: Lectern, tmp_path: Path, content: str | None, code: str
) -> None:
    queries = tmp_path / "queries.jsonl"
    if content is not None:
        queries.write_text(f'{{"id": 1, "query": "fine"}}\n{content}\n')
    assert f"[{code}]" in lectern("search", "--batch", queries, status=2).stderr


def test_status_files_and_remove(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    status = lectern("status").stdout
    assert str(lectern.library) in status
    assert str(folder) in status
    assert "50 % embedded" in status
    assert "found by words only: no available language model covers it" in status
    assert json.loads(lectern("status", "--json").stdout)["files"]["indexed"] == 2
    lines = lectern("files").stdout.splitlines()
    assert len(lines) == 3
    empty = f"empty\t{folder / 'nothing.txt'}\tThe file has no content."
    assert lectern("files", "--state", "empty").stdout.splitlines() == [empty]
    assert json.loads(lectern("files", "--json", "--state", "empty").stdout)["code"] == "empty"
    assert "1 file taken out" in lectern("remove", folder / "ice.txt").stdout
    assert len(lectern("files").stdout.splitlines()) == 2


def test_removing_everything_needs_a_confirmation(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    assert "--yes" in lectern("remove", "--everything", status=2).stderr
    assert (lectern.library / "fake.json").exists()
    (lectern.library / "catalog.sqlite").touch()
    assert "deleted" in lectern("remove", "--everything", "--yes").stdout
    assert not (lectern.library / "catalog.sqlite").exists()
    assert (folder / "ice.txt").exists()
    assert not list((lectern.folder / "home" / "state").rglob("*.log"))


def test_a_moved_library_is_found_again(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    (lectern.library / "catalog.sqlite").touch()
    new = lectern.folder / "elsewhere" / "library"
    assert str(new) in lectern("move-library", new).stdout
    assert not lectern.library.exists()
    assert json.loads(lectern("status", "--json").stdout)["library"] == str(new)
    assert lectern("search", "rent").stdout.count("lease") >= 1


def test_the_library_can_be_named_in_three_ways(lectern: Lectern, folder: Path) -> None:
    one, two = lectern.folder / "one", lectern.folder / "two"
    named = {"LECTERN_LIBRARY": str(two)}
    ways: tuple[tuple[Path, list[str | Path], dict[str, str]], ...] = (
        (one, ["--library", one, "index", folder], {}),
        (one, ["index", "--library", one, folder], named),
        (two, ["index", folder], named),
    )
    for place, arguments, environment in ways:
        (place / "fake.json").unlink(missing_ok=True)
        lectern(*arguments, environment=environment)
        assert (place / "fake.json").exists()
    assert not lectern.library.exists()


def test_settings(lectern: Lectern) -> None:
    assert "precision" in lectern("settings").stdout
    assert lectern("settings", "set", "precision", "fp32").stdout == "fp32\n"
    assert lectern("settings", "get", "precision").stdout == "fp32\n"
    assert json.loads(lectern("status", "--json").stdout)["precision"] == "fp32"
    assert lectern("settings", "set", "exclude", "*.bak", "a b").stdout == "*.bak a b\n"
    assert json.loads(lectern("settings", "--json").stdout)["exclude"] == ["*.bak", "a b"]
    refused = lectern("settings", "set", "exclude", "[", status=2)
    assert "[bad_setting]" in refused.stderr
    lectern("settings", "reset", "exclude")
    assert lectern("settings", "get", "exclude").stdout == "\n"
    assert "[bad_setting]" in lectern("settings", "set", "threads", "many", status=2).stderr
    assert "[bad_setting]" in lectern("settings", "get", "mood", status=2).stderr


def test_doctor(lectern: Lectern) -> None:
    checks = {check["name"]: check for check in json.loads(lectern("doctor", "--json").stdout)}
    assert all(check["ok"] for check in checks.values())
    assert checks["model"]["value"] == "fake"
    assert str(lectern.library) in checks["library"]["value"]
    assert "Everything is fine." in lectern("doctor").stdout


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["index", "nowhere"], 2, "path_missing"),
        (["search", '"open'], 2, "bad_query"),
        (["search"], 2, "bad_query"),
        (["search", "--limit", "0", "a"], 2, "bad_usage"),
        (["search", "ship", "--storm"], 2, "bad_usage"),
        (["status", "-storm"], 2, "bad_usage"),
        (["remove"], 2, "bad_usage"),
        (["remove", "/nowhere"], 2, "not_a_root"),
        (["move-library", "x"], 2, "path_missing"),
        (["dance"], 2, "bad_usage"),
        (["search", "CRASH"], 70, "internal"),
    ],
)
def test_failures_are_a_sentence_a_code_and_a_next_step(
    lectern: Lectern, arguments: list[str], status: int, code: str
) -> None:
    failed = lectern(*arguments, status=status)
    assert failed.stdout == ""
    first, second, *_rest = failed.stderr.splitlines()
    assert first.startswith("lectern: ")
    assert first.endswith(f"[{code}]")
    assert second.startswith("  ")
    assert "Traceback" not in failed.stderr


def test_a_locked_library_names_its_holder(lectern: Lectern) -> None:
    from indexer.api.private_files import LibraryLock

    with LibraryLock.acquire(lectern.library, "another program"):
        failed = lectern("move-library", lectern.folder / "new", status=2)
        assert "[path_missing]" in failed.stderr
        (lectern.library / "catalog.sqlite").touch()
        failed = lectern("move-library", lectern.folder / "new", status=3)
        assert f"another program (process {os.getpid()}" in failed.stderr


def test_a_closed_pipe_is_no_error(lectern: Lectern, folder: Path) -> None:
    for number in range(3000):
        (folder / f"{number:04}.txt").write_text("text")
    lectern("index", folder)
    with lectern.start("files") as listing:
        assert listing.stdout is not None
        assert listing.stderr is not None
        listing.stdout.readline()
        listing.stdout.close()
        assert listing.wait(60) == 141
        assert listing.stderr.read() == ""


def test_names_that_are_not_utf8_are_listed(lectern: Lectern, folder: Path) -> None:
    with open(os.fsencode(folder) + b"/caf\xe9.txt", "w") as file:  # noqa: PTH123  # a name in bytes
        file.write("The menu says coffee.")
    lectern("index", folder)
    assert "caf\\udce9.txt" in lectern("search", "menu").stdout
    hit = json.loads(lectern("search", "--json", "menu").stdout)["hits"][0]
    assert os.fsencode(hit["path"]).endswith(b"/caf\xe9.txt")
