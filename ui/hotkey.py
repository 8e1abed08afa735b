"""The system-wide hotkey for the search, where the system allows one.

On Wayland the GlobalShortcuts of the desktop portal listen; they may ask the person first. On X11
libX11 grabs the key, as Qt cannot for a program without the focus, but needs libX11 anyway. On
Windows and macOS pynput listens; it is loaded only when a hotkey is chosen. Callbacks come on the
listener's thread.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import secrets
import select
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection

log = logging.getLogger(__name__)

_BUS, _OBJECT = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SHORTCUTS, _REQUEST = "org.freedesktop.portal.GlobalShortcuts", "org.freedesktop.portal.Request"
_SHORTCUT_ID = "search"
# Seconds for an answer that comes by itself, and for one that waits for the person.
_SOON_S, _PERSON_S = 10.0, 600.0
# A modifier, its name for the portal, its mask for X11, and its name for pynput.
# https://specifications.freedesktop.org/shortcuts-spec
_MODIFIERS = (
    (Qt.KeyboardModifier.ControlModifier, "CTRL", 4, "cmd" if sys.platform == "darwin" else "ctrl"),
    (Qt.KeyboardModifier.AltModifier, "ALT", 8, "alt"),
    (Qt.KeyboardModifier.ShiftModifier, "SHIFT", 1, "shift"),
    (Qt.KeyboardModifier.MetaModifier, "LOGO", 64, "ctrl" if sys.platform == "darwin" else "cmd"),
)
# The system's names of keys. In small letters they are pynput's names too, except for two.
_NAMES = {
    Qt.Key.Key_Space: "space", Qt.Key.Key_Return: "Return", Qt.Key.Key_Enter: "KP_Enter",
    Qt.Key.Key_Tab: "Tab", Qt.Key.Key_Insert: "Insert", Qt.Key.Key_Home: "Home",
    Qt.Key.Key_End: "End", Qt.Key.Key_PageUp: "Page_Up", Qt.Key.Key_PageDown: "Page_Down",
    Qt.Key.Key_Up: "Up", Qt.Key.Key_Down: "Down", Qt.Key.Key_Left: "Left",
    Qt.Key.Key_Right: "Right", Qt.Key.Key_Pause: "Pause",
}  # fmt: skip
_OF_PYNPUT = {"Return": "enter", "KP_Enter": "enter"}


def _parted(keys: str) -> tuple[Qt.KeyboardModifier, str]:
    """Return the modifiers of a combination, and the other key: a letter or a longer name."""
    combination: Any = cast("Any", QKeySequence(keys))[0]  # Qt's stub lacks indexing
    key = combination.key()
    number, first = int(key), int(Qt.Key.Key_F1)
    if first <= number < first + 20:
        return combination.keyboardModifiers(), f"F{number - first + 1}"
    letter = chr(number).lower() if number < 0x3000 else ""
    known = letter if letter.isprintable() and letter.strip() else ""
    return combination.keyboardModifiers(), _NAMES.get(key, known)


def portal_keys(keys: str) -> str:
    """Return keys in the notation of the portal, such as ``CTRL+ALT+l``."""
    held, name = _parted(keys)
    return "+".join([*(text for each, text, _, _ in _MODIFIERS if held & each), name])


def pynput_keys(keys: str) -> str | None:
    """Return keys in pynput's notation; None without a modifier, except for function keys."""
    if QKeySequence(keys).count() != 1:
        return None
    held, name = _parted(keys)
    # The complement of Shift would not do: on Windows these flags are signed.
    strong = held not in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier)
    if not name or not (strong or name[1:].isdigit()):
        return None
    modifiers = [f"<{text}>" for each, _, _, text in _MODIFIERS if held & each]
    written = f"<{_OF_PYNPUT.get(name, name.lower())}>" if len(name) > 1 else name
    return "+".join([*modifiers, written])


class PortalError(Exception):
    """The portal offers no hotkeys, or the person declined this one."""


