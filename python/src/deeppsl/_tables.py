"""Tables in and out: data frames, arrays, lists and mappings, as columns of numbers of strings."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _frames

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

#: The column of a data frame that has truth values, if no other one is named.
VALUE = "value"


class Column:
    """The arguments at one place: strings once, and the number of each row's string."""

    __slots__ = ("codes", "kinds", "name", "originals", "strings", "type")

    def __init__(self, name: Any, codes: npt.NDArray[np.int32], strings: _frames.Strings) -> None:
        self.name = name
        self.codes = codes
        self.strings = strings  # as they cross
        self.originals: dict[str, Any] = {}  # what the user's column has, by string, where that is something else
        self.kinds: set[type] = set()
        self.type: Any = None  # that of the column in the library that it is of

    def convert(self, text: str) -> Any:
        """Make of a string what the user's column has, or would have."""
        if text in self.originals:
            return self.originals[text]
        kind = next(iter(self.kinds)) if len(self.kinds) == 1 else str
        return kind(text) if kind in (int, float) else text


class Table:
    """Rows of a predicate: columns, truth values or None if all are 1, and the library that frames are of."""

    __slots__ = ("columns", "kind", "value_name", "values")

    def __init__(self, columns: list[Column], values: Any, kind: str = "", value_name: Any = VALUE) -> None:
        self.columns = columns
        self.values: npt.NDArray[np.float64] | None = values
        self.kind = kind
        self.value_name = value_name

    def __len__(self) -> int:
        return len(self.columns[0].codes) if self.columns else 0

    def pack(self, predicate: str, part: str, phase: str, arrays: list[Any]) -> dict[str, Any]:
        """Return the table as a request has it, and add its arrays to those of the request."""
        made: dict[str, Any] = {"predicate": predicate, "part": part, "columns": []}
        if phase:
            made["phase"] = phase
        for column in self.columns:
            made["columns"].append({"strings": len(arrays), "codes": len(arrays) + 1})
            arrays += [column.strings, column.codes]
        if self.values is not None:
            made["values"] = len(arrays)
            arrays.append(self.values)
        return made


def read(data: Any, value: Any = None) -> Table:
    """Make a table of a data frame (pandas, polars, Arrow), a mapping of columns or of atoms to values, or of rows.

    Of a frame, the column named `value` (or another, if the argument says so) has truth values, and all others are
    arguments, in their order. Rows are sequences of arguments, or single arguments, or mappings as rows of a frame; where
    the last item of each is a float, it is the truth value.
    """
    module = type(data).__module__.partition(".")[0]
    if module == "pandas" and hasattr(data, "ndim"):
        return _of_pandas(data, value)
    if module == "polars":
        return _of_polars(data, value)
    if module == "pyarrow":
        return _of_arrow(data, value)
    if isinstance(data, Mapping):
        return _of_mapping(data, value)
    if names := _fields(data):
        return _split({name: data[name] for name in names}, value, "", _of_values)
    if hasattr(data, "__array__") and getattr(data, "ndim", 0) == 2:
        return _split({k: data[:, k] for k in range(data.shape[1])}, value, "", _of_values)
    return _of_rows(data, value)


def features(data: Any) -> Any:
    """Make feature vectors of an array, a frame or a mapping of columns.

    They are an array [rows, features] of numbers; or, where there are texts or gaps, a list of columns: its name, its cells
    as texts, "" where there is none, and whether it is one of texts, so that its numbers are names.
    """
    import numpy as np

    columns = _columns(data)
    if columns is None:
        array = np.asarray(data)
        if array.ndim != 2:
            raise ValueError(f"features are rows of numbers, and not an array of shape {array.shape}")
        if array.dtype.kind in "fiub" and np.isfinite(array).all():
            return np.ascontiguousarray(array, np.float32)
        columns = {f"column {k + 1}": array[:, k] for k in range(array.shape[1])}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns have different lengths: {lengths}")
    cells = {name: _cells(name, _items(column)) for name, column in columns.items()}
    if all(_is_number(item) for column in cells.values() for item in column):
        return np.ascontiguousarray(np.array([list(map(float, column)) for column in cells.values()], np.float32).T)
    return [
        (
            str(name),
            ["" if _is_gap(item) else text(item) for item in column],
            not all(_is_gap(item) or _is_number(item) for item in column),
        )
        for name, column in cells.items()
    ]


