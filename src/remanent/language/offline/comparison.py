"""Two claims side by side: what they share, where they say different things, and what only one of them says."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from remanent.language.offline.claims import ParsedClaim, Token, TokenKind, reread
from remanent.language.offline.lexicon import Lexicon, Polarity
from remanent.text.chinese import is_known

# Words of one root share a beginning: so many letters, and so much of the longer one. Chosen by hand: shorter, and
# "inter-" would be a root; longer, and "design" and "designer" would have none.
_ROOT = 5
_ROOT_SHARE = 0.6
# Sorts of values that are said of the word after them: a red shirt is no blue shirt, and may well be with a blue hat.
MODIFIERS = frozenset("colour material theme age nationality continent 颜色 主题".split())
# They say what sort of thing a value is, and are none.
SORTS = frozenset("city town country place company person people thing kind 城市 国家 地方 公司 人 东西 方式".split())
# They only say that something is somewhere.
PLACING = frozenset("locat situat stand 坐落 位于 建 建在 设 设在".split())
# What the words for them are used for besides: to take is no dose in every sentence.
WEAK = frozenset("drink language commute launch dose duration size price date deadline color joined data".split())
# Their values are amounts, or times: no name and no other word is one.
_AMOUNTS = frozenset(
    "length width depth area altitude diameter population visitors capacity speed revenue staff holdings price salary "
    "size age weight height dose duration pages".split()
)
_TIMES = frozenset("founding opening operation publication".split())
# A value has so many words at most; where more differ, the claims are about different things.
_FEW = 2
_DENYING_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-")
_SAYING = frozenset({TokenKind.WORD, TokenKind.NAME, TokenKind.AMOUNT})


Fits = Callable[[Token, Token], bool]


class DifferenceKind(StrEnum):
    """In what two claims differ."""

    DENIAL = "denial"
    """One denies what the other says."""
    OPPOSITE = "opposite"
    """Words of opposite meaning."""
    GROUP = "group"
    """Two values of a sort of which a thing has one at a time."""
    AMOUNT = "amount"
    TIME = "time"
    NAME = "name"
    WORD = "word"


_NOUNS: dict[DifferenceKind, frozenset[str]] = {
    DifferenceKind.TIME: frozenset(
        "date day time hour year schedul plan tak place 日期 时间 日子 安排 时候 有效期 年份".split()
    ),
    DifferenceKind.AMOUNT: frozenset(
        "number amount sum total level value figur capital size count age team member staff "
        "年龄 数量 数目 金额 总数 数额 家 时间 时长 长 团队 规模 人数 人".split()
    ),
    DifferenceKind.NAME: frozenset("name 名字 名称 姓名".split()),
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in which two claims differ."""

    kind: DifferenceKind
    one: tuple[Token, ...]
    other: tuple[Token, ...]
    cover: float = 1.0
    """For a denial: the share of what is denied that the other claim says."""
    strict: bool = True
    """For opposites: whether one of the two always holds."""

    @property
    def is_adjunct(self) -> bool:
        """Whether both sides only say when or for whom the rest holds."""
        return all(token.adjunct for token in (*self.one, *self.other))

    @property
    def is_opening(self) -> bool:
        """Whether both sides stand before the verb: then the two claims speak of different things."""
        return all(token.opening for token in (*self.one, *self.other))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two claims have in common and what not."""

    one: ParsedClaim
    other: ParsedClaim
    shared: tuple[tuple[Token, Token], ...]
    differences: tuple[Difference, ...]
    left_one: tuple[Token, ...]
    """Words of the first claim that nothing in the other answers to; the same for the second below."""
    left_other: tuple[Token, ...]
    attributes: frozenset[str]
    """What both speak of: residence, price, name."""
    is_scoped: bool = False
    """Whether they speak of opposite things or times: the old contract and the new one, before and after."""


def compare(one: ParsedClaim, other: ParsedClaim) -> Comparison:
    """Lay two claims side by side."""
    one, other = reread(one, other)
    words = one.lexicon
    shared = _align(one.tokens, other.tokens, words)
    rest_one = _without(one.tokens, (token for token, _ in shared))
    rest_other = _without(other.tokens, (token for _, token in shared))
    attributes = _attributes(one) & _attributes(other)
    opposites, agreements, alike = _opposites(one, other, words)
    differences = [] if agreements else _denials(one, other, shared, attributes)
    scopes = [found for found in opposites if found.is_opening or found.one[0].key in words.scopes]
    differences += [found for found in opposites if found not in scopes][:1]
    taken = [token for pair in (*agreements, *alike) for token in pair]
    taken += [token for found in (*differences, *scopes) for token in (*found.one, *found.other)]
    values, rest_one, rest_other = _values(
        _without(rest_one, taken),
        _without(rest_other, taken),
        lambda a, b: _groups_differ(a, b, one, other),
        loosely=bool(attributes) or (one.is_definition and other.is_definition),
    )
    rest_one, rest_other = _unplaced(_unspoken(rest_one, words, attributes), _unspoken(rest_other, words, attributes))
    kinds = {value.kind for value in values}
    rest_one, rest_other = _without_nouns(rest_one, kinds), _without_nouns(rest_other, kinds)
    defined = one.is_definition and other.is_definition
    differences += values or _word_difference(rest_one, rest_other, shared, defined=defined, attributes=attributes)
    return Comparison(one, other, tuple(shared), tuple(differences), rest_one, rest_other, attributes, bool(scopes))


def named(attributes: frozenset[str]) -> frozenset[str]:
    """Return the attributes whose values are neither amounts nor times."""
    return attributes - _AMOUNTS - _TIMES


def _without(tokens: Iterable[Token], taken: Iterable[Token]) -> tuple[Token, ...]:
    gone = {id(token) for token in taken}
    return tuple(token for token in tokens if id(token) not in gone)


def _unspoken(tokens: Iterable[Token], words: Lexicon, attributes: frozenset[str]) -> tuple[Token, ...]:
    """Leave out the words that only say that something changed, or which attribute both claims speak of."""
    return tuple(
        token
        for token in tokens
        if not token.is_change and not words.attributes.get(token.key, frozenset()) & attributes
    )


def _unplaced(one: tuple[Token, ...], other: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Token, ...]]:
    """Leave out the words that only say that something is somewhere, where nothing else is said: is in the city of."""
    if all(_says_where(token) or token.part is not TokenKind.WORD for token in (*one, *other)):
        one, other = (tuple(token for token in side if not _says_where(token)) for side in (one, other))
    return one, other


def _says_where(token: Token) -> bool:
    return not token.opening and (token.key in PLACING or token.key in SORTS)


def _without_nouns(tokens: Iterable[Token], kinds: set[DifferenceKind]) -> tuple[Token, ...]:
    """Leave out the words that only say of what sort a value is: the date of something is when it is."""
    nouns = {noun for kind in kinds for noun in _NOUNS.get(kind, ())}
    return tuple(token for token in tokens if token.key not in nouns)


# ── what is shared ───────────────────────────────────────────────────────────


def _align(one: Sequence[Token], other: Sequence[Token], words: Lexicon) -> list[tuple[Token, Token]]:
    """Pair tokens that say the same: equal ones first, then those of one root, then a kind of what is denied."""
    shared: list[tuple[Token, Token]] = []
    free_one, free_other = list(one), list(other)
    for same in (_equal, lambda a, b: _of_one_root(a, b, words), lambda a, b: _denied_kind(a, b, words)):
        for token in list(free_one):
            match = next((candidate for candidate in free_other if same(token, candidate)), None)
            if match is not None:
                shared.append((token, match))
                free_one.remove(token)
                free_other.remove(match)
    return shared


def _equal(one: Token, other: Token) -> bool:
    if one.amount is not None and other.amount is not None:
        return one.amount.agrees(other.amount)
    if one.when is not None and other.when is not None:
        # The same words are no difference, even where "the weekend" was another one each time.
        return one.key == other.key or one.when.agrees(other.when)
    return one.key == other.key and one.amount is None and other.amount is None


def _denied_kind(one: Token, other: Token, words: Lexicon) -> bool:
    """Tell whether one denies what the other says a kind of: who has no siblings has no brother."""
    for denied, said in ((one, other), (other, one)):
        if denied.denied and not said.denied and words.kinds.get(said.key) == denied.key:
            return True
    return False


def _of_one_root(one: Token, other: Token, words: Lexicon) -> bool:
    if not {one.part, other.part} <= {TokenKind.WORD, TokenKind.NAME}:
        return False
    first, second = one.key, other.key
    if not first.isascii() or not second.isascii():
        if {first, second} <= words.unique_holder and first[:2] == second[:2]:
            return True  # 设计, 设计者
        if one.part is other.part is TokenKind.NAME and (first.startswith(second) or second.startswith(first)):
            return True  # 李老师 is 李, and where a name ends is a guess
        shorter, longer = sorted((first, second), key=len)
        # 儿子 is in 大儿子, 环境 in 测试环境, and yet others: what comes before them tells them apart.
        rest = longer.removesuffix(shorter)
        return (
            len(shorter) > 1
            and shorter in longer
            and rest not in words.known
            and not (len(rest) > 1 and is_known(rest))
        )
    if any(sign.isdigit() for sign in first + second):
        return False
    alike = next((place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    alike = min(len(first), len(second)) if alike is None else alike
    return alike >= _ROOT and alike >= _ROOT_SHARE * max(len(first), len(second))


def _attributes(claim: ParsedClaim) -> frozenset[str]:
    """Return what a claim speaks of; of a name's words those as they stand: an Elementary is a school, and yet
    Brastad Shipping need not ship."""
    attributes = claim.lexicon.attributes
    speaking = (
        token for token in claim.tokens if token.part is not TokenKind.NAME or len(token.text) <= len(token.key) + 1
    )
    return frozenset(name for token in speaking for name in attributes.get(token.key, ()))


# ── yes and no ───────────────────────────────────────────────────────────────


def _says(token: Token) -> bool:
    """Tell whether a token is something that can be denied; a time is when something changed from it."""
    return token.part in _SAYING or (token.part is TokenKind.TIME and token.former)


def _denials(
    one: ParsedClaim, other: ParsedClaim, shared: Sequence[tuple[Token, Token]], attributes: frozenset[str]
) -> list[Difference]:
    """Return what one claim denies and the other says, unless they agree in denying something."""
    words = one.lexicon
    if any(first.denied and second.denied for first, second in shared):
        return []
    found = []
    for claim, side in ((one, 0), (other, 1)):
        said = [pair for pair in shared if pair[side].denied and not pair[1 - side].denied and _says(pair[side])]
        if not said:
            continue
        clauses = {pair[side].clause for pair in said}
        covered = {id(pair[side]) for pair in said}
        denied = [token for token in claim.tokens if token.denied and token.clause in clauses and token.part in _SAYING]
        known = {pair[1 - side].key for pair in shared}
        open_ones = [
            token
            for token in denied
            if id(token) not in covered
            and not (token.former and words.attributes.get(token.key))  # the work of a nurse, given up
            and token.key not in known  # said in another clause, too: takes the tram, does not take the bus
            and not words.attributes.get(token.key, frozenset()) & attributes
        ]
        cover = len(said) / (len(said) + len(open_ones))
        found.append(
            Difference(DifferenceKind.DENIAL, tuple(pair[0] for pair in said), tuple(pair[1] for pair in said), cover)
        )
    return found


def _opposites(
    one: ParsedClaim, other: ParsedClaim, words: Lexicon
) -> tuple[list[Difference], list[tuple[Token, Token]], list[tuple[Token, Token]]]:
    """Return words that say yes and no to a matter, their own denials counted in; then those that agree on one.

    Some agree although one of them is denied (closed, not open), others plainly (open, outdoors in the garden).
    """
    found: list[Difference] = []
    agreed: list[tuple[Token, Token]] = []
    alike: list[tuple[Token, Token]] = []
    for first in one.tokens:
        for second in other.tokens:
            if first.key == second.key or first.former != second.former:
                continue
            for yes, no in _matters(first.key, second.key, words):
                opposite = (yes.sign * (-1) ** first.denied) != (no.sign * (-1) ** second.denied)
                if not opposite and first.denied != second.denied:
                    agreed.append((first, second))
                elif not opposite:
                    alike.append((first, second))
                elif opposite and (yes.strict or not (first.denied and second.denied)):
                    found.append(Difference(DifferenceKind.OPPOSITE, (first,), (second,), strict=yes.strict))
    return found, agreed, alike


def _matters(one: str, other: str, words: Lexicon) -> Iterator[tuple[Polarity, Polarity]]:
    """Yield what two words say about the matters that both speak of; a word and its un- form speak of one."""
    for yes in words.polar.get(one, ()):
        for no in words.polar.get(other, ()):
            if yes.matter == no.matter:
                yield yes, no
    first, dash, tail = one.partition("-")
    second, _, other_tail = other.partition("-")
    if dash and tail == other_tail:
        yield from _matters(first, second, words)  # left-handed, right-handed
    for prefix in _DENYING_PREFIXES:
        if one == prefix + other:
            yield Polarity(other, -1, True), Polarity(other, 1, True)
        elif other == prefix + one:
            yield Polarity(one, 1, True), Polarity(one, -1, True)


# ── values ───────────────────────────────────────────────────────────────────


def _values(
    one: tuple[Token, ...], other: tuple[Token, ...], groups: Fits, *, loosely: bool
) -> tuple[list[Difference], tuple[Token, ...], tuple[Token, ...]]:
    """Pair what only the first says with what only the second says, sort by sort; what is denied is no value."""
    found: list[Difference] = []
    rest_one = [token for token in one if not token.denied]
    rest_other = [token for token in other if not token.denied]
    judges: list[tuple[DifferenceKind, Fits]] = [
        (DifferenceKind.AMOUNT, _amounts_differ),
        (DifferenceKind.AMOUNT, lambda a, b: loosely and _amounts_differ(a, b, loosely=True)),
        (DifferenceKind.TIME, _times_differ),
        (DifferenceKind.GROUP, groups),
    ]
    for kind, fits in judges:
        for token in list(rest_one):
            match = next((candidate for candidate in rest_other if fits(token, candidate)), None)
            if match is not None:
                found.append(Difference(kind, (token,), (match,)))
                rest_one.remove(token)
                rest_other.remove(match)
    for run, other_run in _facing(_runs(rest_one, TokenKind.NAME), _runs(rest_other, TokenKind.NAME)):
        found.append(Difference(DifferenceKind.NAME, tuple(run), tuple(other_run)))
        rest_one = [token for token in rest_one if token not in run]
        rest_other = [token for token in rest_other if token not in other_run]
    found = _as_phrase(found) if len(found) > 1 else found
    return found, tuple(rest_one), tuple(rest_other)


def _as_phrase(found: list[Difference]) -> list[Difference]:
    """Take differences that follow each other after the verb for one: a 2018 Corolla, a 2021 Model 3."""
    ordered = sorted(found, key=lambda difference: difference.one[0].place)
    for before, after in pairwise(ordered):
        near = (
            after.one[0].place - before.one[-1].place <= 1 and abs(after.other[0].place - before.other[-1].place) <= 1
        )
        if not near or before.is_opening or after.is_opening:
            return found
    one = tuple(token for difference in ordered for token in difference.one)
    other = tuple(token for difference in ordered for token in difference.other)
    kind = (
        DifferenceKind.NAME
        if any(difference.kind is DifferenceKind.NAME for difference in ordered)
        else ordered[-1].kind
    )
    return [Difference(kind, one, other)]


def _amounts_differ(one: Token, other: Token, *, loosely: bool = False) -> bool:
    return one.amount is not None and other.amount is not None and one.amount.differs(other.amount, loosely=loosely)


def _times_differ(one: Token, other: Token) -> bool:
    return one.when is not None and other.when is not None and one.when.differs(other.when)


def _groups_differ(first: Token, second: Token, one: ParsedClaim, other: ParsedClaim) -> bool:
    """Tell whether two words are different values of one sort, of the same thing, and no value is in both claims."""
    words = one.lexicon
    values, others = words.groups.get(first.key, {}), words.groups.get(second.key, {})
    for name in values.keys() & others.keys():
        if name == "posture" and (one.is_placed or other.is_placed):
            continue  # a tower that stands somewhere does not stand instead of lying
        if _group_values(one, name) & _group_values(other, name):
            continue
        if name not in MODIFIERS or _heads(first, one) & _heads(second, other):
            return True
    return False


def _group_values(claim: ParsedClaim, name: str) -> set[int]:
    words = claim.lexicon
    return {values[name] for token in claim.tokens if name in (values := words.groups.get(token.key, {}))}


def _heads(token: Token, claim: ParsedClaim) -> set[str]:
    """Return what a word of quality may be said of: the next word, or what stands before the verb."""
    following = claim.tokens[token.place + 1 : token.place + 2]
    if following and following[0].clause == token.clause:
        return {following[0].key}
    return {before.key for before in claim.tokens[: token.place] if before.opening and before.clause == token.clause}


def _runs(tokens: Sequence[Token], part: TokenKind) -> list[list[Token]]:
    runs: list[list[Token]] = []
    for token in tokens:
        if token.part is not part:
            continue
        last = runs[-1][-1] if runs else None
        if last is not None and last.place + 1 == token.place and last.opening == token.opening:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _facing(one: list[list[Token]], other: list[list[Token]]) -> list[tuple[list[Token], list[Token]]]:
    """Pair runs that have the same part in their sentences: before the verb, or after it; then what is left over."""
    pairs: list[tuple[list[Token], list[Token]]] = []
    for opening in (True, False):
        sides = [[run for run in runs if run[0].opening is opening] for runs in (one, other)]
        pairs += zip(sides[0], sides[1], strict=False)
    rest_one = [run for run in one if all(run is not taken for taken, _ in pairs)]
    rest_other = [run for run in other if all(run is not taken for _, taken in pairs)]
    return [*pairs, *zip(rest_one, rest_other, strict=False)]


def _word_difference(
    one: Sequence[Token],
    other: Sequence[Token],
    shared: Sequence[tuple[Token, Token]],
    *,
    defined: bool,
    attributes: frozenset[str],
) -> list[Difference]:
    """Return the words that stand against each other where nothing else differs.

    They must have the same place in both claims, unless both claims speak of an attribute that has one value.
    """
    first = tuple(token for token in one if token.part is not TokenKind.PERSON)
    second = tuple(token for token in other if token.part is not TokenKind.PERSON)
    strong = bool(named(attributes) - WEAK) and bool(shared)
    if not (0 < len(first) <= _FEW + strong and 0 < len(second) <= _FEW + strong):
        return []
    if strong:
        found = (
            _may_be_values(first)
            and _may_be_values(second)
            and (defined or not (first[0].opening and second[0].opening))
        )
        return [Difference(DifferenceKind.WORD, first, second)] if found else []
    if any(token.part not in {TokenKind.WORD, TokenKind.NAME} for token in (*first, *second)):
        return []
    if not defined and any(token.is_verb for token in (*first, *second)):
        return []  # they say something else, not something else of the same
    if len({token.opening for token in (*first, *second)}) > 1:
        return []
    return [Difference(DifferenceKind.WORD, first, second)]


def _may_be_values(tokens: Sequence[Token]) -> bool:
    """Tell whether words that follow each other may be a value: no verb, no time alone, not far apart."""
    if any(token.is_verb or token.part is TokenKind.TIME or token.key in SORTS for token in tokens):
        return False
    if any(token.amount is not None and token.amount.unit not in {"楼", "层", "室", "号"} for token in tokens):
        return False  # so many of one thing and so many of another
    if len({token.opening for token in tokens}) > 1:
        return False  # what stands before the verb tells of what the value is: her favourite band, her favourite food
    return tokens[-1].place - tokens[0].place < len(tokens) + 1
