"""What a conversation binds its people to, without a model; what they took back later binds nobody any more.

The later word counts: a decision that was taken back (cancel that; 不用 X 了，改用 Y) is neither listed nor told. What
binds is read once for each message, not once for each view.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import chain
from typing import NamedTuple

from remanent.language.offline.salience import with_speaker
from remanent.language.roles.binding import bond_of, is_open
from remanent.language.shapes import MAX_REMARK, Utterance
from remanent.language.tidying import one_line
from remanent.model.entry import chat_role
from remanent.text.dialogue_summary import is_heading
from remanent.text.regex import lazy_regex
from remanent.text.sentences import sentence_texts
from remanent.text.terms import index_terms
from remanent.text.wordlists import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from remanent.values import dataclass

_MAX_LISTED = 15
"""Items of each list without a model. Chosen by hand."""
_HOLDS = 0.6
"""The share of the words that name what is taken back which an earlier item must hold. Chosen by hand."""
_NEAR = 6
"""Messages within which "cancel that" means what was settled last. Chosen by hand."""
_LONGEST = 400
"""Characters of a sentence that is read for what it takes back. Chosen by hand."""

_DROPPING = (
    r"(?<!n't )(?<!n’t )(?<!not )(?<!never )\b(?:cancel(?:l?ed)?|scrap(?:ped)?|drop(?:ped)?|ditch(?:ed)?|"
    r"abandon(?:ed)?|forget(?: about)?|revoke[ds]?|undo)"
)
_REFUSING = (
    r"\b(?:do not|don['’]?t|won['’]?t|will not|no longer|not going to|decided not to|let['’]?s not) "
    r"(?:use|do|go with|need|want|take)|\bdecided against|\bstop using|\bmov(?:e|ing) away from|"
    r"\binstead of(?: using)?|\brather than(?: using)?|\bswitch(?:ing|ed)? from|"
    r"\bchanged (?:my|our) minds? (?:about|on)"
)
_END = r"(?=\s+(?:and|but|to|for|in fav|let['’]?s|we|i|use|after|because|since)\b|[.,;:!?—]|\s-|$)"
_NAMED_EN = lazy_regex(
    rf"(?:{_DROPPING}|{_REFUSING})\s+(?P<what>[^.,;:!?]{{2,60}}?){_END}"
    r"|(?P<topic>[^.,;:!?]{3,60}?)\s+(?:is|was|are|were|has been)\s+(?:off\b|cancell?ed|called off|dropped|scrapped|"
    r"postponed|moved to|no longer)"
    r"|\b(?:switch|change|move|push)(?:ed|ing)?\s+(?P<moved>(?:the|our|my)\s[^.,;:!?]{2,40}?)\s+(?:over\s+)?(?:from|to)\b",
    re.IGNORECASE,
)
_NAMED_ZH = lazy_regex(
    r"(?:不(?:再)?(?:用|使用|采用|选|要|去|做)|别[用去]|放弃|取消|撤销|作废|弃用|停用|换掉)(?![了再说谢客担着急])"
    r"(?!掉?(?:这个|那个|刚才|刚刚|之前|上面|上述|前面)的?(?:决定|方案|安排|计划|说法)?(?:[，。；！？,;!?]|$))"
    r"(?P<what>[^，。；！？,;!?\n]{1,30}?)(?=了|吧|改|换|而|[，。；！？,;!?]|$)"
    r"|(?P<topic>[^，。；！？,;!?\n]{2,30}?)(?:就|先|都|已经|已)?(?:(?:取消|作废|不做|不要|不用|不去|撤销|推翻)了"
    r"|(?:还是|就|先|决定|我们)*(?:改用|改成|改为|换成|换用|改到|改在|推迟到|提前到))"
    r"(?P<moved>)"
)
_LAST = lazy_regex(
    r"\b(?:cancel|scrap|forget|undo|drop|revoke) (?:that|this|it)\b|\bnever ?mind\b|\bchanged (?:my|our) minds?\b|"
    r"\b(?:use|go with|take|try|do) [^.,;:!?]{2,40} instead\b(?! of)|\bon second thought|"
    r"(?:取消|撤销|收回|推翻|忘掉|忽略)(?:掉|了)?(?:这个|那个|刚才|刚刚|之前|上面|上述|前面)|改(?:变)?主意",
    re.IGNORECASE,
)
_HINT = lazy_regex(
    r"cancel|scrap|drop|ditch|abandon|forget|revoke|undo|n['’]?t |not |no longer|against|stop using|away from|instead|"
    r"rather|switch|change|move|push|postpone|called off|is off|are off|mind|second thought|"
    r"不[再用使采选要去做]|别[用去]|放弃|取消|撤销|作废|弃用|停用|换|改|推迟|提前|收回|推翻|忘掉|忽略",
    re.IGNORECASE,
)
"""What a sentence holds that takes something back: most hold none of it, and need no closer look."""
_TRYING = lazy_regex(r"\b(?:trying|want(?:ing)?|how|like) to\b|想要|打算", re.IGNORECASE)
"""Who is still trying to change something has not changed it."""
_ADVICE = lazy_regex(r"\byou|\binstead of|\brather than|^\W*[-*\d]|[你您]", re.IGNORECASE)
_POINTING = frozenset("that this it idea plan decision use using go do need 决定 方案 计划 安排 这个 那个".split())
_EMPTY = ENGLISH_STOP_WORDS | CHINESE_STOP_WORDS | _POINTING


class Revocation(NamedTuple):
    """A sentence that takes back what was settled before."""

    text: str
    named: frozenset[str]
    """The words for what is taken back; none where it is what was settled last."""


class Commitments(NamedTuple):
    """What a conversation binds its people to."""

    decisions: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    agreements: tuple[str, ...] = ()
    revoked: tuple[Revocation, ...] = ()
    """What takes something back that was settled before it."""
    gone: tuple[str, ...] = ()
    """What was settled and taken back."""


@dataclass(slots=True)
class _Settled:
    """What one message settled."""

    place: int
    lists: tuple[list[str], list[str], list[str]] = field(default_factory=lambda: ([], [], []))

    def without(self, revocation: Revocation) -> bool:
        """Take out what is taken back, and tell whether there was any."""
        size = sum(map(len, self.lists))
        for items in self.lists:
            items[:] = [one for one in items if not _is_named(one, revocation)]
        return sum(map(len, self.lists)) < size

    def without_last(self) -> bool:
        """Take out the last of what was decided, else agreed or to be done; tell whether there was any."""
        decisions, todos, agreements = self.lists
        for items in (decisions, agreements, todos):
            if items:
                items.pop()
                return True
        return False


def find_commitments(
    utterances: Sequence[Utterance], *, sentences: Callable[[str], Sequence[str]] = sentence_texts
) -> Commitments:
    """Return the decisions, to-dos and agreements of a conversation, without a model.

    Each with its speaker before it. `sentences` parts a text into its sentences; who has done so before passes what it
    found. "### Next steps" is none.
    """
    found = []
    for one in utterances[-1000:]:
        lists = (list[str](), list[str](), list[str]())
        own = [sentence for sentence in sentences(one.text) if not is_heading(sentence)]
        for sentence in own:
            bond = bond_of(sentence, one.speaker)
            if bond is not None:
                lists[bond].append(with_speaker(one_line(sentence, MAX_REMARK), one.speaker))
        decided, to_do, agreed = map(tuple, lists)
        found.append(Commitments(decided, to_do, agreed, tuple(_revocations(own, one.speaker))))
    together = standing(found)
    return Commitments(
        together.decisions[:_MAX_LISTED],
        together.todos[:_MAX_LISTED],
        together.agreements[:_MAX_LISTED],
        tuple(chain.from_iterable(one.revoked for one in found)),
    )


def standing(found: Sequence[Commitments]) -> Commitments:
    """Return what parts of a conversation, in their order, bind people to after all: the later word counts."""
    settled: list[_Settled] = []
    for place, one in enumerate(found):
        now = _Settled(place, (list(one.decisions), list(one.todos), list(one.agreements)))
        for revocation in one.revoked:
            if revocation.named:
                is_gone = sum(before.without(revocation) for before in settled) > 0
            else:
                near = [before for before in reversed(settled) if place - before.place <= _NEAR]
                is_gone = any(before.without_last() for before in near)
            if is_gone and not any(revocation.text in item for items in now.lists for item in items):
                now.lists[0].append(revocation.text)
        if any(now.lists):
            settled.append(now)
    decided, to_do, agreed = (
        tuple(dict.fromkeys(chain.from_iterable(one.lists[kind] for one in settled))) for kind in range(3)
    )
    kept = {*decided, *to_do, *agreed}
    every = chain.from_iterable((*one.decisions, *one.todos, *one.agreements) for one in found)
    return Commitments(decided, to_do, agreed, gone=tuple(dict.fromkeys(item for item in every if item not in kept)))


def _is_named(item: str, revocation: Revocation) -> bool:
    text = item.casefold()
    return sum(term in text for term in revocation.named) >= _HOLDS * len(revocation.named)


def _revocations(said: Sequence[str], speaker: str) -> Iterator[Revocation]:
    """Yield the sentences in which somebody takes something back, with the words for what it is.

    An assistant that advises ("use pull requests instead of merging") takes nothing back.
    """
    machine = chat_role(speaker) in {"assistant", "system", "tool"}
    for sentence in said:
        text = sentence[:_LONGEST]
        if not _HINT.search(text) or is_open(text) or _TRYING.search(text):
            continue
        if machine and _ADVICE.search(text) and bond_of(text, speaker) is None:
            continue
        named = frozenset(
            term
            for pattern in (_NAMED_EN, _NAMED_ZH)
            for match in pattern.finditer(text)
            for term in index_terms(match["what"] or match["topic"] or match["moved"] or "")
            if term not in _EMPTY
        )
        if named or _LAST.search(text):
            yield Revocation(with_speaker(one_line(sentence, MAX_REMARK), speaker), named)
