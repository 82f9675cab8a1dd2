"""What a tool takes, as a model is shown it: only the fields it needs, without references, in one language: pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from remanent.discipline.shapes import ZH
from remanent.errors import InvalidInput
from remanent.language.tongue import Tongue
from remanent.operations import Operation

_DEEPEST = 8
_NOISE = frozenset({"title", ZH, "additionalProperties", "$defs"})

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


def input_schema(operation: Operation[Any, Any], *, tongue: Tongue) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    whole = operation.request.model_json_schema(mode="validation")
    schema = _shown(whole, whole.get("$defs", {}), offered(operation), tongue, _DEEPEST)
    return {**schema, "additionalProperties": False}


def check_offered(arguments: Mapping[str, Any], tree: Tree, *, inside: str = "") -> None:
    """Refuse fields that were not offered, and say which ones are."""
    for name, value in arguments.items():
        if name not in tree:
            raise InvalidInput(f"there is no {inside}{name}; it takes {', '.join(tree)}")
        if tree[name]:
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, Mapping):
                    check_offered(one, tree[name], inside=f"{inside}{name}.")


def _shown(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], tree: Tree, tongue: Tongue, depth: int
) -> dict[str, Any]:
    """Return a part of the schema with its references written out and its choices narrowed to what models use."""
    if depth == 0:
        return {}
    if "$ref" in schema:
        meant = {**definitions[schema["$ref"].rpartition("/")[2]], **_without(schema, "$ref")}
        return _shown(meant, definitions, tree, tongue, depth)
    if "anyOf" in schema:
        chosen = _chosen(schema["anyOf"], definitions, tree)
        if len(chosen) == 1:
            return _shown({**chosen[0], **_without(schema, "anyOf")}, definitions, tree, tongue, depth)
        options = [_shown(option, definitions, tree, tongue, depth - 1) for option in chosen]
        return {**_plain(_without(schema, "anyOf"), schema, tongue), "anyOf": options}
    shown = _plain(schema, schema, tongue)
    if "properties" in schema:
        names = [name for name in schema["properties"] if not tree or name in tree]
        shown["properties"] = {
            name: _shown(schema["properties"][name], definitions, tree.get(name, {}), tongue, depth - 1)
            for name in names
        }
        shown["required"] = [name for name in schema.get("required", ()) if name in names]
    if isinstance(schema.get("items"), Mapping):
        shown["items"] = _shown(schema["items"], definitions, tree, tongue, depth - 1)
    return shown


def _chosen(
    options: Sequence[Mapping[str, Any]], definitions: Mapping[str, Any], tree: Tree
) -> list[Mapping[str, Any]]:
    """Leave out `null`, which leaving out the field says too; where fields are named inside, objects are meant."""
    meant = [
        definitions[option["$ref"].rpartition("/")[2]] if "$ref" in option else option
        for option in options
        if option.get("type") != "null"
    ]
    objects = [option for option in meant if "properties" in option]
    if tree and objects:
        return objects
    texts = [option for option in meant if option.get("type") == "string"]
    return texts or meant


def _plain(kept: Mapping[str, Any], whole: Mapping[str, Any], tongue: Tongue) -> dict[str, Any]:
    """Return the keywords that help a model, with the description in its language."""
    shown = {name: value for name, value in kept.items() if name not in _NOISE}
    if shown.get("default", ...) is None:
        del shown["default"]
    if tongue == "zh" and ZH in whole:
        shown["description"] = whole[ZH]
    return shown


def _without(schema: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in names}


def texts_in(value: object) -> Iterable[str]:
    """Yield every text among arguments, by which their language is told."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from texts_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts_in(one)
