"""Facts of conversations: a hook takes them down when an agent's run ends, and erasing takes them out of files again.

A runtime registers hooks and calls `run_on_agent_end` with its session object after each run. A bullet in a file has no
link to the entry it came from: whoever takes facts down may have the conversation from elsewhere. So erasing knows it
by its words, and looks for it before the entry goes; an erasure that was cut short then finds it again. Lines that a
person wrote, or changed since, are the person's and stay.
"""

import asyncio
import logging
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from remanent.bilingual import Bilingual
from remanent.context.sessions import SCRATCHPADS as PADS
from remanent.context.sessions import SESSION_FACTS
from remanent.discipline import Parts
from remanent.errors import RemanentError
from remanent.language import Engine
from remanent.language.offline.questions import is_question
from remanent.language.offline.statements import is_secret
from remanent.language.role import Toolbox
from remanent.language.roles.extraction import ExtractedFact, Extraction, ExtractionRequest, FactKind
from remanent.language.shapes import Utterance, one_line
from remanent.model import Entry, Kind, Model, Record, Scope
from remanent.model.base import Count, Text
from remanent.model.chat import expand_messages
from remanent.model.entry import EntryKind, Origin, origin_of_role
from remanent.stores import NO_LIMIT, EntryQuery, Erasure, RecordFilter, RecordQuery
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.sentences import sentence_texts
from remanent.text.spans import excerpt
from remanent.text.summary import tells, without_code
from remanent.text.terms import index_terms
from remanent.workspace.files import STATES, Roots, WorkspaceFiles, newline_of
from remanent.workspace.scanning import scan

_logger = logging.getLogger(__name__)

# ── facts as bullets in Markdown ─────────────────────────────────────────────
# A block is a heading, a marker and bullets:
#
#     ## 2026-05-31 18:30 · s1
#     <!-- remanent:facts 3f9a01c2 77be4d10 -->
#     - 用户请求: 把发布说明翻译成英文
#     - 完成事项: 发布说明已翻译
#
# The marker holds a fingerprint of each bullet that we wrote under it. A line whose fingerprint is not there is a
# person's: written by hand, or ours once and edited since. Pure functions over texts.

_KEY_CHARACTERS = 80
"""Characters by which bullets are told apart, as the design has it."""
_AUTO_EXTRACTED = "## Auto-extracted"
MARKER = "<!-- remanent:facts"
_MARKER = re.compile(r"<!-- remanent:facts((?: [0-9a-f]{8})*) -->")
_HEADING = re.compile(r"## (?:\d{4}-\d\d-\d\d \d\d:\d\d\b.*|Auto-extracted)")
_BULLET = re.compile(r"[-*+] ")


def bullet_key(line: str) -> str:
    """Return what two bullets have in common that say the same."""
    return line.strip()[:_KEY_CHARACTERS].casefold()


def _fingerprint(line: str) -> str:
    """Return what tells that a line is still as we wrote it."""
    return sha256(line.strip().encode(errors="surrogatepass")).hexdigest()[:8]


def known_keys(text: str) -> set[str]:
    """Return the keys of all bullets of a text, whoever wrote them."""
    return {bullet_key(line) for line in text.splitlines() if _BULLET.match(line.lstrip())}


def merged_facts(held: str, facts: Sequence[str]) -> str:
    """Return the facts of a session with new ones behind them, each once, a line each."""
    kept: dict[str, str] = {}
    for line in (*held.splitlines(), *facts):
        if line.strip():
            kept.setdefault(bullet_key(line), line)
    return "\n".join(kept.values())


def without_comments(text: str) -> str:
    """Return a text without its HTML comments; not by a pattern, which would try each opening to the end."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts.append(text[at:start])
        at = end + len("-->")
    return "".join([*parts, text[at:]])


def with_facts(text: str | None, facts: Sequence[str], *, at: datetime, session: str | None) -> str:
    """Return a day's file with a dated block of facts at its end."""
    line = newline_of(text)
    title = f"## {at:%Y-%m-%d %H:%M}" + (f" · {_named(session)}" if session else "")
    begin = _ended(text, line) + line if text else f"# {at:%Y-%m-%d}{line}{line}"
    return begin + _block(title, facts, line)