class PortalListener(threading.Thread):
    """Asks for a hotkey and listens for it until it is stopped.

    ``keys`` are proposed to the desktop, which may let the person choose other ones. ``refused`` is
    called once if there is no hotkey.
    """

    def __init__(
        self, keys: str, description: str, pressed: Callable[[], None], refused: Callable[[], None]
    ) -> None:
        super().__init__(name="hotkey", daemon=True)
        self._shortcut = {
            "description": ("s", description),
            "preferred_trigger": ("s", portal_keys(keys)),
        }
        self._pressed = pressed
        self._refused = refused
        self._bus: DBusConnection | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self.start()

    def stop(self) -> None:
        """Close the connection; the portal ends the session with it."""
        with self._lock:
            self._stopped = True
            if self._bus is not None:
                with contextlib.suppress(OSError):
                    self._bus.sock.shutdown(socket.SHUT_RDWR)
        self.join()

    def run(self) -> None:
        from jeepney.io.blocking import open_dbus_connection

        try:
            with open_dbus_connection("SESSION") as bus:
                with self._lock:
                    if self._stopped:
                        return
                    self._bus = bus
                try:
                    self._listen(bus)
                finally:
                    with self._lock:
                        self._bus = None
        except Exception as error:  # noqa: BLE001  # of the library, the socket or the portal
            if not self._stopped:
                log.warning("no hotkey by the portal: %s", error)
                self._refused()

    def _listen(self, bus: DBusConnection) -> None:
        from jeepney import MatchRule, message_bus

        presses: deque[Any] = deque()
        rule = MatchRule(type="signal", interface=_SHORTCUTS, member="Activated", path=_OBJECT)
        bus.send_and_get_reply(message_bus.AddMatch(rule), timeout=_SOON_S)
        with bus.filter(rule, queue=presses):
            token = secrets.token_hex(8)
            made = self._ask(bus, "CreateSession", "a{sv}", (
                {"session_handle_token": ("s", token)},
            ), _SOON_S)  # fmt: skip
            session = made["session_handle"][1]
            self._ask(bus, "BindShortcuts", "oa(sa{sv})sa{sv}", (
                session, [(_SHORTCUT_ID, self._shortcut)], "", {},
            ), _PERSON_S)  # fmt: skip
            while True:
                press = bus.recv_until_filtered(presses)
                if press.body[:2] == (session, _SHORTCUT_ID):
                    self._pressed()

    def _ask(
        self,
        bus: DBusConnection,
        method: str,
        signature: str,
        body: tuple[Any, ...],
        seconds: float,
    ) -> dict[str, Any]:
        """Call a method whose answer comes as a signal of a request object.

        Raises ``PortalError`` if the portal does not know the method, or the person declined.
        """
        from jeepney import DBusAddress, MatchRule, MessageType, message_bus, new_method_call

        token = secrets.token_hex(8)
        sender = bus.unique_name.lstrip(":").replace(".", "_")
        rule = MatchRule(
            type="signal", interface=_REQUEST, member="Response",
            path=f"{_OBJECT}/request/{sender}/{token}",
        )  # fmt: skip
        bus.send_and_get_reply(message_bus.AddMatch(rule), timeout=_SOON_S)
        options = {**body[-1], "handle_token": ("s", token)}
        address = DBusAddress(_OBJECT, _BUS, _SHORTCUTS)
        call = new_method_call(address, method, signature, (*body[:-1], options))
        with bus.filter(rule) as answers:
            reply = bus.send_and_get_reply(call, timeout=_SOON_S)
            if reply.header.message_type is MessageType.error:
                raise PortalError(f"{method}: {reply.body}")
            code, results = bus.recv_until_filtered(answers, timeout=seconds).body
        if code:
            raise PortalError(f"{method}: declined ({code})")
        return cast("dict[str, Any]", results)


# Caps Lock and Num Lock are modifiers too: the key is grabbed with and without them.
_LOCKS = (0, 2, 16, 2 | 16)
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


class KeyTakenError(Exception):
    """Another program has the key."""


class X11Listener(threading.Thread):
    """Grabs a key and calls ``pressed`` on this thread, until it is stopped.

    Raises ``OSError`` if there is no libX11, no display, or no such key on the keyboard, and
    ``KeyTakenError`` if another program has the key.
    """

    def __init__(self, keys: str, pressed: Callable[[], None]) -> None:
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

    def _grab(self, keys: str) -> None:
        modifiers, name = _parted(keys)
        code = self._x11.XKeysymToKeycode(self._display, _keysym(self._x11, name))
        if not code:
            raise OSError("the keyboard has no such key")
        held = sum(mask for each, _, mask, _ in _MODIFIERS if modifiers & each)
        root = self._x11.XDefaultRootWindow(self._display)
        self._x11.XSetErrorHandler(_handler)
        _errors.clear()
        for lock in _LOCKS:
            self._x11.XGrabKey(self._display, code, held | lock, root, 0, _ASYNC, _ASYNC)
        self._x11.XSync(self._display, 0)
        if _errors:
            raise KeyTakenError


