from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from itertools import takewhile
from pathlib import Path

import pytest
from msgspec.structs import replace

from indexer.api.errors import Cancelled, WorldError
from indexer.api.progress import CancelToken
from indexer.api.types import FileState
from indexer.catalog.catalog import Catalog
from indexer.catalog.records import FoundFile, Root, ScanCounts
from indexer.files.excludes import EntryClassifier, Excludes
from indexer.files.scanner import counting_volumes
from indexer.files.walk import RootWalk, ScanRules

FORMATS = {".txt": "text", ".pdf": "pdf"}


def _walk(
    folder: Path, rules: ScanRules | None = None, *, only: str = ""
) -> tuple[RootWalk, dict[str, FoundFile]]:
    root = Root(1, os.fsencode(folder), os.fsencode(only))
    walk = RootWalk(root, rules or _rules())
    found = {}
    for listed in walk:
        for entry in listed.entries:
            path = listed.path + b"/" + entry.name if listed.path else entry.name
            found[os.fsdecode(path)] = entry
    return walk, found


def _rules(*patterns: str, hidden: bool = False, max_bytes: int = 1 << 30) -> ScanRules:
    excludes = Excludes(patterns, hidden=hidden)
    return ScanRules(excludes, EntryClassifier(FORMATS, max_bytes, counting_volumes()))


def _make(folder: Path, *files: str) -> None:
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file)


def _states(found: dict[str, FoundFile]) -> dict[str, str]:
    return {path: entry.code or "read" for path, entry in sorted(found.items())}


def test_every_entry_is_listed_and_excluded_folders_are_not_entered(tmp_path: Path) -> None:
    _make(tmp_path, "a.txt", "b/c.PDF", "b/d.mobi", "b/e.mp4", "b/README", ".git/x", ".hid")
    _make(tmp_path, "b/node_modules/deep/f.txt")
    _, found = _walk(tmp_path)
    assert _states(found) == {
        ".git": "excluded",
        ".hid": "excluded",
        "a.txt": "read",
        "b/README": "read",
        "b/c.PDF": "read",
        "b/d.mobi": "unsupported",
        "b/e.mp4": "not_document",
        "b/node_modules": "excluded",
    }
    assert found["b/c.PDF"].format == "pdf"
    assert found[".git"].detail == {"reason": "versions"}


def test_sizes_decide_without_opening(tmp_path: Path) -> None:
    _make(tmp_path, "small.txt")
    (tmp_path / "none.txt").touch()
    (tmp_path / "big.txt").write_bytes(b"x" * 2000)
    _, found = _walk(tmp_path, _rules(max_bytes=1000))
    assert _states(found) == {"big.txt": "too_large", "none.txt": "empty", "small.txt": "read"}


def test_each_format_may_have_a_limit_of_its_own(tmp_path: Path) -> None:
    _make(tmp_path, "a.txt", "a.pdf")
    rules = replace(_rules(), classifier=EntryClassifier(FORMATS, limits={"text": 0}))
    _, found = _walk(tmp_path, rules)
    assert _states(found) == {"a.txt": "too_large", "a.pdf": "read"}
    assert found["a.txt"].detail == {"limit": "0 MB"}


