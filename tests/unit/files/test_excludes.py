from __future__ import annotations

import pathspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.files.excludes import FILE_RULES, FOLDER_RULES, Excludes, Reason

HOME = ("home", "me")


def _folder(
    excludes: Excludes, path: str, *there: str, parents: tuple[str, ...] = HOME
) -> str | None:
    above = (*parents, *path.split("/")[:-1])
    return excludes.folder(above, path, lambda name: name in there)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".ssh", Reason.SECRETS),
        (".gnupg", Reason.SECRETS),
        (".aws", Reason.SECRETS),
        (".kube", Reason.SECRETS),
        (".password-store", Reason.SECRETS),
        (".config/gcloud", Reason.SECRETS),
        ("Library/Keychains", Reason.SECRETS),
        (".mozilla", Reason.BROWSER),
        ("AppData/Local/Google/Chrome/User Data", Reason.BROWSER),
        (".thunderbird", Reason.MAIL),
        (".cache", Reason.CACHE),
        ("Library/Caches", Reason.CACHE),
        ("src/__pycache__", Reason.CACHE),
        (".git", Reason.VERSIONS),
        ("app/node_modules", Reason.DEPENDENCIES),
        ("lib/python3.11/site-packages", Reason.DEPENDENCIES),
        (".Trash-1000", Reason.TRASH),
        (".local/share/Trash", Reason.TRASH),
        ("$RECYCLE.BIN", Reason.TRASH),
        ("x.egg-info", Reason.DEPENDENCIES),
        (".anything", Reason.HIDDEN),
    ],
)
def test_folders_are_excluded_with_their_reason(path: str, reason: Reason) -> None:
    assert _folder(Excludes(), path) == reason
    if reason is not Reason.HIDDEN:
        assert _folder(Excludes(hidden=True), path) == reason


@pytest.mark.parametrize(
    "path", ["Documents", "caches", "Target", "build", "Mail", "env", "vendor", "cvs", "Trash"]
)
def test_ordinary_names_are_not_excluded(path: str) -> None:
    assert _folder(Excludes(), path) is None


@pytest.mark.parametrize(
    ("path", "witness", "reason"),
    [
        ("p/target", "Cargo.toml", Reason.BUILD),
        ("p/build", "pyproject.toml", Reason.BUILD),
        ("p/env", "env/pyvenv.cfg", Reason.DEPENDENCIES),
        ("p/vendor", "go.mod", Reason.DEPENDENCIES),
        ("p/CVS", "CVS/Root", Reason.VERSIONS),
    ],
)
def test_ordinary_names_are_excluded_beside_a_proof(
    path: str, witness: str, reason: Reason
) -> None:
    assert _folder(Excludes(), path, witness) == reason


def test_system_folders_are_excluded_at_the_top_only() -> None:
    assert Excludes().folder((), "proc", lambda _name: False) == Reason.SYSTEM
    assert Excludes().folder(("srv",), "proc", lambda _name: False) is None
    assert Excludes().folder(("C:",), "Windows", lambda _name: False) == Reason.SYSTEM


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("keys/id_ed25519", Reason.SECRETS),
        ("x/Passwords.kdbx", Reason.SECRETS),
        ("Thumbs.db", Reason.SYSTEM),
        ("~$report.docx", Reason.SYSTEM),
        (".hidden.txt", Reason.HIDDEN),
        ("report.txt", None),
        ("id_rsa.pub.txt", None),
        ("chapter.asc", None),  # AsciiDoc; armoured keys are known by their content
    ],
)
def test_files_are_excluded_with_their_reason(path: str, reason: Reason | None) -> None:
    assert Excludes().file(path) == reason


def test_files_with_the_hidden_attribute_are_excluded() -> None:
    assert Excludes().file("a.txt", hidden=True) == Reason.HIDDEN
    assert Excludes(hidden=True).file("a.txt", hidden=True) is None
    assert Excludes(hidden=True).file(".a.txt") is None


