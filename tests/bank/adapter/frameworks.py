"""A task that every framework is put to, and what must come of it."""

from pathlib import Path
from typing import Any

from remanent.agents.tools import FunctionTool
from remanent.bank.adapter.framework import Framework
from remanent.bank.run import BankRun, GivenFile, RunResult
from remanent.model import Origin
from tests.bank.desk import PNG, Desk, desk
from tests.language.scripted.wire import Request

QUESTION = "Who designed the station of Vell?"
CONTEXT = "The station of Vell was opened in 1904. Its first master was Karl Brandt."
ANSWER = "The station of Vell was designed by Ada Holm."
PICTURE = "The plan shows the station of Vell with six platforms."


def lookup(name: str) -> str:
    """Look something up in the register of architects."""
    return f"{name} was designed by Ada Holm, says the register."


LOOKUP = FunctionTool(lookup, origin=Origin.WEB)


async def see_through(framework: Framework[Any, Any], folder: Path) -> tuple[Desk, RunResult]:
    """Run the task with a picture, on an engine without a model for all but the steps themselves."""
    made = desk(folder)
    run = BankRun(made.adapter, framework, tools=[LOOKUP])
    result = await run.run(QUESTION, context=CONTEXT, files=[GivenFile(PNG, name="plan.png")])
    return made, result


def check(made: Desk, result: RunResult) -> None:
    """Hold that the picture was recognised, the answer learned, and nothing left lying about."""
    assert (result.answer, result.end) == (ANSWER, "done")
    assert result.rounds == 2
    assert [task.status for task in result.insight.completed] == ["success", "success"]
    assert [routed.route for routed in made.adapter.routed] == ["recognition", "execution"]
    texts = [entry.text for entry in made.bank.tree.entries]
    assert any(PICTURE in text and "plan.png" in text for text in texts)
    assert any("says the register" in text and ANSWER in text for text in texts)
    assert result.node_ids
    assert set(result.entry_ids) <= {entry.id for entry in made.bank.tree.entries}
    assert made.temporary_files == []


def picture_of(request: Request) -> str:
    """The picture that a request shows, as a data URL."""
    parts = [part for turn in request.body["messages"] for part in turn["content"] if isinstance(part, dict)]
    return str(next(part["image_url"]["url"] for part in parts if part["type"] == "image_url"))


def tools_of(request: Request) -> list[str]:
    return sorted(tool["function"]["name"] for tool in request.body["tools"])