def with_extracted(text: str, facts: Sequence[str]) -> str:
    """Return MEMORY.md with facts added under its heading for them, which is made where it is missing."""
    line, held = newline_of(text), FactLines(text)
    bare, kept = held.bare, held.kept
    places = (at for at, one in enumerate(bare[:-1]) if one == _AUTO_EXTRACTED and _MARKER.fullmatch(bare[at + 1]))
    marker = next(places, -1) + 1
    if not marker:
        return _ended(text, line) + line + _block(_AUTO_EXTRACTED, facts, line)
    prints = [*_prints(bare[marker]), *map(_fingerprint, facts)]
    kept[marker] = _marker(prints) + (kept[marker][len(bare[marker]) :] or line)
    end = marker + 1
    while end < len(bare) and _BULLET.match(bare[end].lstrip()):
        end += 1
    return _ended("".join(kept[:end]), line) + "".join(f"{fact}{line}" for fact in facts) + "".join(kept[end:])


def _block(title: str, facts: Sequence[str], line: str) -> str:
    return line.join([title, _marker(map(_fingerprint, facts)), *facts]) + line


class FactLines:
    """The lines of a text, and which of them are bullets of ours that nobody changed since."""

    def __init__(self, text: str) -> None:
        self.kept = text.splitlines(keepends=True)
        self.bare = [one.rstrip("\r\n") for one in self.kept]
        self.own = own_bullets(self.bare)
        """The places of our bullets, each with the place of its marker."""

    def without(self, gone: set[int]) -> str:
        """Return the text without some of our bullets, their fingerprints, and what would be empty blocks."""
        under = {marker: list[int]() for marker in self.own.values()}
        for at, marker in self.own.items():
            under[marker].append(at)
        for marker, places in under.items():
            left = [_fingerprint(self.bare[at]) for at in places if at not in gone]
            if left:
                self.kept[marker] = _marker(left) + self.kept[marker][len(self.bare[marker]) :]
            else:
                gone |= _empty_block(self.bare, marker, gone)
        return "".join(one for at, one in enumerate(self.kept) if at not in gone)

    def of_session(self, session: str | None) -> list[int]:
        """Return the places of our bullets that were taken down in a session, as far as headings tell."""
        return [at for at, marker in self.own.items() if is_of(self.bare[marker - 1], session)]


def compacted(text: str) -> str:
    """Return a text without bullets of ours that say what another one says: the first is kept, a person's is first.

    Nothing that is not ours is moved, changed or dropped.
    """
    lines = FactLines(text)
    others = (one for at, one in enumerate(lines.bare) if at not in lines.own)
    seen = {bullet_key(one) for one in others if _BULLET.match(one.lstrip())}
    gone: set[int] = set()
    for at in lines.own:
        key = bullet_key(lines.bare[at])
        if key in seen:
            gone.add(at)
        seen.add(key)
    return lines.without(gone)


def without_bullets(text: str, *, is_gone: Callable[[str], bool], session: str | None = None) -> str:
    """Return a text without the bullets of ours that say what is gone, or that were taken down in a session."""
    lines = FactLines(text)
    gone = {*lines.of_session(session), *(at for at in lines.own if is_gone(lines.kept[at]))}
    return lines.without(gone) if gone else text


def bullets_of(text: str, session: str) -> list[str]:
    """Return the bullets of ours that were taken down in a session."""
    lines = FactLines(text)
    return [lines.bare[at] for at in lines.of_session(session)]


def is_of(heading: str, session: str | None) -> bool:
    """Tell whether a line is the heading of what was taken down in a session."""
    return session is not None and bool(_HEADING.match(heading)) and heading.rstrip().endswith(f" · {_named(session)}")


def is_bullet(line: str) -> bool:
    """Tell whether a line is a bullet."""
    return _BULLET.match(line) is not None


def _named(session: str) -> str:
    return " ".join(session.split())


def own_bullets(lines: Sequence[str]) -> dict[int, int]:
    """Return the places of bullets that we wrote and nobody changed since, each with the place of its marker."""
    found: dict[int, int] = {}
    for marker, line in enumerate(lines):
        prints = Counter(_prints(line))
        for at in _under(lines, marker) if prints else ():
            if _BULLET.match(lines[at]) and prints[mark := _fingerprint(lines[at])] > 0:
                prints[mark] -= 1  # a copy that a person made of it is the person's
                found[at] = marker
    return found


