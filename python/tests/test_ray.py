"""Shards on a cluster of Ray, of several processes on this machine; where Ray is installed."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deeppsl
from clusters import Fragile, answers, blocks, one, ring, slay, towns

ray: Any = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fragile]:
    """Start Ray with three workers, on the loopback, and end it."""
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setenv("RAY_AUTH_MODE", "disabled")  # no file in the home folder
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        fragile = Fragile(tmp_path_factory.mktemp("engine"))
        patch.setenv("DEEPPSL_BINARY", str(fragile.path))
        ray.init(
            num_cpus=3,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=80_000_000,
            _node_ip_address="127.0.0.1",
        )
        yield fragile
        ray.shutdown()


pytestmark = [pytest.mark.usefixtures("cluster"), pytest.mark.filterwarnings("default")]


def test_shards_have_the_bits_of_one_process(tmp_path: Path) -> None:
    from deeppsl.ray import Done, run

    config = towns(tmp_path)
    told: list[Done] = []
    answer = run(config, shards=4, directory=tmp_path / "parts", progress=told.append)
    assert answers(tmp_path / "parts") == one(config, tmp_path / "one")
    assert sorted(done.shard for done in told) == [1, 2, 3, 4]
    assert sum(done.cells for done in told) == sum(done.solved for done in told) == 12
    assert answer.optimal and answer.gap <= 1e-6 and answer.method == "newton"
    assert sum(done.objective for done in told) == pytest.approx(answer.objective)
    with deeppsl.Model.open(config) as whole:
        wanted = whole.infer()
    assert answer.predicates == wanted.predicates == ["Smokes"]
    found, known = answer.frame("Smokes", ""), wanted.frame("Smokes", "")
    assert [list(c) for c in list(found.values())[:-1]] == [list(c) for c in list(known.values())[:-1]]
    assert list(found.values())[-1] == pytest.approx(list(known.values())[-1], abs=1e-3)
    assert answer.value("Smokes", "t1p1") == answer.values_of("Smokes")[list(next(iter(found.values()))).index("t1p1")]
    told.clear()
    again = run(config, shards=4, directory=tmp_path / "parts", shared=True, progress=told.append)
    assert [done.solved for done in told] == [0] * 4
    assert (again.values == answer.values).all()


def test_what_is_wrong_is_said_as_elsewhere(tmp_path: Path) -> None:
    from deeppsl.ray import run

    config = towns(tmp_path)
    config.write_text(config.read_text().replace("Smokes(B)", "Smoke(B)"))
    with pytest.raises(deeppsl.InputError, match="unknown predicate Smoke") as raised:
        run(config)
    assert raised.value.problems[0].line == 1 and raised.value.problems[0].hint == "did you mean Smokes?"
    with pytest.raises(deeppsl.InputError, match="shared=True needs"):
        run(config, shared=True)
    with pytest.raises(deeppsl.InputError, match="enough for 3: say shards=3"):
        run(config, by="vertices", shards=4, directory=tmp_path / "blocks", shared=True)


def test_an_error_of_a_task_is_that_of_the_driver(tmp_path: Path) -> None:
    from deeppsl.ray import run

    config = towns(tmp_path)
    parts = tmp_path / "parts"
    run(config, shards=2, directory=parts)
    (damaged,) = (parts / "cells").glob("0001/SMOKES.targets.txt")
    for answer in (parts / "answers").iterdir():
        answer.unlink()

    from deeppsl import _shards
    from deeppsl import ray as shards

    job = _shards.Plan(config, parts, True, 2, "components", None, None, None).job(1, 1)
    damaged.write_text("")
    with pytest.raises(deeppsl.InputError, match="is damaged") as raised:
        shards._get(ray.remote(shards._run).remote(job), 1)
    assert raised.value.problems[0].id == "shard-damaged"


@pytest.mark.parametrize("shared", [False, True])
def test_a_worker_that_is_killed_is_started_again(tmp_path: Path, cluster: Fragile, shared: bool) -> None:
    from deeppsl.ray import run

    config = towns(tmp_path)
    cluster.arm()
    answer = run(config, shards=3, directory=tmp_path / "parts", shared=shared)
    assert cluster.fired and answer.optimal
    assert answers(tmp_path / "parts") == one(config, tmp_path / "one")


@pytest.mark.parametrize("shared", [False, True])
def test_an_actor_that_is_killed_goes_on_with_its_block(tmp_path: Path, shared: bool) -> None:
    from deeppsl.ray import Done, Round, run

    config = ring(tmp_path)
    told: list[Done | Round] = []

    def progress(step: Done | Round) -> None:
        told.append(step)
        if isinstance(step, Round) and step.round in (1, 3):  # in shards 2, and 3 or 1
            assert slay(2) and slay(4 - step.round)

    answer = run(
        config, shards=3, by="vertices", directory=tmp_path / "parts", shared=shared, gap=1e-7, progress=progress
    )
    assert answer.optimal and answer.method == "consensus" and answer.iterations > 4
    rounds = [step for step in told if isinstance(step, Round)]
    assert [step.round for step in rounds] == list(range(1, answer.iterations + 1))
    assert rounds[-1].gap <= 1e-7 and rounds[-1].best == pytest.approx(answer.objective)
    assert len(told) == len(rounds) + 3
    assert answers(tmp_path / "parts") == blocks(config, tmp_path / "files", 3)
    told.clear()
    run(config, shards=3, by="vertices", directory=tmp_path / "parts", shared=shared, gap=1e-7, progress=told.append)
    assert not told


def test_a_driver_that_is_killed_goes_on_with_all_blocks(tmp_path: Path) -> None:
    from deeppsl.ray import Done, Round, run

    config = ring(tmp_path)
    told: list[Done | Round] = []

    def stops(step: Done | Round) -> None:
        if isinstance(step, Round) and step.round == 5:
            raise KeyboardInterrupt

    kept = {"shards": 3, "by": "vertices", "directory": tmp_path / "parts", "gap": 1e-7, "checkpoint": 2}
    with pytest.raises(KeyboardInterrupt):
        run(config, progress=stops, **kept)
    run(config, progress=told.append, **kept)
    assert isinstance(told[0], Round) and told[0].round == 5
    assert answers(tmp_path / "parts") == blocks(config, tmp_path / "files", 3)


def test_who_may_not_be_killed_more_often_says_so_of_a_block(tmp_path: Path) -> None:
    from deeppsl.ray import Done, Round, run

    def progress(step: Done | Round) -> None:
        if isinstance(step, Round):
            assert slay(1)

    with pytest.raises(deeppsl.WorkerError, match="block 1 was lost, and may not be tried again"):
        run(ring(tmp_path), shards=2, by="vertices", gap=1e-7, retries=2, progress=progress)


def test_who_may_not_be_killed_more_often_says_so(tmp_path: Path, cluster: Fragile) -> None:
    from deeppsl.ray import run

    cluster.arm()
    with pytest.raises(deeppsl.WorkerError, match="shard 2 was lost, and may not be tried again"):
        run(towns(tmp_path), shards=3, retries=0)
