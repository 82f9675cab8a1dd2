"""A trial of a real model: every role beside doing it without one, and what memory makes of it.

It asks any OpenAI-compatible address, or starts the small model of requirements/chaos.txt, which speaks the protocol
and judges little. Nothing of it is shipped, and no model is a dependency. `make model-trial ARGS="--base-url …"` runs
it and writes a table.
"""

import argparse
import asyncio
import itertools
import json
import math
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import httpx

import remanent
from bench.trial_inputs import CONTRADICTIONS, KNOWN, LANGUAGES, SAID, SILENT, TASKS, UNKNOWN, Task, by_language, inputs
from remanent.language.engines import OfflineEngine
from remanent.language.examination import EXERCISES, Exercise, RoleMarks, examine
from remanent.language.models.engine import ModelEngine
from remanent.language.roles import all_roles
from remanent.settings import ModelSettings, Settings
from remanent.text.keywords import WordIndex
from remanent.text.scripts import working_language

Item = TypeVar("Item")

ROOT = Path(__file__).parent.parent
OUTPUTS = ("schema", "text")
"""How answers are asked for: held to a schema by the server, and in words alone."""
_ADMITS = re.compile(
    r"(?i)(do(es)? not|don't|doesn't|didn't|did not|cannot|can't|unable|no (such )?(record|information|memory)|"
    r"not (mention|stated|remember|record|know|said|told|provided))|"
    r"不记得|不知道|没有(相关|记录|提|说|关于|找到)|未(提|记|知)|无法|记录里没有|不清楚"
)


@contextmanager
def address(base_url: str | None) -> Iterator[str]:
    """Give the address of a model: the one that was named, or that of the small one, which is started for it."""
    if base_url is not None:
        yield base_url
        return
    command = [sys.executable, "-m", "tests.chaos.support.small_model"]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line.startswith("http://"):
        raise SystemExit("the small model does not start here; name another with --base-url")
    try:
        yield f"{line}/v1"
    finally:
        process.communicate("", timeout=60)


def settings_for(base_url: str, name: str, *, window: int, output: str) -> ModelSettings:
    """Return settings that give a slow machine its time."""
    values = {"base_url": base_url, "name": name, "window": window, "output": output, "attempts": 1}
    times = {"timeout": 1800, "request_timeout": 1800, "read_timeout": 1800}
    return ModelSettings.model_validate({**values, **times})


def without(model: ModelSettings, *roles: str) -> ModelSettings:
    """Return settings under which some roles are done without a model."""
    given = model.model_dump(exclude_unset=True)
    return ModelSettings.model_validate(
        {**given, "roles": {**given.get("roles", {}), **{role: {"engine": "offline"} for role in roles}}}
    )


async def marks_of(model: ModelSettings, exercises: Sequence[Exercise], *, minutes: float) -> list[RoleMarks]:
    """Return the marks of a model in the roles of some exercises."""
    engine = ModelEngine(model)

    async def report(exercise: Exercise) -> None:
        tell(f"{exercise.role}, {exercise.language}")

    try:
        return await examine(engine, OfflineEngine(), seconds=60 * minutes, exercises=exercises, report=report)
    finally:
        await engine.close()


def lost_messages(model: ModelSettings, said: Sequence[str]) -> int:
    """Return how many messages the associative memory does not hold."""
    # What is learnt of the user beside it has no part in this, and would take a slow model as long again.
    alone = without(model, "extraction")
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.model_validate({"home": home, "model": alone})
        with remanent.open(settings=settings) as memory:
            agent = memory.agent("trial")
            for text in said:
                tell(text)
                agent.associative.remember(text)
            memory.settle()
            held = WordIndex("\n".join(node.content for node in agent.associative.nodes()))
    return sum(not held.holds(text) for text in said if text not in SILENT)


