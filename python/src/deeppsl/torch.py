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
    which begins where the last one ended.

    Derivatives are those of the implicit function theorem: exact where the state is unique and no rule is about to become
    active, one of several elsewhere. They are as exact as the state, so give the model a small gap, such as 1e-10. To go
    back, an example that is not the last one that was inferred is inferred again.
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
        outputs = []
        for example in examples:
            answer = model._infer_at(given, example, theta)
            outputs.append(np.concatenate([answer.values_of(name) for name in targets]))
        ctx.save_for_backward(values, weights)
        ctx.asked = model, given, targets, examples, theta
        made = np.array(outputs) if outputs else np.zeros((0, 0))
        return torch.from_numpy(made).to(values)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        values, weights = ctx.saved_tensors
        model, given, targets, examples, theta = ctx.asked
        slopes = grads[0].detach().cpu().double().numpy()
        inputs, rules = np.zeros_like(examples), np.zeros_like(theta)
        for k, example in enumerate(examples):
            answer = model._infer_at(given, example, theta)
            gradient = model.gradient(_spread(answer, targets, slopes[k]))
            inputs[k] = np.concatenate([gradient.values_of(name) for name in given])
            rules += gradient.weights
        return torch.from_numpy(inputs).to(values), torch.from_numpy(rules).to(weights), None, None, None


def _spread(answer: Any, targets: list[str], slopes: Any) -> dict[str, Any]:
    """Divide the slopes of all outputs among their predicates."""
    made, at = {}, 0
    for name in targets:
        count = len(answer.values_of(name))
        made[name] = slopes[at : at + count]
        at += count
    return made
