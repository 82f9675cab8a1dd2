"""What a model answered through the proxy, gathered from a whole answer or from the events of a stream: pure.

Everything here is read leniently: providers differ in what they send, and a strange event must neither break the chat
nor lose the rest of the answer.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from remanent.model import EntryKind, Message
from remanent.server.proxy.conversation import answer_id, split_text, text_of
from remanent.text.scripts import well_formed
from remanent.values import dataclass

_DONE = b"[DONE]"
_MAX_LINE_BYTES = 4 * 1024 * 1024
"""Bytes of one event that are kept to read it; a longer one is passed on and not read."""


@dataclass(slots=True)
class RequestedTool:
    """A tool that the model wants called; a stream brings its name and its arguments in pieces."""

    call_id: str = ""
    names: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The tool's name."""
        return well_formed("".join(self.names))

    @property
    def text(self) -> str:
        """The call as a person would write it."""
        return well_formed(f"{''.join(self.names)}({''.join(self.arguments)})")


@dataclass(slots=True)
class AnswerChoice:
    """One of the answers that a model gave."""

    pieces: list[str] = field(default_factory=list)
    calls: dict[int, RequestedTool] = field(default_factory=dict)
    finish: str | None = None

    @property
    def text(self) -> str:
        """What was said to the user, a refusal included."""
        return well_formed("".join(self.pieces))

    def add(self, said: Mapping[str, Any]) -> None:
        """Add a message, or a piece of one."""
        self.pieces += text_of(said.get("content")), _string(said.get("refusal"))
        calls = said.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else []):
            if isinstance(call, Mapping):
                number = call.get("index", place)
                self._call(number if isinstance(number, int) else place, call)
        older = said.get("function_call")
        if isinstance(older, Mapping):
            self._call(0, {"function": older})

    def _call(self, number: int, call: Mapping[str, Any]) -> None:
        """Add a piece of a tool call: pieces of one call share an index, and only the first names the tool."""
        known = self.calls.setdefault(number, RequestedTool())
        known.call_id = known.call_id or well_formed(_string(call.get("id")))
        function = call.get("function", call.get("custom"))
        if isinstance(function, Mapping):
            known.names.append(_string(function.get("name")))
            known.arguments.append(_string(function.get("arguments", function.get("input"))))


@dataclass(slots=True)
class ChatAnswer:
    """Everything that was answered so far."""

    choices: dict[int, AnswerChoice] = field(default_factory=dict)
    model: str = ""
    response_id: str = ""
    """By which a client can go on without sending the conversation again, where the API has that."""
    is_done: bool = False
    """Whether the end was announced: by the last event, or by a whole answer."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing: the end was announced, or every choice says why it ended."""
        return self.is_done or (bool(self.choices) and all(choice.finish for choice in self.choices.values()))

    def add(self, value: object) -> None:
        """Add a whole answer, or one event of a stream."""
        if not isinstance(value, Mapping):
            return
        self.model = _string(value.get("model")) or self.model
        listed = value.get("choices")
        for place, choice in enumerate(listed if isinstance(listed, list) else []):
            if not isinstance(choice, Mapping):
                continue
            index = choice.get("index", place)
            known = self.choices.setdefault(index if isinstance(index, int) else place, AnswerChoice())
            said = choice.get("message", choice.get("delta"))
            if isinstance(said, Mapping):
                known.add(said)
            known.finish = _string(choice.get("finish_reason")) or known.finish

    def to_remember(
        self, chain: str, *, bucket: int, moment: datetime, longest: int, cut_by: str | None = None
    ) -> list[Message]:
        """Return the messages to keep; `cut_by` says who ended the answer before its end."""
        kept: list[Message] = []
        for number, choice in sorted(self.choices.items()):
            metadata: dict[str, Any] = {"via": "proxy", "model": well_formed(self.model), "finish": choice.finish}
            metadata |= {"choice": number} if len(self.choices) > 1 else {}
            metadata |= {"cut": True, "cut_by": cut_by} if cut_by else {}
            calls = [call for _, call in sorted(choice.calls.items())]
            said = [choice.text, *(f"{call.call_id} {call.text}" for call in calls)]
            identity = answer_id(chain, bucket, choice=number, said=said)
            for place, piece in enumerate(split_text(choice.text, longest)):
                kept.append(_message(f"{identity}:{place}", piece, moment, EntryKind.MESSAGE, metadata))
            for place, call in enumerate(calls):
                about = {**metadata, "tool": call.name, "tool_call_id": call.call_id}
                for part, piece in enumerate(split_text(call.text, longest)):
                    kept.append(_message(f"{identity}:call:{place}:{part}", piece, moment, EntryKind.TOOL_CALL, about))
        return kept


ReadAnswer = Callable[[ChatAnswer, object], None]
"""Adds a whole answer, or one event, in whichever API it is said."""


class EventReader:
    """Reads server-sent events from pieces of bytes, cut anywhere, into an answer."""

    def __init__(self, read: ReadAnswer = ChatAnswer.add) -> None:
        self.answer = ChatAnswer()
        self._read = read
        self._rest = b""
        self._data: list[bytes] = []
        self._is_skipping = False

    def feed(self, piece: bytes) -> None:
        """Read the next bytes."""
        *lines, self._rest = (self._rest + piece).replace(b"\r\n", b"\n").split(b"\n")
        for line in lines:
            if self._is_skipping:
                self._is_skipping = False
            else:
                self._line(line)
        if len(self._rest) > _MAX_LINE_BYTES:
            self._rest, self._is_skipping = b"", True

    def end(self) -> None:
        """Read what is left when no more bytes come; many servers leave out the empty line after the last event."""
        self.feed(b"\n\n")

    def _line(self, line: bytes) -> None:
        """Take in one line; an empty one ends an event, as the standard for server-sent events has it."""
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        elif not line and self._data:
            self._event(b"\n".join(self._data))
            self._data = []

    def _event(self, data: bytes) -> None:
        """Add an event to the answer; what is no JSON is none of memory's business."""
        if data.strip() == _DONE:
            self.answer.is_done = True
            return
        try:
            self._read(self.answer, json.loads(data))
        except (ValueError, RecursionError):
            return  # not for us; the client has it as it came


def read_whole(data: bytes, read: ReadAnswer = ChatAnswer.add) -> ChatAnswer:
    """Read an answer that came in one piece."""
    answer = ChatAnswer(is_done=True)
    try:
        read(answer, json.loads(data))
    except (ValueError, RecursionError):
        return answer
    return answer


def _message(identity: str, text: str, moment: datetime, kind: EntryKind, metadata: dict[str, Any]) -> Message:
    return Message(role="assistant", content=text, id=identity, occurred_at=moment, kind=kind, metadata=metadata)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
