"""Forgetting: which words go out of mind with a memory or by an order, and how they come back.

A memory is not forgotten while the words that it was made of still answer. A turn that says little else is forgotten
whole. Of any other the clauses that tell it are cut out, as are those that repeat it elsewhere: the next version of the
turn has what is left, so that no vector and no index holds more. The journal keeps every word, and `restore` puts back
what was cut out at the same moment.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from types import MappingProxyType

from remanent.cognition.model import MEMORIES
from remanent.discipline.port import Along
from remanent.language.offline.statement_rules import is_kin, people, person
from remanent.lightweight import dataclass
from remanent.model import Entry, EpisodicData, Kind, MemoryData, Record, Scope, Source, Status, TurnData
from remanent.model.filters import USER_KEY, MetadataCondition, user_in
from remanent.stores import LIVE, NO_LIMIT, RecordFilter, RecordQuery, Store
from remanent.text.chinese import cut, tagged
from remanent.text.regex import lazy_regex
from remanent.text.scripts import has_han, simplified
from remanent.text.sentences import sentences
from remanent.text.spans import Span
from remanent.text.terms import held_terms, is_unspaced, query_terms
from remanent.text.words import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS

STANDING = (*LIVE, Status.EXPIRED)
_LOOKED_AT = 1000
"""Turns that are looked at for what is to be forgotten; those that hold its words come first."""
_ENOUGH = 3 / 4
"""Of the pairs and words of a Chinese wish that a clause holds which tells the same; chosen by hand."""
_CLAUSE_END = lazy_regex(r"(?<!\d),(?=\s*\S)\s*|,(?=\s*\D)\s*|[;，；、—]+\s*(?=\S)|\s(?=(?:and|but) )")
_LEADS_IN = lazy_regex(r"[\W_]*(?:(?:and|but|so|also|while|because)\b|另外|而且|还有|并且|所以|但是?|因为)?[\W_]*")
_LEADS_OUT = lazy_regex(
    r"[\s,，;；、]*(?:\b(?:and|but|so|while|because)|另外|而且|还有|并且|所以|但是?|因为)?[\s,，;；、]*$"
)
_MENTIONS = lazy_regex(
    rf"\b(?:my|our|your|his|her|their|(?:the )?user['’]s) (?:[\w-]+ )?(?P<kin>{people(zh=False)})s?\b"
    rf"|(?:[我你您咱他她]|用户)(?:们|家|的|那个|那位|有个|有一?[个位])*[大小二三]?(?P<kin_zh>{people(zh=True)})"
    r"|(?P<self>\b(?:I|we|us|me|you|my|our|mine|your|the user)\b|[我你您咱]|用户)"
    r"|(?P<other>\b(?:his|her|their|someone|somebody|everyone|everybody|people|nobody|(?:my|our|your) [\w-]+['’]s)\b"
    r"|(?P<pronoun>\b(?:he|she|they)\b|[他她]们?)|别人|人家|大家|有人|谁|某)"
    rf"|(?:(?<=[，,；;。、\s跟和与给找把被对向替帮])|^)(?P<bare>{people(zh=True)})",
    re.IGNORECASE,
)
"""Whom a clause may be about: the speaker, whom they have, or anybody else."""
_OF_KIN = lazy_regex(rf"(?:[我你您]|用户)们?家?的?(?:{people(zh=True)})")
_NAMED = lazy_regex(
    r"\b(?!(?:I|We|You|He|She|They|It|My|Our|Your|The|This|That|There|What|Who)\b)(?P<en>[A-Z][a-z]+)"
    r"(?=['’]s\b| (?:is|was|has|had|also|and|lives|works|takes|got|went|moved|said|says|likes|does|did)\b)"
)
_TOPIC = lazy_regex(
    r"\b(?:about|on|into|against|regarding)(?: (?:the|having|severe|childhood))?\s*$"
    r"|(?:关于|研究|了解|讲|介绍|写)[^，。]{0,4}$"
)
_TOPIC_BEHIND = lazy_regex(r"论文|的书|文章|研究|讲座|科普|纪录片|基金|患者|病人|\b(?:research|patients|charity)\b")
"""Around what is only talked of: who writes on asthma need not have it."""
_ASPECT = lazy_regex(
    r"(?<=[\u4e00-\u9fff])(?:过(?![敏年期去程户来])|了(?![解断不])|着(?![急凉重]))(?:[一两二三四五几\d]+[次回])?"
)
THE_USERS = lazy_regex(r"\b(?:the user(?:['’]s)?)\b|用户的?", re.IGNORECASE)
_MINE = (
    r"\b(?:my|our|your|the|the user['’]s|an?) (?:[a-z]+ )?{0}|(?:[我你您咱]|用户)(?:们|家|"
    r"自己)*(?:有.{{0,4}})?(?:(?:一个?|每个?|这个?|上个?|[去今前])[天周月年]|现在|目前|以前|之前|原来|税[前后]|到手|"
    r"实际|家里|个人|的|[新旧老前])*{0}|^[\W_]*(?:现在|目前|今年|每个?月)?(?=[\u4e00-\u9fff]{{2}}){0}"
)
_PAID = lazy_regex(
    r"\b(?:I|we|you|user)(?:['’]m| am| are)? (?:\w+ )?(?:earns?|makes?|(?:get |gets )?paid|takes? home)\b[^.;]*\d[^.;]*"
    r"(?:\b(?:a|per|each|every|an) (?:year|month|week|hour)|\b(?:annually|monthly|yearly|(?:before|after) tax)|"
    r"\d[,.]?000\b|\dk\b)|(?:[我你您]|用户)[^，。；]{0,6}(?:[一每]个?[月年]|[月年]薪|税[前后]|到手|"
    r"[月年]入)[^，。；]{0,4}(?:[挣赚拿有]|[月年]?入)?[^，。；]{0,3}[\d一二两三四五六七八九十百千万]+",
    re.IGNORECASE,
)
"""What somebody earns, told without a word for it."""
_HOUSED = lazy_regex(
    r"\b(?:I|we|you|user)(?: \w+)? lives? (?:in|at|on)\b"
    r"|(?:[我你您]|用户)(?:们|家|现在|目前|一直|[和跟][^，。]{1,4}|一个人)*(?:住在|家住)",
    re.IGNORECASE,
)
_TALL = lazy_regex(
    r"\b(?:I|you)(?:['’]m| am| are) [\d.]+[^.;,]* tall\b"
    r"|[我你](?:身高|有|现在|大概|才|只)*[\d.一二]+(?:米|cm|公分)"
)
_WEIGHS = lazy_regex(
    r"\b(?:I|you) weigh\b"
    r"|[我你](?:体重|有|现在|大概|才|只|重)*[\d.一二三四五六七八九十百]+(?:公斤|斤|kg)(?=[了多左，。！]|$)"
)
_AGED = lazy_regex(
    r"\b(?:I|you)(?:['’]m| am| are) \d+(?: years old)?(?=[.,;!]|$| and\b)"
    r"|[我你](?:今年|已经|快|都|刚)*[\d一二三四五六七八九十]+岁"
)
_PERSON = (
    r"\b(?:called|named|name is|with|and|to|{kin}),?\s+(?:is )?(?-i:{name})\b|(?-i:\b{name})['’]s\b|\b(?:he|him|she|"
    r"her|his)\b|(?-i:\b{name}),? (?:(?:is|was) (?:my|our|an?|the)\b|\w+ed\b|lent|told|said|gave|lives|works|took|owes|"
    r"wants|and I\b)"
)
"""What shows that a name is somebody's."""
_TOLD_WITHOUT = (
    ("salary wage wages pay income 工资 薪水 月薪 年薪 收入 薪资", _PAID, "earn make paid 挣 赚 拿 入 月 年"),
    ("address home residence 住址 地址 家庭住址 住处", _HOUSED, "live 住"),
    ("height 身高", _TALL, "tall 米 cm"),
    ("weight 体重", _WEIGHS, "weigh 斤 公斤 kg"),
    ("age 年龄 岁数", _AGED, "years old 岁"),
)
_TOLD_BY = {name: form for names, form, _ in _TOLD_WITHOUT for name in names.split()}
"""What is told of somebody's without a word for it."""
_SOUGHT = {name: words for names, _, words in _TOLD_WITHOUT for name in names.split()}
_OF_ANOTHER = lazy_regex(r"['’]s? |我.+的.")
_IN_DOING = lazy_regex(r" (?!wed|build)[a-z]{2,}ing (?:an?|the|my|to|in|at|for|with)\b")
_NAME_OF = lazy_regex(r"(?:的|['’]s )(?:名字|姓名|full name|name)$")
_CALLED = lazy_regex(r"叫|名字|\b(?:called|named|name)\b")
_OF_SPEAKER = lazy_regex(r"^(?:my|our) |^我(?:们|家)*的?", re.IGNORECASE)
_GOES_ON = lazy_regex(
    r"[\W_]*(?:(?:and|but|so) )?(?:he|she|they|who)\b|[\W_]*(?:而且|还|也|但)?(?:[他她]们?|[在是有会做住叫吃])",
    re.IGNORECASE,
)
"""How a clause goes on with the person of the one before it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be forgotten, in words: "I have asthma", "my dog", 我的密码."""

    words: str
    is_thing: bool = False
    """Whether the words name something of the speaker's, and not what is so."""
    is_name: bool = False
    """Whether the words are somebody's name."""
    entry_id: str = ""
    """The entry all of which is meant: what somebody has just said, learned or not."""
    other_names: tuple[str, ...] = ()
    """What the other language calls it."""

    @property
    def every(self) -> list["Wanted"]:
        """It, and the same in the words of the other language."""
        whose = "我的{}" if self.words.isascii() else "my {}"
        return [self, *(Wanted(whose.format(name), is_thing=True) for name in self.other_names)]

    def spans_in(self, text: str) -> list[Span]:
        """Return the clauses of a text that tell it, in either language."""
        return _union(span for one in self.every for span in one._told_in(text))

    def is_somebody(self, texts: Iterable[str]) -> bool:
        """Tell whether some texts show that a name is somebody's, and not of a town or a firm: "Forget Paris"."""
        if not self.is_name or has_han(self.words):
            return True
        shows = _PERSON.format(name=re.escape(self.words), kin=people(zh=False))
        return any(re.search(shows, text, re.IGNORECASE) for text in texts if self.words in text)

    def _told_in(self, text: str) -> list[Span]:
        """Return the clauses of a text that tell it, or whole sentences where only several clauses do."""
        if of := _NAME_OF.search(self.words):  # my wife's name is told where she is called something
            found = Wanted(self.words[: of.start()]).spans_in(text)
            return [one for one in found if _CALLED.search(one.of(text))]
        terms, words = query_terms(_bare(self.words)), _words(_bare(self.words))
        if not any(term not in ENGLISH_STOP_WORDS and term not in CHINESE_STOP_WORDS for term in terms):
            return []  # "forget that I said so" names nothing
        told_in: list[Span] = []
        for sentence in sentences(text):
            if not _holds(sentence.of(text), terms, words) and not (self.is_thing and self.thing in _TOLD_BY):
                continue
            clauses = _clauses(sentence, text)
            told = [one for one in clauses if self._is_told(text, one, sentence.start, terms, words)]
            if self._is_person and told:
                told += takewhile(lambda one: _GOES_ON.match(one.of(text)), clauses[clauses.index(told[-1]) + 1 :])
            told_in += told or ([sentence] if self._is_told(text, sentence, sentence.start, terms, words) else [])
        return told_in

    @property
    def thing(self) -> str:
        """What of the speaker's it is, where it names a thing."""
        return _OF_SPEAKER.sub("", self.words).casefold()

    @property
    def _is_person(self) -> bool:
        return self.is_name or is_kin(self.thing)

    def _is_told(self, text: str, clause: Span, begins: int, terms: Sequence[str], words: Sequence[str]) -> bool:
        """Tell whether a clause of a text tells it, in a sentence that begins at a place."""
        said = clause.of(text)
        told_by = _TOLD_BY.get(self.thing) if self.is_thing else None
        if told_by is not None and (found := told_by.search(said)) and not _OF_KIN.match(said, found.start()):
            return True
        if not _holds(said, terms, words) or (self.is_name and self.words.casefold() not in said.casefold()):
            return False
        if self.is_name:
            return True
        if self.is_thing and not _IN_DOING.search(self.words) and not _OF_ANOTHER.search(self.words):
            mine = re.search(_MINE.format(re.escape(self.thing)), said, re.IGNORECASE)
            is_begun = mine is not None and mine.start() == 0 and has_han(said)
            return mine is not None and (not is_begun or _whose(text, clause, begins, [self.thing]) in {_SELF, ""})
        return self._is_told_of_whom(text, clause, begins, terms)

    def _is_told_of_whom(self, text: str, clause: Span, begins: int, terms: Sequence[str]) -> bool:
        """Tell whether a clause that holds the words says them of the same person."""
        said = clause.of(text)
        whose = _whose_of(self.words)
        if not whose:
            return True
        subject = _MENTIONS.match(self.words)
        terms = query_terms(self.words[subject.end() :]) if subject else terms
        if not terms:  # "everything about my sister"
            return any(_mentioned(one) == whose for one in _MENTIONS.finditer(said))
        # "I smoke", 我有哮喘: that my dad smokes stays, and that I read about it.
        place = clause.start + _first_place(said, terms)
        if whose == _SELF and (
            _TOPIC.search(text[clause.start : place]) or _TOPIC_BEHIND.search(said, place - clause.start)
        ):
            return False
        return whose == _whose(text, clause, begins, terms)


