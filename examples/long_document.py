"""Question answering over a document several windows long: the answer's evidence is in the right part of it.

    python examples/long_document.py [FOLDER]

The window is made small, so that a document of some pages is read in several chunks, each cut at the end of a section.
"""

import sys
import tempfile

import remanent
from remanent.bank import BankEvent, EventKind
from remanent.evaluation.tasks import TaskKind, task_cases


def main(home: str) -> dict[str, object]:
    """Run the task and return what came of it."""
    case = task_cases(TaskKind.DOCUMENT, count=1)[0]  # generated, so that the right answer is known
    chunks: list[BankEvent] = []

    def watch(event: BankEvent) -> None:
        if event.kind is EventKind.CHUNK:
            chunks.append(event)
            print("read chunk", event.data["done"], "of", event.data["of"])

    text = case.given[0].text
    with remanent.open(home, model={"window": 600}) as memory, memory.bank(case.question, context=text) as bank:
        result = bank.run(keep=True, on_event=watch)
        behind = [entry.text for node_id in result.node_ids for entry in bank.tree(node_id)]
        print("question:", case.question)
        print("answer:  ", result.answer)
    return {
        "answer": result.answer,
        "right": case.answer,
        "evidence": case.evidence,
        "chunks": len(chunks),
        "behind": behind,
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
