"""What memories say of what recall found: a fact and its turn are one answer, and what holds comes before what held.

By the words alone, the newest of what somebody says of a matter comes first, above all that it has changed.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from remanent.cognition.model import MEMORIES
from remanent.model import Entry, Found, FoundItem, FoundSource, Kind, MemoryData, Origin, Record, Scope, Status
from remanent.recall import Question
from remanent.stores import LIVE, NO_LIMIT, RecordFilter, RecordQuery, Store
from remanent.text.regex import lazy_regex
from remanent.text.sentences import sentences
from remanent.text.talk import asks_for_advice, only_asks, takes_back
from remanent.text.terms import held_terms, index_terms, is_unspaced, query_terms

_HALF = 0.5
"""The share of a turn that a statement must fill for the turn to be about it; chosen by hand."""
_BESIDE = "cognition"


async def read_along(store: Store, question: Question, record_ids: Sequence[str]) -> None:
    """Read the memories of candidates beside them: a turn has the id of its entry."""
    question.beside[_BESIDE] = (frozenset(record_ids), await _made_of(store, question, record_ids))


async def _made_of(store: Store, question: Question, entry_ids: Sequence[str]) -> list[Record]:
    """Return the memories that were made of entries, now or in an earlier version."""
    if not entry_ids:
        return []
    query = RecordQuery(
        filter=RecordFilter(kinds=MEMORIES, statuses=(*LIVE, Status.EXPIRED), as_of=question.record_filter.as_of),
        source_entry_ids=tuple(entry_ids),
        limit=NO_LIMIT,
    )
    return await store.records(question.scope.owner, query)


async def _memories(store: Store, question: Question, entry_ids: Sequence[str]) -> list[Record]:
    """Return the memories of what was found, from what was read beside the candidates where that holds them all."""
    asked, read = question.beside.get(_BESIDE, (frozenset(), []))
    if not asked.issuperset(entry_ids):
        return await _made_of(store, question, entry_ids)
    others = asked.difference(entry_ids)
    # Of those that rest on candidates nothing is said that did not come into the answer.
    return [
        one for one in read if not any(source.entry_id in others for source in one.sources) or _rests_on(one, entry_ids)
    ]


def _entries_of(item: FoundItem) -> set[str]:
    return {source.entry_id for source in item.sources}


def _holds_correction(item: FoundItem) -> bool:
    """Tell whether a turn is told together with a later one by which somebody took it back."""
    return any(takes_back(source.text) for source in item.sources[1:])


def _rests_on(record: Record, entry_ids: Sequence[str]) -> bool:
    return any(source.entry_id in entry_ids for source in record.sources)


async def review(
    store: Store, question: Question, found: Found, *, alive_at: datetime, without: Collection[str] = ()
) -> Found:
    """Return an answer with the memories that were made of its turns, what is out of date behind what is not.

    What rests on nothing but the entries `without` which it is asked does not count.
    """
    without = frozenset(without)
    entry_ids = tuple(
        dict.fromkeys(source.entry_id for item in found.items if item.kind is Kind.TURN for source in item.sources)
    )
    if not entry_ids or found.grain != "item":
        return found
    memories = [
        one
        for one in await _memories(store, question, entry_ids)
        if one.status in LIVE
        and (one.expires_at is None or one.expires_at > alive_at)
        and not (one.sources and without.issuperset(source.entry_id for source in one.sources))
    ]
    if not memories:
        return found
    return await _Review(store, question, memories).apply(found)


async def doubted_behind(
    store: Store, question: Question, memories: Sequence[Record], items: Sequence[FoundItem]
) -> list[FoundItem]:
    """Return items with the newer words before each of some memories that those let doubt."""
    look, found = _Review(store, question, memories), list(items)
    for record, old in look.doubted(found):
        found = await look.current_first(found, record, old)
    return found


class _Review:
    """One answer, looked through."""

    def __init__(self, store: Store, question: Question, memories: Sequence[Record]) -> None:
        self._store = store
        self._question = question
        self._memories = memories
        self._current: dict[str, list[Record]] = {}
        """By entry, the memories that rest on it now."""
        for record in memories:
            for source in record.sources:
                self._current.setdefault(source.entry_id, []).append(record)

    async def apply(self, found: Found) -> Found:
        """Return the answer with its items in their new order."""
        items = [self._with_memories(item) for item in sorted(found.items, key=lambda item: item.rank)]
        items = self._once(items)
        for record, old in await self._outdated(items):
            items = await self.current_first(items, record, old)
        for record, old in self.doubted(items):
            items = await self.current_first(items, record, old)
        ranked = [item.amended(rank=rank) for rank, item in enumerate(items, start=1)]
        if found.order == "time":
            ranked.sort(key=lambda item: (item.occurred_at, item.record_id))
        return found.replace(items=tuple(ranked))

    def _with_memories(self, item: FoundItem) -> FoundItem:
        """Return a turn with the ids of the memories that were made of it, and why one of them no longer holds."""
        if item.kind is not Kind.TURN:
            return item
        made = [record for source in item.sources for record in self._current.get(source.entry_id, ())]
        if not made:
            return item
        stale = next((one.memory.stale for one in made if one.memory.stale and self._asks_of(one, item)), "")
        ids = tuple(dict.fromkeys(record.id for record in made))
        return item.amended(memory_ids=ids, stale=stale)

    def _once(self, items: Sequence[FoundItem]) -> list[FoundItem]:
        """Leave out a memory whose turn is told, and a turn of which a memory that stands before it tells.

        A turn that is told with its correction takes the place of the memory that was made of the correction: it tells
        that and what was wrong.
        """
        corrected = [item for item in items if item.kind is Kind.TURN and _holds_correction(item)]
        seen: set[str] = set()
        kept = []
        for item in items:
            about = _entries_of(item)
            if item.kind in MEMORIES and about:
                told = next((turns for turns in corrected if about <= _entries_of(turns)), None)
                if told is not None and told.record_id not in seen:
                    kept.append(told.amended(score=max(item.score, told.score)))
                    seen |= _entries_of(told)
                    continue
                if about <= seen:
                    continue
            if item.kind is Kind.TURN and item.record_id in seen:
                continue
            seen |= about
            kept.append(item)
        return kept

    async def _outdated(self, items: Sequence[FoundItem]) -> list[tuple[Record, FoundItem]]:
        """Return the turns whose statement was replaced since, each with the memory as it is now."""
        found = []
        changed = [one for one in self._memories if one.memory.replaces]
        for record, quotes in zip(changed, await asyncio.gather(*map(self._past_quotes, changed)), strict=True):
            now_from = {source.entry_id for source in record.sources}
            for item in items:
                entry_id = item.sources[0].entry_id if item.sources else ""
                if item.kind is not Kind.TURN or entry_id not in quotes:
                    continue
                if any(one.entry_id in now_from for one in item.repeated):
                    continue  # said again since: it holds again
                if _holds_correction(item) and now_from & _entries_of(item):
                    continue  # what is right is told with it
                if self._is_about(item.sources[0].text, quotes[entry_id]):
                    found.append((record, item))
        return found

    def doubted(self, items: Sequence[FoundItem]) -> list[tuple[Record, FoundItem]]:
        """Return the answers that newer words let doubt, each with its memory."""
        doubted = [one for one in self._memories if one.memory.stale and one.memory.newer]
        return [
            (one, item)
            for one in doubted
            for item in items
            if _rests_on(one, [item.record_id]) or item.record_id == one.id
        ]

    async def _past_quotes(self, record: Record) -> dict[str, tuple[int, int]]:
        """Return by entry where the words of a memory's versions stand that hold no more."""
        versions = await self._store.versions(self._question.scope.owner, record.id)
        return {
            source.entry_id: (source.start, len(one.record.content) if source.end is None else source.end)
            for one in versions
            if one.record.updated_at <= record.updated_at and isinstance(one.record.data, MemoryData)
            for source in one.record.sources
        }

    def _asks_of(self, record: Record, item: FoundItem) -> bool:
        """Tell whether the question may be about what a memory was made of: no more of it is in the rest of the turn.

        Else "its premise changed" would stand before what holds as ever.
        """
        texts = {source.entry_id: source.text for source in item.sources}
        quotes = [(texts[one.entry_id], one) for one in record.sources if one.entry_id in texts]
        return any(self._lead(text, one.start, len(text) if one.end is None else one.end) >= 0 for text, one in quotes)

    def _is_about(self, text: str, quote: tuple[int, int]) -> bool:
        """Tell whether the question is about what a turn says in its quote, and not about the rest of it."""
        start, end = quote
        lead = self._lead(text, start, end)
        return lead > 0 or (lead == 0 and end - start >= _HALF * len(text))

    def _lead(self, text: str, start: int, end: int) -> int:
        """Return how many more words of the question stand in a quote than in the rest of its text alone."""
        asked = set(self._question.terms)
        said, rest = set(index_terms(text[start:end])), set(index_terms(f"{text[:start]} {text[end:]}"))
        return len(asked & said) - len(asked & (rest - said))

    async def current_first(self, items: list[FoundItem], record: Record, old: FoundItem) -> list[FoundItem]:
        """Put what says how it is now before what says how it was: there, where that is what is asked for.

        What came along by its likeness alone brings nothing with it: it only goes behind what holds.
        """
        place = next((number for number, item in enumerate(items) if item.record_id == old.record_id), None)
        if place is None:
            return items
        doubt = record.memory.newer if record.memory.stale else ""
        now_from = {doubt} if doubt else {source.entry_id for source in record.sources}
        newer = next((item for item in items if item.sources and item.sources[0].entry_id in now_from), None)
        newer = newer or next((item for item in items if item.record_id == record.id and not doubt), None)
        outdated = items[place] if doubt else items[place].amended(outdated_by=record.id)
        is_asked = place == 0 or not old.ranks or any(not one.path.startswith("vector") for one in old.ranks)
        if newer is None and is_asked:
            newer = await self._item(record, like=old)
        elif newer is not None and items.index(newer) > place and not is_asked:
            # A mere doubt moves nothing back: "the new manager is called Femi" had put where somebody works last.
            if doubt:
                return items
            place = items.index(newer) - 1
        elif newer is not None and items.index(newer) < place:
            newer = None
        if newer is None:
            items[place] = outdated
            return items
        rest = [item for item in items if item.record_id not in {old.record_id, newer.record_id}]
        return [*rest[:place], newer, outdated, *rest[place:]]

    async def _item(self, record: Record, *, like: FoundItem) -> FoundItem | None:
        """Return what says how it is now: the memory, or the turn that lets doubt it; nothing where that is gone."""
        if doubt := record.memory.newer if record.memory.stale else "":
            found = (await self._store.records_by_id(self._question.scope.owner, [doubt])).get(doubt)
            if found is None or found.status not in LIVE:
                return None
            record = found
        entries = await entries_of(self._store, self._question.scope, record)
        return item_of(record, entries, score=like.score)