_SELF = "self"


def _whose_of(words: str) -> str:
    """Return whom words are about that begin with them: the speaker, a kin of theirs, or nobody that is known."""
    found = _MENTIONS.match(words.removeprefix("that ").removeprefix("that ").strip())
    return "" if found is None else _mentioned(found)


def _mentioned(found: re.Match[str]) -> str:
    if found["self"]:
        return _SELF
    kin = found["kin"] or found["kin_zh"] or found["bare"]
    return person(f"的{kin.lower()}").removeprefix("的") if kin else "other"


_SENTENCE = 200
"""Characters before a word in which it was said whom it is of. Chosen by hand."""


def _whose(text: str, clause: Span, begins: int, terms: Sequence[str]) -> str:
    """Return whom a clause is about where it holds some terms: who was mentioned last before those in its sentence."""
    place = clause.start + _first_place(clause.of(text), terms)
    begins = max(begins, place - _SENTENCE)
    whose, kin, at = "", "other", -1
    for found in _MENTIONS.finditer(text, begins, place):
        whose = _mentioned(found)
        whose = kin if found["pronoun"] else whose
        kin = whose if whose not in {_SELF, "other"} else kin
        at = found.end() + (2 if whose == kin else 0)  # my sister Nell is the sister
    named = [one.start() for one in _NAMED.finditer(text, begins, place) if one["en"].casefold() not in terms]
    if has_han(text[begins:place]):
        words = tagged(text[begins:place])
        named += [begins + one.start for one in words if one.tag == "nr" and not is_kin(one.text)]
    if named and max(named) >= at:
        return "other"
    if not whose:
        behind = _MENTIONS.search(text, place, clause.end)
        whose = "" if behind is None else _mentioned(behind)
    return whose


