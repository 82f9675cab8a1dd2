"""Lists of messages as agents hold them, OpenAI-style or Anthropic-style: read, cleaned, and cut only where one may.

A message stays the object that the caller gave; beside it stands what shortening must know of it. What a provider would
refuse is mended first: results whose call is gone, calls that were never answered, the same message twice in a row.

A key of each message's content is made once, by which everything that is worked out of it is kept: one more message on
50,000 tokens took 170 ms of processor time before anything was, and takes some 20.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from hashlib import blake2b
from typing import Any, Literal

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model.chat import CALLS, FILES, THOUGHTS, answered_call, is_result, part_text, read_call
from remanent.model.entry import ROLE_WORDS, ChatRole, chat_role

Message = Mapping[str, Any]
Style = Literal["openai", "anthropic"]

_ROLES = ("user", "assistant")
"""The only roles of Anthropic's messages."""
_ANTHROPIC_KINDS = {"image", "document", *THOUGHTS} - {"reasoning"}
"""Blocks that only Anthropic's messages have, beside those of tools."""
_PICTURE_TOKENS = 1000
"""What a picture is reckoned to cost: providers take some 100 to 1,600, by its size."""
MESSAGE_TOKENS = 4
"""What role and borders of a message cost beside its text."""


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """A message with what shortening must know of it."""

    raw: Message
    number: int
    """Its place in the list that was given."""
    part: ChatRole
    text: str
    calls: tuple[str, ...] = ()
    """The ids of tools that it calls."""
    results: tuple[str, ...] = ()
    """The ids of calls that it answers."""
    pictures: int = 0
    stands_for: tuple[int, int] | None = None
    """The first and the last place of those that it stands for, where it was made to."""
    _key: bytes = field(default=b"", init=False, compare=False, repr=False)

    @property
    def key(self) -> bytes:
        """What names its text among others; reckoned once, since every view of the conversation asks for it."""
        if not self._key:
            object.__setattr__(self, "_key", text_key(self.text))
        return self._key

    @property
    def speaker(self) -> str:
        """Who says it: its name where one is given, else its role."""
        name = self.raw.get("name")
        return name if isinstance(name, str) and name and self.part != "tool" else str(self.raw["role"])

    def with_content(self, content: object) -> "ReadMessage":
        """Return the message with other content; everything else stays as the caller wrote it."""
        return self if content == self.raw.get("content") else _read({**self.raw, "content": content}, self.number)


def text_key(text: str) -> bytes:
    """Return what names a text among others, in a few bytes."""
    return blake2b(text.encode(errors="replace"), digest_size=16).digest()


def read_messages(messages: Iterable[Message]) -> list[ReadMessage]:
    """Read a list of messages of either style; what is none is refused with its place."""
    given: object = messages
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        raise InvalidInput("give messages as a list of objects with `role` and `content`, oldest first")
    return [_read(message, number) for number, message in enumerate(messages)]


def style_of(messages: Iterable[ReadMessage]) -> Style:
    """Return whose style a list has, which says what role a message made for it may have.

    Only Anthropic's keeps calls and results as blocks of the content, and its files are called otherwise; only OpenAI's
    has roles beside user and assistant. A list of blocks that is neither's for certain is taken as Anthropic's: what
    that takes, the other does too. Plain texts alone are OpenAI's.
    """
    kinds: set[str] = set()
    is_openai = False
    for message in messages:
        kinds |= {str(block.get("type")) for block in _blocks(message.raw)}
        is_openai = is_openai or message.raw.get("role") not in _ROLES or bool(message.raw.get("tool_calls"))
    if any(kind in CALLS or is_result(kind) for kind in kinds) or kinds & _ANTHROPIC_KINDS:
        return "anthropic"
    return "openai" if is_openai or not kinds or kinds & (FILES - _ANTHROPIC_KINDS) else "anthropic"


