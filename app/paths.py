"""The default folders of data, settings and caches on this machine.

Owns the default places (the operating system's conventions) and nothing that is in them. What an
encrypted library has in itself, so that it is encrypted too, is found there by the whole process.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import platformdirs

from indexer.vault.place import LOG, WINDOW

APP = "lectern"
# By name: the folders that an encrypted library has in itself.
_inside: dict[str, Path] = {}


def data_folder() -> Path:
    """Return the folder of libraries and models."""
    return platformdirs.user_data_path(APP, appauthor=False)


def default_library() -> Path:
    return data_folder() / "library"


def models_folder() -> Path:
    """Return the folder of compiled models, which all libraries share."""
    return data_folder() / "models"


def pulled_folder() -> Path:
    """Return the folder of copies of libraries that are published on object storage."""
    return platformdirs.user_cache_path(APP, appauthor=False) / "libraries"


def settings_file() -> Path:
    return platformdirs.user_config_path(APP, appauthor=False) / "settings.json"


def use_inside(folders: Mapping[str, Path]) -> None:
    """Have this process use other folders of the window or of the log than the default ones."""
    _inside.clear()
    _inside.update(folders)


def window_folder() -> Path:
    """Return the folder of what the window keeps for its person."""
    return _inside.get(WINDOW) or shared_window_folder()


def shared_window_folder() -> Path:
    return data_folder() / WINDOW


def log_folder() -> Path:
    return _inside.get(LOG) or shared_log_folder()


def shared_log_folder() -> Path:
    return platformdirs.user_log_path(APP, appauthor=False)
