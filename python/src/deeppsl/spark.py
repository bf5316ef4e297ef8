"""Inference by shards on a cluster of Spark: see docs/scaling.md."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet
from pyspark.sql.functions import broadcast

from . import __version__, _shards
from ._blocks import Block, Place, Round, Told, agree
from ._errors import InputError, Problem
from ._shards import Done
from .results import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Done", "Round", "SparkAnswer", "run"]

_JOB = pyarrow.schema([("shard", "int32"), ("folder", "string"), ("part", "binary")])
_PLACE = pyarrow.schema(
    [("shard", "int32"), ("state", "binary"), ("since", pyarrow.list_(pyarrow.list_(pyarrow.binary())))]
)
_MADE = "shard int, answers binary, done string, error string"
_TOLD = "shard int, rounds string, done string, fresh boolean, state binary, error string, letters array<binary>"
_PIECE = pyarrow.schema([("place", "int32"), ("number", "int32"), ("piece", "binary")])
_REST = 1 << 17  # bytes of a task beside its row
_CELL = 2_000_000_000  # bytes that a cell may have


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
    config: str | os.PathLike[str] | Mapping[str, Any],
    *,
    shards: int,
    by: str = "components",
    directory: str | os.PathLike[str] | None = None,
    shared: bool = False,
    threads: int = 1,
    gap: float | None = None,
    seed: int | None = None,
    options: Mapping[str, object] | None = None,
    checkpoint: int = 10,
    progress: Callable[[Done | Round], None] | None = None,
) -> SparkAnswer:
    """Infer a project on a cluster of Spark.

    The driver cuts the project as `deeppsl shard --by … --into …` does, each shard is a row of a data frame that
    mapInArrow solves, a task for each, and the driver merges. A configuration that is a dict may have data frames of Spark
    in the place of files, whose columns are arguments and maybe a value; files that it names have absolute paths.
    `threads` should be spark.task.cpus. Parts travel as a binary column, in pieces where they are larger than
    spark.rpc.message.maxSize, and answers back; with `shared`, all machines see `directory` under the same path, and nothing travels; s3://bucket/parts
    is such a directory, with the program of cloud/. What is in a directory already is not solved again; without one, a
    temporary one is used.

    Blocks of by="vertices" are rows, too: each step of a round is a job, whose tasks take a block's state and what others
    told it, and return its next state and what it tells. Parts stay with the executors, states and letters go by the
    driver, which keeps the states in the directory every `checkpoint` rounds: from there the same call goes on.

    A task whose process or machine is lost is done again as spark.task.maxFailures says, to the same bits. `progress` is
    called with each Round, and with each shard that is Done when all are.
    """
    _shards.check(directory, shared, by)
    with contextlib.ExitStack() as stack:
        folder = directory or stack.enter_context(tempfile.TemporaryDirectory(prefix="deeppsl-"))
        if not isinstance(config, (str, os.PathLike)):
            config = _write(config, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="deeppsl-"))))
        plan = _shards.Plan(config, folder, shared, shards, by, gap, seed, options)
        rows = _Rows(session)
        if by == "vertices":
            stages = stack.enter_context(contextlib.closing(_Stages(rows, plan, threads)))
            agree(plan, stages.step, list, checkpoint, progress)
        else:
            for row in _solved(rows, plan, threads).collect():
                if row["error"]:
                    raise _error(row["error"])
                plan.take(row["shard"], bytes(row["answers"]))
                if progress is not None:
                    progress(Done(**json.loads(row["done"])))
        answer = SparkAnswer(*plan.merge(), {})
        answer._session = session
        return answer


def _write(config: Mapping[str, Any], folder: Path) -> Path:
    """Write a configuration whose tables may be data frames, each as a file."""
    frames = itertools.count(1)

    def written(part: Any) -> Any:
        if isinstance(part, Mapping):
            return {name: written(value) for name, value in part.items()}
        if isinstance(part, list):
            return [written(value) for value in part]
        if hasattr(part, "toArrow"):
            path = folder / f"{next(frames)}.parquet"
            pyarrow.parquet.write_table(part.toArrow(), path)
            return path.name
        return part

    path = folder / "config.json"
    path.write_text(json.dumps(written(config)), encoding="utf-8")
    return path


class _Rows:
    """Makes data frames of a few large rows, each a partition."""

    def __init__(self, session: SparkSession) -> None:
        self._most = int(session.conf.get("spark.rpc.message.maxSize", "128") or 128) << 20
        self._session = session.newSession()  # whose settings are nobody else's
        self._session.conf.set("spark.sql.execution.arrow.localRelationThreshold", "0")  # each batch is a partition
        self._session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")  # one may have two gigabytes

    def frame(self, rows: list[tuple[Any, ...]], schema: pyarrow.Schema) -> DataFrame:
        """Return that of rows about shards, which are numbers from 1.

        A row travels with its task. Where one is larger than what Spark lets pass with that, all go in pieces, and through
        a shuffle.
        """
        for shard, *cells in rows:
            size = max((len(cell) for cell in cells if isinstance(cell, bytes)), default=0)
            if size > _CELL:
                raise InputError(
                    f"shard {shard} takes {size / 1e6:.0f} MB to a task, and a cell of Spark has at most {_CELL / 1e6:.0f}: "
                    "say more shards, or shared=True with a directory that all machines see"
                )
        whole = [_batch(row, schema) for row in rows]
        most = self._most - _REST
        if all(batch.nbytes <= most for batch in whole):
            return self._frame(whole)
        pieces = []
        for place, batch in enumerate(whole):
            sink = pyarrow.BufferOutputStream()
            with pyarrow.ipc.new_stream(sink, schema) as stream:
                stream.write_batch(batch)
            data = sink.getvalue()
            for number, at in enumerate(range(0, data.size, most)):
                pieces.append(_batch((place, number, data[at : at + most].to_pybytes()), _PIECE))
        frame = self._frame(pieces)
        like = self._session.createDataFrame(schema.empty_table())
        return frame.repartitionById(len(rows), frame["place"]).mapInArrow(_whole, like.schema)

    def _frame(self, batches: list[pyarrow.RecordBatch]) -> DataFrame:
        return self._session.createDataFrame(pyarrow.Table.from_batches(batches))


def _batch(row: tuple[Any, ...], schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Return a row as a batch of its own."""
    return pyarrow.record_batch([pyarrow.array([cell], kind) for cell, kind in zip(row, schema.types)], schema)


