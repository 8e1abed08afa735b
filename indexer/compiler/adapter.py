"""Two encoders in one file of weights: that of queries, and its changes for passages.

Owns the names of the tensors, merging them, and validating such a file.
The tensors under their own names are an encoder by themselves, which reads queries. For passages,
``passages.<name>.up`` [out, r] times ``passages.<name>.down`` [r, in] is added to the matrix of
that name, and ``passages.<name>`` takes the place of any other tensor. Only the table of positions
may become longer: a change with more rows is added to the table repeated. A file without such
tensors is one encoder for both. Pure; it must not know files or graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.models import Side

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from numpy.typing import NDArray

    Array = NDArray[Any]
    Floats = NDArray[np.float32]

WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
CHANGED = "passages."
UP, DOWN = ".up", ".down"
# Thin changes are small in the file and wide in memory; no window is so long.
MOST_POSITIONS = 16_384


def own_names(names: Iterable[str]) -> list[str]:
    """The tensors of each of the encoders, without those that say how they differ."""
    return [name for name in names if not name.startswith(CHANGED)]


def weights_of(
    names: Collection[str], read: Callable[[str], Array], side: Side
) -> Callable[[str], Floats]:
    """Choose one encoder of a file.

    Tensors are read when they are asked for, so that a model is never whole in memory; a merged
    one is no larger than the one it was merged with, whatever the file says.

    Args:
        names: Of all tensors there are.
        read: Gives a tensor of the file by its name.
        side: Whose encoder is wanted.

    Returns:
        A function that returns tensors of that encoder by name. It raises ``ValueError`` for one
        that does not fit what it changes, or holds what is no number.

    Raises:
        ValueError: If the names of a change's tensors are invalid.
    """
    changed = [name for name in names if name.startswith(CHANGED)]
    low_rank = {_checked(name, names) for name in changed if name.endswith((UP, DOWN))}
    replaced = {_checked(name, names) for name in changed if not name.endswith((UP, DOWN))}
    if both := low_rank & replaced:
        raise ValueError(f"{min(both)} is changed in two ways")

    def merged(name: str) -> Floats:
        if side is Side.PASSAGES and name in low_rank:
            stem = CHANGED + name
            return _added(name, read(name), read(stem + UP), read(stem + DOWN))
        if side is Side.PASSAGES and name in replaced:
            return _replaced(name, read(name), read(CHANGED + name))
        return np.asarray(read(name), np.float32)

    return merged


def _checked(changed: str, names: Collection[str]) -> str:
    """The name of the tensor that one of the file changes."""
    plain = changed.removeprefix(CHANGED)
    name = plain.removesuffix(UP).removesuffix(DOWN)
    if name not in names:
        raise ValueError(f"{changed} changes what is not there")
    if name != plain and not {CHANGED + name + UP, CHANGED + name + DOWN} <= set(names):
        raise ValueError(f"{changed} is one of two, and the other is missing")
    return name


def _added(name: str, weight: Array, up: Array, down: Array) -> Floats:
    """``weight + up @ down``, in float32; a table of positions is repeated as often as it takes."""
    if _longer(name, weight, up) and len(up) <= MOST_POSITIONS:
        weight = weight[np.arange(len(up)) % len(weight)]
    fits = (
        weight.ndim == up.ndim == down.ndim == 2
        and (up.shape[0], down.shape[1]) == weight.shape
        and 0 < up.shape[1] == down.shape[0] <= min(weight.shape)
    )
    if not fits:
        raise ValueError(f"{up.shape} and {down.shape} do not suit {name}, {weight.shape}")
    return _proper(name, np.asarray(weight, np.float32) + _proper(name, up) @ _proper(name, down))


def _replaced(name: str, old: Array, new: Array) -> Floats:
    longer = _longer(name, old, new)
    if (new[: len(old)] if longer else new).shape != old.shape:
        raise ValueError(f"{new.shape} cannot take the place of {name}, {old.shape}")
    return _proper(name, new)


def _longer(name: str, old: Array, new: Array) -> bool:
    return name == POSITIONS and old.ndim == new.ndim == 2 and len(new) > len(old) > 0


def _proper(name: str, values: Array) -> Floats:
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        raise ValueError(f"what changes {name} holds what is no number")
    return np.asarray(values, np.float32)
