"""The keyring of the operating system, and no backend that stores plain text or nothing."""

from __future__ import annotations

from typing import Protocol

SERVICE = "Lectern"
# Backends that encrypt with the person's login; others may store plain text.
TRUSTED = frozenset({
    "keyring.backends.SecretService",
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.macOS",
    "keyring.backends.Windows",
})  # fmt: skip


class Keyring(Protocol):
    """The interface of ``keyring``'s backends; any method may block, and raise anything."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


def system_keyring() -> Keyring | None:
    """Return the keyring of this system; None without a trusted one. May block."""
    import keyring

    chosen = keyring.get_keyring()
    # A chained backend lists its members in order of preference.
    members = getattr(chosen, "backends", None)
    return next(filter(is_trusted, members or [chosen]), None)


def store_password(backend: Keyring, name: str, password: str) -> bool:
    """Put a password into a keyring; whether it is there now, since some drop it silently."""
    backend.set_password(SERVICE, name, password)
    return backend.get_password(SERVICE, name) == password


def is_trusted(backend: object) -> bool:
    """Whether a backend is a keyring of the operating system, not a plain file or none."""
    return type(backend).__module__ in TRUSTED
