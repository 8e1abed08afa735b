"""Settings are checked against their declarations, and unknown ones are kept."""

from __future__ import annotations

import gc
import json
import os
import stat
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli_doctor import show
from app.settings import SETTINGS, Settings, engine_config, find
from indexer.api.errors import WorldError
from indexer.api.setting import Setting, SettingType, Value
from indexer.config import DEFAULT_MODEL, LANGUAGES_MODEL, EngineConfig, Precision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

every_setting = pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


@every_setting
def test_a_default_is_valid_and_can_be_typed(setting: Setting) -> None:
    assert setting.check(setting.default) == setting.default
    words = list(setting.default) if isinstance(setting.default, tuple) else [show(setting.default)]
    assert setting.parse_value(words) == setting.default


def outcome(call: Callable[[], Value]) -> Value | WorldError:
    try:
        return call()
    except WorldError as error:
        return error


@every_setting
@given(value=st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just([1]))
def test_a_checked_value_is_valid_and_fits_json(setting: Setting, value: Any) -> None:
    checked = outcome(lambda: setting.check(value))
    if isinstance(checked, WorldError):
        assert (checked.code, checked.detail["name"]) == ("bad_setting", setting.name)
    else:
        assert setting.check(json.loads(json.dumps(checked, allow_nan=False))) == checked


@every_setting
@given(words=st.lists(st.text(max_size=8), max_size=3))
def test_any_text_is_read_or_rejected(setting: Setting, words: list[str]) -> None:
    value = outcome(lambda: setting.parse_value(words))
    if isinstance(value, WorldError):
        assert value.code == "bad_setting"
    else:
        assert setting.check(value) == value


@every_setting
def test_it_is_documented(setting: Setting) -> None:
    assert setting.help.endswith(".")
    assert setting.high > setting.low or setting.type not in {
        SettingType.INTEGER,
        SettingType.NUMBER,
    }


def test_changes_are_kept_for_the_owner_only(file: Path) -> None:
    settings = Settings(file)
    settings.set("threads", 3)
    settings.set("exclude", ("*.bak", "a b"))
    again = Settings(file)
    assert (again["threads"], again["exclude"]) == (3, ("*.bak", "a b"))
    assert again.is_set("threads")
    assert not again.is_set("precision")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again.reset("threads")
    assert Settings(file)["threads"] == SETTINGS["threads"].default
    assert {path.name for path in file.parent.iterdir()} == {"settings.json", "settings.lock"}


def test_what_another_version_wrote_is_kept(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('{"mood": [1, {"deep": true}], "threads": 2}')
    Settings(file).set("threads", 3)
    assert json.loads(file.read_text()) == {"mood": [1, {"deep": True}], "threads": 3}


def test_an_invalid_value_means_the_default_and_is_reported(file: Path) -> None:
    file.parent.mkdir()
    file.write_text('{"threads": "many"}')
    settings = Settings(file)
    assert settings["threads"] == 0
    assert settings.problems
    assert not settings["offline"]
    file.write_text('{"offline": "yes"}')
    assert Settings(file)["offline"], "nothing is fetched by somebody who meant otherwise"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("kind", ["pipe", "endless", "loop", "folder"])
def test_what_is_no_file_is_not_waited_for_and_means_offline(file: Path, kind: str) -> None:
    file.parent.mkdir()
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "endless":
            file.symlink_to("/dev/zero")
        case "loop":
            file.symlink_to(file)
        case _:
            file.mkdir()
    settings = Settings(file)
    assert [problem.code for problem in settings.problems] == ["settings_unreadable"]
    assert settings["offline"] is True
    with pytest.raises(WorldError):
        settings.set("threads", 3)
    assert not file.is_file()


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("", (1, 1)),
        ("[]", (1, 1)),
        ("\xff", (1, 1)),
        ("[" * 100_000, (1, 1)),
        ('{"offline": true,\n "threads" 2}', (2, 12)),
    ],
)
def test_a_broken_file_means_offline_and_is_never_written_over(
    file: Path, content: str, place: tuple[int, int]
) -> None:
    file.parent.mkdir()
    file.write_bytes(content.encode("latin-1"))
    settings = Settings(file)
    (problem,) = settings.problems
    assert problem.code == "settings_unreadable"
    if len(content) < 1000:  # how deep a list may be differs
        assert (problem.detail["line"], problem.detail["column"]) == place
    assert settings["offline"] is True
    assert settings["threads"] == 0
    with pytest.raises(WorldError, match="cannot be read"):
        settings.set("threads", 3)
    with pytest.raises(WorldError, match="cannot be read"):
        settings.reset("threads")
    assert file.read_bytes() == content.encode("latin-1")
    file.write_text('{"threads": 2}')
    settings.set("preview", value=False)
    assert json.loads(file.read_text()) == {"preview": False, "threads": 2}


