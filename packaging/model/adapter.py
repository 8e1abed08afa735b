"""Two encoders in one file of weights: that of queries, and a low-rank adapter for passages.

The base tensors are the encoder of
queries. For passages ``passages.<name>.up`` [out, r] times ``passages.<name>.down`` [r, in] is
added to the matrix of that name (LoRA: Hu et al., 2021), or ``passages.<name>`` replaces the
tensor. Only the position embeddings may get more rows: an adapter with more rows is added to the
table repeated. A file without such tensors is one encoder for both.
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
TYPES = "embeddings.token_type_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
ADAPTED = "passages."
UP, DOWN = ".up", ".down"
# A low-rank adapter in a small file could make a huge table; no window is as long as this.
MOST_POSITIONS = 16_384


def own_names(names: Iterable[str]) -> list[str]:
    """The names without those of the adapter."""
    return [name for name in names if not name.startswith(ADAPTED)]


def weights_of(
    names: Collection[str], read: Callable[[str], Array], side: Side
) -> Callable[[str], Floats]:
    """A function that reads the tensors of one encoder of a file.

    Tensors are read on demand, so that a model is never whole in memory. A merged tensor is no
    larger than the base tensor.

    Args:
        names: Of all tensors in the file.
        read: Returns a tensor of the file by its name.
        side: Which encoder.

    Returns:
        A function that returns a tensor by its name, float32. It raises ``ValueError`` if the
        adapter does not fit the base tensor or has values that are not finite.

    Raises:
        ValueError: If the names of the adapter's tensors are invalid.
    """
    adapted = [name for name in names if name.startswith(ADAPTED)]
    low_rank = {_checked(name, names) for name in adapted if name.endswith((UP, DOWN))}
    replaced = {_checked(name, names) for name in adapted if not name.endswith((UP, DOWN))}
    if both := low_rank & replaced:
        raise ValueError(f"{min(both)} is both replaced and adapted")

    def merged(name: str) -> Floats:
        if side is Side.PASSAGES and name in low_rank:
            stem = ADAPTED + name
            return _added(name, read(name), read(stem + UP), read(stem + DOWN))
        if side is Side.PASSAGES and name in replaced:
            return _replaced(name, read(name), read(ADAPTED + name))
        return np.asarray(read(name), np.float32)

    return merged


def _checked(adapted: str, names: Collection[str]) -> str:
    """The name of the base tensor of one of the adapter."""
    plain = adapted.removeprefix(ADAPTED)
    name = plain.removesuffix(UP).removesuffix(DOWN)
    if name not in names:
        raise ValueError(f"{adapted} has no base tensor")
    if name != plain and not {ADAPTED + name + UP, ADAPTED + name + DOWN} <= set(names):
        raise ValueError(f"{adapted} lacks its other factor")
    return name


def _added(name: str, weight: Array, up: Array, down: Array) -> Floats:
    """``weight + up @ down``, float32; the rows of short position embeddings are repeated."""
    if _longer(name, weight, up) and len(up) <= MOST_POSITIONS:
        weight = weight[np.arange(len(up)) % len(weight)]
    fits = (
        weight.ndim == up.ndim == down.ndim == 2
        and (up.shape[0], down.shape[1]) == weight.shape
        and 0 < up.shape[1] == down.shape[0] <= min(weight.shape)
    )
    if not fits:
        raise ValueError(f"{up.shape} and {down.shape} do not fit {name}, {weight.shape}")
    return _finite(name, np.asarray(weight, np.float32) + _finite(name, up) @ _finite(name, down))


def _replaced(name: str, old: Array, new: Array) -> Floats:
    longer = _longer(name, old, new)
    if (new[: len(old)] if longer else new).shape != old.shape:
        raise ValueError(f"{new.shape} cannot replace {name}, {old.shape}")
    return _finite(name, new)


def _longer(name: str, old: Array, new: Array) -> bool:
    return name == POSITIONS and old.ndim == new.ndim == 2 and len(new) > len(old) > 0


def _finite(name: str, values: Array) -> Floats:
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        raise ValueError(f"the adapter of {name} has values that are not finite")
    return np.asarray(values, np.float32)
