"""The APIs that chat clients speak: OpenAI's chat completions and responses, and Anthropic's messages. Pure.

Memory knows one form of a conversation, that of chat completions. A dialect reads a request's messages and a model's
answer into that form, says where a memory is put, and how an error is worded.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from remanent.server.proxy.conversation import ChatAnswer, ChatBody
from remanent.settings import MemoryPlace

Placed = tuple[int, dict[str, Any]]
"""Where an item of the request stands, and a message in the form of chat completions that it holds."""

Origin = tuple[Sequence[Mapping[str, Any]], int]
"""The items of a request, and the place of one among them."""

_OPENAI_ERRORS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    502: "upstream_unavailable",
    503: "proxy_not_configured",
}
_ANTHROPIC_ERRORS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class ChatDialect(ABC):
    """One API."""

    path: ClassVar[str]
    """Where it is asked, below the base URL."""
    items: ClassVar[str] = "messages"
    """The field that holds the conversation."""
    text_part: ClassVar[str] = "text"
    """What a part that is a text is called where a message has several."""
    is_anthropic: ClassVar[bool] = False

    @abstractmethod
    def messages(self, body: ChatBody) -> Iterator[Placed]:
        """Yield the conversation as chat completions would have it."""

    @abstractmethod
    def with_instructions(self, body: ChatBody, text: str) -> bytes:
        """Return the request with a text at the end of its instructions."""

    @abstractmethod
    def read(self, answer: ChatAnswer, value: object) -> None:
        """Add a whole answer, or one event of a stream, to what was answered so far."""

    def remind(self, body: ChatBody, text: str, *, place: int, where: MemoryPlace) -> bytes:
        """Return the request with a memory in it; the question stands at `place`, and all else stays as it is."""
        if where == "system":
            return self.with_instructions(body, text)
        if where == "message":
            return body.with_message({"role": "user", "content": text}, before=place)
        asked = body.messages[place]
        return body.with_item(place, {**asked, "content": self._joined(text, asked.get("content"))})

    def shrinkable(self, body: ChatBody) -> Iterator[Placed]:
        """Yield the conversation as the compactor reads it, with calls and results as the API has them."""
        yield from enumerate(body.messages)

    def shrunk_items(self, message: Mapping[str, Any], origin: Origin | None) -> Sequence[Mapping[str, Any]]:
        """Return what is sent for a message of a shortened conversation; one that stands for others has no `origin`."""
        del origin
        return (message,)

    def error(self, status: int, message: str) -> dict[str, Any]:
        """Return what says that something is wrong."""
        kind = _OPENAI_ERRORS.get(status, "invalid_request_error" if status < 500 else "server_error")
        return {"error": {"message": message, "type": kind, "param": None, "code": kind}}

    @staticmethod
    def broken_off(error: bytes) -> bytes:
        """Return the last event of a stream that cannot go on, wherever in an event it stopped."""
        return b"\n\nevent: error\ndata: " + error + b"\n\n"

    def _joined(self, text: str, content: object) -> object:
        """Return a message's content with a text before what was asked; results of tools must stay first."""
        if not isinstance(content, list):
            return f"{text}\n\n{content or ''}"
        results = sum(1 for part in content if isinstance(part, Mapping) and part.get("type") == "tool_result")
        return [*content[:results], {"type": self.text_part, "text": text}, *content[results:]]

    def _after(self, content: object, text: str) -> object:
        """Return instructions with a text behind them."""
        if isinstance(content, list):
            return [*content, {"type": self.text_part, "text": text}]
        return f"{content}\n\n{text}" if content else text


class ChatCompletions(ChatDialect):
    """OpenAI's chat completions, which most other providers speak, too."""

    path = "chat/completions"

    def messages(self, body: ChatBody) -> Iterator[Placed]:
        """Yield the messages as they are."""
        yield from enumerate(body.messages)

    def with_instructions(self, body: ChatBody, text: str) -> bytes:
        """Put the text behind the first message if that holds instructions, and else before all."""
        first = body.messages[0]
        if first.get("role") in {"system", "developer"}:
            return body.with_item(0, {**first, "content": self._after(first.get("content"), text)})
        return body.with_message({"role": "system", "content": text}, before=0)

    def read(self, answer: ChatAnswer, value: object) -> None:
        """Add a piece of an answer as it is."""
        answer.add(value)


