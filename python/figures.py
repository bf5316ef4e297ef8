"""Measures the figures of docs/python.md: python figures.py, where the package is installed.

Each is the median of several runs, in seconds of the wall clock. The processor's seconds are beside it, this process's
and, on Linux, the engine's: other work on the machine makes the wall clock's larger.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import deeppsl

ROWS = 1_000_000


def engine(model: deeppsl.Model | None) -> float:
    """Return the seconds of the processor that a model's engine has taken."""
    stat = Path(f"/proc/{model._worker.pid}/stat") if model is not None and model._worker is not None else Path()
    if not stat.is_file():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(what: str, times: int, run: Callable[[], Any], model: deeppsl.Model | None = None) -> None:
    """Print the medians of what a run takes."""
    taken: list[list[float]] = [[], [], []]
    for _ in range(times):
        before = time.perf_counter(), time.process_time(), engine(model)
        run()
        after = time.perf_counter(), time.process_time(), engine(model)
        for k in range(3):
            taken[k].append(after[k] - before[k])
    wall, own, other = map(statistics.median, taken)
    print(f"{what:32} {wall:7.3f} s; of processors here {own:.3f} s, in the engine {other:.2f} s")


def python(program: str) -> Callable[[], Any]:
    """Return what runs a program in a new interpreter."""
    return lambda: subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def people(count: int) -> Any:
    """Return a frame of atoms of two arguments with values; a tenth as many people as atoms."""
    names = np.array([f"person{k}" for k in range(count // 10)])
    rows = np.arange(count)
    return pandas.DataFrame(
        {"who": names[rows % len(names)], "whom": names[(rows * 7 + rows // len(names)) % len(names)], "value": rows / count}
    )


def second_inferences() -> None:
    """Measure what an inference takes beyond the engine's own time, in a model of a thousand atoms."""
    with deeppsl.Model("1: In(A) -> Out(A) ^2\n1: !Out(A) ^2") as model:
        atoms = [f"a{k}" for k in range(1000)]
        model.given("In", {a: 1.0 for a in atoms}).target("Out", atoms)
        model.infer()
        beyond = []
        for k in range(300):
            model.set("In", {"a7": k / 300})
            start = time.perf_counter()
            answer = model.infer()
            beyond.append(time.perf_counter() - start - answer.seconds)
        tenths = statistics.quantiles(beyond, n=10)
        print(f"a second inference, beyond the engine's own time: median {tenths[4]:.6f} s, first tenth {tenths[0]:.6f} s")


def layers() -> None:
    """Measure inference as a layer of torch, forward and backward, where torch is installed."""
    try:
        import torch

        from deeppsl.torch import MAP
    except ImportError:
        return
    for atoms, examples in ((33_334, 1), (334, 64)):
        names = [str(k) for k in range(atoms)]
        rules = "2: G(A) -> T(A) ^2\n1: N(A, B) & T(A) -> T(B) ^2\n0.3: !T(A) ^2"
        with deeppsl.Model(rules, gap=1e-8) as model:
            model.given("G", names).target("T", names)
            model.observe("N", [(a, names[(k + 1) % atoms]) for k, a in enumerate(names)])
            layer, numbers = MAP(model, "G", "T"), np.random.default_rng(1)

            def step(layer: MAP = layer, shape: tuple[int, int] = (examples, atoms)) -> None:
                values = torch.tensor(numbers.uniform(size=shape), requires_grad=True)
                layer(values).square().sum().backward()

            step()
            measured(f"a layer, {examples} × {3 * atoms} rules", 7, step, model)


def main() -> None:
    """Print all figures."""
    measured("the interpreter alone", 5, python("pass"))
    measured("import deeppsl", 5, python("from deeppsl import Model, Predicate, Rule"))
    smokers = "m=deeppsl.Model('1: !A(X) ^2'); m.target('A', ['a']); print(m.infer().value('A', 'a'))"
    measured("to the first answer", 5, python("import deeppsl; " + smokers))
    frame = people(ROWS)
    with deeppsl.Model("1: Out(A, B) & (A == 'nobody') -> Out(B, A)") as model:
        measured("1 M rows, read", 3, lambda: model.target("Out", frame[["who", "whom"]]), model)
        del model._data[1:]
        measured("1 M rows, crossing and tables", 1, model._open, model)
    with deeppsl.Model("0.5: Out(A, B) ^2").target("Out", frame[["who", "whom"]]) as model:
        measured("1 M ground rules with them", 1, model._open, model)
        answer = model.infer()
        measured("1 M atoms, names, once", 1, answer._atoms, model)
        measured("1 M atoms, frame", 3, lambda: answer["Out"], model)
        measured("1 M values, with inference", 3, model.infer, model)
    second_inferences()
    layers()


if __name__ == "__main__":
    main()
