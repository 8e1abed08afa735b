"""The statistical classifier of languages, mapped from one file by every process that uses it.

Owns the unpacked model in the cache folder: 68 MB that take .4 s of processor time to unpack,
shared through the page cache, without page tables that a fork has to copy. A file that does not
match its checksum is written again.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import platformdirs
from py3langid import __version__, langid, modelio

from indexer.api.atomic import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_CHECKSUM_BYTES = 4
_ROW_BITS = 8  # of the index of a row, which has one entry for each byte


@lru_cache(maxsize=1)
def classifier() -> Any:
    """Open the classifier, unpacking its model if no process did before."""
    model = _model()
    ptc, pc, classes, moves, rows, output = (np.asarray(model[name][0]) for name in _names(model))
    found = langid.LanguageIdentifier(
        ptc, pc, classes.tolist(), moves.data, output.data, norm_probs=True, tk_row=()
    )
    found._rowbase = rows.data  # noqa: SLF001  # made of ``tk_row``, as a list of objects
    return found


def _names(model: NDArray[Any]) -> tuple[str, ...]:
    return model.dtype.names or ()


def _model() -> NDArray[Any]:
    """Return one record of the model's arrays, from the file where there can be one."""
    path = platformdirs.user_cache_path("lectern", appauthor=False) / f"languages-{__version__}.npy"
    with suppress(OSError, ValueError):
        if _is_whole(path):
            return _mapped(path)
    unpacked = _unpacked()
    with suppress(OSError):
        _write(path, unpacked)
        return _mapped(path)
    return unpacked


def _mapped(path: Path) -> NDArray[Any]:
    model: NDArray[Any] = np.load(path, mmap_mode="r")
    return model


def _unpacked() -> NDArray[Any]:
    ptc, pc, classes, moves, rows, output = modelio.load_model(langid.MODEL_DIR / langid.MODEL_FILE)
    arrays = {
        "ptc": ptc, "pc": pc, "classes": np.array(classes), "moves": np.asarray(moves),
        "rows": np.asarray(rows, np.int64) << _ROW_BITS, "output": np.array(output, np.int32),
    }  # fmt: skip
    fields = [(name, each.dtype, each.shape) for name, each in arrays.items()]
    record = np.empty(1, np.dtype(fields, align=True))
    for name, each in arrays.items():
        record[name] = each
    return record


def _is_whole(path: Path) -> bool:
    held = np.memmap(path, mode="r").data
    stated = int.from_bytes(held[-_CHECKSUM_BYTES:], "little")
    return zlib.crc32(held[:-_CHECKSUM_BYTES]) == stated


def _write(path: Path, record: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        np.save(file, record)
        file.flush()
        checksum = zlib.crc32(np.memmap(file, mode="r").data)
        file.seek(0, os.SEEK_END)  # mapping a file leaves it at its beginning on Windows
        file.write(checksum.to_bytes(_CHECKSUM_BYTES, "little"))
