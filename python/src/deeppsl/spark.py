"""Inference by shards on a cluster of Spark: see docs/scaling.md."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow

from . import _shards
from ._errors import InputError, Problem
from .results import Answer

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

__all__ = ["SparkAnswer", "run"]

_JOB = "shard int, folder string, part binary"
_MADE = "shard int, answers binary, error string"


class SparkAnswer(Answer):
    """An answer whose frames are Spark's: answer["Smokes"] has the columns arg1, arg2, … and value."""

    _session: SparkSession

    def frame(self, predicate: str, kind: str | None = None) -> Any:
        """Return a predicate's atoms with their values as a data frame of Spark, or of another library, as Answer does."""
        if kind not in (None, "spark"):
            return super().frame(predicate, kind)
        *arguments, values = super().frame(predicate, "").values()
        columns = {f"arg{k}": pyarrow.array(column.tolist(), "string") for k, column in enumerate(arguments, 1)}
        return self._session.createDataFrame(pyarrow.table({**columns, "value": values}))

    __getitem__ = frame


def run(
    session: SparkSession,
    config: str | os.PathLike[str],
    *,
    shards: int,
    by: str = "components",
    directory: str | os.PathLike[str] | None = None,
    shared: bool = False,
    threads: int = 1,
    gap: float | None = None,
    seed: int | None = None,
    options: Mapping[str, object] | None = None,
) -> SparkAnswer:
    """Infer a project on a cluster of Spark.

    The driver cuts the project as `deeppsl shard --by … --into …` does, each shard is a row of a data frame that
    mapInArrow solves, a task for each, and the driver merges. `threads` should be spark.task.cpus. Parts travel as a
    binary column, of at most 2 GB each, and answers back; with `shared`, all machines see `directory` under the same path,
    and nothing travels. What is in a directory already is not solved again; without one, a temporary one is used.

    A task whose process or machine is lost is done again as spark.task.maxFailures says, to the same bits. Blocks of
    by="vertices" are one barrier stage, exchange files in the shared directory, and go on in the round where they were.
    """
    if shared and directory is None:
        raise InputError("shared=True needs directory=…, which all machines see under the same path")
    if by == "vertices" and not shared:
        raise InputError(
            "blocks exchange files: name a directory that all machines see under the same path, and say shared=True"
        )
    with contextlib.ExitStack() as stack:
        folder = Path(directory or stack.enter_context(tempfile.TemporaryDirectory(prefix="deeppsl-"))).absolute()
        plan = _shards.Plan(config, folder, shards, by, gap, seed, options)
        for row in _solved(session, plan, shared, threads, by == "vertices").collect():
            if row["error"]:
                raise _error(row["error"])
            if not shared:
                plan.take(row["shard"], bytes(row["answers"]))
        answer = SparkAnswer(*plan.merge(), {})
        answer._session = session
        return answer


def _solved(session: SparkSession, plan: _shards.Plan, shared: bool, threads: int, together: bool) -> DataFrame:
    """Return the data frame of the answers, one partition for each shard."""
    rows = []
    for shard in range(1, plan.shards + 1):
        job = plan.job(shard, shared, threads)
        if len(job.part) >= 1 << 31:
            raise InputError(
                f"shard {shard} has {len(job.part) / 1e9:.1f} GB, and a row of Spark holds 2 GB: say more shards, or "
                "shared=True with a directory that all machines see"
            )
        rows.append((shard, job.folder, job.part))
    jobs = session.createDataFrame(rows, _JOB).repartitionByRange(plan.shards, "shard")
    made = jobs.mapInArrow(_Solver(plan.shards, threads, job.version, together), _MADE, barrier=together)
    # Spark does a barrier stage again only if another stage comes behind it.
    return made.repartition(1) if together else made


class _Solver:
    """What tasks do with the rows of jobs."""

    def __init__(self, shards: int, threads: int, version: str, together: bool) -> None:
        self._shards, self._threads, self._version, self._together = shards, threads, version, together

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                answers, error = self._solve(row)
                made = {"shard": [row["shard"]], "answers": [answers], "error": [error]}
                kinds = [("shard", "int32"), ("answers", "binary"), ("error", "string")]
                yield pyarrow.RecordBatch.from_pydict(
                    made, pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in kinds])
                )

    def _solve(self, row: dict[str, Any]) -> tuple[bytes, str]:
        """Solve a shard. What is wrong with the input stays so, and is no reason to try again."""
        job = _shards.Job(row["shard"], self._shards, row["folder"], row["part"], self._threads, self._version)
        try:
            return job.run()[1], ""
        except InputError as error:
            if self._together:  # the others wait for this one
                raise
            return b"", json.dumps({"message": str(error), "problems": error.problems})


def _error(told: str) -> InputError:
    error = json.loads(told)
    return InputError(error["message"], tuple(Problem(*p) for p in error["problems"]))
