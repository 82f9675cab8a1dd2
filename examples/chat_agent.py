"""A chat agent that remembers over three sessions: what was told in one is known in the next, each in a run of its own.

python examples/chat_agent.py [FOLDER]

`answer` stands for a language model, so that this runs anywhere; put your own call in its place. All that memory needs
is around it: `recall` before the call, `remember` after it, with the messages as the model's API has them.
"""

import sys
import tempfile
from typing import Any

import remanent

SESSIONS = (
    ("Hi, I'm Sam. I am allergic to peanuts.", "My sister Ana visits me in Porto on 12 June."),
    ("Remind me to book a table for Ana's visit.",),
    ("What am I allergic to?", "When does my sister visit me?", "What did you set a reminder for?"),
)
FUNCTION = {"name": "set_reminder", "arguments": '{"about": "table for Ana"}'}
REMINDER = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": FUNCTION}],
}


def answer(messages: list[dict[str, Any]], recalled: list[str]) -> dict[str, Any]:
    """Stand for a model: call a tool when asked to, else say what memory brought, else promise to remember."""
    question = messages[-1]["content"]
    if question.startswith("Remind me"):
        return REMINDER
    if question.endswith("?"):
        return {"role": "assistant", "content": f"You told me: {recalled[0]}" if recalled else "I do not know."}
    return {"role": "assistant", "content": "Noted."}


def chat(agent: remanent.Agent, question: str, *, session: str) -> str:
    """Answer one message with what is remembered, and remember it with its answer."""
    found = agent.recall(question, where={"user_id": "sam"})
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a helpful assistant."}]
    if found.text:
        messages.append(found.message())  # escaped and framed: what was stored gives no orders
    messages.append({"role": "user", "content": question})
    told = [item.text for item in found.items if not item.text.endswith("?")]
    turn = [messages[-1], answer(messages, told)]
    if turn[-1].get("tool_calls"):
        turn.append({"role": "tool", "tool_call_id": "call_1", "content": "reminder set: table for Ana"})
        turn.append({"role": "assistant", "content": "I set a reminder: table for Ana."})
    agent.remember(turn, session=session, metadata={"user_id": "sam"}, tags=["chat"])
    return str(turn[-1]["content"])


def main(home: str) -> list[tuple[str, str]]:
    """Hold the three sessions and return what was said."""
    said: list[tuple[str, str]] = []
    for number, questions in enumerate(SESSIONS, start=1):
        with remanent.open(home) as memory:  # opened anew: nothing is kept but what memory keeps
            agent = memory.agent("assistant")
            for question in questions:
                said.append((question, chat(agent, question, session=f"session-{number}")))
                print(f"[{number}] user: {question}\n    assistant: {said[-1][1]}")
            memory.settle()
    return said


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1] if len(sys.argv) > 1 else folder)
