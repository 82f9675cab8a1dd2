"""A statement on what another text is about, held against all of that text: whether it is told otherwise there.

Whoever words a thing anew keeps its name and what is counted, made or dated, and little else: "It was N who wrote X"
beside "X is a book written by M". So the words of a statement are looked for around each value of the text, in whatever
order. A value that the text has anywhere agrees with it, and what it does not speak of it leaves open.

Of contradictions written by hand without knowing the rules, in the half not looked at, 25 of 40 English and 6 of 20
Chinese ones are found, where laying sentences side by side found 6 and 3; among the documents of 100 tasks, pair by
pair, no false conflict came of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from remanent.language.offline.claims import NAMING, ParsedClaim, Token, TokenKind
from remanent.language.offline.comparison import (
    MEASURED,
    Difference,
    DifferenceKind,
    are_alike,
    are_opposites,
    attributes_of,
    differ_in_amount,
    differ_in_time,
    is_equal,
    is_land,
    name_runs,
    plain_forms,
)
from remanent.language.offline.judgement import CONFLICT, Judgement, are_of_two_periods
from remanent.language.offline.lexicon import lexicon
from remanent.language.offline.values import whens
from remanent.lightweight import dataclass
from remanent.text.regex import lazy_regex

_HALF = 0.5
"""The share of its own words that a statement must have in common with the sentence that it contradicts, and of what it
denies that the sentence must say. On 111 contradictions written by hand, .5, .6 and .67 found the same but for one; .8
lost four denials."""
_QUARTER = 0.25
"""The same where both count one thing (41 runs, 9 runs) or speak of one attribute: .5 lost three of the 111, without it
one of 100 public tasks had a false conflict."""
_LONGEST = 18
"""Words of a statement at most: what says more is a text of its own, and agrees in some of them by chance. None of the
111 is longer; without it two of 100 public tasks and one of 26 groups of Chinese passages had a false conflict."""
_LONGEST_NAME = 32
"""Characters of a name that a text begins with, or says itself (简称): as many as `_ALIAS` reads; a longer one is a
clause. Chosen by hand."""
_SHORTEST = 4
"""Characters of a part of a Chinese name that is understood as all of it: two words of two characters."""
_PREPOSITION = lazy_regex(
    r"\b(in|at|near|on|to|for|with|into|of|from|under|against|behind|over|as|than|like|before|after)(?: the| an?)?"
    r"\s+[\"“]?\Z",
    re.IGNORECASE,
)
"""What stands before a name says what part it has; whoever does something is named with "by", or with none."""
_SAYING_WHO = frozenset("由 被 是 为 叫 系 名叫 叫做".split())
_SAYING_WHERE = ("在", "于", "地处")
_BEING = frozenset("属于 算 作为".split())
_PLACES = ("省州邦郡府", "市县镇乡村区城")
_YEAR = lazy_regex(r"1\d{3}|20\d\d")
_PLAIN_MEASURES = frozenset("个 名 位 人 次 项 件 people person".split()) | {""}
_BORN_AND_DIED = 2
"""The years that a life is written as: 1871–1950."""
_OPEN_LIFE = ("-", "–", "—", "－", "~", "～")
_LISTING = lazy_regex(r"\s*[\"'“”]?(?:,|、|和|与|及|&|,?\s*and\b)\s*[\"'“”]?\s*")
_ALIAS = lazy_regex(r"(?:简称|又称|又名|或称|亦称|别称|俗称|通称)为?[《「“\"]?([^（(，,。；、是《》「」“”\"]{2,32})")
_OPENING = lazy_regex(r"[《「“\"]?([^（(，,。是《》」”\"]+?)(?=[（(，,。是《》」”\"]|[或又]称|位于|为)")


@dataclass(frozen=True, slots=True)
class Account:
    """A text on one thing: what that is called, and all that is said of it."""

    names: tuple[frozenset[str], ...]
    """By the keys of its words; of a Chinese one by its characters, since where its words end is a guess."""
    claims: tuple[ParsedClaim, ...]
    tokens: tuple[Token, ...]
    text: str
    lifetime: tuple[Token, ...] = ()
    """When who it is about was born and died, where it says so in parentheses behind the name."""


_OF_A_TALK = 3
"""One sentence in so many, or more, begins with who says it where people talk. Chosen by hand."""


def account_of(claims: Sequence[ParsedClaim]) -> Account | None:
    """Return a text as an account of what its title, or its first sentence, names; a talk is of nothing by itself."""
    if len(claims) < 2 or sum(bool(claim.speaker) for claim in claims) * _OF_A_TALK > len(claims):
        return None
    lifetime, claims = _with_lifetime(claims)
    tokens = tuple(token for claim in claims for token in claim.tokens)
    text = "\n".join(claim.text for claim in claims)
    if claims[0].language == "zh":
        opening = _OPENING.match(claims[0].text)
        called = [opening[1], *_ALIAS.findall(claims[0].text)] if opening else []
        names = [frozenset({name.strip()}) for name in called if 1 < len(name) <= _LONGEST_NAME]
    else:
        first = next((claim for claim in claims if claim.has_verb), claims[0])
        named = [token.key for token in first.subject if token.part is TokenKind.NAME and token.slot != "@"]
        names = [claims[0].title_name, frozenset(named) if claims[0].title and len(named) > 1 else frozenset()]
    names = [name for name in names if name]
    return Account(tuple(names), tuple(claims), tokens, text, lifetime) if names else None


def _with_lifetime(claims: Sequence[ParsedClaim]) -> tuple[tuple[Token, ...], Sequence[ParsedClaim]]:
    """Return the two dates behind the first name of a text, and the text without them: nothing else is told of them."""
    for place, claim in enumerate(claims[:2]):
        aside = [token for token in claim.tokens if token.when is not None and token.aside]
        split = [
            replace(token, text=part.strip(), when=when)
            for token in aside
            for part in re.split(r"\s*[–—－-]\s*", token.text)
            for when in whens(part, None)[:1]
        ]
        alive = len(split) == 1 and claim.text[aside[-1].end :].lstrip(" ").startswith(_OPEN_LIFE)
        if alive or len(split) == _BORN_AND_DIED:
            kept = replace(claim, tokens=tuple(token for token in claim.tokens if token not in aside))
            return tuple(split), [*claims[:place], kept, *claims[place + 1 :]]
    return (), claims


def disputed(claim: ParsedClaim, account: Account) -> tuple[int, Judgement] | None:
    """Return what a statement says otherwise than the account of the thing that it names, and the sentence's place.

    A value that another sentence of the account gives in as many of the same words agrees with the statement: of 92
    true paraphrases four are called contradictions so, and seven were.
    """
    if not claim.has_verb or claim.is_question or claim.is_conditional or len(claim.tokens) > _LONGEST:
        return None
    own = _own(claim, account)
    if not own:
        return None
    if (life := _other_lifetime(own, account, claim)) is not None:
        return life
    for place, said in enumerate(account.claims):
        if (
            not said.has_verb
            or (place == 0 and said.title)
            or said.is_question
            or said.is_conditional
            or said.language != claim.language
        ):
            continue
        differences = _differences(claim, own, said, account)
        found = next((one for one in differences if not are_of_two_periods(claim, said, one)), None)
        if found is not None:
            return place, Judgement(CONFLICT, found, claim.is_change or said.is_change)
    return None


def _other_lifetime(own: Sequence[Token], account: Account, claim: ParsedClaim) -> tuple[int, Judgement] | None:
    told = attributes_of(own, claim.language)
    times = [token for token in own if token.when is not None and not token.denied]
    for attribute, known in zip(("birthday", "death"), account.lifetime, strict=False):
        if attribute in told and len(times) == 1 and _are_two_times(times[0], known):
            place = next(place for place, said in enumerate(account.claims) if known.text in said.text)
            return place, Judgement(CONFLICT, Difference(DifferenceKind.TIME, (times[0],), (known,)))
    return None


def _are_two_times(one: Token, other: Token) -> bool:
    return differ_in_time(one, other) and not is_equal(one, other)


def _own(claim: ParsedClaim, account: Account) -> list[Token]:
    """Return what a statement says beside the name of the thing; nothing where it does not name it."""
    spoken = [token for token in claim.tokens if token.slot != "@"]
    if claim.language == "zh":
        spans = [span for name in account.names for span in [_named(next(iter(name)), claim.text)] if span]
        spans = sorted(spans, key=lambda span: span[0] - span[1])  # the longest of its names
        return [token for token in spoken if not spans[0][0] <= token.start < spans[0][1]] if spans else []
    title = account.claims[0].title
    keys = {token.key for token in (claim.tokens if claim.title == title else spoken)}
    name = next((name for name in account.names if name <= keys), None)
    named = [frozenset(token.key for token in run) - {"the"} for run in name_runs(spoken)]  # The Hireling Shepherd
    runs = [run for run in named if name is not None and not run.isdisjoint(name)]
    if name is None or (runs and not any(run <= name | title for run in runs)):
        return []  # Holly Audrey Williams is no Audrey Williams
    other = claim.title != title and not keys <= claim.title  # a statement alone may look like its own title
    if claim.title and other and not {token.key for token in claim.subject} <= name:
        return []  # a text on something else that does not speak of this one
    return [token for token in spoken if token.key not in name | title]


def _named(name: str, text: str) -> tuple[int, int] | None:
    """Return where a Chinese text has a name: in full, its last part, its beginning, or what people shorten it to."""
    for form in (name, *re.split("[·・ ]", name)[-1:], *([name[:-1]] if len(name) > 2 else [])):
        if len(form) > 1 and (at := text.find(form)) >= 0:
            return at, at + len(form)
    return _shortened(name, text) or next(
        ((at, at + end) for end in range(len(name) - 2, _SHORTEST - 1, -1) if (at := text.find(name[:end])) >= 0), None
    )


def _shortened(name: str, text: str) -> tuple[int, int] | None:
    """Return where a Chinese text has the end of a name, with an earlier part of it before that or long by itself.

    A Chinese text gives the long name once, with 简称 or 又名 behind it, and goes on with a part of it; statements that
    use that part were held against nothing.
    """
    end = text.find(name[-2:]) + 2
    if end < 2:
        return None
    last = end - 2
    while last and name.endswith(text[last - 1 : end]):
        last -= 1
    first = last
    while first and text[first - 1 : last] in name[: len(name) - (end - last)]:
        first -= 1
    if last - first > 1 and end - first >= _SHORTEST:
        return first, end
    return (last, end) if end - last >= _SHORTEST else None


def _differences(claim: ParsedClaim, own: Sequence[Token], said: ParsedClaim, account: Account) -> Iterator[Difference]:
    """Yield what a statement says otherwise than one sentence of an account."""
    facing = _beside(said, account)
    yield from _denials(own, facing, claim, said)
    words = _unknown([(t,) for t in own if t.part is TokenKind.WORD and not t.denied], account.tokens)
    for one, other in product(words, _unknown([(t,) for t in facing if t.part is TokenKind.WORD and not t.denied], ())):
        if are_opposites(one[0].key, other[0].key) and _tells_of(own, one, said, other, account):
            yield Difference(DifferenceKind.OPPOSITE, one, other)
    for kind, part in ((DifferenceKind.AMOUNT, TokenKind.AMOUNT), (DifferenceKind.TIME, TokenKind.TIME)):
        values = _unknown([(t,) for t in own if t.part is part and not t.denied], account.tokens)
        for one, other in product(values, _unknown([(t,) for t in facing if t.part is part], claim.tokens)):
            if _is_one_measure(one[0], other[0], claim, said) and _tells_of(own, one, said, other, account):
                yield Difference(kind, one, other)
    for one, other in product(
        _single(_names([t for t in own if not t.denied], claim), account.tokens, claim),
        _single(_names(facing, said), claim.tokens, said),
    ):
        fresh = claim.text[one[0].start : one[-1].end] not in account.text
        alike = _part(one, claim, said) == _part(other, said, claim) and _are_of_one_part(own, claim, facing, said)
        if fresh and alike and is_land(one) == is_land(other) and _tells_of(own, one, said, other, account):
            yield Difference(DifferenceKind.NAME, one, other)


def _single(runs: Sequence[Sequence[Token]], tokens: Sequence[Token], claim: ParsedClaim) -> list[tuple[Token, ...]]:
    """Return the names that the other side has not, without those of a list: such a list never has all."""
    return [run for run in _unknown(runs, tokens) if not any(_are_listed(run, other, claim) for other in runs)]


def _unknown(values: Sequence[Sequence[Token]], tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    """Return the values that the other side has not; of two people, one name may be the same."""
    return [tuple(value) for value in values if not _are_known(value, tokens)]


def _are_known(value: Sequence[Token], tokens: Sequence[Token]) -> bool:
    known = [any(_is_known(token, other) for other in tokens) for token in value]
    # A Chinese name of several words goes from the larger to the smaller: the province before the town.
    return 2 * sum(known) >= len(known) if value[0].text.isascii() else known[-1]


def _is_known(token: Token, other: Token) -> bool:
    """Tell whether another token says the same; a year says nothing of a day in it, nor of a time from year to year."""
    one, when = token.when, other.when
    if token.part is TokenKind.NAME and not token.text.isascii():  # not by what sort it is of: 大学 is no 北京大学
        return token.key.startswith(other.key) or other.key.startswith(token.key)
    if one is None or when is None:
        return are_alike(token, other)
    exact = one.is_range == when.is_range and when.finish - when.begin <= one.finish - one.begin
    return exact and one.comparable(when) and one.agrees(when)


def _names(tokens: Sequence[Token], claim: ParsedClaim) -> list[list[Token]]:
    """Return the names among tokens, without those that only say of what sort the next word is: an American writer."""
    found = []
    for run in name_runs(tokens):
        after = next((token for token in claim.tokens if token.place == run[-1].place + 1), None)
        sort = after is not None and after.part is TokenKind.WORD and not after.is_verb and claim.language == "en"
        if not (sort and after is not None and claim.text[run[-1].end : after.start] == " "):
            found.append(run)
    return found


def _is_one_measure(one: Token, other: Token, first: ParsedClaim, second: ParsedClaim) -> bool:
    if one.amount is not None and other.amount is not None:
        if one.amount.dimension == "ordinal" or (_YEAR.fullmatch(one.text) and _YEAR.fullmatch(other.text)):
            return False  # the first in one respect, the sixth in another; the 1979 election
        return differ_in_amount(one, other, first, second)
    return _are_two_times(one, other)


def _part(run: Sequence[Token], claim: ParsedClaim, other: ParsedClaim) -> str:
    if claim.language == "zh":
        slot, where = run[0].slot, run[0].slot.endswith(_SAYING_WHERE)
        same = any(word in other.text for word in (_SAYING_WHERE if where else (slot,)))
        return "" if slot in _SAYING_WHO or same else slot or "@"
    before = _PREPOSITION.search(claim.text[max(0, run[0].start - 16) : run[0].start])
    part = before[1] if before else ""
    named = part in {"after", "from"} and any(token.key == "name" for token in claim.tokens)
    return "" if named else part.lower()


def _are_of_one_part(own: Sequence[Token], claim: ParsedClaim, facing: Sequence[Token], said: ParsedClaim) -> bool:
    """Tell whether both speak of the thing itself, or of one part of it: the music of a film is not the film.

    Where a Chinese subject ends is a guess, so that nothing is told by it.
    """
    if claim.language == "zh":
        return True
    for tokens, one, others, other in ((own, claim, facing, said), (facing, said, own, claim)):
        subject = [token for token in tokens if token in one.subject and token.part is TokenKind.WORD]
        if subject and not _is_said(subject[-1], others, other):
            return False
    return True


def _are_listed(run: Sequence[Token], other: Sequence[Token], said: ParsedClaim) -> bool:
    """Tell whether two names stand beside each other in a list."""
    if run[0].start == other[0].start:
        return False
    first, last = sorted((run, other), key=lambda names: names[0].start)
    return _LISTING.fullmatch(said.text[first[-1].end : last[0].start]) is not None


def _tells_of(
    own: Sequence[Token], one: Sequence[Token], said: ParsedClaim, other: Sequence[Token], account: Account
) -> bool:
    """Tell whether two values are of one thing, by the words that both sentences have, or an attribute of both.

    Where both speak of one attribute a quarter of the words is enough: with it 65 % of the Chinese contradictions of
    other hands are found that nobody had looked at, and 30 % were before (n = 20).
    """
    facing = _beside(said, account)
    rest = [token for token in facing if token not in other]
    frame = [token for token in own if token.part in NAMING and token not in one]
    held = [token for token in frame if _is_said(token, rest, said)]
    # A name that another sentence has is agreed upon, and says nothing of this one.
    frame = [
        token
        for token in frame
        if token.part is TokenKind.WORD or token in held or not any(are_alike(token, other) for other in account.tokens)
    ]
    telling = any(token.part is TokenKind.WORD or one[0].when is None for token in held)
    counted = one[0].amount is not None and _counted(one[0], own) == _counted(other[0], facing) != ""
    counted = counted or not _spoken(frame, said).isdisjoint(_spoken(rest, said))
    if not frame and one[0].part is TokenKind.NAME:
        return _are_places(one, other) and "venue" in _spoken(rest, said)
    return telling and len(held) >= (_QUARTER if counted else _HALF) * len(frame)


def _are_places(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Tell whether two Chinese names say where something is, one as exactly as the other: which town, or province."""
    sorts = [{sort for token in run for sort in _PLACES if token.text[-1] in sort} for run in (one, other)]
    return one[0].slot.endswith(_SAYING_WHERE) and not sorts[0].isdisjoint(sorts[1])