async def entries_of(store: Store, scope: Scope, record: Record) -> dict[str, Entry]:
    """Return what a memory came from, without the erased."""
    read = await store.entries_by_id(scope.owner, [source.entry_id for source in record.sources])
    return {entry_id: entry for entry_id, entry in read.items() if not entry.erased}


def item_of(record: Record, entries: dict[str, Entry], *, score: float) -> FoundItem:
    """Return a memory as an answer, or a turn."""
    is_memory = isinstance(record.data, MemoryData)
    sources = FoundSource.all_of(record, entries)
    ids, stale = ((record.id,), record.memory.stale) if is_memory else ((), "")
    return FoundItem.of(record, sources, score=score, trust=record.trust, memory_ids=ids, stale=stale)


# ── the newest word on a matter first ────────────────────────────────────────

_CONTENDERS = 5
"""Places at the head of an answer among which the newest word comes first: what is found at all stays the same."""
_SAME_MATTER = 0.6
"""The share of what the best says to the question, by the weight of the words, that another one must say as well to be
about the same matter. With .5 to .7 most of the questions of LongMemEval and BEAM for what has changed come right; with
.3 the first place of their other questions suffers."""
_ENOUGH_WORDS = 2
"""By one word alone ("where do I live") what is said of somebody else counts as the same matter."""
_MOST_OF_IT = 0.5
"""The share of its words to the question that must be said again by who tells of a change; chosen by hand."""
_READ = 2_000
"""Characters of a turn that are compared; what is longer is a document more than a word on a matter."""
_LONGEST_CHANGE = 200
"""Characters of a turn in which a word of change is heard: in longer ones it mostly is of something else. With any
length, 5 of 143 questions of LongMemEval's pool lost what answers them from the first place; with 300 one did."""
_OF_NOW = lazy_regex(
    r"\b(?:now|current(?:ly)?|latest|newest|most recent(?:ly)?|these days|nowadays|so far|still|anymore|up to date)\b"
    r"|现在|目前|如今|最近|最新|眼下|至今|还在",
    re.IGNORECASE,
)
_OF_THEN = lazy_regex(
    r"\b(?:first(?= (?:time|said|told|started|began|met|moved)\b|[ ?]*$)|before|previous(?:ly)?|former(?:ly)?|"
    r"original(?:ly)?|initial(?:ly)?|used to|earlier|back then|old)\b"
    r"|以前|之前|原来|最初|起初|一开始|从前|当初|第一次|曾经",
    re.IGNORECASE,
)
_OF_FIGURE = lazy_regex(
    r"\bhow (?:many|much|often|long|old|far|tall|big|fast|high)\b|\bwhen\b|\bdeadline\b"
    r"|\b(?:what|which)(?: is|'s|’s| are)? (?:the |my |our )?(?:\w+ ){0,3}?(?:time|date|day|number|year|percentage|"
    r"score|ratio|accuracy|amount|price|rate|average|quota|count)\b"
    r"|多少|几|多[长久大高远重]|什么时候|哪[天年月]|何时|频率",
    re.IGNORECASE,
)
"""What asks for a figure or a time: of that there is one at a time, and who tells one again tells how it is since. Of
what else people ask ("Have I used Flask?", "How should I format it?") the newest that shares the words is mostly about
something else: to put that first cost 15 of 128 other questions of BEAM what answers them in the first place; 2 now."""
_OF_A_SPAN = lazy_regex(
    r"\bbetween\b|\b(?:days?|weeks?|months?|years?|hours?) (?:ago|after|before|until|(?:had |have )?passed)\b"
    r"|\bhow long (?:did|had)\b|\bthe total\b|\bin total\b|\baltogether\b"
    r"|一共|总共|合计|之间|相隔|隔了|以前|之前|之后|多久以?[前后]",
    re.IGNORECASE,
)
"""What asks how far apart two things are, how long ago one was, or for a sum of things told apart."""
_CHANGES = lazy_regex(
    r"\b(?:switch|chang|mov|migrat|upgrad|downgrad|transferr?|convert|relocat|push|postpon|delay|reschedul|shift|"
    r"extend|bump|rais|increas|lower|reduc|cut|dropp|renam|promot|trad|swapp|exchang|replac|updat|set)(?:e?d|ing|s|)\b"
    r"[^.;!?\n]{0,60}?\b(?:to|from|for|into|with|by)\b|\bfrom now on\b|\bstarting (?:today|tomorrow|next|this|in|on|"
    r"from)\b|\bno longer\b|\bany ?more\b|\bany longer\b|\binstead\b|\brather than\b|\b(?:quit|stopped|gave up|given "
    r"up|dropped|cancell?ed|closed|sold|ditched|broke up|divorced|refunded|died|passed away|moved out|left|finished|"
    r"got rid of|called off|is off|brought forward|picked up|changed|moved|resigned|retired)\b|\b(?:went|gone|came|am|"
    r"is|are|was|['’]m|['’]s|['’]re|grew|rose|fell|back) (?:up|down|back) to\b|(?<!right )(?<!until )(?<!by )(?<!for "
    r")(?<!just )\bnow\b(?! that)|\b(?:my|our|the) new\b|(?:['’]ve|\bhave|\bhas) been \w+ing\b[^.;!?\n]*\bsince\b",
    re.IGNORECASE,
)
"""What says that something is otherwise than it was; by itself it says of nothing what it was."""
_HEADS = frozenset(
    f"{stem}{ending}"
    for stem in (
        "switch chang mov migrat upgrad downgrad transfer transferr refund convert relocat push postpon delay "
        "reschedul shift extend bump rais increas lower reduc cut dropp renam promot trad swapp exchang replac updat "
        "set start longer any anymore instead rather quit stopp gave given cancel cancell clos sold ditch broke divorc "
        "di pass left finish rid off brought pick resign retir up down back now new since"
    ).split()
    for ending in ("", "e", "ed", "d", "ing", "s", "es")
)
"""One word of every English form: most sentences hold none, and to look for the forms themselves takes long."""
_CHINESE_HEADS = frozenset("换改变搬迁转升降涨")
"""The first characters of the Chinese words for a change."""
_WORD = lazy_regex(r"[a-z]+")
_CHINESE_CHANGES = lazy_regex(
    r"换[成到了为人]|改[成为到用喝吃坐骑打学去发叫做看练睡住走在名]|更[改换新正]|变[成为了]|调整?[到为成]|推迟|延[期后]|提前"
    r"|搬[到去至家走回]|搬迁|迁[到移往至]|转[到为岗行学正]|升[级到为职]|[降涨减瘦胖增][加少]?[到至]|跳槽|入职|离职|辞职"
    r"|迁到|改[打练游跑学]|切换?到|分手|离婚|去世|过世|走了|毕业了|取消|卖[了掉]|退[了掉]|被偷|黄了|泡汤|作罢|停了|废弃|闭店|从今|从现在|从[这下本]个?[月周星]|不再|不打算"
    r"|[不没戒][^，。；！？\n]{1,8}了|现在(?!怎|有什)|上(?:小学|初中|高中|大学|[一二三四五六]年级)了|新的?(?:号码|地址|手机|工作|公司|邮箱)"
)
_NOT_TODAY = lazy_regex(r"今[天晚早](?!起|开始|以后)[^，。；！？\n]{0,4}不[^，。；！？\n]{1,8}了")
"""Who does not run today runs."""
_TOKEN = lazy_regex(r"[A-Za-z0-9][A-Za-z0-9.+_@'’-]*")
_SPAN = lazy_regex(
    r"[\d一二三四五六七八九十百两几半上下这本每好多]+个?(?:年|月|周|天|日|星期|礼拜|小时|分钟|季度|学期|公斤|千克|斤|公里|厘米|米|块|元|杯|次)"
)
"""How long or when, in Chinese: 「三个月」 and 「下个月」 name nothing that two turns could both be about."""
_NUMBERED = lazy_regex(r"[\d@]")
_AFTER_FIGURE = lazy_regex(r"st|nd|rd|th|[ap]m|h|[kmg]|kg|mg|g|km|cm|ml|%")
_BEGINS = lazy_regex(r"(?:^|[.!?\n] ?)$")
_ONESELF = lazy_regex(r"I(?:['’]\w+)?")


