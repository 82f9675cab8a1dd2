"""Questions for what a user told of themselves: their name, their work, where they live.

Such a question shares no word with its answer (「我是谁？」 beside 「我叫李雷」, "Who am I?" beside "My name is Ada"),
and its vector lies near to whatever else the user said of themselves. What is known of an attribute stands under an id
that follows from it: it is looked up, and the turn that it quotes answers. What they have or do of a sort (their pets,
their instrument) is looked for by the few words that the things of that sort are called: 「我有什么宠物？」 shares none
with 「我养了一只橘猫」, nor "What instrument do I play?" with "I took up the cello".
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import islice

from remanent.cognition.model import memory_id
from remanent.language.offline.statement_rules import expanded_form
from remanent.lightweight import dataclass
from remanent.model import Kind, Origin, Record
from remanent.recall import Candidate, Question, RecallPath
from remanent.stores import LIVE, RecordFilter, RecordQuery, Store
from remanent.text.regex import lazy_regex
from remanent.text.scripts import fold
from remanent.text.terms import query_terms
from remanent.text.words import parts_of, word_forms, word_tables

_LONGEST = 80
"""Characters of a question for one attribute; who asks at greater length asks for something else besides."""
_SHARE = 6.0
"""Times the weight of a path that no recipe names (.2): what is known outweighs words and meaning together."""
_READ = 60
"""Turns that name a thing of a sort and are read for whose it is: of 300 messages on one matter, the best. By hand."""
_SUBJECTS = ("用户", "The user")
_ASKED = word_forms("asked_of_oneself")
_PATTERNS = {name: lazy_regex(expanded_form(form, _ASKED)) for name, form in islice(_ASKED.items(), 4, None)}


def asked_attributes(question: str) -> tuple[str, ...]:
    """Return the attributes of themselves that somebody asks for, of those that have one name in every language."""
    words = fold(question).casefold().replace("’", "'")
    if len(question) > _LONGEST or names_kin(words):
        return ()
    return tuple(attribute for attribute, pattern in _PATTERNS.items() if pattern.search(words))


class ProfilePath(RecallPath):
    """The turns in which a user told of themselves what they ask for; asked only by such questions."""

    name = "profile"
    certain = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def share(self, question: Question) -> float:
        """Take part where turns answer a question for an attribute or a sort, as things stand now."""
        wanted = question.record_filter
        turns = wanted.kinds is None or Kind.TURN in wanted.kinds
        asked = (
            turns and wanted.as_of is None and (asked_attributes(question.asked) or asked_categories(question.asked))
        )
        return _SHARE if asked else 0.0

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Return the turns that tell what is asked for, what is known of an attribute first, each the newest first."""
        turns = {one.id: one for one in await self._of_attributes(question)}
        turns |= {one.id: one for one in await self._of_categories(question) if one.id not in turns}
        return [Candidate(record_id, 1.0 - number / (len(turns) + 1)) for number, record_id in enumerate(turns)][:limit]

    async def _of_attributes(self, question: Question) -> list[Record]:
        """Return the turns that the memories of the attributes rest on, and those that rest on none."""
        users = [str(user) for condition in question.whose for user in condition.values] or [""]
        ids = [
            memory_id(user, subject, attribute)
            for user in users
            for subject in _SUBJECTS
            for attribute in asked_attributes(question.asked)
        ]
        if not ids:
            return []
        known = RecordQuery(filter=RecordFilter(kinds=(Kind.SEMANTIC,), statuses=LIVE), record_ids=tuple(ids))
        memories = await self._store.records(question.scope, known)
        # What a person wrote rests on no turn, and answers by itself.
        written = (record.id for record in memories if not record.sources)
        return await self._turns(question, (*written, *(one.entry_id for record in memories for one in record.sources)))

    async def _of_categories(self, question: Question) -> list[Record]:
        """Return the turns in which the user tells of something of their own that belongs to what is asked for."""
        of_turns = replace(question.record_filter, kinds=(Kind.TURN,))
        found: list[Record] = []
        for category in asked_categories(question.asked):
            hits = await self._store.search_text(question.scope, category.terms, record_filter=of_turns, limit=_READ)
            turns = await self._turns(question, (hit.record_id for hit in hits))
            found += [one for one in turns if tells_of_own(one.content, category)]
        return found

    async def _turns(self, question: Question, record_ids: Iterable[str]) -> list[Record]:
        """Return those of the turns that the user said, the newest first."""
        wanted = tuple(record_ids)
        if not wanted:
            return []
        query = RecordQuery(filter=question.record_filter, record_ids=wanted, limit=len(wanted))
        said = (one for one in await self._store.records(question.scope, query) if one.trust is Origin.USER)
        # Messages of one millisecond have one moment; their ids are in the order in which they were said.
        return sorted(said, key=lambda one: (min(one.occurred_at, one.created_at), one.id), reverse=True)


