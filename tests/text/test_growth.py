"""Every function of `text/` and `loaders/` does work that grows with its text, whatever the text is."""

from datetime import UTC, datetime

import pytest

from remanent.loaders import document, plain, types
from remanent.loaders.document import Reading
from remanent.text import dates, markdown, mentions, numbers, spans, summary, terms, tokens
from remanent.text.calendar import DateMeaning, Interval, speaks_of_future, speaks_of_past
from remanent.text.spans import Span, excerpt, first_graphemes, inside_graphemes, is_inside_grapheme
from tests.growth import FULL, HUGE, Work, public_functions, takes_just_a_text, too_fast
from tests.hostile import CORE, HOSTILE

_NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)
_DAY = DateMeaning(Interval(_NOW, _NOW.replace(day=9), "day"))


def _words(text: str) -> list[str]:
    """Return a list that grows with the text, in pieces as short as words."""
    return [text[start : start + 8] for start in range(0, len(text), 8)]


def _spans(text: str) -> list[Span]:
    """Return stretches of which neighbours overlap."""
    return [Span(start, start + 6) for start in range(0, len(text), 5)]


def _found(text: str) -> list[dates.DateMatch]:
    return [dates.DateMatch(start, start + 4, _DAY) for start in range(0, len(text) - 4, 5)]


def _every_fence(text: str) -> None:
    blocks = markdown.fences(text)
    for position in range(0, len(text), 10):
        markdown.fence_at(blocks, position)


def _all_marks(text: str) -> None:
    found = [summary.SalientTerm(span.start, span.end, "", 1.0) for span in _spans(text)]
    for span in _spans(text):
        summary.marks_within(found, span)


def _bytes(text: str) -> bytes:
    """Return a file of the text; without what makes it none, for a refusal costs nothing."""
    return text.replace("\0", " ").encode(errors="replace")


def _counted(text: str) -> int:
    return tokens.token_counter()(text)


