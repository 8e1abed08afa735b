"""Finds, runs and limits Tesseract as a command, and says how to install it and its languages.

It runs without a shell, with the image on standard input and hOCR on standard output, with limits
of time and memory, at the lowest priority, and is killed with the process that started it. Each
additional language costs time and accuracy. The install command is shown, never run.
"""

from __future__ import annotations

import json
import locale
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.confine.process import die_with, frozen_program, is_frozen

if TYPE_CHECKING:
    from PIL.Image import Image

# Up to this many installed languages count as the person's choice. A package may have all of them.
MAX_LANGUAGES = 4
_FALLBACK = "eng"
_FILE = Path(__file__).resolve().parents[2] / "resources" / "tesseract.json"
_KNOWN = json.loads(_FILE.read_text("utf-8"))
# Tesseract's names of languages by ISO 639-1, as in documents and systems.
_NAMES: dict[str, str] = _KNOWN["languages"]
# Languages of Tesseract, the commonest first, by its names of the scripts that need them. PP-OCRv6
# drops the letters that only Vietnamese has.
SCRIPTS: dict[str, list[str]] = _KNOWN["scripts"]
# Scripts that PP-OCRv6 reads. Tesseract takes some Latin pages for Fraktur, its German black
# letter, and some Chinese pages for Bopomofo.
_READ_ANYWAY: list[str] = _KNOWN["read_anyway"]
# The prefix of reason codes of pages in a script that no recogniser on this machine reads.
SCRIPT_REASON = "script_"


def reason_of_script(script: str) -> str:
    """Return the reason code of pages in a script that no recogniser on this machine reads."""
    return f"{SCRIPT_REASON}{script.lower() if script in SCRIPTS else 'other'}"


def languages_of(script: str, installed: Sequence[str], likely: Sequence[str]) -> list[str]:
    """Return the installed languages of a script, the ``likely`` ones first."""
    of_script = SCRIPTS.get(script, ())
    return [each for each in dict.fromkeys((*likely, *of_script))
            if each in of_script and each in installed][:MAX_LANGUAGES]  # fmt: skip


def language_to_install(script: str, likely: Iterable[str] = ()) -> str:
    """Return the language to install for a script: a likely one, else the commonest."""
    of_script = SCRIPTS.get(script, (package_of_system(),))
    wanted = [*(_NAMES.get(each, each) for each in likely), package_of_system()]
    return next((each for each in wanted if each in of_script), of_script[0])


def default_languages(
    installed: Sequence[str], wanted: Iterable[str] = (), system: str = ""
) -> list[str]:
    """Return the installed languages of recognition, the most likely first.

    ``wanted`` is the setting, in ISO 639-1 or Tesseract's names; ``system`` is one as "de".
    """
    set_by_person = [_NAMES.get(each, each) for each in wanted]
    if chosen := [each for each in dict.fromkeys(set_by_person) if each in installed]:
        return chosen
    own = _NAMES.get(system or system_language(), _FALLBACK)
    first = [each for each in dict.fromkeys((own, _FALLBACK)) if each in installed]
    if len(installed) <= MAX_LANGUAGES or not first:
        return [*first, *(each for each in installed if each not in first)][:MAX_LANGUAGES]
    return first


def for_document(languages: Sequence[str], installed: Sequence[str], language: str) -> list[str]:
    """Move the language of a document, such as "de", to the front if it is installed."""
    own = _NAMES.get(language, "")
    return [own, *(each for each in languages if each != own)] if own in installed else [*languages]


def package_of_system() -> str:
    """Return Tesseract's name of the system's language, to install it."""
    return _NAMES.get(system_language(), _FALLBACK)


def system_language() -> str:
    """Return the system's language, such as "de"; "" if unknown."""
    name = next(
        (value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), ""
    )
    return (name or locale.getlocale()[0] or "")[:2].lower()


