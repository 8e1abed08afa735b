"""The query grammar: every operator, every half-typed state, and no way to make it fail."""

from __future__ import annotations

import itertools
import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import sentence
from indexer.query.filters import GRAMMAR, DateRange, Filters, NumberRange, grammar_help
from indexer.query.grammar import MAX_CHARACTERS, Clause, Query, clauses, parse

MB = 1 << 20
ALPHABET = 'ab -:".,/\\<>=()“”«»éßק中\u0301\ud800\x00\n\t0129'


def test_free_text() -> None:
    query = parse("Rental income, after the merger?")
    assert query.text == "Rental income, after the merger?"
    assert query.terms == ("rental", "income", "after", "the", "merger")
    assert query.last_word_open
    assert query.filters == Filters()


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("half a wor", True),
        ("half a word ", False),
        ('a "phrase"', False),
        ('a "phrase', True),
        ("word -excl", False),
        ("word ext:pd", False),
        ("date:soon", True),
        ("", False),
        (" ", False),
        ("...", False),
    ],
)
def test_whether_the_last_word_is_open(text: str, is_open: bool) -> None:
    assert parse(text).last_word_open is is_open


@pytest.mark.parametrize(
    ("text", "phrases", "words"),
    [
        ('say "to be or not to be" now', ("to be or not to be",), "say to be or not to be now"),
        ("“smart  quotes”", ("smart quotes",), "smart quotes"),
        ("„deutsche“ «et français»", ("deutsche", "et français"), "deutsche et français"),
        ('关于"合同期限"的', ("合同期限",), "关于 合同期限 的"),
        ('a 5" pipe', (), "a 5 pipe"),
        ('"unbalanced here', (), "unbalanced here"),
        ('"" "..."', (), ""),
        ('"one""two"', ("one", "two"), "one two"),
        ('"ﬁne\nprint"', ("fine print",), "fine print"),
    ],
)
def test_phrases(text: str, phrases: tuple[str, ...], words: str) -> None:
    query = parse(text)
    assert (query.phrases, query.text) == (phrases, words)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('what is the definition of "Superior Proposal"', ()),
        ('was bedeutet der Begriff "Betriebskosten" in dem Vertrag', ()),
        ('termination rights of "Acme Inc."?', ()),
        ('什么是"合同期限"的开始？', ()),
        ('what is "Superior Proposal"?', ("Superior Proposal",)),
        ('definition "Superior Proposal"', ("Superior Proposal",)),
        ('"keeps the roof" of the workshop', ("keeps the roof",)),
        ('"notice period" in the lease with the city, and who gives it', ("notice period",)),
        ('the "notice period" of leases', ("notice period",)),
        ('-draft termination "notice period" ext:pdf', ("notice period",)),
    ],
)
def test_quotes_in_a_sentence_need_not_occur(text: str, phrases: tuple[str, ...]) -> None:
    query = parse(text)
    assert query.phrases == phrases
    assert [each.value for each in clauses(text) if not each.operator and not each.excluded] == [
        *phrases
    ]


def test_a_quote_inside_a_hebrew_word_opens_no_phrase() -> None:
    query = parse('צה"ל "בית ספר"')
    assert query.phrases == ("בית ספר",)
    assert query.terms[0] == "צהל"


