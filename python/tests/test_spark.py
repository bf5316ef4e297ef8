"""Shards on a cluster of Spark, of several processes on this machine; where Spark is installed."""

from __future__ import annotations

import json
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import deeppsl
from clusters import Fragile, answers, blocks, one, ring, slay_executor, towns

pytest.importorskip("pyspark")
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(shutil.which("java") is None and "JAVA_HOME" not in os.environ, reason="Spark needs Java"),
]


@pytest.fixture(scope="module")
def fragile(tmp_path_factory: pytest.TempPathFactory) -> Fragile:
    return Fragile(tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def spark(fragile: Fragile) -> Iterator[Any]:
    """Start a master and two executors on the loopback, and end them."""
    from pyspark.sql import SparkSession

    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("deeppsl")
        settings = {
            "spark.ui.enabled": "false",
            "spark.log.level": "FATAL",
            "spark.rpc.message.maxSize": "1",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
            "spark.executorEnv.DEEPPSL_BINARY": str(fragile.path),
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        yield session
        session.stop()


def test_shards_have_the_bits_of_one_process(tmp_path: Path, spark: Any) -> None:
    from deeppsl.spark import run

    config = towns(tmp_path)
    answer = run(spark, config, shards=4, directory=tmp_path / "parts")
    assert answers(tmp_path / "parts") == one(config, tmp_path / "one")
    assert answer.optimal and answer.gap <= 1e-6
    frame = answer["Smokes"]
    assert frame.columns == ["arg1", "value"]
    found = {row["arg1"]: row["value"] for row in frame.collect()}
    assert len(found) == 60 and found["t3p2"] == answer.value("Smokes", "t3p2")
    with deeppsl.Model.open(config) as whole:
        wanted = whole.infer()
    assert all(value == pytest.approx(wanted.value("Smokes", person), abs=1e-3) for person, value in found.items())
    again = run(spark, config, shards=4, directory=tmp_path / "parts", shared=True)
    assert (again.values == answer.values).all()


def test_an_error_of_a_task_is_that_of_the_driver(
    tmp_path: Path, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deeppsl import _shards
    from deeppsl import spark as shards

    config, parts = towns(tmp_path), tmp_path / "parts"
    plan = _shards.Plan(config, parts, True, 2, "components", None, None, None)
    (parts / "cells" / "0001" / "SMOKES.targets.txt").write_text("")
    told = [row["error"] or "" for row in shards._solved(shards._Rows(spark), plan, 1).collect()]
    assert sum(map(bool, told)) == 1
    raised = shards._error(max(told))
    assert "is damaged" in str(raised) and raised.problems[0].id == "shard-damaged"
    with pytest.raises(deeppsl.InputError, match="shared=True needs"):
        shards.run(spark, config, shards=2, shared=True)
    monkeypatch.setattr(shards, "_CELL", 1_000_000)
    with pytest.raises(deeppsl.InputError, match="shard 7 takes 2 MB to a task, and a cell of Spark has at most 1"):
        shards._Rows(spark).frame([(7, "", bytes(2_000_000))], shards._JOB)


def test_parts_larger_than_a_message_go_in_pieces(
    tmp_path: Path, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deeppsl import spark as shards

    rows = [(1, "a", os.urandom(3_500_000)), (2, "b", b""), (3, "c", os.urandom(1_200_000))]
    found = shards._Rows(spark).frame(rows, shards._JOB).collect()
    assert sorted((row["shard"], row["folder"], bytes(row["part"])) for row in found) == rows
    monkeypatch.setattr(shards, "_REST", (1 << 20) - 2000)
    config = towns(tmp_path)
    shards.run(spark, config, shards=3, directory=tmp_path / "parts")
    assert answers(tmp_path / "parts") == one(config, tmp_path / "one")


def test_a_worker_that_is_killed_is_started_again(tmp_path: Path, spark: Any, fragile: Fragile) -> None:
    from deeppsl.spark import run

    config = towns(tmp_path)
    fragile.arm()
    answer = run(spark, config, shards=3, directory=tmp_path / "parts")
    assert fragile.fired and answer.optimal
    assert answers(tmp_path / "parts") == one(config, tmp_path / "one")


def test_blocks_agree_in_stages_and_go_on(tmp_path: Path, spark: Any, fragile: Fragile) -> None:
    from deeppsl.spark import Done, Round, run

    config = ring(tmp_path)
    told: list[Done | Round] = []

    def progress(step: Done | Round) -> None:
        told.append(step)
        if isinstance(step, Round) and step.round == 1:  # with the parts that it keeps
            assert slay_executor()
        if isinstance(step, Round) and step.round == 2:
            fragile.arm()  # a task of the next job

    answer = run(spark, config, shards=2, by="vertices", directory=tmp_path / "parts", gap=1e-5, progress=progress)
    assert fragile.fired
    assert answer.optimal and answer.method == "consensus" and answer.iterations > 2
    rounds = [step for step in told if isinstance(step, Round)]
    assert [step.round for step in rounds] == list(range(1, answer.iterations + 1)) and len(told) == len(rounds) + 2
    assert answers(tmp_path / "parts") == blocks(config, tmp_path / "files", 2, "1e-5")


def test_tables_may_be_frames(tmp_path: Path, spark: Any) -> None:
    from deeppsl.spark import run

    config = towns(tmp_path)
    project = json.loads(config.read_text())
    for predicate in project["predicates"].values():
        for key, files in predicate.items():
            rows = [line.split("\t") for line in (tmp_path / files[0]).read_text().splitlines()]
            columns = [f"c{k} string" for k in range(len(rows[0]))]
            if key == "observations":
                rows = [(*names, float(value)) for *names, value in rows]
                columns[-1] = "value double"
            predicate[key] = spark.createDataFrame(rows, ", ".join(columns))
    answer = run(spark, project, shards=3)
    wanted = run(spark, config, shards=3)
    assert answer.optimal and answer.objective == pytest.approx(wanted.objective)
    rows = answer["Smokes"].collect()
    assert len(rows) == 60
    assert all(row["value"] == pytest.approx(wanted.value("Smokes", row["arg1"]), abs=1e-3) for row in rows)
