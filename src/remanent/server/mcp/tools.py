"""The tools that a model sees: the catalogue's own, fewer than fourteen.

Models choose worse among many tools, and every schema costs tokens in every conversation; so an operation offers few
fields, with references written out, in the language that the settings name. What the program that runs a model needs,
such as to begin a session or to make a conversation fit, is called by name and shown to no model.

Answers are told in words, for models that read text and not structure: in the language of the question. Stored words
are escaped wherever they appear: somebody may have said them in order to be taken for instructions.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import JsonValue
from pydantic_core import to_json, to_jsonable_python

from remanent.agents.deep_retrieval import DeepRetrieved
from remanent.bilingual import Bilingual, Language, translated
from remanent.discipline.shapes import ZH, Done, Page
from remanent.errors import AuditFailed, InvalidInput, RemanentError
from remanent.model import Entry, EntryKind, Found, Receipt, Record, Tombstone, local
from remanent.operations import Body, Catalogue, Operation, Principal, Report, Service, Target
from remanent.operations.context import PadValues
from remanent.recall.injection import PERHAPS, UNSURE_ITEMS, notices, told_first
from remanent.server.problems import log_failure, problem_type_of
from remanent.server.telemetry import Tracer
from remanent.text.dates import with_dates
from remanent.text.escaping import escape, escape_lines, escape_name
from remanent.text.scripts import language_of, working_language
from remanent.text.spans import excerpt

_NOTHING = Bilingual("Nothing here.", "没有内容。")
_NOTHING_REMEMBERED = Bilingual("Nothing is remembered about that.", "没有相关的记忆。")
_BEST_FIRST = Bilingual("Remembered, most relevant first:", "相关记忆，最相关的在前：")
_NOT_SEARCHED = Bilingual("(Not searched: {names}.)", "（未能检索：{names}。）")
_REMEMBERED = Bilingual("Remembered: {count}.", "已记住 {count} 条。")
_KNOWN_ALREADY = Bilingual(" {count} of them were already known.", "其中 {count} 条此前已经记住。")
_ERASED = Bilingual("(erased)", "（已抹除）")
_MORE = Bilingual("(There is more: cursor {cursor})", "（还有更多：cursor {cursor}）")
_FORGOTTEN = Bilingual(
    "Forgotten: {about} (record {record_id} can be restored)", "已忘记：{about}（记忆 {record_id} 可以恢复）"
)
_RECORD_STATE = Bilingual("{kind}, {status}", "{kind}，{status}")
_NO_SOURCES = Bilingual("Nothing is left of its sources.", "其来源已不存在。")
_WORD_FOR_WORD = Bilingual("Word for word, oldest first:", "原文，由旧到新：")
_DONE = Bilingual("Done.", "已完成。")
_EMPTY_PAD = Bilingual("The scratchpad is empty.", "草稿板上没有内容。")
_NO_SUCH_KEY = Bilingual(
    "The scratchpad has nothing under that key; its keys are: {keys}.", "草稿板上没有这个键；现有的键：{keys}。"
)

_MAX_ITEM_LENGTH = 2000
"""Characters of one item that are shown; the structure has all of them."""


def to_text(answer: object, *, language: Language) -> str:
    """Return an answer as a text; what there are no words for is told as JSON."""
    if isinstance(answer, Page) and answer.items and isinstance(answer.items[0], Entry):
        return _entries(answer, language)
    if isinstance(answer, Page) and not answer.items:
        return _NOTHING.say(language)
    for kind, told in _WRITERS.items():
        if isinstance(answer, kind):
            return told(answer, language)
    # Escaped before it is written: signs that an entity stands for would end a string afterwards.
    return to_json(_escaped_values(to_jsonable_python(answer))).decode()


def _escaped_values(value: JsonValue) -> JsonValue:
    """Escape every text within a JSON value: stored words must not pass for markup of the prompt."""
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, list):
        return [_escaped_values(item) for item in value]
    return {key: _escaped_values(item) for key, item in value.items()} if isinstance(value, dict) else value


def _found(found: Found, language: Language) -> str:
    """Return what was found, each with the id by which it can be asked for again: what tells something first."""
    is_unsure = found.gate is not None and found.gate.verdict == "unsure"
    items = told_first(found.query, found.items)[: UNSURE_ITEMS if is_unsure else None]
    if not items:
        return _NOTHING_REMEMBERED.say(language)
    lines = [_BEST_FIRST.say(language)]
    for place, item in enumerate(items, start=1):
        speakers = sorted({name for source in item.sources if (name := escape_name(source.role))})
        lead = ", ".join([f"{local(item.occurred_at):%Y-%m-%d %H:%M}", *notices(item, language), *speakers])
        said = with_dates(excerpt(item.text, _MAX_ITEM_LENGTH), item.occurred_at)
        lines.append(f"{place}. [{item.record_id}] {lead}: {escape_lines(said)}")
    if is_unsure:
        lines.append(PERHAPS.say(language))
    if found.left_out:
        names = ", ".join(left.path for left in found.left_out)
        lines.append(_NOT_SEARCHED.say(language, names=names))
    return "\n".join(lines)


def _receipt(receipt: Receipt, language: Language) -> str:
    """Return how much was remembered; ids would only cost the model tokens."""
    text = _REMEMBERED.say(language, count=len(receipt.entry_ids))
    return text + (_KNOWN_ALREADY.say(language, count=receipt.repeated) if receipt.repeated else "")


def _entries(page: Page[Entry], language: Language) -> str:
    """Return what was said, with numbers by which a model can ask for what came before or after."""
    lines = [
        f"#{entry.seq} {local(entry.occurred_at):%Y-%m-%d %H:%M} {escape_name(entry.role)}: "
        + (_ERASED.say(language) if entry.erased else _quoted(entry.text))
        for entry in page.items
        if entry.text or entry.kind is not EntryKind.EVENT  # a bank's own notes say nothing to anybody
    ]
    if page.next is not None:
        lines.append(_MORE.say(language, cursor=page.next))
    return "\n".join(lines)


def _tombstone(tombstone: Tombstone, language: Language) -> str:
    """Return what was forgotten and how to bring it back."""
    return _FORGOTTEN.say(language, about=_quoted(tombstone.about), record_id=tombstone.record_id)


def _record(record: Record, language: Language) -> str:
    state = _RECORD_STATE.say(language, kind=record.kind, status=record.status)
    return f"[{record.id}] ({state}) {local(record.occurred_at):%Y-%m-%d %H:%M}: {_quoted(record.content)}"


def _deep(found: DeepRetrieved, language: Language) -> str:
    """Return the raw words behind a record with what is in their attachments."""
    if not found.entries:
        return _NO_SOURCES.say(language)
    lines = [_WORD_FOR_WORD.say(language)]
    for entry in found.entries:
        # Whole: whoever asks for the raw words has seen the short ones.
        lines.append(f"- {local(entry.timestamp):%Y-%m-%d %H:%M} {entry.kind}: {escape_lines(entry.text)}")
        for item in entry.attachments:
            told = item.content if item.encoding == "text" else item.problem
            what = f"[{escape_name(item.id)}] {escape_name(item.name)} ({escape_name(item.media_type)})"
            lines.append(f"  {what}: {escape_lines(told, indent='    ')}")
    return "\n".join(lines)


def _pad(pad: PadValues, language: Language) -> str:
    """Return what stands on a scratchpad, a line for each value."""
    if not pad.values:
        keys = (", " if language == "en" else "、").join(map(escape_name, pad.other_keys))
        return _NO_SUCH_KEY.say(language, keys=keys) if keys else _EMPTY_PAD.say(language)
    values = {key: value if isinstance(value, str) else to_json(value).decode() for key, value in pad.values.items()}
    return "\n".join(f"{escape_name(key)}: {escape_lines(value)}" for key, value in values.items())


def _quoted(text: str) -> str:
    return escape_lines(excerpt(text, _MAX_ITEM_LENGTH))


_WRITERS: dict[type, Callable[[Any, Language], str]] = {
    Found: _found,
    Receipt: _receipt,
    Tombstone: _tombstone,
    Record: _record,
    DeepRetrieved: _deep,
    PadValues: _pad,
    Done: lambda _, language: _DONE.say(language),
}


_FAILED = Bilingual("It did not work", "未能完成")
_UNNOTED = Bilingual("It has been done; do not do it again", "已完成，请勿重复操作")
_INTERNAL = Bilingual("{title}; try again later", "内部错误，请稍后再试")
_MAX_DEPTH = 8
"""Levels of a schema that a model is shown: deeper ones cost tokens and are never filled in right (chosen by hand)."""
_NOISE = frozenset({"title", ZH, "additionalProperties", "$defs"})
"""Parts of a schema that tell a model nothing and cost it tokens."""

Tree = dict[str, "Tree"]
"""The fields that are offered, with those inside of them; no fields inside means all."""


def offered(operation: Operation[Any, Any]) -> Tree:
    """Return the fields that a model may fill in; a dot leads into the objects of a list."""
    tool = operation.tool
    names = tuple(operation.request.model_fields) if tool is None or tool.fields is None else tool.fields
    tree: Tree = {}
    for name in names:
        branch = tree
        for step in name.split("."):
            branch = branch.setdefault(step, {})
    return tree


def input_schema(operation: Operation[Any, Any], *, language: Language) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    whole = operation.request.model_json_schema(mode="validation")
    schema = _shown(whole, whole.get("$defs", {}), offered(operation), language, _MAX_DEPTH)
    return {**schema, "additionalProperties": False}


def check_offered(arguments: Mapping[str, Any], tree: Tree, *, inside: str = "") -> None:
    """Refuse fields that were not offered, and say which ones are."""
    for name, value in arguments.items():
        if name not in tree:
            raise InvalidInput(f"there is no argument {inside}{name}; use one of {', '.join(tree)}")
        if tree[name]:
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, Mapping):
                    check_offered(one, tree[name], inside=f"{inside}{name}.")


def _as_offered(arguments: Mapping[str, Any], tree: Tree) -> Mapping[str, Any]:
    """Return arguments with the question under the name that the tool has for it: models mix up the tools' names."""
    for other, name in (("question", "query"), ("query", "question")):
        if other in arguments and other not in tree and name in tree and name not in arguments:
            return {name if given == other else given: value for given, value in arguments.items()}
    return arguments


