"""Runs one query over tables of whole numbers, of which each column is a file, and says how long the database took.

The arguments are the folder of the files, the threads, and the query; the standard input has a line for each table: its
name, and how many columns it has.
"""
import json
import resource
import sys
import time

import duckdb
import numpy as np

folder, threads, query = sys.argv[1], sys.argv[2], sys.argv[3]
connection = duckdb.connect()
connection.execute(f"SET threads = {threads}")
connection.execute("SET preserve_insertion_order = false")
for line in sys.stdin:
    name, width = line.split()
    columns = {f"c{k}": np.fromfile(f"{folder}/{name}.{k}", dtype="<i4") for k in range(int(width))}
    columns["id"] = np.arange(len(columns["c0"]), dtype="<i4")
    connection.register("incoming", columns)
    connection.execute(f"CREATE TABLE {name} AS SELECT * FROM incoming")
    connection.unregister("incoming")


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


start, cpu = time.perf_counter(), processor()
connection.execute(f"CREATE TABLE answer AS {query}")
seconds, cpu = time.perf_counter() - start, processor() - cpu
rows = connection.execute("SELECT count(*) FROM answer").fetchone()[0]
print(json.dumps({"Seconds": seconds, "CPU": cpu, "Rows": rows, "Version": duckdb.__version__}))