def newest_first(question: Question, found: Found) -> Found:
    """Return an answer to how things stand with the newest word on the matter first.

    Somebody who tells a figure again mostly says how it is since. Among the best, what the same speaker says to the
    same words of such a question is therefore put in the order of time, newest first, each in a place of theirs.
    Who says that it has changed needs fewer of the words: what was said of it before stands behind that.
    """
    asked = question.asked
    about_now = _OF_NOW.search(asked) is not None
    if found.grain != "item" or question.asks_for_order or question.asks_the_agent:
        return found
    if not about_now and _OF_THEN.search(asked):
        return found
    if question.asked_at is not None and any(finish < question.asked_at for _, finish in question.times):
        return found  # a time that is over: what was said since is not meant
    best = [item for item in found.items if 1 <= item.rank <= _CONTENDERS and item.kind is Kind.TURN and item.sources]
    # Who asked again yesterday told nothing since.
    telling = (one for one in best if one.trust is Origin.USER and not only_asks(one.text))
    best = sorted(telling, key=lambda item: item.rank)
    if len(best) < _ENOUGH_WORDS:
        return found
    matter = _Matter(asked, best)
    in_order = matter.told_again(best) if about_now or _asks_how_it_is(asked) else best
    in_order = matter.changed(in_order)
    rank_of = {item.record_id: place.rank for item, place in zip(in_order, best, strict=True)}
    ranked = [item.amended(rank=rank_of.get(item.record_id, item.rank)) for item in found.items]
    if found.order != "time":
        ranked.sort(key=lambda item: item.rank)
    return found.replace(items=tuple(ranked))


