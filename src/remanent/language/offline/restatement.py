"""One sentence said again with another value: "the bridge was opened in 1938", "the bridge was opened in 1940".

Words in the same order are the strongest sign there is that two sentences speak of one thing, so that this asks neither
for an attribute nor for a subject that is named, as `judgement.py` does of sentences that share no order.

A second generator of contradictions (other leads, number words, changed units, moved dates) showed that the rules of
subject and attribute had learned the wording of the first one: of its values, dates, names and denials they found .39
to .46, and .16 to .44 where a text repeats the title of the one that it contradicts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from remanent.language.offline.claims import ADVERBIAL, ParsedClaim, Token, TokenKind
from remanent.language.offline.comparison import (
    NAMING,
    Comparison,
    Difference,
    DifferenceKind,
    are_opposites,
    differ_in_time,
    is_equal,
    is_land,
)

_LEAST_RESTATED = 5
"""Words in the same order from which on one sentence is taken for the other one said again. Chosen by hand."""
_LEAST_REPEATED = 3
"""The same where no other word differs, and no name: of those a thing may have several. Chosen by hand."""
_LEAST_OF_TOPIC = 1
"""Words that are no names which two sentences must share of what is said of the topic of one's text. By names alone a
song that is called after somebody contradicted what is told of his father: the one false conflict among the documents
of 100 public tasks."""
_LONGEST_SWAP = 4
"""Words on either side of a difference: a value or a name is no longer, and what is longer says something else. Chosen
by hand."""
_CHINESE_SUBJECT = 2
"""Words at the beginning of a Chinese sentence that must be the same. Of names planted into Chinese texts 64 % are
found so, 51 % where the whole subject had to be the same, on the half that nobody looked at (n=74)."""
_LOOSE_WORDS = 0.25
"""The share of the shorter sentence's words that may be others: a synonym here and there. Chosen by hand."""


def restated_value(comparison: Comparison) -> Difference | None:
    """Return in what one sentence differs from the other that it says again: a value, an opposite or a denial.

    The longer one may say more, either may have a word of its own, and a phrase may stand elsewhere (in 1967, …); but
    where a second value differs, or what both are about, they speak of different things.

    That two sentences share names alone makes neither the other said again: a song named after somebody and his father
    contradicted each other, the one false conflict among the documents of 100 public tasks.
    """
    one, other = _spoken(comparison.one, comparison.other), _spoken(comparison.other, comparison.one)
    placed = all(any(t.slot == "@" for t in claim.tokens) for claim in (comparison.one, comparison.other))
    names = [
        {t.key for t in claim.tokens if _opens(t, said) and t.part in NAMING and (placed or t.slot != "@")}
        for claim, said in ((comparison.one, one), (comparison.other, other))
    ]
    if not (names[0] <= names[1] or names[1] <= names[0]):
        return None
    alike = len({token.key for token in one} & {token.key for token in other})
    if alike < _LEAST_REPEATED or alike < (1 - 2 * _LOOSE_WORDS) * min(len(one), len(other)):
        return None
    same, moved, blocks = _laid_out(one, other)
    swaps: list[Difference] = []
    left: list[Token] = []
    right: list[Token] = []
    for first, second in blocks:
        opening = [token for side, said in ((first, one), (second, other)) for token in side if _opens(token, said)]
        kind = _swapped(first, second) if first and second and not opening else None
        if kind is not None:
            swaps.append(Difference(kind, tuple(first), tuple(second)))
        elif any(token.part is not TokenKind.WORD and token.key != "@third" for token in opening):
            return None
        else:
            left, right = [*left, *first], [*right, *second]
    swaps += _moved_times(left, right)
    odd = (len(left), len(right))
    parted = [pair for pair in same if pair[0].denied != pair[1].denied]
    if parted and not swaps:
        odd = (odd[0] + moved, odd[1] + moved)
        swaps = [Difference(DifferenceKind.DENIAL, tuple(a for a, _ in parted), tuple(b for _, b in parted))]
    few = min(odd) <= _LOOSE_WORDS * min(len(one), len(other))
    least = _LEAST_RESTATED
    if not any(odd) and swaps and swaps[0].kind is not DifferenceKind.NAME:
        least = _LEAST_REPEATED
    if len(swaps) != 1 or len(same) < least or not few or _is_of_another(comparison, swaps[0]):
        return None
    # Where only the text says what a sentence is about, what it says of that must be alike, not names alone.
    words = sum(first.part is TokenKind.WORD and not first.opening for first, _ in same)
    if words < _LEAST_OF_TOPIC and any(token.slot == "@" for pair in same for token in pair):
        return None
    # A denial of something else in a longer sentence denies nothing of this one.
    whole = len(same) >= (1 - 2 * _LOOSE_WORDS) * max(len(one), len(other))
    return swaps[0] if whole or swaps[0].kind is not DifferenceKind.DENIAL else None


