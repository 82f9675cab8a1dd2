"""Deep research over sources that contradict each other: the contradiction is found, validated and integrated.

    python examples/deep_research.py [FOLDER]

Everything runs without a model and without a key. One of two articles is wrong about the length of a bridge; two more
sources can be searched. The answer must use the right length.
"""

import sys
import tempfile

import remanent
from remanent.evaluation.tasks import TaskKind, task_cases


def main(home: str) -> dict[str, object]:
    """Run the task and return what came of it."""
    case = task_cases(TaskKind.RESEARCH, count=1)[0]  # generated, so that the right answer is known
    sources = {passage.name: passage.text for passage in case.library}
    with remanent.open(home) as memory, memory.bank(case.question, sources=sources) as bank:
        bank.start()
        for passage in case.given:
            bank.observe(passage.text)
        found = [conflict.description for conflict in bank.conflicts]
        result = bank.run(keep=True)
        print("question:     ", case.question)
        print("contradiction:", *found)
        for conflict in bank.conflicts:
            print("verdict:      ", conflict.state.value, "-", conflict.verdict.text if conflict.verdict else "")
        print("answer:       ", result.answer)
        for node_id in result.node_ids:
            for entry in bank.tree(node_id):
                print("rests on:     ", entry.source, "-", entry.text.strip().splitlines()[0][:80])
        return {
            "answer": result.answer,
            "right": case.answer,
            "wrong": case.wrong,
            "contradictions": found,
            "states": [conflict.state.value for conflict in bank.conflicts],
        }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