def _first_place(text: str, terms: Sequence[str]) -> int:
    """Return where the first of some terms stands in a text, as far as its beginning tells; else where that ends."""
    folded = text.casefold()
    places = [
        max(folded.find(term), folded.find(term[0]))
        if is_unspaced(term)
        else getattr(re.search(rf"\b{re.escape(term[: max(3, len(term) - 2)])}", folded), "start", lambda: -1)()
        for term in terms
        if term not in CHINESE_STOP_WORDS
    ]
    return min((place for place in places if place >= 0), default=len(text) if not terms else 0)


def _bare(text: str) -> str:
    """Return Chinese words without what tells that something is done or was: 离过两次婚 is told by 离婚."""
    return _ASPECT.sub("", simplified(text))


def _holds(text: str, terms: Sequence[str], words: Sequence[str]) -> bool:
    """Tell whether a text holds all of some terms; of Chinese all of its words, or most of what is cut out of it."""
    text = _bare(text)
    held = held_terms(text, terms)
    unspaced = [term for term in terms if is_unspaced(term)]
    longer = "".join(term for term in unspaced if len(term) > 1)
    pairs = [term for term in unspaced if len(term) > 1 or term not in longer]
    return held.issuperset(term for term in terms if term not in unspaced) and (
        sum(term in held for term in pairs) >= _ENOUGH * len(pairs)
        or (bool(words) and all(word in text for word in words))
    )