def _shown(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], tree: Tree, language: Language, depth: int
) -> dict[str, Any]:
    """Return a part of the schema with its references written out and its choices narrowed to what models use."""
    if depth == 0:
        return {}
    if "$ref" in schema:
        meant = {**definitions[schema["$ref"].rpartition("/")[2]], **_without(schema, "$ref")}
        return _shown(meant, definitions, tree, language, depth)
    if "anyOf" in schema:
        chosen = _chosen(schema["anyOf"], definitions, tree)
        if len(chosen) == 1:
            return _shown({**chosen[0], **_without(schema, "anyOf")}, definitions, tree, language, depth)
        options = [_shown(option, definitions, tree, language, depth - 1) for option in chosen]
        return {**_plain(_without(schema, "anyOf"), schema, language), "anyOf": options}
    shown = _plain(schema, schema, language)
    if "properties" in schema:
        names = [name for name in schema["properties"] if not tree or name in tree]
        shown["properties"] = {
            name: _shown(schema["properties"][name], definitions, tree.get(name, {}), language, depth - 1)
            for name in names
        }
        shown["required"] = [name for name in schema.get("required", ()) if name in names]
    if isinstance(schema.get("items"), Mapping):
        shown["items"] = _shown(schema["items"], definitions, tree, language, depth - 1)
    return shown


