"""What is done when an agent's run ends: a small registry of hooks, and the one that takes down facts.

A runtime registers hooks and calls `run_on_agent_end` with its session object after each run.
"""

import logging
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from remanent.bilingual import Bilingual
from remanent.context.scratchpad import SESSION_FACTS
from remanent.errors import RemanentError
from remanent.language import Engine
from remanent.language.role import Toolbox
from remanent.language.roles.extraction import Extraction, ExtractionRequest, FactKind
from remanent.language.shapes import Utterance
from remanent.model import Model
from remanent.model.base import Count, Text
from remanent.model.chat import expand_messages
from remanent.model.entry import EntryKind, Origin, origin_of_role
from remanent.text.boundaries import excerpt
from remanent.text.scripts import working_language
from remanent.workspace.daylog import bullet_key, merged_facts

_logger = logging.getLogger(__name__)

# The design's figures.
MIN_CHAT_TURNS = 3
"""Turns, of two messages each, that a conversation must have before anything is taken down."""
MAX_FACTS_PER_SESSION = 8
MAX_SCANNED_MESSAGES = 20
MAX_MEMORY_FACTS = 4
"""Facts that one run adds to MEMORY.md."""

_MAX_FACT_CHARACTERS = 200
"""Characters of a bullet; chosen by hand, so that a day's file holds some forty."""
MAX_READ_CHARACTERS = 4000
"""Characters of one message that are looked through: a request stands at its beginning. Chosen by hand."""

_LABELS = {
    FactKind.REQUEST: Bilingual("User request", "用户请求"),
    FactKind.COMPLETION: Bilingual("Completed", "完成事项"),
}


class HookReport(Model):
    """What a hook did at the end of a run."""

    hook: Text
    facts: tuple[Text, ...] = ()
    """The bullets that were taken down."""
    known: Count = 0
    """Facts that stood there already."""
    path: Text = ""
    """The file that they were written to."""
    skipped: tuple[Text, ...] = ()
    """Facts that were not written because the file is full; they are in the journal."""
    entry_ids: tuple[Text, ...] = ()
    """The journal entries that hold what was skipped."""
    reason: Text = ""
    """Why nothing, or not everything, was written."""


class AgentHook:
    """Something that is done when an agent's run ends. Hooks of a higher priority go first."""

    priority: int = 0

    async def on_agent_end(self, session: Any) -> HookReport | None:
        """Do it; `session` is the runtime's own object for the conversation."""
        raise NotImplementedError


class HookRegistry:
    """The hooks of a runtime, in the order in which they run."""

    def __init__(self, *hooks: AgentHook) -> None:
        self._hooks: list[AgentHook] = []
        for hook in hooks:
            self.register(hook)

    def register(self, hook: AgentHook) -> None:
        """Add a hook; of two of the same priority, the one that was added first runs first."""
        self._hooks.append(hook)
        self._hooks.sort(key=lambda one: -one.priority)

    def unregister(self, hook: AgentHook) -> None:
        """Take a hook out, if it is there."""
        self._hooks = [one for one in self._hooks if one is not hook]

    def __iter__(self) -> Iterator[AgentHook]:
        return iter(tuple(self._hooks))

    async def run_on_agent_end(self, session: Any) -> list[HookReport]:
        """Run every hook, and return what they report; one that fails is told of and keeps none of the others."""
        reports = []
        for hook in self:
            try:
                report = await hook.on_agent_end(session)
            except Exception as error:  # noqa: BLE001 - a hook is anybody's code, and the chat goes on
                _logger.warning("the hook %s failed: %s", type(hook).__name__, error)
                told = str(error) if isinstance(error, RemanentError) else type(error).__name__
                report = HookReport(hook=type(hook).__name__, reason=f"failed: {told}")
            if report is not None:
                reports.append(report)
        return reports


class TakeDown(Protocol):
    """Writes the facts of a conversation into a workspace."""

    async def __call__(self, messages: Sequence[Any], *, session: str | None, root: Path | None) -> HookReport:
        """Return what was written; `root` is the session's own workspace."""


class MemoryHook(AgentHook):
    """Takes down what was asked for and what was done, in the workspace's file of the day."""

    priority = -10

    def __init__(self, take_down: TakeDown) -> None:
        self._take_down = take_down

    async def on_agent_end(self, session: Any) -> HookReport:
        """Take down the facts of a session: an object, or a mapping, with `chat_history`.

        It may also have `workspace_dir`, `session_id` and `scratchpad`, a dictionary that gets `session_facts`.
        """
        root = _part(session, "workspace_dir")
        report = await self._take_down(
            list(_part(session, "chat_history") or ()),
            session=_part(session, "session_id"),
            root=Path(root) if root else None,
        )
        pad = _part(session, "scratchpad")
        if isinstance(pad, MutableMapping) and (report.facts or report.skipped):
            pad[SESSION_FACTS] = merged_facts(str(pad.get(SESSION_FACTS, "")), (*report.facts, *report.skipped))
        return report


async def facts_of(messages: Sequence[Any], *, engine: Engine | None = None) -> list[str]:
    """Return what was asked for and what was done in the newest messages, as bullets, oldest first.

    By rules and without a model, unless an engine is given.
    """
    said = list(_utterances(messages[-MAX_SCANNED_MESSAGES:]))
    if not said:
        return []
    kinds = (FactKind.REQUEST, FactKind.COMPLETION)
    request = ExtractionRequest(utterances=tuple(said), kinds=kinds, limit=100)
    role = Extraction()
    found = await role.offline(request, Toolbox()) if engine is None else (await engine.run(role, request)).value
    bullets: dict[str, str] = {}
    for fact in found.facts:
        by_user = any(said[place].speaker == "user" for place in fact.sources[:1])
        if fact.sources and (fact.kind is FactKind.REQUEST) == by_user:
            bullet = _bullet(fact.kind, _own_words(fact.content))
            bullets.setdefault(bullet_key(bullet), bullet)
    # Of too many, the newest: earlier ones were taken down when they were new.
    return list(bullets.values())[-MAX_FACTS_PER_SESSION:]


def _utterances(messages: Sequence[Any]) -> Iterator[Utterance]:
    """Yield what the user and the agent said; results of tools are neither."""
    for message in expand_messages(list(messages)) if messages else ():
        origin = origin_of_role(message.role)
        if message.kind is EntryKind.MESSAGE and origin in {Origin.USER, Origin.AGENT} and message.role != "system":
            speaker = "user" if origin is Origin.USER else "assistant"
            yield Utterance(speaker=speaker, text=message.content[:MAX_READ_CHARACTERS])


def _own_words(content: str) -> str:
    """Return a fact without the name of who said it: the label tells that."""
    for prefix in ("用户：", "助手：", "User: ", "Assistant: ", "user: ", "assistant: "):
        content = content.removeprefix(prefix)
    return content


def _bullet(kind: FactKind, content: str) -> str:
    label = _LABELS[kind][working_language(content)]
    return f"- {label}: {excerpt(' '.join(content.split()), _MAX_FACT_CHARACTERS)}"


def _part(session: Any, name: str) -> Any:
    """Return a part of a session, which is an object or a mapping."""
    return session.get(name) if isinstance(session, Mapping) else getattr(session, name, None)
