"""Office files with a password: what is inside of them is unlocked into a folder of its own.

Owns the decryption, in the child that reads the document; what comes out is read like any file of
its format. It must not know where passwords come from.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.extract.base import too_large
from indexer.extract.process import scratch

if TYPE_CHECKING:
    from typing import BinaryIO

    from indexer.config import Limits

# Excel's own password for files that are protected against changes, not against reading.
_OPEN_TO_ALL = "VelvetSweatshop"
# Both forms are held in memory, and the child has some 350 MB.
LARGEST_BYTES = 64 * 1024**2


def open_source(path: Path, password: str | None, limits: Limits) -> scratch.ScratchSource:
    """Open an encrypted package (``indexer.extract.base.Opener``)."""
    from indexer.extract.registry import identify, opener

    made_in = scratch.folder()
    try:
        inside = Path(made_in.name) / "document"
        with path.open("rb") as file:
            unlock(file, password, inside)
        source = opener(identify(inside))(inside, None, limits)
    except BaseException:
        made_in.cleanup()
        raise
    return scratch.ScratchSource(source, made_in)


def is_locked(file: BinaryIO) -> bool:
    """Whether an office file of any kind needs a password; False if it is none."""
    import msoffcrypto

    try:
        return bool(msoffcrypto.OfficeFile(file).is_encrypted())
    except Exception:  # noqa: BLE001  # damaged files raise anything; their reader reports it
        return False


def unlock(file: BinaryIO, password: str | None, target: Path) -> None:
    """Write what is inside of an encrypted office file.

    Raises:
        WorldError: ``needs_password`` without the right one, ``too_large``, or ``unreadable``.
    """
    import msoffcrypto
    from msoffcrypto.exceptions import InvalidKeyError

    if Path(file.name).stat().st_size > LARGEST_BYTES:
        raise too_large(LARGEST_BYTES)
    try:
        office = msoffcrypto.OfficeFile(file)
        # The old formats always verify, and do not know the parameter.
        verify = {"verify_password": True} if office.format == "ooxml" else {}
        office.load_key(password=password or _OPEN_TO_ALL, **verify)
        with target.open("wb") as opened:
            office.decrypt(opened)
    except InvalidKeyError as error:
        raise WorldError("needs_password") from error
    except MemoryError:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:200]
        raise WorldError("unreadable", reason="container_damaged", said=said) from error
