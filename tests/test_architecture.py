"""What import-linter cannot say: which of the engine's modules the window may know."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parents[1]
# The rooms of the engine that the window may import; they need the standard library and msgspec.
CONTRACTS = ("api", "query", "confine")


ADVERBS = {"elsewhere", "lacking", "latest", "nowhere", "outside"}


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


class Facts(NamedTuple):
    """What the tests ask of a module, which is parsed once for all of them."""

    #: The names that are imported when it is loaded.
    early: frozenset[str]
    #: Those, and the names that are imported when a function is called.
    late: frozenset[str]
    #: Those, and the names that only type checkers see.
    all: frozenset[str]
    classes: tuple[str, ...]


@functools.cache
def facts(file: Path) -> Facts:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    return Facts(
        frozenset(_names(_seen_when_run(tree, late=False))),
        frozenset(_names(_seen_when_run(tree, late=True))),
        frozenset(_names(nodes)),
        tuple(node.name for node in nodes if isinstance(node, ast.ClassDef)),
    )


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _seen_when_run(node: ast.AST, *, late: bool) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.FunctionDef) and not late:
            continue
        yield child
        yield from _seen_when_run(child, late=late)


def is_module(name: str) -> bool:
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or path.is_dir()


@pytest.mark.parametrize("file", modules("ui"), ids=lambda file: str(file.relative_to(ROOT)))
def test_the_window_knows_the_contracts_of_the_engine_only(file: Path) -> None:
    known = {name.split(".")[1] for name in facts(file).late if is_engines(name)}
    assert known <= set(CONTRACTS)


@pytest.mark.parametrize(
    "name", [name_of(file) for room in CONTRACTS for file in modules(f"indexer/{room}")]
)
def test_a_contract_needs_the_standard_library_and_msgspec_only(name: str) -> None:
    assert needs(name, set()) <= {"msgspec"}


def test_no_modules_import_each_other_in_a_circle() -> None:
    files = [file for package in ("app", "ui", "indexer") for file in modules(package)]
    names = {name_of(file) for file in files}
    graph = {name_of(file): (names & facts(file).late) - {name_of(file)} for file in files}
    graphlib.TopologicalSorter(graph).prepare()


def test_no_modules_know_each_other_in_a_circle_not_even_by_their_types() -> None:
    files = [file for package in ("app", "ui", "indexer") for file in modules(package)]
    names = {name_of(file) for file in files}
    graph = {name_of(file): (names & facts(file).all) - {name_of(file)} for file in files}
    assert {name for name in names if name in reached(graph, name)} == set()


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """Name what a module imports, itself or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def test_no_two_classes_have_one_name() -> None:
    seen: Counter[str] = Counter()
    for file in (file for package in ("app", "ui", "indexer") for file in modules(package)):
        seen.update(facts(file).classes)
    assert [name for name, count in seen.items() if count > 1] == []


def test_no_module_is_named_by_an_adverb() -> None:
    files = [file for package in ("app", "ui", "indexer") for file in modules(package)]
    adverbs = [name_of(file) for file in files if file.stem in ADVERBS]
    assert adverbs == []


def test_every_room_says_what_flows_through_it() -> None:
    for room in sorted((ROOT / "indexer").rglob("__init__.py")):
        told = ast.get_docstring(ast.parse(room.read_text(encoding="utf-8"))) or ""
        assert len(told) > 60, room


def test_no_module_lies_outside_of_a_room() -> None:
    assert {file.stem for file in (ROOT / "indexer").glob("*.py")} == {
        "__init__", "arrays", "config", "faults", "database", "salvage",
    }  # fmt: skip


def test_the_diagram_shows_the_rooms_and_arrows_that_are_there() -> None:
    map_ = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^ {4}(\w+) --> (\w+)$", map_, flags=re.MULTILINE))
    rooms = {path.name for path in (ROOT / "indexer").iterdir() if (path / "__init__.py").exists()}
    assert {room for arrow in shown for room in arrow} == rooms | {"app", "ui"}
    assert shown <= {
        (_room(name_of(file)), _room(name))
        for package in ("app", "ui", "indexer")
        for file in modules(package)
        for name in facts(file).late
    }


def test_every_path_in_the_map_exists() -> None:
    map_ = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:app|ui|indexer|tests|docs)/[\w./-]+)`", map_)
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_nothing_needs_what_compiles_models() -> None:
    for file in (file for package in ("app", "ui", "indexer") for file in modules(package)):
        known = [f"{name}." for name in facts(file).late]
        assert not any(name.startswith(("onnx.", "safetensors.")) for name in known), file


def is_engines(name: str) -> bool:
    return name.startswith("indexer.") and is_module(name)


def _room(name: str) -> str:
    parts = name.split(".")
    return parts[1] if parts[0] == "indexer" and len(parts) > 1 else parts[0]


def needs(name: str, seen: set[str]) -> set[str]:
    """Name the libraries that a module of ours loads, whatever is in between."""
    seen.add(name)
    found: set[str] = set()
    for each in facts(source(name)).early:
        if each.partition(".")[0] in sys.stdlib_module_names:
            continue
        if not each.startswith("indexer"):
            found.add(each.partition(".")[0])
        elif is_module(each) and each not in seen:
            found |= needs(each, seen)
    return found


def source(name: str) -> Path:
    path = ROOT / name.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_only_the_window_and_its_composition_root_know_qt() -> None:
    files = [file for package in ("app", "indexer") for file in modules(package)]
    knowing = {
        str(file.relative_to(ROOT))
        for file in files
        if any(name.partition(".")[0] in {"PySide6", "ui"} for name in facts(file).late)
    }
    assert knowing <= {"app/gui.py"}


def test_no_query_of_a_database_numbers_its_placeholders() -> None:
    """Python 3.12 warns of them up to 3.12.3, which Ubuntu 24.04 has."""
    for package in ("app", "ui", "indexer"):
        for file in modules(package):
            assert not re.search(r"[\s(]\?\d", file.read_text(encoding="utf-8")), file


def test_every_exception_from_a_rule_has_its_reason_beside_it() -> None:
    for package in ("app", "ui", "indexer", "tests", "packaging"):
        for file in modules(package):
            for line in file.read_text(encoding="utf-8").splitlines():
                found = re.search(r"# (?:noqa|type: ignore)\b([^#]*)(#.*)?$", line)
                assert not found or found[2], f"{file}: {line.strip()}"


def test_every_test_that_is_left_out_says_why() -> None:
    leaving = re.compile(r"pytest\.(mark\.)?(skip|skipif|xfail|importorskip)")
    for file in modules("tests"):
        text = file.read_text(encoding="utf-8")
        # Most files leave nothing out, and need not be parsed.
        for node in ast.walk(ast.parse(text)) if leaving.search(text) else ():
            if isinstance(node, ast.Call) and leaving.fullmatch(ast.unparse(node.func)):
                said = any(each.arg == "reason" for each in node.keywords)
                assert said or ast.unparse(node.func) == "pytest.skip", (file, node.lineno)
