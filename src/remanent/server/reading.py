"""Requests of operations, read from path, query, headers and body."""

import types
from typing import Any, Union, get_args, get_origin

from pydantic import ValidationError
from starlette.requests import Request

from remanent.errors import InvalidInput
from remanent.model import Model
from remanent.model.base import describe
from remanent.operations import Body, Operation
from remanent.server.types import check_types

IF_MATCH = "if-match"
LINES = "application/x-ndjson"
TRIPLES = "application/n-triples"
BYTES = "application/octet-stream"


def takes_body(operation: Operation[Any, Any]) -> bool:
    """Return whether the request's fields are sent as JSON."""
    return operation.reads is Body.JSON and operation.method in {"POST", "PUT"}


def upload_types(operation: Operation[Any, Any]) -> tuple[str, ...]:
    """Return the types that what is sent beside the request's fields may have; a form can send none of them."""
    return {Body.JSON: (), Body.LINES: (LINES, TRIPLES), Body.BYTES: (BYTES,)}[operation.reads]


def own_fields(operation: Operation[Any, Any]) -> list[str]:
    """Return the fields that stand neither in the path nor in a header."""
    apart = {*operation.path_fields, operation.version_field}
    return [name for name in operation.request.model_fields if name not in apart]


def is_list(operation: Operation[Any, Any], name: str) -> bool:
    """Return whether a field takes several values."""
    annotation = operation.request.model_fields[name].annotation
    options = get_args(annotation) if get_origin(annotation) in {Union, types.UnionType} else (annotation,)
    return any(get_origin(option) is tuple for option in options)


def from_query(operation: Operation[Any, Any], request: Request) -> Model:
    """Read a request whose fields are in the address."""
    values: dict[str, Any] = {name: request.path_params[name] for name in operation.path_fields}
    for name in dict.fromkeys(request.query_params.keys()):
        given = request.query_params.getlist(name)
        if name not in own_fields(operation):
            raise InvalidInput(f"there is no parameter {name!a}")
        if is_list(operation, name):
            values[name] = tuple(given)
        elif len(given) == 1:
            values[name] = given[0]
        else:
            raise InvalidInput(f"{name} is given {len(given)} times")
    expected = _expected(operation, request)
    try:
        read: Model = operation.request.model_validate_strings({**values, **expected})
    except ValidationError as error:
        raise InvalidInput(describe(error, what="request")) from error
    return read


def from_json(operation: Operation[Any, Any], request: Request, body: dict[str, Any]) -> Model:
    """Read a request whose fields are in the body; types are taken at their word there."""
    if request.query_params:
        raise InvalidInput("this takes no parameters in the address; send them in the body")
    apart = {name for name in (*operation.path_fields, operation.version_field) if name is not None and name in body}
    if apart:
        raise InvalidInput(f"{', '.join(sorted(apart))} must not be in the body")
    check_types(operation.request, body)
    path = {name: request.path_params[name] for name in operation.path_fields}
    expected = {name: int(value) for name, value in _expected(operation, request).items()}
    try:
        read: Model = operation.request.model_validate({**body, **path, **expected})
    except ValidationError as error:
        raise InvalidInput(describe(error, what="request")) from error
    return read


def _expected(operation: Operation[Any, Any], request: Request) -> dict[str, str]:
    """Return the version that If-Match names, for operations that have one."""
    given = request.headers.get(IF_MATCH)
    if given is None or operation.version_field is None or given.strip() == "*":
        return {}
    tag = given.strip().removeprefix('"').removesuffix('"')
    # A tag that is none of ours names a version that nothing has; whether the thing itself exists is asked first.
    is_ours = tag.isascii() and tag.isdigit() and 0 < len(tag) < 16 and int(tag) > 0
    return {operation.version_field: str(int(tag)) if is_ours else str(2**53)}
