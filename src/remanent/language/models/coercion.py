"""Making a value fit the type that was asked for, where only its form is wrong.

A model that writes "0.9" for 0.9, one object for a list of one, or "a, b" for two words has said what it means.
Pydantic has the last word: what is changed here is checked like everything else.
"""

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import JsonValue

from remanent.errors import InvalidInput
from remanent.language.models.parsing import UnreadableReply, read_values, read_whole_items
from remanent.language.role import Bounds
from remanent.lightweight import dataclass
from remanent.model import Model
from remanent.text.scripts import HAN, well_formed

_ReplyT = TypeVar("_ReplyT", bound=Model)
Schema = dict[str, Any]

_LONGEST_WORD = 40
"""Characters of a word of an enumeration: "a, b" is two words, a sentence with commas is one. Chosen by hand."""
_SEPARATOR = re.compile(r"\s*[,，、;；\n]\s*")
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,3}[.)、])\s*")
_SENTENCE = re.compile(r"[.!?。！？…](?:\s|$)|[。！？]")
_FLAGS = {
    **dict.fromkeys(("true", "yes", "y", "1", "是", "对", "真"), True),
    **dict.fromkeys(("false", "no", "n", "0", "否", "不是", "假"), False),
}
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(%|％)?", re.IGNORECASE | re.ASCII)


@lru_cache(maxsize=256)
def schema_of(reply: type[Model]) -> Schema:
    """Return the JSON schema of a reply, as a model is to see it."""
    schema: Schema = _as_shown(reply.model_json_schema())
    return schema


def bounded(schema: Schema, bounds: Bounds) -> Schema:
    """Return a schema with what a request says more exactly of its fields, by their dotted paths."""
    exact = deepcopy(schema)
    for path, keywords in bounds.items():
        part = exact
        for name in path.split("."):
            part = _defined(_defined(part, exact).get("items", part), exact)["properties"][name]
        part.update(keywords)
    return exact