class Responses(ChatDialect):
    """OpenAI's responses."""

    path = "responses"
    items = "input"
    text_part = "input_text"

    def messages(self, body: ChatBody) -> Iterator[Placed]:
        """Yield messages, calls of tools and their results; what a model thought is left out."""
        if not body.messages and isinstance(said := body.value(self.items), str):
            yield 0, {"role": "user", "content": said}
        for place, item in enumerate(body.messages):
            message = _from_item(item)
            if message is not None:
                yield place, message

    def shrinkable(self, body: ChatBody) -> Iterator[Placed]:
        """Yield calls and results as chat completions have them; the compactor knows no others."""
        yield from self.messages(body)

    def shrunk_items(self, message: Mapping[str, Any], origin: Origin | None) -> Sequence[Mapping[str, Any]]:
        """Return a message of a shortened chat with the reasoning before it: a call goes with what led to it."""
        if origin is None:
            return ({"role": "developer", "content": message["content"]},)
        items, place = origin
        first = place
        while first > 0 and _from_item(items[first - 1]) is None:
            first -= 1
        item, before = items[place], _from_item(items[place])
        if before is not None and message.get("content") != before.get("content"):
            name = "output" if message.get("role") == "tool" else "content"
            item = {**item, name: self._own_parts(message["content"], role=str(message.get("role")))}
        return (*items[first:place], item)

    def _own_parts(self, content: object, *, role: str) -> object:
        """Return a content whose texts are called as they are here."""
        kind = "output_text" if role == "assistant" else self.text_part
        if not isinstance(content, list):
            return content
        return [{**part, "type": kind} if part.get("type") == "text" else part for part in content]

    def remind(self, body: ChatBody, text: str, *, place: int, where: MemoryPlace) -> bytes:
        """As everywhere; where the input is one text, it becomes a list if need be."""
        if body.messages or where == "system":
            return super().remind(body, text, place=place, where=where)
        asked = body.value(self.items)
        apart = [{"role": "user", "content": text}, {"role": "user", "content": asked}]
        return body.with_field(self.items, apart if where == "message" else self._joined(text, asked))

    def with_instructions(self, body: ChatBody, text: str) -> bytes:
        """Put the text behind the instructions."""
        return body.with_field("instructions", self._after(body.value("instructions"), text))

    def read(self, answer: ChatAnswer, value: object) -> None:
        """Add a response or an event as chat completions would say it."""
        if not isinstance(value, Mapping):
            return
        kind = value.get("type")
        response = value.get("response") if isinstance(kind, str) else value
        if isinstance(response, Mapping):
            self._read_response(answer, response, is_event=kind is not None)
        elif kind in {"response.output_text.delta", "response.refusal.delta"}:
            name = "refusal" if kind == "response.refusal.delta" else "content"
            answer.add(_delta({name: value.get("delta")}))
        elif kind == "response.output_item.added" and isinstance(item := value.get("item"), Mapping):
            answer.add(_delta({"tool_calls": [_call(item, index=value.get("output_index"))]} if _is_call(item) else {}))
        elif kind in {"response.function_call_arguments.delta", "response.custom_tool_call_input.delta"}:
            call = {"index": value.get("output_index"), "function": {"arguments": value.get("delta")}}
            answer.add(_delta({"tool_calls": [call]}))

    def _read_response(self, answer: ChatAnswer, response: Mapping[str, Any], *, is_event: bool) -> None:
        """Take in a response, whole or as an event tells of it; what a stream said in pieces is not added again."""
        answer.add({"model": response.get("model")})
        answer.response_id = str(response.get("id") or answer.response_id)
        status = response.get("status")
        if status in {"queued", "in_progress"}:
            return
        said: dict[str, Any] = {}
        if not answer.choices:
            output = [item for item in response.get("output") or () if isinstance(item, Mapping)]
            parts = [part for item in output if item.get("type") == "message" for part in item.get("content") or ()]
            said = {"content": parts, "tool_calls": [_call(item) for item in output if _is_call(item)]}
        finish = "stop" if status == "completed" else status
        answer.add({"choices": [{"index": 0, "message": said, "finish_reason": finish}]})
        answer.is_done |= is_event