def _words(text: str) -> list[str]:
    """Return the Chinese words of a text that tell something."""
    return (
        [word for word in cut(text) if word not in CHINESE_STOP_WORDS and word not in "钱事"] if has_han(text) else []
    )


class Forgetting:
    """Finds what goes out of mind along with something, and what went."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def along(
        self,
        scope: Scope,
        known: Record,
        *,
        without: Sequence[Record] = (),
        beside: Mapping[str, Record] = MappingProxyType({}),
        unstored: Sequence[Record] = (),
        before: int = sys.maxsize,
    ) -> Along:
        """Return what goes out of mind with a memory or a turn, or comes back with one that is forgotten.

        `without` are other memories that go as well, so that no turn has to stay for them; `beside`, by id, those that
        are otherwise by now than they are stored, and `unstored` its own versions that are not stored yet. What was
        said from `before` on, by place in the journal, stays.
        """
        was_forgotten = known.status is Status.FORGOTTEN
        if known.kind in MEMORIES:
            if was_forgotten:
                return await self._cut_with(scope, known)
            others = {**beside, **{one.id: one.replace(status=Status.FORGOTTEN) for one in (*without, known)}}
            versions = [one.record for one in await self._store.versions(scope.owner, known.id)]
            telling = await self._telling(scope, [*versions, *unstored, known], others, before)
            return await self.with_episodes(scope, telling, known)
        rests = RecordFilter(kinds=MEMORIES, statuses=None)
        query = RecordQuery(filter=rests, source_entry_ids=(known.id,), limit=NO_LIMIT)
        made = await self._store.records(scope.owner, query)
        alone = [one for one in made if {source.entry_id for source in one.sources} == {known.id}]
        if was_forgotten:
            return Along([one for one in alone if _went_with(one, known)], await self._cut_at(scope, made, known))
        return await self.with_episodes(scope, Along([one for one in alone if one.status in STANDING]), known)

    async def with_episodes(self, scope: Scope, along: Along, known: Record | None = None) -> Along:
        """Return it with the episodes of its turns, which are to show no more of these than is left.

        `known` is what goes itself, with which all that goes along.
        """
        forgotten = along.forgotten if known is None else [*along.forgotten, known]
        left = {one.id: one.sources for one in along.rewritten if one.kind is Kind.TURN}
        left |= {one.id: () for one in forgotten if one.kind is Kind.TURN}
        query = RecordQuery(filter=RecordFilter(kinds=(Kind.EPISODIC,)), source_entry_ids=tuple(left), limit=NO_LIMIT)
        rewritten = {one.id: one for one in along.rewritten}
        gone = {one.id for one in forgotten}
        for one in await self._store.records(scope.owner, query) if left else []:
            if is_talk(one) and one.id not in gone:
                sources = tuple(part for source in one.sources for part in left.get(source.entry_id, (source,)))
                after = rewritten.get(one.id) or one.replace(version=one.version + 1)
                rewritten[one.id] = after.replace(sources=sources)
        return Along(along.forgotten, list(rewritten.values()))

    async def told(self, scope: Scope, wanted: Wanted, *, user: str, before: int = sys.maxsize) -> list[Record]:
        """Return the turns and memories of a user that tell what is wanted; of turns those before a place."""
        words = " ".join(f"{one.words} {_SOUGHT.get(one.thing, '')}" for one in wanted.every)
        found = [one for one in await self._found(scope, words, user, before=before) if one.status in STANDING]
        return [one for one in found if wanted.spans_in(one.content)]

    async def unsupported(self, scope: Scope, gone: Iterable[str], cut: Mapping[str, Record]) -> list[Record]:
        """Return the memories that are left without the words that they rest on, by turns that are gone or were cut."""
        ids = set(gone)
        touched = (*ids, *(one.id for one in cut.values() if one.kind is Kind.TURN))
        query = RecordQuery(filter=RecordFilter(kinds=MEMORIES), source_entry_ids=touched, limit=NO_LIMIT)
        made = [one for one in await self._store.records(scope.owner, query) if not is_talk(one)] if touched else []
        turns = {
            one.id: one for one in await self._turns(scope, [part.entry_id for one in made for part in one.sources])
        }
        return [
            one
            for one in made
            if not any(
                part.entry_id not in ids
                and ((turn := turns.get(part.entry_id)) is None or turn.status in STANDING)
                and (turn is None or _still_tells(turn, cut.get(turn.id, turn), part, one.memory.value))
                for part in one.sources
            )
        ]

    async def whole(self, scope: Scope, entry_id: str) -> Along:
        """Return the turn of an entry, and what rests on it alone."""
        found = Along(await self._turns(scope, [entry_id]))
        for turn in found.forgotten:
            found += await self.along(scope, turn)
        return found

    async def said(self, scope: Scope, entry: Entry, start: int, end: int, wanted: Wanted | None) -> Along:
        """Return the turn of an entry without an order: who says what to forget says it there, perhaps twice."""
        along = Along()
        for turn in await self._turns(scope, [entry.id]):
            spans = [Span(start, end), *(wanted.spans_in(entry.text[:start]) if wanted is not None else ())]
            gone = [Source(entry_id=entry.id, start=one.start, end=one.end) for one in spans]
            along += self.without(turn, _in_content(turn, gone))
        return along

    def without(self, record: Record, spans: Sequence[Span]) -> Along:
        """Return a turn or an episode without some parts of its content: its next version, or itself to be forgotten.

        A turn of which no more than a word is left goes whole.
        """
        if not spans:
            return Along()
        if record.kind is not Kind.TURN:
            return Along(rewritten=[_shortened(record, spans)]) if _left(record.content, spans) else Along([record])
        rest = _left(record.content, spans)
        if not any(len(query_terms(one.of(record.content))) > 1 for one in rest):
            return Along([record])
        return Along(rewritten=[_of_spans(record, _in_entry(record, rest), record.content, rest)])

    async def _telling(
        self, scope: Scope, versions: Sequence[Record], beside: Mapping[str, Record], before: int
    ) -> Along:
        """Return the turns that a memory was made of, and what else tells it, as far as they go or are cut."""
        known = versions[-1]
        said = list(dict.fromkeys(source for one in versions for source in one.sources))
        turns = await self._turns(scope, [source.entry_id for source in said])
        query = RecordQuery(
            filter=RecordFilter(kinds=MEMORIES), source_entry_ids=tuple(turn.id for turn in turns), limit=NO_LIMIT
        )
        stored = {one.id: one for one in await self._store.records(scope.owner, query)} if turns else {}
        others = [one for one in {**stored, **beside}.values() if one.kind in MEMORIES and one.status in STANDING]
        resting = {source.entry_id for one in others for source in one.sources if not is_talk(one)}
        along = Along()
        for turn in turns:
            if turn.status not in STANDING:
                continue
            quotes = _in_content(turn, [source for source in said if source.entry_id == turn.id])
            if turn.id not in resting and 2 * sum(map(len, quotes)) >= len(turn.content):
                along.forgotten.append(turn)
            else:
                along += self.without(turn, _narrowed(quotes, turn.content, known.memory))
        seen = {known.id, *(turn.id for turn in turns)}
        wanted = Wanted(_matter(known))
        is_distinct = len(query_terms(wanted.words)) > 1
        for one in await self.told(scope, wanted, user=known.memory.user, before=before) if is_distinct else []:
            if one.id not in seen and is_talk(one):
                along += self.without(one, wanted.spans_in(one.content))
        return along

    async def _cut_with(self, scope: Scope, known: Record) -> Along:
        """Return what went out of mind when a memory did: whole, or with what was cut out then put back."""
        versions = [one.record for one in await self._store.versions(scope.owner, known.id)]
        turns = await self._turns(scope, [source.entry_id for one in versions for source in one.sources])
        found = {one.id: one for one in turns}
        # What was forgotten is in no index but that of earlier versions.
        before = known.updated_at - timedelta(milliseconds=1)
        found |= {one.id: one for one in await self._found(scope, _matter(known), known.memory.user, as_of=before)}
        gone = [one for one in found.values() if one.kind is Kind.TURN and _went_with(one, known)]
        return Along(gone, await self._cut_at(scope, found.values(), known))

    async def _cut_at(self, scope: Scope, records: Iterable[Record], known: Record) -> list[Record]:
        """Return those of some turns and episodes that were cut when a record was forgotten, with what they had."""
        back: list[Record] = []
        for one in records:
            if is_talk(one) and one.status in STANDING and one.version > 1:
                every = [version.record for version in await self._store.versions(scope.owner, one.id)]
                cuts = [(was, cut) for was, cut in pairwise(every) if cut.updated_at == known.updated_at]
                back += [_put_back(one, every[0], was, cut) for was, cut in cuts]
        return back

    async def _turns(self, scope: Scope, entry_ids: Iterable[str]) -> list[Record]:
        known = await self._store.records_by_id(scope.owner, tuple(dict.fromkeys(entry_ids)))
        return [one for one in known.values() if one.kind is Kind.TURN]

    async def _found(
        self, scope: Scope, words: str, user: str, *, as_of: datetime | None = None, before: int = sys.maxsize
    ) -> list[Record]:
        """Return the turns of a user that hold some of the words, or did at a moment, and the memories made of them.

        Of turns those before a place in the journal: who wants forgotten what was told may tell another thing then.
        """
        whose = (MetadataCondition(USER_KEY, "in", (user,)),) if user else ()
        wanted = RecordFilter(kinds=(*MEMORIES, Kind.TURN), where=whose, statuses=STANDING, as_of=as_of)
        hits = await self._store.search_text(scope.owner, query_terms(words), record_filter=wanted, limit=_LOOKED_AT)
        ids = tuple(hit.record_id for hit in hits)
        found = await self._store.records_by_id(scope.owner, ids)
        # A memory that quotes a turn is found by way of that.
        query = RecordQuery(filter=RecordFilter(kinds=MEMORIES, statuses=None), source_entry_ids=ids, limit=NO_LIMIT)
        made = await self._store.records(scope.owner, query) if ids else []
        found = {**found, **{one.id: one for one in made}}
        said = await self._store.entries_by_id(scope.owner, found)
        return [
            one
            for one in found.values()
            if (user_in(said[one.id].metadata) if one.id in said else one.memory.user) == user
            and (one.id not in said or said[one.id].seq < before)
        ]


def is_talk(record: Record) -> bool:
    """Tell whether a record holds whatever was said: a turn, or what became of a session."""
    return record.kind is Kind.TURN or (record.kind is Kind.EPISODIC and record.memory.attribute == "session")


def both(one: Record, other: Record) -> Record:
    """Return what two next versions of the same record have in common."""
    if not isinstance(one.data, TurnData):
        return min(one, other, key=lambda record: len(record.content))
    places = _in_content(one, other.sources)
    return _of_spans(one.replace(version=one.version - 1), _in_entry(one, places), one.content, places)


def _went_with(one: Record, known: Record) -> bool:
    return one.status is Status.FORGOTTEN and one.updated_at == known.updated_at


def _matter(known: Record) -> str:
    """Return the words by which a memory is told elsewhere, where nobody says "the user"."""
    return "" if is_talk(known) else THE_USERS.sub(_as_oneself, known.content)


def _as_oneself(found: re.Match[str]) -> str:
    if has_han(found[0]):
        return "我的" if found[0].endswith("的") else "我"
    return "my" if found[0].endswith("s") else "I"


def _narrowed(quotes: Sequence[Span], text: str, data: MemoryData) -> list[Span]:
    """Return the clauses of quotes that hold a memory's value, where some do: the rest tells something else."""
    terms = query_terms(data.value)
    found: list[Span] = []
    for quote in quotes:
        told = [one for one in _clauses(quote, text) if terms and held_terms(one.of(text), terms).issuperset(terms)]
        found += told or [quote]
    return found