def _defined(schema: Schema, root: Schema) -> Schema:
    """Return what a reference leads to; what is none stays."""
    found: Schema = root["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return found


def read_reply(text: str, reply: type[_ReplyT], *, cut: bool = False, blank: str = "") -> _ReplyT:
    """Return the one reply that a text holds; raise `UnreadableReply`, saying why, when it holds none or several.

    `blank` is the form that was to be filled in: what was left blank counts as not given. Of a list that was cut, the
    whole items are kept.
    """
    try:
        values = read_values(text, cut=cut)
    except UnreadableReply:
        kept = read_whole_items(text) if cut else None
        if kept is None:
            raise
        values = [kept]
    fitting: list[_ReplyT] = []
    problem = ""
    form = json.loads(blank) if blank else None
    for value in values:
        try:
            candidate = fit(_filled_in(value, form), reply)
        except UnreadableReply as error:
            problem = str(error)
            continue
        if candidate not in fitting:
            fitting.append(candidate)
    if len(fitting) > 1:
        raise UnreadableReply("it contains several different JSON objects that fit; write just one")
    if not fitting:
        raise UnreadableReply(problem)
    return fitting[0]


_PLACEHOLDER = re.compile(r"\[[^\[\]]+\]|【[^【】]+】")
"""A text of a form that stands for what is to be filled in."""
_WORD = re.compile(rf"[{HAN}]|[^\W{HAN}]+")
_TELLING = 3
"""Words, or characters, in a row that nobody writes by chance as a form has them (chosen by hand)."""


def _filled_in(value: JsonValue, form: JsonValue) -> JsonValue:
    """Return what was filled in; raise `UnreadableReply` when the form, or the schema, was only given back.

    One that has numbers of its own says something even where no text was filled in.
    """
    placeholders = {text for text in _texts(form) if _PLACEHOLDER.fullmatch(text)}
    # Of their words alone, several in a row are no answer; one may be.
    placeholders |= {text[1:-1] for text in placeholders if len(_words(text)) >= _TELLING}
    properties = value.get("properties") if isinstance(value, dict) else None
    parts = list(properties.values()) if isinstance(properties, dict) else []
    if parts and all(isinstance(part, dict) and not _SCHEMA_WORDS.isdisjoint(part) for part in parts):
        raise UnreadableReply("it repeats the schema; write the values themselves, taken from the input")
    words = {word for text in placeholders for word in _words(text)}
    if placeholders:  # what stands in the brackets of the form and says more than its words was filled in
        value = _changed(value, lambda text: text[1:-1] if _is_bracketed(text) and not _words(text) <= words else text)
    texts = [text for text in _texts(value) if text.strip()]
    is_blank = bool(texts) and all(text in placeholders or _is_bracketed(text) for text in texts)
    if placeholders and is_blank and _numbers(value) == _numbers(form):
        raise UnreadableReply("it repeats the form; put what the input says in place of the bracketed parts")
    kept: JsonValue = _changed(value, lambda text: None if text in placeholders else text)
    return kept


def _is_bracketed(text: str) -> bool:
    return _PLACEHOLDER.fullmatch(text) is not None


def _words(text: str) -> set[str]:
    """Return the words of a text, of Chinese its characters."""
    return set(_WORD.findall(text.casefold()))


_SCHEMA_WORDS = frozenset({"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "items"})
"""What the fields of a JSON schema have in the place of values."""


def _texts(value: JsonValue) -> list[str]:
    return [one for one in _leaves(value) if isinstance(one, str)]


def _numbers(value: JsonValue) -> list[JsonValue]:
    return [one for one in _leaves(value) if isinstance(one, int | float) and not isinstance(one, bool)]


def _leaves(value: JsonValue) -> Iterator[JsonValue]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    else:
        yield value


def _changed(value: Any, change: Callable[[str], str | None]) -> Any:
    """Return a value with each of its texts changed, and without those of which nothing is left."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        made = {name: (part, _changed(part, change)) for name, part in value.items()}
        return {name: new for name, (part, new) in made.items() if new is not None or part is None}
    if isinstance(value, list):
        return [new for part in value if (new := _changed(part, change)) is not None or part is None]
    return value


def fit(value: JsonValue, reply: type[_ReplyT]) -> _ReplyT:
    """Return the value as the type of a reply; raise `UnreadableReply` when it does not fit in any one way."""
    schema = schema_of(reply)
    shaped = _Shaper(schema).shape(value, schema)
    if not isinstance(shaped, dict):
        kind = {list: "a list", str: "text", bool: "a truth value", int: "a number", float: "a number"}
        raise UnreadableReply(f"a JSON object was expected, not {kind.get(type(shaped), 'null')}")
    known = schema.get("properties", {})
    if known and not known.keys() & shaped.keys():
        raise UnreadableReply(f"it has none of the keys {', '.join(known)}")
    try:
        return reply.model_validate(shaped)
    except InvalidInput as error:
        raise UnreadableReply(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Shaper:
    """Shapes values by the schema of a reply, in what forms the replies of roles have; it goes as deep as they do."""

    root: Schema

    def shape(self, value: JsonValue, schema: Schema) -> JsonValue:
        """Return the value in the form that the schema wants, or unchanged where that is not plain."""
        if branches := schema.get("anyOf"):
            others = [branch for branch in branches if branch.get("type") != "null"]
            if len(others) < len(branches) and (value is None or str(value).strip().lower() in {"", "null"}):
                return None
            # With several branches left, pydantic knows better than a guess.
            return self.shape(value, others[0]) if len(others) == 1 else value
        schema = _defined(schema, self.root)
        kind, choices = schema.get("type"), schema.get("enum")
        if isinstance(value, list) and len(value) == 1 and (choices or kind not in {"array", "object"}):
            value = value[0]
        if choices:
            meant = [choice for choice in choices if _plain(choice) == _plain(value)] if isinstance(value, str) else []
            return meant[0] if len(meant) == 1 and value not in choices else value
        if kind == "object":
            return self._shape_object(value, schema)
        if kind == "array":
            return self._shape_list(value, schema)
        shape = {"string": _shape_text, "boolean": _shape_flag}.get(str(kind))
        return shape(value) if shape else _shape_number(value, schema)

    def _shape_object(self, value: JsonValue, schema: Schema) -> JsonValue:
        value = _unpack(value, dict)
        properties: dict[str, Schema] = schema.get("properties", {})
        if isinstance(value, list):
            value = self._from_list(value, schema)
        if not isinstance(value, dict) or not properties:
            return value
        members = _match_keys(value, properties)
        if not members:
            inner = [part for part in value.values() if isinstance(part, dict) and _match_keys(part, properties)]
            members = _match_keys(inner[0], properties) if len(inner) == 1 else {}
        shaped = {name: self.shape(part, properties[name]) for name, part in members.items()}
        # Null for what is something else unless given is not given.
        given = {name: properties[name].get("default") is None for name in shaped}
        return {name: part for name, part in shaped.items() if part is not None or given[name]}

    def _from_list(self, items: list[JsonValue], schema: Schema) -> JsonValue:
        """Take a list for the only list that the object has, or a list of one for the one in it."""
        properties: dict[str, Schema] = schema.get("properties", {})
        if len(items) == 1 and isinstance(items[0], dict) and _match_keys(items[0], properties):
            return items[0]
        lists = [name for name, part in properties.items() if part.get("type") == "array"]
        required = set(schema.get("required", ()))
        return {lists[0]: items} if len(lists) == 1 and required <= set(lists) else items

    def _shape_list(self, value: JsonValue, schema: Schema) -> JsonValue:
        value = _unpack(value, list)
        item = _defined(schema.get("items") or {}, self.root)
        if value is None:
            return []
        if isinstance(value, str) and item.get("type") == "string":
            value = _split(value)
        if isinstance(value, dict):
            value = _named_items(value, item)
        return [self.shape(part, item) for part in (value if isinstance(value, list) else [value])]


def _named_items(value: dict[str, JsonValue], item: Schema) -> JsonValue:
    """Read {"b1": {…}, "b2": {…}} as a list of objects whose first required field is the name."""
    required = item.get("required", ())
    parts = [(name, part) for name, part in value.items() if isinstance(part, dict)]
    if not parts or len(parts) < len(value) or not required or _match_keys(value, item.get("properties", {})):
        return value
    return [{required[0]: name, **part} for name, part in parts]


def _match_keys(value: dict[str, JsonValue], properties: dict[str, Schema]) -> dict[str, JsonValue]:
    """Return the members with a known name, also where it is spelt `keyWords` or `Key Words`; the rest is dropped."""
    plain = {_plain(name): name for name in properties}
    matched = {name: part for name, part in value.items() if name in properties}
    for name, part in value.items():
        meant = plain.get(_plain(name))
        if meant is not None and meant not in matched:
            matched[meant] = part
    return matched


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _unpack(value: JsonValue, wanted: type[dict[str, JsonValue]] | type[list[JsonValue]]) -> JsonValue:
    """Return what a text holds when it is JSON of the wanted kind; some models write JSON into JSON."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        inner = read_values(value)
    except UnreadableReply:
        return value
    return inner[0] if len(inner) == 1 and isinstance(inner[0], wanted) else value


def _shape_text(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return well_formed(value)
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def _shape_number(value: JsonValue, schema: Schema) -> JsonValue:
    match = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) else None
    most = schema.get("maximum")
    if match is None or (match[2] and most not in {1, 100}):
        return value  # per cent of one, of a hundred, of something else: not to be told
    return float(match[1]) / (100 if match[2] and most == 1 else 1)


def _shape_flag(value: JsonValue) -> JsonValue:
    return _FLAGS.get(value.strip().lower(), value) if isinstance(value, str) else value


def _split(text: str) -> JsonValue:
    """Return the words of an enumeration, or the lines of a list; a sentence stays whole."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    if len(lines) > 1 or _BULLET.match(lines[0]):
        return [_BULLET.sub("", line).strip() for line in lines]
    words = [word for word in _SEPARATOR.split(text.strip()) if word]
    if _SENTENCE.search(text) or any(len(word) > _LONGEST_WORD for word in words):
        return [text.strip()]
    return list(words)


_MANY = 200
"""Items from which on a bound of a list tells a model nothing, and makes the grammars of local servers huge. Chosen by
hand."""


def _as_shown(schema: Any) -> Any:
    """Return a schema without titles, which only repeat names, and without bounds that no reply comes near."""
    if isinstance(schema, list):
        return [_as_shown(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _as_shown(part)
        for name, part in schema.items()
        # A title is text; a field that is called `title` has a schema.
        if not (name == "title" and isinstance(part, str))
        and not (name in {"maxLength", "maxItems", "maximum"} and isinstance(part, int) and part >= _MANY)
    }