def _under(lines: Sequence[str], marker: int) -> Iterator[int]:
    """Yield the places of what stands under a marker, up to the next heading or marker."""
    for at in range(marker + 1, len(lines)):
        if lines[at].startswith("#") or _MARKER.fullmatch(lines[at]):
            return
        yield at


def _empty_block(lines: Sequence[str], marker: int, gone: set[int]) -> set[int]:
    """Return the places of what is left of a block without bullets: nothing of a person's among them."""
    block = {marker}
    blank = {at for at in _under(lines, marker) if not lines[at].strip()}
    is_ours = marker > 0 and _HEADING.fullmatch(lines[marker - 1]) is not None
    if is_ours and all(at in gone or at in blank for at in _under(lines, marker)):
        block |= {marker - 1, *blank}
    return block


def _marker(prints: Iterable[str]) -> str:
    return " ".join(["<!-- remanent:facts", *prints, "-->"])


def _prints(line: str) -> list[str]:
    found = _MARKER.fullmatch(line)
    return found[1].split() if found else []


def _ended(text: str, line: str) -> str:
    return text if text.endswith("\n") or not text else text + line


# ── taking facts down ────────────────────────────────────────────────────────

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

_LASTING = {
    FactKind.PREFERENCE: Bilingual("Preference", "偏好与要求"),
    FactKind.DECISION: Bilingual("Decision", "决定"),
    FactKind.FACT: Bilingual("Fact", "事实"),
}
"""What lasts longer than its day, what is to be heeded first."""
_LABELS = {
    FactKind.REQUEST: Bilingual("User request", "用户请求"),
    FactKind.COMPLETION: Bilingual("Completed", "完成事项"),
    **_LASTING,
}
_BEGINNINGS = tuple(tuple(f"- {label[language]}: " for language in ("en", "zh")) for label in _LASTING.values())
_BARE = lazy_regex(
    r"(?:\W|\b(?:hi|hey|so|ok(?:ay)?|and|please|can|could|would|will|you|someone|anyone|help|me|i|we|us|to|with|fix|check|"
    r"review|improve|explain|look|at|do|see|show|try|again|this|that|it|these|those|them|thing|code|error|now|what|how|"
    r"why|should|is|are|was|about|have|been|there|your?|tell)\b|"
    r"请|麻烦|[你您我]|能不能|可以|能|帮[我忙]|给我|告诉|再|看|改|弄|写|做|解释|一?下|这[个里样]|那[个里样]|它|吗|怎么?|[办呢吧啊了])*",
    re.IGNORECASE,
)
"""A request that does not say what for."""


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


TakeDown = Callable[[list[Any], str | None, Path | None], Awaitable[HookReport]]
"""Writes the facts of a conversation in a session into a workspace, which may be the session's own."""


class MemoryHook(AgentHook):
    """Takes down what was asked for, what was done and what is to last, in the workspace's file of the day."""

    priority = -10

    def __init__(self, take_down: TakeDown) -> None:
        self._take_down = take_down

    async def on_agent_end(self, session: Any) -> HookReport:
        """Take down the facts of a session: an object, or a mapping, with `chat_history`.

        It may also have `workspace_dir`, `session_id` and `scratchpad`, a dictionary that gets `session_facts`.
        """
        root = _part(session, "workspace_dir")
        report = await self._take_down(
            list(_part(session, "chat_history") or ()), _part(session, "session_id"), Path(root) if root else None
        )
        pad = _part(session, "scratchpad")
        if isinstance(pad, MutableMapping) and (report.facts or report.skipped):
            pad[SESSION_FACTS] = merged_facts(str(pad.get(SESSION_FACTS, "")), (*report.facts, *report.skipped))
        return report


def memorable(facts: Iterable[str], *, is_roomy: bool) -> list[str]:
    """Return the bullets that one run adds to MEMORY.md: those that last, what is to be heeded first.

    What was asked for and done follows while there is room, and leaves the rest of the file to what lasts.
    """

    def rank(fact: str) -> int:
        return next((rank for rank, one in enumerate(_BEGINNINGS) if fact.startswith(one)), len(_BEGINNINGS))

    return sorted((fact for fact in facts if is_roomy or rank(fact) < len(_BEGINNINGS)), key=rank)[:MAX_MEMORY_FACTS]


