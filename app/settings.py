"""The settings: each declared once, with its type, default, bounds and help.

It owns the table, the file that stores the values, and the conversion to an ``EngineConfig``.
Validation, the command line and the documentation are made from the table.
"""

from __future__ import annotations

import ctypes
import inspect
import locale
import os
import re
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from app import paths
from indexer.api.errors import WorldError
from indexer.api.json_files import changing, read_object
from indexer.api.labels import SPEEDS
from indexer.api.setting import Setting, SettingType, Value
from indexer.api.translation import N_
from indexer.config import DEFAULT_MODEL, GIB, LANGUAGES_MODEL, EngineConfig, Limits, Precision

MIB = 1 << 20
# A value of ``model``: choose by the languages of the library; and of ``precision``: that of the
# library, or for a new one the fastest.
AUTO = "auto"

_LIMITS = Limits()
_CODE_LETTERS = 2  # the length of an ISO 639-1 code

WINDOW, READING, PRIVACY = N_("Window"), N_("Reading"), N_("Privacy")
DOORS = N_("Other programs")
# The group of settings that the dialog leaves out: they are changed where their effect is seen.
IN_PLACE = ""


def _window_languages() -> list[str]:
    """Return the codes of the languages into which the window is translated."""
    names = (path.name for path in (resources.files("resources") / "i18n").iterdir())
    found = (re.fullmatch(r"lectern_(\w+)\.qm", name) for name in names)
    return sorted(match[1] for match in found if match)


