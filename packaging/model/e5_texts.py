"""Texts in many languages, to count the pieces of a vocabulary.

It reads plain text by language from Debian packages (manuals, help pages, message catalogues,
fortunes), training texts and the word frequencies of `wordfreq`. The texts are not shipped. It must
not know tokenizers.
"""

from __future__ import annotations

import gettext
import gzip
import html
import io
import json
import lzma
import re
import subprocess
import tarfile
from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MOST_CHARACTERS = 6_000_000  # of one language from one kind of source
_LANGUAGE = r"([a-z]{2,3})(?:[_-][A-Za-z]+)?(?:@\w+)?(?:\.UTF-8)?"
_KINDS = {
    "manual": re.compile(rf"/man/{_LANGUAGE}/man\d/[^/]+\.gz$"),
    "catalogue": re.compile(rf"/{_LANGUAGE}/LC_MESSAGES/[^/]+\.mo$"),
    "page": re.compile(
        rf"/(?:help|installation-guide-amd64|FAQ|html)/{_LANGUAGE}/.*\.(?:html?|page|xhp)(?:\.gz)?$"
    ),
    "fortune": re.compile(rf"/fortunes/(?:{_LANGUAGE}/)?[^/.]+$"),
}
_ROFF = re.compile(r"\\f.|\\\(..|\\\[[^]]*\]|\\[-&|^%~'\"]|\\s[-+]?\d")
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]+>", re.DOTALL)
_MARKS = re.compile(r"%[\w$.\-+#]*[a-zA-Z]|\{\w*\}|[&_~](?=\w)|\\n|https?://\S+|\S+@\S+")
_SAME = {"nb": "no", "nn": "no", "sh": "sr", "zht": "zh"}
# File names, options and code are not counted, as they are of no language.
_CODE = re.compile(r"\S*[/\\=<>|{}@#]\S*|--?\w[\w-]*")


def package_texts(folder: Path) -> dict[str, list[str]]:
    """Texts by language from all ``*.deb`` in a folder."""
    found: dict[str, list[str]] = defaultdict(list)
    taken: dict[tuple[str, str], int] = defaultdict(int)
    for package in sorted(folder.glob("*.deb")):
        for kind, language, text in _members(package):
            if taken[kind, language] < MOST_CHARACTERS:
                taken[kind, language] += len(text)
                found[language].append(text)
    return found


def training_texts(folder: Path) -> dict[str, list[str]]:
    """Texts by language from all ``*.jsonl.xz`` in a folder."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                document = json.loads(line)
                text = document["text"][:100_000]
                found[document.get("language", "en")].append(text)
    return found


def word_frequencies(folder: Path) -> dict[str, dict[str, float]]:
    """Word frequencies by language, from the data files of `wordfreq`."""
    import msgpack

    found = {}
    for path in sorted((folder / "wordfreq" / "data").glob("*.msgpack.gz")):
        size, language = path.name.split(".")[0].split("_")[-2:]
        if language == "mapping" or (size == "small" and language in found):
            continue
        with gzip.open(path) as file:
            _, *bins = msgpack.load(file)
        # The index of a list is the frequency of its words, in centibels below 1.
        words = {word: 10 ** (-place / 100) for place, held in enumerate(bins) for word in held}
        found[_SAME.get(language, language)] = words
    return found


def _members(package: Path) -> Iterator[tuple[str, str, str]]:
    own = re.search(r"-([a-z]{2})(?:-[a-z]{2})?_", package.name)
    command = ["dpkg-deb", "--fsys-tarfile", str(package)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as process,
        tarfile.open(fileobj=process.stdout, mode="r|") as archive,
    ):
        for member in archive:
            kind, language = _kind(member.name, own[1] if own else "")
            if not kind or not member.isfile():
                continue
            file = archive.extractfile(member)
            data = file.read() if file else b""
            text = _text(kind, gzip.decompress(data) if member.name.endswith(".gz") else data)
            if text:
                yield kind, _SAME.get(language, language), text


def _kind(name: str, own: str) -> tuple[str, str]:
    for kind, pattern in _KINDS.items():
        if match := pattern.search(name):
            return kind, match[1] or own or "en"
    return "", ""


def _text(kind: str, data: bytes) -> str:
    if kind == "catalogue":
        return _plain(_catalogue(data))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    if kind == "manual":
        lines = (line for line in text.split("\n") if not line.startswith((".", "'")))
        return _plain(_ROFF.sub("", "\n".join(lines)).split("\n"))
    if kind == "page":
        text = html.unescape(_TAGS.sub(" ", text))
    return _plain(text.split("\n"))


def _catalogue(data: bytes) -> Iterable[str]:
    try:
        catalogue: Any = gettext.GNUTranslations(io.BytesIO(data))
    except (OSError, UnicodeDecodeError, ValueError, IndexError):
        return
    for source, text in catalogue._catalog.items():  # noqa: SLF001  # it has no public access
        if source and isinstance(text, str) and text != source:
            yield text


def _plain(lines: Iterable[str]) -> str:
    return "\n".join(_CODE.sub(" ", _MARKS.sub(" ", line)) for line in lines if line.strip())
