"""Networks that this program computes, without torch: a linear layer with gradients of its own."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import deeppsl
from test_process import alive, await_end, pid_of, posix

RULES = """
1: Looks(F, K) -> Is(F, K) ^2
1: Is(F, K) -> Looks(F, K) ^2
Is(F, +K) = 1 .
"""
CLASSES = ["apple", "pear"]


class Linear:
    """Logits w·u + b, in numpy."""

    def __init__(self, width: int, classes: int) -> None:
        self.values = [np.zeros((width, classes)), np.zeros(classes)]
        self.slopes = [np.zeros((width, classes)), np.zeros(classes)]
        self.seen: npt.NDArray[np.float64] = np.zeros((0, width))
        self.calls: dict[str, int] = {}
        self.hook: Any = lambda do: None

    def _called(self, do: str) -> None:
        self.calls[do] = self.calls.get(do, 0) + 1
        self.hook(do)

    def forward(self, features: npt.NDArray[np.float64], train: bool, seed: int) -> npt.NDArray[np.float64]:
        self._called("forward")
        self.seen = features
        found: npt.NDArray[np.float64] = features @ self.values[0] + self.values[1]
        return found

    def backward(self, gradient: npt.NDArray[np.float32]) -> None:
        self._called("backward")
        self.slopes[0] += self.seen.T @ gradient
        self.slopes[1] += gradient.sum(0)

    def step(self, optimiser: str, rate: float, decay: float) -> None:
        self._called("step")
        for value, slope in zip(self.values, self.slopes):
            value -= 10 * rate * slope
            slope[:] = 0

    def state(self) -> bytes:
        self._called("state")
        return pickle.dumps(self.values)

    def restore(self, state: bytes) -> None:
        self._called("restore")
        self.values = pickle.loads(state)


def fruit(count: int = 20) -> tuple[list[str], npt.NDArray[np.float64], list[str]]:
    """Return things, what they look like, and their classes."""
    random = np.random.default_rng(1)
    features = random.normal(size=(count, 2)) * 0.3
    features[:, 0] += np.where(np.arange(count) % 2, -1, 1)
    return [f"f{k}" for k in range(count)], features, [CLASSES[k % 2] for k in range(count)]


def orchard(**options: Any) -> deeppsl.Model:
    """Return a model of fruit, of which half have a truth, but for its network."""
    names, _, classes = fruit()
    model = deeppsl.Model(RULES, seed=1, options={"network.epochs": 60, "network.rate": 0.05}, **options)
    model.target("Is", [(name, k) for name in names for k in CLASSES])
    return model.truth("Is", list(zip(names[:10], classes)), phase="learning")


def check(model: deeppsl.Model) -> None:
    """Check that all fruit is told."""
    names, _, classes = fruit()
    answer = model.infer()
    for name, kind in zip(names, classes):
        assert answer.value("Is", name, kind) > 0.5
        assert answer.value("Looks", name, kind) > 0.5


@pytest.mark.parametrize("options", [{}, {"learning": "deeppsl", "epochs": 30}])
def test_a_network_learns_through_the_rules(options: dict[str, Any]) -> None:
    names, features, _ = fruit()
    net = Linear(2, 2)
    with orchard(**options) as model:
        model.add_network("Looks", net, features, ids=names, classes=CLASSES)
        model.learn()
        check(model)
        learned = [v.copy() for v in net.values]
        assert abs(learned[0]).max() > 0
        model.add("0.001: Is(F, K) ^2")  # grounds anew
        check(model)
        assert all((a == b).all() for a, b in zip(learned, net.values))
    assert min(net.calls[do] for do in ("forward", "backward", "step", "state")) > 0


def test_outputs_may_be_truth_values_and_features_anything(tmp_path: Path) -> None:
    class Reader(Linear):
        def forward(self, features: Any, train: bool, seed: int) -> Any:
            assert isinstance(features, list) and isinstance(features[0], str)
            self.seen = np.array([[float("p" in text)] for text in features])
            return 1 / (1 + np.exp(-10 * (self.seen + self.values[0][0, 0])))

    net = Reader(1, 1)
    with deeppsl.Model("1: Round(F) -> Nice(F)\n1: Nice(F) -> Round(F)") as model:
        model.add_network("Round", net, {"a": "apple", "b": "fig"}, output="none", frozen=True)
        model.target("Round", ["a", "b"]).target("Nice", ["a", "b"])
        answer = model.infer()
        assert answer.value("Nice", "a") == pytest.approx(1, abs=1e-3)
        assert answer.value("Nice", "b") == pytest.approx(0.5, abs=1e-3)
        net.values[0][:] = 7
        model.save_networks(tmp_path / "saved")
        net.values[0][:] = 0
        model.load_networks(tmp_path / "saved")
        assert net.values[0] == 7


@pytest.mark.parametrize("do", ["forward", "backward", "step", "state", "restore"])
def test_exceptions_come_through(do: str) -> None:
    names, features, _ = fruit()
    net = Linear(2, 2)
    with orchard() as model:
        model.add_network("Looks", net, features, ids=names, classes=CLASSES)

        def fail(done: str) -> None:
            if done == do:
                raise ZeroDivisionError(f"in {do}")

        net.hook = fail
        with pytest.raises(ZeroDivisionError, match=f"in {do}") as caught:
            model.learn()
        assert any(entry.name == "fail" for entry in caught.traceback)
        net.hook = lambda done: None
        pid = pid_of(model)
        model.infer()
        assert pid_of(model) == pid
        model.learn()
        check(model)


def test_mistakes_are_told() -> None:
    names, features, _ = fruit()
    net = Linear(2, 3)
    with orchard() as model:
        with pytest.raises(TypeError, match="lacks forward, backward"):
            model.add_network("Looks", object(), features)
        with pytest.raises(TypeError, match="for modules of torch"):
            model.add_network("Looks", net, features, optimiser=1)
        with pytest.raises(ValueError, match="2 ids need as many rows"):
            model.add_network("Looks", net, features, ids=["a", "b"])
        model.add_network("Looks", net, features, ids=names, classes=CLASSES)
        with pytest.raises(deeppsl.FailedError, match="60 outputs for 20 rows; 2 are wanted of each"):
            model.infer()
        net.values = [np.full((2, 2), np.nan), np.zeros(2)]
        with pytest.raises(deeppsl.FailedError, match='network "Looks": its output for row "f0" is NaN'):
            model.infer()
        net.values = [np.zeros((2, 2)), np.zeros(2)]
        net.hook = lambda do: model.rules
        with pytest.raises(deeppsl.WorkerError, match="waits for a network"):
            model.infer()


@posix
def test_an_interrupt_in_a_network_cancels() -> None:
    names, features, _ = fruit()
    net = Linear(2, 2)
    with orchard() as model:
        model.add_network("Looks", net, features, ids=names, classes=CLASSES)

        def interrupt(do: str) -> None:
            if net.calls["forward"] == 30:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)

        net.hook = interrupt
        with pytest.raises(KeyboardInterrupt):
            model.learn()
        net.hook = lambda do: None
        pid = pid_of(model)
        model.learn()
        check(model)
        assert pid_of(model) == pid


@posix
def test_an_interrupt_in_between_keeps_the_best() -> None:
    names, features, _ = fruit()
    net = Linear(2, 2)
    with orchard(learning="deeppsl", epochs=1_000_000) as model:
        model.add_network("Looks", net, features, ids=names, classes=CLASSES)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            model.learn(progress=False)
        check(model)


@posix
def test_no_orphan_while_a_network_computes(tmp_path: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_networks import *\n"
        "names, features, _ = fruit(); net = Linear(2, 2); model = orchard()\n"
        "model.add_network('Looks', net, features, ids=names, classes=CLASSES)\n"
        "net.hook = lambda do: (print(pid_of(model), flush=True), time.sleep(60))\n"
        "model.learn()"
    )
    env = dict(os.environ, TMPDIR=str(tmp_path))
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    assert alive(pid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    await_end(pid)
    assert list(tmp_path.iterdir()) == []


@posix
def test_an_engine_that_is_killed_meanwhile_is_told() -> None:
    names, features, _ = fruit()
    net = Linear(2, 2)
    with orchard() as model:
        model.add_network("Looks", net, features, ids=names, classes=CLASSES)
        net.hook = lambda do: os.kill(pid_of(model), signal.SIGKILL)
        with pytest.raises(deeppsl.WorkerError, match="signal 9"):
            model.learn()
        net.hook = lambda do: None
        model.learn()
        check(model)
