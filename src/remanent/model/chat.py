"""Chat messages as agents have them: what OpenAI's and Anthropic's APIs send and answer becomes messages to remember.

One chat message can hold several things that happened: words, calls of tools, results of tools. Each becomes a message
of its own, in order, so that a call is found as a call. Their SDKs' own objects are taken like the dictionaries that
they stand for. What a model only thought is left out: it was never said.

An agent has its conversation in the form of its vendor (calls beside no content, parts, blocks of tools and results,
names, pictures), and `remember` refused all of it but texts before there was one reader for every door.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date
from hashlib import sha256
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model.base import json_type
from remanent.model.entry import Attachment, EntryKind, InlineFile, Message, chat_role, origin_of_role
from remanent.model.filters import USER_KEY, check_user, read_tags

Chat = Iterable[Mapping[str, Any]]
"""A conversation as OpenAI's or Anthropic's API takes it."""
Messages = str | Message | Mapping[str, Any] | Iterable[str | Message | Mapping[str, Any]]
"""What `remember` takes: a text, a message (`{"role": …, "content": …}`), or several of those."""

_OWN = frozenset(Message.model_fields)
_PLAIN = _OWN - {"files", "attachments"}
"""What most messages have and nothing else: a text and what is said about it."""
_READ = frozenset({"content", "refusal", "name", "type", "tool_calls", "function_call", "tool_call_id", "is_error"})
_IGNORED = frozenset(
    # Other fields of OpenAI's answers and of servers compatible with it, then the envelope of Anthropic's.
    "annotations audio parsed reasoning reasoning_content reasoning_details status phase "
    "model stop_reason stop_sequence stop_details usage container context_management cache_control "
    # LangChain
    "additional_kwargs response_metadata usage_metadata invalid_tool_calls example artifact".split()
)
"""Fields of a chat message that say nothing of what was said; any other that is not known is refused as a typo."""

STAMPS = ("timestamp", "datetime", "created_at", "date", "time")
"""Fields by which chat logs tell when something was said, in a message or in its metadata; finest first."""

CHAT_FIELDS = _READ | _IGNORED | frozenset(STAMPS)
"""The fields of vendors' messages that are taken beside our own."""

CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call", "tool_call"})
_RESULTS = frozenset({"tool_result", "mcp_tool_result", "function_call_output", "custom_tool_call_output"})
THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
_IMAGES = frozenset({"image", "image_url", "input_image"})
FILES = _IMAGES | {"file", "input_file", "document", "input_audio", "audio", "video"}
"""Types of parts that are no text."""
_TOOL_ROLES = ("tool", "function")
_ANY_TYPE = "application/octet-stream"
_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "system": "system", "tool": "tool"}
"""LangChain's names for roles."""
_ITEMS = CALLS | _RESULTS | THOUGHTS
"""Types of items that stand among messages by themselves (OpenAI's Responses API), and within a message's content."""


def read_messages(
    messages: object,
    *,
    longest: int,
    metadata: Mapping[str, Any] | None = None,
    tags: Sequence[str] = (),
    user: str | None = None,
) -> list[Message]:
    """Return the messages of whatever form a caller uses, none of them empty nor longer than so many characters.

    `metadata` and `tags` are for all of them; what a message says itself comes first. `user` is whose all of them are:
    a message that says another one is refused.
    """
    read = expand_messages(messages)
    if metadata is not None and not isinstance(metadata, Mapping):
        raise InvalidInput(f"metadata: an object was expected, not {json_type(metadata)}")
    if user is not None:
        metadata = {USER_KEY: check_user(user), **(metadata or {})}
        if any({**metadata, **one.metadata}[USER_KEY] != user for one in read):
            raise InvalidInput(f"user: the metadata names a different user under {USER_KEY}; name only one")
    if metadata or tags:
        more, labels = dict(metadata or {}), read_tags(tags)
        read = [one.replace(metadata={**more, **one.metadata}, tags=(*labels, *one.tags)) for one in read]
    if not read:
        raise InvalidInput("there is nothing to remember; give at least one message")
    for place, message in enumerate(read, start=1):
        if len(message.content) > longest:
            raise InvalidInput(
                f"message {place} has {len(message.content)} characters, more than the {longest} that max_text_length "
                "allows; split it"
            )
    return read


