"""What tiered cognition learns from, keeps and answers: its own kind of record, and the shapes of its reports."""

import re
from datetime import timedelta
from enum import StrEnum
from hashlib import blake2b

from pydantic import Field

from remanent.discipline import Parts
from remanent.language.roles.queries import Intent
from remanent.model import (
    Conflict,
    Entry,
    EntryKind,
    FoundItem,
    Kind,
    Maker,
    MemoryData,
    Model,
    Origin,
    Record,
    Scope,
    SharedData,
    SharedSort,
    TurnData,
    register_kind,
)
from remanent.model.base import Count, Share, Text
from remanent.model.clock import Instant
from remanent.model.ids import Id
from remanent.model.statistics import Saving
from remanent.recall.indexing import TURNS
from remanent.stores import Store, Transaction
from remanent.text.regex import lazy_regex
from remanent.text.scripts import alphanumeric

LEARN = "cognition.learn"
"""The job that makes memories, and the state that says how far the journal was read."""
EPISODE = "cognition.episode"
"""The job that makes an episode of a session that ended."""
_SPEAKERS = frozenset({Origin.USER, Origin.UNTRUSTED, Origin.IMPORT})
"""Whose words become memories. Tools and the web speak for themselves, and an agent's word about a user is hearsay."""
_FORGOTTEN = lazy_regex(r"\bforg[eo]t|\bremember\b|\b(?:delet|eras|remov)|[忘删记]|移除|清除", re.IGNORECASE)
PREMISE = "premise"
"""The relation of a link from a memory to what it was said to follow from."""
ATTRIBUTE_NAMES = {
    "The user": "用户", "name": "姓名", "phone": "电话", "email": "邮箱", "residence": "住址",
    "employer": "工作单位", "job": "职业", "education": "学历", "home": "家乡", "birthday": "生日", "age": "年龄",
    "workplace": "工作地", "time": "时间", "place": "地点", "deadline": "截止日期", "name to call": "称呼",
    "habit": "习惯", "practice": "做法", "diet": "饮食", "allergy": "过敏", "health": "健康",
    "marital status": "婚姻状况", "family": "家人", "birthplace": "出生地", "field": "专业", "weight": "体重",
    "manager": "上级", "likes": "喜好", "dislikes": "厌恶", "owns": "拥有", "uses": "使用",
    "favourite colour": "最喜欢的颜色", "favourite restaurant": "最喜欢的餐厅", "favourite food": "最喜欢的食物",
}  # fmt: skip
"""What whose attributes are named by, and the attributes that our own rules find, in Chinese."""
JUMP = timedelta(hours=1)
"""How far the wall clock may run ahead of the time that passed before nothing is expired by it (the design says more
than an hour)."""


class InstructionData(MemoryData):
    """How the user wants things done, until told otherwise."""

    @property
    def standing(self) -> frozenset[str]:
        """Why it is told whatever the words: it is an order."""
        return super().standing | {"instruction"}


INSTRUCTION = register_kind("instruction", InstructionData, section="user_preferences")

SHORT_TERM = (Kind.PREFERENCE, Kind.DECISION, Kind.FOLLOW_UP, Kind.MOOD)
LONG_TERM = (Kind.SEMANTIC, Kind.EPISODIC, Kind.PROCEDURAL, INSTRUCTION)
MEMORIES = (*LONG_TERM, *SHORT_TERM)
"""The kinds of memories; what a workspace shares is kept apart, in its own place."""


def may_state(entry: Entry) -> bool:
    """Tell whether an entry can hold a statement of its speaker."""
    return entry.kind is EntryKind.MESSAGE and entry.origin in _SPEAKERS and not entry.erased and bool(entry.text)


def may_repeat(entry: Entry) -> bool:
    """Tell whether an agent's words may be the answer to an order to forget, which had better not say what."""
    return entry.origin is Origin.AGENT and _FORGOTTEN.search(entry.text) is not None


def speaker_of(entry: Entry) -> str:
    """Return who says what an entry holds, as statements name them."""
    return TurnData(role=entry.role).speaker or "user"


def request_learning(parts: Parts, tx: Transaction, *, every: int) -> None:
    """Ask for memories of what was said, where they are made of so many messages together."""
    # Asked for whenever turns were made, it needs no place behind them and keeps none waiting. At the end of a session
    # it is asked for once, and must come behind the turns of what was said last.
    parts.enqueue(tx, LEARN, lane=LEARN if every == 1 else TURNS, key=LEARN)