class AnthropicMessages(ChatDialect):
    """Anthropic's messages."""

    path = "messages"
    is_anthropic = True

    def messages(self, body: ChatBody) -> Iterator[Placed]:
        """Yield messages; the results of tools, which come inside of the user's, as messages of their own."""
        for place, message in enumerate(body.messages):
            content = message.get("content")
            blocks = [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else None
            if blocks is None:
                yield place, message
                continue
            for block in blocks:
                if block.get("type") == "tool_result":
                    result = {"tool_call_id": block.get("tool_use_id"), "content": block.get("content")}
                    yield place, {"role": "tool", **result}
            calls = [_tool_use(block) for block in blocks if block.get("type") == "tool_use"]
            parts = [_picture(block) for block in blocks if block.get("type") not in _NOT_SAID]
            if parts or calls:
                more = {"tool_calls": calls} if calls else {}
                yield place, {"role": message.get("role"), "content": parts, **more}

    def shrunk_items(self, message: Mapping[str, Any], origin: Origin | None) -> Sequence[Mapping[str, Any]]:
        """Return the message; what stands for others is the user's, since there is no other."""
        return (message if origin is not None else {**message, "role": "user"},)

    def with_instructions(self, body: ChatBody, text: str) -> bytes:
        """Put the text behind the system's."""
        return body.with_field("system", self._after(body.value("system"), text))

    def read(self, answer: ChatAnswer, value: object) -> None:
        """Add a message or an event as chat completions would say it."""
        if not isinstance(value, Mapping):
            return
        kind, index = value.get("type"), value.get("index")
        if kind == "message":
            blocks = [block for block in value.get("content") or () if isinstance(block, Mapping)]
            calls = [_tool_use(block) for block in blocks if block.get("type") == "tool_use"]
            said = {"content": [block for block in blocks if block.get("type") == "text"], "tool_calls": calls}
            choice = {"index": 0, "message": said, "finish_reason": value.get("stop_reason")}
            answer.add({"model": value.get("model"), "choices": [choice]})
        elif kind == "message_start" and isinstance(begun := value.get("message"), Mapping):
            answer.add({"model": begun.get("model")})
        elif kind == "content_block_start" and isinstance(block := value.get("content_block"), Mapping):
            is_call = block.get("type") == "tool_use"
            begun_call = {"index": index, "id": block.get("id"), "function": {"name": block.get("name")}}
            answer.add(_delta({"tool_calls": [begun_call]} if is_call else {"content": block.get("text")}))
        elif kind == "content_block_delta" and isinstance(delta := value.get("delta"), Mapping):
            piece = {"index": index, "function": {"arguments": delta.get("partial_json")}}
            is_call = delta.get("type") == "input_json_delta"
            answer.add(_delta({"tool_calls": [piece]} if is_call else {"content": delta.get("text")}))
        elif kind == "message_delta" and isinstance(delta := value.get("delta"), Mapping):
            answer.add(_delta({}, finish=delta.get("stop_reason")))
        elif kind == "message_stop":
            answer.is_done = True

    def error(self, status: int, message: str) -> dict[str, Any]:
        """Return what says that something is wrong."""
        kind = _ANTHROPIC_ERRORS.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}


_NOT_SAID = frozenset({"tool_result", "tool_use", "thinking", "redacted_thinking"})
CHAT_COMPLETIONS, RESPONSES, MESSAGES = ChatCompletions(), Responses(), AnthropicMessages()
DIALECTS: Sequence[ChatDialect] = (CHAT_COMPLETIONS, RESPONSES, MESSAGES)


def _from_item(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an item of a response's input as a message; none for what nobody said."""
    kind = str(item.get("type", "message"))
    if _is_call(item):
        return {"role": "assistant", "content": None, "tool_calls": [_call(item)]}
    if kind.endswith("_call_output"):
        return {"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output")}
    if kind != "message":
        return None
    content = item.get("content")
    if isinstance(content, list):
        content = [_picture(part) if isinstance(part, Mapping) else part for part in content]
    return {"role": item.get("role"), "content": content}


def _picture(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a part of a message, a picture's address as chat completions write it."""
    source = part.get("source")
    address = source.get("url") if isinstance(source, Mapping) else part.get("image_url")
    return {"type": "image_url", "image_url": {"url": address}} if isinstance(address, str) else part


def _is_call(item: Mapping[str, Any]) -> bool:
    return item.get("type") in {"function_call", "custom_tool_call"}


def _call(item: Mapping[str, Any], *, index: object = None) -> dict[str, Any]:
    asked = {"name": item.get("name"), "arguments": item.get("arguments", item.get("input"))}
    return {"id": item.get("call_id"), "function": asked} | ({} if index is None else {"index": index})


def _tool_use(block: Mapping[str, Any]) -> dict[str, Any]:
    asked = {"name": block.get("name"), "arguments": json.dumps(block.get("input"), ensure_ascii=False)}
    return {"id": block.get("id"), "function": asked}


def _delta(said: Mapping[str, Any], *, finish: object = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": said, "finish_reason": finish}]}
