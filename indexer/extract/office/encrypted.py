"""Decrypts office files with a password into a temporary folder, and reads them by their format."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from indexer.api.errors import WorldError
from indexer.extract.base import damaged_container, scratch_folder, too_large
from indexer.extract.registry import identify, opener

if TYPE_CHECKING:
    from indexer.config import Limits
    from indexer.extract.base import PageSource

# Excel's fixed password for workbooks that are protected against changes only.
_EXCEL_DEFAULT_PASSWORD = "VelvetSweatshop"  # noqa: S105  # public
# Memory holds the encrypted and the decrypted file, and the child has some 350 MB.
LARGEST_BYTES = 64 * 1024**2


def open_source(path: Path, password: str | None, limits: Limits) -> PageSource:
    """Open an encrypted package (``indexer.extract.base.Opener``)."""
    with ExitStack() as held:
        inside = Path(held.enter_context(scratch_folder())) / "document"
        with path.open("rb") as file:
            unlock(file, password, inside)
        source = opener(identify(inside))(inside, None, limits)
        source.held = held.pop_all()
        return source


def is_locked(file: BinaryIO) -> bool:
    """Whether a file is an office file with a password."""
    import msoffcrypto

    try:
        return bool(msoffcrypto.OfficeFile(file).is_encrypted())
    except Exception:  # noqa: BLE001  # damaged files raise anything; the reader reports it
        return False


def unlock(file: BinaryIO, password: str | None, target: Path) -> None:
    """Decrypt an office file.

    Raises ``needs_password`` if the password is wrong, ``too_large``, or ``unreadable``.
    """
    import msoffcrypto
    from msoffcrypto.exceptions import InvalidKeyError

    if Path(file.name).stat().st_size > LARGEST_BYTES:
        raise too_large(LARGEST_BYTES)
    try:
        office = msoffcrypto.OfficeFile(file)
        # The formats before 2007 always verify, and lack the parameter.
        verify = {"verify_password": True} if office.format == "ooxml" else {}
        office.load_key(password=password or _EXCEL_DEFAULT_PASSWORD, **verify)
        with target.open("wb") as opened:
            office.decrypt(opened)
    except InvalidKeyError as error:
        raise WorldError("needs_password") from error
    except MemoryError:
        raise
    except Exception as error:
        raise damaged_container(error) from error