NAME = "tesseract"
# Installers use these folders, which are not in the PATH of programs started from a desktop.
_PLACES: dict[str, list[str]] = _KNOWN["places"]
_ASK_S = 20.0
_VERSION = re.compile(r"tesseract v?(\d+)\.(\d+)")
# The data for detecting orientation and script, which Tesseract lists among the languages.
_ORIENTATION_DATA = "osd"
_LANGUAGE = re.compile(r"(?!osd$|equ$)[a-z]{3}(_\w+)?")
# A page takes about 170 MB.
MEMORY_BYTES = 1 << 30
_LOOK_S = 0.2
_SPARE_S = 5
_NICENESS = 19
# Tesseract ignores lower values.
_LEAST_RESOLUTION = 70
_PSM_AUTO, _PSM_AUTO_OSD, _PSM_OSD = "3", "1", "0"
_SCRIPT = re.compile(r"^Script: (\w+)$", re.MULTILINE)
# Install commands by package manager and by system; {} is the language.
_MANAGERS: dict[str, str] = _KNOWN["managers"]
_SYSTEMS: dict[str, str] = _KNOWN["systems"]
_ELSEWHERE = "tesseract-ocr-{}"


class Tesseract(Struct, frozen=True):
    """An installed Tesseract, with its path and the names of its languages.

    ``version`` has its first two numbers; releases that differ in the third read the same. Rotated
    pages are recognised if it ``detects_orientation``.
    """

    path: str
    version: str
    languages: tuple[str, ...]
    detects_orientation: bool = False


def find_program() -> Tesseract | None:
    """Return the installed Tesseract; None without Tesseract or any language."""
    path = shutil.which(NAME) or next((place for place in places() if Path(place).is_file()), "")
    if not path:
        return None
    version = _VERSION.search(_ask(path, "--version"))
    # The first line names the folder of the languages.
    listed = [line.strip() for line in _ask(path, "--list-langs").splitlines()[1:]]
    languages = tuple(name for name in sorted(listed) if _LANGUAGE.fullmatch(name))
    if version is None or not languages:
        return None
    return Tesseract(path, f"{version[1]}.{version[2]}", languages, _ORIENTATION_DATA in listed)


