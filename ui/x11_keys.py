"""The system-wide hotkey on X11, by a grab of its key.

Owns a connection to the display and the thread that waits on it. It must not know what a key does.
Qt grabs no keys for a program without the focus, so libX11 does, which Qt needs there anyway.
"""

from __future__ import annotations

import ctypes
import os
import select
import threading
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QKeyCombination

_MASKS = {
    Qt.KeyboardModifier.ShiftModifier: 1, Qt.KeyboardModifier.ControlModifier: 4,
    Qt.KeyboardModifier.AltModifier: 8, Qt.KeyboardModifier.MetaModifier: 64,
}  # fmt: skip
# Caps Lock and Num Lock are modifiers too: the key is grabbed with and without them.
_LOCKS = (0, 2, 16, 2 | 16)
_NAMES = {
    Qt.Key.Key_Space: b"space", Qt.Key.Key_Return: b"Return", Qt.Key.Key_Enter: b"KP_Enter",
    Qt.Key.Key_Tab: b"Tab", Qt.Key.Key_Insert: b"Insert", Qt.Key.Key_Home: b"Home",
    Qt.Key.Key_End: b"End", Qt.Key.Key_PageUp: b"Prior", Qt.Key.Key_PageDown: b"Next",
    Qt.Key.Key_Up: b"Up", Qt.Key.Key_Down: b"Down", Qt.Key.Key_Left: b"Left",
    Qt.Key.Key_Right: b"Right", Qt.Key.Key_Pause: b"Pause",
}  # fmt: skip
_ASYNC, _KEY_PRESS = 1, 2
_EVENT_BYTES = 192
_UNICODE = 0x01000000  # keysyms of characters beyond Latin-1

_ErrorHandler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_errors: list[int] = []


def _note_error(_display: int, _event: int) -> int:
    """Note an error; Xlib's own handler would end the process."""
    _errors.append(1)
    return 0


_handler = _ErrorHandler(_note_error)  # kept as long as Xlib may call it


class Taken(Exception):  # noqa: N818  # an answer, not an error
    """Another program has the key."""


class X11Listener(threading.Thread):
    """Grabs a key and calls ``pressed`` on this thread, until it is stopped.

    Raises:
        OSError: There is no libX11, no display, or no such key on the keyboard.
        Taken: Another program has the key.
    """

    def __init__(self, keys: QKeyCombination, pressed: Callable[[], None]) -> None:
        super().__init__(name="hotkey", daemon=True)
        self._x11 = _library()
        self._display = self._x11.XOpenDisplay(None)
        if not self._display:
            raise OSError("there is no display")
        self._pressed = pressed
        try:
            self._grab(keys)
        except BaseException:
            self._x11.XCloseDisplay(self._display)
            raise
        self._wakes, self._wake = os.pipe()
        self.start()

    def wait(self) -> None:
        """Return at once: the key is grabbed already."""

    def stop(self) -> None:
        """Release the key."""
        os.close(self._wake)
        self.join()

    def run(self) -> None:
        event = ctypes.create_string_buffer(_EVENT_BYTES)
        connection = self._x11.XConnectionNumber(self._display)
        while self._wakes not in select.select([connection, self._wakes], [], [])[0]:
            while self._x11.XPending(self._display):
                self._x11.XNextEvent(self._display, event)
                if ctypes.cast(event, ctypes.POINTER(ctypes.c_int))[0] == _KEY_PRESS:
                    self._pressed()
        self._x11.XCloseDisplay(self._display)
        os.close(self._wakes)

    def _grab(self, keys: QKeyCombination) -> None:
        code = self._x11.XKeysymToKeycode(self._display, _keysym(self._x11, keys.key()))
        if not code:
            raise OSError("the keyboard has no such key")
        held = sum(mask for one, mask in _MASKS.items() if keys.keyboardModifiers() & one)
        root = self._x11.XDefaultRootWindow(self._display)
        self._x11.XSetErrorHandler(_handler)
        _errors.clear()
        for lock in _LOCKS:
            self._x11.XGrabKey(self._display, code, held | lock, root, 0, _ASYNC, _ASYNC)
        self._x11.XSync(self._display, 0)
        if _errors:
            raise Taken


def _keysym(x11: Any, key: Qt.Key) -> int:
    number, first = int(key), int(Qt.Key.Key_F1)
    name = _NAMES.get(key)
    if first <= number < first + 20:
        name = f"F{number - first + 1}".encode()
    if name is not None:
        return int(x11.XStringToKeysym(name))
    letter = ord(chr(number).lower()) if number < 0x3000 else 0
    return letter if letter < 0x100 else _UNICODE | letter


def _library() -> Any:
    """Load libX11.

    Raises:
        OSError: It is not there.
    """
    x11, display = ctypes.CDLL("libX11.so.6"), ctypes.c_void_p
    x11.XOpenDisplay.restype, x11.XOpenDisplay.argtypes = display, [ctypes.c_char_p]
    x11.XStringToKeysym.restype, x11.XStringToKeysym.argtypes = ctypes.c_ulong, [ctypes.c_char_p]
    x11.XKeysymToKeycode.restype = ctypes.c_ubyte
    x11.XKeysymToKeycode.argtypes = [display, ctypes.c_ulong]
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    x11.XGrabKey.argtypes = [
        display,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.c_ulong,
        *[ctypes.c_int] * 3,
    ]
    x11.XNextEvent.argtypes = [display, ctypes.c_char_p]
    x11.XSync.argtypes = [display, ctypes.c_int]
    for each in (x11.XDefaultRootWindow, x11.XConnectionNumber, x11.XPending, x11.XCloseDisplay):
        each.argtypes = [display]
    return x11
