"""States of modules and optimisers of torch as bytes, in microseconds, and read without running what they hold."""

from __future__ import annotations

import json
from typing import Any

import torch

_TENSOR, _TUPLE, _DICT = "tensor", "tuple", "dict"


def dump(state: Any) -> bytes:
    """Write tensors, numbers, texts, and lists, tuples and dicts of those."""
    tensors: list[bytes] = []
    header = json.dumps(_plain(state, tensors)).encode()
    return b"".join([len(header).to_bytes(8, "little"), header, *tensors])


def _plain(value: Any, tensors: list[bytes]) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, torch.Tensor):
        dense = value.detach().cpu().contiguous()
        tensors.append(dense.reshape(-1).view(torch.uint8).numpy().tobytes() if dense.numel() else b"")
        return {_TENSOR: [str(dense.dtype).partition(".")[2], list(dense.shape), len(tensors[-1])]}
    if isinstance(value, list):
        return [_plain(item, tensors) for item in value]
    if isinstance(value, tuple):
        return {_TUPLE: [_plain(item, tensors) for item in value]}
    if isinstance(value, dict):
        return {_DICT: [[_plain(key, tensors), _plain(item, tensors)] for key, item in value.items()]}
    raise TypeError(f"the state of a module or an optimiser has {value!r}, which can be no part of a snapshot")


def load(data: bytes) -> Any:
    """Read what dump has written."""
    size = int.from_bytes(data[:8], "little")
    return _Reader(data, 8 + size).value(json.loads(data[8 : 8 + size]))


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data = data
        self.at = at

    def value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return [self.value(item) for item in plain]
        if not isinstance(plain, dict):
            return plain
        ((kind, what),) = plain.items()
        if kind == _TUPLE:
            return tuple(self.value(item) for item in what)
        if kind == _DICT:
            return {self.value(key): self.value(item) for key, item in what}
        name, shape, size = what
        dtype = getattr(torch, name)
        if not isinstance(dtype, torch.dtype) or self.at + size > len(self.data):
            raise ValueError(f"a state of {len(self.data)} bytes is damaged: {what}")
        raw = bytearray(self.data[self.at : self.at + size])
        self.at += size
        flat = torch.frombuffer(raw, dtype=torch.uint8).view(dtype) if size else torch.empty(0, dtype=dtype)
        return flat.reshape(shape)
