"""Splits a document into passages, the unit of search.

A passage costs little if it has about the target length, begins at a heading, stays within one page
and does not begin inside a list, table or paragraph. Dynamic programming minimises the sum. A cut
is final once every continuation of the document has it. So streaming a document gives the same
passages as reading it whole, and an edit moves only the cuts near it.
"""

from __future__ import annotations

import re
import zlib
from itertools import count, pairwise
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.types import BlockKind, OutlineEntry, Passage
from indexer.text.pieces import MIN_SENTENCE, PageLike, Piece, TextBuffer, split_pieces
from indexer.text.sentences import merge_short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Costs(Struct, frozen=True):
    """The parameters of the cost function. The unit of lengths is the target length.

    A passage of length ``x`` costs ``(x - 1) ** 2``, plus ``steepness`` times the amount by which
    it is shorter than ``least`` or longer than ``most``, plus the costs of its cuts and of the
    borders inside it.
    """

    least: float = 0.4
    most: float = 1.6
    longest: float = 2.2  # the most length of a passage of several pieces
    characters: int = 1800  # of a view: about 512 tokens with title and headings
    steepness: float = 4.0
    # a border inside a passage
    page_inside: float = 1.0
    heading_inside: float = 1.0
    rise_inside: float = 3.0
    # a cut
    after_heading: float = 4.0
    in_paragraph: float = 0.4
    in_table: float = 0.6
    in_list: float = 0.3
    after_colon: float = 0.3
    oversize: float = 0.25  # factor for cuts inside a block longer than ``most``
    at_page: float = 0.1  # factor for cuts at the end of a page
    tie_break: float = 0.05  # times a hash of the following words, so that an edit moves few cuts


_COSTS = Costs()
_LEGIBLE = re.compile(r"[^\W_]")
_LOOKAHEAD = 8.0  # target lengths that are optimised together
_FURTHEST = 64.0  # target lengths after which cuts become final even if they could change
_PENDING = 2  # the last passages, which are not final even then
_FLOWING = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE})


def cut(
    pages: Iterable[PageLike],
    outline: Sequence[OutlineEntry] = (),
    language: str | Callable[[str], str] = "",
    *,
    target_words: int = 150,
    stem: Callable[[str, str], str] | None = None,
    apart: bool = False,
) -> Iterator[Passage]:
    """Split a document into passages while its pages are read.

    Args:
        pages: The pages in order, separated by a line feed; ``offset`` and blocks are absolute.
        outline: The document's bookmarks.
        language: ISO 639-1 code, "" when unknown, or a function of the text of a page.
        target_words: The target length of a passage.
        stem: Computes ``Passage.stems`` from a view and its language; without it they are empty.
        apart: Whether no passage may cross a page border, as between the mails of a mailbox.

    Yields:
        Passages in order, and at the end those of boilerplate, which may lie inside others. Apart
        from these none overlap. Together they contain every letter and digit that is not furniture.
        None crosses the border of an embedded document or of a comment.
    """
    source = TextBuffer()
    language_of = (lambda _: language) if isinstance(language, str) else language
    ordinals = count()
    pending: list[Piece] = []
    around = _Boilerplate(source, target_words, stem)
    size, new = 0.0, 0.0
    for pieces in split_pieces(pages, source, outline, language_of):
        if around.takes(pieces):
            continue
        if pending and _is_border(pending[-1], pieces[0], apart=apart):
            ends = _ends(_cheapest_cuts(pending, target_words), len(pending))
            yield from _passages(pending, ends, source, ordinals, stem)
            pending, size, new = [], 0.0, 0.0
        pending += pieces
        added = sum(piece.size for piece in pieces)
        size, new = size + added, new + added
        if size < _LOOKAHEAD * target_words or new < _LOOKAHEAD / 2 * target_words:
            continue
        previous = _cheapest_cuts(pending, target_words)
        ends = _ends(previous, _final_cut(pending, previous, target_words))
        if not ends and size > _FURTHEST * target_words:
            ends = _ends(previous, len(pending))[:-_PENDING]
        yield from _passages(pending, ends, source, ordinals, stem)
        pending = pending[ends[-1] if ends else 0 :]
        size, new = sum(piece.size for piece in pending), 0.0
        if pending:
            source.drop_pages(pending[0].start)
    ends = _ends(_cheapest_cuts(pending, target_words), len(pending))
    yield from _passages(pending, ends, source, ordinals, stem)
    yield from around.passages(ordinals)