# In the order of the dialog's pages.
_ROWS = (
    Setting("theme", WINDOW, SettingType.CHOICE, "system", N_("Colours"),
            N_("Colours of the window."),
            choices={"system": N_("As the system"), "light": N_("Light"), "dark": N_("Dark")},
            at_once=True, drawn=True),
    Setting("language", WINDOW, SettingType.CHOICE, "system", N_("Language"),
            N_("Language of the window."),
            choices={"system": N_("As the system"), **dict.fromkeys(_window_languages(), "")}),
    Setting("text_scale", WINDOW, SettingType.INTEGER, 100, N_("Size of text (%)"),
            N_("Size of the window's text, in percent of the system's."), low=100, high=200,
            at_once=True),
    Setting("preview", IN_PLACE, SettingType.FLAG, default=True, label=N_("Preview"),
            help=N_("Show the page of the selected passage beside the results."), at_once=True),
    Setting("dark_pages", WINDOW, SettingType.FLAG, default=False, label=N_("Dark pages"),
            help=N_("In the dark theme, show pages light on dark."), at_once=True),
    Setting("side_panel", IN_PLACE, SettingType.FLAG, default=False, label=N_("Headings"),
            help=N_("Show the headings of a document beside its pages."), at_once=True),
    Setting("viewer", WINDOW, SettingType.VIEWER, "", N_("Viewer"),
            N_("What opens a document at its page: the system's viewer, or a command such as "
               "okular --page {page} {path}."), at_once=True),
    Setting("citation", WINDOW, SettingType.STYLE, "simple", N_("Citations"),
            N_("How copied passages are cited: in a style, or by a template with {author}, "
               "{title}, {year}, {page}, {number}, {file} and {link}; a part in brackets is left "
               "out where a field in it is not known."),
            choices={"simple": N_("Simple"), "apa": "APA", "chicago": "Chicago", "mla": "MLA",
                     "oscola": "OSCOLA"}, at_once=True),
    Setting("citation_link", WINDOW, SettingType.FLAG, default=False,
            label=N_("Link in citations"),
            help=N_("Add a link that opens the passage in Lectern."), at_once=True),
    Setting("close_to_tray", WINDOW, SettingType.FLAG, default=False, label=N_("Close to the tray"),
            help=N_("Closing the window leaves Lectern in the tray, watching the folders."),
            at_once=True),
    Setting("start_at_login", WINDOW, SettingType.FLAG, default=False, label=N_("Start at login"),
            help=N_("Start Lectern in the tray when you log in."), at_once=True),
    Setting("hotkey", WINDOW, SettingType.KEYS, "", N_("Hotkey"),
            N_("Keys that open the search from anywhere, and hide it again, such as Ctrl+Alt+L; "
               "empty: none."),
            at_once=True),
    Setting("history", PRIVACY, SettingType.FLAG, default=True, label=N_("History"),
            help=N_("Remember what was searched for, on this machine only."), at_once=True),
    Setting("speed", READING, SettingType.CHOICE, "normal", N_("Speed"),
            N_("How much of the machine indexing may take."),
            choices={code: label.name for code, label in SPEEDS.items()}, at_once=True),
    Setting("hidden", READING, SettingType.FLAG, default=False, label=N_("Hidden files"),
            help=N_("Read hidden files and folders too.")),
    Setting("exclude", READING, SettingType.LIST, (), N_("Leave out everywhere"),
            N_("Patterns to leave out, in gitignore syntax, in addition to the built-in ones.")),
    Setting("ocr", READING, SettingType.FLAG, default=True, label=N_("Recognise text"),
            help=N_("Recognise the text on scanned pages.")),
    Setting("ocr_languages", READING, SettingType.LIST, (), N_("Languages of scanned pages"),
            N_("Languages of scanned pages, the likeliest first, such as de or deu; empty: the "
               "system's, English and others that Tesseract has.")),
    Setting("min_free_gb", READING, SettingType.NUMBER, 2.0, N_("Keep free (GB)"),
            N_("Indexing pauses while less disk than this is free, in GB."), high=10_000,
            advanced=True),
    Setting("max_pdf_mb", READING, SettingType.INTEGER, _LIMITS.pdf_bytes // MIB,
            N_("Largest PDF (MB)"), N_("Larger PDF files are left out, in MB."), low=1,
            high=65_536, advanced=True),
    Setting("max_text_mb", READING, SettingType.INTEGER, _LIMITS.text_bytes // MIB,
            N_("Largest text file (MB)"), N_("Larger text files are left out, in MB."), low=1,
            high=65_536, advanced=True),
    Setting("max_markup_mb", READING, SettingType.INTEGER, _LIMITS.markup_bytes // MIB,
            N_("Largest web page (MB)"), N_("Larger Markdown and HTML files are left out, in MB."),
            low=1, high=65_536, advanced=True),
    Setting("library", READING, SettingType.FOLDER, "", N_("Folder of the library"),
            N_("Folder of the library; empty: a folder in your user data.")),
    Setting("offline", PRIVACY, SettingType.FLAG, default=False, label=N_("Offline"),
            help=N_("Never use the network, not even for a model that is missing.")),
    Setting("lock_after_min", PRIVACY, SettingType.INTEGER, 15, N_("Lock after (minutes)"),
            N_("Minutes without use after which an encrypted library is locked; 0: never."),
            high=1440),
    Setting("mcp_collections", IN_PLACE, SettingType.LIST, (), N_("For assistants"),
            N_("Collections that assistants may search by lectern mcp; *: the whole library; "
               "empty: none."), at_once=True),
    Setting("serve_collections", IN_PLACE, SettingType.LIST, (), N_("For scripts and browsers"),
            N_("Collections that programs on this machine may search by lectern serve; *: the "
               "whole library; empty: none."), at_once=True),
    Setting("desktop_collections", IN_PLACE, SettingType.LIST, (), N_("For the desktop's search"),
            N_("Collections that the search of KDE or GNOME may show; *: the whole library; "
               "empty: none."), at_once=True),
    Setting("door_log", DOORS, SettingType.FLAG, default=True, label=N_("Log"),
            help=N_("Keep a log, on this machine, of what other programs asked."), at_once=True),
    Setting("model", IN_PLACE, SettingType.TEXT, AUTO, N_("Language model"),
            N_("Embedding model, by name; auto: the one for the languages of the library. "
               "lectern-e5-late also finds documents in English by questions in other languages.")),
    Setting("device", READING, SettingType.CHOICE, "auto", N_("Device"),
            N_("Where the model runs."),
            choices={"auto": N_("The best available"), "cuda": "CUDA", "tensorrt": "TensorRT",
                     "migraphx": "MIGraphX", "directml": "DirectML", "coreml": "Core ML",
                     "openvino-gpu": "OpenVINO (GPU)", "cpu": "CPU"},
            advanced=True),
    Setting("precision", READING, SettingType.CHOICE, AUTO, N_("Precision of documents"),
            N_("Weights used for documents: int8 is mostly twice as fast, fp32 exact, fp16 for "
               "graphics cards; auto: a new library has what is fastest here, and keeps it."),
            choices={AUTO: N_("By the library and the processor"),
                     **{each.value: each.value for each in Precision}},
            advanced=True),
    Setting("query_precision", READING, SettingType.CHOICE, Precision.FP32.value,
            N_("Precision of queries"), N_("Weights used for queries."),
            choices={each.value: each.value for each in Precision},
            advanced=True),
    Setting("threads", READING, SettingType.INTEGER, 0, N_("Threads"),
            N_("Threads of the model while indexing; 0: one for each core."), high=256,
            advanced=True),
    Setting("readers", READING, SettingType.INTEGER, 0, N_("Documents at a time"),
            N_("Documents read at the same time; 0: half as many as cores, or two."), high=64,
            advanced=True),
    Setting("document_silence_s", READING, SettingType.NUMBER, _LIMITS.silence_s,
            N_("Time without progress (s)"),
            N_("Seconds without progress after which a document is given up; longer while other "
               "programs leave it no processor."), low=1, high=3600,
            advanced=True),
    Setting("document_memory_mb", READING, SettingType.INTEGER, _LIMITS.resident_bytes // MIB,
            N_("Memory for a document (MB)"),
            N_("Memory that reading one document may take, in MB."), low=64, high=65_536,
            advanced=True),
)  # fmt: skip
SETTINGS = {setting.name: setting for setting in _ROWS}


