"""Predicates with their data."""

from __future__ import annotations

import csv
import enum
import os
from collections.abc import Iterable, Sequence
from typing import Any

import pandas

from .partition import Partition


class PredicateError(Exception):
    """A predicate or its data have no meaning."""


class Predicate:
    """A predicate: its name, the types of its arguments, and its data. Columns count by their order, not their names."""

    class ArgType(enum.Enum):
        """The type of an argument."""

        UNIQUE_STRING_ID = "UniqueStringID"
        UNIQUE_INT_ID = "UniqueIntID"
        STRING = "String"
        INT = "Integer"
        LONG = "Long"
        DOUBLE = "Double"

    STRING_TYPES = {ArgType.UNIQUE_STRING_ID, ArgType.STRING}
    INT_TYPES = {ArgType.UNIQUE_INT_ID, ArgType.INT, ArgType.LONG}
    FLOAT_TYPES = {ArgType.DOUBLE}

    DEFAULT_ARG_TYPE = ArgType.UNIQUE_STRING_ID
    DEFAULT_TRUTH_VALUE = 1.0
    DEFAULT_FILE_DELIMITER = "\t"

    def __init__(
        self,
        raw_name: str,
        size: int | None = None,
        arg_types: Sequence[ArgType] | None = None,
        evaluations: Iterable[dict[str, Any]] = (),
    ) -> None:
        if size is None and not arg_types:
            raise PredicateError(f"How many arguments has {raw_name}? Give a size, or the types of the arguments.")
        types = [self.DEFAULT_ARG_TYPE] * (size or 0) if arg_types is None else list(arg_types)
        if size is not None and (size < 1 or size != len(types)):
            raise PredicateError(f"{raw_name} cannot have {size} arguments of {len(types)} types.")
        for given in types:
            if not isinstance(given, Predicate.ArgType):
                raise PredicateError(f"The type of an argument is a Predicate.ArgType, and not {given!r}.")
        self._name = self.normalize_name(raw_name)
        self._types = types
        self._evaluations = list(evaluations)
        self._data: dict[Partition, pandas.DataFrame] = {}
        self.clear_data()

    def add_data(self, partition: Partition, data: Any) -> Predicate:
        """Add rows: a frame, or a list of lists, with a column for each argument and perhaps one of truth values."""
        if not isinstance(partition, Partition):
            raise PredicateError(f"A partition is a Partition, and not {partition!r}.")
        rows = pandas.DataFrame(data).copy()
        size = len(self)
        if rows.shape[1] not in (size, size + 1) and len(rows) > 0:
            raise PredicateError(f"Rows of {self._name} have {size} or {size + 1} columns, and not {rows.shape[1]}.")
        if len(rows) == 0:
            return self
        rows.columns = pandas.RangeIndex(rows.shape[1])
        if rows.shape[1] == size:
            rows[size] = self.DEFAULT_TRUTH_VALUE
        before = self._data[partition]
        self._data[partition] = pandas.concat([before, rows], ignore_index=True) if len(before) else rows.reset_index(drop=True)
        return self

    def add_data_file(
        self,
        partition: Partition,
        path: str | os.PathLike[str],
        has_header: bool = False,
        delim: str = DEFAULT_FILE_DELIMITER,
    ) -> Predicate:
        """Add the rows of a file, whose columns are separated by delim."""
        strings = {k: str for k, kind in enumerate(self._types) if kind in self.STRING_TYPES}
        try:
            data = pandas.read_csv(
                path,
                delimiter=delim,
                header=None,
                skiprows=1 if has_header else None,
                quoting=csv.QUOTE_NONE,
                dtype=strings,
                keep_default_na=False,
            )
            return self.add_data(partition, data)
        except pandas.errors.EmptyDataError:
            return self
        except (PredicateError, ValueError) as error:
            raise PredicateError(f"The file {path} does not fit {self._name}, with {delim!r} between columns: {error}") from error

    def add_data_row(self, partition: Partition, args: Sequence[Any], truth_value: float = DEFAULT_TRUTH_VALUE) -> Predicate:
        """Add one row."""
        return self.add_data(partition, [[*args, truth_value]])

    def add_observed_data(self, data: Any) -> Predicate:
        """Add rows that are known."""
        return self.add_data(Partition.OBSERVATIONS, data)

    def add_target_data(self, data: Any) -> Predicate:
        """Add rows whose values are to be inferred."""
        return self.add_data(Partition.TARGETS, data)

    def add_truth_data(self, data: Any) -> Predicate:
        """Add rows to learn from and be scored by."""
        return self.add_data(Partition.TRUTH, data)

    def clear_data(self) -> Predicate:
        """Forget all rows."""
        self._data.clear()
        for partition in Partition:
            self._data[partition] = pandas.DataFrame(columns=pandas.RangeIndex(len(self) + 1))
        return self

    def name(self) -> str:
        """Return the name, in capitals."""
        return self._name

    def types(self) -> list[ArgType]:
        """Return the types of the arguments."""
        return self._types

    def __len__(self) -> int:
        return len(self._types)

    def data(self) -> dict[Partition, Any]:
        """Return the rows by what they are; the last column has the truth values."""
        return self._data

    def to_dict(self) -> dict[str, Any]:
        """Return the predicate as configurations have it."""
        made: dict[str, Any] = {"name": self._name, "arity": len(self), "types": [kind.value for kind in self._types]}
        for partition, rows in self._data.items():
            made[partition.value] = [list(row) for row in zip(*(rows[k].tolist() for k in rows.columns))]
        made["evaluations"] = self._evaluations
        return made

    @staticmethod
    def normalize_name(name: str) -> str:
        """Return the name by which a predicate is known: case does not count."""
        return name.upper()
