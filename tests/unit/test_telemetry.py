"""Libraries that report to somebody are told not to before they are loaded, whoever loads them."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

from indexer import TELEMETRY_OFF, TELEMETRY_ON

ROOT = Path(__file__).resolve().parents[2]
# Libraries that know such a switch, or load one that does.
REPORTING = frozenset(
    {"onnxruntime", "huggingface_hub", "tokenizers", "lancedb", "lance", "pyarrow",
     "sentence_transformers", "transformers"}
)  # fmt: skip


def test_the_switches_win_over_the_environment_and_are_inherited() -> None:
    against = dict.fromkeys(TELEMETRY_OFF, "0") | dict.fromkeys(TELEMETRY_ON, "otlp_http")
    show = "import json, os; print(json.dumps(dict(os.environ)))"
    code = f"import indexer, subprocess, sys; subprocess.run([sys.executable, '-c', {show!r}])"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | against, capture_output=True, check=True
    )
    found = json.loads(done.stdout)
    assert {name: found[name] for name in TELEMETRY_OFF} == TELEMETRY_OFF
    assert not found.keys() & set(TELEMETRY_ON)


def test_our_package_is_imported_before_a_library_that_reports() -> None:
    """Whatever lies in it comes after it by itself; tests and benchmarks have it imported first."""
    files = [
        file for folder in ("app", "ui", "packaging") for file in (ROOT / folder).rglob("*.py")
    ]
    assert "import indexer" in (ROOT / "tests" / "__init__.py").read_text(encoding="utf-8")
    for file in files:
        first = _first_imports(ast.parse(file.read_text(encoding="utf-8")))
        reporting = [line for name, line in first.items() if name in REPORTING]
        assert not reporting or first.get("indexer", sys.maxsize) < min(reporting), file


def _first_imports(tree: ast.AST) -> dict[str, int]:
    """Give the line of the first import of each package."""
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        for name in names:
            package = name.partition(".")[0]
            lines[package] = min(lines.get(package, sys.maxsize), node.lineno)
    return lines
