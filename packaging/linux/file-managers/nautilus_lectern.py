"""The entries of Lectern in the menus of Nautilus, which needs python3-nautilus to read this."""

from __future__ import annotations

import subprocess
import threading
from typing import Any

from gi.repository import GObject, Nautilus

PROGRAM = "lectern-window"
GERMAN = {
    "Search in this folder": "In diesem Ordner suchen",
    "Find similar": "Ähnliches finden",
    "Add to Lectern": "Zu Lectern hinzufügen",
}


class LecternMenu(GObject.GObject, Nautilus.MenuProvider):  # type: ignore[misc]  # untyped
    """Offers what Lectern can do with the selected files."""

    def get_file_items(self, *given: Any) -> list[Any]:
        """Return the entries; Nautilus 3 passes its window before the files."""
        files = [each.get_location().get_path() for each in given[-1]]
        if not files or None in files:  # a file is not on this machine
            return []
        offered = [("Add to Lectern", files)]
        if len(files) == 1:
            folder = given[-1][0].is_directory()
            name, option = (
                ("Search in this folder", "--in") if folder else ("Find similar", "--like")
            )
            offered.insert(0, (name, [option, *files]))
        return [self._item(name, words) for name, words in offered]

    def get_background_items(self, *given: Any) -> list[Any]:
        """Return the entries for the folder that is shown."""
        return self.get_file_items([given[-1]])

    def _item(self, name: str, words: list[str]) -> Any:
        label = GERMAN[name] if _is_german() else name
        item = Nautilus.MenuItem(name=f"Lectern::{name}", label=label, icon="lectern")
        item.connect("activate", lambda _item: _start([PROGRAM, "gui", *words]))
        return item


def _start(command: list[str]) -> None:
    """Start a program, and wait for it in a thread, so that it leaves no zombie in Nautilus."""
    threading.Thread(target=subprocess.run, args=(command,), daemon=True).start()


def _is_german() -> bool:
    from gi.repository import GLib

    return any(name.split("_")[0] == "de" for name in GLib.get_language_names()[:1])
