"""Two claims laid side by side: what both say, and the places in which they differ.

Words are paired, equal ones first, then those of one root. What only one claim says stands against what only the other
one says where the two are of one sort: a denial, an opposite, two amounts, times or names in one slot. Whether such a
difference is a contradiction is for `judgement.py` to say.

Comparing is what the time of reading a text goes to: tokens are told apart by identity, and words that cannot be
opposites or values are not looked at. A bank that reads 100,000 characters of minutes takes 6.6 s of processor time so,
and took 9.9 with every field compared.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import product

from remanent.bilingual import Language
from remanent.language.offline.claims import NAMING, ParsedClaim, Token, TokenKind
from remanent.language.offline.lexicon import LANDS, Lexicon, lexicon, stem
from remanent.lightweight import dataclass
from remanent.text.numbers import has_digit
from remanent.text.regex import lazy_regex

# Words of one root share a beginning: so many letters, and so much of the longer one. Chosen by hand.
_ROOT, _ROOT_SHARE = 5, 0.6
MEASURES = frozenset({TokenKind.AMOUNT, TokenKind.TIME})
"""What has an order or a size, and is compared by value and not by its words."""
# Sorts of values that are said of the word after them: a red shirt is no blue shirt, and may well be with a blue hat.
_MODIFIERS = frozenset("colour material theme age nationality continent 颜色 主题".split())
# Attributes whose values are amounts, or times: no name and no other word is one.
MEASURED = frozenset(
    "length width depth area altitude diameter population visitors capacity speed revenue staff holdings price salary "
    "size age weight height dose duration pages founding opening operation publication death graduation".split()
)
_DENYING_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-")
"""`_matters` asks for both words, with and without one: "under" is no denial, since nobody says "der"."""
# The share of what one claim denies that the other must say. Chosen by hand.
_DENIED = 0.6
# What stands right before a value that says what something is.
_BEING = lazy_regex(
    r"(?:\b(?:is|was|are|were|be|been|named|called|as) (?:now )?(?:an? |the )?|[是为叫](?:[做当]|一?[名位个])?)\Z",
    re.IGNORECASE,
)
# Sorts of which a thing has one value only where both speak of one attribute, or describe one scene.
_LOOSE = frozenset(
    "animal vehicle food drink instrument sport doing setting tool crowd mood meal posture sex job country 动物 交通 "
    "餐 饮料 乐器 运动 姿势 性别 职业 国家 天气 weather age".split()
)


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


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in which two claims differ."""

    kind: DifferenceKind
    one: tuple[Token, ...]
    other: tuple[Token, ...]

    @property
    def is_opening(self) -> bool:
        """Whether both sides stand before the verb."""
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


def compare(one: ParsedClaim, other: ParsedClaim) -> Comparison:
    """Lay two claims side by side.

    In this order, since each step takes words away from the next: what both say, opposites and denials, values of one
    sort, and only where none of these was found the few words that are left. Words that name the attribute both speak
    of count as said by both.
    """
    words = lexicon(one.language)
    shared = _align(one, other)
    shared += _held_by_class(one, other, shared)
    rest_one = _without(one.tokens, (token for token, _ in shared))
    rest_other = _without(other.tokens, (token for _, token in shared))
    attributes = claim_attributes(one) & claim_attributes(other)
    opposites, agreed = _opposites(one, other, words)
    differences = [] if agreed else _denials(one, other, shared, attributes)
    differences += opposites[:1]
    taken = [token for pair in agreed for token in pair]
    taken += [token for found in differences for token in (*found.one, *found.other)]
    values = list(_values(_without(rest_one, taken), _without(rest_other, taken), one, other))
    taken += [token for found in values for token in (*found.one, *found.other)]

    def spoken(tokens: Iterable[Token]) -> tuple[Token, ...]:
        return tuple(token for token in tokens if not words.attributes.get(token.key, frozenset()) & attributes)

    rest_one, rest_other = spoken(_without(rest_one, taken)), spoken(_without(rest_other, taken))
    agreed_values = any(first.part in MEASURES for first, _ in shared)
    if not values and not differences and not agreed_values:
        # Brastad Shipping ships nothing by its name alone, and whatever my boss does is not who my boss is.
        about = [
            first for first, second in shared if first.part is TokenKind.NAME or (first.opening and second.opening)
        ]
        told = attributes - MEASURED
        told -= attributes_of(about, one.language) - attributes_of(_without(one.tokens, about), one.language)
        values = _word_difference(rest_one, rest_other, one, other, loosely=bool(told))
    return Comparison(one, other, tuple(shared), (*differences, *values), rest_one, rest_other, attributes)


