"""Blocks of one component, which agree in rounds that an engine of clusters carries: see docs/scaling.md."""

from __future__ import annotations

import contextlib
import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _shards
from ._shards import Done

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Round(NamedTuple):
    """What a round came to, which all blocks agree on."""

    round: int  #: from 1
    objective: float | None  #: at the values that the round began with; None in the first one
    best: float | None  #: the best objective of any round
    dual_bound: float | None  #: the best one, of the whole
    gap: float | None  #: between these two, relative
    violation: float  #: the largest of hard rules

    @staticmethod
    def read(told: dict[str, Any]) -> Round:
        """Return the one that an engine tells of."""
        number, *rest = (told[name] for name in ("round", "objective", "best", "dual_bound", "gap", "violation"))
        return Round(number + 1, *rest)


class Told(NamedTuple):
    """What a block tells in a step. States and letters may be what stands for them elsewhere."""

    rounds: list[Round]  #: that have ended since the last step
    done: Done | None  #: of the last step
    fresh: bool  #: whether the state is another one than that of the last step
    state: Any  #: what the block goes on from
    letters: list[Any]  #: to each block; of the last step the answers alone


class Block:
    """The engine of a block, which waits between two steps for what others tell."""

    def __init__(self, job: _shards.Job, state: bytes = b"") -> None:
        """Start it, from a state if there is one."""
        self._job = job
        self.blocks = job.shards
        self._step = 0
        self._state = b""  # what it told last
        with contextlib.ExitStack() as opened:
            self._folder = opened.enter_context(job.opened())
            manifest = json.loads(Path(self._folder, "manifest.json").read_text())
            rounds = Path(self._folder, f"rounds-{manifest['sha256'][:12]}")
            rounds.mkdir(exist_ok=True)
            self._path = rounds / f"state-{job.shard:04d}"
            self._path.unlink(missing_ok=True)
            if state:
                self._path.write_bytes(state)
            self._engine = opened.enter_context(
                subprocess.Popen(
                    _shards.command(*job.arguments(self._folder), "--exchange", "stdio"),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            )
            opened.callback(self._engine.kill)
            self._opened = opened.pop_all()

    def step(self, letters: Sequence[bytes] = ()) -> Told:
        """Give it what each block told it in the last step, and return what it tells in the next one, or at the end."""
        out, into = self._engine.stdout, self._engine.stdin
        assert out is not None and into is not None
        if letters:
            head = json.dumps({"step": self._step, "letters": [len(letter) for letter in letters]})
            with contextlib.suppress(BrokenPipeError):  # it has ended, and is asked why
                into.write(b"".join([head.encode(), b"\n", *letters]))
                into.flush()
        rounds: list[Round] = []
        while line := out.readline():
            told = _read(line)
            if "letters" in told:
                self._step = told["step"]
                given = [out.read(length) for length in told["letters"]]
                state, before = self._path.read_bytes(), self._state
                self._state = state
                return Told(rounds, None, state != before, state, given)
            if "log_rho" not in told:
                break
            rounds.append(Round.read(told))
        rest, errors = self._engine.communicate()
        answer = _shards.answered("run", self._engine.returncode, (line + rest).decode(), errors.decode())
        return Told(rounds, Done(**answer), False, b"", [self._job.answers(self._folder)])

    def close(self) -> None:
        """End it."""
        self._opened.close()


def _read(line: bytes) -> dict[str, Any]:
    try:
        told: dict[str, Any] = json.loads(line)
    except ValueError:
        return {}
    return told


class Place:
    """Where a block is: the state that it goes on from, and what it has been told since, step by step."""

    def __init__(self, state: Any) -> None:
        self.state = state
        self.since: list[list[Any]] = []


class LostError(Exception):
    """Where the blocks are is not known any more; what was kept is."""


def agree(
    plan: _shards.Plan,
    step: Callable[[list[Place]], list[Told]],
    fetch: Callable[[list[Any]], list[Any]],
    checkpoint: int,
    progress: Callable[[Done | Round], None] | None,
) -> None:
    """Take rounds until the blocks of a plan have agreed, and keep their answers.

    `step` has each block tell its next step, from where it is; `fetch` returns the things that others stand for.
    """
    if plan.complete():
        return
    places = [Place(state) for state in plan.kept()]
    while True:
        try:
            told = step(places)
            for ended in told[0].rounds:
                if progress is not None:
                    progress(ended)
            if told[0].done is not None:
                _finish(plan, told, fetch, progress)
                return
            if told[0].fresh and told[0].rounds and told[0].rounds[-1].round % checkpoint == 0:
                plan.keep(fetch([block.state for block in told]))
        except LostError:
            places = [Place(state) for state in plan.kept()]
            continue
        for k, place in enumerate(places):
            if told[k].fresh:
                place.state, place.since = told[k].state, []
            place.since.append([block.letters[k] for block in told])


def _finish(
    plan: _shards.Plan,
    told: list[Told],
    fetch: Callable[[list[Any]], list[Any]],
    progress: Callable[[Done | Round], None] | None,
) -> None:
    answers = fetch([block.letters[0] for block in told])
    for shard, block in enumerate(told, 1):
        plan.take(shard, answers[shard - 1])
        if progress is not None and block.done is not None:
            progress(block.done)