def _chosen(
    options: Sequence[Mapping[str, Any]], definitions: Mapping[str, Any], tree: Tree
) -> list[Mapping[str, Any]]:
    """Leave out `null`, which leaving out the field says too; fields named inside mean what holds them."""
    meant = [
        definitions[option["$ref"].rpartition("/")[2]] if "$ref" in option else option
        for option in options
        if option.get("type") != "null"
    ]
    objects = [option for option in meant if "properties" in option or "items" in option]
    if tree and objects:
        return objects
    texts = [option for option in meant if option.get("type") == "string"]
    return texts or meant


def _plain(kept: Mapping[str, Any], whole: Mapping[str, Any], language: Language) -> dict[str, Any]:
    """Return the keywords that help a model, with the description in its language."""
    shown = {name: value for name, value in kept.items() if name not in _NOISE}
    if shown.get("default", ...) is None:
        del shown["default"]
    if language == "zh" and ZH in whole:
        shown["description"] = whole[ZH]
    return shown


def _without(schema: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in names}


def _texts_in(value: object) -> Iterable[str]:
    """Yield every text among arguments, by which their language is told."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts_in(one)


MAX_TOOLS = 13
"""A model that is shown more chooses worse, and every one of them costs tokens in every request."""

_logger = logging.getLogger(__name__)


def chosen(catalogue: Catalogue) -> dict[str, Operation[Any, Any]]:
    """Return the operations that are offered as tools, by the tool's name; those that come first in the catalogue."""
    tools: dict[str, Operation[Any, Any]] = {}
    listed = 0
    for operation in catalogue.values():
        if operation.tool is None or operation.answers is not Body.JSON or operation.reads is not Body.JSON:
            continue
        if operation.tool.listed and listed == MAX_TOOLS:
            _logger.warning("tool %s is not offered: %d are enough", operation.tool.name, MAX_TOOLS)
            continue
        listed += operation.tool.listed
        tools[operation.tool.name] = operation
    return tools