def _cells(name: Any, items: Sequence[Any]) -> Sequence[Any]:
    """Return the cells of a column: numbers of any library as those of Python, durations in days, and no vectors."""
    if {type(item) for item in items} <= {int, float, str, bool, type(None)}:
        return items
    return [_cell(name, item) for item in items]


def _cell(name: Any, item: Any) -> Any:
    if _is_gap(item):
        return item
    if hasattr(item, "dtype") and getattr(item, "ndim", 1) == 0:
        item = _items(item.reshape(1))[0]
    if isinstance(item, decimal.Decimal):
        return float(item)
    if isinstance(item, datetime.timedelta):
        return item / datetime.timedelta(days=1)
    if isinstance(item, (list, tuple, set, dict, bytes, complex)) or getattr(item, "ndim", 0) > 0:
        raise TypeError(
            f"the column {name!r} of features has {item!r}, and not a number or text: "
            "numpy.stack makes an array of a column of vectors"
        )
    return item


def _is_number(item: Any) -> bool:
    return isinstance(item, (int, float)) and item == item


def _is_gap(item: Any) -> bool:  # also of the libraries that have a value of their own for it
    if item is None or isinstance(item, (str, int)):
        return item is None
    return type(item).__name__ in ("NAType", "NaTType") or getattr(item, "ndim", 0) == 0 and bool(item != item)


def _columns(data: Any) -> Mapping[Any, Any] | None:
    """Return the columns of a frame or a mapping; None if data are neither."""
    if isinstance(data, Mapping):
        return data
    if hasattr(data, "column_names"):  # of Arrow
        _distinct(data.column_names)
        return {name: data.column(name).to_pylist() for name in data.column_names}
    if names := _fields(data):
        return {name: data[name].tolist() for name in names}
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        _distinct(list(data.columns))
        return {name: data[name].tolist() if hasattr(data, "iloc") else data[name].to_list() for name in data.columns}
    return None


def _fields(data: Any) -> tuple[str, ...]:
    """Return the names of a structured array's fields, as of DataFrame.to_records; none of other data."""
    return getattr(getattr(data, "dtype", None), "names", None) or ()


def _distinct(names: list[Any]) -> None:
    if len(set(names)) < len(names):
        raise ValueError(f"two columns have the same name; the columns are {names}")


