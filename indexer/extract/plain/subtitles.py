"""Subtitles (SubRip, WebVTT, SubStation, SBV, MicroDVD, LRC): what is said, below its time.

Cues are joined to paragraphs, as a sentence is often spread over several.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.page_writer import PageWriter, WrittenSource
from indexer.extract.plain.decode import MARK, TextFile, open_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.config import Limits

_CLOCK = r"((?:\d{1,3}:)?\d{1,2}:\d{2})[.,:]\d{1,3}"
_CUE = re.compile(rf"\s*{_CLOCK}\s*(?:-->|,)\s*(?:\d{{1,3}}:)?\d{{1,2}}:\d{{2}}[.,]\d{{1,3}}")
_DIALOGUE = re.compile(rf"Dialogue:[^,]*,{_CLOCK},[^,]*,[^,]*,([^,]*),[^,]*,[^,]*,[^,]*,[^,]*,(.*)")
_LYRICS = re.compile(r"((?:\[(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,:]\d{1,3})?\])+)(.*)")
_FRAMES = re.compile(r"\{\d+\}\{\d+\}(.*)")  # of MicroDVD, which counts pictures
_ABOUT = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_VOICE = re.compile(r"<v(?:\.[^ >]*)? ([^>]{1,100})>")
_MARKUP = re.compile(r"<[^<>]{0,200}>|\{(?:\\|[yYcCfFsS]:)[^{}]{0,200}\}")
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]♪]*$")
# A paragraph ends with a sentence beyond the first length, anywhere beyond the other.
_PARAGRAPH_CHARS, _LONGEST_CHARS = 600, 1_500


class SubtitleSource(WrittenSource[TextFile]):
    """An open file of subtitles."""

    def write(self, writer: PageWriter) -> Iterator[None]:
        begun, said, length = "", [""], 0
        for time, line in self._lines():
            text = _shown(line)
            # Captions of live speech repeat the line before.
            if not text or text == said[-1]:
                continue
            ended = length > _PARAGRAPH_CHARS and _ENDED.search(said[-1]) is not None
            if ended or length > _LONGEST_CHARS:
                _write(writer, begun, said)
                yield
                begun, said, length = "", [""], 0
            begun = begun or time
            said.append(text)
            length += len(text)
        _write(writer, begun, said)

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Yield the lines that are said, and when their cue begins."""
        time, spoken = "", False
        for section in self._file.sections():
            for line in section.removeprefix(MARK).splitlines():
                if found := _CUE.match(line):
                    time, spoken = found[1], True
                elif found := _DIALOGUE.match(line):
                    name = f"{found[2].strip()}: " if found[2].strip() else ""
                    yield found[1], name + found[3]
                elif found := _FRAMES.match(line):
                    yield "", found[1].replace("|", " ")
                elif found := _LYRICS.match(line):
                    yield found[1][1:].partition("]")[0].partition(".")[0], found[2]
                elif not line.strip() or _ABOUT.match(line):
                    spoken = False
                elif spoken:
                    yield time, line


def open_source(path: Path, password: str | None, limits: Limits) -> SubtitleSource:
    """Open a file of subtitles (``indexer.extract.base.Opener``)."""
    return SubtitleSource(open_text(path, limits.text_bytes), limits)


def _shown(text: str) -> str:
    text = _VOICE.sub(r"\1: ", text.replace(r"\N", " ").replace(r"\n", " ").replace(r"\h", " "))
    return " ".join(_MARKUP.sub("", text).replace("&nbsp;", " ").replace("&amp;", "&").split())


def _write(writer: PageWriter, begun: str, said: list[str]) -> None:
    writer.add(begun, BlockKind.HEADING, 1)
    writer.add(" ".join(said))
