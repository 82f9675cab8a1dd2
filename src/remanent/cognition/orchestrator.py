"""The orchestrator: which tiers a message is answered from, by what it is after; merged, ranked and put into words."""

import asyncio
import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue

from remanent.cognition.expiry import Lifecycle
from remanent.cognition.model import (
    INSTRUCTION,
    LONG_TERM,
    MEMORIES,
    SHORT_TERM,
    AgentRole,
    Briefing,
    is_meant_for,
    role_of,
)
from remanent.cognition.review import doubted_behind, item_of, newest_first, review
from remanent.discipline import Parts
from remanent.language.offline.statement_rules import canonical
from remanent.language.roles.queries import INTENT, Intent, IntentRequest
from remanent.lightweight import dataclass
from remanent.model import FoundItem, Kind, ProceduralData, Record, Scope, SemanticData, SharedData, SharedSort, local
from remanent.model.filters import USER_KEY, MetadataCondition, of_user
from remanent.model.kinds import PASSAGES, standing_mark
from remanent.model.kinds import STANDING as REASONS
from remanent.model.statistics import Saving, Strategy
from remanent.recall import Candidate, Question, RecallPath, Recipe, inject
from remanent.recall.paths import best_of_parts, indexed_by_words
from remanent.recall.question import READ_ON_THE_LOOP
from remanent.recall.recall import BEFORE_ALL, READ_WHOLE
from remanent.recall.recipe import TIERS
from remanent.stores import NO_LIMIT, Order, RecordFilter, RecordPosition, RecordQuery, Standing, Store, every_record
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.talk import is_small_talk
from remanent.text.terms import query_terms
from remanent.text.tokens import ROUGH, token_counter

_GRANTS = "cognition.grants"
"""The state that names the agents which may read this one's procedures."""
MAIN, AUXILIARY, STANDING = 5, 3, 8
"""Memories of the main tier, of the auxiliary one, and told whatever the words; the first is the design's."""
_TURNS = "cognition.turns"
"""Where a question keeps beside it the turns that hold its words."""
_TELLING = 50
"""Turns whose memories are looked at: five for each memory that the design's recipe takes from a path. Twice as many
find no more: 19 of 120 questions (LoCoMo) asked of memories by kind find their evidence among five either way."""
_HOLDING = (*LONG_TERM, Kind.PREFERENCE)
"""The kinds of what holds whatever the words."""
_NEWEST = 8 * STANDING
"""Of each reason to be told whatever the words, the newest memories that the surest are chosen from. By hand."""

_CONSUMES = lazy_regex(
    r"\b(?:eat|eating|food|meal|lunch|dinner|breakfast|brunch|supper|snack|restaurant|caf[eé]|takeaway|takeout|menu|recipe|"
    r"cook|cooking|bake|baking|cake|dessert|dish|drink|groceries|picnic|barbecue|medicine|medication|painkiller|pill|"
    r"antibiotic|ointment|supplement|vaccine|vaccination)s?\b"
    r"|[吃喝餐饭菜药]|零食|点心|蛋糕|甜[品点]|食[谱材堂品物]|外卖|饮料|奶茶|火锅|烧烤|夜宵|宵夜|烘焙|疫苗|保健品|补品|野餐",
    re.IGNORECASE,
)
"""What asks for something to eat, drink or take: then it matters what somebody must not have."""
_BODY = frozenset(canonical(word) for word in "allergy restriction diet health 过敏 忌口 饮食 健康".split())
"""What memories of that are about."""
_BODY_WORDS = (
    "allergy allergic allergies intolerant vegetarian vegan pescatarian halal kosher gluten diet diabetic diabetes "
    "pregnant asthma kidney coeliac blood pressure 过敏 不耐受 忌口 不能吃 不能喝 吃素 素食 清真 糖尿病 高血压 "
    "痛风 怀孕 哮喘 胃病 血糖 血压 尿酸"
)
"""By which the turns are found that such memories were made of."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which tiers an intent is answered from: the design's table of section 3.3."""

    main: tuple[Kind, ...]
    auxiliary: tuple[Kind, ...]
    names: tuple[str, str]


PLANS: dict[Intent, Plan] = {
    Intent.NEW_TASK: Plan((Kind.SEMANTIC,), (Kind.PROCEDURAL,), ("semantic", "procedural")),
    Intent.FOLLOW_UP: Plan((Kind.TURN,), (Kind.EPISODIC,), ("working", "episodic")),
    Intent.BUG_FIX: Plan((Kind.EPISODIC,), PASSAGES, ("episodic", "knowledge")),
    Intent.PREFERENCE: Plan((Kind.SEMANTIC, INSTRUCTION), SHORT_TERM, ("semantic", "short_term")),
    Intent.CROSS_AGENT: Plan((Kind.SHARED,), (Kind.PROCEDURAL,), ("shared", "procedural of the target")),
}