async def facts_of(messages: Sequence[Any], *, engine: Engine | None = None) -> list[str]:
    """Return what was asked for, done and said to last in the newest messages, as bullets, oldest first.

    By rules and without a model, unless an engine is given.
    """
    said = list(_utterances(messages[-MAX_SCANNED_MESSAGES:]))
    if not said:
        return []
    request = ExtractionRequest(utterances=tuple(said), kinds=tuple(_LABELS), limit=100)
    role = Extraction()
    found = await role.offline(request, Toolbox()) if engine is None else (await engine.run(role, request)).value
    bullets: dict[str, tuple[bool, str]] = {}
    told = (*found.facts, *_acknowledged(said, found.facts))
    for fact in sorted(told, key=lambda one: one.sources[:1]):
        by_user = any(said[place].speaker == "user" for place in fact.sources[:1])
        words = _own_words(fact.content)
        if not fact.sources or (fact.kind is not FactKind.COMPLETION) != by_user:
            continue
        # "Can you fix this?" and "I'll go with that" do not say what.
        is_bare = (
            _BARE.fullmatch(words)
            if fact.kind is FactKind.REQUEST
            else fact.kind is FactKind.DECISION and not tells(words)
        )
        if not is_bare:
            bullet = _bullet(fact.kind, words)
            bullets.setdefault(bullet_key(bullet), (fact.kind in _LASTING, bullet))
    # Of too many, what lasts, and the newest: earlier ones were taken down when they were new.
    numbered = list(enumerate(bullets.values()))
    kept = sorted(numbered, key=lambda one: (one[1][0], one[0]))[-MAX_FACTS_PER_SESSION:]
    return [bullet for _, (_, bullet) in sorted(kept)]


_NOTED = lazy_regex(
    r"^\W*(?:(?:ok(?:ay)?|sure|great|thanks|good to know)\W+)*(?:(?:i(?:['’]ve| have) )?(?:noted|saved|recorded|"
    r"updated|added)\b|i(?:['’]ll| will) (?:remember|keep (?:that|it) in mind|note)\b)"
    r"|^\W*(?:好的?|明白|收到|没问题)?[，,。！\s]*(?:我?(?:已经?|都)?(?:帮[你您])?(?:记[下住录好]|更新|添加|保存|登记|备注)|会记[得住])",
    re.IGNORECASE,
)
"""An answer by which an agent says that it took down what it was told."""


def _acknowledged(said: Sequence[Utterance], found: Sequence[ExtractedFact]) -> Iterator[ExtractedFact]:
    """Yield what a user told that no rule knows for a fact, where the agent says at once that it took it down.

    "Updated the contacts" is worth little without what they are now.
    """
    taken = {fact.sources[0] for fact in found if fact.sources}
    for place, (told, answer) in enumerate(pairwise(said)):
        if told.speaker != "user" or answer.speaker == "user" or place in taken or not _NOTED.match(answer.text):
            continue
        first = next(iter(sentence_texts(without_code(told.text))), "")
        if tells(first) and not (is_question(first) or is_secret(first)):
            content = one_line(first, _MAX_FACT_CHARACTERS)
            yield ExtractedFact(kind=FactKind.FACT, content=content, importance=0.5, sources=(place,))


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


# ── erasing ──────────────────────────────────────────────────────────────────

TAG = "workspace"
"""What marks the journal's entries that hold facts for which no file had room."""
_SHARE = 0.8
"""The share of a bullet's words that stand in what it was taken from: rules leave them as they are and add a label of
two words at most, and a model that words them anew keeps most. Chosen by hand: too many bullets gone is the lesser of
two mistakes, since what they say is still in the journal."""


class Gone:
    """What is being erased: tells whether a line says it."""

    def __init__(self, texts: Iterable[str], *, session: str | None = None, everything: bool = False) -> None:
        self.session = session
        self._everything = everything
        self._texts_with: defaultdict[str, list[int]] = defaultdict(list)
        self._count = 0
        self.add(texts)

    def add(self, texts: Iterable[str]) -> None:
        """Have more texts be erased."""
        for text in texts:
            self._count += 1
            # No more of a message is read when facts are taken down.
            for term in set(index_terms(text[:MAX_READ_CHARACTERS])):
                self._texts_with[term].append(self._count)

    def says(self, line: str) -> bool:
        """Tell whether a bullet says what is erased."""
        if self._everything:
            return True
        _, _, said = line.partition(": ")
        terms = {*index_terms(said or line)}
        shared = Counter(number for term in terms for number in self._texts_with.get(term, ()))
        return bool(terms) and max(shared.values(), default=0) >= _SHARE * len(terms)

    def is_in(self, lines: Sequence[str]) -> bool:
        """Tell whether any of these lines says it, or is the heading of what was taken down in its session."""
        return self._everything or any(
            is_of(line, self.session) or (is_bullet(line) and self.says(line)) for line in lines
        )

    def without(self, text: str) -> str:
        """Return a file's text without the bullets that say it."""
        return without_bullets(text, is_gone=self.says, session=self.session)


