"""The users of ``lectern serve``: each has their own token and may see their own collections.

The file keeps the names of the collections and the SHA-256 of the token, which is shown once.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from app import paths
from app.doors.access import Access
from indexer.api.errors import WorldError, bad_usage
from indexer.api.json_files import changing, read_object

MOST_USERS = 1_000
_MOST_CHARACTERS = 60  # the most characters of a name


class ServerUser(msgspec.Struct, frozen=True):
    """The stored record of a user: the hash of the token, and the names of collections."""

    token_hash: str
    collections: tuple[str, ...] = ()


class TokenOwner(NamedTuple):
    """The owner of a request's token: the user's name ("": the person), and what they may see."""

    name: str = ""
    access: Access | None = None


def users_file() -> Path:
    return paths.data_folder() / "serve-users.json"


def token_hash(token: bytes) -> str:
    """Return the SHA-256 of a token in hexadecimal digits."""
    return hashlib.sha256(token).hexdigest()


def read_users() -> dict[str, ServerUser]:
    """Return the users by name.

    Raises ``path_denied``, if the file cannot be read or does not have the form that we write.
    """
    with _errors():
        return msgspec.convert(read_object(users_file()), dict[str, ServerUser])


def allow_user(name: str, collections: Sequence[str]) -> str:
    """Let a user see collections, in addition to those they see already.

    Returns the token of a new user, "" for a known one. Raises ``bad_usage``, for a name that
    cannot be one; ``path_denied``.
    """
    if not name.isprintable() or not name.strip() or len(name) > _MOST_CHARACTERS:
        raise bad_usage(
            "doors", f"the name of a user has 1 to {_MOST_CHARACTERS} printable characters"
        )
    with _errors(), changing(users_file()) as content:
        users = msgspec.convert(content, dict[str, ServerUser])
        if name not in users and len(users) >= MOST_USERS:
            raise bad_usage("doors", f"there are {MOST_USERS} users already")
        token = "" if name in users else secrets.token_urlsafe(32)
        user = users.get(name, ServerUser(token_hash(token.encode())))
        seen = tuple(dict.fromkeys([*user.collections, *collections]))
        content[name] = msgspec.to_builtins(ServerUser(user.token_hash, seen))
    return token


def deny_user(name: str, collections: Sequence[str]) -> None:
    """Take collections from a user; if none are named, remove the user and the token.

    Raises ``bad_usage``, if there is no such user; ``path_denied``.
    """
    denied = {each.casefold() for each in collections}
    with _errors(), changing(users_file()) as content:
        user = msgspec.convert(content, dict[str, ServerUser]).get(name)
        if user is None:
            raise bad_usage("doors", f"there is no user {name}")
        left = tuple(each for each in user.collections if each.casefold() not in denied)
        content[name] = msgspec.to_builtins(ServerUser(user.token_hash, left))
        if not denied:
            del content[name]


class UserTokens:
    """Finds users by their tokens; the file is read again when it has changed."""

    def __init__(self) -> None:
        self._owners: dict[str, TokenOwner] = {}
        self._seen: tuple[int, int, int] | None = None

    def owner(self, token: bytes) -> TokenOwner | None:
        """Return the owner of a token; None if it is unknown or the file cannot be read."""
        try:
            status = users_file().stat()
            seen = (status.st_ino, status.st_mtime_ns, status.st_size)
            if seen != self._seen:
                self._owners = {
                    user.token_hash: TokenOwner(name, Access(user.collections))
                    for name, user in read_users().items()
                }
                self._seen = seen
        except (OSError, WorldError):
            self._owners, self._seen = {}, None
        return self._owners.get(token_hash(token))


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
        raise WorldError("path_denied", path=str(users_file())) from error
