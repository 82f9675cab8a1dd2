"""A trial of a real model: every role beside doing it without one, and what memory makes of it.

It asks any OpenAI-compatible address, or starts the small model of requirements/chaos.txt, which speaks the protocol
and judges little. Nothing of it is shipped, and no model is a dependency. `make model-trial ARGS="--base-url …"` runs
it and writes a table.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import remanent
from remanent.language.coverage import WordIndex
from remanent.language.engines import OfflineEngine
from remanent.language.examination import RoleMarks, examine
from remanent.language.models import ModelEngine
from remanent.settings import ModelSettings, Settings

ROOT = Path(__file__).parent.parent
OUTPUTS = ("schema", "text")
"""How answers are asked for: held to a schema by the server, and in words alone."""

SAID = (
    "My sister Lily moved to Leeds in May.", "She pays 850 pounds for a flat near the station.", "Thanks!",
    "Our release is planned for 14 June, not for 7 June.", "Tom keeps the keys of the depot in the red box.",
    "I never drink coffee after noon.", "The dentist is Dr Brown in Park Row.", "Remind me to call the bank on Friday.",
    "我妹妹小丽五月搬到了杭州。", "她在车站附近租了房，每月3200元。", "谢谢！", "发布定在6月14日，不是6月7日。",
    "仓库的钥匙由老王放在红色箱子里。", "我中午以后从不喝咖啡。", "牙医是公园路的张医生。", "周五提醒我给银行打电话。",
)  # fmt: skip
"""Messages of which nothing may be lost; two of them say nothing."""
_SILENT = frozenset({"Thanks!", "谢谢！"})

TASKS = (
    ("How high is Mount Kelt?", "Mount Kelt is 3412 metres high, says the survey.\n\nMount Kelt is 3298 metres high."),
    ("凯尔特山有多高？", "测绘局说，凯尔特山高3412米。\n\n凯尔特山高3298米。"),
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


async def marks_of(model: ModelSettings, *, minutes: float) -> list[RoleMarks]:
    """Return the marks of a model in every role."""
    engine = ModelEngine(model)
    try:
        return await examine(engine, OfflineEngine(), seconds=60 * minutes)
    finally:
        await engine.close()


def lost_messages(model: ModelSettings) -> int:
    """Return how many of the messages the associative memory does not hold."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.model_validate({"home": home, "model": model})
        with remanent.open(settings=settings) as memory:
            agent = memory.agent("trial")
            for text in SAID:
                agent.associative.remember(text)
            memory.settle()
            held = WordIndex("\n".join(node.content for node in agent.associative.nodes()))
    return sum(not held.holds(text) for text in SAID if text not in _SILENT)


def banks(model: ModelSettings) -> list[tuple[str, int, str, int]]:
    """Return of each task its conflicts, its answer and the tokens that it took."""
    rows = []
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.model_validate({"home": home, "model": model})
        with remanent.open(settings=settings) as memory:
            for task, context in TASKS:
                bank = memory.bank(task, context=context)
                bank.start()
                found = len(bank.conflicts)
                result = bank.run()
                rows.append((task, found, result.answer, result.tokens))
    return rows


def table(rows: list[tuple[str, ...]]) -> str:
    """Return rows as Markdown, the first being the headings."""
    head, *rest = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *rest])


def report(base_url: str, name: str, *, window: int, minutes: float) -> str:
    """Return what a trial found, as Markdown."""
    parts = [f"# A trial of {name}"]
    for output in OUTPUTS:
        model = settings_for(base_url, name, window=window, output=output)
        marks = asyncio.run(marks_of(model, minutes=minutes))
        rows: list[tuple[str, ...]] = [("role", "right", "refused", "offline right", "seconds", "proposed")]
        rows += [
            (one.role, f"{one.right}/{one.looked_at}", str(one.refused), f"{one.offline}/{one.exercises}",
             f"{one.seconds:.0f}", one.engine)
            for one in marks
        ]  # fmt: skip
        parts += [f"## Roles, answers by {output}", table(rows)]
    model = settings_for(base_url, name, window=window, output="auto")
    parts += ["## Memory", f"Messages lost of {len(SAID) - len(_SILENT)}: {lost_messages(model)}"]
    rows = [("task", "conflicts", "answer", "tokens")]
    rows += [
        (task, str(found), answer.replace("\n", " ")[:200], str(tokens)) for task, found, answer, tokens in banks(model)
    ]
    return "\n\n".join([*parts, "## Banks", table(rows)]) + "\n"


def main() -> None:
    """Try a model and write the table."""
    parser = argparse.ArgumentParser(prog="make model-trial", description=__doc__)
    parser.add_argument("--base-url", help="an OpenAI-compatible address; by default the small model is started")
    parser.add_argument("--name", default="smollm2", help="the model's name at that address")
    parser.add_argument("--window", type=int, default=3_900, help="tokens that its window has")
    parser.add_argument("--minutes", type=float, default=30, help="time for each examination")
    parser.add_argument("--out", type=Path, default=Path("model-trial.md"), help="the file for the table")
    given = parser.parse_args()
    with address(given.base_url) as url:
        text = report(url, given.name, window=given.window, minutes=given.minutes)
    given.out.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
