"""Modules of torch as networks of rules; where torch is installed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import deeppsl
from test_networks import CLASSES, check, fruit, orchard

torch: Any = pytest.importorskip("torch")
torch.set_num_threads(1)  # the networks are tiny, and threads wait for each other on a busy machine


def reader() -> Any:
    torch.manual_seed(3)
    nn = torch.nn
    return nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2))


@pytest.mark.parametrize("options", [{}, {"learning": "deeppsl", "epochs": 30}])
@pytest.mark.parametrize("theirs", [True, False])
def test_a_module_learns_through_the_rules(options: dict[str, Any], theirs: bool) -> None:
    names, features, _ = fruit()
    net = reader()
    optimiser = torch.optim.AdamW(net.parameters(), lr=0.02) if theirs else None
    before = [p.detach().clone() for p in net.parameters()]
    generator = torch.random.get_rng_state()
    with orchard(**options) as model:
        model.add_network("Looks", net, torch.tensor(features), ids=names, classes=CLASSES, optimiser=optimiser)
        model.learn()
        check(model)
        answer = model.infer()
        net.eval()
        told = torch.softmax(net(torch.tensor(features).float()), 1).detach()
        for k, name in enumerate(names):  # the module is what the engine kept
            assert answer.value("Looks", name, "apple") == pytest.approx(float(told[k, 0]), abs=1e-5)
    assert any((a != b).any() for a, b in zip(before, net.parameters()))
    assert (generator == torch.random.get_rng_state()).all()


def test_the_same_seed_learns_the_same() -> None:
    names, features, _ = fruit()
    learned = []
    for _ in range(2):
        net = reader()
        with orchard() as model:
            model.add_network("Looks", net, features, ids=names, classes=CLASSES)
            model.learn()
        learned.append([v.numpy() for v in net.state_dict().values()])
    assert all(np.array_equal(a, b) for a, b in zip(*learned))


def test_states_are_bytes() -> None:
    from deeppsl import _states

    net = reader().to(torch.float64)
    optimiser = torch.optim.Adam(net.parameters(), lr=0.5)
    net(torch.ones(3, 2, dtype=torch.float64)).sum().backward()
    optimiser.step()
    state = {"a": dict(net.state_dict()), "b": optimiser.state_dict(), "c": (None, [1.5, True], torch.zeros(0, 3))}
    read = _states.load(_states.dump(state))
    assert list(read["b"]["state"]) == list(state["b"]["state"])
    assert read["b"]["param_groups"][0]["betas"] == (0.9, 0.999)
    assert read["c"][:2] == state["c"][:2] and read["c"][2].shape == (0, 3)
    for name, value in state["a"].items():
        assert read["a"][name].dtype == value.dtype and torch.equal(read["a"][name], value)
    with pytest.raises(ValueError, match="damaged"):
        _states.load(_states.dump(state)[:-8])
    with pytest.raises(TypeError, match="no part of a snapshot"):
        _states.dump({"a": object()})


def test_a_frozen_module_stays_and_a_wrong_optimiser_is_told() -> None:
    names, features, _ = fruit()
    net = reader()
    before = {k: v.clone() for k, v in net.state_dict().items()}
    with orchard() as model:
        with pytest.raises(TypeError, match="is a torch.optim.Optimizer"):
            model.add_network("Looks", net, features, ids=names, classes=CLASSES, optimiser=torch.optim.Adam)
        model.add_network("Looks", net, features, ids=names, classes=CLASSES, frozen=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", deeppsl.DeepPSLWarning)  # that nothing is learned
            model.learn()
    assert all((v == before[k]).all() for k, v in net.state_dict().items())


def test_an_exception_of_a_module_comes_through() -> None:
    names, features, _ = fruit()
    with orchard() as model:
        model.add_network("Looks", torch.nn.Linear(3, 2), features, ids=names, classes=CLASSES)
        with pytest.raises(RuntimeError, match="mat1 and mat2"):
            model.infer()