def banks(model: ModelSettings, tasks: Sequence[Task]) -> list[tuple[str, ...]]:
    """Return of each task its conflicts, whether the answer is right, how it ended, and what it took."""
    rows: list[tuple[str, ...]] = []
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.model_validate({"home": home, "model": model})
        with remanent.open(settings=settings) as memory:
            for task, gold, sources, texts in tasks:
                begun = time.monotonic()
                with memory.bank(task, sources=sources) as bank:
                    bank.start()
                    for text in texts:
                        bank.observe(text)
                    found = len(bank.conflicts)
                    result = bank.run()
                    right = "yes" if gold in result.answer else "no"
                    took = (str(result.rounds), str(result.tokens), f"{time.monotonic() - begun:.0f}")
                    rows.append((task, str(found), right, result.answer.replace("\n", " ")[:200], result.end, *took))
                    tell(" | ".join(rows[-1]))
    return rows


def found_on_reading(settings: Settings, pairs: Sequence[tuple[str, str]]) -> int:
    """Return of how many pairs a bank says that they contradict each other, having read the two texts."""
    found = 0
    with remanent.open(settings=settings) as memory:
        for pair in pairs:
            tell(pair[0])
            with memory.bank("What is told of this?") as bank:
                bank.start()
                for text in pair:
                    bank.observe(text)
                found += bool(bank.conflicts)
                tell(f"{found} found so far")
    return found


def reading(model: ModelSettings, pairs: Sequence[tuple[str, str]]) -> tuple[int, int]:
    """Return how many contradictions are found on reading, by the model and by the rules alone."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as other:
        # What to do next is planned before anything is read, and a sentence has one topic: neither has a part in this.
        settings = Settings.model_validate({"home": home, "model": without(model, "planning", "classification")})
        asked = found_on_reading(settings, pairs)
        return asked, found_on_reading(Settings.model_validate({"home": other}), pairs)


@contextmanager
def proxy(base_url: str, home: str) -> Iterator[str]:
    """Serve the proxy before a model, as a user does, and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    # What the model makes of memories is tried, not whether a busy machine finds them in a chat's time.
    patience = {"REMANENT_PROXY__RECALL_TIMEOUT": "120", "REMANENT_RECALL__PATH_TIMEOUT": "60"}
    environment = {**os.environ, **patience, "REMANENT_PROXY__BASE_URL": base_url, "REMANENT_SERVER__PORT": port}
    command = [sys.executable, "-m", "remanent", "serve", "--home", home]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            with suppress(httpx.TransportError):
                if httpx.get(f"{url}/livez").is_success:
                    break
            time.sleep(0.25)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=60)


@dataclass(frozen=True)
class Said:
    """What was said to a question through the proxy, and whether that is right."""

    question: str
    answer: str
    is_known: bool
    is_right: bool

    @property
    def sort(self) -> tuple[str, bool]:
        """The language of the question, and whether an earlier session tells the answer."""
        return working_language(self.question), self.is_known


def chats(base_url: str, name: str, known: Sequence[tuple[str, str]], unknown: Sequence[str]) -> list[Said]:
    """Return what is said through the proxy to questions on an earlier session, and to those that nothing answers.

    The session was in the language of the first question: each language has a sister with a rent of her own.
    """
    language = working_language([*(question for question, _ in known), *unknown][0])
    said = [text for text in SAID if working_language(text) == language]
    with tempfile.TemporaryDirectory() as home:
        with remanent.open(home) as memory:
            memory.agent("trial").remember([{"role": "user", "content": text} for text in said], session="earlier")
            memory.settle()
        with proxy(base_url, home) as url, httpx.Client(base_url=url, timeout=1800) as client:
            sessions = itertools.count()

            def ask(question: str) -> str:
                # Nothing that is asked tells anything, so that one memory serves for all.
                body = {"model": name, "messages": [{"role": "user", "content": question}], "max_tokens": 80}
                headers = {"x-remanent-agent": "trial", "x-remanent-session": f"asked-{next(sessions)}"}
                body["temperature"] = 0
                answer = client.post("/v1/chat/completions", json=body, headers=headers).raise_for_status().json()
                said = str(answer["choices"][0]["message"]["content"]).replace("\n", " ")
                tell(f"{question} {said}")
                return said

            told = [(question, ask(question), word) for question, word in known]
            others = [(question, ask(question)) for question in unknown]
    answered = [Said(question, said, True, word in said) for question, said, word in told]
    return answered + [Said(question, said, False, bool(_ADMITS.search(said))) for question, said in others]


