"""Inference as a layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import deeppsl
from test_docs import fragment, run

RULES = {
    "squared": "2: G(A) -> T(A) ^2\n1: N(A, B) & T(A) -> T(B) ^2\n0.7: !T(A) ^2",
    "linear": "0.9: G(A) -> T(A)\n1: N(A, B) & T(A) -> T(B) ^2\n0.3: !T(A)\n0.5: T(A) = 0.5 ^2",
    "hard": "2: G(A) -> T(A) ^2\nN(A, B) & T(A) -> T(B) .\n0.3: !T(A) ^2",
    "summed": "2: G(A) -> T(A) ^2\n1: T(+A) = 2 ^2\n0.3: !T(A) ^2\n0.4: N(A, B) & T(A) -> T(B) ^2",
}
START = np.array([0.15 + 0.11 * k for k in range(6)])


def chain(rules: str) -> deeppsl.Model:
    model = deeppsl.Model(rules, gap=1e-13)
    model.given("G", {str(k): v for k, v in enumerate(START)})
    model.observe("N", {(str(k), str((k + 1) % 6)): 0.5 + 0.07 * k for k in range(6)})
    return model.target("T", [str(k) for k in range(6)])


@pytest.mark.parametrize("name", RULES)
def test_gradients_are_those_of_differences(name: str) -> None:
    slope = np.array([-2.0, -1, 0, 1, 2, -1])
    with chain(RULES[name]) as model:
        with pytest.raises(deeppsl.FailedError, match="infer first"):
            model.gradient({"T": slope})
        model.infer()
        gradient = model.gradient({"T": slope})
        assert not gradient.values_of("T").any()
        for k in range(6):
            found = []
            for by in (1e-4, -1e-4):
                model.set("G", {str(k): START[k] + by})
                found.append(slope @ model.infer().values_of("T"))
            model.set("G", {str(k): START[k]})
            assert gradient.values_of("G")[k] == pytest.approx((found[0] - found[1]) / 2e-4, abs=1e-3)
        model.rules[0].weight = 1.5
        with pytest.raises(deeppsl.FailedError, match="no weight"):
            model.gradient({"T": slope})
        model.infer()
        for odd in (slope[:4], [1.0], {"0": 1.0}):
            with pytest.raises(ValueError, match="the slope of T is 6 numbers, in the order of its values"):
                model.gradient({"T": odd})


@pytest.mark.parametrize("name", RULES)
def test_gradcheck(name: str) -> None:
    torch: Any = pytest.importorskip("torch")
    from deeppsl.torch import MAP

    with chain(RULES[name]) as model:
        layer = MAP(model, "G", "T")
        weights = torch.tensor([r.weight or 0.0 for r in model.rules], dtype=torch.float64, requires_grad=True)
        values = torch.tensor(np.stack([START, START[::-1] * 0.9]), requires_grad=True)
        assert layer(values, weights).shape == (2, 6)
        # Answers that begin at different last ones differ within their gap, and so do derivatives.
        tolerances = {"eps": 1e-5, "atol": 1e-3, "rtol": 1e-3, "nondet_tol": 1e-5}
        assert torch.autograd.gradcheck(layer, (values, weights), **tolerances)
        learned = torch.nn.Parameter(torch.full((6,), 0.5, dtype=torch.float32))
        optimiser = torch.optim.SGD([learned], lr=0.1)
        losses = []
        for _ in range(5):
            optimiser.zero_grad()
            loss = (layer(learned) - 0.4).square().sum()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        assert losses[-1] <= losses[0]
        with pytest.raises(ValueError, match="6 given atoms"):
            layer(torch.zeros(5))


def test_the_layer_of_the_page() -> None:
    torch = pytest.importorskip("torch")
    network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Sigmoid())
    known = {"Model": deeppsl.Model, "names": ["a", "b"], "network": network, "images": torch.rand(5, 3)}
    run(fragment("deeppsl.torch"), "docs/python.md", **known)
    assert bool((network[0].weight.grad != 0).any())


def test_tensors_of_any_kind() -> None:
    torch: Any = pytest.importorskip("torch")
    from deeppsl.torch import MAP

    with chain(RULES["squared"]) as model:
        layer = MAP(model, "G", "T")
        whole = layer(torch.tensor([1, 0, 1, 0, 1, 0]))
        assert whole.is_floating_point() and whole.tolist() == layer(torch.tensor([1.0, 0, 1, 0, 1, 0])).tolist()
        assert (whole > 0).all()  # and not made whole again
        with pytest.raises(ValueError, match="given value 2 of example 1 is NaN"):
            layer(torch.tensor([[0.0] * 6, [0, 0, float("nan"), 0, 0, 0]]))
        with pytest.raises(ValueError, match="not a single number"):
            layer(torch.tensor(0.5))
        values = torch.tensor(START, requires_grad=True)
        slope = torch.autograd.grad(layer(values).square().sum(), values, create_graph=True)[0]
        with pytest.raises(RuntimeError, match="once_differentiable"):
            slope.sum().backward()