@pytest.mark.skipif(sys.platform != "linux", reason="block counts are trusted on Linux only")
def test_a_file_without_blocks_is_a_placeholder(tmp_path: Path) -> None:
    for name, size in (("sparse.txt", 1 << 20), ("huge.txt", 4 << 30)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    _, found = _walk(tmp_path)
    expected = "placeholder" if (tmp_path / "sparse.txt").stat().st_blocks == 0 else "read"
    assert _states(found) == {"sparse.txt": expected, "huge.txt": "too_large"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
def test_special_files_are_listed_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket.txt"))
        _, found = _walk(tmp_path)
    assert _states(found) == {"pipe.txt": "special_file", "socket.txt": "special_file"}


def test_links_are_listed_and_never_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    _make(inside, "deep/a.txt")
    _make(outside, "secret.txt")
    (inside / "deep" / "loop").symlink_to(inside, target_is_directory=True)
    (inside / "self").symlink_to(inside / "self")
    (inside / "away.txt").symlink_to(outside / "secret.txt")
    (inside / "again.txt").symlink_to(inside / "deep" / "a.txt")
    rules = ScanRules(Excludes(), EntryClassifier(FORMATS), roots=[os.fsencode(inside)])
    _, found = _walk(inside, rules)
    reasons = {path: entry.detail.get("reason") for path, entry in found.items()}
    assert reasons == {
        "deep/a.txt": None,
        "deep/loop": "leads_inside",
        "self": "leads_nowhere",
        "away.txt": "leads_out",
        "again.txt": "leads_inside",
    }


def test_a_root_that_is_a_link_is_walked(tmp_path: Path) -> None:
    _make(tmp_path / "real", "a.txt")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    walk, found = _walk(tmp_path / "link")
    assert walk.reachable
    assert _states(found) == {"a.txt": "read"}


def _looked(folder: Path, entries: dict[str, set[str]], *patterns: str) -> dict[str, str]:
    wanted = {os.fsencode(at): frozenset(map(os.fsencode, names)) for at, names in entries.items()}
    entered: list[bytes] = []
    walk = RootWalk(
        Root(1, os.fsencode(folder)),
        _rules(*patterns),
        only=wanted,
        on_enter=lambda path, _: entered.append(path),
    )
    found = {
        os.fsdecode(listed.path + b"/" + entry.name): entry
        for listed in walk
        for entry in listed.entries
    }
    assert walk.reachable
    assert entered[0] == os.fsencode(folder)
    return _states(found)


def test_a_partial_scan_lists_named_entries_and_walks_folders(tmp_path: Path) -> None:
    _make(tmp_path, "a.txt", "b.txt", "c/d.txt", "c/e/f.txt", "g/h.txt", "g/.git/x")
    assert _looked(tmp_path, {"": {"a.txt", "gone.txt"}}) == {"/a.txt": "read"}
    assert _looked(tmp_path, {"": {"c"}}) == {"c/d.txt": "read", "c/e/f.txt": "read"}
    assert _looked(tmp_path, {"c": {"e"}, "g": {"h.txt", ".git"}}) == {
        "c/e/f.txt": "read",
        "g/.git": "excluded",
        "g/h.txt": "read",
    }
    assert _looked(tmp_path, {"gone": {"x.txt"}}) == {}
    assert _looked(tmp_path, {"": {"a.txt"}}, "a.*") == {"/a.txt": "excluded"}


def test_on_enter_is_called_before_a_folder_is_listed(tmp_path: Path) -> None:
    _make(tmp_path, "a/b.txt", ".git/x")
    late = tmp_path / "a" / "late.txt"

    def on_enter(path: bytes, whole: bool) -> None:
        assert whole
        told.append(path)
        if path == os.fsencode(tmp_path / "a"):
            late.write_text("just now")

    told: list[bytes] = []
    walk = RootWalk(Root(1, os.fsencode(tmp_path)), _rules(), on_enter=on_enter)
    names = {entry.name for listed in walk for entry in listed.entries}
    assert told == [os.fsencode(tmp_path), os.fsencode(tmp_path), os.fsencode(tmp_path / "a")]
    assert b"late.txt" in names


@pytest.mark.parametrize("entries", [None, {"": {"a", "b"}}, {"a": {"x.txt", "y.txt", "deep"}}])
def test_patterns_of_a_folder_apply_below_it(
    tmp_path: Path, entries: dict[str, set[str]] | None
) -> None:
    _make(tmp_path, "a/x.txt", "a/y.txt", "a/deep/x.txt", "a/deep/y.txt", "b/x.txt")
    (tmp_path / ".lecternignore").write_text("\ufeffy.txt\n# a comment\n")
    (tmp_path / "a" / ".lecternignore").write_text("/x.txt\n!y.txt\n")
    (tmp_path / "a" / "deep" / ".lecternignore").write_bytes(b"\xff\ny.txt\n")
    if entries is None:
        states = _states(_walk(tmp_path)[1])
    else:
        states = {path.lstrip("/"): code for path, code in _looked(tmp_path, entries).items()}
    expected = {
        "a/x.txt": "excluded",
        "a/y.txt": "read",
        "a/deep/x.txt": "read",
        "a/deep/y.txt": "excluded",
        "b/x.txt": "read",
    }
    states = {path: code for path, code in states.items() if "lecternignore" not in path}
    assert states == {path: code for path, code in expected.items() if path in states}
    assert {"a/x.txt", "a/y.txt", "a/deep/y.txt"} <= states.keys()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
def test_reading_a_pattern_file_never_blocks(tmp_path: Path) -> None:
    _make(tmp_path, "a/x.txt", "b/x.txt")
    os.mkfifo(tmp_path / "a" / ".lecternignore")
    (tmp_path / "b" / ".lecternignore").symlink_to(tmp_path / "rules")
    (tmp_path / "rules").write_text("x.txt\n")
    states = _states(_walk(tmp_path)[1])
    assert states["a/x.txt"] == states["b/x.txt"] == "read"


def test_other_roots_are_skipped(tmp_path: Path) -> None:
    _make(tmp_path, "a.txt", "other/b.txt")
    passed = {os.fsencode(tmp_path / "other"): "another_root"}
    _, found = _walk(tmp_path, ScanRules(Excludes(), EntryClassifier(FORMATS), skipped=passed))
    assert _states(found) == {"a.txt": "read", "other": "excluded"}
    assert found["other"].detail["reason"] == "another_root"


def test_a_single_file_is_a_root_too(tmp_path: Path) -> None:
    _make(tmp_path, ".hidden.txt", "b.txt")
    walk, found = _walk(tmp_path, only=".hidden.txt")
    assert walk.reachable
    assert _states(found) == {".hidden.txt": "read"}
    (tmp_path / ".hidden.txt").unlink()
    walk, found = _walk(tmp_path, only=".hidden.txt")
    assert walk.reachable
    assert found == {}


def test_a_missing_root_is_unreachable(tmp_path: Path) -> None:
    walk, found = _walk(tmp_path / "gone")
    assert not walk.reachable
    assert walk.problem is not None
    assert walk.problem.code == "path_missing"
    assert found == {}


def test_a_root_that_vanishes_during_the_walk_is_unreachable(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _make(root, "a.txt", "b/c.txt")
    walk = RootWalk(Root(1, os.fsencode(root)), _rules())
    listed = iter(walk)
    next(listed)
    root.rename(tmp_path / "elsewhere")
    assert list(listed) == []
    assert not walk.reachable


def test_a_folder_deleted_during_the_walk_is_missing(tmp_path: Path) -> None:
    _make(tmp_path, "a/b.txt", "c/d.txt")
    walk = RootWalk(Root(1, os.fsencode(tmp_path)), _rules())
    listed = iter(walk)
    next(listed)
    (tmp_path / "a" / "b.txt").unlink()
    (tmp_path / "a").rmdir()
    assert [folder.path for folder in listed] == [b"c"]
    assert walk.unread == {}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems insist on UTF-8 names")
def test_names_that_are_not_utf8_survive(tmp_path: Path) -> None:
    name = b"caf\xe9"
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))).mkdir()
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name + b"/\xff.txt"))).write_text("x")
    _, found = _walk(tmp_path, _rules("*.md"))
    assert [os.fsencode(path) for path in found] == [name + b"/\xff.txt"]