def _without(tokens: Iterable[Token], taken: Iterable[Token]) -> tuple[Token, ...]:
    gone = {id(token) for token in taken}
    return tuple(token for token in tokens if id(token) not in gone)


def claim_attributes(claim: ParsedClaim) -> frozenset[str]:
    """Return what a claim speaks of; where Chinese words end is a guess, so the longer ones are looked for."""
    groups, is_chinese = lexicon(claim.language).groups, claim.language == "zh"
    tokens = [token for token in claim.tokens if not _is_syllable(token, claim)] if is_chinese else claim.tokens
    spoken = attributes_of(tokens, claim.language)
    if any(one.key in groups and _JOBS & groups[one.key].keys() and _is_held(one, claim) for one in claim.tokens):
        spoken |= {"job"}
    if any(one.slot == "in" and one.part is TokenKind.NAME and _is_where(one, claim) for one in claim.tokens):
        spoken |= {"venue"}
    if is_chinese:
        text, longer = claim.text, _longer_words()
        return spoken.union(
            *(
                names
                for place, char in enumerate(text)
                for word, names in longer.get(char, ())
                if text.startswith(word, place)
            )
        )
    return spoken


@cache
def _longer_words() -> dict[str, list[tuple[str, frozenset[str]]]]:
    """Return the Chinese words of several characters that name an attribute, by their first: looking for each of four
    hundred in a sentence took a third of the time of comparing two.
    """
    found: dict[str, list[tuple[str, frozenset[str]]]] = {}
    for word, names in lexicon("zh").attributes.items():
        if len(word) > 1:
            found.setdefault(word[0], []).append((word, names))
    return found


_JOBS = frozenset({"job", "职业"})


def _is_held(token: Token, claim: ParsedClaim) -> bool:
    """Tell whether what somebody is called is what they are, or were: I am a pilot; 从护士转行."""
    return (token.former and token.slot in {"from", "从", "由"}) or is_defined(token, claim)


def _is_where(token: Token, claim: ParsedClaim) -> bool:
    """Tell whether a name behind "in" is where something stands: a museum stands in Turin, and in no other town."""
    before = claim.tokens[token.place - 1] if token.place else None
    return before is not None and before.is_verb and before.key in {"stand", "lie"}


def _is_syllable(token: Token, claim: ParsedClaim) -> bool:
    """Tell whether a character is one of a name that the segmenter does not know: 飞隼机器人 does not fly."""
    if not token.opening or len(token.text) > 1:
        return False
    beside = claim.tokens[max(0, token.place - 1) : token.place + 2]
    touching = (one for one in beside if one.end == token.start or one.start == token.end)
    return any(one.opening and len(one.text) == 1 for one in touching)


def attributes_of(tokens: Iterable[Token], language: Language) -> frozenset[str]:
    """Return the attributes that words may speak of, by their keys."""
    words = lexicon(language).attributes
    return frozenset(name for token in tokens for name in words.get(token.key, ()))


