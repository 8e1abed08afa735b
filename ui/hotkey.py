"""The system-wide hotkey for the search, where the system allows one.

On Wayland the desktop portal's GlobalShortcuts listen, which may ask the person first. On X11 Qt
grabs no keys for a program without the focus, so libX11 does, which Qt needs there anyway. On
Windows and macOS it is pynput, loaded only when a hotkey is chosen. Callbacks come on the
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

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeySequence

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection


_BUS, _OBJECT = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SHORTCUTS, _REQUEST = "org.freedesktop.portal.GlobalShortcuts", "org.freedesktop.portal.Request"
_SHORTCUT_ID = "search"
# Seconds for an answer that asks nobody, and for one that waits for the person.
_SOON_S, _PERSON_S = 10.0, 600.0
# https://specifications.freedesktop.org/shortcuts-spec
_PORTAL_MODIFIERS = (
    (Qt.KeyboardModifier.ControlModifier, "CTRL"),
    (Qt.KeyboardModifier.AltModifier, "ALT"),
    (Qt.KeyboardModifier.ShiftModifier, "SHIFT"),
    (Qt.KeyboardModifier.MetaModifier, "LOGO"),
)
_KEYSYMS = {
    Qt.Key.Key_PageUp: "Page_Up", Qt.Key.Key_PageDown: "Page_Down", Qt.Key.Key_Enter: "KP_Enter",
    Qt.Key.Key_Space: "space",
}  # fmt: skip


def trigger(keys: str) -> str:
    """Return keys in the notation of the portal, such as ``CTRL+ALT+l``."""
    combination: Any = cast("Any", QKeySequence(keys))[0]  # its stub does not know indexing
    held, key = combination.keyboardModifiers(), combination.key()
    name = _KEYSYMS.get(key) or QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)
    names = [text for modifier, text in _PORTAL_MODIFIERS if held & modifier]
    return "+".join([*names, name.lower() if len(name) == 1 else name])


class PortalError(Exception):
    """The portal offers no hotkeys, or the person declined this one."""


class PortalListener(threading.Thread):
    """Asks for a hotkey and listens for it until it is stopped.

    ``keys`` are what is proposed; the desktop may let the person choose other ones; ``refused`` is
    called once, if there is no hotkey.
    """

    def __init__(
        self, keys: str, description: str, pressed: Callable[[], None], refused: Callable[[], None]
    ) -> None:
        super().__init__(name="hotkey", daemon=True)
        self._shortcut = {
            "description": ("s", description),
            "preferred_trigger": ("s", trigger(keys)),
        }
        self._pressed = pressed
        self._refused = refused
        self._bus: DBusConnection | None = None
        self._stopped = False
        self._lock = threading.Lock()
        self.bound = threading.Event()
        self.start()

    def wait(self) -> None:
        """Wait until keys are listened for."""
        self.bound.wait()

    def stop(self) -> None:
        """End the conversation; the portal forgets the session with it."""
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
            self.bound.set()
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


class KeyTakenError(Exception):
    """Another program has the key."""


class X11Listener(threading.Thread):
    """Grabs a key and calls ``pressed`` on this thread, until it is stopped.

    Raises ``OSError``: there is no libX11, no display, or no such key on the keyboard;
    ``KeyTakenError``: another program has the key.
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
            raise KeyTakenError


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
    """Load libX11. Raises ``OSError``: it is not there."""
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


log = logging.getLogger(__name__)

_MODIFIERS = (
    (Qt.KeyboardModifier.ControlModifier, "<cmd>" if sys.platform == "darwin" else "<ctrl>"),
    (Qt.KeyboardModifier.MetaModifier, "<ctrl>" if sys.platform == "darwin" else "<cmd>"),
    (Qt.KeyboardModifier.AltModifier, "<alt>"),
    (Qt.KeyboardModifier.ShiftModifier, "<shift>"),
)
_NAMED = {
    Qt.Key.Key_Space: "<space>", Qt.Key.Key_Return: "<enter>", Qt.Key.Key_Enter: "<enter>",
    Qt.Key.Key_Tab: "<tab>", Qt.Key.Key_Insert: "<insert>", Qt.Key.Key_Home: "<home>",
    Qt.Key.Key_End: "<end>", Qt.Key.Key_PageUp: "<page_up>", Qt.Key.Key_PageDown: "<page_down>",
    Qt.Key.Key_Up: "<up>", Qt.Key.Key_Down: "<down>", Qt.Key.Key_Left: "<left>",
    Qt.Key.Key_Right: "<right>", Qt.Key.Key_Pause: "<pause>",
}  # fmt: skip


class Listener(Protocol):
    """A listener for keys, on a thread of its own, which starts a moment after it is made."""

    def wait(self) -> None:
        """Wait until keys are listened for."""

    def stop(self) -> None: ...


class Refused(Exception):  # noqa: N818  # an answer, not an error
    """There can be no hotkey; the message is a sentence for the person."""


class Hotkey(QObject):
    """The system-wide hotkey. Signals: ``pressed``; ``refused`` with a sentence, later.

    Args:
        listen: Starts a listener for keys in pynput's notation; may raise anything.
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
        """Listen for other keys from now on, or for none if they are empty.

        Returns why that is not possible, in a sentence for the person; "" if it is.
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
            raise Refused(
                self.tr("“{keys}” is not a hotkey. Try something like Ctrl+Alt+L.").format(
                    keys=keys
                )
            )
        if self._listen is not None:
            return self._listen(notation, self.pressed.emit)
        on_linux = sys.platform == "linux"  # a variable, or mypy takes the rest for unreachable
        if on_linux:
            return self._start_on_linux(keys)
        return self._start_pynput(notation)

    def _start_on_linux(self, keys: str) -> Listener:
        if os.environ.get("XDG_SESSION_TYPE") != "wayland":
            try:
                return X11Listener(cast("Any", QKeySequence(keys))[0], self.pressed.emit)
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


def pynput_keys(keys: str) -> str | None:
    """Return keys in pynput's notation; None unless they are a function key or have a modifier."""
    sequence = QKeySequence(keys)
    if sequence.count() != 1:
        return None
    combination: Any = cast("Any", sequence)[0]  # its stub does not know indexing
    held = combination.keyboardModifiers()
    name = _key_name(combination.key())
    modifiers = [text for modifier, text in _MODIFIERS if held & modifier]
    strong = held & ~Qt.KeyboardModifier.ShiftModifier
    if name is None or not (strong or name.startswith("<f")):
        return None
    return "+".join([*modifiers, name])


def _key_name(key: Qt.Key) -> str | None:
    if key in _NAMED:
        return _NAMED[key]
    number = int(key)
    first = int(Qt.Key.Key_F1)
    if first <= number < first + 20:
        return f"<f{number - first + 1}>"
    letter = chr(number).lower() if number < 0x3000 else ""
    return letter if letter.isprintable() and letter.strip() else None
