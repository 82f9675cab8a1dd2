"""Reading weights out of an ONNX file and writing a small graph: as much of the format as that takes.

The package `onnx` does this too, and is larger than the models themselves.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Numbers of the format: field numbers per message, and the element types that occur here.
_FLOAT, _INT8, _INT32, _INT64 = 1, 3, 6, 7
FLOAT, INT32, INT64 = _FLOAT, _INT32, _INT64
_TYPES = {"float32": _FLOAT, "int8": _INT8, "int32": _INT32, "int64": _INT64}
_NAMES = {number: name for name, number in _TYPES.items()}
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Node:
    """One operation of a graph."""

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str = ""


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of a file by name, and its operations in order."""

    arrays: "Mapping[str, NDArray[Any]]"
    nodes: Sequence[Node]


# ── reading ──────────────────────────────────────────────────────────────────


def read_weights(data: bytes) -> Weights:
    """Read a model; constants that are not stored as raw bytes are left out."""
    arrays: dict[str, NDArray[Any]] = {}
    nodes: list[Node] = []
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


def _read_node(body: memoryview) -> Node:
    texts: dict[int, list[str]] = {1: [], 2: [], 4: [], 7: []}
    for number, value in _fields(body):
        if number in texts:
            texts[number].append(bytes(value).decode())
    return Node("".join(texts[4]), tuple(texts[1]), tuple(texts[2]), "".join(texts[7]))


def _read_tensor(body: memoryview) -> "tuple[str, NDArray[Any]] | None":
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


class GraphWriter:
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
    sizes = b"".join(_field(1, _text(2, size) if isinstance(size, str) else _number(1, size)) for size in shape)
    return _text(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, sizes)))


def _attribute(name: str, value: float) -> bytes:
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
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
