"""``lectern models``: list, info, get, use and remove."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from indexer.config import DEFAULT_MODEL
from tests.sentence_folder import write_folder
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern


def test_a_model_from_its_folder_to_its_removal(lectern: Lectern) -> None:
    models = lectern.library.parent / "models"
    install_tiny_model(models)
    rows = {row.split()[0]: row for row in lectern("models").stdout.splitlines()}
    assert "32 dimensions, 160 tokens, en" in rows[TINY]
    assert "windows of 4,096 tokens" in rows[DEFAULT_MODEL]
    listed = json.loads(lectern("models", "list", "--json").stdout)
    assert {each["id"]: each["state"] for each in listed}[TINY] == "here"

    got = lectern("models", "get", TINY)
    assert "The licence of tiny: AGPL-3.0-or-later." in got.stderr
    assert "fp16, fp32, int8" in got.stdout
    known = json.loads(lectern("models", "info", TINY, "--json").stdout)
    assert (known["pooling"], known["late"], known["homepage"]) == ("mean", False, None)

    assert "free again" in lectern("models", "remove", TINY).stdout
    assert not (models / TINY).exists()
    assert "[unknown_model]" in lectern("models", "info", TINY, status=5).stderr


def test_a_model_in_use_is_not_removed(lectern: Lectern, folder: Path) -> None:
    assert "[model_in_use]" in lectern("models", "remove", DEFAULT_MODEL, status=2).stderr
    install_tiny_model(lectern.library.parent / "models", name="other")
    lectern("index", folder)
    assert "other, " in lectern("models", "use", "other", "--dry-run").stdout
    lectern("models", "use", "other")
    assert "settings" in lectern("models", "remove", "other", status=2).stderr
    lectern("settings", "reset", "model")
    assert "free again" in lectern("models", "remove", "other").stdout


def test_a_folder_is_imported(lectern: Lectern, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder", "cls_token")
    said = lectern("models", "import", folder, "--name", "mine")
    assert "Trying mine" in said.stderr
    facts = dict(line.split(maxsplit=1) for line in said.stdout.splitlines())
    assert (facts["id"], facts["origin"], facts["pooling"]) == ("mine", "imported", "cls")
    assert facts["licence"] == "unknown"
    assert "mine, " in lectern("models", "use", "mine", "--dry-run").stdout
    (folder / "tokenizer.json").unlink()
    refused = lectern("models", "import", folder, "--name", "other", status=2).stderr
    assert "tokenizer.json is missing, or cannot be read. [model_refused]" in refused


def test_an_action_without_its_name_is_a_wrong_command_line(lectern: Lectern) -> None:
    assert "info needs a name. [bad_usage]" in lectern("models", "info", status=2).stderr
    assert "list takes no name" in lectern("models", "list", TINY, status=2).stderr
    assert "compare needs two names" in lectern("models", "compare", TINY, status=2).stderr
    assert "with --queries" in lectern("models", "compare", TINY, "other", status=2).stderr
