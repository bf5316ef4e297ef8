"""Data frames in, data frames out."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import deeppsl
from deeppsl import _frames, _tables, changes

COLUMNS: dict[str, list[Any]] = {"who": ["ann", "bob", "ann"], "age": [3, 40, -5], "value": [0.25, 1.0, 0.0]}

FRAMES = {
    "pandas": pandas.DataFrame(COLUMNS),
    "polars": polars.DataFrame(COLUMNS),
    "arrow": pyarrow.table(COLUMNS),
    "": COLUMNS,
}


def as_lists(frame: Any) -> dict[str, list[Any]]:
    if isinstance(frame, pandas.DataFrame):
        return frame.to_dict("list")  # type: ignore[no-any-return]
    if isinstance(frame, polars.DataFrame):
        return frame.to_dict(as_series=False)
    if isinstance(frame, pyarrow.Table):
        return frame.to_pydict()  # type: ignore[no-any-return]
    return {name: column.tolist() for name, column in frame.items()}


def through(data: Any, **options: Any) -> Any:
    """Return what a model answers about given atoms whose values are those of data."""
    with deeppsl.Model("1: In(A, B) -> Out(A, B) ^2") as model:
        model.given("In", data, **options)
        columns = list((data if isinstance(data, dict) else as_lists(data)).items())[:2]
        return model.target("Out", dict(columns)).infer()


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_come_back_as_they_went(kind: str) -> None:
    answer = through(FRAMES[kind])
    frame = answer.frame("In", "" if kind == "" else None)
    assert type(frame) is type(FRAMES[kind])
    assert as_lists(frame) == COLUMNS


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", ""])
def test_frames_of_another_kind(kind: str) -> None:
    made = as_lists(through(FRAMES["pandas"]).frame("In", kind))
    assert made == COLUMNS


def test_frames_of_no_kind_there_is() -> None:
    with pytest.raises(ValueError, match="spark"):
        through(FRAMES["pandas"]).frame("In", "spark")


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_the_column_of_values_can_be_named(kind: str) -> None:
    frame = through({"a": ["x"], "b": ["y"], "score": [0.5]}, value="score").frame("In", kind)
    assert list(as_lists(frame)) == ["a", "b", "score"]
    with pytest.raises(ValueError, match="no column 'truth'"):
        through(FRAMES[kind], value="truth")


def test_rows_name_the_column_of_values_or_have_none() -> None:
    table = _tables.read([{"who": "a", "score": 0.25}, {"who": "b", "score": 1}], "score")
    assert len(table.columns) == 1 and table.values is not None and table.values.tolist() == [0.25, 1]
    with pytest.raises(ValueError, match="no column 'score' for the truth values: rows have none"):
        _tables.read([("a", 0.25)], "score")


@pytest.mark.parametrize(
    "data",
    [
        pandas.DataFrame({"a": ["x", None], "b": ["y", "z"]}),
        pandas.DataFrame({"a": [1.0, np.nan], "b": ["y", "z"]}),
        polars.DataFrame({"a": ["x", None], "b": ["y", "z"]}),
        pyarrow.table({"a": ["x", None], "b": ["y", "z"]}),
        [("x", "y"), (None, "z")],
        [("x", "y"), (np.datetime64("NaT"), "z")],
        [("x", "y"), (decimal.Decimal("NaN"), "z")],
        {"a": ["x", float("nan")], "b": ["y", "z"]},
    ],
)
def test_missing_arguments_are_named(data: Any) -> None:
    with pytest.raises(ValueError, match="row 2 has nothing in the column ('a'|0)"):
        _tables.read(data)


@pytest.mark.parametrize(
    ("data", "columns", "values"),
    [
        ([("a", "b"), ("a", "c")], [["a", "a"], ["b", "c"]], None),
        ([["a", 0.5], ["b", 1.0]], [["a", "b"]], [0.5, 1]),
        ([["a", 1], ["b", 2]], [["a", "b"], ["1", "2"]], None),
        (["a", "b"], [["a", "b"]], None),
        ({("a", "b"): 0.5}, [["a"], ["b"]], [0.5]),
        ({"a": 1}, [["a"]], [1]),
        (np.array([["a", "b"], ["c", "d"]]), [["a", "c"], ["b", "d"]], None),
        (pandas.Series(["a", "b"], name="x"), [["a", "b"]], None),
        (pandas.DataFrame({"c": pandas.Categorical(["u", "v", "u"])}), [["u", "v", "u"]], None),
        (pandas.Categorical(["u", "v", "u"]), [["u", "v", "u"]], None),
        (pandas.array([1, 2], dtype="Int64"), [["1", "2"]], None),
        (pyarrow.table({"c": pyarrow.array(["u", "v", "u"]).dictionary_encode()}), [["u", "v", "u"]], None),
        (polars.DataFrame({"c": polars.Series(["u", "v", "u"], dtype=polars.Categorical)}), [["u", "v", "u"]], None),
        (pandas.DataFrame({"c": [True, False]}), [["True", "False"]], None),
        (pandas.DataFrame({"c": ["", "ä€😀", "x\ty\n"]}), [["", "ä€😀", "x\ty\n"]], None),
        ([], [], None),
    ],
)
def test_what_a_table_may_be(data: Any, columns: list[list[str]], values: list[float] | None) -> None:
    table = _tables.read(data)
    made = []
    for column in table.columns:
        texts = column.strings.list()
        assert len(set(texts)) == len(texts)
        made.append([texts[c] for c in column.codes])
    assert made == columns
    assert (None if table.values is None else table.values.tolist()) == values


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ([("a", "b"), ("c",)], "row 2 has 1 items"),
        ({"a": ["x"], "b": []}, "different lengths"),
        ({"a": ["x"], "value": [0.5j]}, "what is no number: complex"),
        (pandas.DataFrame({"a": ["x"], "value": ["high"]}), "no number"),
        (pandas.DataFrame([["x", "y"]], columns=["a", "a"]), "same name"),
        (pyarrow.table([["x"], ["y"]], names=["a", "a"]), "same name"),
        (pandas.DataFrame({"value": [0.5]}), "no column with the arguments"),
        ([b"ann"], "the column 0: b'ann' is no text: decode it"),
        ({"a": np.array(["ann"], "S")}, "decode it"),
        ({"a": np.array(["2024-01-01T00:00:00.000000001"], "datetime64[ns]")}, "nanoseconds"),
    ],
)
def test_what_no_table_is(data: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        _tables.read(data)
    with pytest.raises(TypeError, match="not the text"):
        _tables.read("Friends")


def test_names_that_are_hard() -> None:
    names = ["", " a ", "ä€😀", "x'y\"z", "1.0", "tab\tnew\nline", "ﬀ" * 1000]
    with deeppsl.Model("0.5: A(X) ^2\n1: !A(X) ^2") as model, pytest.warns(deeppsl.DeepPSLWarning, match="space"):
        frame = model.target("A", {"name": names}).infer().frame("A", "pandas")
    assert frame["name"].tolist() == names


def test_a_predicate_is_a_name() -> None:
    with deeppsl.Model("1: A(X) ^2") as model, pytest.raises(TypeError, match="by its name, and not of None"):
        model.target(None, ["a"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("item", "like"),
    [
        (np.float64(0.5), 0.5),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.int8(5), 5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.datetime64("2024-01-02"), datetime.date(2024, 1, 2)),
        (np.datetime64("2024-01-02T03:04:05", "ns"), datetime.datetime(2024, 1, 2, 3, 4, 5)),
    ],
    ids=repr,
)
def test_what_numpy_has_is_what_python_has(item: Any, like: Any) -> None:
    assert _tables.text(item) == _tables.text(like)
    assert changes.observe("A", item)["arguments"] == [_tables.text(like)]
    for data in ([item], {"a": np.array([item])}, pandas.DataFrame({"a": np.array([item])}), pandas.Series([item])):
        (column,) = _tables.read(data).columns
        shown = _tables.text(like)
        if isinstance(like, datetime.date) and not isinstance(data, (list, dict)):
            shown = str(pandas.Timestamp(like))  # pandas has no dates without a time
        assert column.strings.list() == [shown]


def test_changes_are_numbers() -> None:
    for change in (changes.weight(np.int64(1), 2), changes.deactivate(np.int64(1)), changes.activate(np.int64(1))):
        assert type(change["rule"]) is int
    with pytest.raises(ValueError, match="a value is a number, and not nan"):
        changes.observe("A", "a", value=float("nan"))


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_targets_without_rows_have_a_frame(kind: str) -> None:
    empty = {"pandas": pandas.DataFrame({"who": []}), "polars": polars.DataFrame({"who": []}, {"who": polars.String})}
    with deeppsl.Model("1: A(X) ^2") as model, pytest.warns(deeppsl.DeepPSLWarning):
        answer = model.target("A", empty.get(kind, pyarrow.table({"who": pyarrow.array([], pyarrow.string())}))).infer()
        frame = answer["A"]
        assert list(frame.column_names if kind == "arrow" else frame.columns) == ["who", "value"] and len(frame) == 0
        with pytest.raises(KeyError, match="no atom of B"):
            answer.frame("B")


def test_views_of_strings_come_back() -> None:
    with deeppsl.Model("1: A(X) ^2") as model:
        model.target("A", pyarrow.table({"who": pyarrow.array(["x"]).cast(pyarrow.string_view())}))
        assert model.infer()["A"].column("who").to_pylist() == ["x"]


def test_empty_tables() -> None:
    with deeppsl.Model("1: A(X) -> B(X) ^2") as model, pytest.warns(deeppsl.DeepPSLWarning, match="never-fires"):
        model.observe("A", pandas.DataFrame({"x": []})).target("B", polars.DataFrame({"y": ["b"]}))
        assert model.infer()["B"].columns == ["y", "value"]


def test_many_rows_are_the_same_rows() -> None:
    count = 20_000
    frame = pandas.DataFrame({"a": np.arange(count) % 7, "b": np.arange(count), "value": np.linspace(0, 1, count)})
    out = through(frame)["In"]
    pandas.testing.assert_frame_equal(out, frame)


def test_records_of_numpy_are_a_frame() -> None:
    records = pandas.DataFrame({"a": ["x", "y"], "b": [3, 4], "value": [0.5, 1.0]}).to_records(index=False)
    with deeppsl.Model("1: In(A, B) -> Out(A, B) ^2") as model:
        answer = model.given("In", records).target("Out", records[["a", "b"]]).infer()
    assert answer.value("In", "x", 3) == 0.5 and answer.value("Out", "y", 4) == pytest.approx(1, abs=1e-3)
    np.testing.assert_array_equal(_tables.features(records[["b", "value"]]), np.array([[3, 0.5], [4, 1]], np.float32))


def test_strings_cross() -> None:
    texts = ["", "a", "äö", "😀", "b\0c"]
    assert _frames.Strings.of(texts).list() == texts
    assert _frames.Strings.of([]).list() == []


@pytest.mark.parametrize(
    "column",
    [
        pandas.Series(["a", "b"], dtype="category"),
        pandas.Series([7, 3], dtype="category"),
        pandas.Series(["a", "b"], dtype=object),
        pandas.Series(["a", "b"], dtype="string"),
        pandas.Series([7, 3], dtype="Int64"),
        pandas.Series([7, 3], dtype="int8"),
        pandas.Series([2**64 - 1, 0], dtype="uint64"),
        pandas.Series([0.1, 0.3], dtype="float32"),
        pandas.Series([True, False]),
        pandas.Series(pandas.to_datetime(["2020-01-01", "2021-02-03"])),
        pandas.Series(pandas.to_datetime(["2020-01-01", "2021-02-03"], utc=True)),
        polars.Series(["a", "b"], dtype=polars.Categorical),
        polars.Series(["a", "b"], dtype=polars.Enum(["b", "a"])),
        polars.Series([7, 3], dtype=polars.UInt8),
        polars.Series([datetime.date(2020, 1, 1), datetime.date(2021, 2, 3)]),
        pyarrow.array(["a", "b"]).dictionary_encode(),
        pyarrow.array([7, 3], pyarrow.int16()),
        pyarrow.array([datetime.date(2020, 1, 1), datetime.date(2021, 2, 3)]),
    ],
    ids=lambda column: f"{type(column).__module__.partition('.')[0]}-{getattr(column, 'dtype', None) or column.type}",
)
def test_columns_keep_their_type(column: Any) -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2") as model:
        back = model.observe("In", column).target("Out", column).infer()["Out"]
    if isinstance(column, pyarrow.Array):
        assert back.column(0).combine_chunks() == column
    else:
        one = back[back.columns[0]]
        assert one.dtype == column.dtype
        assert one.to_list() == column.to_list()


def test_atoms_that_no_category_has() -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2") as model:
        model.observe("In", ["a", "b"]).target("Out", pandas.Series(["a"], dtype="category")).target("Out", ["b"])
        assert model.infer()["Out"].iloc[:, 0].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "data",
    [
        pandas.Series([0.25, 1.0], index=["a", "b"]),
        pandas.Series([0.25, 1.0], index=pandas.MultiIndex.from_tuples([("a",), ("b",)], names=["who"]), name="share"),
        pandas.DataFrame({"value": [0.25, 1.0]}, index=["a", "b"]),
        {"a": np.float32(0.25), "b": np.int64(1)},
        {"a": 0.25, "b": np.True_},
        [{"who": "a", "value": 0.25}, {"who": "b", "value": 1}],
        polars.LazyFrame({"who": ["a", "b"], "value": [0.25, 1.0]}),
        pyarrow.table({"who": ["a", "b"], "value": [0.25, 1.0]}).to_reader(),
        (row for row in [("a", 0.25), ("b", 1.0)]),
    ],
    ids=lambda data: type(data).__name__,
)
def test_atoms_with_values(data: Any) -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2") as model:
        answer = model.given("In", data).target("Out", ["a", "b"]).infer()
        assert [answer.value("In", "a"), answer.value("In", "b")] == [0.25, 1]


@pytest.mark.parametrize(
    "data",
    [np.array([3, 5]), pandas.Index([3, 5]), pandas.Series([3, 5], index=[7, 8]), pyarrow.chunked_array([[3], [5]]), {3, 5}],
    ids=lambda data: type(data).__name__,
)
def test_single_arguments(data: Any) -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2") as model:
        answer = model.observe("In", data).target("Out", [3, 5]).infer()
        assert answer.value("Out", 3) == pytest.approx(1) and answer.value("Out", np.int64(5)) == pytest.approx(1)
        with pytest.raises(KeyError, match=r"no open atom Out\(8\)"):
            answer.value("Out", 8)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (5, "and not 5"),
        (None, "and not None"),
        (pandas.Timestamp("2024-01-02"), "and not Timestamp"),
        ([object()], "an argument is a text, a number, a date, and not <object"),
        (["\ud800"], "is no Unicode text"),
        (polars.DataFrame({"p": [1.0, float("nan")]}), "row 2 has nothing in the column 'p'"),
        (pyarrow.table({"p": [1.0, float("nan")]}), "row 2 has nothing in the column 'p'"),
        ([{"p": "a"}, {"q": "b"}], r"row 2 has the columns \['q'\]"),
        (polars.DataFrame({"p": [[1, 2]]}), r"the column 'p' has \[1, 2\], of the type List"),
        (pyarrow.table({"p": [[1, 2]]}), r"the column 'p' has \[1, 2\], of the type list"),
        ([("a", ["b"])], r"has \['b'\]: an argument is a text, a number, a date"),
        ([(("a", ["b"]),)], r"has \('a', \['b'\]\): an argument is a text, a number, a date"),
        (np.zeros((2, 1, 1)), "an argument is a text, a number, a date"),
        (pandas.DataFrame({"p": [[1, 2]]}), r"the column 'p' has \[1, 2\], of the type object"),
        ({"p": "ann"}, "a mapping has columns, or atoms with their values, and 'p' has 'ann'"),
        ({"p": {"ann": 1}}, "and 'p' has {'ann': 1}"),
        ({("ann",): "high"}, "and .* has 'high'"),
    ],
)
def test_what_is_no_data(data: Any, text: str) -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2") as model, pytest.raises((TypeError, ValueError), match=text):
        model.observe("In", data)


def test_a_value_that_is_an_argument_is_told() -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2") as model, pytest.raises(deeppsl.InputError, match="meant as a truth value"):
        model.observe("In", [("a", 1)]).target("Out", ["a"]).infer()
