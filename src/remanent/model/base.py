"""What all words of the model share: frozen, checked, one exact JSON form, one kind of error."""

import math
import re
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic.functional_validators import ModelWrapValidatorHandler

from remanent.errors import InvalidInput
from remanent.model.clock import NO_MOMENT

MAX_JSON_DEPTH = 32
"""Levels of what a caller hands in: more than anybody needs, and far below where any parser gives up."""
Words = TypeVar("Words", bound=StrEnum)
# The slots of every model, past the lookups by name: an answer is some two hundred values.
_set_fields_set, _set_extra, _set_private = (
    vars(BaseModel)[f"__pydantic_{name}__"].__set__ for name in ("fields_set", "extra", "private")
)


class Model(BaseModel):
    """A frozen value whose malformed forms are refused with `InvalidInput`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_with_our_error(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(value)
        except ValidationError as error:
            raise InvalidInput(describe(error, what=cls.__name__)) from error

    @classmethod
    def checked(cls, **fields: Any) -> Self:
        """Return a value of fields that were checked before: all of them, in their order, as a check would leave them.

        For what is made with every write and read; `model_construct`, which looks for what is missing, takes five times
        as long.
        """
        made = object.__new__(cls)
        object.__setattr__(made, "__dict__", fields)
        _set_fields_set(made, set(fields))
        _set_extra(made, None)
        _set_private(made, None)
        return made

    @classmethod
    def checked_in_part(cls, **fields: Any) -> Self:
        """Return such a value of some of its fields; the others are as they are unless somebody says otherwise."""
        return cls.checked(**{**_unset(cls), **fields})

    def amended(self, **changes: Any) -> Self:
        """Return a copy with some fields changed to what was checked before; `replace` checks all of them anew."""
        return self.checked(**{**self.__dict__, **changes})

    def to_json(self) -> str:
        """Return the one JSON form; `from_json` gives back an equal value."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the value of its JSON form."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:  # text that is no JSON never comes as far as the model's own validator
            raise InvalidInput(describe(error, what=cls.__name__)) from error

    def replace(self, **changes: Any) -> Self:
        """Return a checked copy with some fields changed."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**{**fields, **changes})


@cache
def _unset(kind: type[Model]) -> dict[str, Any]:
    """Return the fields of a value in their order, with what each is that was not given and can be shared."""
    return {name: field.get_default() for name, field in kind.model_fields.items()}


def read_word(words: type[Words], given: str, *, what: str) -> Words:
    """Return what a word means; one that means nothing is refused with those that do."""
    try:
        return words(given)
    except ValueError as error:
        raise InvalidInput(f"unknown {what} {given!r}; choose one of {', '.join(words)}") from error


def describe(error: ValidationError, *, what: str) -> str:
    """Say in one line what is wrong with which field, without repeating the value.

    Fields are named as the caller knows them. `what` says what was expected where no field is to blame; the name of a
    class is put into plain words, because callers know nothing of our classes.
    """
    parts = []
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    for problem in problems:
        if any(other["loc"][: len(problem["loc"])] == problem["loc"] != other["loc"] for other in problems):
            continue  # what is wrong inside says more than that the whole is empty without it
        place = ".".join(str(step) for step in problem["loc"]) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", what).lower()
        said = problem["msg"].removeprefix("Value error, ")
        said = NO_MOMENT if problem["type"].startswith(("datetime_", "date_")) else said
        said = _PLAINLY.get(said, _TOO_MANY.sub(r"at most \1 are allowed, not \2", said))
        if problem["type"] == "json_invalid":  # no field is to blame
            parts.append(_INVALID_JSON.sub(r"this is not JSON (line \1, column \2)", said))
            continue
        parts.append(f"{place}: {said}" + (" message" if (place, said) == ("messages", _ONE) else ""))
    return "; ".join(parts)


_ONE = "give at least one"
_TOO_MANY = re.compile(r"^(?:Tuple|List) should have at most (\d+) items? after validation, not (\d+)$")
_INVALID_JSON = re.compile(r"^Invalid JSON: .* at line (\d+) column (\d+)$", re.DOTALL)
_PLAINLY = {
    "Tuple should have at least 1 item after validation, not 0": _ONE,
    "List should have at least 1 item after validation, not 0": _ONE,
    "String should have at least 1 character": "must not be empty",
    "String should match pattern '^[0-9a-f]{64}$'": "must be a SHA-256 digest: 64 characters from 0-9 and a-f",
    "String should match pattern '^[0-9a-f]{12}$'": "must be a key id: 12 characters from 0-9 and a-f",
}
"""What the library that checks says as a person would."""


def json_type(value: object) -> str:
    """Return what people call the JSON type of a value; what JSON has no type for is named by its class."""
    return _JSON_TYPES.get(type(value), f"a {type(value).__name__}")


_JSON_TYPES: dict[type, str] = {
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "a truth value",
    list: "a list",
    tuple: "a list",
    dict: "an object",
    type(None): "null",
}


def check_text(text: str) -> str:
    """Return the text, or refuse what no file can hold (half of a surrogate pair)."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"text has half of a surrogate pair at position {error.start}; decode it properly or replace it"
        ) from error
    return text


def check_json(value: JsonValue, *, depth: int = MAX_JSON_DEPTH) -> JsonValue:
    """Return the value, or refuse what has no exact JSON form (NaN, too deep, unencodable text)."""
    if depth < 0:
        raise InvalidInput(f"JSON is nested deeper than {MAX_JSON_DEPTH} levels; flatten it")
    if isinstance(value, str):
        check_text(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput("JSON has no NaN or infinity; use null or text")
    elif isinstance(value, list):
        for item in value:
            check_json(item, depth=depth - 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            check_text(key)
            check_json(item, depth=depth - 1)
    return value


def _check_object(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    check_json(value)
    return value


Text = Annotated[str, AfterValidator(check_text)]
"""Text that can be written to a file."""

JsonObject = Annotated[dict[str, JsonValue], AfterValidator(_check_object)]
"""A JSON object of bounded depth that survives the round trip."""

Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""

Count = Annotated[int, Field(ge=0, le=2**53)]
"""A number of things."""
