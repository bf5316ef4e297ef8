"""Writes the same table with other programs, in all that they can write it in, into others/. Its rows are in make.csv.
Files in gaps/ lack values: those that make-gaps.csv has not.

Needs pyarrow 26, polars 2.1 and duckdb 2.0.
"""

import csv
import itertools
import pathlib

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq

here = pathlib.Path(__file__).parent
others = here / "others"
gaps = here / "gaps"

ROWS = 30
table = pa.table({
    "who": pa.array([f"person {k * 7 % 11}" + "é" * (k % 3) for k in range(ROWS)], pa.string()),
    "small": pa.array([(k - 10) * 100_003 for k in range(ROWS)], pa.int32()),
    "large": pa.array([(-1) ** k * 3**k * 10_007 for k in range(ROWS)], pa.int64()),
    "byte": pa.array([255 - k for k in range(ROWS)], pa.uint8()),
    "eight": pa.array([2**64 - 1 - k**9 for k in range(ROWS)], pa.uint64()),
    "known": pa.array([k % 3 == 0 or k > 20 for k in range(ROWS)], pa.bool_()),
    "single": pa.array([k / 7 for k in range(ROWS)], pa.float32()),
    "truth": pa.array([k / 29 for k in range(ROWS)], pa.float64()),
})
required = table.cast(pa.schema([field.with_nullable(False) for field in table.schema]))

# Each column lacks other rows, and "none" all.
gapped = pa.table({
    **{name: pa.array([None if (k + n) % (n + 2) < 2 - n % 2 and k > 2 else v for k, v in enumerate(table[name].to_pylist())],
                      table.schema.field(name).type) for n, name in enumerate(table.column_names)},
    "none": pa.nulls(ROWS, pa.int64()), "text": pa.nulls(ROWS, pa.string()), "null": pa.nulls(ROWS)})

integers, floats = ["small", "large", "byte", "eight"], ["single", "truth"]
encodings = {
    "dictionary": {},
    "plain": {"use_dictionary": False},
    "delta": {"use_dictionary": False, "column_encoding": {
        "who": "DELTA_LENGTH_BYTE_ARRAY", "known": "RLE", **dict.fromkeys(integers, "DELTA_BINARY_PACKED"),
        **dict.fromkeys(floats, "BYTE_STREAM_SPLIT")}},
    "prefix": {"use_dictionary": False, "column_encoding": {
        "who": "DELTA_BYTE_ARRAY", **dict.fromkeys(integers + floats, "BYTE_STREAM_SPLIT")}},
}


def arrow(name, rows, folder=others, **options):
    pq.write_table(rows, folder / f"{name}.parquet", row_group_size=20, data_page_size=48, write_batch_size=8,
                   store_schema=False, write_statistics=False, **options)


def main():
    others.mkdir(exist_ok=True)
    gaps.mkdir(exist_ok=True)
    for version, (encoding, options) in itertools.product("12", encodings.items()):
        arrow(f"arrow-{encoding}-{version}", table, data_page_version=version + ".0", compression="none", **options)
        arrow(f"arrow-{encoding}-{version}", gapped, gaps, data_page_version=version + ".0", compression="zstd", **options)
        arrow(f"arrow-{encoding}-{version}-required", required, data_page_version=version + ".0", compression="none", **options)
    for version, codec in itertools.product("12", ["snappy", "gzip", "zstd", "brotli", "lz4"]):
        arrow(f"arrow-{codec}-{version}", table, data_page_version=version + ".0", compression=codec)
    arrow("arrow-format-1", table, version="1.0", write_page_checksum=True)
    arrow("arrow-format-2", table, version="2.6", write_page_checksum=True, write_page_index=True)
    pq.write_table(table, others / "arrow-defaults.parquet")
    for codec in ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4"]:
        polars.from_arrow(table).write_parquet(others / f"polars-{codec}.parquet", compression=codec, row_group_size=20,
                                               statistics=False)
    people = table  # by which name DuckDB finds it
    polars.from_arrow(gapped).write_parquet(gaps / "polars.parquet", row_group_size=20, statistics=False)
    duckdb.sql("set threads = 1")
    for version in ["v1", "v2"]:
        duckdb.sql(f"copy (from gapped) to '{gaps}/duckdb-{version}.parquet' (format parquet, parquet_version {version})")
    for version, codec in itertools.product(["v1", "v2"], ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"]):
        duckdb.sql(f"copy (from people) to '{others}/duckdb-{codec}-{version}.parquet' "
                   f"(format parquet, codec {codec}, parquet_version {version})")
    write("make.csv", table)
    write("make-gaps.csv", gapped)


def write(name, rows):
    with open(here / name, "w", newline="") as file:
        out = csv.writer(file, delimiter="|", lineterminator="\n")
        out.writerow(rows.column_names)
        for row in zip(*(column.to_pylist() for column in rows.columns)):
            out.writerow(text(name, value) for name, value in zip(rows.column_names, row))


def text(name, value):
    """A value as DeepPSL writes it: shortest, in single precision where that is what is stored."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if name == "single":
        import numpy
        return numpy.format_float_positional(numpy.float32(value), trim="-")
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
