"""Tables in and out: data frames, arrays, lists and mappings, as columns of numbers of strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _frames

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

#: The column of a data frame that has truth values, if no other one is named.
VALUE = "value"


class Column:
    """The arguments at one place: strings once, and the number of each row's string."""

    __slots__ = ("codes", "convert", "name", "texts")

    def __init__(self, name: Any, codes: npt.NDArray[np.int32], texts: Any, convert: Callable[[str], Any] = str) -> None:
        self.name = name
        self.codes = codes
        self.texts: list[str] | _frames.Strings = texts
        self.convert = convert  # makes of a string what the user's column has

    def strings(self) -> _frames.Strings:
        """Return the strings as they cross."""
        return self.texts if isinstance(self.texts, _frames.Strings) else _frames.Strings.of(self.texts)


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
            arrays += [column.strings(), column.codes]
        if self.values is not None:
            made["values"] = len(arrays)
            arrays.append(self.values)
        return made


def read(data: Any, value: Any = None) -> Table:
    """Make a table of a data frame (pandas, polars, Arrow), a mapping of columns or of atoms to values, or of rows.

    Of a frame, the column named `value` (or another, if the argument says so) has truth values, and all others are
    arguments, in their order. Rows are sequences of arguments, or single arguments; where the last item of each is a
    float, it is the truth value.
    """
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        return _of_pandas(data, value)
    if module == "polars":
        return _of_polars(data, value)
    if module == "pyarrow":
        return _of_arrow(data, value)
    if isinstance(data, Mapping):
        return _of_mapping(data, value)
    if hasattr(data, "__array__") and getattr(data, "ndim", 0) == 2:
        return _split({k: data[:, k] for k in range(data.shape[1])}, value, "", _of_values)
    return _of_rows(data)


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
    cells = {name: _items(column) for name, column in columns.items()}
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


def _is_number(item: Any) -> bool:
    return isinstance(item, (int, float)) and item == item


def _is_gap(item: Any) -> bool:
    return item is None or type(item).__name__ in ("NAType", "NaTType") or isinstance(item, float) and item != item


def _columns(data: Any) -> Mapping[Any, Any] | None:
    """Return the columns of a frame or a mapping; None if data are neither."""
    if isinstance(data, Mapping):
        return data
    if hasattr(data, "column_names"):  # of Arrow
        return {name: data.column(name).to_pylist() for name in data.column_names}
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        if len(set(data.columns)) < len(data.columns):
            raise ValueError(f"two columns have the same name; the columns are {list(data.columns)}")
        return {name: data[name].tolist() if hasattr(data, "iloc") else data[name].to_list() for name in data.columns}
    return None


