"""Frames, as docs/protocol.md describes them."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import numpy.typing as npt

PREFIX = struct.Struct("<4sIQ")
MAGIC = b"DPSL"
MAX_HEADER = 16 << 20
_TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u1": "u1"}


class Strings:
    """Strings as they cross: offsets, and the bytes of all."""

    __slots__ = ("offsets", "text")

    def __init__(self, offsets: npt.NDArray[np.int64], text: bytes | memoryview) -> None:
        self.offsets = offsets
        self.text = text

    @classmethod
    def of(cls, texts: Iterable[str]) -> Strings:
        import numpy as np

        encoded = [text.encode() for text in texts]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
        return cls(offsets, b"".join(encoded))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def list(self) -> list[str]:
        """Return the strings."""
        offsets, whole = self.offsets.tolist(), bytes(self.text)
        if whole.isascii():  # characters are bytes
            text = whole.decode("ascii")
            return [text[a:b] for a, b in zip(offsets, offsets[1:])]
        return [whole[a:b].decode("utf-8", "replace") for a, b in zip(offsets, offsets[1:])]


Array = "np.ndarray[Any, Any] | Strings"


def encode(header: dict[str, Any], arrays: list[Any]) -> list[bytes | memoryview]:
    """Return the pieces of a frame. An array is one of numpy, or Strings."""
    specs: list[dict[str, Any]] = []
    body: list[bytes | memoryview] = []
    size = 0
    for array in arrays:
        if isinstance(array, Strings):
            specs.append({"type": "str", "length": len(array)})
            pieces = [_bytes(array.offsets), array.text]
        else:
            specs.append({"type": array.dtype.str[1:], "length": len(array)})
            pieces = [_bytes(array)]
        for piece in pieces:
            body.append(piece)
            size += len(piece)
        padding = -size % 8
        body.append(bytes(padding))
        size += padding
    if specs:
        header["arrays"] = specs
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode()
    if len(text) > MAX_HEADER:
        raise ValueError(f"a request of {len(text)} bytes is more than {MAX_HEADER}: ask for less at once, such as fewer changes")
    return [PREFIX.pack(MAGIC, len(text), size) + text, *body]


def _bytes(array: Any) -> bytes | memoryview:
    return memoryview(array).cast("B") if len(array) else b""


def read(stream: BinaryIO) -> tuple[dict[str, Any], list[Any]] | None:
    """Read a frame, or return None where the stream ends."""
    prefix = stream.read(PREFIX.size)
    if len(prefix) < PREFIX.size:
        return None
    magic, length, size = PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise ValueError(f"a frame begins with {magic!r}")
    text = stream.read(length)
    body = stream.read(size)
    if len(text) < length or len(body) < size:
        return None
    header = json.loads(text)
    return header, _cut(header.get("arrays", ()), body)


def _cut(specs: Iterable[dict[str, Any]], body: bytes) -> list[Any]:
    arrays: list[Any] = []
    at = 0
    for spec in specs:
        import numpy as np

        length = spec["length"]
        if spec["type"] == "str":
            offsets = np.frombuffer(body, np.int64, length + 1, at)
            start = at + offsets.nbytes
            at = start + int(offsets[-1])
            arrays.append(Strings(offsets, memoryview(body)[start:at]))
        else:
            array = np.frombuffer(body, _TYPES[spec["type"]], length, at)
            at += array.nbytes
            arrays.append(array)
        at += -at % 8
    return arrays
