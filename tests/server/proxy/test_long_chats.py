"""Chats of a great many messages: memory looks at the last of them, and at none of what it would take long to parse."""

import json

import pytest

from remanent.server.proxy import conversation as module
from remanent.server.proxy.conversation import MAX_MESSAGES, MAX_NEW_MESSAGES, Conversation, UnreadableChat, read_body


def chat(count: int, *, answered: bool = True) -> tuple[dict[str, str], ...]:
    roles = ("user", "assistant") if answered else ("user",)
    return tuple({"role": roles[number % len(roles)], "content": f"message {number}"} for number in range(count))


@pytest.mark.spec("SAFE-02")
def test_the_work_for_a_chat_does_not_grow_with_its_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for count in (3 * MAX_MESSAGES, 30 * MAX_MESSAGES):
        called = 0
        real_linked, real_text = module._linked, module.text_of

        def linked(*args: object, real: object = real_linked) -> object:
            nonlocal called
            called += 1
            return real(*args)  # type: ignore[operator]

        def text_of(*args: object, real: object = real_text) -> object:
            nonlocal called
            called += 1
            return real(*args)  # type: ignore[operator]

        with monkeypatch.context() as patch:
            patch.setattr(module, "_linked", linked)
            patch.setattr(module, "text_of", text_of)
            conversation = Conversation(chat(count, answered=False))
            for _ in range(3):
                conversation.work_out()
                assert conversation.chain
                assert len(conversation.new) == MAX_NEW_MESSAGES
        counts.append(called)
    assert max(counts) <= 2 * MAX_MESSAGES + 2


def test_a_long_chat_that_grows_says_the_same_of_its_question() -> None:
    messages = chat(MAX_MESSAGES + 11)
    asked = Conversation(messages)
    tools = ({"role": "assistant", "content": "let me look"}, {"role": "tool", "content": "here it is"})
    grown = Conversation((*messages, *tools))
    assert grown.question_place == asked.question_place == len(messages) - 1
    assert grown.question_chain == asked.question_chain == asked.chain
    assert [said.message["content"] for said in grown.new] == ["here it is"]
    assert Conversation(chat(MAX_MESSAGES + 13)).question_chain != asked.question_chain


def test_two_questions_before_many_results_of_tools_are_not_taken_for_one() -> None:
    tools = tuple({"role": "tool", "content": "r"} for _ in range(2 * MAX_MESSAGES))
    chains = {Conversation(({"role": "user", "content": text}, *tools)).question_chain for text in ("one", "two")}
    assert len(chains) == 2


@pytest.mark.spec("SAFE-02")
def test_a_chat_of_more_values_than_any_request_may_hold_is_passed_on_unread() -> None:
    body = json.dumps({"messages": chat(1000)}).encode()
    assert len(read_body(body, values=10_000).messages) == 1000
    with pytest.raises(UnreadableChat):
        read_body(body, values=1000)
