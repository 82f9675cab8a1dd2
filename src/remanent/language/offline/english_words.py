"""English words of a sentence: stems, names, and the little words that deny, change or condition what is said."""

import re
from functools import cache, lru_cache

from remanent.language.offline.lexicon import LONGEST_SENTENCE, Cue, Person, RawWord, lexicon
from remanent.text.english import stem as _plain_stem
from remanent.text.wordlists import COMMON_ENGLISH, word_set

stem = lru_cache(maxsize=20_000)(_plain_stem)

_LETTER = "A-Za-z\u00c0-\u024f"
_WORD = re.compile(
    rf"[{_LETTER}\d][{_LETTER}\d_@]*(?:[.:@/+-][{_LETTER}\d_]+|(?<=\d),\d{{3}}(?!\d))*(?:['’][{_LETTER}]+)?|[.,;:!?()—–…\"“”]"
)
_BREAKS = frozenset(",;:!?()—–.…")

_FUNCTION = word_set(
    "a an the of in on at to for by with from as and or nor that this these those it its itself is are was were be "
    "been "
    "being am do does did doing has have had having will would shall should can could may might must there here "
    "into onto over under above below between among through during about against up down out off near around across "
    "along behind beyond towards toward upon within via per than then so such very really quite just also too even "
    "still already yet "
    "i me my mine we us our ours you your yours he him his she her hers they them their theirs who whom whose which "
    "what where when why how some any each either other another own few several many much more most less least lot "
    "lots "
    "bit kind sort thing things way while until till because since although though if unless whether not never no none "
    "nobody nothing nowhere neither cannot without exactly get gets got getting let lets one ones s t actually "
    "basically "
    "please however therefore thus hence currently now today nowadays instead would like able rather both but and "
    "everyone everybody anyone anybody someone somebody something anything everything myself yourself himself herself "
    "themselves ourselves anymore known particular daily weekly monthly yearly annually annual current present "
    "incumbent total altogether"
)
_DENYING = word_set("not never no none nobody nothing nowhere neither nor cannot without")
_PERSONS: dict[str, Person] = {
    **dict.fromkeys("i me my mine we us our ours i'm i've i'd i'll we're we've".split(), "first"),
    **dict.fromkeys("you your yours you're you've".split(), "second"),
    **dict.fromkeys("he him his she her hers they them their theirs he's she's they're".split(), "third"),
}


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


# They deny what follows when "to" or "-ing" does: refused to sign, stopped smoking; "the tests fail" denies nothing.
_REFUSING = _stems("refuse fail decline forget neglect unable")
_STOPPING = _stems("stop cease discontinue avoid finish")
_LACKING = _stems("lack")
_LEAVING = _stems("leave quit abandon cancel")
_RESIGNING = _stems("resign retire withdraw")
_CHANGING = _stems(
    "move relocate switch migrate change convert transfer rewrite rename replace become shift swap transition postpone "
    "delay reschedule extend raise increase lower reduce grow rise upgrade downgrade rebook promote update slip adjust "
    "settle bring"
)
_BE = word_set("is are was were am be been 's being")
_SHORT_BE = word_set("he's she's it's that's there's what's who's i'm you're we're they're")
_AUXILIARY = _BE | word_set(
    "get gets got do does did has have had will would can could may might must should shall cannot"
)
_BREAKING = word_set("and but although though because since while whereas unless if when so who which however")
_CONDITIONS = word_set("if unless whether provided assuming suppose would might maybe perhaps possibly probably")
_BEFORE = word_set("formerly previously once originally ago former previous ex erstwhile")
_TITLES = word_set("dr mr mrs ms prof st jr sr inc ltd co no vs approx")
_PREFERRING = _stems("prefer favour favor")
_BEFORE_NOUN = word_set("a an the this that these those my our your his her their its of in on at by for with")
_DEFINITE = word_set("the this that these those my our your his her their its")
_INDEFINITE = word_set("a an some two three four five six seven several many few another one")
_AFTER_INTRANSITIVE = word_set("after at in on by for from to with and but when before early late tomorrow")
# What a switch is: at the end of a clause they are no prepositions.
_SWITCHED = {"on": "on", "off": "off"}