def _clauses(span: Span, text: str) -> list[Span]:
    """Return the parts of a stretch between commas and the like."""
    borders = [span.start, *(one.end() for one in _CLAUSE_END.finditer(text, span.start, span.end)), span.end]
    return [Span(start, end) for start, end in pairwise(borders) if start < end]


def _left(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return what is left of a text without some parts, each from its first word on; nothing that says nothing."""
    rest = []
    for span in _minus([Span(0, len(text))], spans):
        led_in = _LEADS_IN.match(text, span.start, span.end)
        start = led_in.end() if led_in and span.start else span.start
        led_out = _LEADS_OUT.search(span.of(text)) if span.end < len(text) else None
        end = span.start + led_out.start() if led_out else span.end
        one = Span(min(start, end), end).trimmed(text)
        if any(map(str.isalnum, one.of(text))):
            rest.append(one)
    return rest


def _minus(spans: Sequence[Span], cut: Iterable[Span]) -> list[Span]:
    left = list(spans)
    for gone in cut:
        left = [
            part
            for one in left
            for part in (Span(one.start, min(one.end, gone.start)), Span(max(one.start, gone.end), one.end))
            if part.start < part.end
        ]
    return left


def _union(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: one.start):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


# ── a turn's content is made of spans of its entry, with a line for each ─────


def _places(turn: Record) -> list[tuple[Span, int]]:
    """Return the spans of its entry that a turn's content is made of, each with its beginning there."""
    found, at = list[tuple[Span, int]](), 0
    for source in turn.sources:
        end = len(turn.content) if source.end is None else source.end
        found.append((Span(source.start, end), at))
        at += end - source.start + 1
    return found


def _moved(parts: Iterable[Span], places: Sequence[tuple[Span, int]]) -> list[Span]:
    """Return where parts stand elsewhere, by stretches that each have a beginning there."""
    found: list[Span] = []
    for part in parts:
        for span, at in places:
            start, end = max(part.start, span.start), min(part.end, span.end)
            if start < end:
                found.append(Span(at + start - span.start, at + end - span.start))
    return found


def _in_content(turn: Record, sources: Iterable[Source]) -> list[Span]:
    """Return where parts of an entry stand in the content of its turn, as far as they still do."""
    parts = (Span(source.start, sys.maxsize if source.end is None else source.end) for source in sources)
    return _union(_moved(parts, _places(turn)))


def _still_tells(turn: Record, cut: Record, part: Source, value: str) -> bool:
    """Return whether a turn that was cut has still what a memory quotes of it: its value, else most of the words."""
    was, now = ("".join(span.of(one.content) for span in _in_content(one, [part])) for one in (turn, cut))
    if value and value in was:
        return value in now
    return 2 * len(now) >= len(was)


def _in_entry(turn: Record, spans: Iterable[Span]) -> list[Span]:
    """Return where parts of a turn's content stand in its entry."""
    return _moved(spans, [(Span(at, at + len(span)), span.start) for span, at in _places(turn)])


def _of_spans(turn: Record, spans: Sequence[Span], text: str, places: Sequence[Span]) -> Record:
    """Return a turn that is made of some spans of its entry, whose words stand at places of a text."""
    sources = tuple(Source(entry_id=turn.id, start=span.start, end=span.end) for span in spans)
    content = "\n".join(place.of(text) for place in places)
    return turn.replace(content=content, sources=sources, version=turn.version + 1)


def _shortened(record: Record, spans: Sequence[Span]) -> Record:
    """Return an episode without some parts, and without the answer that it ended with."""
    content = " ".join(one.of(record.content) for one in _left(record.content, spans))
    data = record.data.replace(value=content, outcome="") if isinstance(record.data, EpisodicData) else record.data
    return record.replace(content=content, data=data, version=record.version + 1)


def _put_back(now: Record, first: Record, was: Record, cut: Record) -> Record:
    """Return a record with what it had before it was cut; what was cut out of it since stays out."""
    if (now.content, now.sources) == (cut.content, cut.sources) or not isinstance(now.data, TurnData):
        had, left = set(was.sources), set(cut.sources)
        told_by = sorted(set(now.sources) - (left - had) | (had - left), key=lambda one: (one.entry_id, one.start))
        return now.replace(content=was.content, sources=tuple(told_by), data=was.data, version=now.version + 1)
    back = _minus([span for span, _ in _places(was)], [span for span, _ in _places(cut)])
    told = _union([*(span for span, _ in _places(now)), *back])
    places = _places(first)
    spans = _moved(told, [(span, span.start) for span, _ in places])
    return _of_spans(now, spans, first.content, _moved(told, places))
