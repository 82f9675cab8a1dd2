"""What of metadata and tags is asked for, as plain data: what callers write, and what every store understands.

A caller writes `{"user_id": "u1", "year": {"gte": 2020}, "topic": ["travel", "food"]}`: a value is what it equals, a
list any of which it equals, an object its bounds. All of them must hold. It is read once, here, into conditions whose
values are only ever bound as values, so that no store has to trust a word of it.
"""

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import JsonValue

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model.base import check_text, json_type
from remanent.model.clock import read_moment, to_text

Scalar = str | int | float | bool
Comparison = Literal["in", "gt", "gte", "lt", "lte"]

RESERVED = "#"
"""No key of a caller's metadata begins so."""
_MAX_CONDITIONS = 32
"""Conditions of one filter. Chosen by hand."""
_MAX_VALUES = 1000
"""Values that one condition may list."""
_MAX_KEY_LENGTH = 200
"""Characters of a name in metadata. Chosen by hand, far above any that people give."""
MAX_VALUE_LENGTH = 1000
"""Characters of a text that is compared; chosen by hand, far above any id or label."""
_MAX_METADATA_BYTES = 16_384
"""Of one message, as JSON; chosen by hand: what is longer is a text to remember, or a file to attach."""
USER_KEY = "user_id"
"""The metadata under which a message says whose it is, where an agent has several users."""
MAX_USER_LENGTH = 200
MAX_TAGS = 100
MAX_TAG_LENGTH = 200
"""Characters of a user's name, tags of one message and characters of a tag. Chosen by hand, far above what is usual."""

_WRITTEN = re.compile(r"([^=<>]+?)(>=|<=|=|>|<)(.*)", re.DOTALL)
_SIGNS = {"=": "in", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}
_OPERATORS: dict[str, Comparison] = {"eq": "in", "in": "in", "gt": "gt", "gte": "gte", "lt": "lt", "lte": "lte"}


@dataclass(frozen=True, slots=True)
class MetadataCondition:
    """What one key of an entry's metadata must be; of a list, one of its elements.

    `in` holds for a value that equals any of `values`, the others for one that lies so to the only value in it. Numbers
    compare with numbers, texts with texts by code points, and truth values equal only themselves.
    """

    key: str
    comparison: Comparison
    values: tuple[Scalar, ...]

    def holds(self, metadata: Mapping[str, Any]) -> bool:
        """Tell whether metadata fulfil it; what stores find is held to this by their conformance suite."""
        value = metadata.get(self.key)
        return any(self._fits(one) for one in (value if isinstance(value, list) else [value]))

    def _fits(self, value: object) -> bool:
        alike = [wanted for wanted in self.values if _sort(wanted) == _sort(value)]
        if self.comparison == "in":
            return value in alike
        operations = {"gt": "__gt__", "gte": "__ge__", "lt": "__lt__", "lte": "__le__"}
        return any(getattr(value, operations[self.comparison])(wanted) is True for wanted in alike)


def _sort(value: object) -> str | None:
    """Return which values a value can be compared with."""
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, str):
        return "text" if len(value) <= MAX_VALUE_LENGTH else None
    return "number" if isinstance(value, int | float) else None


def read_where(where: object) -> tuple[MetadataCondition, ...]:
    """Return the conditions that a caller wrote; `InvalidInput` says how they are written."""
    found: list[MetadataCondition] = []
    for key, wanted in where_object(where).items():
        _check_key(key, what="where")
        if isinstance(wanted, Mapping):
            if not wanted:
                raise InvalidInput(f"where.{key}: name a comparison: {', '.join(_OPERATORS)}")
            found += [_compared(key, str(name), value) for name, value in wanted.items()]
        else:
            found.append(_compared(key, "in" if isinstance(wanted, list | tuple | set | frozenset) else "eq", wanted))
    if len(found) > _MAX_CONDITIONS:
        raise InvalidInput(f"where: {len(found)} conditions were given, but at most {_MAX_CONDITIONS} are allowed")
    return tuple(found)


def check_user(user: object) -> str:
    """Return the name of a user as it is; `InvalidInput` for what is none, or what looks like another one's.

    Names are compared sign by sign, so that `Ann`, `ann` and a name in wide letters are three users. What cannot be
    seen would make a name look like another's: such a name is refused.
    """
    if not isinstance(user, str) or not user.strip() or len(user) > MAX_USER_LENGTH:
        raise InvalidInput(f"user: a user's name must have 1 to {MAX_USER_LENGTH} characters")
    if user != user.strip() or any(unicodedata.category(sign) in _UNSEEN for sign in user):
        raise InvalidInput(
            "user: the name contains control or invisible characters, or begins or ends with a space; remove them"
        )
    return check_text(user)


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def of_user(user: object) -> tuple[MetadataCondition, ...]:
    """Return the condition that something is a user's own; none where no user is named."""
    return () if user is None else (MetadataCondition(USER_KEY, "in", (check_user(user),)),)


def user_in(metadata: Mapping[str, Any]) -> str:
    """Return whose something is by its metadata; empty for the agent's only user.

    A number names a user as its digits do. What is no name at all still parts one user's from another's.
    """
    user = metadata.get(USER_KEY)
    return user if isinstance(user, str) else "" if user is None else json.dumps(user, ensure_ascii=False)


