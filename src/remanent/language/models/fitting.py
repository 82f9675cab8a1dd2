"""Making a value fit the type that was asked for, where only its form is wrong.

A model that writes "0.9" for 0.9, one object for a list of one, or "a, b" for two words has said what it means.
Pydantic has the last word: what is changed here is checked like everything else.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import JsonValue

from remanent.errors import InvalidInput
from remanent.language.models.parsing import UnreadableReply, read_values, read_whole_items
from remanent.language.role import Bounds
from remanent.model import Model
from remanent.text.scripts import HAN, well_formed
from remanent.values import dataclass

_ReplyT = TypeVar("_ReplyT", bound=Model)
Schema = dict[str, Any]

_DEEPEST = 32
"""Levels of a reply that are brought into form; what lies deeper is left to pydantic. Chosen by hand."""
_LONGEST_WORD = 40
"""Characters of a word of an enumeration: "a, b" is two words, a sentence with commas is one. Chosen by hand."""
_SEPARATOR = re.compile(r"\s*[,，、;；\n]\s*")
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,3}[.)、])\s*")
_SENTENCE = re.compile(r"[.!?。！？…](?:\s|$)|[。！？]")
_YES = frozenset({"true", "yes", "y", "1", "是", "对", "真"})
_NO = frozenset({"false", "no", "n", "0", "否", "不是", "假"})
_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(%|％)?", re.IGNORECASE | re.ASCII)


@lru_cache(maxsize=256)
def schema_of(reply: type[Model]) -> Schema:
    """Return the JSON schema of a reply, as a model is to see it."""
    schema: Schema = _as_shown(reply.model_json_schema())
    return schema


def bounded(schema: Schema, bounds: Bounds) -> Schema:
    """Return a schema with what a request says more exactly of its fields, by their dotted paths."""
    exact = deepcopy(schema)
    shaper = _Shaper(exact)
    for path, keywords in bounds.items():
        part = exact
        for name in path.split("."):
            part = shaper.resolve(part)
            part = shaper.resolve(part.get("items", part))["properties"][name]
        part.update(keywords)
    return exact


def read_reply(text: str, reply: type[_ReplyT], *, cut: bool = False, blank: str = "") -> _ReplyT:
    """Return the one reply that a text holds; raise `UnreadableReply`, saying why, when it holds none or several.

    `blank` is the form that was to be filled in: what was left blank counts as not given. Of a list that was cut, the
    whole items are kept.
    """
    fitting: list[_ReplyT] = []
    problem = ""
    form = json.loads(blank) if blank else None
    for value in _values(text, cut=cut):
        try:
            candidate = fit(_filled_in(value, form), reply)
        except UnreadableReply as error:
            problem = str(error)
            continue
        if candidate not in fitting:
            fitting.append(candidate)
    if len(fitting) > 1:
        raise UnreadableReply("it holds several different JSON objects that fit; write just one")
    if not fitting:
        raise UnreadableReply(problem)
    return fitting[0]


def _values(text: str, *, cut: bool) -> list[JsonValue]:
    try:
        return read_values(text, cut=cut)
    except UnreadableReply:
        kept = read_whole_items(text) if cut else None
        if kept is None:
            raise
        return [kept]


_PLACEHOLDER = re.compile(r"\[[^\[\]]+\]|【[^【】]+】")
"""A text of a form that stands for what is to be filled in."""
_WORD = re.compile(rf"[{HAN}]|[^\W{HAN}]+")
_TELLING = 3
"""Words, or signs, in a row that nobody writes by chance as a form has them (chosen by hand)."""


def _filled_in(value: JsonValue, form: JsonValue) -> JsonValue:
    """Return what was filled in; raise `UnreadableReply` when the form, or the schema, was only given back.

    One that has numbers of its own says something even where no text was filled in.
    """
    placeholders = {text for text in _texts(form) if _PLACEHOLDER.fullmatch(text)}
    # Of their words alone, several in a row are no answer; one may be.
    placeholders |= {text[1:-1] for text in placeholders if len(_words(text)) >= _TELLING}
    if _is_schema(value):
        raise UnreadableReply("it repeats the schema; write the values themselves, taken from the input")
    if placeholders:
        value = _unbracketed(value, {word for text in placeholders for word in _words(text)})
    texts = [text for text in _texts(value) if text.strip()]
    is_blank = bool(texts) and all(text in placeholders or _PLACEHOLDER.fullmatch(text) for text in texts)
    if placeholders and is_blank and _numbers(value) == _numbers(form):
        raise UnreadableReply("it repeats the form; put what the input says in place of the bracketed parts")
    return _without(value, placeholders)


def _unbracketed(value: JsonValue, words: Collection[str]) -> JsonValue:
    """Return what was filled in without the brackets of the form, where it says more than the words of the form."""
    if isinstance(value, dict):
        return {name: _unbracketed(part, words) for name, part in value.items()}
    if isinstance(value, list):
        return [_unbracketed(part, words) for part in value]
    if isinstance(value, str) and _PLACEHOLDER.fullmatch(value) and not _words(value) <= set(words):
        return value[1:-1]
    return value


def _words(text: str) -> set[str]:
    """Return the words of a text, of Chinese its signs."""
    return set(_WORD.findall(text.casefold()))


def _is_schema(value: JsonValue) -> bool:
    """Tell whether a value is a JSON schema: it names types where values are asked for."""
    properties = value.get("properties") if isinstance(value, dict) else None
    parts = list(properties.values()) if isinstance(properties, dict) else []
    return bool(parts) and all(isinstance(part, dict) and not _SCHEMA_WORDS.isdisjoint(part) for part in parts)


_SCHEMA_WORDS = frozenset({"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "items"})


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


def _without(value: JsonValue, placeholders: Collection[str]) -> JsonValue:
    if isinstance(value, dict):
        kept = {name: part for name, part in value.items() if not (isinstance(part, str) and part in placeholders)}
        return {name: _without(part, placeholders) for name, part in kept.items()}
    if isinstance(value, list):
        items = [part for part in value if not (isinstance(part, str) and part in placeholders)]
        return [_without(part, placeholders) for part in items]
    return value


def fit(value: JsonValue, reply: type[_ReplyT]) -> _ReplyT:
    """Return the value as the type of a reply; raise `UnreadableReply` when it does not fit in any one way."""
    schema = schema_of(reply)
    shaped = _Shaper(schema).shape(value, schema)
    if not isinstance(shaped, dict):
        raise UnreadableReply(f"a JSON object was expected, not {_kind(shaped)}")
    known = schema.get("properties", {})
    if known and not known.keys() & shaped.keys():
        raise UnreadableReply(f"it has none of the keys {', '.join(known)}")
    try:
        return reply.model_validate(shaped)
    except InvalidInput as error:
        raise UnreadableReply(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Shaper:
    """Shapes values by one schema, whose definitions it knows."""

    root: Schema

    def shape(self, value: JsonValue, schema: Schema, *, depth: int = 0) -> JsonValue:
        """Return the value in the form that the schema wants, or unchanged where that is not plain."""
        schema = self.resolve(schema)
        if depth > _DEEPEST:
            return value
        choices = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
        is_single = bool(choices) or schema.get("type") in {"string", "number", "integer", "boolean"}
        if is_single and isinstance(value, list) and len(value) == 1:
            value = value[0]
        if choices:
            return _choose(value, choices)
        branches = schema.get("anyOf") or schema.get("oneOf")
        if branches:
            return self._shape_one_of(value, branches, depth=depth)
        shapers: dict[str, Callable[[], JsonValue]] = {
            "object": lambda: self._shape_object(value, schema, depth=depth),
            "array": lambda: self._shape_list(value, schema, depth=depth),
            "string": lambda: _shape_text(value),
            "number": lambda: _shape_number(value, schema),
            "integer": lambda: _shape_number(value, schema),
            "boolean": lambda: _shape_flag(value),
        }
        shaper = shapers.get(str(schema.get("type")))
        return shaper() if shaper else value

    def resolve(self, schema: Schema) -> Schema:
        """Return the schema that a reference leads to."""
        while "$ref" in schema or len(schema.get("allOf", ())) == 1:
            name = schema.get("$ref", "").rpartition("/")[2]
            schema = self.root["$defs"][name] if name else schema["allOf"][0]
        return schema

    def _shape_one_of(self, value: JsonValue, branches: list[Schema], *, depth: int) -> JsonValue:
        resolved = [self.resolve(branch) for branch in branches]
        nothing = value is None or (isinstance(value, str) and value.strip().lower() in {"", "null"})
        if nothing and any(branch.get("type") == "null" for branch in resolved):
            return None
        others = [branch for branch in resolved if branch.get("type") != "null"]
        if any(_is_of(value, branch) for branch in others):
            others = [branch for branch in others if _is_of(value, branch)]
        # With several branches left, pydantic knows better than a guess.
        return self.shape(value, others[0], depth=depth + 1) if len(others) == 1 else value

    def _shape_object(self, value: JsonValue, schema: Schema, *, depth: int) -> JsonValue:
        value = _unpack(value, dict)
        properties: dict[str, Schema] = schema.get("properties", {})
        if isinstance(value, list):
            value = self._from_list(value, schema)
        if not isinstance(value, dict) or not properties:
            return value
        if schema.get("additionalProperties"):
            return value
        members = _match_keys(value, properties)
        if not members:
            inner = [part for part in value.values() if isinstance(part, dict) and _match_keys(part, properties)]
            members = _match_keys(inner[0], properties) if len(inner) == 1 else {}
        shaped: dict[str, JsonValue] = {}
        for name, part in members.items():
            wanted = self.shape(part, properties[name], depth=depth + 1)
            if wanted is None and "default" in properties[name] and not self._may_be_null(properties[name]):
                continue
            shaped[name] = wanted
        return shaped

    def _from_list(self, items: list[JsonValue], schema: Schema) -> JsonValue:
        """Take a list for the only list that the object has, or a list of one for the one in it."""
        properties: dict[str, Schema] = schema.get("properties", {})
        if len(items) == 1 and isinstance(items[0], dict) and _match_keys(items[0], properties):
            return items[0]
        lists = [name for name, part in properties.items() if self.resolve(part).get("type") == "array"]
        required = set(schema.get("required", ()))
        return {lists[0]: items} if len(lists) == 1 and required <= set(lists) else items

    def _may_be_null(self, schema: Schema) -> bool:
        resolved = self.resolve(schema)
        branches = resolved.get("anyOf") or resolved.get("oneOf") or [resolved]
        return any(self.resolve(branch).get("type") == "null" for branch in branches)

    def _shape_list(self, value: JsonValue, schema: Schema, *, depth: int) -> JsonValue:
        value = _unpack(value, list)
        item: Schema = self.resolve(schema.get("items") or {})
        if value is None:
            return []
        if isinstance(value, str) and item.get("type") == "string":
            value = _split(value)
        if isinstance(value, dict):
            value = _named_items(value, item)
        if not isinstance(value, list):
            value = [value]
        places: list[Schema] = schema.get("prefixItems", [])
        return [
            self.shape(part, places[number] if number < len(places) else item, depth=depth + 1)
            for number, part in enumerate(value)
        ]


def _named_items(value: dict[str, JsonValue], item: Schema) -> JsonValue:
    """Read {"b1": {…}, "b2": {…}} as a list of objects whose first required field is the name."""
    properties, required = item.get("properties", {}), item.get("required", ())
    parts = list(value.values())
    if not parts or not required or _match_keys(value, properties) or not all(isinstance(part, dict) for part in parts):
        return value
    return [{required[0]: name, **part} for name, part in value.items() if isinstance(part, dict)]


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


def _choose(value: JsonValue, choices: list[JsonValue]) -> JsonValue:
    """Return the choice that is meant, whatever its case and the signs between its words."""
    if value in choices or not isinstance(value, str):
        return value
    meant = [choice for choice in choices if _plain(str(choice)) == _plain(value)]
    return meant[0] if len(meant) == 1 else value


def _shape_text(value: JsonValue) -> JsonValue:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        return well_formed(value)
    return value


def _shape_number(value: JsonValue, schema: Schema) -> JsonValue:
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        if match is None:
            return value
        number = float(match[1])
        most = schema.get("maximum")
        if match[2] and most not in {1, 100}:
            return value  # of one, of a hundred, of something else: not to be told
        if match[2] and most == 1:
            number /= 100
        value = number
    if schema.get("type") == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _shape_flag(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _YES or word in _NO:
            return word in _YES
    return value


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


def _is_of(value: JsonValue, schema: Schema) -> bool:
    """Say whether the value is of the schema's JSON type already."""
    if "enum" in schema:
        return value in schema["enum"]
    if "const" in schema:
        return bool(value == schema["const"])
    kinds: dict[str, type | tuple[type, ...]] = {
        "object": dict,
        "array": list,
        "string": str,
        "number": (int, float),
        "integer": int,
        "boolean": bool,
    }
    kind = kinds.get(str(schema.get("type")))
    return kind is not None and isinstance(value, kind) and (not isinstance(value, bool) or kind is bool)


def _kind(value: JsonValue) -> str:
    names: dict[type, str] = {list: "a list", str: "text", bool: "a truth value", int: "a number", float: "a number"}
    return names.get(type(value), "null")


_MANY = 200
"""Items from which on a bound of a list tells a model nothing, and makes the grammars of local servers huge. Chosen by
hand."""


def _as_shown(schema: Any) -> Any:
    """Return a schema without titles, which only repeat names, and without bounds that no reply comes near."""
    if isinstance(schema, list):
        return [_as_shown(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _as_shown(part) for name, part in schema.items() if not _says_nothing(name, part)}


def _says_nothing(name: str, part: Any) -> bool:
    # A title is text; a field that is called `title` has a schema.
    if name == "title":
        return isinstance(part, str)
    is_huge = isinstance(part, int) and part >= _MANY
    return is_huge and name in {"maxLength", "maxItems", "maximum"}
