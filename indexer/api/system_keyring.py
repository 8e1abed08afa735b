"""The keyring of the operating system. Backends that store plain text or nothing are not used."""

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
    """The interface of ``keyring``'s backends. Any method may block and raise any exception."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


def system_keyring() -> Keyring | None:
    """Return the system's keyring, None if there is no trusted one. May block."""
    import keyring

    chosen = keyring.get_keyring()
    # A chained backend lists its members in order of preference.
    members = getattr(chosen, "backends", None)
    return next(filter(is_trusted, members or [chosen]), None)


def store_password(backend: Keyring, name: str, password: str) -> bool:
    """Store a password; return whether it is there now, as some keyrings drop it silently."""
    backend.set_password(SERVICE, name, password)
    return backend.get_password(SERVICE, name) == password


def is_trusted(backend: object) -> bool:
    """Whether a backend is a keyring of the operating system, not a plain file or none."""
    return type(backend).__module__ in TRUSTED
