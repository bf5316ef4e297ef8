"""Inference as a layer of torch, and modules of torch as networks of rules."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from . import _states

if TYPE_CHECKING:
    from .model import Model


class MAP(torch.nn.Module):
    """The most probable state of a model's targets, as a function of given values and weights of rules.

    `given` are the names of the predicates whose given atoms are inputs, and `targets` of those whose values are
    outputs; atoms are in the order of the model's data. forward takes a tensor of shape (…, inputs), and if need be one
    of the weights of the rules, 0 for hard ones; it returns one of shape (…, outputs). Each example is one inference,
    which begins where the last one ended; a batch crosses to the engine and back once.

    Derivatives are those of the implicit function theorem: exact where the state is unique and no rule is about to become
    active, one of several elsewhere. They are as exact as the state, so give the model a small gap, such as 1e-10. The
    engine keeps the states of the last batch; to go back through an earlier one, that is inferred again.
    """

    def __init__(self, model: Model, given: list[str] | str, targets: list[str] | str) -> None:
        super().__init__()
        self.model = model
        self.given = [given] if isinstance(given, str) else list(given)
        self.targets = [targets] if isinstance(targets, str) else list(targets)

    def forward(self, values: torch.Tensor, weights: torch.Tensor | None = None) -> torch.Tensor:
        """Infer each example."""
        if not values.ndim:
            raise ValueError("given values are a tensor of shape (…, inputs), and not a single number")
        if not values.is_floating_point():
            values = values.to(torch.get_default_dtype())  # outputs lie between whole numbers
        if weights is None:
            weights = torch.tensor([r.weight or 0.0 for r in self.model.rules], dtype=torch.float64)
        flat = values.reshape(-1, values.shape[-1])
        out: torch.Tensor = _MAP.apply(flat, weights, self.model, self.given, self.targets)
        return out.reshape(*values.shape[:-1], out.shape[-1])


class _MAP(torch.autograd.Function):
    """MAP of examples, one per row."""

    @staticmethod
    def forward(
        ctx: Any, values: torch.Tensor, weights: torch.Tensor, model: Model, given: list[str], targets: list[str]
    ) -> torch.Tensor:
        examples = values.detach().cpu().double().numpy()
        if np.isnan(examples).any():  # which would leave a value as it was
            row, column = np.argwhere(np.isnan(examples))[0]
            raise ValueError(f"the given value {column} of example {row} is NaN")
        theta = weights.detach().cpu().double().numpy()
        states = model._states(given, examples, theta)
        ctx.save_for_backward(values, weights)
        ctx.asked = model, given, targets, examples, theta, states
        return torch.from_numpy(states.values[:, states.columns(targets)]).to(values)

    def _backward(ctx: Any, *grads: torch.Tensor) -> Any:
        values, weights = ctx.saved_tensors
        model, given, targets, examples, theta, states = ctx.asked
        slopes = np.zeros(states.values.shape)
        slopes[:, states.columns(targets)] = grads[0].detach().cpu().double().numpy()
        found = model._descend(states, slopes)
        if found is None:  # other examples have been inferred since
            found = model._descend(model._states(given, examples, theta), slopes)
        inputs = found[0][:, states.columns(given)]
        return torch.from_numpy(inputs).to(values), torch.from_numpy(found[1].copy()).to(weights), None, None, None

    backward = staticmethod(once_differentiable(_backward))


_OPTIMISERS = {"sgd": torch.optim.SGD, "adagrad": torch.optim.Adagrad, "adam": torch.optim.Adam}


@contextlib.contextmanager
def _random(seed: int) -> Iterator[None]:
    """Let what is random be a function of the seed, and go on with the user's random numbers behind it."""
    seed &= 0x7FFF_FFFF_FFFF_FFFF
    if torch.cuda.is_initialized():
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            yield
        return
    before = torch.default_generator.get_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.default_generator.set_state(before)


class Network:
    """A module as the engine asks for it, with its optimiser: the user's, or one as the engine's options have it."""

    def __init__(self, module: torch.nn.Module, optimiser: torch.optim.Optimizer | None = None) -> None:
        if optimiser is not None and not isinstance(optimiser, torch.optim.Optimizer):
            raise TypeError(f"an optimiser is a torch.optim.Optimizer, and not {optimiser!r}")
        self.module = module
        self.trace = True  #: whether the next forward is gone back through
        self._theirs = optimiser is not None
        self._optimiser = optimiser
        self._kind = ""
        self._outputs: torch.Tensor | None = None

    def forward(self, features: Any, train: bool, seed: int) -> Any:
        """Compute rows, where the module's parameters are."""
        self.module.train(train)
        inputs = self._inputs(features)
        with _random(seed) if train else contextlib.nullcontext(), torch.set_grad_enabled(self.trace):
            outputs = self.module(inputs)
        if self.trace:
            self._outputs = outputs
        return outputs.detach().cpu().float().numpy()

    def _inputs(self, features: Any) -> Any:
        if isinstance(features, list) and not all(isinstance(f, torch.Tensor) for f in features):
            return features
        if isinstance(features, list):
            features = torch.stack(features)
        like = next(self.module.parameters(), None)
        made = torch.as_tensor(features)
        if like is None:
            return made
        return made.to(like.device, like.dtype if made.is_floating_point() else made.dtype)

    def backward(self, gradient: Any) -> None:
        """Go back through the last forward that left a trace."""
        outputs, self._outputs = self._outputs, None
        assert outputs is not None
        if outputs.requires_grad:
            given = torch.from_numpy(np.array(gradient, np.float32))  # of its own, and writable
            outputs.backward(given.reshape(outputs.shape).to(outputs))

    def step(self, optimiser: str, rate: float, decay: float) -> None:
        """Move the parameters. Of an optimiser of the user's, the rate and the decay are the user's too."""
        if not self._theirs:
            if self._optimiser is None or self._kind != optimiser:
                self._make(optimiser)
            assert self._optimiser is not None
            for group in self._optimiser.param_groups:
                group["lr"], group["weight_decay"] = rate, decay
        assert self._optimiser is not None
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)

    def _make(self, kind: str) -> None:
        learned = [p for p in self.module.parameters() if p.requires_grad]
        self._optimiser, self._kind = _OPTIMISERS[kind](learned, lr=0.0), kind

    def state(self) -> bytes:
        """Return the module's state and the optimiser's."""
        optimiser = None if self._optimiser is None else self._optimiser.state_dict()
        module = dict(self.module.state_dict())
        return _states.dump({"module": module, "kind": self._kind, "optimiser": optimiser})

    def restore(self, state: bytes) -> None:
        """Take both back."""
        read = _states.load(state)
        self.module.load_state_dict(read["module"])
        self.module.zero_grad(set_to_none=True)
        if self._theirs:
            assert self._optimiser is not None
            self._optimiser.load_state_dict(read["optimiser"])
            return
        self._optimiser, self._kind = None, ""
        if read["optimiser"] is not None:
            self._make(read["kind"])
            assert self._optimiser is not None
            self._optimiser.load_state_dict(read["optimiser"])
