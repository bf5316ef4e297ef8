"""Shards as jobs that travel, without a cluster."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import deeppsl
from clusters import answers, blocks, one, towns
from deeppsl import _binary, _blocks, _shards


def plan(config: Path, folder: Path, shards: int = 3, **options: object) -> _shards.Plan:
    return _shards.Plan(config, folder, False, shards, "components", None, None, options)


def solve(made: _shards.Plan) -> deeppsl.Answer:
    """Solve all shards as other machines would, whose folders are their own."""
    for shard in range(1, made.shards + 1):
        job = pickle.loads(pickle.dumps(made.job(shard, 1)))
        made.take(shard, job.run()[1])
    return deeppsl.Answer(*made.merge(), {})


def test_parts_travel_to_the_same_bits(tmp_path: Path) -> None:
    config, folder = towns(tmp_path), tmp_path / "parts"
    made = plan(config, folder)
    answer = solve(made)
    assert answers(folder) == one(config, tmp_path / "one")
    assert answer.optimal and answer.iterations > 0 and answer.predicates == ["Smokes"]
    assert len(answer["Smokes"]) == len(answer.values) == 60
    done, again = made.job(2, 1).run()  # what is answered travels with its part
    assert done.solved == 0 and done.cells == 4
    made.take(2, again)
    assert answers(folder) == answers(tmp_path / "one")
    assert not list(folder.glob("**/*.part"))


def test_a_damaged_answer_is_no_answer(tmp_path: Path) -> None:
    made = plan(towns(tmp_path), tmp_path / "parts")
    wanted = solve(made).values
    (tmp_path / "parts" / "answers" / "0002.values").write_bytes(bytes(40))
    with pytest.raises(deeppsl.InputError, match="part 0002 are missing or damaged"):
        made.merge()
    assert (solve(made).values == wanted).all()


def test_what_cannot_be_is_an_answer_too(tmp_path: Path) -> None:
    (tmp_path / "people.txt").write_text("ann\nbob\n")
    config = tmp_path / "model.json"
    predicates = {"A/1": {"observations": ["people.txt"]}, "B/1": {"targets": ["people.txt"]}}
    config.write_text(json.dumps({"rules": ["A(X) -> B(X) .", "!B(X) ."], "predicates": predicates}))
    answer = solve(plan(config, tmp_path / "parts"))
    assert answer.status == "infeasible" and len(answer.conflict) == 4 and not answer.predicates


def test_atoms_that_nobody_wants_are_not_there(tmp_path: Path) -> None:
    answer = solve(plan(towns(tmp_path), tmp_path / "parts", **{"runtime.inference.output.results": False}))
    assert answer.optimal and not answer.predicates and not len(answer.values)


def test_options_are_those_of_the_command(tmp_path: Path) -> None:
    made = plan(towns(tmp_path), tmp_path / "parts", **{"inference.method": "interior", "inference.gap": 1e-3})
    assert solve(made).method == "interior"
    with pytest.raises(deeppsl.InputError, match="no option inference.gab"):
        plan(tmp_path / "model.json", tmp_path / "other", **{"inference.gab": 1})


def test_another_version_refuses(tmp_path: Path) -> None:
    job = plan(towns(tmp_path), tmp_path / "parts").job(1, 1)._replace(folder="parts")
    with pytest.raises(deeppsl.InputError, match="and the driver 0.0.1, which may"):
        job._replace(version="0.0.1").run()


def test_parts_may_lie_at_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = towns(tmp_path)
    wanted = solve(plan(config, tmp_path / "parts"))
    with pytest.raises(deeppsl.InputError, match="no access to s3://bucket/parts") as raised:
        _shards.Plan(config, "s3://bucket/parts", False, 3, "components", None, None, None)
    assert "DEEPPSL_BINARY" in raised.value.problems[0].hint
    with pytest.raises(deeppsl.InputError, match="keep their states in a folder, and not at s3://bucket/parts"):
        _shards.check("s3://bucket/parts", False, "vertices")
    reaches = tmp_path / "reaches"  # what is at the address: a program to which it is a folder
    bucket, engine = str(tmp_path / "bucket"), _binary.find()
    line = f"[a.replace('s3://bucket', {bucket!r}) for a in sys.argv]"
    reaches.write_text(f"#!{sys.executable}\nimport os, sys\nos.execv({engine!r}, {line})\n")
    reaches.chmod(0o755)
    monkeypatch.setenv("DEEPPSL_BINARY", str(reaches))
    made = _shards.Plan(config, "s3://bucket/parts", False, 3, "components", None, None, None)
    assert made.job(1, 1).part == b""
    assert (solve(made).values == wanted.values).all()
    assert answers(tmp_path / "bucket" / "parts") == answers(tmp_path / "parts")


def test_an_engine_that_crashes_says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crash = tmp_path / "crash"
    crash.write_text("#!/bin/sh\necho out of luck >&2\nkill -9 $$\n")
    crash.chmod(0o755)
    monkeypatch.setenv("DEEPPSL_BINARY", str(crash))
    with pytest.raises(deeppsl.WorkerError, match="deeppsl merge ended by signal 9:\nout of luck"):
        _shards.call("merge", "parts")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, an engine ends when it is done")
def test_an_engine_dies_with_who_started_it(tmp_path: Path) -> None:
    engine, told = tmp_path / "engine", tmp_path / "told"
    engine.write_text(f"#!/bin/sh\necho $$ >{told}.new\nmv {told}.new {told}\nexec sleep 100\n")
    engine.chmod(0o755)
    program = "from deeppsl import _shards; _shards.call('run')"
    parent = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "DEEPPSL_BINARY": str(engine)})
    until = time.monotonic() + 60
    while not told.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    status = Path(f"/proc/{int(told.read_text())}/stat")
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < until
        time.sleep(0.01)


class Engines:
    """Blocks in processes of this machine, some of which are lost in each step."""

    def __init__(self, made: _shards.Plan, losing: bool) -> None:
        self._jobs = [pickle.loads(pickle.dumps(made.job(shard, 1))) for shard in range(1, made.shards + 1)]
        self._running: list[_blocks.Block | None] = [None] * made.shards
        self._losing, self._steps = losing, 0

    def step(self, places: list[_blocks.Place]) -> list[_blocks.Told]:
        self._steps += 1
        if self._losing and self._steps == 6:
            self.close()
            raise _blocks.LostError
        told = [self._one(k, place) for k, place in enumerate(places)]
        if self._losing:
            victim = self._steps % len(places)
            engine, self._running[victim] = self._running[victim], None
            assert engine is not None
            engine.close()
        return told

    def _one(self, k: int, place: _blocks.Place) -> _blocks.Told:
        engine = self._running[k]
        if engine is not None:
            return engine.step(place.since[-1])
        engine = self._running[k] = _blocks.Block(self._jobs[k], place.state)
        told = engine.step()
        for letters in place.since:
            told = engine.step(letters)
        return told

    def close(self) -> None:
        for engine in self._running:
            if engine is not None:
                engine.close()
        self._running = [None] * len(self._jobs)


def crowd(folder: Path, people: int = 400) -> Path:
    """Write a project of people who all have to do with the same three: every block has these."""
    chance = random.Random(9)
    friends = [f"p{k}\tp{k % 3}\t1" for k in range(3, people)] + [f"p{k}\tp{k + 1}\t1" for k in range(3, people - 1)]
    (folder / "friends.txt").write_text("\n".join(friends) + "\n")
    (folder / "likes.txt").write_text("".join(f"p{k}\t{chance.random():.3f}\n" for k in range(people)))
    (folder / "targets.txt").write_text("".join(f"p{k}\n" for k in range(people)))
    rules = ["3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2", "3: Friends(A, B) & Smokes(B) -> Smokes(A) ^2"]
    rules += ["1: Likes(A) -> Smokes(A) ^2", "1: Smokes(A) -> Likes(A) ^2"]
    tables = {"Friends/2": {"observations": ["friends.txt"]}, "Likes/1": {"observations": ["likes.txt"]}}
    config = folder / "model.json"
    predicates = {**tables, "Smokes/1": {"targets": ["targets.txt"]}}
    config.write_text(json.dumps({"rules": rules, "predicates": predicates}))
    return config


@pytest.mark.parametrize("shards", [1, 3, 6])
def test_blocks_that_are_lost_come_to_the_same_bits(tmp_path: Path, shards: int) -> None:
    config = crowd(tmp_path)
    wanted = blocks(config, tmp_path / "files", shards)
    for losing in (False, True):
        made = _shards.Plan(config, tmp_path / f"parts{losing}", False, shards, "vertices", 1e-7, None, None)
        engines = Engines(made, losing)
        told: list[_blocks.Done | _blocks.Round] = []
        _blocks.agree(made, engines.step, list, 2, told.append)
        engines.close()
        assert answers(tmp_path / f"parts{losing}") == wanted
        rounds = [step for step in told if isinstance(step, _blocks.Round)]
        assert sorted({step.round for step in rounds}) == list(range(1, rounds[-1].round + 1))
        assert len(told) == len(rounds) + shards
        answer = deeppsl.Answer(*made.merge(), {})
        assert answer.optimal and answer.iterations == len({step.round for step in rounds})
        told.clear()
        _blocks.agree(made, engines.step, list, 2, told.append)
        assert not told


def test_a_block_says_what_is_wrong(tmp_path: Path) -> None:
    made = _shards.Plan(crowd(tmp_path), tmp_path / "parts", False, 2, "vertices", 1e-7, None, None)
    (tmp_path / "parts" / "cells" / "0001" / "block").write_bytes(b"none")
    with pytest.raises(deeppsl.InputError, match="is damaged"), contextlib.closing(_blocks.Block(made.job(1, 1))) as b:
        b.step()
    with contextlib.closing(_blocks.Block(made.job(2, 1))) as block:
        block.step()
        with pytest.raises(deeppsl.FailedError, match="the letters of step 0 from standard input"):
            block.step([b"", b"", b""])
    with contextlib.closing(_blocks.Block(made.job(2, 1))) as block:
        block.step()
        block._engine.kill()
        with pytest.raises(deeppsl.WorkerError, match="ended by signal 9"):
            block.step([b"", b""])
    with contextlib.closing(_blocks.Block(made.job(2, 1), b"no state")) as block:
        with pytest.raises(deeppsl.InputError, match="its state"):
            block.step()
