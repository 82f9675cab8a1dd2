"""Questions for what a user told of themselves: their name, their work, where they live.

Such a question shares no word with its answer (「我是谁？」 beside 「我叫李雷」, "Who am I?" beside "My name is Ada"),
and its vector lies near to whatever else the user said of themselves. What is known of an attribute stands under an id
that follows from it: it is looked up, and the turn that it quotes answers. What they have or do of a sort (their pets,
their instrument) is looked for by what the things of that sort are called (`categories.py`).
"""

from collections.abc import Iterable
from dataclasses import replace

from remanent.cognition.categories import asked_categories, names_kin, tells_of_own
from remanent.cognition.model import memory_id
from remanent.model import Kind, Origin, Record
from remanent.recall import Candidate, Question, RecallPath
from remanent.stores import LIVE, RecordFilter, RecordQuery, Store
from remanent.text.regex import lazy_regex
from remanent.text.scripts import fold

_LONGEST = 80
"""Characters of a question for one attribute; who asks at greater length asks for something else besides."""
_SHARE = 6.0
"""Times the weight of a path that no recipe names (.2): what is known outweighs words and meaning together."""
_READ = 60
"""Turns that name a thing of a sort and are read for whose it is: of 300 messages on one matter, the best. By hand."""
_SUBJECTS = ("用户", "The user")
_IS = r"(?:'s| is| was|s)"
_NOW = r"(?: (?:currently|now|these days|at the moment))?"
_ZH_NOW = "(?:现在|目前|如今|今年|到底|究竟)?"
_WHAT = "(?:什么|啥|多少|哪[个里儿]?|几号?|谁)"
_ASKED: dict[str, str] = {
    "name": (
        rf"what{_IS} my (?:full |first |last |real )?name|what am i called|who am i|(?:my name|who i am)\W*$"
        rf"|我{_ZH_NOW}(?:叫|是叫|姓){_WHAT}|我是谁|我的?(?:名字|姓名|全名|大名)"
    ),
    "residence": (
        rf"where (?:do|am) i{_NOW} (?:liv(?:e|ing)|stay(?:ing)?|based)"
        rf"|(?:what|which) (?:city|town|country|place|street) do i live in"
        rf"|what{_IS} my (?:home )?address|where{_IS} my home|where i live\W*$"
        rf"|我{_ZH_NOW}(?:家)?(?:住|居住|定居)在?(?:哪|什么)|我的?(?:住址|地址|家庭住址)|我家在哪"
    ),
    "job": (
        rf"what do i{_NOW} do(?: for (?:a living|work))|what{_IS} my (?:current )?(?:job|occupation|profession|work)\b"
        rf"|what i do for (?:a living|work)|我{_ZH_NOW}是?[做干]{_WHAT}(?:工作|的|职业)|我{_ZH_NOW}从事什么"
        r"|我的?(?:职业|工作|职务|岗位)是"
    ),
    "employer": (
        rf"where do i{_NOW} work|who do i{_NOW} work for|(?:what|which) company do i"
        rf"|what{_IS} my (?:employer|company)\b(?!'s)"
        rf"|我{_ZH_NOW}在(?:哪|什么)[^，。？]{{0,6}}(?:上班|工作|任职)|我的?(?:公司|单位|工作单位)(?:是|叫)"
    ),
    "workplace": rf"where do i{_NOW} work|我{_ZH_NOW}在(?:哪|什么)[^，。？]{{0,6}}(?:上班|工作|任职)",
    "age": rf"how old am i|what{_IS} my age|我{_ZH_NOW}(?:多大|几岁|多少岁)|我的?(?:年龄|岁数)",
    "birthday": (
        rf"when{_IS} my birthday|what{_IS} my (?:birthday|date of birth)|when was i born"
        r"|我的?生日|我(?:是)?(?:什么时候|哪天|哪年|几月)[^，。？]{0,6}(?:出生|生的|过生日)"
    ),
    "phone": rf"what{_IS} my (?:phone|mobile|cell|telephone)|我的?(?:电话|手机号|手机号码|电话号码|联系方式)",
    "email": rf"what{_IS} my e-?mail|我的?(?:电子)?邮箱",
    "home": (
        rf"where am i (?:originally )?from|where do i come from|what{_IS} my home ?town"
        r"|我(?:是)?(?:哪里|哪儿|哪)的?人|我的?(?:老家|家乡|籍贯)"
    ),
    "education": rf"what{_IS} my (?:degree|education)|我的?(?:学历|文化程度)",
}
_PATTERNS = {attribute: lazy_regex(pattern) for attribute, pattern in _ASKED.items()}


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
        return sorted(said, key=lambda one: one.occurred_at, reverse=True)
