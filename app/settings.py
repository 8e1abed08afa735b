"""The settings: each declared once, with its type, default, bounds and help.

Owns the table, the file it is kept in, and the way from settings to an ``EngineConfig``.
Validation, the command line and the documentation are made from the table. It must not know how
settings are shown, nor what the engine does with them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from app import paths
from indexer.atomic import write_file
from indexer.config import DEFAULT_MODEL, GIB, EngineConfig, Precision, SentenceVectors
from indexer.errors import WorldError
from indexer.extract.base import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MIB = 1 << 20
TRUE = frozenset({"on", "yes", "true", "1"})
FALSE = frozenset({"off", "no", "false", "0"})

Value = str | int | float | bool | tuple[str, ...]


class Kind(Enum):
    """The type of a setting; the value is how the documentation calls it."""

    FLAG = "on or off"
    INTEGER = "whole number"
    NUMBER = "number"
    CHOICE = "one of"
    TEXT = "text"
    FOLDER = "folder"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Setting:
    """One declared setting. ``low`` and ``high`` bound numbers, ``choices`` the values of one."""

    name: str
    kind: Kind
    default: Value
    help: str
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    @property
    def values(self) -> str:
        """What it may be, in words."""
        match self.kind:
            case Kind.CHOICE:
                return ", ".join(self.choices)
            case Kind.INTEGER | Kind.NUMBER:
                return f"{self.low:g} to {self.high:g}"
            case _:
                return str(self.kind.value)

    def read(self, words: list[str]) -> Value:
        """Understand what a person typed.

        Raises:
            WorldError: ``bad_setting``.
        """
        if self.kind is Kind.LIST:
            return self.check(words)
        if len(words) != 1:
            raise self._wrong(" ".join(words), "it takes one value")
        word = words[0]
        if self.kind is Kind.FLAG:
            if word.lower() not in TRUE | FALSE:
                raise self._wrong(word, "it is on or off")
            return word.lower() in TRUE
        if self.kind in {Kind.INTEGER, Kind.NUMBER}:
            try:
                return self.check(int(word) if self.kind is Kind.INTEGER else float(word))
            except ValueError:
                raise self._wrong(word, f"it is a {self.kind.value}") from None
        if self.kind is Kind.FOLDER and word:
            # Unlike pathlib's, this leaves a home it does not know as it was typed.
            return str(Path(os.path.expanduser(word)).absolute())  # noqa: PTH111
        return self.check(word)

    def check(self, value: object) -> Value:
        """Return a value as this setting keeps it.

        Raises:
            WorldError: ``bad_setting``, if it is of another type or out of bounds.
        """
        if not _FITS[self.kind](value):
            raise self._wrong(value, f"it is a {self.kind.value}")
        if self.choices and value not in self.choices:
            raise self._wrong(value, f"choose {', '.join(self.choices)}")
        if self.kind in {Kind.INTEGER, Kind.NUMBER}:
            return self._bounded(value)
        checked: Any = tuple(value) if isinstance(value, list) else value
        return cast("Value", checked)

    def _bounded(self, value: Any) -> Value:
        if not self.low <= value <= self.high:
            raise self._wrong(value, f"it lies between {self.low:g} and {self.high:g}")
        return int(value) if self.kind is Kind.INTEGER else float(value)

    def _wrong(self, value: object, reason: str) -> WorldError:
        return WorldError("bad_setting", name=self.name, value=value, reason=reason)


def _is_words(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_FITS: dict[Kind, Callable[[object], bool]] = {
    Kind.FLAG: lambda value: isinstance(value, bool),
    # True is a number to Python, but not to a person.
    Kind.INTEGER: lambda value: isinstance(value, int) and not isinstance(value, bool),
    Kind.NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    Kind.CHOICE: _is_text,
    Kind.TEXT: _is_text,
    Kind.FOLDER: _is_text,
    Kind.LIST: _is_words,
}

_LIMITS = Limits()

SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("library", Kind.FOLDER, "",
                "Folder of the library; empty: a folder in your user data."),
        Setting("offline", Kind.FLAG, default=False,
                help="Never use the network, not even for a model that is missing."),
        Setting("model", Kind.TEXT, DEFAULT_MODEL, "Embedding model, by name."),
        Setting("precision", Kind.CHOICE, Precision.INT8.value,
                "Weights used for documents: int8 is twice as fast, fp32 exact.",
                choices=tuple(Precision)),
        Setting("query_precision", Kind.CHOICE, Precision.FP32.value,
                "Weights used for queries.", choices=tuple(Precision)),
        Setting("sentence_vectors", Kind.CHOICE, SentenceVectors.INT8.value,
                "How the vectors of sentences are kept: none saves disk and costs precision.",
                choices=tuple(SentenceVectors)),
        Setting("device", Kind.CHOICE, "auto", "Where the model runs.",
                choices=("auto", "cuda", "directml", "coreml", "cpu")),
        Setting("threads", Kind.INTEGER, 0,
                "Threads of the model while indexing; 0: one for each core.", high=256),
        Setting("readers", Kind.INTEGER, 0,
                "Documents read at the same time; 0: half as many as cores.", high=64),
        Setting("min_free_gb", Kind.NUMBER, 2.0,
                "Indexing pauses while less disk than this is free, in GB.", high=10_000),
        Setting("hidden", Kind.FLAG, default=False,
                help="Read hidden files and folders too."),
        Setting("exclude", Kind.LIST, (),
                "Patterns to leave out, in gitignore syntax, beside the built-in ones."),
        Setting("document_silence_s", Kind.NUMBER, _LIMITS.silence_s,
                "A document without a sign of progress for so many seconds is given up.",
                low=1, high=3600),
        Setting("document_memory_mb", Kind.INTEGER, _LIMITS.resident_bytes // MIB,
                "Memory that reading one document may take, in MB.", low=64, high=65_536),
        Setting("max_pdf_mb", Kind.INTEGER, _LIMITS.pdf_bytes // MIB,
                "Larger PDF files are left out, in MB.", low=1, high=65_536),
        Setting("max_text_mb", Kind.INTEGER, _LIMITS.text_bytes // MIB,
                "Larger text files are left out, in MB.", low=1, high=65_536),
        Setting("max_markup_mb", Kind.INTEGER, _LIMITS.markup_bytes // MIB,
                "Larger Markdown and HTML files are left out, in MB.", low=1, high=65_536),
    )
}  # fmt: skip


def find(name: str) -> Setting:
    """Return a setting by its name; hyphens are as good as underscores.

    Raises:
        WorldError: ``bad_setting``.
    """
    try:
        return SETTINGS[name.replace("-", "_")]
    except KeyError:
        raise WorldError(
            "bad_setting", name=name, value="anything", reason="there is no such setting"
        ) from None


class Settings:
    """The values in force, and the file they are kept in.

    Keys of the file that this version does not know are kept. A value that makes no sense counts
    as not set; ``problems`` says so.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or paths.settings_file()
        self.problems: list[WorldError] = []
        self._raw = self._load()
        self._values: dict[str, Value] = {}
        for name, raw in self._raw.items():
            try:
                self._values[name] = SETTINGS[name].check(raw)
            except KeyError:
                continue  # of another version
            except WorldError as error:
                self.problems.append(error)

    def __getitem__(self, name: str) -> Value:
        return self._values.get(name, SETTINGS[name].default)

    def is_set(self, name: str) -> bool:
        return name in self._values

    def set(self, name: str, value: Value) -> None:
        """Change a setting and keep it."""
        self._values[name] = SETTINGS[name].check(value)
        self._raw[name] = list(value) if isinstance(value, tuple) else value
        self._save()

    def reset(self, name: str) -> None:
        """Return a setting to its default."""
        self._values.pop(name, None)
        self._raw.pop(name, None)
        self._save()

    def _load(self) -> dict[str, Any]:
        try:
            raw = json.loads(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            self.problems.append(_unreadable(self.file, error))
            return {}
        return raw if isinstance(raw, dict) else {}

    def _save(self) -> None:
        text = json.dumps(self._raw, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_file(self.file, text)
        except OSError as error:
            raise WorldError("path_denied", path=str(self.file)) from error


def _unreadable(file: Path, error: Exception) -> WorldError:
    return WorldError("bad_setting", name=str(file), value="read", reason=type(error).__name__)


def engine_config(settings: Settings, library: Path, *, offline: bool = False) -> EngineConfig:
    """Say what the settings mean for an engine.

    Args:
        settings: The values in force.
        library: The library to open, whatever the settings say.
        offline: Asked for by this command; the setting can only add to it.
    """
    value: Mapping[str, Any] = {name: settings[name] for name in SETTINGS}
    return EngineConfig(
        library=library,
        models=paths.models_folder(),
        model=value["model"],
        precision=Precision(value["precision"]),
        query_precision=Precision(value["query_precision"]),
        sentence_vectors=SentenceVectors(value["sentence_vectors"]),
        provider=value["device"],
        threads=value["threads"],
        children=value["readers"],
        offline=offline or value["offline"],
        min_free_bytes=int(value["min_free_gb"] * GIB),
        limits=Limits(
            pdf_bytes=value["max_pdf_mb"] * MIB,
            text_bytes=value["max_text_mb"] * MIB,
            markup_bytes=value["max_markup_mb"] * MIB,
            silence_s=value["document_silence_s"],
            resident_bytes=value["document_memory_mb"] * MIB,
        ),
        hidden=value["hidden"],
        exclude=tuple(value["exclude"]),
    )
