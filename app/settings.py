"""The settings: each declared once, with its type, default, bounds and help.

Owns the table, the file it is kept in, and the way from settings to an ``EngineConfig``.
Validation, the command line and the documentation are made from the table. It must not know how
settings are shown, nor what the engine does with them.
"""

from __future__ import annotations

import inspect
import json
import weakref
from typing import TYPE_CHECKING, Any

from app import paths
from app.declaration import Kind, Setting, Value
from indexer.api.atomic import write_file
from indexer.api.errors import WorldError
from indexer.config import DEFAULT_MODEL, GIB, EngineConfig, Limits, Precision, SentenceVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

MIB = 1 << 20

_LIMITS = Limits()

# In the order of the dialog's pages.
SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("theme", Kind.CHOICE, "system", "Colours of the window.",
                choices=("system", "light", "dark"), group="window"),
        Setting("language", Kind.CHOICE, "system", "Language of the window.",
                choices=("system", "en", "de"), group="window"),
        Setting("text_scale", Kind.INTEGER, 100,
                "Size of the window's text, in percent of the system's.",
                low=100, high=200, group="window"),
        Setting("preview", Kind.FLAG, default=True,
                help="Show the page of the selected passage beside the results.",
                group="window"),
        Setting("viewer", Kind.TEXT, "",
                "Command that opens a document at a page, such as okular --page {page} {path}; "
                "empty: the system's viewer.", group="window"),
        Setting("close_to_tray", Kind.FLAG, default=False,
                help="Closing the window leaves Lectern in the tray, watching the folders.",
                group="window"),
        Setting("start_at_login", Kind.FLAG, default=False,
                help="Start Lectern in the tray when you log in.", group="window"),
        Setting("hotkey", Kind.TEXT, "",
                "Keys that open the search from anywhere, such as Ctrl+Alt+L; empty: none.",
                group="window"),
        Setting("history", Kind.FLAG, default=True,
                help="Remember what was searched for, on this machine only.", group="search"),
        Setting("speed", Kind.CHOICE, "normal",
                "How much of the machine indexing may take.",
                choices=("slow", "normal", "fast"), group="reading"),
        Setting("hidden", Kind.FLAG, default=False,
                help="Read hidden files and folders too.", group="reading"),
        Setting("exclude", Kind.LIST, (),
                "Patterns to leave out, in gitignore syntax, beside the built-in ones.",
                group="reading"),
        Setting("ocr", Kind.FLAG, default=True,
                help="Recognise the text on scanned pages, where Tesseract is installed.",
                group="reading"),
        Setting("ocr_languages", Kind.LIST, (),
                "Languages of scanned pages, the likeliest first, such as de or deu; empty: the "
                "system's, English and others that Tesseract has.", group="reading"),
        Setting("min_free_gb", Kind.NUMBER, 2.0,
                "Indexing pauses while less disk than this is free, in GB.", high=10_000,
                group="reading"),
        Setting("max_pdf_mb", Kind.INTEGER, _LIMITS.pdf_bytes // MIB,
                "Larger PDF files are left out, in MB.", low=1, high=65_536, group="reading"),
        Setting("max_text_mb", Kind.INTEGER, _LIMITS.text_bytes // MIB,
                "Larger text files are left out, in MB.", low=1, high=65_536, group="reading"),
        Setting("max_markup_mb", Kind.INTEGER, _LIMITS.markup_bytes // MIB,
                "Larger Markdown and HTML files are left out, in MB.", low=1, high=65_536,
                group="reading"),
        Setting("library", Kind.FOLDER, "",
                "Folder of the library; empty: a folder in your user data.", group="library"),
        Setting("offline", Kind.FLAG, default=False,
                help="Never use the network, not even for a model that is missing.",
                group="library"),
        Setting("model", Kind.TEXT, DEFAULT_MODEL, "Embedding model, by name."),
        Setting("device", Kind.CHOICE, "auto", "Where the model runs.",
                choices=("auto", "cuda", "directml", "coreml", "cpu")),
        Setting("precision", Kind.CHOICE, Precision.INT8.value,
                "Weights used for documents: int8 is twice as fast, fp32 exact.",
                choices=tuple(Precision)),
        Setting("query_precision", Kind.CHOICE, Precision.FP32.value,
                "Weights used for queries.", choices=tuple(Precision)),
        Setting("sentence_vectors", Kind.CHOICE, SentenceVectors.INT8.value,
                "How the vectors of sentences are kept: none saves disk and costs precision.",
                choices=tuple(SentenceVectors)),
        Setting("threads", Kind.INTEGER, 0,
                "Threads of the model while indexing; 0: one for each core.", high=256),
        Setting("readers", Kind.INTEGER, 0,
                "Documents read at the same time; 0: half as many as cores, or two.", high=64),
        Setting("document_silence_s", Kind.NUMBER, _LIMITS.silence_s,
                "A document without a sign of progress for so many seconds is given up.",
                low=1, high=3600),
        Setting("document_memory_mb", Kind.INTEGER, _LIMITS.resident_bytes // MIB,
                "Memory that reading one document may take, in MB.", low=64, high=65_536),
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
        raise WorldError("bad_setting", name=name, value="anything", reason="no_setting") from None


class Settings:
    """The values in force, and the file they are kept in.

    Keys of the file that this version does not know are kept. A value that makes no sense counts
    as not set; ``problems`` says so. What another process changes meanwhile stays in the file, but
    counts here from the next start.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or paths.settings_file()
        self.problems: list[WorldError] = []
        self._watchers: list[Callable[[], Callable[[str], None] | None]] = []
        self._values: dict[str, Value] = {}
        for name, raw in self._load(self.problems).items():
            try:
                self._values[name] = SETTINGS[name].check(raw)
            except KeyError:
                continue  # of another version
            except WorldError as error:
                self.problems.append(error)

    def __getitem__(self, name: str) -> Value:
        return self._values.get(name, SETTINGS[name].default)

    def declared(self) -> Sequence[Setting]:
        return tuple(SETTINGS.values())

    def is_set(self, name: str) -> bool:
        return name in self._values

    def set(self, name: str, value: Value) -> None:
        """Change a setting and keep it."""
        checked = SETTINGS[name].check(value)
        self._save(name, list(checked) if isinstance(checked, tuple) else checked)
        self._values[name] = checked
        self._tell(name)

    def reset(self, name: str) -> None:
        """Return a setting to its default."""
        self._save(name, None)
        self._values.pop(name, None)
        self._tell(name)

    def watch(self, changed: Callable[[str], None]) -> None:
        """Have ``changed(name)`` called after each change.

        A method is held weakly: watching keeps nobody alive.
        """
        held = weakref.WeakMethod(changed) if inspect.ismethod(changed) else lambda: changed
        self._watchers.append(held)

    def _tell(self, name: str) -> None:
        self._watchers = [each for each in self._watchers if each() is not None]
        for each in self._watchers:
            if (changed := each()) is not None:
                changed(name)

    def _load(self, problems: list[WorldError]) -> dict[str, Any]:
        try:
            raw = json.loads(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            problems.append(_unreadable(self.file, error))
            return {}
        return raw if isinstance(raw, dict) else {}

    def _save(self, name: str, value: Any) -> None:
        """Change one key of the file; ``None`` takes it out."""
        raw = self._load([])
        raw.pop(name, None)
        if value is not None:
            raw[name] = value
        text = json.dumps(raw, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
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
        ocr=value["ocr"],
        ocr_languages=tuple(value["ocr_languages"]),
    )
