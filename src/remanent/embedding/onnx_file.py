"""Files of ONNX models, read and written: their constants and their operations, and nothing else.

An ONNX file is a protobuf message. The package `onnx` would do this and weighs more than the model that it is for, so
that the few fields which one model of ours has are read and written here. `quantized_minilm.py` is all that needs it.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from remanent.values import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOAT, INT32, INT64 = 1, 6, 7
"""The numbers of element types, as `TensorProto.DataType` of the published onnx.proto has them; so are all others."""
_TYPES = {"float32": FLOAT, "int8": 3, "int32": INT32, "int64": INT64}
_NAMES = {number: name for name, number in _TYPES.items()}
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
"""The wire types of protobuf: how long a field's value is, which stands in the lowest three bits of its key."""


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """One operation of a graph, and what goes into it."""

    op: str
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of a file by name, and its operations in order."""

    arrays: "Mapping[str, NDArray[Any]]"
    nodes: Sequence[OnnxNode]


# ── reading ──────────────────────────────────────────────────────────────────


def read_weights(data: bytes) -> Weights:
    """Read a model; constants that are not stored as raw bytes are left out."""
    arrays: dict[str, NDArray[Any]] = {}
    nodes: list[OnnxNode] = []
    for number, graph in _fields(memoryview(data)):
        if number != 7:
            continue
        for part, body in _fields(graph):
            if part == 1:
                nodes.append(_read_node(body))
            elif part == 5:
                named = _read_tensor(body)
                if named is not None:
                    arrays[named[0]] = named[1]
    return Weights(arrays, nodes)


def _read_node(body: memoryview) -> OnnxNode:
    """Read an operation: its inputs, which are the fields of number 1, and its kind, number 4."""
    texts = [(number, bytes(value).decode()) for number, value in _fields(body) if number in {1, 4}]
    return OnnxNode("".join(text for number, text in texts if number == 4), tuple(t for n, t in texts if n == 1))


def _read_tensor(body: memoryview) -> "tuple[str, NDArray[Any]] | None":
    """Read a constant; None when its numbers are not stored as raw bytes."""
    import numpy as np

    shape: list[int] = []
    kind, name, raw = 0, "", None
    for number, value in _fields(body):
        if number == 1:
            shape += [value] if isinstance(value, int) else _varints(value)
        elif number == 2:
            kind = value
        elif number == 8:
            name = bytes(value).decode()
        elif number == 9:
            raw = value
    if raw is None or kind not in _NAMES:
        return None
    return name, np.frombuffer(raw, np.dtype(_NAMES[kind]).newbyteorder("<")).reshape(shape)


def _fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a protobuf message by number. An ONNX file is one, and these few lines spare a package."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(data, place)
            yield number, value
            continue
        if kind == _BYTES:
            size, place = _varint(data, place)
        else:
            size = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}[kind]
        yield number, data[place : place + size]
        place += size


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    """Read a number of variable length, and return the place after it."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7


def _varints(data: memoryview) -> list[int]:
    found, place = [], 0
    while place < len(data):
        value, place = _varint(data, place)
        found.append(value)
    return found


# ── writing ──────────────────────────────────────────────────────────────────


class OnnxWriter:
    """Gathers operations and constants and gives the bytes of a model."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def constant(self, name: str, array: "NDArray[Any]") -> str:
        """Add a constant and return its name."""
        import numpy as np

        array = np.ascontiguousarray(array)
        body = b"".join(_number(1, size) for size in array.shape)
        body += _number(2, _TYPES[array.dtype.name]) + _text(8, name)
        raw = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        self._parts.append(_field(5, body + _field(9, raw)))
        return name

    def add(self, op: str, inputs: Sequence[str], *outputs: str, domain: str = "", **attributes: float) -> str:
        """Add an operation and return its first output; the order of operations is the order of their run."""
        body = b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in outputs)
        body += _text(4, op) + _text(7, domain)
        body += b"".join(_field(5, _attribute(name, value)) for name, value in attributes.items())
        self._parts.append(_field(1, body))
        return outputs[0]

    def model(
        self,
        *,
        inputs: Mapping[str, tuple[int, Sequence[str | int]]],
        outputs: Mapping[str, tuple[int, Sequence[str | int]]],
        opsets: Mapping[str, int],
    ) -> bytes:
        """Return the model; a shape holds numbers, and names where a size is open."""
        graph = b"".join(self._parts) + _text(2, "remanent")
        graph += b"".join(_field(11, _value(name, *value)) for name, value in inputs.items())
        graph += b"".join(_field(12, _value(name, *value)) for name, value in outputs.items())
        versions = b"".join(_field(8, _text(1, domain) + _number(2, number)) for domain, number in opsets.items())
        return _number(1, 9) + versions + _field(7, graph)


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    """Write the declaration of an input or output."""
    sizes = b"".join(_field(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape)
    return _text(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, sizes)))


def _attribute(name: str, value: float) -> bytes:
    """Write an attribute: a whole number or a float."""
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    return _text(1, name) + _encode(2 << 3 | _FOUR_BYTES) + struct.pack("<f", value) + _number(20, 1)


def _field(number: int, body: bytes) -> bytes:
    return _encode(number << 3 | _BYTES) + _encode(len(body)) + body


def _text(number: int, text: str) -> bytes:
    return _field(number, text.encode())


def _number(number: int, value: int) -> bytes:
    return _encode(number << 3 | _VARINT) + _encode(value % 2**64)


def _encode(value: int) -> bytes:
    """Write a number of variable length."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
