"""What the scripts of all peers share: the problem, read from free MPS, and the answer.

The arguments are the problem's path, the path for the answer, the relative gap, the limit of seconds, how many of the
columns, the first ones, are the problem's own variables, while the others are slacks, and a method for some peers.
"""
import json
import sys
import time

import numpy as np
from scipy import sparse

path, answer, gap, limit, variables = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
INFINITY = float("inf")


class Program:
    """minimise zᵀPz/2 + cᵀz subject to lower <= Az <= upper and floor <= z <= ceiling."""


def read(path):
    """Reads a program as the exporter writes it: every section once, a line per entry, columns in order."""
    kinds, rows, columns = [], {}, {}
    section, a, rhs, bounds, quadratic = "", ([], [], []), {}, [], ([], [])
    cost = {}
    for line in open(path):
        if line[0] != " ":
            section = line.split()[0]
            continue
        fields = line.split()
        if section == "ROWS" and fields[0] != "N":
            rows[fields[1]] = len(rows)
            kinds.append(fields[0])
        elif section == "COLUMNS":
            column = columns.setdefault(fields[0], len(columns))
            if fields[1] == "obj":
                cost[column] = float(fields[2])
            else:
                a[0].append(rows[fields[1]])
                a[1].append(column)
                a[2].append(float(fields[2]))
        elif section == "RHS" and fields[1] != "obj":
            rhs[rows[fields[1]]] = float(fields[2])
        elif section == "BOUNDS":
            bounds.append((fields[0], columns[fields[2]], fields[3:]))
        elif section == "QUADOBJ":
            quadratic[0].append(columns[fields[0]])
            quadratic[1].append(float(fields[2]))
    p, n, m = Program(), len(columns), len(rows)
    p.P = sparse.csc_matrix((quadratic[1], (quadratic[0], quadratic[0])), shape=(n, n))
    p.A = sparse.csc_matrix((a[2], (a[0], a[1])), shape=(m, n))
    p.c = dense(cost, n)
    right, kind = dense(rhs, m), np.array(kinds)
    p.lower = np.where(kind == "L", -INFINITY, right)
    p.upper = np.where(kind == "G", INFINITY, right)
    p.floor, p.ceiling = np.zeros(n), np.full(n, INFINITY)
    for kind, column, value in bounds:
        if kind == "UP":
            p.ceiling[column] = float(value[0])
        else:
            p.floor[column] = -INFINITY
    return p


def dense(entries, n):
    """Makes a vector of its entries that are not 0."""
    v = np.zeros(n)
    v[list(entries.keys())] = list(entries.values())
    return v


def clock():
    """Returns the time on the wall and the processor's, in seconds."""
    return time.perf_counter(), time.process_time()


def since(start):
    """Returns what has passed of both."""
    return tuple(now - then for now, then in zip(clock(), start))


def finish(values, seconds, version, status):
    """Writes the answer, and what is to be said of it."""
    np.asarray(values, dtype="<f8")[:variables].tofile(answer)
    print(json.dumps({"seconds": seconds[0], "cpu": seconds[1], "version": version, "status": str(status)}))
