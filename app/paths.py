"""The default folders of data, settings and caches on this machine.

Owns the default places (the operating system's conventions) and nothing that is in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import platformdirs

if TYPE_CHECKING:
    from pathlib import Path

APP = "lectern"


def data_folder() -> Path:
    """Return the folder of libraries and models."""
    return platformdirs.user_data_path(APP, appauthor=False)


def default_library() -> Path:
    return data_folder() / "library"


def models_folder() -> Path:
    """Return the folder of compiled models, which all libraries share."""
    return data_folder() / "models"


def settings_file() -> Path:
    return platformdirs.user_config_path(APP, appauthor=False) / "settings.json"


def window_folder() -> Path:
    """Return the folder of what the window keeps for its person."""
    return data_folder() / "window"


def log_folder() -> Path:
    return platformdirs.user_log_path(APP, appauthor=False)
