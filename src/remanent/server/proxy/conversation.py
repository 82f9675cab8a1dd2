"""A chat request as memory sees it: its bytes, what in it is new, and under which ids that is kept. Pure.

Clients send the whole conversation with every request. Which messages are new follows from a chain of hashes over all
that came before; the same words after the same conversation within a quarter of an hour are one message sent again,
for example by a retry, and are kept once.

What the model answered is gathered from a whole answer or from the events of a stream, and read leniently: providers
differ in what they send, and a strange event must neither break the chat nor lose the rest of the answer.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from datetime import datetime
from functools import cached_property
from typing import Any

from remanent.lightweight import dataclass
from remanent.model import Attachment, EntryKind, Message, chat
from remanent.server.limits import count_separators
from remanent.text.scripts import well_formed

_SPACE = " \t\n\r"
_DECODER = json.JSONDecoder()
_MAX_VALUES = 200_000
"""As many as the JSON of any other request may hold."""
_Messages = tuple[tuple[dict[str, Any], ...], tuple[tuple[int, int], ...]]


class UnreadableChat(ValueError):
    """The body is no chat request that can be read in one way only."""


@dataclass(frozen=True, slots=True)
class ChatBody:
    """A chat request: as it came, its messages, and where each of them and each field stands."""

    data: bytes
    text: str
    messages: tuple[dict[str, Any], ...]
    spans: tuple[tuple[int, int], ...]
    fields: Mapping[str, tuple[int, int]]
    """Where the value of each field of the request stands."""

    def value(self, name: str) -> Any:
        """Return what a field holds, none where there is no such field."""
        if name not in self.fields:
            return None
        begin, end = self.fields[name]
        return json.loads(self.text[begin:end])

    def with_field(self, name: str, value: object) -> bytes:
        """Return the request with another value of a field; one that it lacks comes first."""
        written = json.dumps(value, ensure_ascii=False)
        if name in self.fields:
            return self._with(*self.fields[name], written)
        start = self.text.index("{") + 1
        return self._with(start, start, f"{json.dumps(name)}: {written}, ")

    def with_item(self, place: int, message: Mapping[str, Any]) -> bytes:
        """Return the request with another message in the place of one."""
        return self._with(*self.spans[place], json.dumps(message, ensure_ascii=False))

    @property
    def follows(self) -> str:
        """The response that the request goes on from, if it says so."""
        before = self.value("previous_response_id")
        return before if isinstance(before, str) else ""

    def with_message(self, message: dict[str, Any], *, before: int) -> bytes:
        """Return the request with one more message in front of the one named; nothing else is changed."""
        start, _ = self.spans[before]
        return self._with(start, start, f"{json.dumps(message, ensure_ascii=False)}, ")

    def _with(self, begin: int, end: int, written: str) -> bytes:
        return f"{self.text[:begin]}{written}{self.text[end:]}".encode()


def read_body(data: bytes, *, values: int = _MAX_VALUES, items: str = "messages") -> ChatBody:
    """Read a request; raise `UnreadableChat` where two readers could differ, and let upstream say what is wrong.

    One of more than so many values is not read either: no other thread runs while JSON is parsed.
    """
    if count_separators(data, most=values) >= values:
        raise UnreadableChat(f"a chat request with more than {values} values")
    try:
        text = data.decode()
        (messages, spans), fields = _read(text, items)
    except (ValueError, IndexError, RecursionError) as error:
        raise UnreadableChat(f"not a chat request: {error}") from error
    return ChatBody(data, text, messages, spans, fields)


def _read(text: str, items: str) -> tuple[_Messages, dict[str, tuple[int, int]]]:
    """Return a request's messages with where each stands, and where the value of each field stands.

    Read by hand and not by `json.loads`, which does not tell positions: a memory is inserted between bytes that stay
    exactly as the client sent them, so that a provider's prompt cache still fits.
    """
    found: _Messages | None = None
    fields: dict[str, tuple[int, int]] = {}

    def field_at(position: int) -> int:
        nonlocal found
        name, position = _DECODER.raw_decode(text, position)
        if not isinstance(name, str):
            raise ValueError("a name is missing")
        position = _skip(text, position)
        if text[position] != ":":
            raise ValueError("a colon is missing")
        begin = _skip(text, position + 1)
        if name in fields:
            raise ValueError("a field is given twice")
        # A text in the place of messages, as responses may have it, is one message.
        if name == items and text[begin] != '"':
            found, position = _messages(text, begin)
        else:
            _, position = _DECODER.raw_decode(text, begin)
        fields[name] = (begin, position)
        return position

    begin = _skip(text, 0)
    if text[begin] != "{":
        raise ValueError("no object")
    end = _walk(text, begin, "}", field_at)
    if found is None and (items == "messages" or items not in fields):
        raise ValueError(f"no {items}")
    if text[end:].strip(_SPACE):
        raise ValueError("something follows the request")
    return found or ((), ()), fields


def _messages(text: str, begin: int) -> tuple[_Messages, int]:
    """Return the messages, where each stands, and where their list ends; read one by one, others get a turn between."""
    messages, spans = list[dict[str, Any]](), list[tuple[int, int]]()

    def message_at(position: int) -> int:
        message, end = _DECODER.raw_decode(text, position)
        if not isinstance(message, dict):
            raise ValueError("messages are not a list of objects")
        messages.append(message)
        spans.append((position, end))
        return end

    if text[begin] != "[":
        raise ValueError("messages are not a list of objects")
    end = _walk(text, begin, "]", message_at)
    return (tuple(messages), tuple(spans)), end


def _walk(text: str, position: int, end: str, take: Callable[[int], int]) -> int:
    """Have each element of a list or object taken, which tells where it ends; return what comes behind the last."""
    position = _skip(text, position + 1)
    while text[position] != end:
        position = _skip(text, take(position))
        if text[position] == end:
            break
        if text[position] != ",":
            raise ValueError("a comma is missing")
        position = _skip(text, position + 1)
        if text[position] == end:
            raise ValueError("an element is missing")
    return position + 1


def _skip(text: str, position: int) -> int:
    while text[position] in _SPACE:
        position += 1
    return position


_MAX_QUESTION_LENGTH = 2000
"""Characters of a user message that memory is asked about; of a longer one, its beginning and its end."""

MAX_MESSAGES = 1000
"""Messages of a request, the last ones, that memory looks at: more than models are asked with in practice, and 20 ms of
work."""

MAX_NEW_MESSAGES = 500
"""Messages of a request that are kept; as many as can be stored in one turn with the answer."""

WINDOW = 900
"""Seconds in which the same words after the same conversation are the same message sent again, and not said again."""

_INSTRUCTIONS = frozenset({"system", "developer"})
"""Roles whose messages are not kept: they are the program's, not what anybody said."""
_ANSWERS = frozenset({"assistant"})
_NAME_LENGTH = 16
"""Hexadecimal digits of a session's name: 64 bits, enough that two conversations do not meet by chance."""