def _whole(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Put the row of a partition together, whose pieces come in any order."""
    pieces = {row["number"]: row["piece"] for batch in batches for row in batch.to_pylist()}
    if pieces:
        with pyarrow.ipc.open_stream(b"".join(pieces[number] for number in sorted(pieces))) as stream:
            yield from stream


def _jobs(rows: _Rows, plan: _shards.Plan, threads: int) -> DataFrame:
    """Return the data frame of the parts."""
    jobs = [plan.job(shard, threads) for shard in range(1, plan.shards + 1)]
    return rows.frame([(job.shard, job.folder, job.part) for job in jobs], _JOB)


def _solved(rows: _Rows, plan: _shards.Plan, threads: int) -> DataFrame:
    """Return the data frame of the answers."""
    return _jobs(rows, plan, threads).mapInArrow(_Solver(plan.shards, threads), _MADE)


class _Tasks:
    """What tasks do with rows, one at a time, which they make others of."""

    def __init__(self, shards: int, threads: int) -> None:
        self._shards, self._threads, self._version = shards, threads, __version__

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                job = _shards.Job(row["shard"], self._shards, row["folder"], row["part"], self._threads, self._version)
                try:
                    made = self._make(job, row)
                except InputError as error:  # it stays so, and is no reason to try again
                    made = {"error": json.dumps({"message": str(error), "problems": error.problems})}
                made = {"shard": row["shard"], **made}
                yield pyarrow.RecordBatch.from_pylist([made], self._schema())

    def _make(self, job: _shards.Job, row: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def _schema(self) -> pyarrow.Schema:
        raise NotImplementedError


class _Solver(_Tasks):
    """Solves a shard."""

    def _make(self, job: _shards.Job, row: dict[str, Any]) -> dict[str, Any]:
        done, answers = job.run()
        return {"answers": answers, "done": json.dumps(done._asdict())}

    def _schema(self) -> pyarrow.Schema:
        return pyarrow.schema([("shard", "int32"), ("answers", "binary"), ("done", "string"), ("error", "string")])


class _Stepper(_Tasks):
    """Has a block tell its next step."""

    def _make(self, job: _shards.Job, row: dict[str, Any]) -> dict[str, Any]:
        with contextlib.closing(Block(job, row["state"])) as block:
            told = block.step()
            for letters in row["since"]:
                told = block.step(letters)
        made = told._asdict()
        made["rounds"] = json.dumps(told.rounds)
        made["done"] = json.dumps(told.done and told.done._asdict())
        made["fresh"] = told.state != row["state"] and bool(told.state)
        return made

    def _schema(self) -> pyarrow.Schema:
        kinds = {"rounds": "string", "done": "string", "fresh": "bool", "state": "binary", "error": "string"}
        fields = [(name, pyarrow.type_for_alias(kind)) for name, kind in {"shard": "int32", **kinds}.items()]
        return pyarrow.schema([*fields, ("letters", pyarrow.list_(pyarrow.binary()))])


class _Stages:
    """The blocks of a plan, whose parts stay with the executors."""

    def __init__(self, rows: _Rows, plan: _shards.Plan, threads: int) -> None:
        self._rows = rows
        self._parts = _jobs(rows, plan, threads).persist()
        self._stepper = _Stepper(plan.shards, threads)

    def step(self, places: list[Place]) -> list[Told]:
        """Have each block tell its next step."""
        rows = [(shard, place.state, place.since) for shard, place in enumerate(places, 1)]
        frame = self._rows.frame(rows, _PLACE)
        told = {}
        for row in self._parts.join(broadcast(frame), "shard").mapInArrow(self._stepper, _TOLD).collect():
            if row["error"]:
                raise _error(row["error"])
            done = json.loads(row["done"])
            told[row["shard"]] = Told(
                [Round(*ended) for ended in json.loads(row["rounds"])],
                done and Done(**done),
                row["fresh"],
                bytes(row["state"]),
                [bytes(letter) for letter in row["letters"]],
            )
        return [told[shard] for shard in range(1, len(places) + 1)]

    def close(self) -> None:
        """Let the parts go."""
        self._parts.unpersist()


def _error(told: str) -> InputError:
    error = json.loads(told)
    return InputError(error["message"], tuple(Problem(*p) for p in error["problems"]))