class _Boilerplate:
    """Cuts boilerplate into passages and keeps them until the end."""

    def __init__(
        self, source: TextBuffer, target_words: int, stem: Callable[[str, str], str] | None
    ) -> None:
        self._source, self._target, self._stem = source, target_words, stem
        self._run: list[Piece] = []
        self._cut: list[Passage] = []

    def takes(self, pieces: list[Piece]) -> bool:
        """Collect pieces if they are boilerplate, else end its current run; return whether."""
        ours = pieces[0].kind is BlockKind.BOILERPLATE
        if self._run and not (ours and self._follow(pieces[0])):
            self._end_run()
        if ours:
            self._run += pieces
        return ours

    def _follow(self, piece: Piece) -> bool:
        last = self._run[-1]
        between = self._source.slice(last.end, piece.start)
        return piece.part == last.part and (not between or between.isspace())

    def passages(self, ordinals: Iterator[int]) -> Iterator[Passage]:
        """Yield the passages of boilerplate with their ordinals."""
        self._end_run()
        for passage in self._cut:
            yield replace(passage, ordinal=next(ordinals))

    def _end_run(self) -> None:
        ends = _ends(_cheapest_cuts(self._run, self._target), len(self._run))
        self._cut += _passages(self._run, ends, self._source, count(), self._stem)
        self._run = []


def _is_border(above: Piece, piece: Piece, *, apart: bool) -> bool:
    """Whether a passage must end between two pieces: at an embedded document, or at a comment."""
    if apart and piece.page != above.page:
        return True
    return piece.part != above.part or BlockKind.ASIDE in (above.kind, piece.kind)


def _final_cut(pieces: Sequence[Piece], previous: Sequence[int], target: float) -> int:
    """The last cut that every continuation shares."""
    meeting = len(pieces)
    size = 0.0
    # Later pieces may still join the last ones, up to the length of the longest passage.
    for begin in range(len(pieces) - 1, -1, -1):
        size += pieces[begin].size / target
        if size > _COSTS.longest:
            break
        other = begin
        while meeting != other:
            if meeting > other:
                meeting = previous[meeting]
            else:
                other = previous[other]
    return meeting


def _ends(previous: Sequence[int], last: int) -> list[int]:
    """Follow the cheapest cuts back from ``last``; return the end of each passage, exclusive."""
    ends = []
    while last:
        ends.append(last)
        last = previous[last]
    return ends[::-1]


def _cheapest_cuts(pieces: Sequence[Piece], target: float) -> list[int]:
    """Return, for each possible cut, where the passage before it begins at the lowest cost."""
    joining = _joining_costs(pieces)
    cutting = _cutting_costs(pieces, target)
    sizes = [piece.size / target for piece in pieces]
    lengths = [len(piece.view) + 1 for piece in pieces]
    number = len(pieces)
    best = [0.0] + [float("inf")] * number
    previous = [0] * (number + 1)
    # These are local variables, as the inner loop takes a twentieth of the time of reading a PDF.
    least, most, steepness = _COSTS.least, _COSTS.most, _COSTS.steepness
    longest, most_characters = _COSTS.longest, _COSTS.characters
    for begin in range(number):
        size, characters, cost = 0.0, 0, best[begin]
        for end in range(begin, number):
            size += sizes[end]
            characters += lengths[end]
            if end > begin:
                if size > longest or characters > most_characters:
                    break
                cost += joining[end]
            total = cost + (size - 1) ** 2 + cutting[end + 1]
            if size < least:
                total += steepness * (least - size)
            elif size > most:
                total += steepness * (size - most)
            if total < best[end + 1]:
                best[end + 1], previous[end + 1] = total, begin
    return previous