def test_patterns_override_the_rules_and_the_last_decides() -> None:
    excludes = Excludes(["!node_modules/", "drafts/", "*.txt", "!keep.txt"])
    assert _folder(excludes, "app/node_modules") is None
    assert _folder(excludes, "a/drafts") == "pattern drafts/"
    assert excludes.file("a/b.txt") == "pattern *.txt"
    assert excludes.file("a/keep.txt") is None
    assert excludes.file("a/b.pdf") is None
    assert excludes.file("Thumbs.db") == Reason.SYSTEM


def test_comments_and_blank_lines_are_no_patterns() -> None:
    excludes = Excludes(["# drafts", "", "*.tmp"])
    assert excludes.file("a.tmp") == "pattern *.tmp"
    assert excludes.file("drafts") is None


@pytest.mark.parametrize("wrong", ["!", "[", "/drafts[1", "[z-a]", "[]", "old\\"])
def test_an_invalid_pattern_is_named(wrong: str) -> None:
    with pytest.raises(WorldError) as caught:
        Excludes(["*.txt", "", "# [", "\\[1].txt", "[ab].txt", wrong])
    assert caught.value.code == "bad_setting"
    assert caught.value.detail["value"] == wrong


def test_rules_are_in_lower_case_and_unique() -> None:
    for rules in (FOLDER_RULES, FILE_RULES):
        paths = [path for rule in rules for path in rule.paths]
        assert all(path == path.lower() for path in paths)
        assert len(paths) == len(set(paths))


_NAME = st.text(st.sampled_from("ab.*!#? "), min_size=1, max_size=4).filter(
    lambda name: name.strip(".") != ""
)
_PATH = st.lists(_NAME.filter(lambda n: "*" not in n and "?" not in n), min_size=1, max_size=3)
_PATTERN = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "!", "/"]),
    st.lists(_NAME, min_size=1, max_size=2).map("/".join),
    st.sampled_from(["", "/", "/**"]),
)


def _legal(pattern: str) -> bool:
    try:
        Excludes([pattern])
    except WorldError:
        return False
    return True


@given(st.lists(_PATTERN.filter(_legal), max_size=4), _PATH.map("/".join))
def test_patterns_are_interpreted_as_by_git(patterns: list[str], path: str) -> None:
    expected = pathspec.GitIgnoreSpec.from_lines(patterns).check_file(path).include
    decided = Excludes(patterns, hidden=True).file(path)
    if expected is not None:
        assert (decided is not None) == expected


@given(_PATH.map("/".join))
def test_without_patterns_only_the_name_decides_about_a_file(path: str) -> None:
    name = path.rpartition("/")[2]
    assert Excludes().file(path) == Excludes().file(f"elsewhere/{name}")


@given(st.sampled_from(FOLDER_RULES).filter(lambda r: not r.beside and not r.inside), st.data())
def test_a_rule_applies_at_any_depth(rule: object, data: st.DataObject) -> None:
    paths: tuple[str, ...] = getattr(rule, "paths")  # noqa: B009  # drawn as an object
    path = data.draw(st.sampled_from(paths)).replace("*", "x")
    above = data.draw(st.lists(st.sampled_from(["home", "Me", "data"]), max_size=3))
    relative = "/".join([*above, *path.upper().split("/")])
    assert Excludes().folder(relative.split("/")[:-1], relative, lambda _name: False)


def test_the_nearest_patterns_decide_first() -> None:
    root = Excludes(("*.log", "!keep.log"))
    inner = root.within("a", ["!*.log", "[", "old/"])
    deepest = inner.within("a/b", ["/x.log"])
    assert root.file("a/y.log")
    assert inner.file("a/y.log") is None
    assert inner.folder((), "a/old", lambda _name: False) == "pattern old/"
    assert deepest.file("a/b/x.log") == "pattern /x.log"
    assert deepest.file("a/b/c/x.log") is None
    # The built-in rules have the lowest priority.
    assert deepest.file("a/b/id_rsa") == Reason.SECRETS
    assert root.within("a", ["!id_rsa"]).file("a/id_rsa") is None