def by_lot(items: Sequence[Item], most: int | None, seed: int) -> list[Item]:
    """Return at most so many of some things in their order, by lot: a slow model has no time for all of them."""
    drawn = range(len(items)) if most is None else random.Random(seed).sample(range(len(items)), min(most, len(items)))
    return [items[place] for place in sorted(drawn)]


def most_likely(found: int, of: int) -> float:
    """Return the share of all that a share found by lot leaves possible, with 95 % certainty (Clopper and Pearson)."""
    low, high = found / of, 1.0
    while high - low > 1e-6:
        share = (low + high) / 2
        chance = sum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(found + 1))
        low, high = (share, high) if chance > 0.05 else (low, share)
    return high


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows as Markdown, the first being the headings."""
    head, *rest = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *rest])


def tell(what: str) -> None:
    """Say on the terminal what is being tried: with a slow model each part takes minutes."""
    sys.stderr.write(f"» {time.strftime('%H:%M:%S')} {what}\n")
    sys.stderr.flush()


@dataclass(frozen=True)
class Trial:
    """A model that is tried, part by part; each part returns what it found, as Markdown."""

    base_url: str
    name: str
    window: int
    minutes: float
    most: int | None = None
    """Exercises, inputs, messages, contradictions and questions of each sort that are tried, by lot; else all."""
    seed: int = 1
    languages: Sequence[str] = LANGUAGES
    """Those of the questions through the proxy, and of the banks' tasks."""
    outputs: Sequence[str] = OUTPUTS
    offline: Sequence[str] = ()
    """Roles that are done without the model."""
    kept: Path | None = None
    """A file that keeps which inputs were refused, so that a trial that was broken off goes on there."""

    @cached_property
    def journal(self) -> dict[str, bool]:
        """What is known of inputs from a trial that was broken off."""
        return json.loads(self.kept.read_text(encoding="utf-8")) if self.kept and self.kept.exists() else {}

    def model(self, output: str = "auto") -> ModelSettings:
        """Return the settings by which the model is asked."""
        return without(settings_for(self.base_url, self.name, window=self.window, output=output), *self.offline)

    def some(self, items: Sequence[Item]) -> list[Item]:
        """Return those of some things that are tried."""
        return by_lot(items, self.most, self.seed)

    def roles(self) -> list[str]:
        """Examine it in every role, with a schema that the server holds it to and by words alone."""
        parts, exercises = [], self.some(EXERCISES)
        for output in self.outputs:
            tell(f"every role, answers by {output}: up to {self.minutes:.0f} minutes")
            marks = asyncio.run(marks_of(self.model(output), exercises, minutes=self.minutes))
            rows: list[tuple[str, ...]] = [("role", "right", "refused", "offline right", "seconds", "proposed")]
            rows += [
                (one.role, f"{one.right}/{one.looked_at}", str(one.refused), f"{one.offline}/{one.exercises}",
                 f"{one.seconds:.0f}", one.engine)
                for one in marks
            ]  # fmt: skip
            refused, asked = sum(one.refused for one in marks), sum(one.looked_at for one in marks)
            parts += [f"## Roles, answers by {output}", table(rows), f"Refused: {refused} of {asked}"]
        return parts

    def inputs(self) -> list[str]:
        """Count the answers that cannot be used, not even when the model is told why, of inputs to every role."""
        drawn = self.some(list(enumerate(one for exercises in inputs(3, self.seed) for one in exercises)))
        refused: dict[str, list[bool]] = {output: [] for output in self.outputs}
        for output, (place, exercise) in itertools.product(self.outputs, drawn):
            key = f"{self.name} {self.seed} {output} {place} {exercise.role}"
            if (known := self.journal.get(key)) is None:
                [marks] = asyncio.run(marks_of(self.model(output), [exercise], minutes=self.minutes))
                known = self.journal[key] = bool(marks.refused)
                if self.kept is not None:
                    self.kept.write_text(json.dumps(self.journal, indent=0), encoding="utf-8")
            refused[output].append(known)
            tell(f"{output}, {exercise.role}: {sum(refused[output])} refused of {len(refused[output])}")
        rows = [
            (output, f"{sum(of)} of {len(of)}", f"{most_likely(sum(of), len(of)):.1%}")
            for output, of in refused.items()
        ]
        return ["## Inputs", table([("answers by", "refused", "at most, with 95 %"), *rows])]

    def memory(self) -> list[str]:
        """Tell the associative memory messages, and count what is lost."""
        said = self.some(SAID)
        tell(f"{len(said)} messages into the associative memory")
        telling = [text for text in said if text not in SILENT]
        return ["## Memory", f"Messages lost of {len(telling)}: {lost_messages(self.model(), said)}"]

    def reading(self) -> list[str]:
        """Have banks read texts that contradict each other."""
        pairs = self.some(CONTRADICTIONS)
        tell(f"{len(pairs)} contradictions to read")
        found, offline = reading(self.model(), pairs)
        return ["## Reading", f"Contradictions found of {len(pairs)}: {found}; without a model {offline}"]

    def banks(self) -> list[str]:
        """Run tasks in each language to their ends."""
        of = by_language(TASKS, lambda one: one[0])
        tasks = [one for language in self.languages for one in of[language][: self.most]]
        tell(f"{len(tasks)} banks")
        head = ("task", "conflicts", "right", "answer", "end", "rounds", "tokens", "seconds")
        return ["## Banks", table([head, *banks(self.model(), tasks)])]

    def proxy(self) -> list[str]:
        """Chat through the proxy on what an earlier session told, and on what nobody did."""
        known, unknown = by_language(KNOWN, lambda pair: pair[0]), by_language(UNKNOWN)
        told = list[Said]()
        for language in self.languages:
            of_told, of_unsaid = self.some(known[language]), self.some(unknown[language])
            tell(f"{len(of_told) + len(of_unsaid)} questions through the proxy")
            told += chats(self.base_url, self.name, of_told, of_unsaid)
        rows: list[tuple[str, ...]] = [("language", "asked of", "right")]
        for language, is_known in sorted({one.sort for one in told}):
            right = [one.is_right for one in told if one.sort == (language, is_known)]
            matter = "what an earlier session told" if is_known else "what nobody said"
            rows.append((language, matter, f"{sum(right)} of {len(right)}"))
        wrong = [("asked", "said wrongly"), *((one.question, one.answer[:160]) for one in told if not one.is_right)]
        return ["## Proxy", table(rows), table(wrong)]