def _joining_costs(pieces: Sequence[Piece]) -> list[float]:
    """The cost of not cutting before each piece."""
    inside = [0.0]
    for above, piece in pairwise(pieces):
        cost = _COSTS.page_inside if piece.page != above.page else 0.0
        if piece.level and not above.level:
            cost += _COSTS.rise_inside if piece.rises else _COSTS.heading_inside
        inside.append(cost)
    return inside


def _cutting_costs(pieces: Sequence[Piece], target: float) -> list[float]:
    """The cost of cutting before each piece, and after the last."""
    sizes: dict[int, float] = {}
    for piece in pieces:
        sizes[piece.group] = sizes.get(piece.group, 0.0) + piece.size / target
    before = [0.0]
    for above, piece in pairwise(pieces):
        cost = 0.0
        if above.level:
            cost = _COSTS.after_heading
        elif piece.group == above.group:
            cost = _split_cost(above, piece)
            if sizes[piece.group] > _COSTS.most:
                cost *= _COSTS.oversize
        elif piece.kind in _FLOWING and above.view.endswith(":"):
            cost = _COSTS.after_colon
        if piece.page != above.page and not above.level:
            cost *= _COSTS.at_page
        # Ties are broken by a hash of the words, between -0.5 and 0.5.
        tie = zlib.crc32(piece.view.encode()) / 2**32 - 0.5
        before.append(cost + _COSTS.tie_break * tie)
    return [*before, 0.0]


def _split_cost(above: Piece, piece: Piece) -> float:
    if piece.kind is BlockKind.TABLE:
        return _COSTS.in_table
    if piece.paragraph == above.paragraph:
        return _COSTS.in_paragraph
    return _COSTS.in_list


def _passages(
    pieces: Sequence[Piece],
    ends: Sequence[int],
    source: TextBuffer,
    ordinals: Iterator[int],
    stem: Callable[[str, str], str] | None,
) -> Iterator[Passage]:
    """The passages that end at ``ends``, except those without a letter or digit."""
    for begin, end in zip([0, *ends], ends, strict=False):
        if any(_LEGIBLE.search(piece.view) for piece in pieces[begin:end]):
            yield _passage(next(ordinals), pieces[begin:end], source, stem)


def _passage(
    ordinal: int,
    pieces: Sequence[Piece],
    source: TextBuffer,
    stem: Callable[[str, str], str] | None,
) -> Passage:
    start, end = pieces[0].start, pieces[-1].end
    view = "".join(piece.view + piece.gap for piece in pieces[:-1]) + pieces[-1].view
    places: dict[int, int] = {}
    pages: dict[int, int] = {}
    paths: dict[int, tuple[str, ...]] = {}
    stands_in = next((piece for piece in pieces if not piece.level), pieces[-1])
    at = 0
    for piece in pieces:
        places[at], pages[at] = piece.start - start, piece.page
        paths[at] = piece.path if piece.start > stands_in.start else stands_in.path
        at += len(piece.view) + len(piece.gap)
    kept = merge_short(list(places), len(view), MIN_SENTENCE)
    page_last = source.page_at(end - 1)
    return Passage(
        ordinal=ordinal,
        page_first=pieces[0].page,
        page_last=page_last,
        char_start=start,
        char_end=end,
        heading_path=stands_in.path,
        text=source.slice(start, end),
        view=view,
        text_starts=tuple(places[place] for place in kept),
        view_starts=tuple(kept),
        stems=stem(view, stands_in.language) if stem else "",
        text_pages=() if page_last == pieces[0].page else tuple(pages[place] for place in kept),
        sections=tuple(
            (at, paths[place])
            for at, (before, place) in enumerate(pairwise(kept), 1)
            if paths[place] != paths[before]
        ),
    )