def _spoken(claim: ParsedClaim, facing: ParsedClaim) -> list[Token]:
    """Return what a sentence says itself, and of what its text is about the words that the other one says."""
    said = {token.key for token in facing.tokens if token.slot != "@"}
    return [token for token in claim.tokens if token.slot != "@" or token.key in said]


def _laid_out(
    one: Sequence[Token], other: Sequence[Token]
) -> tuple[list[tuple[Token, Token]], int, list[tuple[list[Token], list[Token]]]]:
    """Return what two sentences say alike in one order, how much elsewhere, and what faces each other between that."""
    steps = SequenceMatcher(None, [t.key for t in one], [t.key for t in other], autojunk=False).get_opcodes()
    same = [pair for tag, a, b, c, d in steps if tag == "equal" for pair in zip(one[a:b], other[c:d], strict=True)]
    moved: set[int] = set()
    blocks = [(list(one[a:b]), list(other[c:d])) for tag, a, b, c, d in steps if tag != "equal"]
    free = [token for _, second in blocks for token in second]
    for token in [token for first, _ in blocks for token in first]:
        match = next((one for one in free if is_equal(token, one)), None)
        if match is not None:
            moved |= {id(token), id(match)}
            free.remove(match)
    rest = [([t for t in a if id(t) not in moved], [t for t in b if id(t) not in moved]) for a, b in blocks]
    return same, len(moved) // 2, rest


def _moved_times(left: list[Token], right: list[Token]) -> Iterator[Difference]:
    """Yield the one time of either sentence that stands in another place than in the other, and take it out."""
    times = [[token for token in side if token.when is not None] for side in (left, right)]
    if [len(side) for side in times] == [1, 1] and differ_in_time(times[0][0], times[1][0]):
        left.remove(times[0][0])
        right.remove(times[1][0])
        yield Difference(DifferenceKind.TIME, (times[0][0],), (times[1][0],))


_NUMERALS = {ord(sign): digit for sign, digit in zip("〇零一二两三四五六七八九", "001223456789", strict=True)}


def _is_of_another(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether two sentences that differ in one value are of two things: both have numbers of their own besides
    (one over par, two over par), or names differ and neither says what goes there.

    By the digits of the text, since not everything that people count is known to be a measure.
    """
    own = [token for claim in (comparison.one, comparison.other) for token in claim.subject if token.slot != "@"]
    if difference.kind is DifferenceKind.NAME and not own:
        return True
    sides = ((comparison.one, difference.one), (comparison.other, difference.other))
    rest = []
    for claim, taken in sides:
        signs = list(claim.text)
        for token in taken:
            signs[token.start : token.end] = [""] * (token.end - token.start)
        rest.append(Counter(filter(str.isdecimal, "".join(signs).translate(_NUMERALS))))
    return bool(rest[0] - rest[1] and rest[1] - rest[0])


def _opens(token: Token, said: Sequence[Token]) -> bool:
    """Tell whether a word says what a sentence is about; where a Chinese subject ends is a guess."""
    if not token.opening:
        return False
    is_chinese = token.slot != "@" and token.text[-1:] > "\u2e80"
    if token.when is not None:
        return not is_chinese and token.slot not in ADVERBIAL
    if token.amount is not None and token.amount.dimension != "ordinal":
        # The 20 busiest airports are counted; Route 20 is called so.
        return not token.amount.unit and not any(t.opening and t.place == token.place + 1 for t in said)
    return not is_chinese or token in said[:_CHINESE_SUBJECT]


def _swapped(one: Sequence[Token], other: Sequence[Token]) -> DifferenceKind | None:
    """Return the sort of values that stand against each other in one place, if these do."""
    if max(len(one), len(other)) > _LONGEST_SWAP:
        return None
    if len(one) == len(other) == 1 and one[0].denied == other[0].denied and are_opposites(one[0].key, other[0].key):
        return DifferenceKind.OPPOSITE
    if all(any(token.part is TokenKind.WORD for token in side) for side in (one, other)):
        return None  # formed in Rome, based in Oslo
    names = [[token for token in side if token.part is TokenKind.NAME] for side in (one, other)]
    for part, kind in ((TokenKind.AMOUNT, DifferenceKind.AMOUNT), (TokenKind.TIME, DifferenceKind.TIME)):
        values = [[token for token in side if token.part is part] for side in (one, other)]
        if all(values) and not any(is_equal(a, b) or _is_one_number(a, b) for a in values[0] for b in values[1]):
            # Two of these prizes and three of those are no two counts of one thing.
            return None if all(names) else kind
    # From Los Angeles and based in San Rafael: what stands before a name says what part it has.
    if not all(names) or is_land(names[0]) != is_land(names[1]):
        return None
    return DifferenceKind.NAME if names[0][0].slot == names[1][0].slot else None


def _is_one_number(one: Token, other: Token) -> bool:
    """Tell whether two amounts are one number, whatever is counted: 4 kids, four children."""
    return one.amount is not None and other.amount is not None and one.amount.low == other.amount.low
