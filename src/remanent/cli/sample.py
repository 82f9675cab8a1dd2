"""What `serve --sample` fills its workspace with: two people, some weeks of talk, and what a memory makes of that.

Everything is invented and goes in through the operations that any program can call: nothing is written into a store
by hand, so what the pages show of it is what they would show of a workspace in use. Times count back from the start.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any

from remanent.bilingual import Bilingual
from remanent.discipline import Permission
from remanent.errors import NotFound
from remanent.model import SHARED
from remanent.operations import LOCAL, Principal, Service, Target
from remanent.values import dataclass

WORKSPACE, AGENT, COLLEAGUE = "sample", "ada", "lin"
BANK = "harbour-tunnel"
QUESTION = "Where does my sister Clara live?"
"""What to ask first; Ada has said two things about it."""
TOLD = "My sister Clara lives in Porto."
"""What to tell an agent first that knows nothing, so that the question has an answer."""

_USER, _BOT = "user", "assistant"


@dataclass(frozen=True, slots=True)
class SampleSession:
    """A conversation: who spoke, so many days ago, from this hour on."""

    agent: str
    name: str
    days_ago: int
    hour: int
    turns: tuple[tuple[str, str], ...]
    tags: tuple[str, ...] = ()

    def messages(self, now: datetime) -> list[dict[str, Any]]:
        """Return its messages, a few minutes apart; with their ids the same ones are stored once."""
        begin = (now - timedelta(days=self.days_ago)).replace(hour=self.hour, minute=4, second=0, microsecond=0)
        begin = min(begin, now - timedelta(minutes=5 * len(self.turns)))
        return [
            {
                "id": f"{self.name}-{place}",
                "role": role,
                "content": content,
                "occurred_at": begin + timedelta(minutes=4 * place),
            }
            for place, (role, content) in enumerate(self.turns)
        ]


SESSIONS = (
    SampleSession(
        AGENT, "getting acquainted", 41, 9,
        (
            (_USER, "I work as a translator for a small publishing house."),
            (_BOT, "I will keep your words as you say them, and ask before I change anything."),
            (_USER, "I live in Berlin."),
            (_USER, "I like working from the library because I live in Berlin."),
            (_USER, "I am vegetarian."),
            (_USER, "My sister Clara lives in Hamburg."),
            (_USER, "Please always answer me in short paragraphs."),
        ),
        ("home",),
    ),
    SampleSession(
        AGENT, "moving house", 33, 18,
        (
            (_USER, "I have decided: in the spring I am moving from Berlin to Lisbon."),
            (_BOT, "I will keep a list of what has to be done, and begin with the lease."),
            (_USER, "The lease here in Berlin ends on the last day of the month."),
            (_USER, "When I ask for a trip plan, first check the weather, then list trains, and then suggest hotels."),
            (_USER, "I prefer window seats on trains."),
            (_USER, "I decided to take the night train instead of flying."),
            (_USER, "My favourite coffee is a flat white with oat milk."),
        ),
        ("home", "travel"),
    ),
    SampleSession(
        AGENT, "项目周会", 26, 10,
        (
            (_USER, "今天开周会：新版本原定下月三号发布。"),
            (_USER, "我们决定数据库用 PostgreSQL。"),
            (_USER, "理由是事务可靠，运维同事也熟悉。"),
            (_BOT, "已记录：数据库选用 PostgreSQL。"),
            (_USER, "支付接口的联调卡住了，因此发布日期推迟三周。"),
            (_USER, "发布新版本时，先跑测试，再打标签，最后通知运维。"),
        ),
        ("work",),
    ),
    SampleSession(
        AGENT, "a new address", 12, 8,
        (
            (_USER, "I have arrived! I live in Lisbon now."),
            (_USER, "The flat is on Rua da Rosa, third floor."),
            (_BOT, "I will use the new address from today."),
            (_USER, "I work as an editor at a magazine."),
            (_USER, "I'm allergic to peanuts."),
            (_USER, "I hate early meetings."),
        ),
        ("home",),
    ),
    SampleSession(
        AGENT, "a visit from Clara", 0, 19,
        (
            (_USER, "My sister Clara lives in Bremen."),
            (_BOT, "I had noted Hamburg for Clara. I keep both until you say which is right."),
            (_USER, "I had dinner with my neighbour on the roof yesterday."),
            (_USER, "Remind me to order the train tickets for Clara next week."),
            (_USER, "We agreed to meet Clara at the station on Friday."),
            (_USER, "I'm really excited about the concert tomorrow."),
        ),
        ("family",),
    ),
    SampleSession(
        COLLEAGUE, "初次见面", 30, 9,
        (
            (_USER, "我叫林晓。"),
            (_USER, "因为我住在杭州，所以我喜欢周末去西湖跑步。"),
            (_USER, "我对花生过敏。"),
            (_USER, "我喜欢靠窗的座位。"),
            (_BOT, "都记下了，出行时会优先选靠窗的座位。"),
            (_USER, "以后回答请尽量简短。"),
        ),
        ("生活",),
    ),
    SampleSession(
        COLLEAGUE, "出差安排", 6, 14,
        (
            (_USER, "昨天我和王磊去了苏州出差。"),
            (_USER, "我习惯早上喝美式咖啡。"),
            (_USER, "我们决定下个月去青岛团建。"),
            (_BOT, "青岛的高铁票我会提前看好。"),
            (_USER, "提醒我下周给客户发合同。"),
            (_USER, "我养了一只猫，叫豆豆。"),
        ),
        ("工作",),
    ),
)  # fmt: skip

_SESSIONS_OF_ADA = tuple(session for session in SESSIONS if session.agent == AGENT)

_PINNED = "Clara lives in Hamburg"
"""What Ada has pinned before she says otherwise: it stays, and the two claims wait for her as a conflict."""

_FORGOTTEN = "flat white"
"""What Ada has put out of mind since."""

_SHARED_ENTRIES = (
    # what, of which sort, its number, whether it was approved
    ("The release train leaves on the last Thursday of a month.", "convention", "", True),
    ("选择 PostgreSQL 而非 MySQL：事务可靠，运维熟悉。", "decision_record", "ADR-003", True),
    ("The test account of the payment provider expires at the end of the quarter.", "known_issue", "", False),
)

_DOCUMENTS = {
    "house-rules.md": """# House rules, Rua da Rosa

