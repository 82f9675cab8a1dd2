"""Question answering over a document several windows long: the answer's evidence is in the right part of it.

    python examples/long_document.py [FOLDER]

The window is made small, so that a document of some pages is read in several chunks, each cut at the end of a section.
"""

import sys
import tempfile
from pathlib import Path

import remanent
from remanent.bank.runtime import BankEvent, EventKind

QUESTION = "What is Aster Bridge built of?"
RIGHT = "granite"
EVIDENCE = "Aster Bridge was built of granite."


def main(home: str) -> dict[str, object]:
    """Run the task and return what came of it."""
    chunks: list[BankEvent] = []

    def watch(event: BankEvent) -> None:
        if event.kind is EventKind.CHUNK:
            chunks.append(event)
            print("read chunk", event.data["done"], "of", event.data["of"])

    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    with remanent.open(home, model={"window": 600}) as memory, memory.bank(QUESTION, context=text) as bank:
        result = bank.run(keep=True, on_event=watch)
        behind = [entry.text for node_id in result.node_ids for entry in bank.tree(node_id)]
        print("question:", QUESTION)
        print("answer:  ", result.answer)
    return {
        "answer": result.answer,
        "right": RIGHT,
        "evidence": EVIDENCE,
        "chunks": len(chunks),
        "behind": behind,
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
