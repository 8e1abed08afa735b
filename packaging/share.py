"""The files of Linux packages below ``share``: menu entry, icons, manual, completions, help.

It knows their places by the conventions of the desktops. It must not know packages.
"""

from __future__ import annotations

import gzip
import shutil
import sys
from typing import TYPE_CHECKING

import completions
from command import ROOT, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINUX = ROOT / "packaging" / "linux"
ICONS = ROOT / "resources" / "icons"
ICON_SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
# The folders in which Dolphin, Nemo and Nautilus look for entries of their menus.
FILE_MANAGERS = {
    "*.desktop": "kio/servicemenus",
    "*.nemo_action": "nemo/actions",
    "*.py": "nautilus-python/extensions",
}
SITE = "doc/lectern/html"


def make_share(folder: Path, manual: str) -> None:
    """Fill a folder with these files.

    Args:
        folder: The folder, which is emptied first.
        manual: The man page.

    Raises:
        SystemExit: If the site cannot be built.
    """
    shutil.rmtree(folder, ignore_errors=True)
    _copy(LINUX / "lectern.desktop", folder / "applications")
    _copy(LINUX / "org.lectern.Lectern.metainfo.xml", folder / "metainfo")
    # KDE and GNOME read these files to ask `lectern desktop`, and D-Bus to start it.
    _copy(LINUX / "org.lectern.Desktop.service", folder / "dbus-1/services")
    _copy(LINUX / "plasma-runner-lectern.desktop", folder / "krunner/dbusplugins")
    _copy(LINUX / "lectern-search-provider.ini", folder / "gnome-shell/search-providers")
    for pattern, menus in FILE_MANAGERS.items():
        for entry in sorted((LINUX / "file-managers").glob(pattern)):
            _copy(entry, folder / menus)
    shutil.copytree(ROOT / "packaging" / "launchers", folder / "doc/lectern/launchers")
    _copy(ICONS / "lectern.svg", folder / "icons/hicolor/scalable/apps")
    for size, png in _icons():
        place = folder / f"icons/hicolor/{size}x{size}/apps"
        place.mkdir(parents=True)
        (place / "lectern.png").write_bytes(png)
    pages = folder / "man/man1"
    pages.mkdir(parents=True)
    (pages / "lectern.1.gz").write_bytes(gzip.compress(manual.encode(), mtime=0))
    completions.write(folder)
    make_site(folder / SITE)


def make_site(folder: Path) -> None:
    """Build the help as a site.

    Raises:
        SystemExit: If that fails, for example because of a dead link.
    """
    # Not with --quiet, as MkDocs would then not count warnings, and not fail for them.
    options = ("-f", ROOT / "packaging/site/mkdocs.yml", "--site-dir", folder)
    run(sys.executable, "-m", "mkdocs", "build", *options, capture=True)
    for index in folder.glob("sitemap.xml*"):
        index.unlink()  # it is for search engines, and has a date


def _copy(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, folder)


def _icons() -> Iterator[tuple[int, bytes]]:
    """Render the icon in each size, as PNG."""
    import pymupdf

    drawing = pymupdf.open("svg", (ICONS / "lectern.svg").read_bytes())
    for size in ICON_SIZES:
        scale = size / max(drawing[0].rect.width, drawing[0].rect.height)
        yield size, drawing[0].get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=True).tobytes()