RECIPES: tuple[Recipe, ...] = tuple(
    TIERS.replace(
        name=f"cognition/{intent.value}",
        boosts=TIERS.boosts.replace(
            kinds={**TIERS.boosts.kinds, **dict.fromkeys(plan.auxiliary, 1.2), **dict.fromkeys(plan.main, 1.4)}
        ),
    )
    for intent, plan in PLANS.items()
)


class CognitionPath(RecallPath):
    """Memories by the words of the turns that they quote; asked only where memories are asked for by kind."""

    name = "cognition"

    def __init__(self, store: Store) -> None:
        self._store = store

    def share(self, question: Question) -> float:
        """Take no part where turns answer: a fact and its turn are one answer."""
        kinds = question.record_filter.kinds
        return 1.0 if kinds is not None and Kind.TURN not in kinds and set(kinds) & set(MEMORIES) else 0.0

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Return the memories that were made of the turns which hold the question's words."""
        turns = question.beside.get(_TURNS)
        if turns is None:
            turns = await _turns_by_words(self._store, question)
        scores = {turn.record_id: turn.score for turn in turns}
        if not scores:
            return []
        query = RecordQuery(filter=question.record_filter, source_entry_ids=tuple(scores), limit=NO_LIMIT)
        # One that was found by what it said before still is about the matter: it stands behind the others.
        least = min(scores.values())
        found = [
            Candidate(
                record.id,
                max((scores.get(source.entry_id, least) for source in record.sources), default=least),
                place=RecordPosition(
                    record.id,
                    record.kind,
                    record.scope.session,
                    record.occurred_at,
                    record.trust,
                    recorded_at=record.created_at,
                ),
            )
            for record in await self._store.records(question.scope, query)
            if record.kind in MEMORIES
        ]
        return sorted(found, key=lambda one: (-one.score, one.record_id))[:limit]


async def _turns_by_words(store: Store, question: Question) -> list[Candidate]:
    """Return the turns that hold the question's words, whose memories may answer it.

    When something happened and what it is tagged with, the memory itself says, not the turn that tells of it.
    """
    if not question.terms:
        return []
    wanted = question.record_filter
    of_turns = RecordFilter(kinds=(Kind.TURN,), where=wanted.where, as_of=wanted.as_of)
    return best_of_parts(await indexed_by_words(store, question, of_turns, limit=_TELLING), limit=_TELLING)


_POSSESSOR = re.compile(r"^(?:the user(?:['’]s)?|our|my|the|用户的?|我们的?|我的?)\s*")
"""Whose it is said to be: what is shared says "our", what the user told "the user's"."""


def _merged(items: Sequence[FoundItem]) -> list[FoundItem]:
    """Return each thing once, in order: by id, by words, and a turn not beside the memory that was made of it."""
    seen: set[str] = set()
    kept: list[FoundItem] = []
    for item in items:
        keys = {item.record_id, _POSSESSOR.sub("", item.text.casefold()).strip(" .。")}
        quoted = {source.entry_id for source in item.sources} if item.kind in MEMORIES else set()
        if keys & seen or (item.kind is Kind.TURN and any(one in seen for one in item.memory_ids)):
            continue
        seen |= keys | quoted
        kept.append(item.replace(rank=len(kept) + 1))
    return kept


def _ranked(items: Sequence[FoundItem]) -> list[FoundItem]:
    return [item.replace(rank=rank) for rank, item in enumerate(items, start=1)]