def find(name: str) -> Setting:
    """Return a setting by its name; hyphens count as underscores. Raises ``bad_setting``."""
    try:
        return SETTINGS[name.replace("-", "_")]
    except KeyError:
        raise WorldError("bad_setting", name=name, value="anything", reason="no_setting") from None


class Settings:
    """The settings and their file.

    Unknown keys of the file are kept. An invalid value is listed in ``problems`` and counts as not
    set; for ``offline`` it counts as on. A change by another process is kept, and takes effect with
    ``read_again``. While the file cannot be read, Lectern is offline, as the file may ask for that,
    and no setting can be changed, so that nothing in the file is lost.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or paths.settings_file()
        self.problems: list[WorldError] = []
        self._watchers: list[Callable[[], Callable[[str], None] | None]] = []
        self._values = self._read(self.problems)
        if any(problem.code == "settings_unreadable" for problem in self.problems):
            self._values["offline"] = True

    def __getitem__(self, name: str) -> Value:
        return self._values.get(name, SETTINGS[name].default)

    def declared(self) -> Sequence[Setting]:
        return tuple(SETTINGS.values())

    def is_set(self, name: str) -> bool:
        return name in self._values

    def read_again(self) -> None:
        """Reload after a change by another process, and call the callbacks."""
        problems: list[WorldError] = []
        before, read = self._values, self._read(problems)
        if problems:
            return  # an invalid file, which is being edited
        self._values = read
        for name in SETTINGS:
            if before.get(name) != read.get(name):
                self._notify(name)

    def set(self, name: str, value: Value) -> None:
        """Change a setting and write the file.

        Raises ``bad_setting``, ``settings_unreadable`` or ``path_denied``.
        """
        checked = SETTINGS[name].check(value)
        if name == "exclude" and isinstance(checked, tuple):
            from indexer.files.excludes import Excludes  # late, for a quick start

            Excludes(checked)
        self._save(name, list(checked) if isinstance(checked, tuple) else checked)
        self._values[name] = checked
        self._notify(name)

    def reset(self, name: str) -> None:
        """Return a setting to its default; raises what ``set`` raises."""
        self._save(name, None)
        self._values.pop(name, None)
        self._notify(name)

    def watch(self, changed: Callable[[str], None]) -> None:
        """Have ``changed(name)`` called after each change; a method is held weakly."""
        held = weakref.WeakMethod(changed) if inspect.ismethod(changed) else lambda: changed
        self._watchers.append(held)

    def _notify(self, name: str) -> None:
        self._watchers = [each for each in self._watchers if each() is not None]
        for each in self._watchers:
            if (changed := each()) is not None:
                changed(name)

    def _read(self, problems: list[WorldError]) -> dict[str, Value]:
        values: dict[str, Value] = {}
        try:
            loaded = read_object(self.file)
        except (OSError, ValueError) as error:
            problems.append(self._unreadable(error))
            return values
        for name, raw in loaded.items():
            try:
                values[name] = SETTINGS[name].check(raw)
            except KeyError:
                continue  # a setting of another version
            except WorldError as error:
                problems.append(error)
        if "offline" in loaded:
            values.setdefault("offline", True)  # an invalid value is no clear "off"
        return values

    def _unreadable(self, error: Exception) -> WorldError:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        return WorldError("settings_unreadable", file=str(self.file), line=line, column=column)

    def _save(self, name: str, value: Any) -> None:
        """Change one key of the file; ``None`` takes it out."""
        try:
            with changing(self.file) as raw:
                raw.pop(name, None)
                if value is not None:
                    raw[name] = value
        except ValueError as error:
            raise self._unreadable(error) from error
        except OSError as error:  # among others if the lock is held for too long
            raise WorldError("path_denied", path=str(self.file)) from error


def interface_language(setting: str) -> str:
    """Return the language of the interface (ISO 639-1); "" if the system names none."""
    if setting != "system":
        return setting
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    named = next((os.environ[name] for name in names if os.environ.get(name)), "")
    if sys.platform == "win32" and not named:
        number = ctypes.windll.kernel32.GetUserDefaultUILanguage()
        named = locale.windows_locale.get(number, "")
    code = named.partition("_")[0].partition(".")[0].lower()
    return code if len(code) == _CODE_LETTERS else ""


def engine_config(settings: Settings, library: Path, *, offline: bool = False) -> EngineConfig:
    """Map the settings to the configuration of an engine.

    Args:
        library: The library to open, in place of the one in the settings.
        offline: Never use the network, whatever the setting says.
    """
    value: Mapping[str, Any] = {name: settings[name] for name in SETTINGS}
    by_machine = value["precision"] == AUTO
    return EngineConfig(
        library=library,
        models=paths.models_folder(),
        model=DEFAULT_MODEL if value["model"] == AUTO else value["model"],
        languages_model=LANGUAGES_MODEL if value["model"] == AUTO else "",
        interface_language=interface_language(value["language"]),
        precision=Precision.INT8 if by_machine else Precision(value["precision"]),
        fastest_precision=by_machine,
        query_precision=Precision(value["query_precision"]),
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
