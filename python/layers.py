"""Inference as a layer, beside cvxpylayers and qpth: seconds of the processor for forward and backward, and how far they
agree.

    pip install pandas torch cvxpylayers==1.2.0 qpth==0.0.18
    DEEPPSL_BINARY=bin/deeppsl PYTHONPATH=python/src python python/layers.py 1000 10000
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

import deeppsl
from deeppsl.torch import MAP
from figures import engine

_RULES = ["2: Seen(A) -> True(A) ^2", "3: Next(A, B) & True(A) -> True(B) ^2", "1: !True(A) ^2"]
_REPEATS = 5


def ours(size: int, shares: list[float]) -> tuple[Any, Callable[[], float]]:
    """Return the layer, and what tells the processor time of this process and the engine's."""
    names = [f"a{k}" for k in range(size)]
    model = deeppsl.Model("\n".join(_RULES), gap=1e-8, threads=1)
    model.observe("Next", {"a": names[:-1], "b": names[1:], "value": shares})
    model.given("Seen", names).target("True", names)
    layer = MAP(model, "Seen", "True")

    return layer, lambda: time.process_time() + engine(model)


def theirs(size: int, shares: list[float]) -> tuple[Any, Callable[[], float]]:
    """Return the same as a layer of cvxpylayers, with the solver that it has for cones."""
    import cvxpy
    import numpy as np
    from cvxpylayers.torch import CvxpyLayer

    seen, true = cvxpy.Parameter(size), cvxpy.Variable(size)
    follows = true[:-1] + np.array(shares) - 1 - true[1:]
    cost = 2 * cvxpy.sum_squares(cvxpy.pos(seen - true)) + 3 * cvxpy.sum_squares(cvxpy.pos(follows)) + cvxpy.sum_squares(true)
    problem = cvxpy.Problem(cvxpy.Minimize(cost), [true >= 0, true <= 1])
    layer = CvxpyLayer(problem, parameters=[seen], variables=[true])
    return lambda given: layer(given, solver_args={"eps": 1e-8})[0], time.process_time


def dense(size: int, shares: list[float]) -> tuple[Any, Callable[[], float]]:
    """Return the same as a layer of qpth, whose matrices are dense: squares of hinges are those of slacks above them."""
    from qpth.qp import QPFunction

    eye, none, rest = torch.eye(size).double(), torch.zeros(size, size - 1).double(), torch.eye(size - 1).double()
    step = torch.zeros(size - 1, size).double()
    step[:, :-1] += rest
    step[:, 1:] -= rest
    weights = torch.diag(torch.cat([torch.full((size,), 2.0), torch.full((size,), 4.0), torch.full((size - 1,), 6.0)]).double())
    rows = [
        [-eye, -eye, none],  # seen - true <= the first slack
        [step, torch.zeros(size - 1, size).double(), -rest],  # what follows, the second
        [torch.zeros(size, size).double(), -eye, none],
        [torch.zeros(size - 1, 2 * size).double(), -rest],
        [-eye, 0 * eye, none],
        [eye, 0 * eye, none],
    ]
    bounds = torch.cat([torch.cat(row, 1) for row in rows])
    free = 1 - torch.tensor(shares).double()
    ends = torch.cat([free, torch.zeros(3 * size - 1), torch.ones(size)]).double()
    nothing = torch.tensor([]).double()

    def layer(given: torch.Tensor) -> Any:
        limits = torch.cat([-given, ends.expand(len(given), -1)], 1)
        solve = QPFunction(verbose=-1, eps=1e-10, check_Q_spd=False)
        return solve(weights, torch.zeros(len(weights)).double(), bounds, limits, nothing, nothing)[:, :size]

    return layer, time.process_time


def measure(made: tuple[Any, Callable[[], float]], batches: list[torch.Tensor]) -> tuple[float, float, torch.Tensor]:
    """Return the medians of the processor's and the clock's seconds, and the last gradient."""
    layer, spent = made
    processor, clock = [], []
    for batch in batches:
        given = batch.clone().requires_grad_()
        before, start = spent(), time.perf_counter()
        layer(given).square().sum().backward()
        processor.append(spent() - before)
        clock.append(time.perf_counter() - start)
    assert given.grad is not None
    return statistics.median(processor[1:]), statistics.median(clock[1:]), given.grad


def main() -> None:
    """Print a line for each number of ground rules and examples."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    print("ground rules  examples  layer        s of the processor (of the clock)  largest difference of gradients")
    for rules in map(int, sys.argv[1:]):
        size = rules // 3
        shares = torch.rand(size - 1).tolist()
        for examples in (1, 64) if rules <= 1000 else (1,):
            batches = [torch.rand(examples, size, dtype=torch.float64) for _ in range(_REPEATS + 1)]
            own = measure(ours(size, shares), batches)
            print(f"{rules:12d}  {examples:8d}  deeppsl      {own[0]:.4f} ({own[1]:.4f})")
            for name, made in (("cvxpylayers", theirs), ("qpth", dense)):
                if made == dense and rules * examples > 1000:  # minutes
                    continue
                other = measure(made(size, shares), batches)
                apart = (own[2] - other[2]).abs().max().item()
                print(f"{rules:12d}  {examples:8d}  {name:11s}  {other[0]:.4f} ({other[1]:.4f})  {apart:.1e}", flush=True)


if __name__ == "__main__":
    main()
