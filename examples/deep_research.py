"""Deep research over sources that contradict each other: the contradiction is found, validated and integrated.

    python examples/deep_research.py [FOLDER]

Everything runs without a model and without a key. One of two articles is wrong about what a bridge is built of; two
more sources can be searched. The answer must use the right material.
"""

import sys
import tempfile

import remanent

QUESTION = "What is Senn Bridge built of?"
RIGHT, WRONG = "steel", "brick"

MAGAZINE = """From a travel magazine about Senn Bridge:
Senn Bridge was opened in 1948. Painters have come to Senn Bridge for generations. Senn Bridge was built of steel.
23 million euros were spent on Senn Bridge. In winter, Senn Bridge is often wrapped in fog."""
YEARBOOK = """From a yearbook on Senn Bridge:
Senn Bridge opened in 1948. Many travellers stop near Senn Bridge to look at the valley.
The material of Senn Bridge is brick. Painters have come to Senn Bridge for generations.
Senn Bridge was built for 23 million euros."""
NEWSPAPER = """23 million euros were spent on Senn Bridge. Senn Bridge was built of steel.
Many travellers stop near Senn Bridge to look at the valley. Local guides like to end their walks at Senn Bridge."""
BLOG = """Senn Bridge was opened in 1948. In winter, Senn Bridge is often wrapped in fog.
Many travellers stop near Senn Bridge to look at the valley. The material of Senn Bridge is steel."""


def main(home: str) -> dict[str, object]:
    """Run the task and return what came of it."""
    with (
        remanent.open(home) as memory,
        memory.bank(QUESTION, sources={"a newspaper": NEWSPAPER, "a blog": BLOG}) as bank,
    ):
        bank.start()
        for text in (MAGAZINE, YEARBOOK):
            bank.observe(text)
        found = [conflict.description for conflict in bank.conflicts]
        result = bank.run(keep=True)
        print("question:     ", QUESTION)
        print("contradiction:", *found)
        for conflict in bank.conflicts:
            print("verdict:      ", conflict.state.value, "-", conflict.verdict.text if conflict.verdict else "")
        print("answer:       ", result.answer)
        for node_id in result.node_ids:
            for entry in bank.tree(node_id):
                print("rests on:     ", entry.source, "-", entry.text.strip().splitlines()[0][:80])
        return {
            "answer": result.answer,
            "right": RIGHT,
            "wrong": WRONG,
            "contradictions": found,
            "states": [conflict.state.value for conflict in bank.conflicts],
        }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
