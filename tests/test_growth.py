"""What disciplines and the context do with a text or a conversation grows with it, as `text/` and `language/` do."""

from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest

from remanent.context import messages as chat
from remanent.context import trimming
from remanent.knowledge import chunking, proof
from remanent.loaders import document, plain, types
from remanent.loaders.document import Block
from remanent.loaders.reading import Reading
from remanent.text.tokens import ESTIMATE
from remanent.workspace import daylog, hooks, index
from remanent.workspace.erasing import Gone
from tests.growth import FULL, HUGE, Work, public_functions, seconds, takes_just_a_text, too_fast
from tests.hostile import CORE, HOSTILE, Maker, numbered, repeated

_NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)
_MARKDOWN = Reading("a.md", types.MARKDOWN)


def _lines(text: str, most: int = 10**9) -> list[str]:
    return list(islice((f"- {text[start : start + 40]}" for start in range(0, len(text), 40)), most))


def _sections_and_blocks(text: str) -> list[chunking.ChunkSpan]:
    """Cut a document that has a heading and a table every few words, and one listing around all of it."""
    starts = range(0, len(text) - 20, 20)
    headings = [(start, 2, "title") for start in starts]
    blocks = [Block(kind="table", start=start + 8, end=start + 16, borders=(start + 12,)) for start in starts]
    whole = Block(kind="code", start=0, end=len(text), borders=tuple(range(10, len(text), 10)))
    return chunking.cut(document.assemble(text, types.PLAIN, headings=headings, blocks=[whole, *blocks]), size=200)


def _marked(text: str) -> str:
    """Return a day's file with as many bullets of ours."""
    return daylog.with_facts(None, _lines(text), at=_NOON, session="s")


def _conversation(text: str) -> list[chat.ReadMessage]:
    roles = ("user", "assistant")
    said: list[dict[str, Any]] = [
        {"role": roles[at % 2], "content": line} for at, line in enumerate(_lines(text.replace("\0", " ")))
    ]
    return chat.read_messages(said)


ADAPTERS: dict[str, Work] = {
    "context.messages.read_messages": _conversation,
    "context.messages.sanitized": lambda text: chat.sanitized(_conversation(text)),
    "context.messages.style_of": lambda text: chat.style_of(_conversation(text)),
    "context.messages.units": lambda text: chat.units(_conversation(text)),
    "context.trimming.shortened_result": lambda text: trimming.shortened_result(text, count=ESTIMATE),
    "knowledge.chunking.cut": lambda text: chunking.cut(
        plain.read_markdown(text.replace("\0", " ").encode(errors="replace"), _MARKDOWN), size=200
    ),
    "knowledge.chunking.cut, with tables": _sections_and_blocks,
    "knowledge.proof.bearing": lambda text: proof.bearing(text[:500], text),
    "workspace.daylog.own_bullets": lambda text: daylog.own_bullets(_marked(text).splitlines()),
    "workspace.daylog.with_extracted": lambda text: daylog.with_extracted(text, _lines(text, 8)),
    "workspace.daylog.without_bullets": lambda text: Gone(_lines(text, 50)).without(_marked(text)),
    "workspace.daylog.compacted, of bullets": lambda text: daylog.compacted(_marked(text)),
    "workspace.hooks.facts_of": lambda text: hooks.facts_of(
        [{"role": "user", "content": f"x{text.encode(errors='replace').decode()}"}] * 40
    ),
    "workspace.hooks.merged_facts": lambda text: hooks.merged_facts(text, _lines(text, 8)),
    "workspace.index.passages_of, of sections": lambda text: index.passages_of(text.replace(" ", "\n# a\nb")),
}
MODULES = {
    "remanent.knowledge": ("chunking", "proof"),
    "remanent.workspace": ("daylog", "index", "hooks"),
    "remanent.cognition": ("drafts", "model", "profile"),
    "remanent.context": ("messages", "trimming"),
}
WORKS: dict[str, Work] = {
    name: function
    for package, modules in MODULES.items()
    for name, function in public_functions(package, *modules).items()
    if takes_just_a_text(function)
} | ADAPTERS
TEXTS: dict[str, Maker] = {
    "sections with listings": repeated("# a\n\n```\nx\n```\n\nb.\n\n"),
    "sections with tables": numbered("## {0}\n\n|a|b|\n|-|-|\n|1|2|\n\nWords of {0}.\n\n"),
    "bullets": numbered("- User request: do {}.\n"),
    "headings": repeated("# a\n"),
    "comments": repeated("<!-- a"),
    "words": numbered("{} "),
}


@pytest.mark.spec("SAFE-07")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_what_is_given(name: str) -> None:
    assert not too_fast(WORKS[name], TEXTS)


@pytest.mark.spec("SAFE-07")
@pytest.mark.skipif(not FULL, reason="takes long: at full counts only")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_hostile_texts_and_with_a_million_characters(name: str) -> None:
    assert not too_fast(WORKS[name], HOSTILE)
    assert not too_fast(WORKS[name], CORE | TEXTS, large=HUGE)


@pytest.mark.parametrize("name", sorted(WORKS))
def test_every_function_takes_every_hostile_text(name: str) -> None:
    """Short, whatever is in it; how the work grows with the long ones is measured at full counts."""
    for make in (HOSTILE | CORE | TEXTS).values():
        seconds(WORKS[name], make(500))
    seconds(WORKS[name], CORE["all of them"](5_000))


def test_work_that_grows_faster_only_in_the_last_part_of_a_long_text_is_found() -> None:
    def work(text: str) -> int:
        return sum(range(len(text) * (60 if len(text) < 50_000 else 150)))

    assert set(too_fast(work, {"words": TEXTS["words"]})) == {"words"}
