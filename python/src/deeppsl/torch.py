"""Inference as a layer of torch: its values are differentiable in given values and in the weights of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

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
        theta = weights.detach().cpu().double().numpy()
        states = model._states(given, examples, theta)
        ctx.save_for_backward(values, weights)
        ctx.asked = model, given, targets, examples, theta, states
        return torch.from_numpy(states.values[:, states.columns(targets)]).to(values)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        values, weights = ctx.saved_tensors
        model, given, targets, examples, theta, states = ctx.asked
        slopes = np.zeros(states.values.shape)
        slopes[:, states.columns(targets)] = grads[0].detach().cpu().double().numpy()
        found = model._descend(states, slopes)
        if found is None:  # other examples have been inferred since
            found = model._descend(model._states(given, examples, theta), slopes)
        inputs = found[0][:, states.columns(given)]
        return torch.from_numpy(inputs).to(values), torch.from_numpy(found[1].copy()).to(weights), None, None, None
