"""The hotkey by the desktop portal's GlobalShortcuts, which works on Wayland too.

Owns the conversation over D-Bus, on a thread of its own, since the portal may ask the person first.
It must not know what the hotkey does, nor Qt's event loop: callbacks come on its thread.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
import socket
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from jeepney.io.blocking import DBusConnection

log = logging.getLogger(__name__)

_BUS, _OBJECT = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SHORTCUTS, _REQUEST = "org.freedesktop.portal.GlobalShortcuts", "org.freedesktop.portal.Request"
_NAME = "search"
# Seconds for an answer that asks nobody, and for one that waits for the person.
_SOON_S, _PERSON_S = 10.0, 600.0
# https://specifications.freedesktop.org/shortcuts-spec
_MODIFIERS = (
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
    names = [text for modifier, text in _MODIFIERS if held & modifier]
    return "+".join([*names, name.lower() if len(name) == 1 else name])


class PortalError(Exception):
    """The portal offers no hotkeys, or the person declined this one."""


class PortalListener(threading.Thread):
    """Asks for a hotkey and listens for it until it is stopped.

    Args:
        keys: What is proposed; the desktop may let the person choose other ones.
        description: What the hotkey does, for the person.
        pressed: Called at each press.
        refused: Called once, if there is no hotkey.
    """

    def __init__(
        self,
        keys: str,
        description: str,
        pressed: Callable[[], None],
        refused: Callable[[], None],
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
                session, [(_NAME, self._shortcut)], "", {},
            ), _PERSON_S)  # fmt: skip
            self.bound.set()
            while True:
                press = bus.recv_until_filtered(presses)
                if press.body[:2] == (session, _NAME):
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

        Raises:
            PortalError: If the portal does not know the method, or the person declined.
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