## Rubbish

Glass and paper go into the containers at the corner. The bin in the yard is for everything else; it is emptied on
Tuesdays and Fridays.

## Quiet hours

Between 22:00 and 08:00 instruments are not played. The cello is welcome in the afternoon.

## Keys

Every flat has two keys. A third costs 12 euros and is ordered from the caretaker, who needs three days.
""",
    "发布流程.md": """# 发布流程

## 准备

发布前三天冻结代码，只合入修复。由值班工程师在预发环境跑完整的回归测试。

## 发布

先发布到一台机器，观察三十分钟；错误率低于千分之一才推到其余机器。

## 回滚

任何人都可以要求回滚。回滚在五分钟内完成，之后再讨论原因。
""",
}

_IMPRESSIONS = (
    # Told one batch after another: what comes together is linked strongly, and what stands alone is soon forgotten.
    ("The tram to Belém is painted yellow.", "It climbs the hill behind the market.", "The market sells sardines."),
    ("The neighbour upstairs plays the piano.", "She studied in Leipzig.", "We want to play a sonata together."),
    ("The bakery opens at seven.", "Its owner saves a loaf for me.", "He speaks Cantonese with my colleague Lin."),
    ("Lin taught me the word for persimmon: 柿子.", "柿子要等到霜降以后才甜。", "林晓的外婆家有一棵柿子树。"),
    ("The magazine prints on recycled paper.", "The printer is in Setúbal.", "The paper smells of tea."),
    ("Setúbal has dolphins in the bay.", "A ferry crosses to Tróia.", "The ferry takes bicycles."),
    ("I bought a used bicycle.", "Its bell rings twice.", "The brakes need care before winter."),
    ("A workshop in Alcântara repairs bicycles.", "It is run by two sisters.", "They roast their own coffee."),
    ("The coffee comes from São Tomé.", "An old map of the island hangs on the wall.", "The map shows a lighthouse."),
    ("The lighthouse keeper wrote a diary.", "I am translating it into German.", "The first chapter is finished."),
)  # fmt: skip
_PASSING = ("下雨了。", "雾散了。")
"""Said in passing, and too short to leave more than a trace."""

_TASK = "How long is the harbour tunnel of Vell?"
_REPORT = "The harbour tunnel of Vell is 1,840 metres long. It joins the old town with the docks."
_FINDINGS = (
    "The opening of the harbour tunnel was moved from March to 12 September, after water came in at the northern end.",
    "The repair of the northern end of the tunnel cost 3.2 million euros, which the insurance of the builders paid.",
    "The harbour tunnel of Vell is 1,480 metres long.",
    "The ferry across the harbour of Vell carries 400 passengers a day and stops at the fish market.",
    "Traffic in the old town of Vell is expected to fall by a third once the harbour tunnel is open.",
)
"""What the bank reads after its report; the third contradicts that."""
_VERDICT = "The harbour tunnel of Vell is 1,840 metres long: the newspaper has corrected its figure."

_SAY = Bilingual("conversations", "对话")
_LEARN = Bilingual("what is learned from the conversations", "由对话得出的记忆")
_SHARE = Bilingual("what is shared, and documents", "共享记忆与文档")
_THINK = Bilingual("associations", "联想记忆")
_WORK = Bilingual("a long task", "长任务")

Tell = Callable[[Bilingual, int, int], None]


@dataclass(slots=True)
class SampleWriter:
    """Fills the workspace, as programs would, with what the disciplines that are installed can make."""

    service: Service
    org: str
    now: datetime
    tell: Tell = field(default=lambda *_: None)

    async def fill(self) -> int:
        """Do everything that is not there yet, and return how many messages were told in conversations."""
        if not await self._is_there():
            parts: list[tuple[Bilingual, Callable[[], Awaitable[None]]]] = [(_SAY, self._talk)]
            if self._has("bank"):
                parts.append((_WORK, self._work))
            if self._has("associative"):
                parts.append((_THINK, self._think))
            parts += [(_SHARE, self._share), (_LEARN, self._learn)]
            for place, (what, part) in enumerate(parts, 1):
                self.tell(what, place, len(parts))
                await part()
        return sum(len(session.turns) for session in SESSIONS)

    async def _is_there(self) -> bool:
        """Tell whether the last part is there; each of the others does nothing where it was done before."""
        return bool((await self._do("entries", AGENT, session=_SESSIONS_OF_ADA[-1].name, limit=1)).items)

    async def _talk(self) -> None:
        """Have every conversation but Ada's last: a question asked while the rest is filled in has its answer."""
        for session in SESSIONS:
            if session is not _SESSIONS_OF_ADA[-1]:
                await self._say(session)

    async def _learn(self) -> None:
        """Wait for what is learned, pin some and put some out of mind; then have the last conversation."""
        await self._settle(AGENT)
        if self._has("cognition"):
            await self._tidy()
        await self._say(_SESSIONS_OF_ADA[-1])
        await self._settle(AGENT)
        await self._settle(COLLEAGUE)

    async def _tidy(self) -> None:
        """Pin one memory of the sample and forget another, so that a page or a list shows what both look like."""
        for memory in (await self._do("cognition.list", AGENT, kinds=("semantic",), limit=1000)).items:
            if _PINNED in memory.content:
                await self._do("cognition.pin", AGENT, record_id=memory.id)
            if _FORGOTTEN in memory.content:
                await self._do("cognition.forget", AGENT, record_id=memory.id, reason="changed her mind")

    async def _say(self, session: SampleSession) -> None:
        messages = session.messages(self.now)
        await self._do("remember", session.agent, messages=messages, session=session.name, tags=session.tags)
        await self._do("session.end", session.agent, session=session.name)

    async def _share(self) -> None:
        """Share what was proposed and approved, with one proposal left waiting; and two documents."""
        if self._has("cognition"):
            await self._propose()
        if self._has("knowledge"):
            for name, text in _DOCUMENTS.items():
                await self._do("knowledge.add", SHARED, upload=_pieces(text), name=name)
            await self._settle(SHARED)

    async def _propose(self) -> None:
        """Have one agent propose what is shared and the other approve some: nobody approves their own."""
        known = {
            record.content
            for pending in (False, True)
            for record in (await self._do("cognition.shared", AGENT, pending=pending)).items
        }
        for content, sort, number, is_approved in _SHARED_ENTRIES:
            if content in known:
                continue
            record = await self._do("cognition.propose", AGENT, content=content, sort=sort, number=number)
            if is_approved:
                await self._do("cognition.approve", COLLEAGUE, record_id=record.id)

    async def _think(self) -> None:
        """Have impressions, a few at a time, and a word in between that nobody keeps."""
        batches = [*_IMPRESSIONS[:1], *((word,) for word in _PASSING), *_IMPRESSIONS[1:]]
        for place, batch in enumerate(batches):
            at = self.now - timedelta(days=2 * (len(batches) - place))
            messages = [
                {"id": f"impression-{place}-{index}", "role": _USER, "content": text, "occurred_at": at}
                for index, text in enumerate(batch)
            ]
            await self._do("associative.remember", AGENT, messages=messages, session="impressions")
        await self._settle(AGENT)

    async def _work(self) -> None:
        """Let a task bank answer a question from a report, read on, and be told which of two figures is right."""
        with suppress(NotFound):
            await self._do("bank.get", AGENT, bank_id=BANK)
            return
        run = await self.service.start(
            "bank.run",
            {"task": _TASK, "context": _REPORT, "bank_id": BANK},
            place=self._at(AGENT),
            principal=_who(AGENT),
        )
        async for _ in self.service.runs.follow(run.run_id):
            pass
        for text in _FINDINGS:
            found = await self._do("bank.observe", AGENT, bank_id=BANK, text=text)
            for conflict_id in found.conflict_ids:
                await self._do("bank.resolve", AGENT, bank_id=BANK, conflict_id=conflict_id, finding=_VERDICT)

    def _has(self, discipline: str) -> bool:
        return any(name.startswith(f"{discipline}.") for name in self.service.catalogue)

    async def _settle(self, agent: str) -> None:
        await self._do("settle", agent)

    async def _do(self, name: str, agent: str, /, *, upload: AsyncIterator[bytes] | None = None, **asked: Any) -> Any:
        return await self.service.perform(name, asked, place=self._at(agent), principal=_who(agent), upload=upload)

    def _at(self, agent: str) -> Target:
        return Target(org=self.org, workspace=WORKSPACE, agent=agent)


def _who(agent: str) -> Principal:
    """Return whom the audit log names; the colleague is the one who approves what others propose."""
    allowed = (
        LOCAL.permissions if agent == COLLEAGUE else frozenset(Permission) - {Permission.ADMIN, Permission.APPROVE}
    )
    return LOCAL.replace(name=agent, permissions=allowed)


async def _pieces(text: str) -> AsyncIterator[bytes]:
    yield text.encode()