class _Matter:
    """What a question is about, and how much the best of an answer say to it."""

    def __init__(self, asked: str, best: Sequence[FoundItem]) -> None:
        self._text = asked
        self._asked = set(query_terms(_OF_NOW.sub(" ", asked)))
        self._said = {item.record_id: held_terms(item.text[:_READ], self._asked) for item in best}
        self._times = Counter(term for terms in self._said.values() for term in terms)

    def _weight(self, terms: Iterable[str]) -> float:
        return sum(1 / self._times[term] for term in terms)

    def told_again(self, best: Sequence[FoundItem]) -> list[FoundItem]:
        """Return the best with those that say the same as the first in the order of time."""
        first = self._said[best[0].record_id]
        if _words(first) < _ENOUGH_WORDS:
            return list(best)
        role = best[0].sources[0].role
        least = _SAME_MATTER * self._weight(first)
        rivals = [
            item
            for item in best
            if item.sources[0].role == role and self._weight(self._said[item.record_id] & first) >= least
        ]
        in_time = iter(sorted(rivals, key=lambda item: (_last_told(item), -item.rank), reverse=True))
        return [next(in_time) if item in rivals else item for item in best]

    def changed(self, best: Sequence[FoundItem]) -> list[FoundItem]:
        """Return the best with what tells of a change before what was said of the matter until then."""
        in_order = list(best)
        for item in sorted(best, key=_last_told):
            place = in_order.index(item)
            older = [
                other
                for other in in_order[:place]
                if _last_told(other) < _last_told(item) and other.sources[0].role == item.sources[0].role
            ]
            told = _change_in(item.text) if older else ""
            first = next((other for other in older if told and self._is_of(told, other)), None)
            if first is not None:
                in_order.insert(in_order.index(first), in_order.pop(place))
        return in_order

    def _is_of(self, told: str, other: FoundItem) -> bool:
        """Tell whether a change is one of what was said before: by what was asked, or because it names what was."""
        if not _is_of_the_same(told, f"{other.text} {self._text}"):
            return False
        said = _whole(self._said[other.record_id])
        # What says that something changed does not say what: "Mum's moved" is nothing of a flat that one moved into.
        said = {term for term in said if term not in _HEADS and term[0] not in _CHINESE_HEADS} or said
        if said and _words(held_terms(told, said)) >= _MOST_OF_IT * _words(said):
            return True
        if _takes_its_place(told, other.text[:_READ]):
            return True
        if any(terms and set(terms) == held_terms(other.text[:_READ], terms) for terms in _left_behind(told)):
            return True
        return bool(_names(told) & _names(other.text[:_READ]) - self._asked)


