"""A long dialogue in which a fact changes: the bank notices, the newer state holds, the earlier words stay readable.

python examples/long_dialogue.py [FOLDER]
"""

import sys
import tempfile

import remanent

SESSIONS = (
    """user: I live in Porto.
assistant: A lovely city.
user: How do I keep basil alive on the windowsill?
assistant: Give it light and water it from below.""",
    """user: My dog is called Tofu.
assistant: What a name.
user: Why do cats knead blankets?
assistant: It reminds them of being kittens.""",
    """user: I moved from Porto to Osaka.
assistant: That is far away.
user: The bakery round the corner has new rolls.
assistant: Fresh rolls make a fine breakfast.""",
)
QUESTION = "Where does the user live now?"


def main(home: str) -> dict[str, object]:
    """Run the task and return what came of it."""
    with remanent.open(home) as memory, memory.bank(QUESTION) as bank:
        bank.start()
        for session in SESSIONS:
            bank.observe(session)
        changed = [conflict.description for conflict in bank.conflicts]
        result = bank.run(keep=True)
        print("question:", QUESTION)
        print("changed: ", *changed)
        for conflict in bank.conflicts:
            print("verdict: ", conflict.state.value, "-", conflict.verdict.text if conflict.verdict else "")
        print("answer:  ", result.answer)
        words = [entry.text for node in bank.nodes for entry in bank.tree(node.id)]
        return {"answer": result.answer, "changes": changed, "words": words}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
