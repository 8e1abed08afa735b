"""Detects the language of a text.

The script decides if only one language uses it, else a statistical classifier, which is loaded at
its first use. Its model takes 68 MB, and .4 s of processor time to unpack. So it is a file in the
cache folder that all processes map: they share it, and a fork has no page tables to copy. A file
that does not match its checksum is written again.
"""

from __future__ import annotations

import os
import re
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import platformdirs

from indexer.api.private_files import replacing
from indexer.text.sentences import lazy_pattern

if TYPE_CHECKING:
    from numpy.typing import NDArray


SAMPLE = 4000  # characters that are classified
_PLACES = 5  # they are from several parts, as a text may begin with tables or in another language
_ENOUGH_LETTERS = 20
_ENOUGH_SIGNS = 4  # this many characters of a script suffice
_CONFIDENT = 0.6
_MOSTLY = 0.3  # a script with this share of the letters decides the language

# Scripts used by one language, or nearly so.
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (language, lazy_pattern(f"[{characters}]"))
    for language, characters in (
        ("ja", "\u3041-\u30ff\uff66-\uff9d"),
        ("ko", "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"),
        ("zh", "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"),
        ("th", "\u0e01-\u0e7f"),
        ("lo", "\u0e81-\u0eff"),
        ("my", "\u1000-\u109f"),
        ("km", "\u1780-\u17ff"),
        ("ka", "\u10a0-\u10ff\u1c90-\u1cbf"),
        ("hy", "\u0531-\u058f"),
        ("el", "\u0370-\u03ff\u1f00-\u1fff"),
        ("he", "\u05d0-\u05f2"),
        ("bo", "\u0f40-\u0fbc"),
        ("am", "\u1200-\u137f"),
        ("bn", "\u0980-\u09ff"),
        ("pa", "\u0a00-\u0a7f"),
        ("gu", "\u0a80-\u0aff"),
        ("or", "\u0b00-\u0b7f"),
        ("ta", "\u0b80-\u0bff"),
        ("te", "\u0c00-\u0c7f"),
        ("kn", "\u0c80-\u0cff"),
        ("ml", "\u0d00-\u0d7f"),
        ("si", "\u0d80-\u0dff"),
    )
)
# Scripts used by several languages, among which the classifier chooses.
_SHARED: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = tuple(
    (frozenset(languages.split()), lazy_pattern(f"[{characters}]"))
    for languages, characters in (
        ("ru uk be bg sr mk kk ky mn tg tt", "\u0400-\u052f"),
        ("ar fa ur ps ug sd ckb", "\u0620-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc"),
        ("hi mr ne sa", "\u0904-\u0963"),
    )
)
_NO_LETTER = re.compile(r"[\W\d_]+")
_NONE = "zxx"  # ISO 639-2: no linguistic content
# Most texts with shifted letters have above 0.9, lists of abbreviations at most 0.4.
_LIKELY_NONE = 0.5
_JAPANESE_SHARE = 0.1  # the share of kana that makes Chinese characters Japanese


def detect_language(sample: str) -> str:
    """Detect the language of a text by classifying ``SAMPLE`` characters of it.

    The result is an ISO 639-1 code, or "" if there are too few letters or no language is likely.
    """
    if len(sample) > SAMPLE:
        step = len(sample) // _PLACES
        sample = "\n".join(
            sample[i : i + SAMPLE // _PLACES] for i in range(0, step * _PLACES, step)
        )
    letters = len(_NO_LETTER.sub("", sample))
    if letters < _ENOUGH_SIGNS:
        return ""
    if not sample.isascii():
        by_script = _by_script(sample, letters)
        if by_script is not None:
            return by_script
    if letters < _ENOUGH_LETTERS:
        return ""
    return _classified(sample)


def by_script_alone(text: str) -> str:
    """The only language of a text's script; "" if several languages use it."""
    letters = len(_NO_LETTER.sub("", text))
    counts = _signs(text)
    language = max(counts, key=counts.__getitem__)
    return language if counts[language] >= max(_MOSTLY * letters, 1) else ""


def _by_script(sample: str, letters: int) -> str | None:
    """The language of a sample by its script; ``None`` for Latin letters."""
    counts = _signs(sample)
    language = max(counts, key=counts.__getitem__)
    if counts[language] >= max(_MOSTLY * letters, _ENOUGH_SIGNS):
        return language
    for languages, script in _SHARED:
        if len(script.findall(sample)) >= _MOSTLY * letters:
            if letters < _ENOUGH_LETTERS:
                return ""
            found = _classified(sample)
            return found if found in languages else ""
    return None


def _signs(sample: str) -> dict[str, int]:
    """Count characters by language, for scripts used by one language."""
    counts = {language: len(script.findall(sample)) for language, script in _SCRIPTS}
    if counts["ja"] >= _JAPANESE_SHARE * max(counts["zh"], 1):
        counts["ja"] += counts.pop("zh")
    return counts


def is_none(words: str) -> bool:
    """Whether words in Latin letters probably belong to no language."""
    language, confidence = classifier().classify(words)
    return bool(language == _NONE and confidence >= _LIKELY_NONE)


def _classified(sample: str) -> str:
    language, confidence = classifier().classify(sample)
    return language if confidence >= _CONFIDENT and len(language) == 2 else ""


_CHECKSUM_BYTES = 4
_ROW_BITS = 8  # a row has 256 entries, one for each byte


@lru_cache(maxsize=1)
def classifier() -> Any:
    """Open the classifier, unpacking its model if no process did before.

    A process that will be forked opens it for all its children.
    """
    from py3langid import langid

    model = _model()
    names = model.dtype.names or ()
    ptc, pc, classes, moves, rows, output = (np.asarray(model[name][0]) for name in names)
    found = langid.LanguageIdentifier(
        ptc, pc, classes.tolist(), moves.data, output.data, norm_probs=True, tk_row=()
    )
    found._rowbase = rows.data  # noqa: SLF001  # made of ``tk_row``, as a list of objects
    return found


def _model() -> NDArray[Any]:
    """Return the model's arrays as one record, mapped from the file if it can be written."""
    from py3langid import __version__

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
    from py3langid import langid, modelio

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
        file.seek(0, os.SEEK_END)  # on Windows, mapping moves the file's position to its start
        file.write(checksum.to_bytes(_CHECKSUM_BYTES, "little"))
