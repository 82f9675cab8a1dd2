"""Measuring how well an agent's own questions are answered."""

from typing import Annotated

from remanent.discipline.call import ProgressStep
from remanent.discipline.operation import Command, Face, Permission, operation
from remanent.discipline.shapes import MAX_ITEMS, about
from remanent.jobs import Progress
from remanent.model import Evaluation, Model, Probe
from remanent.operations.call import Call


class Evaluate(Model):
    """Questions whose answers are known."""

    questions: Annotated[
        tuple[Probe, ...],
        about(
            "Questions, each with the `ids` of entries, records or messages that answer it, or `texts` that an answer "
            "holds; with neither where nothing answers it.",
            "问题；每个附上能回答它的原始记录、记忆或消息的 `ids`，或答案应包含的 `texts`；两者皆无表示没有答案。",
            min_length=1,
            max_length=MAX_ITEMS,
        ),
    ]
    recipe: Annotated[
        str | None,
        about("How is searched: as recall's own `recipe`.", "检索方案：同 recall 的 `recipe`。", max_length=200),
    ] = None


@operation(
    "evaluate",
    zh="用已知答案的问题衡量检索的质量与速度。",
    permission=Permission.READ,
    route="POST evaluations",
    changes=False,
    long=True,
    examples=(
        {
            "questions": [
                {"question": "Where does Ada live?", "texts": ["Lisbon"]},
                {"question": "What is the name of her yacht?"},
            ]
        },
    ),
    face=Face("evaluate", ask=lambda given: {**given, "questions": list(given["questions"])}),
    command=Command(takes="questions"),
)
async def evaluate(call: Call, request: Evaluate) -> Evaluation:
    """Measure how well and how fast recall answers questions whose answers are known."""

    def tell(progress: Progress) -> None:
        call.report(ProgressStep(done=progress.done, total=progress.done + progress.pending))

    return await call.agent.evaluate(request.questions, recipe=request.recipe, on_progress=tell)


OPERATIONS = (evaluate,)