_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_NOTHING: frozenset[Cue] = frozenset()
_PHRASE_CUES: dict[str, frozenset[Cue]] = {
    "no longer|not anymore|gave up|given up|give up|giving up|gives up": frozenset({Cue.END}),
    "instead of|rather than|used to": frozenset({Cue.END}),
    "taken over|took over|takes over|went up|gone up|goes up": frozenset({Cue.CHANGE}),
    "went down|gone down|came down|went from|went to": frozenset({Cue.CHANGE}),
    "nobody but|none but|no one but|nobody except|no one except|not necessarily": frozenset({Cue.CONDITION}),
    "no one|free of|free from|far from": frozenset({Cue.DENY}),
    "not only|not just|not merely|no more than|no less than|not until|no doubt|nothing but|but also|as well": _NOTHING,
    "serves as|served as|serve as|acts as|acted as|act as": frozenset({Cue.BE}),
    "these days|at present": _NOTHING,
    "at least|at most|every day|each day|all day|every week|every month|every year|a day|per day|any more": _NOTHING,
    "amounts to|amounted to|adds up|would like|would rather|so far|as of": _NOTHING,
}
_PHRASES = {tuple(phrase.split()): cues for phrases, cues in _PHRASE_CUES.items() for phrase in phrases.split("|")}


def read(text: str) -> list[RawWord]:
    """Return the words of an English sentence in order, of a very long one those of its beginning."""
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text, 0, LONGEST_SENTENCE)]
    lowered = [word.lower().replace("’", "'") for word, _, _ in words]
    raws: list[RawWord] = []
    place = 0
    while place < len(words):
        width, raw = _phrase(words, lowered, place) or (1, _single(words, lowered, place))
        raws.append(raw)
        place += width
    return _with_preferences(raws)


def _phrase(words: list[tuple[str, int, int]], lowered: list[str], place: int) -> tuple[int, RawWord] | None:
    """Return the width of a phrase that counts as one word, and that word."""
    if stem(lowered[place]) not in _phrase_starts():
        return None
    for width in (4, 3, 2):
        span = lowered[place : place + width]
        if len(span) < width:
            continue
        cues = _PHRASES.get(tuple(span))
        keys = tuple(stem(word) for word in span)
        if cues is None and keys not in lexicon("en").phrases:
            continue
        start, end = words[place][1], words[place + width - 1][2]
        text = " ".join(word for word, _, _ in words[place : place + width])
        following = lowered[place + width] if place + width < len(lowered) else ""
        if cues is not None and Cue.END in cues and (following in _BREAKS or following in _AFTER_INTRANSITIVE):
            # The search gives up after ten seconds: nothing that follows is given up.
            start, end = words[place][1], words[place + width - 1][2]
            return width, RawWord(" ".join(span), start, end, " ".join(keys), is_verb=True)
        if cues is not None:
            return width, RawWord(text, start, end, "", cues | ({Cue.CHANGE} if Cue.END in cues else _NOTHING))
        verb = keys[0] in lexicon("en").verbs and (not place or lowered[place - 1] not in _BEFORE_NOUN)
        return width, RawWord(text, start, end, " ".join(keys), is_verb=verb)
    return None


@cache
def _phrase_starts() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in lexicon("en").phrases) | {stem(phrase[0]) for phrase in _PHRASES}


