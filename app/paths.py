"""The default folders of data, settings and caches on this machine.

It knows the default places by the operating system's conventions, but nothing that is in them. An
encrypted library keeps some of these folders inside itself; ``use_inside`` redirects to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import platformdirs

from indexer.vault.place import LOG, WINDOW

APP = "lectern"
# The folders inside an encrypted library that replace the default ones, by name.
_inside: dict[str, Path] = {}


def data_folder() -> Path:
    """Return the folder of libraries and models."""
    return platformdirs.user_data_path(APP, appauthor=False)


def default_library() -> Path:
    return data_folder() / "library"


def models_folder() -> Path:
    """Return the folder of downloaded and imported models, which all libraries share."""
    return data_folder() / "models"


def pulled_folder() -> Path:
    """Return the folder for copies of libraries that are published on object storage."""
    return platformdirs.user_cache_path(APP, appauthor=False) / "libraries"


def settings_file() -> Path:
    return platformdirs.user_config_path(APP, appauthor=False) / "settings.json"


def use_inside(folders: Mapping[str, Path]) -> None:
    """Replace the default folders of the window and the log in this process."""
    _inside.clear()
    _inside.update(folders)


def window_folder() -> Path:
    """Return the folder of the files that the window keeps for the person."""
    return _inside.get(WINDOW) or shared_window_folder()


def shared_window_folder() -> Path:
    return data_folder() / WINDOW


def log_folder() -> Path:
    return _inside.get(LOG) or shared_log_folder()


def shared_log_folder() -> Path:
    return platformdirs.user_log_path(APP, appauthor=False)
