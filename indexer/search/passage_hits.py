"""Makes a hit from a stored passage, with its place, its best sentence, and the reason.

Near-duplicates in several documents are listed once. Two passages are near-duplicates by the
Jaccard similarity of their word trigrams, and only if they say the same: another number, date, name
or negation makes another statement, as in two versions of a contract. Passages are not grouped if
they differ in a word of the query, or belong to one document.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from indexer.api.formats import BY_NAME, page_unit
from indexer.api.types import FileRow, Hit, Span, Why
from indexer.catalog.docs import noon
from indexer.search.compare_statements import trimmed
from indexer.search.explain import find_in_text
from indexer.text.stop_words import NEGATIONS, NUMBER_WORDS
from indexer.text.terms import iter_stems, sequence, word_spans, words

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Mask
    from indexer.catalog.records import DocRow, DocumentFile
    from indexer.search.candidates import CandidateEvidence
    from indexer.search.fusion import Scored
    from indexer.search.query_terms import StemWeights
    from indexer.store.values import StoredPassage


SHINGLE = 3  # words
MIN_JACCARD = 0.9
# Passages are compared only if they share one of this many smallest hashes (MinHash), as nearly all
# near-duplicates do. Ten thousand passages are too many to compare every pair.
SKETCH = 16
_NO_PAGE = {"page": 0, "pages_before": 0, "page_last": 0}
# A word inside a sentence, where a capital marks a name.
_INSIDE = re.compile(r"(?<=[^\s.!?:])[ \t]+(\w+)")


class _Member(Struct, frozen=True):
    doc: int
    text: str
    words: frozenset[str]
    shingles: frozenset[int]
    query_words: frozenset[str]
    sketch: list[int]  # its smallest hashes


class NearDuplicates(Struct):
    """Groups the passages of a list under the first near-duplicate in another document.

    ``query_words`` are the folded words of the query.
    """

    query_words: frozenset[str]
    _members: list[_Member] = field(default_factory=list)
    _by_hash: dict[int, list[int]] = field(default_factory=dict)
    # The first passages while all are of one document; these are not compared.
    _unread: list[tuple[int, str]] = field(default_factory=list)

    def join_group(self, doc: int, text: str) -> int | None:
        """Return the number of the group that a passage joins.

        Returns None if the passage opens a new group, which has the next number, from 0.
        """
        if not self._members and (not self._unread or self._unread[0][0] == doc):
            self._unread.append((doc, text))
            return None
        for one in self._unread:
            self._open(self._read(*one))
        self._unread.clear()
        here = self._read(doc, text)
        sharing = {number for each in here.sketch for number in self._by_hash.get(each, ())}
        for number in sorted(sharing):  # the best group first
            if _near_duplicate(here, self._members[number]):
                return number
        self._open(here)
        return None

    def _read(self, doc: int, text: str) -> _Member:
        found = words(text)
        shingles = frozenset(_shingles(found))
        asked = self.query_words.intersection(found)
        return _Member(doc, text, frozenset(found), shingles, asked, sorted(shingles)[:SKETCH])

    def _open(self, member: _Member) -> None:
        """Open a group."""
        for each in member.sketch:
            self._by_hash.setdefault(each, []).append(len(self._members))
        self._members.append(member)


def _near_duplicate(one: _Member, other: _Member) -> bool:
    if one.doc == other.doc or one.query_words != other.query_words:
        return False
    if len(one.shingles & other.shingles) < MIN_JACCARD * len(one.shingles | other.shingles):
        return False
    return not (_states_alone(one, other) or _states_alone(other, one))


def _states_alone(one: _Member, other: _Member) -> bool:
    """Whether a passage has a number, a name or a negation that the other lacks."""
    alone = one.words - other.words
    if not alone:
        return False
    figures = (any(sign.isdigit() for sign in word) for word in alone)
    if any(figures) or alone & NEGATIONS or alone & NUMBER_WORDS:
        return True
    if one.text.isupper():
        return False  # capitals do not mark names here
    inside = (found[1] for found in _INSIDE.finditer(one.text))
    return not alone.isdisjoint(words(" ".join(word for word in inside if word[0].isupper())))


def _shingles(found: list[str]) -> Iterator[int]:
    """Yield hashes of word trigrams, the same in every process. A shorter text is one shingle."""
    encoded = [word.encode("utf-8", "replace") for word in found]
    for at in range(max(1, len(found) - SHINGLE + 1)):
        yield zlib.crc32(b" ".join(encoded[at : at + SHINGLE]))


# The most sentences that are marked: the best one and others nearly as good.
MARKS = 3
NEARLY = 0.85
# Words or meaning are the reason of a hit from these scores on. The first is a third of the highest
# possible BM25, squared and weighted, the second a cosine that unrelated text seldom has.
WORDS_FROM = 0.2
MEANING_FROM = 0.35
# The bonus of a sentence with all rare words of the question. If a passage has sentences inside and
# outside the answer, the marked one is inside for .796 of 358 passages in xquad-mono, .704 of 27 in
# evidence and .951 of 41 in manuals. Without the bonus it is .737, .593 and .927; with .15 it is
# .765, .630 and .951; with 1 it is .835, .556 and .951.
WORDS_SHARE = 0.3
# The penalty for a heading, the head of a mail or a table, and for lines to write on.
NO_ANSWER = 0.25
_MAIL_HEAD = re.compile(r"^(?:From|To|Cc|Bcc|Date|Sent|Subject): ", re.MULTILINE)
_SIGNS = re.compile(r"[\W_]+")
_SIGNS_BEHIND = re.compile(r"\S*")
# Separators of the cells of a row. In prose a space follows a comma or a semicolon.
_BETWEEN_CELLS = re.compile(r"[\t|]|[,;](?=\S)")


def best_sentences(
    evidence: CandidateEvidence, at: int, passage: StoredPassage, weights: StemWeights | None
) -> list[int]:
    """The indices of the sentence that answers best, and of others nearly as good.

    Among similar sentences the rare words of the question decide, by their ``weights``. They may be
    numbers and codes, of which a model knows little. Without similarities only words decide; the
    best sentence is -1 if no sentence has one of them.
    """
    similar = evidence.sentences[evidence.offsets[at] : evidence.offsets[at + 1]]
    texts = [passage.text[first:last] for first, last in _ranges(passage)]
    scores = similar
    if weights is not None:
        shares = _word_shares(texts, passage.language, weights)
        form = _forms(texts, passage)
        if not len(similar):
            answers = np.where(form, 0.0, shares)
            best = int((answers if answers.any() else shares).argmax()) if len(shares) else -1
            return [best if best >= 0 and shares[best] > 0.0 else -1]
        if len(shares) == len(similar):
            scores = similar + np.where(form, -NO_ANSWER, WORDS_SHARE * shares)
    if not len(scores):
        return [int(evidence.best[at])]
    first, *others = np.argsort(-scores, kind="stable")[:MARKS].tolist()
    return [first, *(one for one in others if scores[one] >= NEARLY * scores[first] > 0.0)]


def _ranges(passage: StoredPassage) -> Iterator[Span]:
    return pairwise([*passage.text_starts, len(passage.text)])


def _word_shares(texts: Sequence[str], language: str, weights: StemWeights) -> Float32s:
    """The share of some words that each text has, 0 to 1, by idf."""
    total = math.fsum(idf for _number, idf in weights.by_stem.values())
    shares = []
    for text in texts:
        there = weights.by_stem.keys() & set(iter_stems(text, language))
        found = dict(weights.by_stem[stem] for stem in there)
        shares.append(sum(found.values()) / total if total else 0.0)
    return np.array(shares, np.float32)


def _forms(texts: Sequence[str], passage: StoredPassage) -> Mask:
    """Whether each text is the head of a table or a mail, headings, or lines to write on."""
    headings = set(chain(passage.heading_path, *(path for _begin, path in passage.sections)))
    head = _head_row(texts)
    return np.array([n == head or _is_form(text, headings) for n, text in enumerate(texts)], bool)


def _is_form(text: str, headings: set[str]) -> bool:
    """Whether a text is headings, the head of a mail, or mostly lines to write on."""
    parts = text.split()
    few = 2 * sum(map(str.isalnum, text)) < sum(map(len, parts))
    known = headings.issuperset(" ".join(row.split()) for row in text.strip().split("\n"))
    return few or known or " ".join(parts) in headings or bool(_MAIL_HEAD.search(text))


def _head_row(rows: Sequence[str]) -> int | None:
    """The index of the row that names the columns: cells without figures above cells with some."""
    cells = [len(_BETWEEN_CELLS.findall(row)) for row in rows]
    first = next((at for at, number in enumerate(cells) if number), len(rows))
    figures = [any(sign.isdigit() for sign in row) for row in rows[first:]]
    below = zip(cells[first + 1 :], figures[1:], strict=True)
    named = first < len(rows) and not figures[0]
    return first if named and any(has and n >= cells[first] for n, has in below) else None


def passage_hit(
    passage: StoredPassage, places: list[DocumentFile], doc: DocRow, best: list[int],
    weights: StemWeights | None = None,
) -> Hit:  # fmt: skip
    """Make a hit. No sentence is marked if the best one is -1.

    ``weights`` of words choose among rows of a table that form one sentence.
    """
    place = places[0]
    spans = list(dict.fromkeys(_row(passage, one, weights) for one in best if one >= 0))
    return Hit(
        root=place.root,
        score=0.0,
        text=passage.text,
        heading_path=_heading_path(passage, best[0]),
        why=Why.WORDS,
        best=spans[0] if spans else (0, 0),
        state=place.state,
        other_paths=tuple(other.path for other in places[1:]),
        marks=tuple(spans),
        author=doc.author,
        format=place.format,
        modified_ns=place.mtime_ns,
        sent_ns=_sent_ns(place.format, doc, page_of(passage, best[0])),
        left_out=left_out(passage.text, passage.view),
        **where(passage, place, doc, best[0]),
    )


def left_out(text: str, view: str) -> tuple[Span, ...]:
    """Return the lines of a passage that its view leaves out: running heads and page numbers.

    The letters and digits of both are compared line by line. If they do not match exactly, for
    example because a page number is also the start of the next line, nothing counts as left out.
    """
    # Most views differ from their text only in line breaks.
    if text.split() == view.split() or len(wanted := _letters(view)) == len(_letters(text)):
        return ()
    found: list[Span] = []
    at = start = 0
    for line in text.splitlines(keepends=True):
        letters = _letters(line)
        if wanted.startswith(letters, at):
            at += len(letters)
        else:
            found.append((start, start + len(line)))
        start += len(line)
    return tuple(found) if at == len(wanted) else ()


def _letters(text: str) -> str:
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text))


def with_phrases(
    hit: Hit, passage: StoredPassage, phrases: Sequence[str], labels: Sequence[str]
) -> Hit:
    """Mark the phrases of a query in a hit; its best sentence is the one with the first phrase."""
    spans = _phrase_spans(passage, phrases)
    if not spans:
        return hit
    sentence = bisect_right(passage.text_starts, spans[0][0]) - 1
    best = _sentence(passage, sentence)
    page = _page(passage, sentence, labels) if hit.page else _NO_PAGE
    heading = _heading_path(passage, sentence)
    return replace(hit, best=best, marks=spans[:MARKS], heading_path=heading, **page)


def _phrase_spans(passage: StoredPassage, phrases: Sequence[str]) -> tuple[Span, ...]:
    """Return the spans of phrases in a passage, as offsets into its ``text``, ascending.

    Args:
        phrases: The phrases as quoted; only words are compared, not the signs between them.
    """
    spans = word_spans(passage.view)
    found = [passage.view[first:last] for first, last in spans]
    flat = [(at, word) for at, shown in enumerate(found) for word in sequence(shown)]
    runs = {
        (flat[start][0], flat[start + len(wanted) - 1][0])
        for wanted in filter(None, map(sequence, phrases))
        for start in range(len(flat) - len(wanted) + 1)
        if [word for _, word in flat[start : start + len(wanted)]] == wanted
    }
    if not runs:
        return ()
    places = find_in_text(passage.text, passage.view, spans)
    ends = ((places[first], places[last]) for first, last in sorted(runs))
    return tuple((first[0], last[1]) for first, last in ends if first and last)


def where(
    passage: StoredPassage, place: DocumentFile, doc: DocRow, sentence: int
) -> dict[str, Any]:
    """The place of a passage, by its best sentence, in the fields of ``Hit`` and ``Also``."""
    return {
        "path": place.path,
        "file": place.relative,
        "title": doc.title or place.relative.rpartition("/")[2],
        **(
            _page(passage, sentence, printed(place.format, doc))
            if has_pages(place.format, doc.pages)
            else _NO_PAGE
        ),
        "start": passage.char_start,
        "end": passage.char_end,
    }


def printed(form: str, doc: DocRow) -> tuple[str, ...]:
    """The labels printed on a document's pages; none for mails, whose labels are their days."""
    return () if page_unit(form) == "message" else doc.labels