# ── questions that name a sort of thing ──────────────────────────────────────

_PARTS = word_forms("kin_asked_of") | parts_of(r"""
near = (?:(?!(?:my|your|his|her|their|{kin}|someone|somebody|people|who|that|which|whose|with|to|and|but|about|of|for
  |from|at|by|like|near|than)s?\b)[a-z0-9-]+ ){0,4}
am = (?:i'm|i am|i was|we're|we are)
have = (?:i|we)(?:'ve| have| had| also have| still have| don't have| do not have| own)(?: got| had| owned)?
got = (?:i|we)(?: just| recently| finally| once)? (?:got|adopted|bought|rescued|keep|kept|raise|raised|fostered|lost)
mine = (?:my|our)
zh_adverb = 们|家里?|自己|现在|目前|从小|小时候|一直|还|也|又|都|就|最近|刚刚?|去年|前年|今年|上个?[周月]|昨天|已经
  |曾经?|以前|平时|周末|经常|常常?|每天|每周|偶尔|特别|很|最|非常|真的?|比较|挺
zh_when = (?:{zh_adverb}){0,6}
zh_near = (?:(?!{zh_kin}|[他她你]|别人)[^，。！？,.!?；;]){0,10}
zh_me = 我(?:[和跟]我?的?(?:{zh_kin})+(?:都|一样))?(?:(?!{zh_kin_too}|[他她你])[^。！？!?]){0,14}?
zh_do = 我{zh_when}
which_en = (?:what|which|how many|any|kinds?|sorts?|types?)\b[^.?!]{0,24}
zh_own = 我(?:{zh_adverb}|到底|究竟|一共|总共|一般|通常|主要|喜欢|擅长|是|可以|应该|之前|大学|上学|业余|下班后?|放假
  |晚上|时间|的时候|时|身上|身体|手上|名下){0,6}
""")
# Of each sort its words, what a question for it asks without naming it, and how somebody tells of one of theirs.
_TABLE = {
    f"{sort}_{part}": form
    for sort, table in word_tables("sorts_of_own").items()
    for part, form in parts_of(table).items()
} | parts_of(r"""
pet_also = {zh_own}养了?(?:什么|哪些|啥|几只)
pet_own = \b(?:{mine} {near}|{have} {near}|{got} {near}){things}|{zh_do}(?:有|养|买|领养|收养|捡
  |接)[^，。！？]{0,2}{zh_near}{zh_things}|我们?家?的?{zh_things}|(?:^|[。！？!?\n])\s*(?:家[里中](?:还|也)?[有养]
  |{zh_when}(?:领养|收养|养)[了着过]){zh_near}{zh_things}
siblings_own = \b(?:{mine} {near}|{have} {near}|{am} (?:an? |the )?){things}|我们?家?的?(?:亲|大|二|小
  |双胞胎)?{zh_things}|{zh_do}(?:有|是)[^，。！？]{0,5}{zh_things}
children_own = \b(?:{mine} {near}|{have} {near}|{got} {near}){things}|我们?家?的?(?:大|小)?{zh_things}|{zh_do}(?:有
  |生)[^，。！？]{0,5}{zh_things}
partner_also = \bam i (?:married|single|engaged|in a relationship)\b|{zh_own}(?:结婚|成家|单身)
partner_own = \b(?:{mine} {near}|{am} {near}|(?:i|we) (?:just |recently |finally )?got ){things}|我们?的?{zh_things}
  |{zh_do}{zh_things}|我{zh_when}[和跟](?:(?![他她你说讲聊谈])[^，。！？]){1,6}(?:分手|离婚|结婚)了
vehicle_also = \bwhat (?:do|did) i (?:drive|ride)\b
vehicle_own = \b(?:{mine} {near}|{have} {near}|{got} {near}|(?:i|we)(?: now| still| just)? (?:drive|drove|ride|rode
  |leased?) {near}){things}|{zh_do}(?:的|有|买|开(?!会|始|发)|骑|换|提)[^，。！？]{0,2}{zh_near}{zh_things}
  |我们?家的?{zh_things}|我{zh_when}把(?:(?!{zh_kin}|[他她你])[^，。！？]){0,3}{zh_things}给?卖
  |(?:^|[。！？!?\n])\s*(?:我们?家?的?)?(?:那辆|[旧老])?(?:{zh_things}|车){zh_when}卖掉?了[，,]\s*{zh_when}(?:换|买
  |提)成?了[^，。！？]{0,2}{zh_near}{zh_things}|(?:^|[.!?]\s+|\b(?:i|we)(?:'ve| have)?(?: just| finally| recently)? )
  (?:traded|swapped|exchanged)(?: in)? (?:my|our|the) (?:[a-z0-9-]+ ){1,4}for {near}{things}
instrument_own = \b(?:{mine} {near}|(?:i|we)(?:'ve| have|'m| am)?(?: been)? {near}(?:play|playing|played|learn
  |learning|practi[cs]e|practi[cs]ing|study|studying|took up|take up|taking|started) {near}){things}|{zh_do}(?:的|会
  |能|在)?(?:弹|拉|吹|打|学|练|玩|会|买|考)[^，。！？]{0,2}{zh_near}{zh_things}
hobby_also = \b(?:what|how) do i\b[^.?!]{0,24}\b(?:(?:free|spare|leisure) time|for fun|to relax|exercise)\b
  |{zh_own}(?:业余|空闲|闲暇|有空|没事)[^，。？]{0,6}(?:做|干)(?:些|点)?(?:什么|啥)
hobby_own = \b(?:{mine} {near}|{am} {near}(?:into|fond of|keen on|mad about|hooked on|obsessed with|practi[cs]ing
  |learning) {near}|(?:i|we)(?:'ve| have)? {near}(?:love|like|enjoy|adore|do|go|took up|take up|started|practi[cs]e
  |play|spend) (?:my |to )?(?:weekends |evenings |time )?{near}){things}|{zh_do}(?:的|会|在|去|玩|学|练|打|踢|喜欢|爱
  |爱上|迷上|热爱|坚持|开始|享受)[^，。！？]{0,2}{zh_near}{zh_things}
allergy_also = \bam i (?:[a-z]+ )?(?:allergic|intolerant)\b|\bwhat (?:can't|cannot|shouldn't|should) i (?:not )?eat\b
  |{zh_own}(?:不能|不可以)[吃碰](?:什么|哪些|啥)|{zh_own}对(?:什么|哪些|啥)[^，。？]{0,4}过敏
allergy_own = \b(?:{am} {near}|{have} {near}|{mine} {near}|(?:i|we) (?:carry|get|got|break out in) {near}
  |gives? me {near}|makes? (?:me|my [a-z]+) ){things}|{zh_me}{zh_things}
diet_also = \bdo i eat (?:meat|fish|pork|beef)\b|{zh_own}(?:吃素|吃荤|吃肉)[吗么]
diet_own = \b(?:{am} {near}|(?:i|we)(?:'ve| have)? (?:been {near}|{near}(?:eat|ate|follow|gave up|given up|avoid
  |stopped eating|quit|went|keep|don't eat|do not eat) {near})){things}|{zh_me}{zh_things}
job_also = \bdo i do for (?:a living|work)\b|{zh_own}(?:做|干)(?:什么|啥)的
job_own = \b(?:{am} (?:now |still |currently )?(?:an? |the ){near}|(?:i|we)(?:'ve| have)? {near}(?:work|worked|working
  |train|trained|training|qualified|started|retired) as (?:an? |the )?{near}|i became (?:an? )?{near}){things}
  |{zh_do}(?:在[^，。！？等看]{1,8})?(?:是|当|任|担任|做)(?:了|的)?(?:[一两几]?[名个位年])*(?:的)?{zh_near}{zh_things}
language_own = \b(?:{mine} {near}|{am} {near}(?:fluent in|learning|studying|taking) {near}|(?:i|we)(?:'ve
  | have)? {near}(?:speak|spoke|learn|learned|learnt|study|studied|understand|know|took) {near}){things}|{zh_do}(?:的
  |会|能|在)?(?:说|讲|懂|会|学|考|自学|精通)[^，。！？]{0,2}{zh_near}{zh_things}
health_own = \b(?:{am} {near}(?:diagnosed with {near})?|{have} {near}|{mine} {near}|(?:i|we) {near}(?:get|got
  |suffer from|developed|diagnosed with) {near}){things}|{zh_me}{zh_things}
""")
_ASKED_FOR_SORT = (
    r"\b{which_en}\b(?:{noun})\b[^.?!]{0,12}\b(?:do|did|have|am|are|can) (?:i|we)\b|\b(?:do|have) (?:i|we) (?:still |"
    r"already |currently )?(?:have|own|keep|got|play|speak|follow|do)\b(?! to\b)[^.?!]{0,24}\b(?:{noun})\W*$|"
    r"\b(?:what(?:'s| is| are| was| were)|who(?:'s| is| are)|tell me about|remember|about) (?:all )?(?:my|our) "
    r"(?:[a-z]+ )?(?:{noun})(?:'s? names?| called| again)?\W*$|{zh_own}(?:(?:有|养|会|能|玩|学|开|骑|弹|用|说|讲|做|干|"
    r"对|得|患|从事)(?:[^，。？的]|的(?=是|{zh_noun})){0,6}(?:{zh_noun})|"
    r"的[^，。？的有得对会患养开]{0,6}(?:{zh_noun})(?!对|会|得|患|养|住|吃|喜欢|有(?!哪些|(?:什么|啥|几.?)\W*$)))(?!里|"
    r"上|行|店|厂|服|表|场|日|时|中|进|完|到|单|地|经|计|量|压)[^，。？]{0,7}[？?]?$"
)
_LONGEST_FOR_SORT = 60
"""Characters of such a question; who asks at greater length asks for something else besides. Chosen by hand."""