def test_a_walk_can_be_cancelled(tmp_path: Path) -> None:
    _make(tmp_path, "a/b.txt")
    token = CancelToken()
    walk = RootWalk(Root(1, os.fsencode(tmp_path)), _rules(), token)
    listed = iter(walk)
    next(listed)
    token.cancel()
    with pytest.raises(Cancelled):
        next(listed)


def test_very_deep_folders_are_walked(tmp_path: Path) -> None:
    folders = [tmp_path / "d"]
    for _ in range(sys.getrecursionlimit() + 100):
        folders.append(folders[-1] / "d")
    for folder in folders:
        folder.mkdir()
    (folders[-1] / "a.txt").write_text("x")
    _, found = _walk(tmp_path)
    assert len(found) == 1
    # pytest deletes its folders recursively, which would fail at this depth.
    (folders[-1] / "a.txt").unlink()
    for folder in reversed(folders):
        folder.rmdir()


_UNPRIVILEGED = """
import os, sys
from indexer.catalog.records import Root
from indexer.files.excludes import EntryClassifier, Excludes
from indexer.files.walk import RootWalk, ScanRules
os.setgroups([]); os.setgid(65534); os.setuid(65534)
rules = ScanRules(Excludes(), EntryClassifier({".txt": "text"}))
walk = RootWalk(Root(1, os.fsencode(sys.argv[1])), rules)
names = sorted(e.name.decode() + ":" + e.code for f in walk for e in f.entries)
print(walk.reachable, walk.problem and walk.problem.code, dict(walk.unread), names)
"""