def test_changes_of_many_at_once_are_all_kept(file: Path) -> None:
    names = ["threads", "readers", "max_pdf_mb", "max_text_mb", "max_markup_mb"]
    with ThreadPoolExecutor(len(names)) as pool:
        for number in range(10, 20):
            list(pool.map(lambda name, value=number: Settings(file).set(name, value), names))
            assert json.loads(file.read_text()) == dict.fromkeys(names, number)


def test_a_link_to_the_file_stays_a_link(file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    kept = tmp_path / "kept.json"
    kept.write_text('{"threads": 2}')
    file.symlink_to(kept)
    Settings(file).set("readers", 3)
    assert file.is_symlink()
    assert json.loads(kept.read_text()) == {"readers": 3, "threads": 2}


def test_names_may_have_hyphens(file: Path) -> None:
    assert find("min-free-gb") is SETTINGS["min_free_gb"]
    with pytest.raises(WorldError, match="no such setting"):
        find("mood")


def test_an_unwritable_file_raises_a_world_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorldError) as caught:
        Settings(tmp_path / "file" / "settings.json").set("threads", 1)
    assert caught.value.code == "path_denied"


def test_defaults_are_those_of_the_engine(file: Path, tmp_path: Path) -> None:
    config = engine_config(Settings(file), tmp_path)
    expected = EngineConfig(
        tmp_path, config.models, languages_model=LANGUAGES_MODEL, fastest_precision=True
    )
    assert config == expected


@pytest.mark.parametrize("chosen", Precision)
def test_a_precision_that_was_chosen_is_that_of_every_library(
    file: Path, tmp_path: Path, chosen: Precision
) -> None:
    settings = Settings(file)
    settings.set("precision", str(chosen))
    config = engine_config(settings, tmp_path)
    assert (config.precision, config.fastest_precision) == (chosen, False)


def test_a_model_that_was_chosen_is_kept_for_every_language(file: Path, tmp_path: Path) -> None:
    settings = Settings(file)
    settings.set("model", DEFAULT_MODEL)
    config = engine_config(settings, tmp_path)
    assert (config.model, config.languages_model) == (DEFAULT_MODEL, "")


def test_settings_reach_the_engine(file: Path, tmp_path: Path) -> None:
    settings = Settings(file)
    settings.set("min_free_gb", 0.5)
    settings.set("document_memory_mb", 100)
    settings.set("offline", value=True)
    settings.set("exclude", ("x",))
    config = engine_config(settings, tmp_path)
    assert config.min_free_bytes == 1 << 29
    assert config.limits.resident_bytes == 100 << 20
    assert config.offline
    assert config.exclude == ("x",)
    settings.set("offline", value=False)
    assert engine_config(settings, tmp_path, offline=True).offline


def test_watchers_are_called_and_held_weakly(file: Path) -> None:
    class Panel:
        def __init__(self) -> None:
            self.heard: list[str] = []

        def changed(self, name: str) -> None:
            self.heard.append(name)

    settings, panel, left = Settings(file), Panel(), Panel()
    names: list[str] = []
    settings.watch(names.append)
    settings.watch(panel.changed)
    settings.watch(left.changed)
    gone = weakref.ref(left)
    del left
    gc.collect()
    assert gone() is None
    settings.set("theme", "dark")
    settings.reset("theme")
    with pytest.raises(WorldError):
        settings.set("theme", "pink")
    assert names == panel.heard == ["theme", "theme"]


def test_changes_of_another_process_stay_in_the_file(file: Path) -> None:
    window, command = Settings(file), Settings(file)
    window.set("theme", "dark")
    command.set("threads", 3)
    window.set("history", False)
    after = Settings(file)
    assert (after["theme"], after["threads"], after["history"]) == ("dark", 3, False)


def test_changes_of_another_process_are_read_again(file: Path) -> None:
    settings, elsewhere = Settings(file), Settings(file)
    heard: list[str] = []
    settings.watch(heard.append)
    elsewhere.set("history", value=False)
    elsewhere.set("text_scale", 150)
    assert settings["history"]
    settings.read_again()
    assert (settings["history"], settings["text_scale"]) == (False, 150)
    assert sorted(heard) == ["history", "text_scale"]
    settings.read_again()
    file.write_text("{")
    settings.read_again()
    assert (settings["history"], len(heard)) == (False, 2)
    file.write_text('{"history": false, "text_scale": 150}')
    elsewhere.reset("text_scale")
    settings.read_again()
    assert settings["text_scale"] == 100