_MOST_READ = 2_000
"""Characters of a turn that are looked at; more is a document, not talk."""


@dataclass(frozen=True)
class Category:
    """A sort of things that people have or do."""

    name: str

    def may_be_asked(self, text: str) -> bool:
        """Tell whether a question, in lower case, can be for this sort: to compile the form takes a while."""
        return any(hint in text for hint in _TABLE[f"{self.name}_hint"].split("|"))

    @cached_property
    def terms(self) -> list[str]:
        """What its things are called, as the index has it: English by stems, Chinese by pairs of characters.

        To take the Chinese ones apart into words would load a dictionary, for an English question, too.
        """
        chinese = _TABLE[f"{self.name}_zh_things"].split("|")
        pairs = (word[place : place + 2] for word in chinese for place in range(max(1, len(word) - 1)))
        return [*query_terms(_TABLE[f"{self.name}_things"].replace("|", " ")), *dict.fromkeys(pairs)]

    def unnamed(self, text: str) -> str:
        """Return a question without the name of this sort, which may be that of people: children, 兄弟姐妹."""
        return re.sub(f"{_TABLE[f'{self.name}_noun']}|{_TABLE[f'{self.name}_zh_noun']}", "", text, flags=re.IGNORECASE)

    @cached_property
    def asked(self) -> re.Pattern[str]:
        """The form of a question that somebody has for what is theirs of this sort."""
        also = _TABLE.get(f"{self.name}_also")
        return self._compiled(_ASKED_FOR_SORT if also is None else f"{_ASKED_FOR_SORT}|{also}")

    @cached_property
    def told(self) -> re.Pattern[str]:
        """The form of a sentence by which a speaker tells of one of theirs."""
        return self._compiled(_TABLE[f"{self.name}_own"])

    def _compiled(self, form: str) -> re.Pattern[str]:
        own = {name: _TABLE[f"{self.name}_{name}"] for name in ("noun", "zh_noun", "things", "zh_things")}
        own |= {"things": rf"(?:{own['things']})(?:e?s)?\b", "zh_things": f"(?:{own['zh_things']})"}
        return re.compile(expanded_form(form, {**_PARTS, **own}), re.IGNORECASE)


