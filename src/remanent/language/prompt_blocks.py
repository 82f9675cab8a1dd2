"""How stored text is shown to a model: in tags that it cannot leave, and in numbered passages.

What was stored may be anybody's words, and instructions to a model are words as well: material can neither close its
tag nor open another, and a reminder stands behind it, because small models forget what stands before a long text.

A model names passages by number, so that it need not copy text, and code puts them together again. A model that copies
loses words and invents others; numbers cannot be misquoted, and one that was not shown is seen at once.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from remanent.bilingual import Language
from remanent.language.offline.headings import is_source_heading
from remanent.language.shapes import MAX_SEGMENT, GraphNode, Utterance, UtteranceSpan
from remanent.model import Origin
from remanent.text.escaping import RESERVED_TAGS, escape, escape_attribute
from remanent.text.scripts import working_language
from remanent.text.sentences import paragraphs, sentences
from remanent.text.spans import Span, grapheme_boundaries, word_boundaries
from remanent.text.words import word_set

# Every tag that material stands in: none of it can close one of these or open another.
_TAGS = RESERVED_TAGS | word_set(
    "agent agents candidates claim completed conflict conflicts context description did earlier finished focus goal "
    "keywords learned limit m message neighbours new_memory new_node node nodes notice notices p passages query "
    "question result said summary task text tool tools upload uploads validation"
)
_LONGEST_ATTRIBUTE = 100
"""Characters of a name or a date in a tag: what is longer is text, and belongs between tags. Chosen by hand."""
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def block(tag: str, text: str, **attributes: str | int) -> str:
    """Return stored text in a tag that it cannot close; nothing when there is no text."""
    body = escape(text.strip(), tags=_TAGS)
    border = "\n" if "\n" in body else ""
    return f"{_opening(tag, attributes)}{border}{body}{border}</{tag}>" if body else ""


def group(tag: str, parts: Iterable[str], **attributes: str | int) -> str:
    """Return blocks inside a tag; nothing when there are none."""
    inner = "\n".join(part for part in parts if part)
    return f"{_opening(tag, attributes)}\n{inner}\n</{tag}>" if inner else ""


def node_block(node: GraphNode, *, name: str = "") -> str:
    """Return a node of a graph under the name that a model is to call it by, if it is to."""
    named = {"id": name} if name else {}
    when = {"time": _moment(node.timestamp)} if node.timestamp else {}
    parts = [
        block("context", node.context),
        block("keywords", ", ".join(node.keywords)),
        block("summary", node.summary),
    ]
    return group("node", parts, **named, **when)


def passage_blocks(texts: Sequence[str]) -> list[str]:
    """Return passages with their numbers, from 1."""
    return [block("p", text, n=number) for number, text in enumerate(texts, 1)]


def utterance_blocks(
    utterances: Sequence[Utterance], *, longest: int = 100_000, are_numbered: bool = True
) -> list[str]:
    """Return what was said, each with its number from 1 unless they need none; very long ones without their middle."""
    shown = [(said, abridged(said.text, longest)) for said in utterances]
    return _said_blocks(shown, are_numbered=are_numbered)


def spoken_language(utterances: Sequence[Utterance], *more: str) -> Language:
    """Return the language to speak about utterances in; of what else is said where they have none."""
    return working_language("\n".join(said.text[:1000] for said in utterances), *more)


def place_blocks(utterances: Sequence[Utterance], places: Sequence[UtteranceSpan]) -> list[str]:
    """Return the given parts of what was said, each with its number from 1."""
    said = [(utterances[place.utterance], place) for place in places]
    return _said_blocks([(one, one.text[place.start : place.end]) for one, place in said])


def _said_blocks(said: Sequence[tuple[Utterance, str]], *, are_numbered: bool = True) -> list[str]:
    """Return what was said with who said it and when, the time only where it is another: it costs twenty tokens."""
    blocks, last = list[str](), ""
    for number, (one, text) in enumerate(said, 1):
        moment = _moment(one.occurred_at) if one.occurred_at else ""
        named = {"n": number} if are_numbered else {}
        when = {"at": moment} if moment and moment != last else {}
        whose = {} if one.origin in {None, Origin.USER} else {"origin": str(one.origin)}
        blocks.append(block("m", text, **named, by=one.speaker, **when, **whose))
        last = moment
    return blocks


def abridged(text: str, limit: int) -> str:
    """Return the text, or its beginning and its end, where a result mostly stands, in at most so many characters."""
    if len(text) <= limit:
        return text
    head = limit // 3
    return f"{text[:head].rstrip()}\n…\n{text[len(text) - (limit - head - 3) :].lstrip()}"


def _moment(moment: datetime) -> str:
    """Return a moment with its weekday, which tells what "last Tuesday" was; a locale must not change it."""
    return f"{moment.isoformat(sep=' ', timespec='minutes')[:16]} {_WEEKDAYS[moment.weekday()]}"


def _opening(tag: str, attributes: dict[str, str | int]) -> str:
    given = {name: escape_attribute(str(value)[:_LONGEST_ATTRIBUTE], tags=_TAGS) for name, value in attributes.items()}
    return "".join([f"<{tag}", *(f' {name}="{value}"' for name, value in given.items()), ">"])


# ── numbered passages ────────────────────────────────────────────────────────

_MAX_PASSAGE_LENGTH = 800
"""Characters of a passage that has one number; longer paragraphs are cut at the ends of sentences. Chosen by hand."""
MAX_PASSAGES = 200
"""More numbers than this would leave too little of a window to the text, and a model would lose count. Chosen by
hand."""


def passages(text: str, *, longest: int = _MAX_PASSAGE_LENGTH, most: int = MAX_PASSAGES) -> list[Span]:
    """Part a text into passages that cover it exactly: paragraphs, long ones at the ends of sentences.

    A heading stays with what it is the heading of. In a text of very many paragraphs, neighbours share a passage.
    """
    spans = paragraphs(text)
    bare = {span.end: span.of(text).strip() for span in spans}
    lines = [(end, said) for end, said in bare.items() if "\n" not in said]
    # What is only a heading, or says whose words follow.
    headings = {end for end, said in lines if said.startswith("#") or is_source_heading(said)}
    parts: list[Span] = []
    for paragraph in _joined(spans, lambda before, _: before.end in headings):
        at, is_short = paragraph.start, len(paragraph) <= longest
        said_in = [] if is_short else [Span(at + one.start, at + one.end) for one in sentences(paragraph.of(text))]
        parts += [paragraph] if is_short else joined_within(said_in, at_most=longest)
    if len(parts) > most:
        parts = joined_until(parts, at_least=math.ceil(len(text) / most))
    # What is only white space goes to the passage before it, or the one after at the beginning.
    first = len(text) - len(text.lstrip())
    return _joined(parts, lambda before, span: before.end <= first or not span.of(text).strip())


def _joined(spans: Iterable[Span], belongs: Callable[[Span, Span], bool]) -> list[Span]:
    """Join each span to the stretch before it where it belongs to that."""
    joined: list[Span] = []
    for span in spans:
        if joined and belongs(joined[-1], span):
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return joined


def joined_until(spans: Sequence[Span], *, at_least: int) -> list[Span]:
    """Join spans that follow each other until each has so many characters; the last may have fewer."""
    return _joined(spans, lambda before, _: len(before) < at_least)


def joined_within(spans: Sequence[Span], *, at_most: int) -> list[Span]:
    """Join spans that follow each other as long as they have at most so many characters together."""
    return _joined(spans, lambda before, span: span.end - before.start <= at_most)


def assigned_numbers(count: int, groups: Sequence[Collection[int]]) -> list[list[int]]:
    """Give each of the numbers from 1 to `count` to one group: the first that claims it, else the nearest one's.

    Numbers outside that range are passed over; with no group at all there is nothing to give to.
    """
    owner: dict[int, int] = {}
    for place, group in enumerate(groups):
        for number in group:
            if 1 <= number <= count:
                owner.setdefault(number, place)
    if not owner:
        return [list(range(1, count + 1)) if place == 0 else [] for place in range(len(groups))]
    claimed = sorted(owner)
    given: list[list[int]] = [[] for _ in groups]
    for number in range(1, count + 1):
        # The one before wins a tie: what follows a passage more often belongs to it than what precedes one.
        place = bisect_left(claimed, number)
        nearest = min(claimed[max(0, place - 1) : place + 1], key=lambda other: (abs(other - number), other))
        given[owner[nearest]].append(number)
    return given


def stretches(spans: Sequence[Span], numbers: Sequence[int]) -> list[Span]:
    """Return what the numbered spans cover, with those that follow each other joined."""
    return _joined((spans[number - 1] for number in sorted(numbers)), lambda before, span: before.end == span.start)


_SMALL = 60
"""Sentences are numbered one by one, so that none is lost among others; only very short ones share a number."""

_CLAUSE_END = re.compile(r"(?:[，；、：]|[,;:](?=\s))\s*")


def pieces(text: str, *, longest: int = MAX_SEGMENT) -> list[str]:
    """Return a text in pieces of at most so many characters: whole sentences, else clauses, else words."""
    return [span.of(text).strip() for span in piece_spans(text, longest=longest)]


def piece_spans(text: str, *, longest: int = MAX_SEGMENT, joined: int | None = None) -> list[Span]:
    """Return where the pieces of a text stand; none is only white space, and together they hold all that is not.

    Sentences share a piece as long as it has at most `joined` characters: as many as a piece may have, unless given.
    """
    parts: list[Span] = []
    for sentence in sentences(text):
        parts += [sentence] if len(sentence.trimmed(text)) <= longest else _cut(text, sentence, longest)
    spans = [span.trimmed(text) for span in joined_within(parts, at_most=longest if joined is None else joined)]
    return [span for span in spans if len(span)]


def utterance_spans(utterances: Sequence[Utterance]) -> list[UtteranceSpan]:
    """Return the sentences of each utterance, in their order, small ones together."""
    return [
        UtteranceSpan(utterance=number, start=span.start, end=span.end)
        for number, said in enumerate(utterances)
        for span in piece_spans(said.text, joined=_SMALL)
    ]


def _cut(text: str, span: Span, longest: int) -> list[Span]:
    """Cut a sentence that is too long: after a clause if there is one, else a word, else a character."""
    body = span.of(text)
    clauses = [end.end() for end in _CLAUSE_END.finditer(body)]
    words, chars = word_boundaries(body), grapheme_boundaries(body)
    cuts = [0]
    while len(body) - cuts[-1] > longest:
        start, most = cuts[-1], cuts[-1] + longest
        # A clause that would leave less than a third of a piece is too little to stand alone.
        ends = (_last(clauses, most, after=start + longest // 3), _last(words, most, after=start))
        cuts.append(ends[0] or ends[1] or _last(chars, most, after=start) or most)
    return [Span(span.start + start, span.start + end) for start, end in pairwise([*cuts, len(body)])]


def _last(borders: Sequence[int], most: int, *, after: int) -> int | None:
    """Return the last border up to `most`, unless it is not beyond `after`."""
    place = bisect_right(borders, most)
    return borders[place - 1] if place and borders[place - 1] > after else None