Turn = Callable[[str], AbstractAsyncContextManager[None]]
"""Has the work of an organisation wait for its turn."""


class Tools:
    """Lists tools and calls them."""

    def __init__(self, service: Service, *, turn: Turn = lambda _: nullcontext(), language: Language = "en") -> None:
        self._service = service
        self._unsaid: Language = language
        self._turn = turn
        self._tools = chosen(service.catalogue)
        self._tracer = Tracer()
        self._language = service.memory.settings.language

    @property
    def language(self) -> Language:
        """The language of what is said before any question is known."""
        return self._unsaid if self._language == "auto" else self._language

    def listed(self, principal: Principal) -> list[types.Tool]:
        """Return the tools that the principal may use at all."""
        return [
            types.Tool(
                name=name,
                description=operation.tool.description.say(self.language),
                input_schema=input_schema(operation, language=self.language),
                annotations=types.ToolAnnotations(
                    read_only_hint=not operation.changes,
                    destructive_hint=operation.destroys,
                    idempotent_hint=not operation.changes,
                    open_world_hint=False,
                ),
            )
            for name, operation in self._tools.items()
            if operation.tool is not None and operation.tool.listed and principal.may(operation.permission)
        ]

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, place: Target, principal: Principal, report: Report
    ) -> types.CallToolResult:
        """Do what a tool does; what goes wrong is told in the result, so that the model can do better."""
        operation = self._tools.get(name)
        if operation is None:
            raise MCPError(types.INVALID_PARAMS, f"unknown tool {name}; choose one of {', '.join(self._tools)}")
        language = self.spoken(arguments)
        arguments = _as_offered(arguments, offered(operation))
        try:
            check_offered(arguments, offered(operation))
            # Long work takes no turn: the organisation's other requests would wait for all of it.
            async with nullcontext() if operation.long else self._turn(place.org):
                with self._tracer.operation(operation.name, agent=place.agent, act=operation.act):
                    answer = await self._service.perform(
                        operation.name, arguments, place=place, principal=principal, report=report
                    )
        except RemanentError as error:
            return _failed(error, language=language)
        value = to_jsonable_python(answer)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=_told(operation, answer, language))],
            structured_content=value if isinstance(value, dict) else {"result": value},
        )

    def spoken(self, arguments: object) -> Language:
        """Return the language that an answer is given in: as set, or that of the question, if it has one."""
        asked = [text for text in _texts_in(arguments) if language_of(text) != "other"]
        return working_language(*asked) if asked and self._language == "auto" else self.language


def _told(operation: Operation[Any, Any], answer: object, language: Language) -> str:
    """Return an answer in the words of its operation, or of its type."""
    own = operation.tool.tell if operation.tool is not None else None
    return to_text(answer, language=language) if own is None else own(answer, language)


def _failed(error: RemanentError, *, language: Language) -> types.CallToolResult:
    """Return what went wrong, in words that help to do better; what lies inside of the server stays inside."""
    row = problem_type_of(error)
    log_failure(error, status=row.status)
    told = translated(str(error), language) if row.tells else _INTERNAL.say(language, title=row.title.say(language))
    head = (_UNNOTED if isinstance(error, AuditFailed) else _FAILED).say(language)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"{head}: {told}")],
        structured_content={"error": type(error).__name__, "message": told},
        is_error=True,
    )