CATEGORIES = tuple(
    Category(name.removesuffix("_noun")) for name in _TABLE if name.endswith("_noun") and "zh" not in name
)
_OTHERS = lazy_regex(r"\b(?:he|she|they|you|your|his|her|their)\b|[他她你您]", re.IGNORECASE)
_KIN = lazy_regex(expanded_form(r"\b(?:{kin_too})'?e?s?\b|{zh_kin_too}", _PARTS), re.IGNORECASE)
_MINE = lazy_regex(r"\b(?:i|my|we|our)\b|我", re.IGNORECASE)


def asked_categories(question: str) -> tuple[Category, ...]:
    """Return the sorts of which somebody asks what they have or do themselves."""
    text = question.strip().replace("’", "'")
    if len(text) > _LONGEST_FOR_SORT or not _MINE.search(text) or _OTHERS.search(text):
        return ()
    folded = text.casefold()
    return tuple(
        one
        for one in CATEGORIES
        if one.may_be_asked(folded) and not names_kin(one.unnamed(text)) and one.asked.search(text)
    )


def names_kin(question: str) -> bool:
    """Tell whether a question names somebody of one's own: 「我妈对什么过敏？」 is for nothing of who asks."""
    return _KIN.search(question) is not None


def tells_of_own(text: str, category: Category) -> bool:
    """Tell whether somebody says that one of a sort is theirs, or that they do it."""
    return category.told.search(text[:_MOST_READ].replace("’", "'")) is not None
