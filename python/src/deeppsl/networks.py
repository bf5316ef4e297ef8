"""Networks that this program computes: modules of torch, or whatever else has outputs and gradients."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from . import _tables

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class External(Protocol):
    """What a network does that is no module of torch; deeppsl asks for it while the engine learns and infers."""

    def forward(self, features: Any, train: bool, seed: int) -> Any:
        """Return the outputs, of shape (rows, classes), before softmax or sigmoid, unless output="none".

        Where train is true, what is random about them is a function of the seed.
        """

    def backward(self, gradient: npt.NDArray[np.float32]) -> None:
        """Add to the gradients of the parameters those by the outputs of the last forward, of their shape."""

    def step(self, optimiser: str, rate: float, decay: float) -> None:
        """Move the parameters against their gradients, and make these 0.

        The optimiser ("sgd", "adagrad", "adam"), its rate and the decay of weights are those of the engine's options; a
        network that has its own does not look at them.
        """

    def state(self) -> bytes:
        """Return the parameters, and all that the next steps depend on."""

    def restore(self, state: bytes) -> None:
        """Take back what state returned."""


class _Pass(NamedTuple):
    """What a network computed last of some rows that the engine comes back to."""

    rows: npt.NDArray[np.int32]
    train: bool
    seed: int


class Served:
    """A network as the engine asks for it, by the calls of docs/protocol.md.

    The engine may have several instances of it, such as one for each fold of the labels. There is one module: it has the
    parameters of the instance that was asked for last, and the states of the others are kept here.
    """

    def __init__(self, module: Any, features: Any, optimiser: Any) -> None:
        self.module: External = _external(module, optimiser)
        self.features = features
        self._tracing = hasattr(self.module, "trace")  # only forwards that are to be gone back through leave a trace
        self.forget()

    def forget(self) -> None:
        """Begin with the module as it is."""
        self._instance: tuple[int, int] | None = None
        self._states: dict[tuple[int, int], bytes] = {}
        self._first: bytes | None = None  # what instances begin with, once one has moved
        self._passes: dict[int, _Pass] = {}
        self._traced = 0  # the pass that the module can go back through

    def answer(self, call: dict[str, Any], arrays: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Do what a call asks for; the result is the answer's members and arrays."""
        import numpy as np

        self._become((call["session"], call["instance"]))
        do = call["do"]
        if do == "forward":
            this = _Pass(arrays[call["rows"]], call.get("train", False), call.get("seed", 0))
            self._passes[call["pass"]] = this
            return {"outputs": 0}, [self._forward(call["pass"], this, this.train).reshape(-1)]
        if do == "backward":
            number = call["pass"]
            this = self._passes[number]
            if self._traced != number:
                self._forward(number, this, True)
            self._traced = 0
            gradient = arrays[call["gradient"]]
            self.module.backward(gradient.reshape(len(this.rows), -1))
        elif do == "step":
            if self._first is None:
                self._first = self.module.state()
            self.module.step(call["optimiser"], call.get("rate", 0.0), call.get("decay", 0.0))
        elif do == "state":
            return {"state": 0}, [np.frombuffer(self.module.state(), np.uint8)]
        elif do == "restore":
            self._restore(arrays[call["state"]].tobytes())
        else:
            raise NotImplementedError(f"the engine asks for {do!r}, which this version of deeppsl does not know")
        return {}, []

    def _become(self, instance: tuple[int, int]) -> None:
        if instance == self._instance:
            return
        if self._instance is not None:
            self._states[self._instance] = self.module.state()
            self._restore(self._states.pop(instance, self._first or self._states[self._instance]))
        self._instance = instance

    def _restore(self, state: bytes) -> None:
        if self._first is None:
            self._first = self.module.state()
        self._traced = 0
        self.module.restore(state)

    def _forward(self, number: int, this: _Pass, trace: bool) -> npt.NDArray[np.float32]:
        import numpy as np

        if self._tracing:
            self.module.trace = trace  # type: ignore[attr-defined]
        if trace or not self._tracing:
            self._traced = number
        outputs = self.module.forward(take(self.features, this.rows), this.train, this.seed)
        found: npt.NDArray[np.float32] = np.ascontiguousarray(outputs, np.float32)
        if len(found) != len(this.rows):
            raise ValueError(f"the network was given {len(this.rows)} rows, and its outputs have the shape {found.shape}")
        return found


def _external(module: Any, optimiser: Any) -> External:
    """Return the network of a module."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(module, torch.nn.Module):
        from .torch import Network

        return Network(module, optimiser)
    lacking = [name for name in ("forward", "backward", "step", "state", "restore") if not hasattr(module, name)]
    if lacking:
        raise TypeError(
            f"a network is a torch.nn.Module, or has the methods of deeppsl.External; {module!r} lacks {', '.join(lacking)}"
        )
    if optimiser is not None:
        raise TypeError("an optimiser is for modules of torch; other networks move their parameters themselves, by step")
    made: External = module
    return made


def take(features: Any, rows: npt.NDArray[np.int32]) -> Any:
    """Return some rows of features: of an array or a tensor, or a list of those of any other sequence."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(features, torch.Tensor):
        return features[torch.from_numpy(rows.astype("int64"))]
    if hasattr(features, "shape"):
        return features[rows]
    return [features[k] for k in rows.tolist()]


def named(features: Any, ids: Any) -> tuple[list[str], Any]:
    """Return the names of rows of features, and these as something that has rows by their numbers."""
    if isinstance(features, Mapping):
        if ids is not None:
            raise ValueError("a mapping of features has the ids already")
        return [_tables.text(key) for key in features], list(features.values())
    if hasattr(features, "iloc"):  # of pandas
        ids = features.index if ids is None else ids
        features = features.to_numpy()
    elif hasattr(features, "to_numpy") and not hasattr(features, "ndim"):
        features = features.to_numpy()
    names = [_tables.text(i) for i in (range(len(features)) if ids is None else ids)]
    if len(names) != len(features):
        raise ValueError(f"{len(names)} ids need as many rows of features, and not {len(features)}")
    return names, features