def expand_messages(messages: object) -> list[Message]:
    """Return the messages that a text, a message or several of those stand for."""
    if messages is None:
        raise InvalidInput("there is nothing to remember: None is not a message; give text or messages")
    is_one = isinstance(messages, str | bytes | Mapping | Message) or hasattr(messages, "model_dump")
    items = list(messages) if isinstance(messages, Iterable) and not is_one else [messages]
    tools: dict[str, str] = {}
    read: list[Message] = []
    for place, item in enumerate(items, start=1):
        try:
            read += [item] if isinstance(item, Message) else expand_message(item, tools)
        except InvalidInput as error:
            raise InvalidInput(f"message {place}: {error}") from error
    return read


def expand_message(item: object, tools: dict[str, str]) -> list[Message]:
    """Return what one chat message stands for; `tools` are the names of tools by the ids of their calls."""
    if isinstance(item, str):
        if item.strip():
            return [Message.of_text(item)]
        item = {"content": item}
    elif not isinstance(item, Mapping) and callable(dump := getattr(item, "model_dump", None)):
        item = dump(mode="json")
    if not isinstance(item, Mapping):
        raise InvalidInput(f"it must be text or a JSON object with role and content, not {json_type(item)}")
    if isinstance(data := item.get("data"), Mapping) and item.keys() == {"type", "data"}:
        item = {"type": item["type"], **data}  # LangChain's messages_to_dict
    given = {name: value for name, value in item.items() if value is not None}
    if "content" not in given and isinstance(blocks := given.pop("blocks", None), list | tuple):
        given["content"] = [_block(one) for one in blocks]
    if "role" not in given and isinstance(kind := given.get("type"), str):
        given = (
            {"role": "assistant", "content": [given]} if kind in _ITEMS else {**given, "role": _ROLES.get(kind, "user")}
        )
    content = given.get("content")
    if isinstance(content, str) and content.strip() and given.keys() <= _PLAIN and given.get("role") not in _TOOL_ROLES:
        return [Message.model_validate(given)]  # nothing to take apart: what nearly every write gives
    return _ChatMessage(given, tools).messages()


def _block(block: object) -> object:
    """Return a block of LlamaIndex's messages as a part of a content."""
    if not isinstance(block, Mapping):
        return block
    kind = block.get("block_type", "text")
    if kind == "tool_call":
        call = {"id": block.get("tool_call_id"), "name": block.get("tool_name"), "input": block.get("tool_kwargs")}
        return {"type": "tool_use", **call}
    if kind in FILES:
        media_type = next((value for name, value in block.items() if name.endswith("mimetype") and value), None)
        source = {"media_type": media_type, "data": block.get(kind) or block.get("data"), "url": block.get("url")}
        return {"type": kind, "source": {name: value for name, value in source.items() if value is not None}}
    return {**block, "type": kind}