def places(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> list[str]:
    """Folders besides the PATH in which Tesseract may be; self-contained packages include it."""
    name, between = (f"{NAME}.exe", "\\") if platform == "win32" else (NAME, "/")
    folders = [_filled(place, environment) for place in _PLACES.get(platform, ())]
    own = [str(Path(frozen_program()).parent / NAME)] if is_frozen() else []
    return [f"{folder}{between}{name}" for folder in (*folders, *own) if folder]


def _filled(place: str, environment: Mapping[str, str]) -> str:
    """Return a folder with its first variable expanded; "" if the variable is not set."""
    if not place.startswith("%"):
        return place
    _, variable, rest = place.split("%")
    return environment[variable] + rest if environment.get(variable) else ""


def install_command(
    language: str, platform: str = sys.platform, which: Callable[[str], str | None] = shutil.which
) -> str:
    """Return the command that installs a language of Tesseract, or its package's usual name.

    An installed Tesseract is not changed.
    """
    if platform in _SYSTEMS:
        return _SYSTEMS[platform]
    manager = next((name for name in _MANAGERS if which(name)), None)
    # Packages have "chi-sim" in their names for Tesseract's "chi_sim".
    named = _MANAGERS[manager] if manager else _ELSEWHERE
    return named.format(language.replace("_", "-"))


class TesseractPage(Struct, frozen=True):
    """An upright page for Tesseract.

    Any method raises ``WorldError`` ``out_of_time``, ``out_of_memory``, or ``child_died`` if the
    program fails.

    Attributes:
        program: The installed Tesseract.
        languages: The languages of the text, the most likely first.
        image: The image of the page, in grey.
        resolution: The resolution of the image, in dots per inch.
        seconds: It is killed after this much processor time, or after this time without using any.
            On a busy machine a process of the lowest priority may have to wait.
        beat: Called each time it has used processor time.
    """

    program: Tesseract
    languages: Sequence[str]
    image: Image
    resolution: int
    seconds: float
    beat: Callable[[], None]

    def hocr(self, languages: Sequence[str]) -> str:
        """Recognise text in some languages; return it as hOCR."""
        page_segmentation = _PSM_AUTO_OSD if self.program.detects_orientation else _PSM_AUTO
        return self._run("-l", "+".join(languages), "--psm", page_segmentation,
                         "-c", "tessedit_create_hocr=1")  # fmt: skip

    def script(self) -> str:
        """Return Tesseract's name of the page's script.

        It is "" if there is too little text, if PP-OCRv6 reads the script, or if the program fails.
        """
        if not self.program.detects_orientation:
            return ""
        try:
            return needed_script(self._run("--psm", _PSM_OSD))
        except WorldError as error:
            if error.code == "child_died":
                return ""
            raise

    def _run(self, *arguments: str) -> str:
        dots = str(max(self.resolution, _LEAST_RESOLUTION))
        command = [self.program.path, "stdin", "stdout", "--dpi", dots, *arguments]
        reading, writing = os.pipe()
        try:
            process = _start(command, reading, self.seconds)
        except OSError as error:
            os.close(writing)
            raise WorldError("child_died", reason=f"Tesseract: {error.strerror}") from error
        finally:
            os.close(reading)
        # Another thread writes the image, as this one polls the process.
        feeder = threading.Thread(target=_feed, args=(writing, self.image), name="feeder")
        feeder.start()
        try:
            with process:
                out, err = _watched(process, self.seconds, self.beat)
        except subprocess.TimeoutExpired as error:
            raise WorldError("out_of_time", limit=f"{self.seconds:g} seconds") from error
        finally:
            feeder.join()
        if process.returncode != 0:
            raise WorldError("child_died", reason=_failure_message(err, process.returncode))
        return out.decode("utf-8", "replace")


def needed_script(told: str) -> str:
    """Return the script in Tesseract's output, "" if there is none or PP-OCRv6 reads it."""
    found = _SCRIPT.search(told)
    return found[1] if found and found[1] not in _READ_ANYWAY else ""


def _start(command: Sequence[str], reading: int, seconds: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=reading,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tempfile.gettempdir(),
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        **_confined(seconds),
    )


def _feed(writing: int, image: Image) -> None:
    with suppress(OSError), os.fdopen(writing, "wb") as pipe:
        image.save(pipe, "PPM")


def _watched(
    process: subprocess.Popen[bytes], seconds: float, beat: Callable[[], None]
) -> tuple[bytes, bytes]:
    """Wait for the program, and kill it if it exceeds a limit; return its two outputs.

    Raises ``subprocess.TimeoutExpired`` or ``out_of_memory`` if it exceeded a limit.
    """
    import psutil

    used, since = 0.0, time.monotonic()
    try:
        while True:
            try:
                return process.communicate(timeout=_LOOK_S)
            except subprocess.TimeoutExpired:
                if used > seconds or time.monotonic() - since > seconds:
                    raise
            with suppress(psutil.Error, OSError):
                if (now := _processor_s(process.pid)) > used:
                    used, since = now, time.monotonic()
                    beat()
                # A confined reader cannot see other processes; then the child watches the memory.
                if psutil.Process(process.pid).memory_info().rss > MEMORY_BYTES:
                    raise WorldError("out_of_memory", limit=f"{MEMORY_BYTES // 1024**2} MB")
    finally:
        process.kill()


def _processor_s(pid: int) -> float:
    """Return the processor time of a process, by the clock that Linux has for it."""
    if sys.platform != "linux":
        import psutil

        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return time.clock_gettime(~pid << 3 | 2)  # MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED)


def _confined(seconds: float) -> dict[str, Any]:
    """Arguments of ``Popen`` for the lowest priority, limits, and an end with this process."""
    if sys.platform == "win32":
        flags = subprocess.IDLE_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW
        return {"creationflags": flags}
    parent = os.getpid()

    def confine() -> None:
        import resource

        os.nice(_NICENESS)
        processor_s = int(seconds) + _SPARE_S  # in case this process has ended
        resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        die_with(parent)

    # ``preexec_fn`` may deadlock in a process with threads. The callers have none at this point.
    return {"preexec_fn": confine}


def _failure_message(err: bytes, status: int) -> str:
    if status < 0:
        with suppress(ValueError):
            return f"Tesseract: {signal.Signals(-status).name}"
    words = " ".join(err.decode("utf-8", "replace").split())
    return f"Tesseract: {words[-160:] or f'exit status {status}'}"


def _ask(path: str, option: str) -> str:
    """Run the program with an option that prints information; return "" if it fails."""
    try:
        answer = subprocess.run(
            [path, option],
            capture_output=True,
            timeout=_ASK_S,
            check=False,
            stdin=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (answer.stdout + answer.stderr).decode("utf-8", "replace")
