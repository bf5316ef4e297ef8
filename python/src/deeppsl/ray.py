"""Inference by shards on a cluster of Ray: see docs/scaling.md."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ray
from ray.util.placement_group import placement_group, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from . import _shards
from ._errors import InputError, WorkerError
from ._shards import Done
from .results import Answer

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

__all__ = ["Done", "run"]

_AHEAD = 2  # parts that travel or wait, for each that can be solved at a time


def run(
    config: str | os.PathLike[str],
    *,
    shards: int | None = None,
    by: str = "components",
    directory: str | os.PathLike[str] | None = None,
    shared: bool = False,
    threads: int = 1,
    gap: float | None = None,
    seed: int | None = None,
    options: Mapping[str, object] | None = None,
    retries: int = 3,
    progress: Callable[[Done], None] | None = None,
) -> Answer:
    """Infer a project on the cluster that Ray is connected to; without one, as ray.init() finds or starts it.

    The driver cuts the project as `deeppsl shard --by … --into …` does, each shard is a task of `threads` processors, by
    default as many shards as these make, and the driver merges. `progress` is called with each shard that is done. Parts
    travel to the tasks, and answers back; with `shared`, all machines see `directory` under the same path, and nothing
    travels. What is in a directory already is not solved again; without one, a temporary one is used.

    A task whose process or machine is lost is done again, up to `retries` times (-1: always), to the same bits. Blocks of
    by="vertices" run at the same time, exchange files in the shared directory, and go on in the round where they were.
    """
    if not ray.is_initialized():
        ray.init()
    slots = int(ray.cluster_resources().get("CPU", 0)) // threads
    shards = shards or max(slots, 1)
    _check(by, shards, slots, threads, directory, shared)
    with contextlib.ExitStack() as stack:
        folder = Path(directory or stack.enter_context(tempfile.TemporaryDirectory(prefix="deeppsl-"))).absolute()
        plan = _shards.Plan(config, folder, shards, by, gap, seed, options)
        most, place = _AHEAD * max(slots, 1), "SPREAD"
        if by == "vertices":
            most, place = shards, stack.enter_context(_together(shards, threads))
        task = ray.remote(_run).options(
            num_cpus=threads, max_retries=retries, retry_exceptions=[WorkerError], scheduling_strategy=place
        )
        _solve(plan, task, shared, threads, most, progress)
        return Answer(*plan.merge(), {})


def _check(by: str, shards: int, slots: int, threads: int, directory: object, shared: bool) -> None:
    if shared and directory is None:
        raise InputError("shared=True needs directory=…, which all machines see under the same path")
    if by == "vertices" and not shared:
        raise InputError(
            "blocks exchange files: name a directory that all machines see under the same path, and say shared=True"
        )
    if by == "vertices" and slots < shards:
        raise InputError(
            f"{shards} blocks have to run at the same time, on {shards * threads} processors; the cluster has enough for "
            f"{slots}: say shards={max(slots, 1)}, or add machines"
        )


def _run(job: _shards.Job) -> tuple[Done, bytes]:
    return job.run()


@contextlib.contextmanager
def _together(shards: int, threads: int) -> Iterator[Any]:
    """Reserve processors for all shards, so that none waits for one that cannot begin."""
    group = placement_group([{"CPU": threads}] * shards, strategy="SPREAD")
    try:
        ray.get(group.ready())
        yield PlacementGroupSchedulingStrategy(group)
    finally:
        remove_placement_group(group)


def _solve(
    plan: _shards.Plan, task: Any, shared: bool, threads: int, most: int, progress: Callable[[Done], None] | None
) -> None:
    """Have all shards solved, with so many at most on their way; the first error ends the others."""
    left = iter(range(1, plan.shards + 1))
    running: dict[Any, int] = {}
    try:
        while True:
            while len(running) < most and (shard := next(left, None)) is not None:
                running[task.remote(plan.job(shard, shared, threads))] = shard
            if not running:
                return
            (ended, *_), _ = ray.wait(list(running), num_returns=1)
            shard = running.pop(ended)
            done, answers = _get(ended, shard)
            if not shared:
                plan.take(shard, answers)
            if progress is not None:
                progress(done)
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def _get(reference: Any, shard: int) -> tuple[Done, bytes]:
    try:
        made: tuple[Done, bytes] = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise WorkerError(f"shard {shard} was lost, and may not be tried again: {error}") from error
    return made