ADAPTERS: dict[str, Work] = {
    "loaders.plain.read_code": lambda text: plain.read_code(_bytes(text), Reading("a.py", types.CODE)),
    "text.numbers.with_numbers_of": lambda text: numbers.with_numbers_of(text, text[:300] + " 158 days 一百五十八天"),
    "loaders.types.decoded": lambda text: types.decoded(_bytes(text)),
    "loaders.document.assemble": lambda text: document.assemble(
        text, types.PLAIN, headings=[(start, start % 7, "title") for start in range(0, len(text), 5)]
    ),
    "loaders.plain.read_chat": lambda text: plain.read_chat(_bytes(text), Reading("a.jsonl", types.JSON_LINES)),
    "loaders.plain.read_csv": lambda text: plain.read_csv(_bytes(text), Reading("a.csv", types.CSV)),
    "loaders.plain.read_markdown": lambda text: plain.read_markdown(_bytes(text), Reading("a.md", types.MARKDOWN)),
    "loaders.plain.read_text": lambda text: plain.read_text(_bytes(text), Reading("a.txt", types.PLAIN)),
    "loaders.types.media_type_of": lambda text: types.media_type_of(_bytes(text)),
    "loaders.types.readable_type_of": lambda text: types.readable_type_of(_bytes(text)),
    "text.tokens.fit": lambda text: tokens.fit(text, len(text) // 8, counter=tokens.ESTIMATE),
    "text.tokens.chunks": lambda text: tokens.chunks(text, 20, counter=tokens.ESTIMATE),
    "text.spans.without_overlaps": lambda text: spans.without_overlaps(_spans(text), rank=len),
    "text.dates.with_clocks": lambda text: dates.with_clocks(text, _found(text)),
    "text.dates.with_ranges": lambda text: dates.with_ranges(text, _found(text)),
    "text.dates.with_sides": lambda text: dates.with_sides(text, _found(text)),
    "text.dates.find_dates": lambda text: dates.find_dates(text, reference=_NOW),
    "text.spans.excerpt": lambda text: excerpt(text, max(1, len(text) - 1)),
    "text.spans.inside_graphemes": lambda text: inside_graphemes(text, range(1, len(text))),
    "text.spans.is_inside_grapheme": lambda text: is_inside_grapheme(text, len(text) - 1),
    "text.summary.ranked": lambda text: summary.ranked(summary.statements(text)),
    "text.summary.joined": lambda text: summary.joined(span.of(text) for span in _spans(text)),
    "text.summary.statements": summary.statements,
    "text.summary.telling": lambda text: summary.telling(summary.statements(text), limit=200, measure=tokens.ESTIMATE),
    "text.markdown.fence_at": _every_fence,
    "text.markdown.row_as_sentence": lambda text: markdown.row_as_sentence(text.split("|"), text.split("|"), text),
    "text.markdown.rows_as_sentences": lambda text: markdown.rows_as_sentences(["a", "b"], [text.split("|")], text),
    "text.mentions.resolve": lambda text: mentions.resolve(text[len(text) // 2 :], before=text[: len(text) // 2]),
    "text.summary.marks_within": _all_marks,
    "text.spans.between": lambda text: spans.between(range(0, len(text), 3), len(text)),
    "text.spans.joined": lambda text: spans.joined(text, _spans(text)),
    "text.summary.compress": lambda text: summary.compress(text, len(text) // 10),
    "text.summary.compress_within": lambda text: summary.compress_within(text, len(text) // 10),
    "text.spans.first_graphemes": lambda text: first_graphemes(text, len(text) // 2),
    "text.summary.summarize": lambda text: summary.summarize(text, limit=200, measure=tokens.ESTIMATE),
    "text.terms.held_terms": lambda text: terms.held_terms(text, {"word", "词语"}),
    "text.terms.telling_part": lambda text: terms.telling_part(
        text, dict.fromkeys(terms.query_terms(text)[:16], 1.0), length=3000
    ),
    "text.calendar.speaks_of_future": lambda text: speaks_of_future(text, 0, len(text)),
    "text.calendar.speaks_of_past": lambda text: speaks_of_past(text, 0),
    "text.dates.with_certain_days": lambda text: dates.with_certain_days(text, _NOW),
    "text.dates.with_dates": lambda text: dates.with_dates(text, _NOW),
    "text.tokens.counter_for": lambda text: tokens.counter_for(text)(text),
    "text.tokens.token_counter": _counted,
}
"""How functions are called that need more than a text."""

_OF_THE_CALENDAR = "takes a moment and small numbers, no text"
EXEMPT: dict[str, str] = {
    "text.terms.as_shares": "takes numbers, not a text",
    "text.terms.rarity": "takes numbers, not a text",
    "text.terms.saturation": "takes numbers, not a text",
    **{
        f"text.calendar.{name}": _OF_THE_CALENDAR
        for name in (
            "century day day_or_part days days_of_month decade first_of half hour midnight minute month months "
            "part_of_day part_of_month part_of_year quarter season season_near unit_at_distance unit_near "
            "waiting_part week weekday_after weekday_before weekday_in_week weekend window year"
        ).split()
    },
    "text.regex.alternation": "is given words of ours",
    "text.regex.word_regex": "is given patterns of ours",
    "text.calendar.clock_time": _OF_THE_CALENDAR,
    "text.dates.said_at": "reads no text that is longer than a date",
    "loaders.html.read": "decodes bytes, then reads them as `read_html` does",
    "loaders.document.refuse": "takes a sentence of our own",
    **{
        f"loaders.{name}": "takes a file of a format with a parser of its own, in a process that is bounded in time"
        for name in (
            "packed.entry packed.open_archive packed.properties packed.read_book packed.read_docx packed.read_sheets "
            "packed.read_mail packed.read_slides pdf.read readers.load readers.main readers.read"
        ).split()
    },
    "text.chinese.segmenter": "takes nothing",
    "text.numbers.units": "takes nothing",
    "text.words.word_list": "takes the name of a list of ours",
    "text.words.word_tables": "takes the name of a file of ours",
    "text.words.word_forms": "takes the name of a file of ours",
    "text.words.parts_of": "takes a table of parts",
}
"""Functions that no long text is given to, and why."""

HURT: dict[str, tuple[str, ...]] = {
    "text.tokens.fit": ("underscores", "flags"),
    "text.tokens.chunks": ("Chinese sentences", "short sentences"),
    "text.chinese.chinese_names": ("Chinese organisations", "transliterated names"),
    "text.dates.find_dates": ("two dates with a gap", "weekdays after a date", "days in digits", "times ago"),
    "text.escaping.escape": ("a sign, spaces, a word", "a huge entity", "entities of entities", "opened tags"),
    "text.markdown.fences": ("fences", "fences that never close", "fences of two sorts", "nested lists"),
    "text.talk.questions": ("questions",),
    "text.markdown.parse_markdown": (
        "a heading with a gap",
        "one long field of front matter",
        "headings of all levels",
        "nested lists",
    ),
    "text.mentions.mentions": ("initials", "one name", "straight quotes", "brackets", "Chinese organisations"),
    "text.mentions.resolve": ("pronouns in one sentence", "pronouns"),
    "text.sentences.sentences": ("brackets before abbreviations", "spaces before points", "straight quotes"),
    "text.summary.compress": ("negations", "short sentences"),
    "text.summary.summarize": ("negations", "short sentences", "Chinese clauses"),
    "text.tokens.token_counter": ("underscores", "ellipses", "emoji", "marks on one letter", "rare Chinese characters"),
    "loaders.html.read_html": ("opened tags", "comments that never end", "silent elements", "closed elements"),
    "text.spans.grapheme_boundaries": ("flags", "joined emoji"),
    "text.spans.word_boundaries": ("flags", "joined emoji"),
}
"""Texts beside the core that once made a function take the square of their length, or worse."""

FUNCTIONS = public_functions("remanent.text") | public_functions("remanent.loaders")
WORKS: dict[str, Work] = {
    name: function for name, function in FUNCTIONS.items() if takes_just_a_text(function) and name not in EXEMPT
} | ADAPTERS


def test_no_function_is_forgotten() -> None:
    assert set(WORKS).isdisjoint(EXEMPT)
    assert set(WORKS) | set(EXEMPT) == set(FUNCTIONS)


@pytest.mark.spec("SAFE-07")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_the_text(name: str) -> None:
    makers = {kind: HOSTILE[kind] for kind in HURT.get(name, ())} | CORE
    assert not too_fast(WORKS[name], makers)


@pytest.mark.spec("SAFE-07")
@pytest.mark.skipif(not FULL, reason="takes hours of work: at full counts only")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_every_hostile_text_and_with_a_million_characters(name: str) -> None:
    assert not too_fast(WORKS[name], HOSTILE)
    assert not too_fast(WORKS[name], CORE, large=HUGE)