class TierReader:
    """Reads the tiers for one message.

    All of them go step by step side by side, so that what they ask is one call of the store for each step: how the
    agent stands, with the turns that hold the message's words; what each tier has; the records of that.
    """

    def __init__(
        self, parts: Parts, scope: Scope, message: str, *, user: str | None, session: str | None, lifecycle: Lifecycle
    ) -> None:
        self._parts = parts
        self._store = parts.store
        self._scope = scope
        self._user = user
        self._session = session
        self._lifecycle = lifecycle
        self._alive_at = lifecycle.steady()
        self._message = Question(message, scope, asked_at=parts.clock())
        self._intent = Intent.NEW_TASK  # until that is asked
        self._standing: dict[Scope, Standing] = {}
        """How each agent stood that is asked, by its scope."""
        self._turns: list[Candidate] = []

    async def brief(self, agents: Sequence[str], *, budget: int | None, report: bool) -> Briefing:
        """Return what to know before answering a message, and why it was chosen."""
        parts, message = self._parts, self._message.text
        asked = await parts.engine.run(INTENT, IntentRequest(message=message, agents=tuple(agents)))
        intent = self._intent = asked.value.intent
        plan = PLANS[intent]
        role, newest = await self._begin()
        main, beside, standing, body, shared, turns = await asyncio.gather(
            self._tier(plan.main, limit=MAIN),
            self._beside(plan, asked.value.target_agent),
            self._holding(newest),
            self._body(),
            self._shared(role, limit=MAIN if intent is Intent.CROSS_AGENT else AUXILIARY),
            self._tier((Kind.TURN,), limit=MAIN),
        )
        # Small talk brings nothing to mind, and is answered as the user wants things done all the same.
        greets = is_small_talk(message)
        merged = _merged(standing if greets else [*standing, *body, *main, *beside, *shared, *turns])
        merged = await self._newer_first(merged)
        about = merged[0].text if greets and merged else message
        decisions = (
            f"intent: {intent.value} ({asked.value.confidence:.0%}, {asked.made_by.engine})",
            f"main: {plan.names[0]} ({len(main)})",
            f"auxiliary: {plan.names[1]} ({len(beside)})",
            f"standing: {len(standing)}; shared: {len(shared)}; turns: {len(turns)}; after merging: {len(merged)}",
        )
        # As in recall: a budget that nobody named is kept roughly; to count exactly takes an eighth of a briefing's
        # time.
        tokens, counter = (parts.settings.recall.budget, ROUGH) if budget is None else (budget, None)
        injection = inject(about, merged, now=parts.clock(), budget=tokens, counter=counter)
        self._lifecycle.count(self._scope, [one for item in merged for one in item.memory_ids])
        return Briefing(
            intent=intent,
            main=tuple(map(str, plan.main)),
            auxiliary=tuple(map(str, plan.auxiliary)),
            decisions=decisions,
            items=tuple(merged),
            text=injection.text,
            tokens=injection.tokens,
            report=await self._report(injection.text, shared, merged) if report else (),
        )

    async def _begin(self) -> tuple[AgentRole | None, list[Record]]:
        """Read what all tiers begin with; return the agent's role, and the user's newest that holds whatever is asked.

        What is read of the workspace is a call of its own: it is another agent's.
        """
        if len(self._message.read) > READ_ON_THE_LOOP:
            await asyncio.to_thread(self._message.analyse)
        own, shared, role, self._turns, newest = await asyncio.gather(
            self._store.ask(self._scope, BEFORE_ALL),
            self._store.ask(self._scope.shared, BEFORE_ALL),
            role_of(self._store, self._scope),
            _turns_by_words(self._store, self._question(self._scope, (Kind.TURN,))),
            self._newest(self._user or ""),
        )
        self._standing = {self._scope.owner: own, self._scope.shared: shared}
        return role, newest

    def _question(self, scope: Scope, kinds: Sequence[Kind], *, where: bool = True) -> Question:
        """Return the message as a question about some kinds, of one user unless what everybody shares is asked."""
        conditions = of_user(self._user) if where else ()
        wanted = RecordFilter(kinds=tuple(kinds), alive_at=self._alive_at, where=conditions)
        beside = {_TURNS: self._turns} if self._standing and scope.owner == self._scope.owner and where else {}
        standing = self._standing.get(scope.owner)
        return self._message.amended(scope=scope, record_filter=wanted, standing=standing, beside=beside)

    async def _tier(self, kinds: Sequence[Kind], *, limit: int) -> list[FoundItem]:
        """Return what a tier has for the message; working memory is the session's own turns."""
        own = self._session if tuple(kinds) == (Kind.TURN,) and self._intent is Intent.FOLLOW_UP else None
        # Documents are the agent's, and no user's.
        is_said = tuple(kinds) != PASSAGES
        return await self._find(self._scope.within(session=own), kinds, limit=limit, intent=self._intent, where=is_said)

    async def _find(
        self, scope: Scope, kinds: Sequence[Kind], *, limit: int, intent: Intent, where: bool = True
    ) -> list[FoundItem]:
        """Return what a tier has to say to the message; a tier that never had a record is not searched."""
        recall = self._parts.recall
        question = self._question(scope, kinds, where=where)
        kept = question.standing.graphs if question.standing is not None else {}
        if set(kinds).isdisjoint((Kind.TURN, *PASSAGES)) and not any(map(kept.get, kinds)):
            return []  # there never was a record of the tier
        # What was said is found as recall finds it: what is asked of both has one answer.
        of_talk = tuple(kinds) == (Kind.TURN,) and intent is not Intent.FOLLOW_UP
        recipe = recall.recipes.choose(discipline="cognition", intent="" if of_talk else intent.value)
        found = await recall.find(question, limit=limit, recipe=recipe, gated=Kind.TURN in kinds, shared=True)
        found = newest_first(question, found)
        found = await review(self._store, question, found, alive_at=self._alive_at)
        records = await self._records(question, [item.record_id for item in found.items if item.kind is not Kind.TURN])
        return [told(item, records.get(item.record_id)) for item in found.items]

    async def _records(self, question: Question, record_ids: Sequence[str]) -> dict[str, Record]:
        """Return the records of what was found: as they were read for it, unless the answer was a kept one."""
        read: dict[str, Record] = question.beside.setdefault(READ_WHOLE, {})
        read |= await self._store.records_by_id(question.scope.owner, [one for one in record_ids if one not in read])
        return read

    async def _beside(self, plan: Plan, target: str | None) -> list[FoundItem]:
        """Return what the auxiliary tier has; another agent's procedures only where that one granted it."""
        if self._intent is not Intent.CROSS_AGENT:
            return await self._tier(plan.auxiliary, limit=AUXILIARY)
        if target is None:
            return []
        other = Scope(org=self._scope.org, workspace=self._scope.workspace, agent=target)
        names, self._standing[other] = await asyncio.gather(
            readers_of(self._store, other), self._store.ask(other, BEFORE_ALL)
        )
        if self._scope.agent not in names:
            return []
        return await self._find(other, plan.auxiliary, limit=AUXILIARY, intent=self._intent, where=False)

    async def _holding(self, newest: list[Record]) -> list[FoundItem]:
        """Return what holds whatever the words: instructions, pinned memories, what the user prefers.

        Where no user is named, those of the agent's only one; of several, nobody's instructions are another's.
        """
        if not newest and self._user is None and any(map(self._standing[self._scope.owner].graphs.get, _HOLDING)):
            # Those of the agent's only user: whoever said the newest, unless anybody else said something of the sort.
            newest = await self._newest(None)
            users = {one.memory.user for one in newest}
            newest = newest if len(users) == 1 and not await self._others(*users) else []
        best = sorted(newest, key=_standing_rank)[:STANDING]
        return [told(item_of(one, {}, score=one.importance), one) for one in best]

    async def _body(self) -> list[FoundItem]:
        """Return what the user and theirs must not have or live by, where something to eat, drink or take is asked for.

        A restaurant has no word in common with an allergy, and no likeness to it that search could see.
        """
        if not _CONSUMES.search(self._message.text):
            return []
        wanted = RecordFilter(kinds=(Kind.TURN,), where=of_user(self._user))
        hits = await self._store.search_text(
            self._scope.owner, query_terms(_BODY_WORDS), record_filter=wanted, limit=_TELLING
        )
        if not hits:
            return []
        wanted = RecordFilter(kinds=_HOLDING, alive_at=self._alive_at, where=of_user(self._user))
        query = RecordQuery(filter=wanted, source_entry_ids=tuple(hit.record_id for hit in hits), limit=NO_LIMIT)
        found = [one for one in await self._store.records(self._scope, query) if one.memory.attribute in _BODY]
        if self._user is None and len({one.memory.user for one in found}) > 1:
            return []  # of several users, nobody's allergy is another's
        asked = set(query_terms(self._message.text))
        found.sort(key=lambda one: (asked.isdisjoint(query_terms(one.memory.subject)), *_standing_rank(one)))
        return [told(item_of(one, {}, score=one.importance), one) for one in found[:STANDING]]

    async def _newer_first(self, items: list[FoundItem]) -> list[FoundItem]:
        """Return the items, before each memory that newer words let doubt those words."""
        doubted = [item.record_id for item in items if item.stale and item.kind in MEMORIES]
        if not doubted:
            return items
        records = await self._store.records_by_id(self._scope.owner, doubted)
        question = self._question(self._scope, MEMORIES)
        return _ranked(await doubted_behind(self._store, question, list(records.values()), items))

    async def _newest(self, user: str | None) -> list[Record]:
        """Return the newest memories that hold whatever the words, of a user or of anybody: by an index, not all."""
        wanted = RecordFilter(kinds=_HOLDING, alive_at=self._alive_at)
        queries = [
            self._store.records(
                self._scope,
                RecordQuery(
                    filter=replace(wanted, tags=(standing_mark(why, user),)), order=Order.LAST_CREATED, limit=_NEWEST
                ),
            )
            for why in REASONS
        ]
        return list({one.id: one for part in await asyncio.gather(*queries) for one in part}.values())

    async def _others(self, user: str) -> bool:
        """Tell whether there are memories of the sort that another user said; names are texts, or else numbers."""
        marks = tuple(standing_mark(why) for why in REASONS)
        conditions = (
            MetadataCondition(USER_KEY, "gt", (user,)),
            MetadataCondition(USER_KEY, "lt", (user,)),
            MetadataCondition(USER_KEY, "gte", (-sys.float_info.max,)),
        )
        filters = (RecordFilter(any_tags=marks, alive_at=self._alive_at, where=(one,)) for one in conditions)
        queries = (self._store.records(self._scope, RecordQuery(filter=wanted, limit=1)) for wanted in filters)
        return any(await asyncio.gather(*queries))

    async def _shared(self, role: AgentRole | None, *, limit: int) -> list[FoundItem]:
        """Return what the workspace shares on the matter, what is meant for the agent's role first; only approved."""
        scope = self._scope.shared
        wide = limit if role is None else 3 * limit
        found = await self._find(scope, (Kind.SHARED,), limit=wide, intent=Intent.CROSS_AGENT, where=False)
        if role is not None:
            records = await self._store.records_by_id(scope, [item.record_id for item in found])
            found.sort(key=lambda item: not is_meant_for(role, records.get(item.record_id)))
        return [item.replace(memory_ids=()) for item in found[:limit]]

    async def _report(self, text: str, shared: Sequence[FoundItem], merged: Sequence[FoundItem]) -> tuple[Saving, ...]:
        """Return how many tokens a briefing has, beside all memories and beside one that tells twice what is shared."""
        count = token_counter()
        told_once = {item.record_id for item in merged}
        twice = sum(count(f"- {item.text}\n") for item in shared if item.record_id not in told_once)
        everything = 0
        for scope, wanted in (
            (self._scope, RecordFilter(kinds=MEMORIES, alive_at=self._alive_at, where=of_user(self._user or None))),
            (self._scope.shared, RecordFilter(kinds=(Kind.SHARED,), alive_at=self._alive_at)),
        ):
            async for one in every_record(self._store, scope, RecordQuery(filter=wanted)):
                everything += count(f"- {one.content}\n")
        told = count(text)
        return (
            Saving(strategy=Strategy.RECALL, before=everything, after=told),
            Saving(strategy=Strategy.SHARING, before=told + twice, after=told),
        )


