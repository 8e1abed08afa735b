"""Subtitles (SubRip, WebVTT, SubStation, SBV, MicroDVD, LRC, TTML, SAMI): the speech, with times.

Cues are joined into paragraphs, as a sentence is often spread over several cues.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.page_writer import DecodedSource, PageWriter
from indexer.extract.plain.decode import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLOCK = r"((?:\d{1,3}:)?\d{1,2}:\d{2})[.,:]\d{1,3}"
_CUE = re.compile(rf"\s*{_CLOCK}\s*(?:-->|,)\s*(?:\d{{1,3}}:)?\d{{1,2}}:\d{{2}}[.,]\d{{1,3}}")
_DIALOGUE = re.compile(rf"Dialogue:[^,]*,{_CLOCK},[^,]*,[^,]*,([^,]*),[^,]*,[^,]*,[^,]*,[^,]*,(.*)")
_LYRICS = re.compile(r"((?:\[(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,:]\d{1,3})?\])+)(.*)")
_FRAMES = re.compile(r"\{\d+\}\{\d+\}(.*)")  # MicroDVD counts pictures
_ABOUT = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_VOICE = re.compile(r"<v(?:\.[^ >]*)? ([^>]{1,100})>")
_MARKUP = re.compile(r"<[^<>]{0,200}>|\{(?:\\|[yYcCfFsS]:)[^{}]{0,200}\}")
# The beginning of a cue in TTML and SAMI, and the time in its attributes.
_MARKED = re.compile(r"<(?:(?:[a-z]{1,9}:)?p(?=\s)|sync\b)", re.IGNORECASE)
_SYNC = re.compile(r"<sync\b", re.IGNORECASE)
_BEGIN = re.compile(
    r"\b(?:begin|start)\s*=\s*[\"']?((?:\d{1,3}:)*\d{1,9})(?:\.\d+)?(\w*)", re.IGNORECASE
)
_CUE_END = re.compile(r"</(?:[a-z]{1,9}:)?(?:p|body)\b", re.IGNORECASE)
_BREAK = re.compile(r"<(?:[a-z]{1,9}:)?br\b", re.IGNORECASE)
_OF_MARKUP = frozenset({".ttml", ".dfxp", ".smi", ".sami"})
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]♪]*$")
# A paragraph ends after the first length at the end of a sentence, or else at the second length.
_PARAGRAPH_CHARS, _LONGEST_CHARS = 600, 1_500


class SubtitleSource(DecodedSource):
    """An open file of subtitles."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        begun, said, length = "", [""], 0
        for time, line in self._lines():
            text = _shown(line)
            # Captions of live speech repeat the previous line.
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
        """Yield the time at which each spoken line's cue begins, and the line."""
        if self._file.path.suffix.lower() in _OF_MARKUP:
            yield from _marked_cues(self.text)
            return
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


open_source = SubtitleSource.open_source


def _marked_cues(text: str) -> Iterator[tuple[str, str]]:
    """Yield the time at which each cue of a TTML or SAMI file begins, and the cue."""
    for cue in (_SYNC if _SYNC.search(text) else _MARKED).split(text)[1:]:
        attributes, _, said = cue.partition(">")
        said = _BREAK.sub(" <", _CUE_END.split(said, maxsplit=1)[0])
        yield _begun(attributes), html.unescape(_MARKUP.sub("", said))


def _begun(attributes: str) -> str:
    found = _BEGIN.search(attributes)
    if found is None or ":" in found[1]:
        return found[1] if found else ""
    seconds = int(found[1]) // (1 if found[2] == "s" else 1_000)
    return f"{seconds // 3_600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _shown(text: str) -> str:
    text = _VOICE.sub(r"\1: ", text.replace(r"\N", " ").replace(r"\n", " ").replace(r"\h", " "))
    return " ".join(_MARKUP.sub("", text).replace("&nbsp;", " ").replace("&amp;", "&").split())


def _write(writer: PageWriter, begun: str, said: list[str]) -> None:
    writer.add_block(begun, BlockKind.HEADING, 1)
    writer.add_block(" ".join(said))