def _spoken(tokens: Sequence[Token], said: ParsedClaim) -> frozenset[str]:
    return attributes_of(tokens, said.language) & _ATTRIBUTES


def _beside(said: ParsedClaim, account: Account) -> list[Token]:
    """Return what a sentence of an account says beside the name of what it is about."""
    name = account.claims[0].title.union(*account.names)
    if said.language == "zh":
        return [token for token in said.tokens if not any(token.text in one for one in name)]
    return [token for token in said.tokens if token.key not in name]


def _counted(value: Token, tokens: Sequence[Token]) -> str:
    """Return what a number counts: its own measure word, or the word right after it."""
    if value.amount is not None and value.amount.dimension == "count" and value.amount.unit not in _PLAIN_MEASURES:
        return value.amount.unit
    return next((token.key for token in tokens if token.place == value.place + 1 and token.start <= value.end + 1), "")


def _is_said(token: Token, tokens: Sequence[Token], said: ParsedClaim) -> bool:
    """Tell whether a sentence has a word, one of its root, or one that speaks of the same attribute."""
    spoken = lexicon(said.language).attributes
    names = spoken.get(token.key, frozenset()) & _ATTRIBUTES
    return (
        _match(token, tokens) is not None
        or any(names & spoken.get(other.key, frozenset()) for other in tokens)
        or (said.language == "zh" and len(token.text) > 1 and token.text in said.text)
    )