def test_exclusions() -> None:
    query = parse('lease -draft, -"not this" -e-mail - -- 10-K well-known')
    assert query.excluded_words == ("draft", "e-mail")
    assert query.excluded_phrases == ("not this",)
    assert query.terms == ("lease", "10", "k", "10k", "well", "known", "wellknown")


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("does the group -control change?", ()),
        ("¿cambia el grupo -control?”", ()),
        ("-control does the group change?", ("control",)),
        (" -control group", ("control",)),
        ("-control -old ext:pdf -big does it change?", ("control", "old", "big")),
        ("does the group change? -control", ("control",)),
        ("group -control", ("control",)),
    ],
)
def test_a_minus_inside_a_question_is_part_of_it(text: str, excluded: tuple[str, ...]) -> None:
    query = parse(text)
    assert query.excluded_words == excluded
    assert ("control" in query.terms) is not bool(excluded)
    assert [each.value for each in clauses(text) if each.excluded] == list(excluded)


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ('in:"My Folder" IN:b', Filters(folders=("My Folder", "b"))),
        ("-in:tmp folder:/a/b", Filters(folders=("/a/b",), not_folders=("tmp",))),
        ("ext:.PDF,docx -ext:txt", Filters(extensions=("pdf", "docx"), not_extensions=("txt",))),
        ("type:mail", Filters(extensions=("eml", "emlx", "msg", "oft", "mbox", "mbx"))),
        ("type:pdf", Filters(extensions=("pdf",))),
        ("date:2024", Filters(dates=DateRange(date(2024, 1, 1), date(2024, 12, 31)))),
        ("date:2024-02", Filters(dates=DateRange(date(2024, 2, 1), date(2024, 2, 29)))),
        ("date:2024-03..2024-06", Filters(dates=DateRange(date(2024, 3, 1), date(2024, 6, 30)))),
        ("date:2024-03-05..", Filters(dates=DateRange(date(2024, 3, 5), None))),
        ("date:..2023", Filters(dates=DateRange(None, date(2023, 12, 31)))),
        ("date:>2023", Filters(dates=DateRange(date(2024, 1, 1), None))),
        ("date:<=2023", Filters(dates=DateRange(None, date(2023, 12, 31)))),
        ("before:2025 before:2026", Filters(dates=DateRange(None, date(2024, 12, 31)))),
        ("after:2023 before:2025", Filters(dates=DateRange(date(2023, 1, 1), date(2024, 12, 31)))),
        ("size:>10mb", Filters(sizes=NumberRange(10 * MB + 1, None))),
        ("size:>=1mb", Filters(sizes=NumberRange(MB, None))),
        ("size:<1.5MB", Filters(sizes=NumberRange(None, 3 * MB // 2 - 1))),
        ("size:1mb..2mb", Filters(sizes=NumberRange(MB, 2 * MB))),
        ("size:1k", Filters(sizes=NumberRange(1024, None))),
        ("title:lease author:“Jane Doe”", Filters(titles=("lease",), authors=("Jane Doe",))),
        ("lang:de -lang:English", Filters(languages=("de",), not_languages=("en",))),
        ("page:>100", Filters(pages=NumberRange(101, None))),
        ("page:5..10 page:<8", Filters(pages=NumberRange(5, 7))),
        ("page:5", Filters(pages=NumberRange(5, 5))),
        ("page:IV page:A-3", Filters(pages=NumberRange(labels=("iv", "a-3")))),
        ("page:2.1", Filters(pages=NumberRange(labels=("2.1",)))),
        ("like:/A/ﬁ“x”\ud800.pdf", Filters(like="/A/ﬁ")),
        ('like:"C:\\My Docs\\ﬁ e\u0301.pdf"', Filters(like="C:\\My Docs\\ﬁ e\u0301.pdf")),
    ],
)  # fmt: skip
def test_filters(text: str, filters: Filters) -> None:
    query = parse(text)
    assert query.filters == filters
    assert query
    if not text.startswith("like:/"):
        assert (query.text, query.notes) == ("", ())


@pytest.mark.parametrize(
    ("text", "terms", "noted"),
    [
        ("foo:bar", "foo bar", "foo:"),
        ('foo:"bar baz"', "foo bar baz", "foo:"),
        ("date:soon", "date soon", "2024-03"),
        ("date:2024-13", "date 2024 13 202413", "date:2024-13"),
        ("before:1000 date:>9999", "date 9999", "out of range"),
        ("size:big", "size big", "10mb"),
        ("page:>x", "page x", "number"),
        ("lang:klingonese", "lang klingonese", "language"),
        ("ext:,", "ext", "extension"),
        ("-date:2024", "date 2024", "excluded"),
        ("in: ", "in", "no value"),
        ("in:", "in", "no value"),
        ('title:" "', "title", "no value"),
    ],
)
def test_what_means_nothing_is_searched_as_text(text: str, terms: str, noted: str) -> None:
    query = parse(text)
    assert " ".join(query.terms) == terms
    assert noted in " ".join(map(sentence, query.notes))


@pytest.mark.parametrize(
    "text", ["http://x.com/a", "10:30", "C:\\dir", "std::vector", "note: this"]
)
def test_colons_that_are_no_operators_are_not_noted(text: str) -> None:
    query = parse(text)
    assert query.text == text
    assert query.notes == ()


def test_description_is_json_and_leaves_out_what_was_not_used() -> None:
    assert parse("").to_values() == {}
    described = parse('a "b" date:2024 in:x foo:y').to_values()
    assert json.loads(json.dumps(described)) == described
    assert described["filters"] == {
        "folders": ["x"],
        "dates": {"first": "2024-01-01", "last": "2024-12-31"},
    }
    assert described["notes"]


def test_every_example_of_the_grammar_is_understood() -> None:
    for operator in GRAMMAR:
        query = parse(operator.example)
        assert [note.code for note in query.notes] == ([] if query else ["only_left_out"])
        if operator.field:
            assert query.filters != Filters()
            assert query.text == ""
        assert operator.example in grammar_help()
    assert parse("x -in:y").filters.not_folders == ("y",)
    for operator in GRAMMAR:
        if operator.can_be_excluded:
            assert parse(f"-{operator.example}").notes == ()


@pytest.mark.parametrize("text", ["-draft", '-"not this"', "-draft -x"])
def test_what_is_only_left_out_is_no_question(text: str) -> None:
    assert [note.code for note in parse(text).notes] == ["only_left_out"]
    for asked in (f"{text} rent", f"{text} ext:pdf", f'{text} "rent"'):
        assert parse(asked).notes == ()


def test_a_note_is_told_once() -> None:
    assert len(parse("in: size:big in: size:big").notes) == 2


def test_a_very_long_query_is_cut_and_said_so() -> None:
    query = parse("word " * MAX_CHARACTERS)
    assert len(query.text) <= MAX_CHARACTERS
    assert query.notes


@given(
    st.lists(
        st.one_of(
            st.text(alphabet=ALPHABET, max_size=12),
            st.sampled_from([f"{op.name}:" for op in GRAMMAR if op.read]),
            st.sampled_from(['"', " ", "-", "..", ">", "2024-99", "9999", "10tb", "\udcff"]),
        ),
        max_size=12,
    ).map("".join)
)
def test_nothing_that_can_be_typed_is_an_error(text: str) -> None:
    query = parse(text)
    json.dumps(query.to_values())
    for shown in (query.text, *query.phrases, *query.excluded_words, *map(sentence, query.notes)):
        shown.encode()
    assert query.text == " ".join(query.text.split())
    assert bool(query.text) >= bool(query.terms)


@given(st.text())
def test_any_text_is_a_query(text: str) -> None:
    assert isinstance(parse(text), Query)


@given(st.lists(st.from_regex(r"[a-z]{2,6}", fullmatch=True), max_size=6))
def test_plain_words_are_kept(words: list[str]) -> None:
    query = parse(" ".join(words))
    assert list(query.terms) == words
    assert query.notes == ()


def test_clauses_stand_where_they_were_typed() -> None:
    text = 'rent -draft in:"My Folder" -ext:pdf “to be” date:soon http://a.b lang: pages:5'
    found = clauses(text)
    assert [text[each.start : each.end] for each in found] == [
        "-draft", 'in:"My Folder"', "-ext:pdf", "“to be”", "pages:5",
    ]  # fmt: skip
    assert found[1] == Clause(12, 26, "in", "My Folder", quoted=True)
    assert [(each.operator, each.value, each.excluded) for each in found[2:]] == [
        ("ext", "pdf", True), ("", "to be", False), ("page", "5", False),
    ]  # fmt: skip


@given(st.text(ALPHABET) | st.text(ALPHABET).map(lambda text: f"{text} in:{text} -ext:pdf"))
def test_clauses_are_what_the_query_is_made_of(text: str) -> None:
    query, found = parse(text), clauses(text)
    assert all(0 <= each.start < each.end <= len(text) for each in found)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))
    assert bool(query.filters) == any(each.operator for each in found)
    assert len(query.phrases) == sum(each.quoted and not each.excluded and not each.operator
                                     for each in found)  # fmt: skip
    assert bool(query.excluded_words) == any(
        each.excluded and not each.quoted and not each.operator for each in found
    )


@pytest.mark.parametrize(
    "number",
    [
        "-40 \xb0C",
        "-12%",
        "-3.5",
        "-12\xb0C",
        "-1500 m",
        "-1,500",
        "-1073741819",
        "-2000 K",
        "-40dBm",
        "-1.5e-3",
    ],
)
def test_a_negative_number_is_no_exclusion(number: str) -> None:
    query = parse(f"freezer {number}")
    assert (query.text, query.excluded_words) == (f"freezer {number}", ())
    assert parse("report -2024 -draft -3D").excluded_words == ("2024", "draft", "3D")
    assert parse("-2024").excluded_words == ()  # all but a year would be everything


@pytest.mark.parametrize("text", ["\u00a7", "!!", "\u20ac %", "... ?"])
def test_a_query_of_signs_alone_says_that_they_are_not_searched(text: str) -> None:
    query = parse(text)
    assert not query
    assert [note.code for note in query.notes] == ["only_signs"]


@pytest.mark.parametrize("text", ["-$5", "loss -\u20ac40.50", "at -40 \xb0C"])
def test_a_minus_before_a_number_or_an_amount_excludes_nothing(text: str) -> None:
    assert parse(text).excluded_words == ()