def _align(one: ParsedClaim, other: ParsedClaim) -> list[tuple[Token, Token]]:
    """Pair tokens that say the same: equal ones first, then those of one root.

    Values are equal by what they mean (3.4 km, 3,400 metres), everything else by its key; an equal word always goes
    before one of the same root, however far apart the two stand.
    """
    shared: list[tuple[Token, Token]] = []
    free = list(other.tokens)
    keys = {token.key for token in free}
    has_values = any(token.part in MEASURES for token in free)
    left: list[Token] = []
    for token in one.tokens:
        may = token.key in keys or (has_values and token.part in MEASURES)
        match = next((candidate for candidate in free if is_equal(token, candidate)), None) if may else None
        if match is None:
            left.append(token)
        else:
            shared.append((token, match))
            free.remove(match)
    for token in left:
        match = next((candidate for candidate in free if _of_one_root(token, candidate)), None)
        if match is not None:
            shared.append((token, match))
            free.remove(match)
    return shared


def _held_by_class(
    one: ParsedClaim, other: ParsedClaim, shared: Sequence[tuple[Token, Token]]
) -> list[tuple[Token, Token]]:
    """Pair what one claim says with the class of such things that the other denies: allergic to penicillin, no drug
    allergies. That a thing is denied denies nothing of its class.
    """
    taken = {id(token) for pair in shared for token in pair}
    classes = lexicon(one.language).classes
    found = []
    for first, second, is_turned in ((one, other, False), (other, one, True)):
        denied = [token for token in second.tokens if token.denied and token.key in classes and id(token) not in taken]
        for token in denied:
            text = first.text.casefold()
            spans = [found.span() for found in classes[token.key].finditer(text)]
            held = [
                said
                for said in first.tokens
                if not said.denied and id(said) not in taken and any(a < said.end and said.start < b for a, b in spans)
            ]
            found += [(token, said) if is_turned else (said, token) for said in held]
    return found


def are_alike(one: Token, other: Token) -> bool:
    """Tell whether two tokens say the same: equal ones, or two words of one root."""
    return is_equal(one, other) or _of_one_root(one, other)


def is_equal(one: Token, other: Token) -> bool:
    """Tell whether two tokens are one word, or amounts or times that agree in value however they are written."""
    if one.amount is not None and other.amount is not None:
        return one.amount.comparable(other.amount) and one.amount.agrees(other.amount)
    if one.amount is not None or other.amount is not None:
        return False
    if one.when is not None and other.when is not None:
        return one.key == other.key or (one.when.comparable(other.when) and one.when.agrees(other.when))
    return one.key == other.key