def _asks_how_it_is(asked: str) -> bool:
    """Tell whether a question asks for a figure or a time that may be another one by now, or whether it changed."""
    if _OF_A_SPAN.search(asked):
        return False
    return _OF_FIGURE.search(asked) is not None or (_tells_of_change(asked) and not asks_for_advice(asked))


def _is_of_the_same(told: str, other: str) -> bool:
    """Tell whether whom a change is of, where it names somebody, is named there too: 我爸瘦到70公斤了 is not of me."""
    from remanent.language.offline.doubts import somebody_in

    named = somebody_in(told)
    return not named or named.casefold() in other.casefold()


def _takes_its_place(told: str, other: str) -> bool:
    """Tell whether a change put another of a kind in the place of what was told: swimming in that of running."""
    from remanent.language.offline.changes import ROWS, life_changes, takes_the_place

    return any(
        (ROWS[name].sort or ROWS[name].is_of_kind) and takes_the_place(name, instead, told, of=other)
        for name, instead, _ in life_changes(told)
    )


def _left_behind(told: str) -> list[list[str]]:
    """Return the words for what a change says was so until then: "I switched from coffee to tea"."""
    # Only who tells of a change has it read: few recalls need what reads it.
    from remanent.language.offline.changes import changes

    return [query_terms(change.was) for change in changes(told)]