async def erase_copies(parts: Parts, scope: Scope, erasure: Erasure, *, roots: Roots) -> Erasure:
    """Destroy what files hold of what is being erased; return the erasure with what the store holds of the files."""
    files = await roots.existing(scope)
    if files is None:
        return erasure
    gone = Gone(
        [entry.text for entry in await _entries(parts, scope, erasure)],
        session=erasure.session,
        everything=erasure.everything and not roots.is_shared,
    )
    if erasure.everything and files.root == roots.own_folder(scope):
        await asyncio.to_thread(shutil.rmtree, files.root, ignore_errors=True)
    else:
        await asyncio.to_thread(_redact, files, gone, roots.include(scope))
    if erasure.everything:
        return erasure
    await _clear_pads(parts, scope, gone)
    noted = await parts.store.entries(scope, EntryQuery(tags=(TAG,), limit=NO_LIMIT))
    entries = [entry.id for entry in noted if gone.is_in(entry.text.splitlines())]
    records = await _forget_index(parts, scope, gone)
    more = (*erasure.record_ids, *(record.id for record in records))
    return replace(erasure, entry_ids=(*erasure.entry_ids, *entries), record_ids=more)


def _redact(files: WorkspaceFiles, gone: Gone, include: str) -> None:
    """Take out of files what says it; those that name the session come last, so that others are found by them."""
    texts = files.texts(scan(files.root, include))
    taken = {name: bullets_of(text, gone.session) if gone.session else [] for name, text in texts.items()}
    gone.add(bullet.partition(": ")[2] for bullets in taken.values() for bullet in bullets)
    files.redact(sorted(texts, key=lambda name: bool(taken[name])), gone.without, holds=gone.is_in)


async def _entries(parts: Parts, scope: Scope, erasure: Erasure) -> list[Entry]:
    """Return the entries that are named, those that named records came from, and those of a session."""
    queries = [EntryQuery(entry_ids=erasure.entry_ids, limit=NO_LIMIT)] if erasure.entry_ids else []
    queries += [EntryQuery(source_of=erasure.record_ids, limit=NO_LIMIT)] if erasure.record_ids else []
    found = [entry for query in queries for entry in await parts.store.entries(scope.owner, query)]
    if erasure.everything or erasure.session is not None:
        place = scope.owner if erasure.everything else scope.owner.within(session=erasure.session)
        found += await parts.store.entries(place, EntryQuery(limit=NO_LIMIT))
    return [entry for entry in found if not erasure.up_to or entry.seq <= erasure.up_to]


async def _clear_pads(parts: Parts, scope: Scope, gone: Gone) -> None:
    """Take the facts out of the scratchpads, where a session's facts are at hand."""
    held: Mapping[str, JsonValue] = await parts.store.states(scope, prefix=PADS)
    facts = {name: value for name, value in held.items() if name.endswith(f"/{SESSION_FACTS}")}
    async with parts.store.transaction(scope) as tx:
        for name, value in facts.items():
            lines = str(value).splitlines()
            left = [line for line in lines if not gone.says(line)]
            if len(left) < len(lines):
                tx.state(name, "\n".join(left) or None)


async def _forget_index(parts: Parts, scope: Scope, gone: Gone) -> list[Record]:
    """Have the next look build the index anew, if a passage of it says what is erased; return the records that go."""
    query = RecordQuery(filter=RecordFilter(kinds=(Kind.NOTE,), statuses=None), limit=NO_LIMIT)
    records = await parts.store.records(scope, query)
    if not any(gone.is_in(record.content.splitlines()) for record in records):
        return []
    states = await parts.store.states(scope, prefix=STATES)
    async with parts.store.transaction(scope) as tx:
        for name in states:
            tx.state(name, None)
    return records