def _split(columns: Mapping[Any, Any], value: Any, kind: str, column: Callable[[Any, Any], Column]) -> Table:
    """Tell the column of truth values from the arguments."""
    import numpy as np

    if value is not None and value not in columns:
        raise ValueError(f"there is no column {value!r} for the truth values; the columns are {list(columns)}")
    name = VALUE if value is None else value
    values = None
    if name in columns:
        try:
            if np.iscomplexobj(columns[name]):
                raise ValueError("complex numbers")
            values = np.ascontiguousarray(np.asarray(columns[name], dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise ValueError(f"the column {name!r} of truth values has what is no number: {error}") from None
    arguments = [column(key, given) for key, given in columns.items() if not (name in columns and key == name)]
    if values is not None and len(values) and not arguments:
        raise ValueError(f"there are truth values, the column {name!r}, and no column with the arguments of the atoms")
    return Table(arguments, values, kind, name)


def _of_pandas(data: Any, value: Any) -> Table:
    import pandas

    if isinstance(data, pandas.api.extensions.ExtensionArray):  # such as Categorical
        data = pandas.Series(data)
    if data.ndim == 1 and _are_values(data):
        value = VALUE if data.name is None else data.name
        data = data.rename(value)
    frame = data.to_frame() if data.ndim == 1 else data
    _distinct(list(frame.columns))
    if list(frame.columns) == [VALUE if value is None else value] and _has_index(frame):
        frame = frame.reset_index()
    return _split({name: frame[name] for name in frame.columns}, value, "pandas", _of_series)


def _are_values(series: Any) -> bool:
    """Tell whether a series of pandas has truth values, of arguments that are in its index, and not arguments."""
    if not hasattr(series, "index") or not _has_index(series) or series.dtype.kind not in "fb":
        return False
    return bool(series.between(0, 1).all())


def _has_index(data: Any) -> bool:
    """Tell whether the index of pandas says something of its own."""
    import pandas

    return not isinstance(data.index, pandas.RangeIndex)


def _of_series(name: Any, series: Any) -> Column:
    import pandas

    try:
        codes, unique = pandas.factorize(series)
    except TypeError:
        return _nested(name, series.tolist(), series.dtype)
    if len(codes) and codes.min() < 0:
        raise _missing(name, int(codes.argmin()))
    return _column(name, codes, unique, series.dtype)


def _of_polars(data: Any, value: Any) -> Table:
    if hasattr(data, "collect"):  # it is lazy
        data = data.collect()
    frame = data.to_frame() if hasattr(data, "to_frame") else data
    return _split({name: frame[name] for name in frame.columns}, value, "polars", _of_polars_series)


def _of_polars_series(name: Any, series: Any) -> Column:
    if series.null_count():
        raise _missing(name, int(series.is_null().arg_max()))
    if series.dtype.is_nested() or series.dtype.is_object():
        return _nested(name, series.to_list(), series.dtype)
    unique = series.unique(maintain_order=True)
    codes = series.to_frame("v").join(
        unique.to_frame("v").with_row_index("k"), on="v", how="left", maintain_order="left"
    )["k"]
    return _column(name, codes.to_numpy(), unique.to_list(), series.dtype)


def _of_arrow(data: Any, value: Any) -> Table:
    import pyarrow

    if hasattr(data, "read_all"):
        data = data.read_all()
    elif isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
        data = pyarrow.table([data], names=["0"])
    table = pyarrow.Table.from_batches([data]) if isinstance(data, pyarrow.RecordBatch) else data
    _distinct(table.column_names)
    return _split(dict(zip(table.column_names, table.columns)), value, "arrow", _of_chunks)


def _of_chunks(name: Any, chunks: Any) -> Column:
    import pyarrow

    if chunks.null_count:
        raise _missing(name, int(chunks.is_null().index(True).as_py()))
    array = chunks.combine_chunks()
    array = pyarrow.chunked_array([array]).combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array
    if not pyarrow.types.is_dictionary(array.type):
        try:
            array = array.dictionary_encode()
        except pyarrow.ArrowNotImplementedError:
            return _nested(name, array.to_pylist(), chunks.type)
    return _column(name, array.indices.to_numpy(zero_copy_only=False), array.dictionary.to_pylist(), chunks.type)


def _nested(name: Any, items: list[Any], type_: Any) -> Column:
    """Make a column of items that their library cannot number, if they can be arguments at all."""
    try:
        return _of_values(name, items)
    except TypeError:
        raise TypeError(f"the column {name!r} has {items[0]!r}, of the type {type_}: an argument is a text, a number, a date") from None


def _of_mapping(data: Mapping[Any, Any], value: Any) -> Table:
    """Take columns by name, or atoms with their values: {("ann", "bob"): 0.5}, {"ann": 0.5}."""
    import numpy as np

    if all(isinstance(v, (numbers.Real, np.bool_)) for v in data.values()):
        rows = [(*key, float(v)) if isinstance(key, tuple) else (key, float(v)) for key, v in data.items()]
        return _of_rows(rows)
    for name, column in data.items():
        if isinstance(column, (str, bytes, Mapping)) or not hasattr(column, "__len__"):
            raise TypeError(f"a mapping has columns, or atoms with their values, and {name!r} has {column!r}")
    lengths = {name: len(column) for name, column in data.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns have different lengths: {lengths}")
    return _split(data, value, "", _of_values)


def _of_rows(data: Iterable[Any], value: Any = None) -> Table:
    import numpy as np

    if isinstance(data, (str, bytes)):
        raise TypeError(f"rows are a data frame or a list of rows, and not the text {data!r}")
    try:
        rows = list(data)
    except TypeError:
        raise TypeError(f"data are a frame, a mapping, rows or a path, and not {data!r}") from None
    if rows and all(isinstance(row, Mapping) for row in rows):
        return _split(_of_records(rows), value, "", _of_values)
    if value is not None:
        raise ValueError(f"there is no column {value!r} for the truth values: rows have none, but their last items where all are floats")
    if any(type(row) is not tuple and type(row) is not list for row in rows):
        rows = [row if _is_row(row) else (row,) for row in rows]
    if not rows:
        return Table([], None)
    width = len(rows[0])
    if any(length != width for length in map(len, rows)):
        at = next(k for k, row in enumerate(rows) if len(row) != width)
        raise ValueError(f"row {at + 1} has {len(rows[at])} items, and row 1 has {width}: {rows[at]!r}")
    columns = list(zip(*rows))
    if width > 1 and all(isinstance(item, (float, np.floating)) for item in columns[-1]):
        values = np.array(columns.pop(), np.float64)
    else:
        values = None
    return Table([_of_values(k, column) for k, column in enumerate(columns)], values)


def _of_records(rows: list[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Return the columns of rows whose items have names."""
    for k, row in enumerate(rows):
        if row.keys() != rows[0].keys():
            raise ValueError(f"row {k + 1} has the columns {list(row)}, and row 1 has {list(rows[0])}")
    return {name: [row[name] for row in rows] for name in rows[0]}


def _is_row(row: Any) -> bool:
    return isinstance(row, Sequence) and not isinstance(row, (str, bytes)) or getattr(row, "ndim", 0) == 1


def _of_values(name: Any, values: Iterable[Any]) -> Column:
    import numpy as np

    items = _items(values)
    try:
        places = {item: place for place, item in enumerate(dict.fromkeys(items))}
    except TypeError:
        odd = next(item for item in items if not _is_hashable(item))
        raise TypeError(f"the column {name!r} has {odd!r}: an argument is a text, a number, a date") from None
    codes = np.fromiter(map(places.__getitem__, items), np.int32)
    return _column(name, codes, list(places))


def _is_hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _items(values: Iterable[Any]) -> list[Any] | tuple[Any, ...]:
    """Return what is in a column, as Python has it: numbers of numpy are numbers."""
    if isinstance(values, (list, tuple)):
        return values
    if str(getattr(values, "dtype", "")) in ("datetime64[ns]", "timedelta64[ns]") and hasattr(values, "astype"):
        values = _in_microseconds(values)
    tolist = getattr(values, "tolist", None)
    return list(values) if tolist is None else list(tolist())


def _in_microseconds(values: Any) -> Any:
    """Return times of numpy's, which count nanoseconds, as Python has them: in microseconds, if that is all there is to them."""
    if not type(values).__module__.startswith("numpy"):
        return values
    made = values.astype(values.dtype.str[:2] + "8[us]")
    rounded = (made.astype(values.dtype) != values) & (values == values)
    if rounded.any():
        raise ValueError(f"{values[rounded.argmax()]} has nanoseconds, which Python's times have not: make it text")
    return made


def _missing(name: Any, row: int) -> ValueError:
    return ValueError(f"row {row + 1} has nothing in the column {name!r}: every argument of an atom is given")


def _column(name: Any, codes: Any, unique: Any, type_: Any = None) -> Column:
    """Make a column of numbers, and what is numbered."""
    import numpy as np

    items = list(_items(unique))
    codes = np.ascontiguousarray(codes, np.int32)
    kinds = {type(item) for item in items}
    try:
        texts = items if kinds <= {str} else [text(item) for item in items]
    except ValueError as error:
        raise ValueError(f"the column {name!r}: {error}") from None
    if not kinds <= {str}:
        for number, item in enumerate(items):
            if _is_gap(item):
                raise _missing(name, int(np.argmax(codes == number)))
    try:
        column = Column(name, codes, _frames.Strings.of(texts))
    except UnicodeEncodeError as error:
        raise ValueError(f"the column {name!r} has {error.object!r}, which is no Unicode text") from None
    column.type, column.kinds = type_, kinds
    if texts is not items:
        column.originals = dict(zip(texts, items))
    return column


def text(item: Any) -> str:
    """Return an argument as text: the same of a number of Python and of one of numpy."""
    if isinstance(item, str):
        return str(item)
    if hasattr(item, "dtype") and hasattr(item, "tolist"):
        item = _items(item.reshape(1))[0] if getattr(item, "ndim", 1) == 0 else item.tolist()
    if isinstance(item, (bytes, bytearray)):
        raise ValueError(f"{item!r} is no text: decode it")
    made = repr(item) if isinstance(item, float) else str(item)
    if made.startswith("<") and made == object.__repr__(item):  # a place in memory
        raise TypeError(f"an argument is a text, a number, a date, and not {made}")
    return made


class Written(NamedTuple):
    """A column of a frame that is made."""

    name: Any
    codes: Any  #: the numbers of its items
    items: Any  #: an array
    type: Any = None  #: of the column in the library of the frame, if it is known


def write(kind: str, columns: list[Written], value_name: Any, values: Any) -> Any:
    """Make a frame of the library `kind` ("pandas", "polars", "arrow"; "" for a dict of arrays)."""
    if kind == "pandas":
        import pandas

        made = {c.name: _pandas_column(c) for c in columns}
        made[value_name] = values
        return pandas.DataFrame(made)
    if kind == "arrow":
        import pyarrow

        arrays = [_arrow_column(c) for c in columns]
        names = [str(c.name) for c in columns] + [str(value_name)]
        return pyarrow.table([*arrays, pyarrow.array(values)], names=names)
    if kind == "polars":
        import polars

        series = [_typed(c, lambda items, t: polars.Series(items, dtype=t))[c.codes].alias(str(c.name)) for c in columns]
        return polars.DataFrame([*series, polars.Series(str(value_name), values)])
    if kind:
        raise ValueError(f"there are frames of pandas, polars and arrow, and not of {kind!r}")
    plain = {c.name: c.items[c.codes] for c in columns}
    plain[value_name] = values
    return plain


def _typed(column: Written, make: Callable[[list[Any], Any], Any]) -> Any:
    """Make the items of a column, of its type if all of them can be."""
    items = column.items.tolist()
    if column.type is not None:
        try:
            return make(items, column.type)
        except Exception:  # each library has its own
            pass
    return make(items, None)


def _pandas_column(column: Written) -> Any:
    import pandas

    def make(items: list[Any], type_: Any) -> Any:
        made = pandas.Series(items, dtype=type_ if type_ is not None or items else "str").array
        if type_ is not None and pandas.isna(made).any():  # such as what is no category
            raise ValueError
        return made

    made = _typed(column, make).take(column.codes)
    return pandas.Series(made, dtype=made.dtype)  # as it is: a frame would guess again what objects are


def _arrow_column(column: Written) -> Any:
    import pyarrow

    def make(items: list[Any], type_: Any) -> Any:
        return pyarrow.array(items, type=type_).take(pyarrow.array(column.codes))

    return _typed(column, make)


def best() -> str:
    """Return the library that frames are of where the user has given none."""
    import importlib.util

    for kind, module in (("pandas", "pandas"), ("polars", "polars"), ("arrow", "pyarrow")):
        if importlib.util.find_spec(module) is not None:
            return kind
    return ""


def merge(changes: list[tuple[str, Table]]) -> list[tuple[str, Table]]:
    """Make one table per predicate of many, of which later ones hold."""
    return [(predicate, _of_rows([(*atom, v) for atom, v in rows])) for predicate, rows in atoms(changes)]


def atoms(changes: list[tuple[str, Table]]) -> list[tuple[str, list[tuple[tuple[str, ...], float]]]]:
    """List the atoms of tables by predicate with their values, of which later ones hold."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for predicate, table in changes:
        columns = []
        for column in table.columns:
            texts = column.strings.list()
            columns.append([texts[code] for code in column.codes.tolist()])
        values = [1.0] * len(table) if table.values is None else table.values.tolist()
        found.setdefault(predicate, {}).update(zip(zip(*columns), values))
    return [(predicate, list(rows.items())) for predicate, rows in found.items()]