@pytest.fixture
def as_nobody(tmp_path: Path) -> Path:
    """A folder that an unprivileged process can reach, if this machine lets us become one."""
    if sys.platform == "win32" or os.geteuid() != 0:
        pytest.skip("only root can become nobody; see the test for ordinary users")
    temporary = Path(tempfile.gettempdir())
    for folder in takewhile(lambda parent: parent != temporary, [tmp_path, *tmp_path.parents]):
        folder.chmod(0o755)
    return tmp_path


def _walk_as_nobody(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _UNPRIVILEGED, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_denied_folder_is_distinguished_from_a_missing_one(as_nobody: Path) -> None:
    _make(as_nobody, "open/a.txt", "shut/b.txt", "blind/c.txt")
    (as_nobody / "shut").chmod(0o700)
    (as_nobody / "blind").chmod(0o744)  # names can be listed, but their status cannot be read
    told = _walk_as_nobody(as_nobody)
    assert told == "True None {b'shut': 'path_denied'} ['a.txt:', 'c.txt:path_denied']"


def test_a_denied_root_is_unreachable(as_nobody: Path) -> None:
    _make(as_nobody, "shut/b.txt")
    (as_nobody / "shut").chmod(0o700)
    assert _walk_as_nobody(as_nobody / "shut") == "False path_denied {} []"


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind root"
)
def test_a_denied_folder_for_ordinary_users(tmp_path: Path) -> None:
    _make(tmp_path, "shut/b.txt")
    (tmp_path / "shut").chmod(0)
    try:
        walk, _ = _walk(tmp_path)
    finally:
        (tmp_path / "shut").chmod(0o700)
    assert walk.unread == {b"shut": "path_denied"}


def test_walking_and_applying_twice_changes_nothing(tmp_path: Path) -> None:
    root_folder = tmp_path / "root"
    _make(root_folder, "a.txt", "b/c.pdf", "b/d.mobi", ".git/x", "b/empty/keep.txt")
    (root_folder / "link").symlink_to(root_folder / "a.txt")
    with Catalog(tmp_path / "catalog.sqlite") as catalog:
        root = catalog.roots.add_root(root_folder)
        first = catalog.scans.apply([(root.id, RootWalk(root, _rules()))])[0]
        assert (first.new, first.removed) == (6, 0)
        _make(root_folder, ".git/y")
        assert catalog.scans.apply([(root.id, RootWalk(root, _rules()))])[0] == ScanCounts(seen=6)
        (root_folder / "b").rename(root_folder / "moved")
        moved = catalog.scans.apply([(root.id, RootWalk(root, _rules()))])[0]
        assert (moved.new, moved.removed) == (3, 3)


def test_the_message_of_a_problem_can_be_printed(tmp_path: Path) -> None:
    walk, _ = _walk(tmp_path / "gone")
    assert isinstance(walk.problem, WorldError)
    assert str(tmp_path / "gone") in walk.problem.message


def test_the_states_of_entries_are_known_to_the_catalog(tmp_path: Path) -> None:
    _make(tmp_path, "a.mobi")
    _, found = _walk(tmp_path)
    assert found["a.mobi"].state is FileState.UNSUPPORTED