def _keysym(x11: Any, name: str) -> int:
    if len(name) > 1:
        return int(x11.XStringToKeysym(name.encode()))
    letter = ord(name) if name else 0
    return letter if letter < 0x100 else _UNICODE | letter


def _library() -> Any:
    """Load libX11. Raises ``OSError`` if it is not installed."""
    x11, display = ctypes.CDLL("libX11.so.6"), ctypes.c_void_p
    x11.XOpenDisplay.restype, x11.XOpenDisplay.argtypes = display, [ctypes.c_char_p]
    x11.XStringToKeysym.restype, x11.XStringToKeysym.argtypes = ctypes.c_ulong, [ctypes.c_char_p]
    x11.XKeysymToKeycode.restype = ctypes.c_ubyte
    x11.XKeysymToKeycode.argtypes = [display, ctypes.c_ulong]
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    number, window = ctypes.c_int, ctypes.c_ulong
    x11.XGrabKey.argtypes = [display, number, ctypes.c_uint, window, number, number, number]
    x11.XNextEvent.argtypes = [display, ctypes.c_char_p]
    x11.XSync.argtypes = [display, ctypes.c_int]
    for each in (x11.XDefaultRootWindow, x11.XConnectionNumber, x11.XPending, x11.XCloseDisplay):
        each.argtypes = [display]
    return x11


class Listener(Protocol):
    """A listener for keys on a thread of its own, which may start shortly after it was made."""

    def stop(self) -> None: ...


class Refused(Exception):  # noqa: N818  # an answer, not an error
    """No hotkey is possible; the message is a sentence for the person."""


class Hotkey(QObject):
    """The system-wide hotkey. Signals: ``pressed``; ``refused`` with a sentence, if it fails late.

    Args:
        listen: Starts a listener for keys in pynput's notation; it may raise any exception.
    """

    pressed = Signal()
    refused = Signal(str)

    def __init__(
        self,
        parent: QObject | None = None,
        listen: Callable[[str, Callable[[], None]], Listener] | None = None,
    ) -> None:
        super().__init__(parent)
        self._listen = listen
        self.listener: Listener | None = None

    def listen_for(self, keys: str) -> str:
        """Listen for other keys from now on, or for none if ``keys`` is empty.

        Returns a sentence for the person that says why this is not possible; "" if it is.
        """
        self.stop()
        if not keys:
            return ""
        try:
            self.listener = self._start(keys)
        except Refused as refused:
            return str(refused)
        except Exception:  # the library raises its own kinds
            log.exception("the hotkey does not work")
            return self.tr("The system does not let Lectern listen for a hotkey.")
        return ""

    def stop(self) -> None:
        if self.listener is not None:
            self.listener.stop()
            self.listener = None

    def _start(self, keys: str) -> Listener:
        notation = pynput_keys(keys)
        if notation is None:
            text = self.tr("“{keys}” is not a hotkey. Try something like Ctrl+Alt+L.")
            raise Refused(text.format(keys=keys))
        if self._listen is not None:
            return self._listen(notation, self.pressed.emit)
        on_linux = sys.platform == "linux"  # a variable, or mypy takes the rest for unreachable
        if on_linux:
            return self._start_on_linux(keys)
        return self._start_pynput(notation)

    def _start_on_linux(self, keys: str) -> Listener:
        if os.environ.get("XDG_SESSION_TYPE") != "wayland":
            try:
                return X11Listener(keys, self.pressed.emit)
            except OSError as error:
                log.info("no key can be grabbed: %s", error)
            except KeyTakenError:
                raise Refused(
                    self.tr("Another program has this hotkey. Choose another one.")
                ) from None
        return PortalListener(
            keys, self.tr("Search with Lectern"), self.pressed.emit, self._portal_refused
        )

    def _portal_refused(self) -> None:
        self.refused.emit(
            self.tr(
                "This desktop lets no program listen for keys, or it was declined. Set a key for "
                "the command “lectern” in the system’s keyboard settings instead."
            )
        )

    def _start_pynput(self, notation: str) -> Listener:
        # Imported here, since without a display importing it fails.
        from pynput import keyboard

        listener: Any = keyboard.GlobalHotKeys({notation: self.pressed.emit})
        if getattr(listener, "IS_TRUSTED", True) is False:
            raise Refused(
                self.tr(
                    "macOS asks for your permission first: System Settings, Privacy & Security, "
                    "Accessibility. Allow Lectern there, then start it again."
                )
            )
        listener.start()
        started: Listener = listener
        return started