def _change_in(text: str) -> str:
    """Return the sentences of a turn that tell of a change, none where it tells of none."""
    if len(text) > _LONGEST_CHANGE:
        return ""
    return " ".join(said for span in sentences(text) if _tells_of_change(said := span.of(text)))


def _tells_of_change(said: str) -> bool:
    if not said.isascii() and _CHINESE_CHANGES.search(_NOT_TODAY.sub("", said)) is not None:
        return True
    return not _HEADS.isdisjoint(_WORD.findall(said.lower())) and _CHANGES.search(said) is not None


def _names(text: str) -> set[str]:
    """Return what a text calls by name: Chinese by its words, English by what is written large or holds a digit."""
    english = [
        found[0]
        for found in _TOKEN.finditer(text)
        if _NUMBERED.search(found[0])
        or (
            found[0][0].isupper()
            and not _ONESELF.fullmatch(found[0])
            and not _BEGINS.search(text[max(0, found.start() - 2) : found.start()])
        )
    ]
    chinese = {
        term for term in query_terms(_SPAN.sub(" ", _TOKEN.sub(" ", text))) if is_unspaced(term) and len(term) > 1
    }
    pieces = query_terms(" ".join(english)) if english else ()
    # Of "26th" and "3pm" the letters after the figure names nothing: any other day has it, too.
    return chinese.union(one for one in pieces if not _AFTER_FIGURE.fullmatch(one))


def _whole(terms: Collection[str]) -> set[str]:
    """Return those terms that are no part of others: Chinese ones hold each other and their characters."""
    return {term for term in terms if not any(term != other and term in other for other in terms)}


def _words(terms: Collection[str]) -> int:
    """Return how many words terms are."""
    return sum(1 if term.isascii() else max(1, len(term) // 2) for term in _whole(terms))


def _last_told(item: FoundItem) -> tuple[datetime, datetime, str]:
    """Return when something was last said; messages of one call have one moment, and ids in their order."""
    noted = ((one.recorded_at or one.occurred_at, one) for one in item.repeated)
    # Nobody tells something after it was written down: what a clock ahead dated is not the newest for ever.
    return max((min(one.occurred_at, at), at, one.entry_id) for at, one in noted)