def where_object(where: object) -> Mapping[str, Any]:
    """Return what is asked for as an object, of whatever form: an object, its JSON, or texts such as `year>=2020`."""
    if where is None:
        return {}
    if isinstance(where, str) and where.lstrip().startswith("{"):
        where = _json(where, name="where")
    if isinstance(where, Mapping):
        return where
    texts = [where] if isinstance(where, str) else where
    if not isinstance(texts, list | tuple) or not all(isinstance(one, str) for one in texts):
        raise InvalidInput(f'where: an object like {{"user_id": "u1"}} was expected, not {json_type(where)}')
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        if text.lstrip().startswith("{"):
            found |= where_object(text)
            continue
        parts = _WRITTEN.fullmatch(text)
        if parts is None:
            raise InvalidInput(f"where: {text!r} is not a comparison; write it like user_id=u1 or year>=2020")
        key, sign, value = parts.groups()
        if value.startswith(("<", ">", "=")):  # `year=>2020` would ask for the text ">2020"
            raise InvalidInput(
                f"where: {text!r} has no known comparison operator; write it like user_id=u1 or year>=2020"
            )
        read = _written_value(value)
        # `id=7` does not say whether a number or a text is meant: either equals it.
        found.setdefault(key.strip(), {})[_SIGNS[sign]] = list(dict.fromkeys([value, read])) if sign == "=" else read
    return found


def metadata_object(metadata: object) -> object:
    """Return metadata as an object where they come as texts: its JSON, as in an address, or such as `user_id=u1`."""
    if isinstance(metadata, str):
        if metadata.lstrip().startswith("{"):
            return _json(metadata, name="metadata")
        metadata = [metadata]
    if not isinstance(metadata, list | tuple) or not all(isinstance(one, str) for one in metadata):
        return metadata
    pairs = [one.partition("=") for one in metadata]
    if wrong := next((key for key, sign, _ in pairs if not sign), None):
        raise InvalidInput(f"metadata: {wrong!r} has no value; write it like user_id=u1")
    return {key.strip(): _written_value(value) for key, _, value in pairs}


def _json(text: str, *, name: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name}: this is not JSON: {error}") from error


def _written_value(text: str) -> object:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str | int | float | bool) else text


def _compared(key: str, name: str, value: object) -> MetadataCondition:
    comparison = _OPERATORS.get(name.removeprefix("$"))
    if comparison is None:
        raise InvalidInput(f"where.{key}: unknown comparison {name!r}; use one of {', '.join(_OPERATORS)}")
    is_list = isinstance(value, list | tuple | set | frozenset)
    if is_list != (name.removeprefix("$") == "in"):
        raise InvalidInput(f"where.{key}: {name} takes {'one value' if is_list else 'a list of values'}")
    values = tuple(_scalar(one, key=key) for one in value) if is_list else (_scalar(value, key=key),)  # type: ignore[attr-defined]
    if len(values) > _MAX_VALUES:
        raise InvalidInput(f"where.{key}: {len(values)} values were given, but at most {_MAX_VALUES} are allowed")
    if comparison != "in" and isinstance(values[0], bool):
        raise InvalidInput(f"where.{key}: true and false have no order; compare a number or a text")
    return MetadataCondition(key, comparison, values)


def _scalar(value: object, *, key: str) -> Scalar:
    """Return a value that can be compared; a moment is compared as the text that JSON has for it."""
    if isinstance(value, datetime):
        return to_text(read_moment(value))
    if isinstance(value, str):
        if len(value) > MAX_VALUE_LENGTH:
            raise InvalidInput(
                f"where.{key}: only texts of up to {MAX_VALUE_LENGTH} characters can be compared; shorten it"
            )
        return check_text(value)
    if isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 2**63):
        if not math.isfinite(value):
            raise InvalidInput(f"where.{key}: NaN and infinity equal nothing; give a number")
        return value
    raise InvalidInput(f"where.{key}: a text, a number, true or false was expected, not {json_type(value)}")


def _check_key(key: object, *, what: str) -> None:
    """Refuse a key that no metadata can have."""
    if not isinstance(key, str) or not key or len(key) > _MAX_KEY_LENGTH or key.startswith(RESERVED):
        raise InvalidInput(
            f"{what}: a key must have 1 to {_MAX_KEY_LENGTH} characters and must not begin with {RESERVED}"
        )


def read_tags(tags: object) -> tuple[str, ...]:
    """Return tags, each once; a single text is one tag."""
    given = [tags] if isinstance(tags, str) else tags
    if not isinstance(given, list | tuple | set | frozenset):
        raise InvalidInput(f"tags: a list of strings was expected, not {json_type(tags)}")
    for tag in given:
        if not isinstance(tag, str) or not tag.strip() or len(tag) > MAX_TAG_LENGTH:
            raise InvalidInput(f"tags: a tag must have 1 to {MAX_TAG_LENGTH} characters")
        check_text(tag)
    if len(given) > MAX_TAGS:
        raise InvalidInput(f"tags: {len(given)} were given, but at most {MAX_TAGS} are allowed")
    return tuple(dict.fromkeys(given))


def check_metadata(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the metadata of a message, or refuse keys that cannot be asked for, and what is a text of its own."""
    for key in metadata:
        _check_key(key, what="metadata")
    size = len(json.dumps(metadata, ensure_ascii=False).encode()) if metadata else 0
    if size > _MAX_METADATA_BYTES:
        raise InvalidInput(
            f"metadata: it has {size} bytes, but at most {_MAX_METADATA_BYTES} are allowed; "
            "remember long texts as messages, and keep files with `attach`"
        )
    return metadata