def spoken(message: ReadMessage) -> str:
    """Return what a message says beside the tools that it calls."""
    if not message.calls:
        return message.text
    content = message.raw.get("content")
    if isinstance(content, str):
        return content
    return _text(block for block in _blocks(message.raw) if block.get("type") not in CALLS)


def with_texts(message: ReadMessage, change: Callable[[str], str]) -> ReadMessage:
    """Return a message with its texts changed: what is said, results of tools, texts in the arguments of calls."""
    raw = dict(message.raw)
    if raw.get("content"):
        raw["content"] = _changed(raw["content"], change)
    if isinstance(calls := raw.get("tool_calls"), Sequence):
        raw["tool_calls"] = [_changed_call(call, change) for call in calls]
    return _read(raw, message.number)


def with_results(message: ReadMessage, change: Callable[[str], str]) -> ReadMessage:
    """Return a message with the texts of the results of tools in it changed, and nothing else."""
    content = message.raw.get("content")
    if message.part != "tool" or content is None:
        return message
    if isinstance(content, str):
        return message.with_content(change(content))
    return message.with_content([_changed(one, change) if is_result(one.get("type")) else one for one in content])


_TEXTS = ("text", "content", "output", "input")
"""Where the blocks of a content have texts; what has a signature is none of them."""


def _changed(value: Any, change: Callable[[str], str], *, keys: Sequence[str] | None = _TEXTS) -> Any:
    """Return a value with its texts changed; of objects those under certain keys, and all inside of an input."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {
            key: _changed(inner, change, keys=None if key == "input" else keys)
            if keys is None or key in keys
            else inner
            for key, inner in value.items()
        }
    if isinstance(value, Sequence):
        return [_changed(inner, change, keys=keys) for inner in value]
    return value


def _changed_call(call: Any, change: Callable[[str], str]) -> Any:
    """Return a call of a tool with its texts changed inside the JSON of its arguments, which stays JSON."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("arguments"), str):
        return call
    try:
        arguments = json.loads(function["arguments"])
    except (ValueError, RecursionError):
        return call
    changed = _changed(arguments, change, keys=None)
    if changed == arguments:
        return call
    return {**call, "function": {**function, "arguments": json.dumps(changed, ensure_ascii=False)}}


def tokens_of(message: ReadMessage, count: Callable[[str], int]) -> int:
    """Return what a message costs."""
    return MESSAGE_TOKENS + count(message.text) + _PICTURE_TOKENS * message.pictures


def _read(message: object, number: int) -> ReadMessage:
    """Read one message of either API; what cannot be read is refused here, before anything is counted or cut."""
    if not isinstance(message, Mapping):
        raise InvalidInput(f"message {number + 1} is not an object with `role` and `content`")
    role = message.get("role")
    part = chat_role(role) if isinstance(role, str) else None
    if part is None:
        known = ", ".join(word for word in ROLE_WORDS if word.isascii())
        raise InvalidInput(f"message {number + 1} has no known role; use one of {known}")
    content = message.get("content")
    if content is not None and not isinstance(content, str) and not _is_blocks(content):
        raise InvalidInput(f"the content of message {number + 1} is neither a text nor a list of parts")
    listed = message.get("tool_calls")
    if isinstance(content, str) and not listed and not message.get("tool_call_id"):
        return ReadMessage(message, number, part, content)  # as most are: nothing to look into
    blocks = _blocks(message)
    listed = [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list | tuple) else []
    asked, answered = _block_calls(blocks), _block_results(blocks)
    # Tools that run at the provider are called and answered within one message, which stands or goes as it is.
    calls = [read_call(call)[0] for call in listed] + [call for call in asked if call not in answered]
    results = [call for call in answered if call not in asked]
    if isinstance(call := message.get("tool_call_id"), str):
        results.append(call)
    said = content if isinstance(content, str) else _text(blocks)
    text = "\n".join(filter(None, [said, *(read_call(call)[2] for call in listed)]))
    part = "tool" if results else part
    return ReadMessage(message, number, part, text, tuple(calls), tuple(results), pictures=_pictures(blocks))


