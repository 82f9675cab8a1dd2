"""Taking JSON types at their word: a number in quotes is a text, and what asks for a number does not take it."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from remanent.errors import InvalidInput
from remanent.model import Model

_DEEPEST = 20


@cache
def _schema(request: type[Model]) -> dict[str, Any]:
    return request.model_json_schema(mode="validation")


def check_types(request: type[Model], body: Mapping[str, Any]) -> None:
    """Refuse values of another JSON type than the request's schema names; everything else is left to the request."""
    schema = _schema(request)
    for name, value in body.items():
        expected = schema.get("properties", {}).get(name)
        if expected is not None and not _fits(expected, value, schema.get("$defs", {}), _DEEPEST):
            raise InvalidInput(f"{name}: this is not of the type that is asked for")


def _fits(schema: Any, value: Any, definitions: Mapping[str, Any], depth: int) -> bool:
    if not isinstance(schema, dict) or depth == 0:
        return True
    if "$ref" in schema:
        return _fits(definitions[schema["$ref"].rpartition("/")[2]], value, definitions, depth - 1)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return any(_fits(option, value, definitions, depth - 1) for option in options)
    if "type" in schema and not _is(schema["type"], value):
        return False
    if isinstance(value, list):
        return all(_fits(schema.get("items"), one, definitions, depth - 1) for one in value)
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        return all(_fits(known.get(name, others), one, definitions, depth - 1) for name, one in value.items())
    return True


def _is(kind: str, value: Any) -> bool:
    if kind == "integer":
        return (isinstance(value, int) and not isinstance(value, bool)) or (
            isinstance(value, float) and value.is_integer()
        )
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    types = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}
    return isinstance(value, types[kind])