@dataclass(slots=True)
class _Words:
    """Words and files that belong together: one message."""

    texts: list[str] = field(default_factory=list)
    files: list[InlineFile] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The words; where there are none, the names of the files stand for them, so that they can be found."""
        text = "\n".join(self.texts)
        files: list[InlineFile | Attachment] = [*self.files, *self.attachments]
        names = dict.fromkeys(file.name or file.media_type for file in files)
        return text if text.strip() or not names else f"[{', '.join(names)}]"

    @property
    def content(self) -> dict[str, Any]:
        """The fields of a message that they make up."""
        return {"content": self.text, "files": tuple(self.files), "attachments": tuple(self.attachments)}


class _ChatMessage:
    """Reads one chat message."""

    def __init__(self, given: Mapping[str, Any], tools: dict[str, str]) -> None:
        if unknown := given.keys() - _OWN - CHAT_FIELDS:
            named = ", ".join(sorted(map(str, unknown)))
            raise InvalidInput(f"{named}: not a field of a message; put your own fields into `metadata`")
        self._given = given
        self._tools = tools
        self._own = {name: value for name, value in given.items() if name in _PLAIN}
        self._made: list[dict[str, Any]] = []

    def messages(self) -> list[Message]:
        """Return what it stands for, in order: words, calls, results."""
        given = self._given
        words = _Words(
            files=[InlineFile.model_validate(one) for one in _listed(given, "files")],
            attachments=[Attachment.model_validate(one) for one in _listed(given, "attachments")],
        )
        if given.get("role") in _TOOL_ROLES:
            self._add_result(given, words)
        else:
            for part in _parts(given.get("content")):
                if (kind := str(part.get("type"))) in CALLS:
                    words = self._add_words(words)
                    self._add_call(part)
                elif is_result(kind):
                    words = self._add_words(words)
                    self._add_result(part, _Words())
                else:
                    _take_part(part, words)
            if isinstance(refusal := given.get("refusal"), str):
                words.texts.append(refusal)
            self._add_words(words)
            for call in (*_listed(given, "tool_calls"), *filter(None, [given.get("function_call")])):
                self._add_call(call)
        parts = [] if self._made else list(_parts(given.get("content")))
        if not self._made and not (parts and all(str(part.get("type")) in THOUGHTS for part in parts)):
            raise InvalidInput("content: the text is empty or missing, so there is nothing to remember")
        return [self._message(made, place) for place, made in enumerate(self._made)]

    def _message(self, made: dict[str, Any], place: int) -> Message:
        own = dict(self._own)
        if place and isinstance(own.get("id"), str):
            own["id"] = f"{own['id']}#{place}"  # one caller's id names one entry
        metadata = own.get("metadata", {})
        if isinstance(metadata, Mapping):  # what else it may be, the message refuses
            stamps = {name: _plain(self._given[name]) for name in STAMPS if name in self._given}
            own["metadata"] = {**stamps, **made.pop("metadata", {}), **metadata}
        if len(self._made) == 1 and "kind" in own:
            made = {**made, "kind": own["kind"]}
        return Message.model_validate({**own, **made})

    def _add_words(self, words: _Words) -> _Words:
        """Add a message of the words so far, if there are any, and return an empty one."""
        if words.text.strip():
            made = words.content
            name, role = self._given.get("name"), str(self._given.get("role", "user"))
            if isinstance(name, str) and name.strip() and chat_role(name) is None:
                # Who spoke tells more than the part they played; how far they are trusted still follows from that.
                made |= {"role": name.strip(), "origin": self._own.get("origin") or origin_of_role(role)}
            self._made.append(made)
        return _Words()

    def _add_call(self, call: object) -> None:
        """Add a call of a tool, written as code would write it."""
        if not isinstance(call, Mapping):
            raise InvalidInput("tool_calls: each must be an object with the function's name and arguments")
        call_id, name, text = read_call(call)
        if not name:
            raise InvalidInput("tool_calls: a call must name its function")
        about = {"tool": name}
        if call_id:
            about["tool_call_id"] = call_id
            self._tools[call_id] = name
        self._made.append({"role": "assistant", "kind": EntryKind.TOOL_CALL, "content": text, "metadata": about})

    def _add_result(self, result: Mapping[str, Any], words: _Words) -> None:
        """Add what a tool answered, with the name of the tool where its call is known."""
        for part in _parts(result.get("content", result.get("output"))):
            _take_part(part, words)
        call_id = answered_call(result)
        about = {"tool": result.get("name") or self._tools.get(str(call_id)), "tool_call_id": call_id}
        about |= {"is_error": True} if result.get("is_error") else {}
        made = words.content if words.text.strip() else {"content": "(no output)"}
        known = {name: value for name, value in about.items() if value is not None}
        role = self._own["role"] if self._own.get("role") in _TOOL_ROLES else "tool"
        self._made.append({"role": role, "kind": EntryKind.TOOL_RESULT, **made, "metadata": known})


def read_call(call: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the id of a call of a tool, the tool's name, and the call as code would write it."""
    function = next((call[key] for key in ("function", "custom") if isinstance(call.get(key), Mapping)), call)
    name = function.get("name")
    name = name if isinstance(name, str) else ""
    arguments = next((function[key] for key in ("arguments", "input", "args") if function.get(key) is not None), "")
    call_id = call.get("call_id") or call.get("id")
    return call_id if isinstance(call_id, str) else "", name, f"{name}({_arguments(arguments)})"


def is_result(kind: object) -> bool:
    """Return whether a part of this type is what a tool answered."""
    return kind in _RESULTS or str(kind).endswith("_tool_result")


def answered_call(result: Mapping[str, Any]) -> Any:
    """Return the id of the call that a result answers; none where it does not say."""
    return next((result[key] for key in ("tool_call_id", "tool_use_id", "call_id") if key in result), None)


def _plain(stamp: object) -> object:
    return stamp.isoformat() if isinstance(stamp, date) else stamp