def _of_one_root(one: Token, other: Token) -> bool:
    first, second = one.key, other.key
    if first[:1] != second[:1] and first[-1:] != second[-1:]:
        return False  # most pairs, and there are many
    if one.part not in NAMING or other.part not in NAMING:
        return False
    if not first.isascii() or not second.isascii():
        shorter, longer = sorted((first, second), key=len)
        return len(shorter) > 1 and (longer.startswith(shorter) or longer.endswith(shorter))
    if first[:_ROOT] != second[:_ROOT] or has_digit(first + second):
        return False
    alike = next((place for place, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    alike = min(len(first), len(second)) if alike is None else alike
    return alike >= _ROOT and alike >= _ROOT_SHARE * max(len(first), len(second))


def _denials(
    one: ParsedClaim, other: ParsedClaim, shared: Sequence[tuple[Token, Token]], attributes: frozenset[str]
) -> list[Difference]:
    """Return what one claim denies and the other says, unless they agree in denying something."""
    said = [pair for pair in shared if pair[0].part is not TokenKind.PERSON]
    if any(first.denied and second.denied for first, second in said):
        return []
    parted = [pair for pair in said if pair[0].denied != pair[1].denied]
    if not parted or not any(_denies_shared((one, other), shared, side, attributes) for side in (0, 1)):
        return []
    return [Difference(DifferenceKind.DENIAL, tuple(pair[0] for pair in parted), tuple(pair[1] for pair in parted))]


def _denies_shared(
    claims: tuple[ParsedClaim, ParsedClaim],
    shared: Sequence[tuple[Token, Token]],
    side: int,
    attributes: frozenset[str],
) -> bool:
    """Tell whether what a claim denies first, and most of what it denies, is said by the other.

    What is denied is what follows the denial first: who does not mind spicy food does not deny the food. The verb of
    what is over need not be said where it only names what both speak of (her drink is tea, she no longer drinks tea),
    or stands behind what it is over with (从4月推迟).
    """
    words = lexicon(claims[side].language)
    both = {id(pair[side]) for pair in shared if pair[side].denied}
    said = {token.key for token in claims[side].tokens if not token.denied and token.is_verb}
    denied = [
        token
        for token in claims[side].tokens  # 现在住成都，不住哈尔滨: that one lives somewhere is not denied
        if token.denied and token.part is not TokenKind.PERSON and (id(token) in both or token.key not in said)
    ]
    own = {id(pair[1 - side]) for pair in shared}
    verbs = [token for token in claims[1 - side].tokens if token.is_verb and id(token) not in own]
    if all(words.attributes.get(token.key, frozenset()) & attributes for token in verbs):
        denied = [
            token
            for place, token in enumerate(denied)
            if id(token) in both
            or not (token.former or claims[side].is_change)
            or not (token.is_verb or words.attributes.get(token.key, frozenset()) & attributes)
            or not (place or words.attributes.get(token.key, frozenset()) & attributes)
        ]
    return bool(denied) and id(denied[0]) in both and len(both) >= _DENIED * len(denied)


def _opposites(
    one: ParsedClaim, other: ParsedClaim, words: Lexicon
) -> tuple[list[Difference], list[tuple[Token, Token]]]:
    """Return words that say yes and no to a matter, their own denials counted in, and those that agree on one.

    Twice denied is said: not open and closed agree. Of contraries neither need hold (hot, cold), so that to deny the
    one does not say the other: they count only where neither side is denied.
    """
    found: list[Difference] = []
    agreed: list[tuple[Token, Token]] = []
    sides = [[token for token in claim.tokens if token.part is TokenKind.WORD] for claim in (one, other)]
    # Only words of the tables have opposites, and those of which the other claim has the un- form.
    polar = [token for token in sides[1] if token.key in words.polar]
    by_key = {token.key: token for token in sides[1]}
    for first in sides[0]:
        forms = (form for prefix in _DENYING_PREFIXES for form in (prefix + first.key, first.key.removeprefix(prefix)))
        formed = [by_key[form] for form in forms if form in by_key]
        for second in (*(polar if first.key in words.polar else ()), *formed):
            if first.key == second.key or first.opening != second.opening:
                continue
            for yes, no in _matters(first.key, second.key, words):
                parted = (yes > 0) != (no > 0)
                if parted != (first.denied != second.denied):
                    if abs(yes) > 1 or not (first.denied or second.denied):
                        found.append(Difference(DifferenceKind.OPPOSITE, (first,), (second,)))
                elif first.denied != second.denied:
                    agreed.append((first, second))
    return found, agreed


def _matters(one: str, other: str, words: Lexicon) -> Iterator[tuple[int, int]]:
    """Yield what two words say about the matters that both speak of; a word and its un- form speak of one."""
    yes, no = words.polar.get(one, {}), words.polar.get(other, {})
    yield from ((yes[matter], no[matter]) for matter in yes.keys() & no.keys())
    for prefix in _DENYING_PREFIXES:
        if one == prefix + other or other == prefix + one:
            yield (2, -2)


def _values(
    one: Sequence[Token], other: Sequence[Token], first: ParsedClaim, second: ParsedClaim
) -> Iterator[Difference]:
    """Yield what only the first says beside what only the second says, sort by sort; what is denied is no value.

    Of several that may face each other the one with the same words around it does.
    """
    left, right = ([token for token in side if not token.denied] for side in (one, other))
    groups = lexicon(first.language).groups
    for kind in (DifferenceKind.AMOUNT, DifferenceKind.TIME, DifferenceKind.GROUP):
        for token in [token for token in left if _may_be(kind, token, groups)]:
            facing = [
                candidate
                for candidate in right
                if _may_be(kind, candidate, groups) and _differ(kind, token, candidate, first, second)
            ]
            match = max(facing, key=lambda candidate: _nearness(token, candidate, first, second), default=None)
            if match is not None:
                yield Difference(kind, (token,), (match,))
                left.remove(token)
                right.remove(match)
    runs, others = name_runs(left), name_runs(right)
    # What both are about goes before what one is about and the other says: 王思琪的名字就是王思琪.
    for run, alike in sorted(product(runs, (True, False)), key=lambda pair: not pair[1]):
        facing_runs = [
            candidate
            for candidate in others
            if (run[0].opening == candidate[0].opening) is alike
            and (alike or "@" not in {run[0].slot, candidate[0].slot})
            and _one_slot(run, candidate, first, second)
            and is_land(run) == is_land(candidate)
        ]
        if facing_runs and run in runs:
            best = max(facing_runs, key=lambda candidate: _nearness(run[0], candidate[0], first, second))
            others.remove(best)
            runs.remove(run)
            yield Difference(DifferenceKind.NAME, tuple(run), tuple(best))


def _may_be(kind: DifferenceKind, token: Token, groups: Mapping[str, object]) -> bool:
    if kind is DifferenceKind.GROUP:
        return token.key in groups
    return token.amount is not None if kind is DifferenceKind.AMOUNT else token.when is not None


def _differ(kind: DifferenceKind, one: Token, other: Token, first: ParsedClaim, second: ParsedClaim) -> bool:
    """Tell whether two tokens are different values of one sort; where a thing may have several (an animal, a food),
    only where both claims speak of one attribute or describe one scene.
    """
    if kind is DifferenceKind.AMOUNT:
        return differ_in_amount(one, other, first, second)
    if kind is DifferenceKind.TIME:
        return differ_in_time(one, other)
    words = lexicon(first.language)
    values, others = words.groups.get(one.key, {}), words.groups.get(other.key, {})
    for name in values.keys() & others.keys():
        if values[name] == others[name] or _group_values(first, name, words) & _group_values(second, name, words):
            continue
        scene = first.is_scene or second.is_scene
        if name in _LOOSE and not scene and not claim_attributes(first) & claim_attributes(second):
            continue
        if name not in _MODIFIERS or _next(one, first) & _next(other, second):
            return True
    return False


_HEADS = {
    "size": frozenset({"employee", "people", "worker", "member"}),
    "visitors": frozenset({"people", "visitor", "guest", "tourist", ""}),
}
"""Units that count the same where both speak of it: it has 640 employees, it employs 640 people."""


def differ_in_amount(one: Token, other: Token, first: ParsedClaim, second: ParsedClaim) -> bool:
    """Tell whether two amounts are of one measure, or count the same as far as the word right after them says what;
    that they are not equal is known by then.
    """
    if one.amount is None or other.amount is None or are_of_two_rates(one, other, first, second):
        return False
    counted = {one.amount.unit, other.amount.unit}
    if len(counted) == 2 and (names := {name for name, units in _HEADS.items() if counted <= units}):
        return bool(names & claim_attributes(first) & claim_attributes(second))
    if not one.amount.comparable(other.amount):
        return False
    if one.amount.unit == other.amount.unit != "":
        return True
    nouns = [
        {after.key for after in claim.tokens[token.place + 1 : token.place + 2] if after.start <= token.end + 1}
        for token, claim in ((one, first), (other, second))
    ]
    units = {one.amount.unit, other.amount.unit} - {""}
    if len(units) == 1 and not any(units <= noun for noun in nouns):
        return False
    return not all(nouns) or nouns[0] == nouns[1]


_RATES = (
    ("day", "每[日天]|日均", r"(?:per|a|an|each|every) day|daily|/day|/d\b"),
    ("time", "每[次回顿剂]", r"(?:per|a|an|each|every|/) ?(?:dose|time|serving)|at a time"),
    ("night", "每晚", r"(?:per|a|each|every|/) ?night|nightly"),
    ("hour", "每小时", r"(?:per|an|each|every|/) ?hour|hourly"),
    ("week", "每(?:周|星期)", r"(?:per|a|each|every|/) ?week|weekly"),
    ("month", "每个?月|月均", r"(?:per|a|each|every|/) ?month|monthly"),
    ("year", "每年|年均", r"(?:per|a|each|every|/) ?year|yearly|annual(?:ly)?"),
    ("head", "每[人位名]|人均", r"(?:per|a|each|every|/) ?(?:person|head|capita|guest)"),
    ("piece", "每[个件台套只辆箱吨间]", r"(?:per|a|each|every|/) ?(?:piece|unit|item|tonne|ton|room|box)"),
)
_RATE = lazy_regex("|".join(rf"(?P<{name}>{zh}|\b{en}\b)" for name, zh, en in _RATES), re.IGNORECASE)


def are_of_two_rates(one: Token, other: Token, first: ParsedClaim, second: ParsedClaim) -> bool:
    """Tell whether two amounts are said per different things: 0.5 g per dose is no other than 1.5 g a day."""
    rates = (_rate(one, first), _rate(other, second))
    return "" not in rates and rates[0] != rates[1]


def _rate(token: Token, claim: ParsedClaim) -> str:
    """Return per what an amount is said: by the words behind it, else by the last ones before it in its clause."""
    end = next((one.start for one in claim.tokens if one.start >= token.end and one.amount is not None), None)
    behind = re.split("[，,；;。]", claim.text[token.end : end])[0]
    before = re.split("[，,；;。]", claim.text[: token.start])[-1]
    found = _RATE.search(behind) if claim.language == "en" else None
    last = found or next(iter([*_RATE.finditer(before)][::-1]), None)
    return (last.lastgroup or "") if last is not None else ""


def _group_values(claim: ParsedClaim, name: str, words: Lexicon) -> set[int]:
    return {values[name] for token in claim.tokens if name in (values := words.groups.get(token.key, {}))}


def _next(token: Token, claim: ParsedClaim) -> set[str]:
    """Return what a word of quality may be said of: the next word, or what stands before the verb."""
    following = {other.key for other in claim.tokens[token.place + 1 : token.place + 2] if other.start <= token.end + 1}
    being = is_defined(token, claim)
    return following or ({before.key for before in claim.tokens[: token.place] if before.opening} if being else set())


def is_defined(token: Token, claim: ParsedClaim) -> bool:
    """Tell whether a value stands right behind what says that something is it; 为 before a verb says for whom."""
    being = _BEING.search(claim.text[max(0, token.start - 20) : token.start])
    if being is None or being[0] != "为":
        return being is not None
    return not any(one.is_verb and one.place > token.place for one in claim.tokens)


def _nearness(one: Token, other: Token, first: ParsedClaim, second: ParsedClaim) -> int:
    """Return how much speaks for two values having one part in their sentences: the words right around them."""
    slots = one.slot == other.slot and bool(one.slot)
    before = _around(one, first, -1) & _around(other, second, -1)
    after = _around(one, first, 1) & _around(other, second, 1)
    return 2 * slots + 2 * bool(before) + bool(after) + (one.opening == other.opening)


def _one_slot(one: Sequence[Token], other: Sequence[Token], first: ParsedClaim, second: ParsedClaim) -> bool:
    """Tell whether two names have one part in their sentences: formed in Rome is not based in Oslo.

    A band formed in Rome and based in Oslo are two facts, so that names must have the same word before them, speak of
    one attribute, or be said of the same verb; "from" one place and "based in" another was one of four false conflicts
    among 100 real tasks.
    """
    if one[0].opening and other[0].opening:
        return True
    before, before_other = _around(one[0], first, -1), _around(other[0], second, -1)
    after = bool(_around(one[-1], first, 1) & _around(other[-1], second, 1))
    same = {token.key for token in first.tokens} & {token.key for token in second.tokens}
    if before & before_other:
        return True
    if one[0].slot == other[0].slot == "by" and before and before_other:
        spoken = lexicon(first.language).attributes  # written by one, edited by the other
        told = [frozenset(name for key in keys for name in spoken.get(key, ())) for keys in (before, before_other)]
        return not told[0].isdisjoint(told[1])
    if _one_is_called((one[0], first), (other[0], second)):
        return False
    if {one[0].slot, other[0].slot} <= {"是", "为"} and before - same and before_other - same:
        told = [attributes_of(_tokens_before(run[0], said), "zh") for run, said in ((one, first), (other, second))]
        if told[0].isdisjoint(told[1]):
            return False  # 家乡是天津, 单位是上海某集团
    if _near_attributes(one[0], first) & _near_attributes(other[0], second):
        return True
    if one[0].opening != other[0].opening:  # Wei owns it; it is owned by Tara
        verbs = [{token.key for token in claim.tokens if token.is_verb} for claim in (first, second)]
        return bool(verbs[0] & verbs[1])
    # The words before them differ: those that only one of the claims has say something else of the name.
    stray = bool(before - same or before_other - same)
    return not stray and (after or first.language == "zh") and one[0].slot == other[0].slot != ""


def _tokens_before(token: Token, claim: ParsedClaim) -> Sequence[Token]:
    return claim.tokens[max(0, token.place - 1) : token.place]


def _is_exclaimed(claim: ParsedClaim) -> bool:
    """Tell whether somebody says how good something is rather than what: your store looks great!"""
    return claim.text.rstrip().endswith(("!", "！"))


def _one_is_called(*values: tuple[Token, ParsedClaim]) -> bool:
    """Tell whether one value is what something is called, and the other claim tells no name: 上司名叫…, 上司在深圳."""
    called = [
        token.slot in _CALLED or "name" in attributes_of(_tokens_before(token, claim), claim.language)
        for token, claim in values
    ]
    return called[0] != called[1] and not all("name" in claim_attributes(claim) for _, claim in values)


def _is_measured(token: Token) -> bool:
    """Tell whether a token says when or how much; a room on the fourth floor is a place."""
    return token.when is not None or (token.amount is not None and token.amount.unit not in _NUMBERED)


_CALLED = frozenset("called named 叫 名叫 叫做".split())


def _near_attributes(token: Token, claim: ParsedClaim) -> frozenset[str]:
    """Return the attributes that a value may be of: of what stands right before it, or before the verb."""
    if len(claim.tokens) <= SHORT:
        return claim_attributes(claim)
    near = [one for one in claim.tokens if one.opening or 0 < token.place - one.place <= 2]
    return attributes_of(near, claim.language)


def _around(token: Token, claim: ParsedClaim, step: int) -> set[str]:
    """Return the key of the word before or behind a token; what stands aside, in brackets, is passed over."""
    place = token.place + step
    while 0 <= place < len(claim.tokens) and claim.tokens[place].aside and not token.aside:
        place += step
    return {claim.tokens[place].key} if 0 <= place < len(claim.tokens) else set()


def is_land(name: Sequence[Token]) -> bool:
    """Tell whether a name is that of a land, in which a town may well be."""
    return " ".join(token.text for token in name).casefold().removeprefix("the ") in LANDS


def name_runs(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return names, those of several words as one."""
    runs: list[list[Token]] = []
    for token in tokens:
        if token.part is not TokenKind.NAME:
            continue
        if runs and runs[-1][-1].place + 1 == token.place and token.start - runs[-1][-1].end <= 2:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _word_difference(
    one: Sequence[Token], other: Sequence[Token], first: ParsedClaim, second: ParsedClaim, *, loosely: bool
) -> list[Difference]:
    """Return the few words that stand against each other: both say what a thing is, or speak of one attribute.

    The loosest difference, and the last that is tried: in claims of more than a few words, two words that differ are
    most often two things that are both true.
    """
    left, right = (
        tuple(t for t in side if t.part in NAMING and not (t.is_verb or t.denied or t.opening or is_counted(t, claim)))
        for side, claim in ((one, first), (other, second))
    )
    if not left and not right and loosely:  # beige is her favourite colour
        left, right = (tuple(t for t in side if t.part in NAMING and t.opening) for side in (one, other))
    if not (0 < len(left) <= 3 and 0 < len(right) <= 3):
        return []
    if max(len(first.tokens), len(second.tokens)) > SHORT:
        return []
    if _one_is_called((left[0], first), (right[0], second)) or any(map(_is_exclaimed, (first, second))):
        return []
    if sum(any(map(_is_measured, side)) for side in (one, other)) == 1:
        return []  # his home town, and his birthday
    if first.language == "zh" and any(
        t.part in NAMING and t.opening and t not in (*left, *right) for t in (*one, *other)
    ):
        return []  # 我叔叔的邮箱是…, 我叔叔是队长: one tells of something that is his
    groups = lexicon(first.language).groups
    for side, facing, claim in ((left, right, second), (right, left, first)):
        if any(_JOBS & groups.get(t.key, {}).keys() for t in side) and not is_defined(facing[0], claim):
            return []  # 工作是护士 says what somebody is, 去公司上班 how they get there
    things = all(claim.subject and claim.subject[-1].part is TokenKind.WORD for claim in (first, second))
    if not loosely and not (things and is_defined(left[0], first) and is_defined(right[0], second)):
        return []
    return [Difference(DifferenceKind.WORD, left, right)]


_NUMBERED = frozenset({"", "楼", "层", "号"})
"""Units of what is numbered, not counted."""


def is_counted(token: Token, claim: ParsedClaim) -> bool:
    """Tell whether an amount stands right before a word: of 1,150 employees the number is a value, not the word. A
    room on the fourth floor is not counted.
    """
    amount = claim.tokens[token.place - 1].amount if token.place else None
    return amount is not None and amount.unit not in _NUMBERED


# Claims of so few words speak of one attribute; longer ones may speak of it beside others. Chosen by hand.
SHORT = 8


def differ_in_time(one: Token, other: Token) -> bool:
    """Tell whether two times can be compared (two days, two years); that they are not equal is known by then."""
    return one.when is not None and other.when is not None and one.when.comparable(other.when)


def are_opposites(one: str, other: str) -> bool:
    """Tell whether two words say yes and no to a matter, or are two values of one sort.

    The largest and the smallest do as large and small do.
    """
    words = lexicon("zh" if one[:1] > "\u2e80" else "en")
    for first, second in [(a, b) for a in plain_forms(one) for b in plain_forms(other)]:
        values, others = words.groups.get(first, {}), words.groups.get(second, {})
        if any(values[name] != others[name] for name in (values.keys() & others.keys()) - _LOOSE):
            return True
        if any((yes > 0) != (no > 0) for yes, no in _matters(first, second, words)):
            return True
    return False


def plain_forms(word: str) -> tuple[str, ...]:
    """Return a word and what it may be a comparative, a superlative or the doer of, by the keys of the tables."""
    if word.isascii() and word.endswith(("est", "er", "or")):
        bare = word.removesuffix("est").removesuffix("er").removesuffix("or")
        return (word, *(lexicon("en").synonyms.get(form, form) for form in (stem(bare), stem(f"{bare}e"))))
    return (word, word[1:]) if word[:1] == "最" else (word,)