def _split(columns: Mapping[Any, Any], value: Any, kind: str, column: Callable[[Any, Any], Column]) -> Table:
    """Tell the column of truth values from the arguments."""
    import numpy as np

    if value is not None and value not in columns:
        raise ValueError(f"there is no column {value!r} for the truth values; the columns are {list(columns)}")
    name = VALUE if value is None else value
    values = None
    if name in columns:
        try:
            values = np.ascontiguousarray(np.asarray(columns[name], dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise ValueError(f"the column {name!r} of truth values has what is no number: {error}") from None
    arguments = [column(key, given) for key, given in columns.items() if not (name in columns and key == name)]
    return Table(arguments, values, kind, name)


def _of_pandas(data: Any, value: Any) -> Table:
    frame = data.to_frame() if data.ndim == 1 else data
    if not frame.columns.is_unique:
        raise ValueError(f"two columns have the same name; the columns are {list(frame.columns)}")
    return _split({name: frame[name] for name in frame.columns}, value, "pandas", _of_series)


def _of_series(name: Any, series: Any) -> Column:
    import pandas

    codes, unique = pandas.factorize(series)
    if len(codes) and codes.min() < 0:
        raise _missing(name, int(codes.argmin()))
    return _column(name, codes, unique)


def _of_polars(data: Any, value: Any) -> Table:
    frame = data.to_frame() if hasattr(data, "to_frame") else data
    return _split({name: frame[name] for name in frame.columns}, value, "polars", _of_polars_series)


def _of_polars_series(name: Any, series: Any) -> Column:
    if series.null_count():
        raise _missing(name, int(series.is_null().arg_max()))
    unique = series.unique(maintain_order=True)
    codes = series.to_frame("v").join(
        unique.to_frame("v").with_row_index("k"), on="v", how="left", maintain_order="left"
    )["k"]
    return _column(name, codes.to_numpy(), unique.to_list())


def _of_arrow(data: Any, value: Any) -> Table:
    import pyarrow

    table = pyarrow.Table.from_batches([data]) if isinstance(data, pyarrow.RecordBatch) else data
    return _split(dict(zip(table.column_names, table.columns)), value, "arrow", _of_chunks)


def _of_chunks(name: Any, chunks: Any) -> Column:
    import pyarrow

    if chunks.null_count:
        raise _missing(name, int(chunks.is_null().index(True).as_py()))
    array = chunks.combine_chunks()
    array = pyarrow.chunked_array([array]).combine_chunks() if isinstance(array, pyarrow.ChunkedArray) else array
    if not pyarrow.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    return _column(name, array.indices.to_numpy(zero_copy_only=False), array.dictionary.to_pylist())


def _of_mapping(data: Mapping[Any, Any], value: Any) -> Table:
    """Take columns by name, or atoms with their values: {("ann", "bob"): 0.5}, {"ann": 0.5}."""
    if all(isinstance(v, (int, float)) for v in data.values()):
        rows = [(*key, float(v)) if isinstance(key, tuple) else (key, float(v)) for key, v in data.items()]
        return _of_rows(rows)
    lengths = {name: len(column) for name, column in data.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns have different lengths: {lengths}")
    return _split(data, value, "", _of_values)


def _of_rows(data: Iterable[Any]) -> Table:
    import numpy as np

    if isinstance(data, (str, bytes)):
        raise TypeError(f"rows are a data frame or a list of rows, and not the text {data!r}")
    rows = list(data)
    if any(type(row) is not tuple and type(row) is not list for row in rows):
        rows = [row if _is_row(row) else (row,) for row in rows]
    if not rows:
        return Table([], None)
    width = len(rows[0])
    if any(length != width for length in map(len, rows)):
        at = next(k for k, row in enumerate(rows) if len(row) != width)
        raise ValueError(f"row {at} has {len(rows[at])} items, and row 0 has {width}: {rows[at]!r}")
    columns = list(zip(*rows))
    if width > 1 and all(isinstance(item, (float, np.floating)) for item in columns[-1]):
        values = np.array(columns.pop(), np.float64)
    else:
        values = None
    return Table([_of_values(k, column) for k, column in enumerate(columns)], values)


def _is_row(row: Any) -> bool:
    return isinstance(row, Sequence) and not isinstance(row, (str, bytes)) or hasattr(row, "__array__")


def _of_values(name: Any, values: Iterable[Any]) -> Column:
    import numpy as np

    items = _items(values)
    numbers = {item: number for number, item in enumerate(dict.fromkeys(items))}
    codes = np.fromiter(map(numbers.__getitem__, items), np.int32)
    for item, number in numbers.items():
        if item is None or item != item:
            raise _missing(name, int(np.argmax(codes == number)))
    return _column(name, codes, list(numbers))


def _items(values: Iterable[Any]) -> list[Any] | tuple[Any, ...]:
    """Return what is in a column, as Python has it: numbers of numpy are numbers."""
    if isinstance(values, (list, tuple)):
        return values
    tolist = getattr(values, "tolist", None)
    return list(values) if tolist is None else list(tolist())


def _missing(name: Any, row: int) -> ValueError:
    return ValueError(f"row {row} has nothing in the column {name!r}: every argument of an atom is given")


def _column(name: Any, codes: Any, unique: Any) -> Column:
    """Make a column of numbers, and what is numbered."""
    import numpy as np

    items = list(_items(unique))
    kinds = {type(item) for item in items}
    codes = np.ascontiguousarray(codes, np.int32)
    if kinds <= {str}:
        return Column(name, codes, items)
    texts = [text(item) for item in items]
    convert: Callable[[str], Any] = str
    if len(kinds) == 1:
        originals = dict(zip(texts, items))
        kind = kinds.pop()

        def convert(text: str) -> Any:
            return originals[text] if text in originals else kind(text) if kind in (int, float) else text

    return Column(name, codes, texts, convert)


def text(item: Any) -> str:
    if isinstance(item, float):
        return repr(item)
    return item if isinstance(item, str) else str(item)


def write(kind: str, columns: list[tuple[Any, Any, Any]], value_name: Any, values: Any) -> Any:
    """Make a frame of the library `kind` ("pandas", "polars", "arrow"; "" for a dict of arrays).

    A column is its name, the numbers of its items, and an array of the items.
    """
    if kind == "pandas":
        import pandas

        made = {name: _pandas_column(codes, items) for name, codes, items in columns}
        made[value_name] = values
        return pandas.DataFrame(made)
    if kind == "arrow":
        import pyarrow

        arrays = [pyarrow.array(items.tolist()).take(pyarrow.array(codes)) for _, codes, items in columns]
        names = [str(name) for name, _, _ in columns] + [str(value_name)]
        return pyarrow.table([*arrays, pyarrow.array(values)], names=names)
    if kind == "polars":
        import polars

        series = [polars.Series(str(name), items.tolist())[codes] for name, codes, items in columns]
        return polars.DataFrame([*series, polars.Series(str(value_name), values)])
    if kind:
        raise ValueError(f"there are frames of pandas, polars and arrow, and not of {kind!r}")
    plain = {name: items[codes] for name, codes, items in columns}
    plain[value_name] = values
    return plain


def _pandas_column(codes: Any, items: Any) -> Any:
    import pandas

    return pandas.Series(items.tolist() if len(items) else [], dtype=None if len(items) else "str").take(codes).array


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
            texts = column.strings().list()
            columns.append([texts[code] for code in column.codes.tolist()])
        values = [1.0] * len(table) if table.values is None else table.values.tolist()
        found.setdefault(predicate, {}).update(zip(zip(*columns), values))
    return [(predicate, list(rows.items())) for predicate, rows in found.items()]
