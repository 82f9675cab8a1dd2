"""A folder of notes searched and edited, and a conversation made to fit: what each takes of the processor.

Processor time, not the clock: the same on a busy machine. A plain recall over as many memories stands beside the search
of notes, in the same process and run.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import remanent
from bench.corpus import Corpus
from bench.figures import Figure, Report, at_most
from remanent.text.tokens import token_counter

if TYPE_CHECKING:
    from remanent import Agent

FILES = 1000
QUESTIONS = 40
EDITS = 8
WARMING = 5
TOKENS, MESSAGES = 50_000, 200
"""The design's example of a long conversation."""
BUDGET = 8_000


def run_workspace_bench(home: Path, *, files: int = FILES, report: Report = lambda _: None) -> list[Figure]:
    """Measure the search of notes and the shortening of a conversation."""
    with remanent.open(home / "memory") as memory:
        notes = _notes(memory, home / "notes", files=files, report=report)
        return [*notes, *_shrinking(memory.agent("talk"), report=report)]


def _notes(memory: remanent.Memory, folder: Path, *, files: int, report: Report) -> list[Figure]:
    report(f"write {files} notes, and remember as many turns")
    texts = list(Corpus().texts(files))
    _write(folder, texts)
    writer, speaker = memory.agent("notes"), memory.agent("turns")
    writer.workspace.init(vault=str(folder))
    store = writer.workspace.store
    store.index_workspace_sync()
    for number in range(0, files, 100):
        speaker.remember([{"role": "user", "content": text} for text in texts[number : number + 100]])
    memory.settle()
    questions = Corpus().questions(3 * (QUESTIONS + WARMING))
    asked = iter(questions)

    def measure(ask: Callable[[str], object]) -> float:
        for _ in range(WARMING):
            ask(next(asked))
        return _middle(ask(next(asked)) for _ in range(QUESTIONS))

    report("search them")
    words = measure(lambda question: store.search_sync(question, mode="fts"))
    both = measure(lambda question: store.search_sync(question, mode="hybrid"))
    plain = measure(speaker.recall)
    report("edit some")
    name = f"workspace, {files:,} files"
    return [
        at_most(f"{name}, words", words, "ms", 10),
        at_most(f"{name}, words and meaning; plain recall {plain:.1f} ms", both / plain, "times", 1.2),
        at_most(f"{name}, words found after an edit", _edited(memory, folder, mode="fts"), "ms", 100),
        at_most(f"{name}, meaning found after an edit", _edited(memory, folder, mode="semantic"), "ms", 1000),
    ]


def _write(folder: Path, texts: Iterable[str]) -> None:
    for number, text in enumerate(texts):
        path = folder / f"part{number % 20}" / f"note{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {number}\n\n{text}\n", encoding="utf-8")


def _edited(memory: remanent.Memory, folder: Path, *, mode: str) -> float:
    """Change one note after the other, and find what was written, each time by its own words."""
    store = memory.agent("notes").workspace.store

    def edit() -> Iterator[None]:
        for number in range(EDITS):
            said = f"The lighthouse keeper number {number} of {mode} paints every door in turquoise."
            (folder / "part3" / f"note{3 + 20 * number}.md").write_text(f"# Keeper\n\n{said}\n", encoding="utf-8")
            found = store.search_sync(said, mode="fts" if mode == "fts" else "semantic", limit=3)
            if said not in "".join(hit.text for hit in found.items):
                raise AssertionError(f"an edit is not found: {mode}")
            yield

    middle = _middle(edit())
    memory.settle()
    return middle


def _shrinking(agent: "Agent", *, report: Report) -> list[Figure]:
    """Shorten a long conversation for the first time, then again with each of some messages more."""
    count, texts = token_counter(), Corpus().texts(100_000)
    report(f"shorten a conversation of {TOKENS:,} tokens")

    def message(number: int) -> dict[str, str]:
        said = next(texts)
        while count(said) < TOKENS / MESSAGES:
            said += f". {next(texts)}"
        return {"role": ("user", "assistant")[number % 2], "content": said}

    messages = [message(number) for number in range(MESSAGES)]
    agent.context([{"role": "user", "content": "Loads what it needs."}], budget=10)
    began = time.process_time()
    agent.context(messages, budget=BUDGET)
    cold = time.process_time() - began

    def go_on() -> Iterator[None]:
        for number in range(MESSAGES, MESSAGES + QUESTIONS):
            messages.append(message(number))
            agent.context(messages, budget=BUDGET)
            yield

    return [
        at_most(f"context, {TOKENS:,} tokens shortened for the first time", 1000 * cold, "ms", 1000),
        at_most("context, one message more", _middle(go_on()), "ms", 30),
    ]


def _middle(works: Iterable[object]) -> float:
    """Return the milliseconds of the processor that the middle one of some works took."""
    spent, began = [], time.process_time()
    for _ in works:
        spent.append(time.process_time() - began)
        began = time.process_time()
    return 1000 * sorted(spent)[len(spent) // 2]
