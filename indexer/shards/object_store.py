"""The objects below a URI: S3, Google Cloud Storage, Azure, or a folder (``file:///``).

The client is obstore: one wheel without dependencies, with conditional puts on all of these and
uploads in parts. fsspec with s3fs would bring a second HTTP client and a pinned botocore.
Credentials come from environment variables and the machine's role, and are never stored.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct

from indexer.api.errors import WorldError

SCHEMES = ("s3", "gs", "az", "file")
_RANGE_BYTES = 8 << 20  # each one takes up to 30 seconds
_RETRIES = {"max_retries": 3, "retry_timeout": timedelta(seconds=60)}


class StoredObject(Struct, frozen=True):
    """An object: its name below the URI, its size, its entity tag and its time of writing."""

    name: str
    size: int
    mark: str
    written: float


def is_uri(named: str) -> bool:
    """Whether the name of a library is a URI and not a folder."""
    return named.partition("://")[0] in SCHEMES and "://" in named


def checked(uri: str) -> str:
    """Check a URI and return it without final slashes.

    Raises ``store_failed`` if it is not the URI of a place, if it has a query, which would be
    ignored, or credentials, which would be stored in libraries and printed; the error hides them.
    """
    there = re.sub("[?#].*", "", uri, flags=re.DOTALL)
    user = "[^/]*@" if uri.startswith("file:") else "([^/]*|[^@]*:[^@]*)@"
    there = re.sub(f"(?<=://){user}", "", there)
    reason = ""
    if there != uri:
        reason = "a URI has no credentials, which are those of the environment, nor ? or #"
    elif not is_uri(uri) or not uri.partition("://")[2].strip("/"):
        reason = f"it is no URI of {', '.join(SCHEMES)}"
    if reason:
        raise WorldError("store_failed", library=there, reason=reason)
    return uri.rstrip("/")


class ObjectStore:
    """The objects below a URI. The components of their names are separated by "/".

    The constructor and every method raise ``store_failed``.
    """

    def __init__(self, uri: str) -> None:
        self.uri = uri = checked(uri)
        with self._translated():
            import obstore
            from obstore.store import from_url

            self._client = obstore
            options: dict[str, Any] = {"retry_config": _RETRIES}
            if uri.startswith("file:"):
                options = {"mkdir": True}
            self._store = from_url(uri, **options)

    def failure(self, reason: str) -> WorldError:
        return WorldError("store_failed", library=self.uri, reason=reason)

    def sizes(self, prefix: str) -> dict[str, int]:
        """Return the sizes of the objects below a prefix, by their names without the prefix."""
        return {each.name.removeprefix(f"{prefix}/"): each.size for each in self.entries(prefix)}

    def entries(self, prefix: str) -> list[StoredObject]:
        """Return the objects below a prefix."""
        found: list[StoredObject] = []
        with self._translated():
            for group in self._client.list(self._store, prefix or None):
                found += [
                    StoredObject(
                        each["path"],
                        each["size"],
                        each["e_tag"] or str(each["last_modified"]),
                        each["last_modified"].timestamp(),
                    )
                    for each in group
                ]
        return found

    def fetch(self, name: str, file: Path) -> tuple[str, float] | None:
        """Copy an object to a new file; return its entity tag and time of writing.

        Without such an object it makes no file and returns None. Raises ``OSError`` if the file
        cannot be written.
        """
        with self._translated():
            try:
                found = self._client.get(self._store, name)
            except FileNotFoundError:
                return None
            parts = iter(found.stream(min_chunk_size=_RANGE_BYTES))
        with file.open("xb") as target:
            while True:
                with self._translated():
                    part = next(parts, None)
                if part is None:
                    break
                target.write(part)
        modified = found.meta["last_modified"]
        return found.meta["e_tag"] or str(modified), modified.timestamp()

    def delete(self, names: Sequence[str]) -> None:
        """Delete objects, ignoring those that do not exist."""
        for name in names:
            with self._translated(), contextlib.suppress(FileNotFoundError):
                self._client.delete(self._store, name)

    def read(self, name: str, size: int) -> Iterator[bytes]:
        """Yield the bytes of an object of this size, or fewer if it is shorter."""
        for start in range(0, size, _RANGE_BYTES):
            length = min(_RANGE_BYTES, size - start)
            with self._translated():
                part = bytes(self._client.get_range(self._store, name, start=start, length=length))
            yield part

    def write(self, name: str, file: Path | bytes) -> None:
        """Write an object, completely or not at all."""
        with self._translated():
            self._client.put(self._store, name, file)

    def create(self, name: str, content: bytes) -> bool:
        """Write an object unless it exists; return whether it was written."""
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        with self._translated():
            try:
                self._client.put(self._store, name, content, mode="create", use_multipart=False)
            except (AlreadyExistsError, PreconditionError):
                return False
        return True

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Translate the errors of the client. Only their first line is for the person."""
        try:
            yield
        except ModuleNotFoundError as error:
            raise self.failure("install `lectern[cluster]`, which has the client") from error
        except Exception as error:
            said = next(iter(_without_secrets(str(error)).splitlines()), "")[:300]
            raise self.failure(said or type(error).__name__) from error


def _without_secrets(said: str) -> str:
    """Remove the environment's credentials from a server's answer, which may repeat them."""
    secret = re.compile("KEY|SECRET|TOKEN|PASSW|SAS")
    for name, value in os.environ.items():
        if secret.search(name) and len(value) > 3:
            said = said.replace(value, "…")
    return said