def _sent_ns(form: str, doc: DocRow, page: int) -> int:
    """When a mail was sent; in a mailbox the mail on this page, or the last one if unknown."""
    days = doc.labels if page_unit(form) == "message" else ()
    own = noon(days[page - 1]) if 0 < page <= len(days) else None
    return doc.sent_ns if own is None else own


def has_pages(form: str, pages: int) -> bool:
    """Whether a document has pages to cite; flowing text with one page has none in its file.

    >>> has_pages("docx", 1), has_pages("docx", 7), has_pages("pdf", 1)
    (False, True, True)
    """
    known = BY_NAME.get(form)
    return known is None or known.unit != "page" or known.drawn or pages > 1


def page_of(passage: StoredPassage, sentence: int) -> int:
    """The page on which a sentence of a passage begins; the first page if unknown."""
    pages = passage.text_pages[sentence : sentence + 1]
    return pages[0] if pages else passage.page_first


def _heading_path(passage: StoredPassage, sentence: int) -> tuple[str, ...]:
    """The headings above a sentence of a passage."""
    above = (path for begin, path in reversed(passage.sections) if begin <= sentence)
    return next(above, passage.heading_path)


def _page(passage: StoredPassage, sentence: int, labels: Sequence[str]) -> dict[str, Any]:
    page = page_of(passage, sentence)
    label = labels[page - 1] if 0 < page <= len(labels) else ""
    return {
        "page": page,
        "page_label": "" if label == str(page) else label,
        "pages_before": page - passage.page_first,
        "page_last": passage.page_last,
    }


