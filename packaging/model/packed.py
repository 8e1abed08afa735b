"""Matrices stored in 4 bits.

For a matrix ``name`` of ``[rows, columns]``, ``name.nibbles`` (uint8,
``[rows, columns / 2]``) and ``name.scales`` (float16, ``[rows, columns / 32]``). A block of 32
values of a row takes 16 bytes, with its first 16 values in the low nibbles; a value is
``(nibble - 8) * scale`` with the scale of its block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Array = NDArray[Any]

NIBBLES, SCALES = ".nibbles", ".scales"
BLOCK = 32


def unpack(nibbles: Array, scales: Array) -> NDArray[np.float32]:
    """The values of a packed matrix, ``[rows, columns]``.

    Raises:
        ValueError: If types or shapes do not fit, or a scale is not finite.
    """
    values = integers(nibbles, scales).astype(np.float32).reshape(*scales.shape, BLOCK)
    values *= scales[:, :, None].astype(np.float32)
    return values.reshape(len(scales), -1)


def integers(nibbles: Array, scales: Array) -> NDArray[np.int8]:
    """The unscaled values of a packed matrix, from -8 to 7, ``[rows, columns]``.

    Raises:
        ValueError: As ``unpack``.
    """
    fits = (
        nibbles.dtype == np.uint8
        and scales.dtype == np.float16
        and nibbles.ndim == scales.ndim == 2
        and nibbles.shape == (scales.shape[0], scales.shape[1] * BLOCK // 2)
    )
    if not fits or not np.isfinite(scales).all():
        raise ValueError(f"{nibbles.shape} and {scales.shape} are not a 4-bit matrix")
    blocks = nibbles.reshape(*scales.shape, BLOCK // 2)
    values = np.concatenate([blocks & 15, blocks >> 4], axis=2).astype(np.int8)
    values -= 8
    return values.reshape(len(scales), -1)


def readable(
    names: Iterable[str], read: Callable[[str], Array]
) -> tuple[list[str], Callable[[str], Array]]:
    """The names of a file's tensors without suffixes of packing, and a function that reads them.

    Args:
        names: Of all tensors in the file.
        read: Returns one of them by its name.
    """
    held = [name for name in names if not name.endswith(SCALES)]
    packed = {name.removesuffix(NIBBLES) for name in held if name.endswith(NIBBLES)}

    def either(name: str) -> Array:
        if name in packed:
            return unpack(read(name + NIBBLES), read(name + SCALES))
        return read(name)

    return [name.removesuffix(NIBBLES) for name in held], either