def _single(words: list[tuple[str, int, int]], lowered: list[str], place: int) -> RawWord:
    text, start, end = words[place]
    low = lowered[place]
    before = lowered[place - 1] if place else ""
    following = lowered[place + 1] if place + 1 < len(lowered) else ""
    cues = _cues(low, before, following)
    person = _PERSONS.get(low, "")
    if low in _SWITCHED and (following in _BREAKS or not following) and before in _AUXILIARY | {"not", "still", "now"}:
        return RawWord(text, start, end, _SWITCHED[low], cues)
    if low == "since" and _YEAR.fullmatch(following):
        return RawWord(text, start, end, "begin", is_verb=True)  # at work since 1931: that is when it began
    definite = True if low in _DEFINITE else False if low in _INDEFINITE else None
    if low == "." and before in _TITLES:
        return RawWord(text, start, end)
    if low in _BREAKS or low in _FUNCTION or person or low.endswith("n't"):
        return RawWord(text, start, end, "", cues, is_verb=low in _AUXILIARY, person=person, definite=definite)
    if Cue.DENY in cues or Cue.END in cues:
        return RawWord(text, start, end, "", cues, is_verb=True)  # what denies is no part of what is denied
    bare = low.removesuffix("'s").removesuffix("'")
    name = _is_name(text, bare, place, lowered)
    key = stem(bare) if bare.isascii() and bare.isalpha() else bare
    verb = key in lexicon("en").verbs and not name and before not in _BEFORE_NOUN and not before.endswith("'s")
    adverb = low.endswith("ly") and not name
    return RawWord(text, start, end, key, cues, is_name=name, is_verb=verb, is_adverb=adverb, definite=definite)


def _cues(low: str, before: str, following: str) -> frozenset[Cue]:
    key = stem(low) if low.isascii() and low.isalpha() else low
    cues = {
        cue
        for holds, cue in (
            (_denies(low, key, following), Cue.DENY),
            (_ends(low, key, before, following), Cue.END),
            (key in _RESIGNING, Cue.LEAVE),
            (key in _CHANGING or _ends(low, key, before, following) or key in _RESIGNING, Cue.CHANGE),
            (low in _BREAKS or low in _BREAKING, Cue.BREAK),
            (low in _CONDITIONS, Cue.CONDITION),
            (low in _BEFORE or (low == "was" and following in {"a", "an", "the", "in", "at"}), Cue.BEFORE),
            (low in _BE or low in _SHORT_BE or key == "become", Cue.BE),
            (low in {"until", "till"}, Cue.UNTIL),
            (low == "from", Cue.FROM),
            (low in {"to", "into"}, Cue.TO),
            (low == "?", Cue.QUESTION),
        )
        if holds
    }
    return frozenset(cues)


def _denies(low: str, key: str, following: str) -> bool:
    if low in _DENYING:
        return not (low == "no" and following in {",", ".", ""})
    return low.endswith("n't") or (key in _REFUSING and following == "to") or (key in _LACKING and following != "of")


def _ends(low: str, key: str, before: str, following: str) -> bool:
    if key in _STOPPING:
        return following.endswith("ing")
    if low == "sold":
        return following in _DEFINITE
    if low == "left" and (before in _BEFORE_NOUN | {"to", "turn", "turns", "turned"} or following in {"hand", "side"}):
        return False
    return (key in _LEAVING or low == "left") and following not in _BREAKS | _AFTER_INTRANSITIVE | {""}


def _is_name(text: str, bare: str, place: int, lowered: list[str]) -> bool:
    """Tell names by their capitals; at the beginning of a sentence only words that are no common ones."""
    if any(sign.isdigit() for sign in text) or "@" in text:
        return not text.isdigit()
    if (text.isupper() and len(text) > 1) or any(sign.isupper() for sign in text[1:]):
        return True
    if not text[0].isupper():
        return False
    first = place == 0 or lowered[place - 1] in {".", "!", "?", ":", '"', "“"}
    return not first or not (bare in COMMON_ENGLISH or stem(bare) in _common_stems())


@cache
def _common_stems() -> frozenset[str]:
    return frozenset(stem(word) for word in COMMON_ENGLISH) | lexicon("en").known


def _with_preferences(raws: list[RawWord]) -> list[RawWord]:
    """Take the second of two things of which the first is preferred for denied: tabs over spaces, tea to coffee."""
    prefers = False
    made: list[RawWord] = []
    for raw in raws:
        low = raw.text.lower()
        prefers = prefers or raw.key in _PREFERRING or low == "would rather"
        if prefers and low in {"over", "to", "than"}:
            made.append(RawWord(raw.text, raw.start, raw.end, "", frozenset({Cue.DENY})))
            prefers = False
        else:
            made.append(raw)
    return made
