"""Inference by shards on a cluster of Ray: see docs/scaling.md."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import ray
from ray.util.placement_group import placement_group, placement_group_table, remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from . import _shards
from ._blocks import Block, LostError, Place, Round, Told, agree
from ._errors import DeepPSLWarning, InputError, WorkerError
from ._shards import Done
from .results import Answer

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

__all__ = ["Done", "Round", "run"]

_AHEAD = 2  # parts that travel or wait, for each that can be solved at a time
_PATIENCE = 30.0  # seconds that blocks wait for processors before that is said


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
    checkpoint: int = 10,
    progress: Callable[[Done | Round], None] | None = None,
) -> Answer:
    """Infer a project on the cluster that Ray is connected to; without one, as ray.init() finds or starts it.

    The driver cuts the project as `deeppsl shard --by … --into …` does, each shard is a task of `threads` processors, by
    default as many shards as these make, and the driver merges. `progress` is called with each shard that is done. Parts
    travel to the tasks, and answers back; with `shared`, all machines see `directory` under the same path, and nothing
    travels; s3://bucket/parts is such a directory, with the program of cloud/. What is in a directory already is not
    solved again; without one, a temporary one is used.

    Blocks of by="vertices" are actors, which keep their part and their engine from round to round, and tell each other what
    they have to through Ray; `progress` is called with each Round, too.

    A task or an actor whose process or machine is lost is started again, up to `retries` times (-1: always), to the same
    bits; an actor goes on in the round where it was. Every `checkpoint` rounds, the driver keeps the states of all in the
    directory: from there all go on if a machine has taken their last states along, or the driver itself is started again.
    """
    if not ray.is_initialized():
        ray.init()
    slots = int(ray.cluster_resources().get("CPU", 0)) // threads
    shards = shards or max(slots, 1)
    _check(by, shards, slots, threads, directory, shared)
    with contextlib.ExitStack() as stack:
        folder = directory or stack.enter_context(tempfile.TemporaryDirectory(prefix="deeppsl-"))
        plan = _shards.Plan(config, folder, shared, shards, by, gap, seed, options)
        if by == "vertices":
            jobs = [plan.job(shard, threads) for shard in range(1, shards + 1)]
            group = stack.enter_context(_together(shards, threads))
            actors = stack.enter_context(contextlib.closing(_Actors(jobs, threads, retries, group)))
            agree(plan, actors.step, ray.get, checkpoint, progress)
        else:
            task = ray.remote(_run).options(
                num_cpus=threads, max_retries=retries, retry_exceptions=[WorkerError], scheduling_strategy="SPREAD"
            )
            _solve(plan, task, threads, _AHEAD * max(slots, 1), progress)
        return Answer(*plan.merge(), {})


def _check(by: str, shards: int, slots: int, threads: int, directory: object, shared: bool) -> None:
    _shards.check(directory, shared, by)
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
        _await(group.ready(), group)
        yield group
    finally:
        remove_placement_group(group)


def _await(reference: Any, group: Any) -> Any:
    """Return what a reference stands for when it is there, and say so if it waits for processors."""
    warned = False
    while not ray.wait([reference], timeout=_PATIENCE)[0]:
        if not warned and placement_group_table(group)["state"] != "CREATED":
            warned = True
            warnings.warn(
                "blocks wait for processors: those of the cluster are in use, or a machine was lost; they go on when there "
                "are enough again",
                DeepPSLWarning,
                stacklevel=2,
            )
    return ray.get(reference)


class _Actor:
    """A block in a process of the cluster."""

    def __init__(self, job: _shards.Job, state: bytes) -> None:
        self._block = Block(job, state)

    def step(self, *letters: bytes) -> list[Any]:
        """Return what the block tells, its state, and its letters, each to be an object of Ray."""
        told = self._block.step(letters)
        blank = [b""] * (self._block.blocks - len(told.letters))
        return [told._replace(state=None, letters=[]), told.state, *told.letters, *blank]


class _Actors:
    """The blocks of a plan, of which those that are lost are started again."""

    def __init__(self, jobs: list[_shards.Job], threads: int, retries: int, group: Any) -> None:
        self._jobs = [ray.put(job) for job in jobs]
        self._group = group
        place = PlacementGroupSchedulingStrategy(group)
        self._kind = ray.remote(_Actor).options(num_cpus=threads, scheduling_strategy=place)
        self._running: list[Any] = [None] * len(jobs)
        self._left = [retries] * len(jobs)

    def step(self, places: list[Place]) -> list[Told]:
        """Have each block tell its next step; letters and states are references."""
        asked = [self._ask(k, place) for k, place in enumerate(places)]
        return [self._told(k, place, asked[k]) for k, place in enumerate(places)]

    def close(self) -> None:
        """End all."""
        for k in range(len(self._running)):
            self._end(k)

    def _end(self, k: int) -> None:
        actor, self._running[k] = self._running[k], None
        if actor is not None:
            ray.kill(actor)

    def _ask(self, k: int, place: Place) -> list[Any]:
        if self._running[k] is not None:
            return self._call(k, place.since[-1])
        self._running[k] = self._kind.remote(self._jobs[k], place.state)
        asked = self._call(k, [])
        for letters in place.since:
            asked = self._call(k, letters)
        return asked

    def _call(self, k: int, letters: list[Any]) -> list[Any]:
        asked: list[Any] = self._running[k].step.options(num_returns=2 + len(self._jobs)).remote(*letters)
        return asked

    def _told(self, k: int, place: Place, asked: list[Any]) -> Told:
        while True:
            try:
                told: Told = _await(asked[0], self._group)
                return told._replace(state=asked[1], letters=asked[2:])
            except ray.exceptions.ObjectLostError:
                self._spend(k, "what it goes on from was lost")
                self.close()
                raise LostError from None
            except ray.exceptions.RayTaskError as error:
                if not isinstance(error.cause, WorkerError):
                    raise error.cause from None
                self._spend(k, error.cause)
            except ray.exceptions.RayError as error:
                self._spend(k, error)
            self._end(k)
            asked = self._ask(k, place)

    def _spend(self, k: int, why: object) -> None:
        if self._left[k] == 0:
            raise WorkerError(f"block {k + 1} was lost, and may not be tried again: {why}")
        self._left[k] -= 1


def _solve(
    plan: _shards.Plan,
    task: Any,
    threads: int,
    most: int,
    progress: Callable[[Done | Round], None] | None,
) -> None:
    """Have all shards solved, with so many at most on their way; the first error ends the others."""
    left = iter(range(1, plan.shards + 1))
    running: dict[Any, int] = {}
    try:
        while True:
            while len(running) < most and (shard := next(left, None)) is not None:
                running[task.remote(plan.job(shard, threads))] = shard
            if not running:
                return
            (ended, *_), _ = ray.wait(list(running), num_returns=1)
            shard = running.pop(ended)
            done, answers = _get(ended, shard)
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