def _sentence(passage: StoredPassage, number: int) -> tuple[int, int]:
    """The span of a sentence in a passage's text, without surrounding space."""
    spans = spans_of(passage)
    return spans[min(number, len(spans) - 1)] if spans else trimmed(passage.text)


def _row(passage: StoredPassage, number: int, weights: StemWeights | None) -> Span:
    """The span of a sentence, or of the row of it that has most of some words."""
    whole = _sentence(passage, number)
    ends = [*passage.view_starts[1:], len(passage.view)]
    if weights is None or number >= len(passage.view_starts):
        return whole
    view = passage.view[passage.view_starts[number] : ends[number]].rstrip()
    rows = view.split("\n")
    if len(rows) < 2:
        return whole
    told = passage.text[slice(*whole)].split("\n")  # with the separators of cells
    shares = _word_shares(rows, passage.language, weights)
    shares[_forms(told if len(told) == len(rows) else rows, passage)] = 0.0
    best = int(shares.argmax())
    if np.count_nonzero(shares == shares[best]) > 1:
        return whole
    first = sum(len(row) + 1 for row in rows[:best])
    words = word_spans(view)
    places = find_in_text(passage.text[slice(*whole)], view, words)
    inside = [
        place
        for (begin, _end), place in zip(words, places, strict=True)
        if place and first <= begin <= first + len(rows[best])
    ]
    if not inside:
        return whole
    closed = _SIGNS_BEHIND.match(passage.text, whole[0] + inside[-1][1])
    return whole[0] + inside[0][0], closed.end() if closed else whole[1]


def spans_of(passage: StoredPassage) -> list[Span]:
    """The spans of a passage's sentences in its text, without surrounding space."""
    return [trimmed(passage.text, *pair) for pair in _ranges(passage)]


def name_hit(row: FileRow) -> Hit:
    return Hit(
        path=row.path,
        root=row.root,
        file=row.file,
        title=row.file.rpartition("/")[2],
        page=1,
        page_last=1,
        start=0,
        end=0,
        score=0.0,
        text="",
        heading_path=(),
        why=Why.NAME,
        state=row.state,
        modified_ns=row.mtime_ns,
    )


def reason(scored: Scored, at: int) -> Why:
    words, meaning = float(scored.words[at]), float(scored.meaning[at])
    if words >= WORDS_FROM and meaning >= MEANING_FROM:
        return Why.BOTH
    return Why.WORDS if words >= WORDS_FROM or meaning <= 0.0 else Why.MEANING
