"""The commands that open viewers at a page.

It starts none, and must not import Qt: the launcher, which starts them for a window that is cut off
from the network, is forked before Qt is loaded.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PATH, PAGE, URL = "{path}", "{page}", "{url}"


@dataclass(frozen=True, slots=True)
class Viewer:
    """A program that can open a page.

    Attributes:
        names: Parts of its names: of desktop files, registered types, programs.
        programs: Its executables.
        arguments: Its arguments, with ``PATH``, ``PAGE`` and ``URL`` as placeholders.
    """

    names: tuple[str, ...]
    programs: tuple[str, ...]
    arguments: tuple[str, ...]


_BROWSER = (URL + "#page=" + PAGE,)

# The first whose name matches is taken.
VIEWERS = (
    Viewer(("evince", "papers"), ("evince", "papers"), (f"--page-index={PAGE}", PATH)),
    Viewer(("atril",), ("atril",), (f"--page-index={PAGE}", PATH)),
    Viewer(("xreader",), ("xreader",), (f"--page-index={PAGE}", PATH)),
    Viewer(("okular",), ("okular",), ("--page", PAGE, PATH)),
    Viewer(("zathura",), ("zathura",), (f"--page={PAGE}", PATH)),
    Viewer(("qpdfview",), ("qpdfview",), ("--unique", f"{PATH}#{PAGE}")),
    Viewer(("xpdf",), ("xpdf",), (PATH, PAGE)),
    Viewer(("mupdf",), ("mupdf", "mupdf-gl", "mupdf-x11"), (PATH, PAGE)),
    Viewer(("sumatra",), ("SumatraPDF",), ("-reuse-instance", "-page", PAGE, PATH)),
    Viewer(("acro", "acrobat"), ("Acrobat", "AcroRd32", "acroread"),
           ("/A", f"page={PAGE}", PATH)),
    Viewer(("foxit",), ("FoxitPDFReader", "FoxitReader", "FoxitPDFEditor"),
           (PATH, "/A", f"page={PAGE}")),
    Viewer(("firefox",), ("firefox",), _BROWSER),
    Viewer(("chromium", "chromehtml", "chrome"),
           ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chrome"),
           _BROWSER),
    Viewer(("msedge", "microsoft-edge"), ("microsoft-edge", "microsoft-edge-stable", "msedge"),
           _BROWSER),
    Viewer(("brave",), ("brave-browser", "brave"), _BROWSER),
    Viewer(("vivaldi",), ("vivaldi", "vivaldi-stable"), _BROWSER),
)  # fmt: skip


def viewer_named(name: str) -> Viewer | None:
    """Return the viewer of a desktop file or a registered type."""
    folded = name.casefold()
    return next((each for each in VIEWERS if any(part in folded for part in each.names)), None)


def filled(arguments: Sequence[str], path: str, page: int) -> list[str]:
    """Fill a document and a page into a viewer's arguments."""
    values = {PATH: path, PAGE: str(page), URL: PurePath(path).as_uri()}
    pattern = re.compile("|".join(map(re.escape, values)))
    return [pattern.sub(lambda found: values[found[0]], each) for each in arguments]


def custom_command(text: str, path: str, page: int) -> list[str]:
    """Return the program and the arguments of the person's own command; [] if it is invalid.

    A command without a placeholder for the document gets it as its last argument.
    """
    try:
        # Backslashes are parts of paths on Windows.
        parts = shlex.split(text, posix=sys.platform != "win32")
    except ValueError:
        return []
    parts = [part.strip('"') for part in parts]
    if parts and not any(PATH in part or URL in part for part in parts[1:]):
        parts.append(PATH)
    return filled(parts, path, page)


def view_command(name: str, path: str, page: int) -> list[str]:
    """Return the command of a viewer by the name of its desktop file; [] if none is installed."""
    viewer = viewer_named(name)
    program = next(filter(None, map(shutil.which, viewer.programs)), "") if viewer else ""
    return [program, *filled(viewer.arguments, path, page)] if viewer and program else []


def program_of(line: str) -> str:
    """Return the program of a command line from the Windows registry."""
    found = re.match(r'\s*(?:"([^"]+)"|(\S+\.exe)|(\S+))', line, re.IGNORECASE)
    return next(filter(None, found.groups()), "") if found else ""