def memory_id(user: str, *about: str) -> str:
    """Return the id of what is kept under a key."""
    # What parts the key stands in no part of it, so that no user's name can be read as another's with more behind it.
    key = "\x1f".join((user.replace("\x1f", "\x1e"), *(alphanumeric(part) for part in about)))
    return f"mem-{blake2b(key.encode(), digest_size=15).hexdigest()}"


class Quote(Model):
    """The words that a memory rests on."""

    entry_id: Id
    role: Text
    occurred_at: Instant
    text: Text


class Why(Model):
    """How a memory came about: its words, who made it by which rule, what it follows from and what follows from it."""

    record: Record
    made_by: Maker
    quotes: tuple[Quote, ...] = ()
    premises: tuple[Record, ...] = ()
    """What it was said to follow from, as that was then: with `valid_to` where it is otherwise since."""
    dependants: tuple[Record, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    rotten: bool = False
    """Whether it would not be made of its words today."""
    by_hand_at: Instant | None = None
    """When a person wrote what it says, if one did: then nobody said it."""
    by_hand_of: Text = ""
    """Who did, where that is known."""


class Flaw(StrEnum):
    """What may be wrong with a memory."""

    UNSURE = "unsure"
    """Less sure than memories are on average."""
    STALE = "stale"
    DUPLICATES = "duplicates"
    ROTTEN = "rotten"
    JUNK = "junk"


class MemoryHealth(Model):
    """How an agent's memories stand, in one look."""

    total: Count = 0
    by_kind: dict[str, Count] = Field(default_factory=dict)
    mean_confidence: Share = 0.0
    expired: Count = 0
    forgotten: Count = 0
    pinned: Count = 0
    stale: Count = 0
    open_conflicts: Count = 0
    duplicates: Count = 0
    """Memories that say what another one says, among the newest `compared` ones."""
    rotten: Count = 0
    """Memories that would not be made of their words today, among the newest `reread` ones."""
    junk: Share = 0.0
    """Of the newest `compared` memories, the share that tells nothing: small talk, thanks, questions."""
    compared: Count = 0
    reread: Count = 0
    echoes: Share = 0.0
    """Of what was said, the share that only brings back what was recalled; nothing is learned of it."""
    examples: dict[str, tuple[Text, ...]] = Field(default_factory=dict)
    """By what is wrong, a few of the memories concerned."""


class CleanReport(Model):
    """What cleaning takes away, or would."""

    dry_run: bool
    removed: tuple[Id, ...] = ()
    expired: tuple[Id, ...] = ()
    promoted: tuple[Id, ...] = ()


class Briefing(Model):
    """What an agent is given before it answers: chosen by the intent of the message, with every decision explained."""

    intent: Intent
    main: tuple[Text, ...]
    auxiliary: tuple[Text, ...]
    decisions: tuple[Text, ...]
    items: tuple[FoundItem, ...]
    text: Text = ""
    tokens: Count | None = None
    report: tuple[Saving, ...] = ()
    """What was saved beside telling all memories, and beside telling twice what is shared; where that was asked."""


# ── what an agent does in its workspace ──

ROLE = "cognition.role"
"""The state that says what an agent's role in its workspace is."""


class AgentRole(StrEnum):
    """What an agent does in its workspace: the design's table of section 2.4.1."""

    COORDINATOR = "coordinator"
    ARCHITECT = "architect"
    DEVELOPER = "developer"
    REVIEWER = "reviewer"
    TESTER = "tester"
    OPERATIONS = "operations"


_READERS: dict[SharedSort, frozenset[AgentRole]] = {
    SharedSort.DECISION_RECORD: frozenset({AgentRole.DEVELOPER, AgentRole.TESTER}),
    SharedSort.CONVENTION: frozenset({AgentRole.DEVELOPER}),
    SharedSort.KNOWN_ISSUE: frozenset({AgentRole.DEVELOPER, AgentRole.OPERATIONS}),
}
"""Whom a sort is meant for, by the same table; those that are not here are for all. Everyone may read everything."""


async def role_of(store: Store, scope: Scope) -> AgentRole | None:
    """Return an agent's role, if it has one."""
    role = await store.state(scope, ROLE)
    return AgentRole(role) if isinstance(role, str) else None


def is_meant_for(role: AgentRole | None, record: Record | None) -> bool:
    """Tell whether something shared is meant for an agent with this role; without one all is."""
    if role is None or record is None or not isinstance(record.data, SharedData):
        return True
    return role in _READERS.get(record.data.sort, (role,))
