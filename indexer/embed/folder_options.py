"""The options of a model's folder that a stranger wrote: bounded files of JSON, checked values.

It must not know which options there are, but for the largest value of each number.
"""

from __future__ import annotations

import json
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LARGEST_JSON = 1 << 20
# The card of a model, as hubs show it: Markdown under a head in YAML.
_CARD = "README.md"
_LICENCE = re.compile(r"""^license: *["']?([A-Za-z0-9.+-]{1,40})["']?[ ]*$""", re.MULTILINE)
_MOST = {
    "num_hidden_layers": 128, "num_attention_heads": 256, "hidden_size": 8192,
    "intermediate_size": 65_536, "vocab_size": 1 << 20, "max_position_embeddings": 1 << 17,
    "local_attention": 1 << 13, "global_attn_every_n_layers": 128, "pad_token_id": 1 << 20,
    "max_seq_length": 1 << 30, "num_key_value_heads": 256, "head_dim": 1024,
    "in_features": 65_536, "out_features": 65_536, "sliding_window": 1 << 17,
    "query_length": 1 << 13, "document_length": 1 << 17,
}  # fmt: skip


def refusal(folder: Path, reason: str, **detail: object) -> WorldError:
    """The error of a folder that cannot be imported."""
    return WorldError("model_refused", path=str(folder), reason=reason, **detail)


def regular_size(folder: Path, file: Path, most: int) -> int:
    """The size of a regular file, which may be reached through a link.

    Raises:
        WorldError: ``model_refused`` if it is none, or larger than ``most`` bytes.
    """
    try:
        found = file.stat()
    except (OSError, ValueError) as error:
        raise refusal(folder, "model_file_missing", file=file.name) from error
    if not stat.S_ISREG(found.st_mode):
        raise refusal(folder, "model_file_missing", file=file.name)
    if found.st_size > most:
        raise refusal(folder, "model_file_large", file=file.name, limit=f"{most / 1e6:,.0f} MB")
    return found.st_size


def load(folder: Path, name: str) -> Any:
    regular_size(folder, folder / name, LARGEST_JSON)
    try:
        return json.loads((folder / name).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise refusal(folder, "model_file_damaged", file=name) from error


def card_licence(folder: Path) -> str | None:
    """The licence that the head of a model's card names, as it is written there."""
    try:
        regular_size(folder, folder / _CARD, LARGEST_JSON)
        card = (folder / _CARD).read_text("utf-8", errors="replace")
    except (OSError, WorldError):
        return None
    before, _, rest = card.partition("---\n")
    found = _LICENCE.search(rest.partition("\n---")[0]) if not before.strip() else None
    return found[1] if found and found[1] not in {"other", "unknown"} else None


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one JSON file; each is checked when it is taken."""

    folder: Path
    values: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path, name: str, *, optional: bool = False) -> Options:
        if optional and not (folder / name).exists():
            return cls(folder, {})
        values = load(folder, name)
        if not isinstance(values, dict):
            raise refusal(folder, "model_file_damaged", file=name)
        return cls(folder, values)

    def whole(self, name: str, default: int | None = None, low: int = 1) -> int:
        """A whole number from ``low`` to the limit of its name."""
        value = self.values.get(name)
        value = default if value is None else value
        if type(value) is not int or not low <= value <= _MOST[name]:
            raise self.wrong(name, value)
        return value

    def number(self, name: str, default: float) -> float:
        """A positive number."""
        value = self.values.get(name)
        value = default if value is None else value
        if type(value) not in {int, float} or not 0 < value < float("inf"):
            raise self.wrong(name, value)
        return float(value)

    def text(self, name: str, longest: int = 100) -> str:
        """A short text, empty if it is not set."""
        value = self.values.get(name) or ""
        if not isinstance(value, str) or len(value) > longest:
            raise self.wrong(name, value)
        return value

    def require(self, **wanted: object) -> None:
        """Each option, where it is set, must have this value."""
        for name, value in wanted.items():
            if self.values.get(name, value) not in (value, None):
                raise self.wrong(name, self.values[name])

    def wrong(self, name: str, value: object) -> WorldError:
        return refusal(self.folder, "model_option", option=name, value=str(value)[:80])