def _standing_rank(record: Record) -> tuple[bool, bool, float, float, str]:
    """Return what orders what holds whatever the words: orders, what is pinned, the surest, the newest."""
    sure = record.confidence * max(1, record.evidence_count)
    return record.kind is not INSTRUCTION, not record.memory.pinned, -sure, -record.created_at.timestamp(), record.id


def told(item: FoundItem, record: Record | None) -> FoundItem:
    """Return an item as it stands in a text for a model: in its category's section, procedures as A → B → C."""
    data = None if record is None else record.data
    memory_ids = item.memory_ids or ((item.record_id,) if item.kind in MEMORIES else ())
    item = item.replace(memory_ids=memory_ids, stale=item.stale or (record.memory.stale if record is not None else ""))
    if isinstance(data, SemanticData) and data.category == "project":
        return item.replace(section="project_context")
    if isinstance(data, ProceduralData) and data.steps:
        return item.replace(text=f"{data.name or item.text}: {' → '.join(data.steps)}")
    if isinstance(data, SharedData):
        section = "user_preferences" if data.sort is SharedSort.PREFERENCE else "project_context"
        if data.sort is not SharedSort.DECISION_RECORD:
            return item.replace(section=section)
        label = "架构决策" if working_language(item.text) == "zh" else "decision"
        number = f"{data.number}, " if data.number else ""
        text = f"{label}: {item.text} ({number}{local(item.occurred_at):%Y-%m-%d})"
        return item.replace(text=text, section=section)
    return item


async def readers_of(store: Store, scope: Scope) -> tuple[str, ...]:
    """Return the agents that may read an agent's procedures."""
    names = await store.state(scope, _GRANTS)
    return tuple(str(name) for name in names) if isinstance(names, list) else ()


async def grant(store: Store, scope: Scope, agent: str, *, granted: bool) -> None:
    """Let an agent read another's procedures, or no longer."""
    kept: list[JsonValue] = [name for name in await readers_of(store, scope) if name != agent]
    async with store.transaction(scope) as tx:
        tx.state(_GRANTS, [*kept, agent] if granted else kept or None)