_ATTRIBUTES = MEASURED | {"birthday", "date", "venue", "headquarters", "birthplace", "designer", "distance", "capital"}


def _denials(
    own: Sequence[Token], facing: Sequence[Token], claim: ParsedClaim, said: ParsedClaim
) -> Iterator[Difference]:
    """Yield what one side denies and the other says."""
    for one, other, text in ((own, facing, said), (facing, own, claim)):
        denied = [
            t for t in one if t.denied and not t.former and t.part is not TokenKind.PERSON and t.key not in _BEING
        ]
        pairs = [(token, match) for token in denied for match in [_match(token, other)] if match is not None]
        places = [token for token in denied if _is_said(token, other, text)]
        if not any(token.part in NAMING for token in places) or len(places) <= _HALF * len(denied):
            continue
        words = [token for token in own if token.part in NAMING]
        held = sum(_is_said(token, facing, said) for token in words)  # of the statement by the sentence
        agreed = one is own or (bool(words) and held >= _HALF * len(words))
        if agreed and not any(match.denied for _, match in pairs):
            sides = tuple(places), tuple(b for _, b in pairs)
            yield Difference(DifferenceKind.DENIAL, *(sides if one is own else sides[::-1]))


def _match(token: Token, tokens: Sequence[Token]) -> Token | None:
    forms = set(plain_forms(token.key))
    return next((o for o in tokens if are_alike(token, o) or not forms.isdisjoint(plain_forms(o.key))), None)