def _is_blocks(content: object) -> bool:
    if not isinstance(content, Sequence) or isinstance(content, str):
        return False
    return all(isinstance(block, Mapping) for block in content)


def _blocks(message: Message) -> list[Mapping[str, Any]]:
    """Return the parts of a content that has parts."""
    content = message.get("content")
    if isinstance(content, str):  # as most are
        return []
    return list(content) if isinstance(content, Sequence) and _is_blocks(content) else []


def _block_calls(blocks: Iterable[Mapping[str, Any]]) -> list[str]:
    return [read_call(block)[0] for block in blocks if block.get("type") in CALLS]


def _block_results(blocks: Iterable[Mapping[str, Any]]) -> list[str]:
    return [str(answered_call(block) or "") for block in blocks if is_result(block.get("type"))]


def _text(blocks: Iterable[Mapping[str, Any]]) -> str:
    """Return what the parts of a content say, one after the other."""
    parts: list[str] = []
    for block in blocks:
        kind = block.get("type")
        if kind in CALLS:
            parts.append(read_call(block)[2])
        elif is_result(kind):
            inner = block.get("content", block.get("output"))
            parts.append(inner if isinstance(inner, str) else _text(_blocks(block)))
        else:
            said = part_text(block)
            thought = block.get("thinking")
            parts += [said] if said is not None else [thought] if isinstance(thought, str) else []
    return "\n".join(filter(None, parts))


def _pictures(blocks: Iterable[Mapping[str, Any]]) -> int:
    """Count what is no text, inside results of tools too."""
    count = 0
    for block in blocks:
        count += block.get("type") in FILES
        count += _pictures(_blocks(block))
    return count


# ── cleaning ─────────────────────────────────────────────────────────────────


def sanitized(messages: Sequence[ReadMessage]) -> list[ReadMessage]:
    """Return the messages without what a provider would refuse or what says the same twice.

    The calls of the last message stand unanswered because their results are still to come; they stay.
    """
    once: list[ReadMessage] = []
    for message in messages:
        if not once or message.raw != once[-1].raw:
            once.append(message)
    asked: set[str] = set()
    kept: list[ReadMessage] = []
    for message in once:
        mended = _without(message, set(message.results) - asked)
        if mended is not None:
            kept.append(mended)
            asked |= set(mended.calls)
    answered = {call for message in kept for call in message.results}
    last = kept[-1].number if kept else -1
    answered |= {call for message in kept if message.number == last for call in message.calls}
    return [mended for message in kept if (mended := _only_answered(message, answered)) is not None]


def _without(message: ReadMessage, gone: set[str]) -> ReadMessage | None:
    """Return a message without the calls and results of these ids; none when nothing else is left."""
    if not gone:
        return message
    left = [
        block
        for block in _blocks(message.raw)
        if not gone.intersection(_block_calls([block]) + _block_results([block]))
    ]
    return _read({**message.raw, "content": left}, message.number) if left else None


def _only_answered(message: ReadMessage, answered: set[str]) -> ReadMessage | None:
    """Return a message without the calls that nothing answers; none when it says nothing else."""
    if all(call in answered for call in message.calls):
        return message
    calls = message.raw.get("tool_calls")
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        return _without(message, set(message.calls) - answered)
    left = [call for call in calls if isinstance(call, Mapping) and str(call.get("id", "")) in answered]
    raw = {key: value for key, value in message.raw.items() if key != "tool_calls"}
    if left:
        raw["tool_calls"] = left
    mended = _read(raw, message.number)
    return mended if mended.text or mended.pictures else None


def units(messages: Sequence[ReadMessage]) -> list[list[ReadMessage]]:
    """Return the messages in groups that may only stand or go together: calls with all their results."""
    grouped: list[list[ReadMessage]] = []
    waiting: set[str] = set()
    for message in messages:
        if waiting and grouped:
            grouped[-1].append(message)
        else:
            grouped.append([message])
        waiting = (waiting | set(message.calls)) - set(message.results)
    return grouped