def _listed(given: Mapping[str, Any], name: str) -> list[Any]:
    """Return a field that holds a list."""
    value = given.get(name, ())
    if not isinstance(value, list | tuple):
        raise InvalidInput(f"{name}: a list was expected, not {json_type(value)}")
    return list(value)


def _parts(content: object) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a message's content; a text is one part."""
    if content is None:
        return
    if isinstance(content, str | Mapping):
        content = [content]
    if not isinstance(content, list | tuple):
        raise InvalidInput(f"content: text or a list of parts was expected, not {json_type(content)}")
    for part in content:
        if isinstance(part, str):
            yield {"type": "text", "text": part}
        elif isinstance(part, Mapping):
            yield part
        elif callable(dump := getattr(part, "model_dump", None)):
            yield dump(mode="json")
        else:
            raise InvalidInput(f"content: a part must be text or an object with a type, not {json_type(part)}")


def part_text(part: Mapping[str, Any]) -> str | None:
    """Return the words of one part of a content; none where it has none, such as a picture."""
    text = part.get("text", part.get("refusal", part.get("transcript")))
    return text if isinstance(text, str) else None


def text_of(content: object) -> str:
    """Return the words of a content, whatever else is in it: calls and results of tools, pictures and thoughts are not.

    For readers of chats that others wrote: nothing is refused.
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else []
    texts = [
        part if isinstance(part, str) else part_text(part)
        for part in parts
        if isinstance(part, str) or (isinstance(part, Mapping) and part.get("type") not in THOUGHTS)
    ]
    return "\n".join(text for text in texts if text is not None)


def _take_part(part: Mapping[str, Any], words: _Words) -> None:
    """Add a part to the words: a text as it is, a file as a file, whatever else by naming it."""
    kind = str(part.get("type", "text"))
    if kind in THOUGHTS:
        return
    if (text := part_text(part)) is not None:
        words.texts.append(text)
    elif kind in FILES:
        _take_file(part, kind, words)
    else:  # found by its name at least, rather than lost without a trace
        words.texts.append(f"[{kind}]")


def _take_file(part: Mapping[str, Any], kind: str, words: _Words) -> None:
    """Add a picture, document or recording: bytes are kept, an address is kept as an address."""
    inner = next((part[key] for key in (kind, "source", "image_url") if key in part), None)
    source = inner if isinstance(inner, Mapping) else {**part, "url": inner} if isinstance(inner, str) else part
    if isinstance(source.get("content"), list | str):  # a document in parts, as Anthropic has it
        for piece in _parts(source["content"]):
            if str(piece.get("type")) != kind:
                _take_part(piece, words)
        return
    name = str(next((part[key] for key in ("title", "filename") if part.get(key)), source.get("filename") or ""))
    usual = f"audio/{source.get('format', '*')}" if "audio" in kind else "image/*" if "image" in kind else _ANY_TYPE
    media_type = source.get("media_type") or usual
    address = next((source[key] for key in ("file_data", "data", "url", "file_url") if key in source), None)
    if not isinstance(address, str):  # a file that only the vendor holds, by its id there
        words.texts.append(f"[{kind} {name or source.get('file_id') or ''}".rstrip() + "]")
    elif source.get("type") == "text":
        words.texts.append(address)
    elif address.startswith("data:"):
        words.files.append(_data_url(address, name=name))
    elif address in (source.get("data"), source.get("file_data")):
        words.files.append(InlineFile(data=address, media_type=media_type, name=name))
    else:
        shown = name or urlsplit(address).path.rpartition("/")[2]
        short = sha256(address.encode("utf-8", "replace")).hexdigest()[:32]
        words.attachments.append(Attachment(attachment_id=short, media_type=media_type, name=shown, uri=address))


def _data_url(address: str, *, name: str) -> InlineFile:
    """Return the file that a data URL holds."""
    head, comma, data = address.removeprefix("data:").partition(",")
    media_type, _, encoding = head.partition(";")
    if not comma:
        raise InvalidInput("content: a data URL is cut; it is written like data:image/png;base64,…")
    if not encoding.endswith("base64"):
        data = base64.b64encode(unquote_to_bytes(data)).decode()
    return InlineFile(data=data, media_type=media_type or "text/plain", name=name)


def _arguments(value: object) -> str:
    """Return arguments as JSON that can be read: Chinese stays Chinese, whatever the vendor's encoder made of it."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    return json.dumps(value, ensure_ascii=False)