PARTS = ("roles", "inputs", "memory", "reading", "banks", "proxy")


def report(trial: Trial, parts: Sequence[str] = PARTS) -> str:
    """Return what a trial found in these parts, as Markdown."""
    found = [line for part in parts for line in getattr(trial, part)()]
    return "\n\n".join([f"# A trial of {trial.name}", *found]) + "\n"


def main() -> None:
    """Try a model and write the table."""
    parser = argparse.ArgumentParser(prog="make model-trial", description=__doc__)
    parser.add_argument("--base-url", help="an OpenAI-compatible address; by default the small model is started")
    parser.add_argument("--name", default="smollm2", help="the model's name at that address")
    parser.add_argument("--window", type=int, default=3_900, help="tokens that its window has")
    parser.add_argument("--minutes", type=float, default=30, help="time for each examination")
    parser.add_argument("--part", action="append", choices=PARTS, help="try this alone; may be given again")
    parser.add_argument(
        "--most", type=int, help="exercises, inputs, messages, contradictions, questions, by lot; the first tasks"
    )
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="proxy and banks in this one alone")
    parser.add_argument("--output", action="append", choices=OUTPUTS, help="roles and inputs by answers of this sort")
    parser.add_argument(
        "--offline", action="append", choices=sorted(all_roles()), help="do this role without the model"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the lot")
    parser.add_argument("--out", type=Path, default=Path("model-trial.md"), help="the file for the table")
    given = parser.parse_args()
    with address(given.base_url) as url:
        trial = Trial(
            url, given.name, given.window, given.minutes, given.most, given.seed, given.language or LANGUAGES,
            given.output or OUTPUTS, given.offline or (), given.out.with_suffix(".json"),
        )  # fmt: skip
        text = report(trial, given.part or PARTS)
    given.out.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