@dataclass(frozen=True, slots=True)
class NewMessage:
    """One message of a request that is not kept yet."""

    message: Mapping[str, Any]
    chain: str
    """Stands for the message and all before it."""


@dataclass(frozen=True)
class Conversation:
    """A request's messages as memory sees them; what is worked out of them is worked out once."""

    messages: tuple[Mapping[str, Any], ...]
    places: tuple[int, ...] = ()
    """Which item of the request each message stands in, where that is not its own place."""
    follows: str = ""
    """The response that it goes on from, where only what is new is sent along: "yes" may be said to each of them."""

    @classmethod
    def of(cls, placed: Iterable[tuple[int, Mapping[str, Any]]], body: ChatBody) -> "Conversation":
        """Return the conversation of a request, whose messages come with the item that each stands in."""
        found = tuple(placed)
        return cls(tuple(message for _, message in found), tuple(place for place, _ in found), body.follows)

    def work_out(self) -> None:
        """Work out everything now: of a long conversation it takes time, and need not be done on the event loop."""
        for name in ("question_place", "question", "session", "texts", "_linked_up"):
            getattr(self, name)

    @cached_property
    def question_place(self) -> int | None:
        """Where the last message of the user stands."""
        places = range(len(self.messages) - 1, -1, -1)
        return next((place for place in places if self.messages[place].get("role") == "user"), None)

    @property
    def question_item(self) -> int | None:
        """Which item of the request holds the last message of the user."""
        place = self.question_place
        return place if place is None or not self.places else self.places[place]

    @cached_property
    def question(self) -> str:
        """What memory is asked: the text of the user's last message."""
        place = self.question_place
        text = "" if place is None else text_of(self.messages[place].get("content")).strip()
        if len(text) > _MAX_QUESTION_LENGTH:
            half = _MAX_QUESTION_LENGTH // 2
            text = f"{text[:half]}\n{text[-half:]}"
        return text

    @cached_property
    def session(self) -> str:
        """A name for the conversation, made of the user's first words; the same while those are sent along."""
        first = next((message for message in self.messages if message.get("role") == "user"), None)
        return "chat-" + _digest("session", first)[:_NAME_LENGTH]

    @cached_property
    def texts(self) -> frozenset[str]:
        """Everything that the request itself says already."""
        return frozenset(text_of(message.get("content")).strip() for message in self.messages[self._first :])

    @property
    def chain(self) -> str:
        """Stands for the whole conversation so far."""
        return self._linked_up[0]

    @property
    def question_chain(self) -> str:
        """Stands for the conversation up to the last message of the user."""
        return self._linked_up[1]

    @property
    def new(self) -> tuple[NewMessage, ...]:
        """What was said since the last answer; what came before it was kept with that answer's request."""
        return self._linked_up[2][-MAX_NEW_MESSAGES:]

    @property
    def _first(self) -> int:
        """Where the messages begin that are looked at; the same for a while, as a conversation grows."""
        step = MAX_MESSAGES // 2
        return max(0, -(-(len(self.messages) - MAX_MESSAGES) // step) * step)

    @cached_property
    def _linked_up(self) -> tuple[str, str, tuple[NewMessage, ...]]:
        """Return the chain of everything, of everything up to the question, and the messages not yet kept."""
        chain, asked, new = self.follows and _digest(self.follows, None)[:32], "", list[NewMessage]()
        if self.question_place is not None and self.question_place < self._first:
            asked = _linked("", self.messages[self.question_place])
        for place, message in enumerate(self.messages[self._first :], start=self._first):
            chain = _linked(chain, message)
            if place == self.question_place:
                asked = chain
            if message.get("role") in _ANSWERS:
                new = []
            elif message.get("role") not in _INSTRUCTIONS:
                new.append(NewMessage(message, chain))
        return chain, asked, tuple(new)


def bucket_of(moment: datetime) -> int:
    """Return the stretch of time that a moment lies in; the same message sent again within one is one message."""
    return int(moment.timestamp()) // WINDOW


def message_id(chain: str, bucket: int) -> str:
    """Return the id under which a message is kept."""
    return f"proxy:{chain}:{bucket}"


def answer_id(chain: str, bucket: int, *, choice: int, said: object) -> str:
    """Return the id under which an answer is kept: the same words to the same conversation are one answer."""
    return message_id(_digest(chain, [choice, said])[:32], bucket)


def to_remember(said: NewMessage, *, bucket: int, moment: datetime, longest: int) -> list[Message]:
    """Return the messages to keep for one message of a request; a text that is too long comes in parts."""
    message = said.message
    content = message.get("content")
    text = text_of(content)
    is_tool = message.get("role") in {"tool", "function"}
    metadata: dict[str, Any] = {"via": "proxy"}
    for name in ("name", "tool_call_id"):
        if isinstance(message.get(name), str):
            metadata[name] = well_formed(message[name])
    if unread := _unread(content):
        metadata["parts"] = unread
    if not text and not unread:
        return []
    pieces = split_text(text, longest) or [" ".join(f"[{part}]" for part in unread)]
    identity = message_id(said.chain, bucket)
    return [
        Message(
            role=_role(message),
            content=piece,
            id=identity if place == 0 else f"{identity}:{place}",
            occurred_at=moment,
            kind=EntryKind.TOOL_RESULT if is_tool else EntryKind.MESSAGE,
            metadata={**metadata, "part": place} if len(pieces) > 1 else metadata,
            attachments=_attachments(content) if place == 0 else (),
        )
        for place, piece in enumerate(pieces)
    ]


def split_text(text: str, longest: int) -> list[str]:
    """Return the text in pieces of at most so many characters."""
    return [text[place : place + longest] for place in range(0, len(text), longest)]


def text_of(content: object) -> str:
    """Return the words of a message's content as they can be stored."""
    return well_formed(chat.text_of(content))


def _role(message: Mapping[str, Any]) -> str:
    role = message.get("role")
    return well_formed(role)[:200] if isinstance(role, str) and role else "user"


def _parts(content: object) -> list[str | Mapping[str, Any]]:
    return [part for part in content if isinstance(part, str | Mapping)] if isinstance(content, list) else []


def _unread(content: object) -> list[str]:
    """Return the sorts of the parts that are no text."""
    parts = [part for part in _parts(content) if isinstance(part, Mapping)]
    return [well_formed(str(part.get("type")))[:100] for part in parts if not isinstance(part.get("text"), str)]


def _attachments(content: object) -> tuple[Attachment, ...]:
    """Return the pictures that lie somewhere on the web, by their address; those sent along as bytes are not kept."""
    pictures = [part.get("image_url") for part in _parts(content) if isinstance(part, Mapping)]
    addresses = [picture.get("url") for picture in pictures if isinstance(picture, Mapping)]
    return tuple(
        Attachment(attachment_id=_digest("", address)[:32], media_type="image/*", uri=well_formed(address))
        for address in addresses
        if isinstance(address, str) and address.startswith(("http://", "https://"))
    )


def _linked(chain: str, message: Mapping[str, Any]) -> str:
    """Return the chain grown by one message; equal chains mean equal conversations up to there."""
    if message.get("role") in _INSTRUCTIONS:
        return chain  # they often hold the time of day
    names = ("role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal")
    return _digest(chain, {name: message[name] for name in names if message.get(name) is not None})[:32]


def _digest(before: str, value: object) -> str:
    written = json.dumps([before, value], ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()


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
