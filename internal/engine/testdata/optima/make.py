"""Makes the models beside this file and optima.tsv: for each, the smallest objective that there is.

The rules are ground here by hand, as the definition has them, and the problems are solved by Clarabel to 1e-12, so that
neither the grounding nor the solvers of DeepPSL have a part in it. Run it as `python make.py` with numpy, scipy and
clarabel installed; it writes the same files each time.
"""

import json
import random
from itertools import product

import clarabel
import numpy as np
from scipy import sparse


class Problem:
    """A sum of w * max(0, d) ** p or w * abs(d) ** p over x in [0, 1], under hard d <= 0 or d = 0."""

    def __init__(self):
        self.number, self.soft, self.hard = {}, [], []

    def target(self, *atom):
        self.number[atom] = len(self.number)

    def add(self, weight, terms, constant, power=1, equal=False):
        terms = [(self.number[atom], c) for c, atom in terms]
        if not terms:
            return
        if weight is None:
            self.hard.append((terms, constant, equal))
        else:
            self.soft.append((weight, terms, constant, power, equal))

    def rule(self, weight, body, head, power=1):
        """Adds body -> head. A literal is an observed value, an atom that is a target, or ("not", atom)."""
        terms, constant = [], 1.0 - len(body)
        for literal, sign in [(b, 1.0) for b in body] + [(h, -1.0) for h in head]:
            if isinstance(literal, (int, float)):
                constant += sign * literal
            elif literal[0] == "not":
                constant += sign
                terms.append((-sign, literal[1]))
            else:
                terms.append((sign, literal))
        self.add(weight, terms, constant, power)

    def solve(self):
        """Returns the smallest objective: each soft ground rule has a slack s >= d, s >= 0."""
        n, m = len(self.number), len(self.soft)
        cost, square, rows, bounds, zero = np.zeros(n + m), np.zeros(n + m), [], [], []

        def row(terms, constant, slack=None, sign=1.0):
            line = {}
            for k, c in terms:
                line[k] = line.get(k, 0.0) + sign * c
            if slack is not None:
                line[n + slack] = -1.0
            return line, -sign * constant

        for k, (weight, terms, constant, power, equal) in enumerate(self.soft):
            (cost if power == 1 else square)[n + k] = weight
            rows.append(row(terms, constant, k))
            if equal:
                rows.append(row(terms, constant, k, -1.0))
            rows.append(({n + k: -1.0}, 0.0))
        for terms, constant, equal in self.hard:
            (zero if equal else rows).append(row(terms, constant))
        for k in range(n):
            rows += [({k: 1.0}, 1.0), ({k: -1.0}, 0.0)]
        lines = zero + rows
        matrix = sparse.lil_matrix((len(lines), n + m))
        for i, (line, _) in enumerate(lines):
            for k, c in line.items():
                matrix[i, k] = c
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
        result = clarabel.DefaultSolver(
            sparse.diags(2 * square, format="csc"), cost, matrix.tocsc(), np.array([b for _, b in lines]),
            [clarabel.ZeroConeT(len(zero)), clarabel.NonnegativeConeT(len(rows))], settings).solve()
        assert str(result.status) in ("Solved", "AlmostSolved"), result.status
        return result.obj_val


def value(r):
    return round(r.random(), 2)


def friends(r, people=9, power=2):
    """Transitivity over all pairs, symmetric by a hard rule."""
    p, names = Problem(), [f"p{k}" for k in range(people)]
    pairs = [(a, b) for a in names for b in names if a != b]
    alike = {pair: value(r) for pair in pairs if r.random() < 0.5}
    for pair in pairs:
        p.target("Friend", *pair)
    for a, b in pairs:
        if (a, b) in alike:
            p.rule(3, [alike[a, b]], [("Friend", a, b)], power)
        for c in names:
            if c not in (a, b):
                p.rule(1.5, [("Friend", a, b), ("Friend", b, c)], [("Friend", a, c)], power)
        p.rule(0.8, [], [("not", ("Friend", a, b))], power)
        p.add(None, [(1.0, ("Friend", a, b)), (-1.0, ("Friend", b, a))], 0.0, equal=True)
    end = " ^2" if power == 2 else ""
    return p, {
        "rules": [f"3: Alike(A, B) -> Friend(A, B){end}",
                  f"1.5: Friend(A, B) & Friend(B, C) & (A != B) & (B != C) & (A != C) -> Friend(A, C){end}",
                  f"0.8: !Friend(A, B){end}", "Friend(A, B) = Friend(B, A) ."],
        "predicates": {"Alike/2": {"observations": [[a, b, v] for (a, b), v in alike.items()]},
                       "Friend/2": {"targets": [list(pair) for pair in pairs]}}}


def labels(r, weights, power, nodes=14):
    """Classes along edges; those of a node add up to 1."""
    p, classes = Problem(), ["x", "y", "z"]
    names = [f"n{k}" for k in range(nodes)]
    seen = {(a, c): value(r) for a in names for c in classes if r.random() < 0.6}
    edges = sorted({(a, b) for a in names for b in r.sample(names, 2) if a != b})
    for a, c in product(names, classes):
        p.target("Label", a, c)
    for (a, c), v in seen.items():
        p.rule(weights[0], [v], [("Label", a, c)], power)
    for (a, b), c in product(edges, classes):
        p.rule(weights[1], [1, ("Label", a, c)], [("Label", b, c)], power)
    for a, c in product(names, classes):
        p.rule(weights[2], [], [("not", ("Label", a, c))], power)
    for a in names:
        p.add(None, [(1.0, ("Label", a, c)) for c in classes], -1.0, equal=True)
    end = " ^2" if power == 2 else ""
    return p, {
        "rules": [f"{weights[0]}: Seen(A, C) -> Label(A, C){end}",
                  f"{weights[1]}: Edge(A, B) & Label(A, C) -> Label(B, C){end}",
                  f"{weights[2]}: !Label(A, C){end}", "Label(A, +C) = 1 ."],
        "predicates": {"Seen/2": {"observations": [[a, c, v] for (a, c), v in seen.items()]},
                       "Edge/2": {"observations": [list(e) for e in edges]},
                       "Label/2": {"targets": [[a, c] for a, c in product(names, classes)]}}}


def chain(r, length=80):
    """What is known at the ends goes a long way through squares and absolute values."""
    p, names = Problem(), [f"t{k:02d}" for k in range(length)]
    links = list(zip(names, names[1:]))
    for a in names:
        p.target("T", a)
    for a, b in links:
        p.rule(50, [1, ("T", a)], [("T", b)], 2)
        p.rule(50, [1, ("T", b)], [("T", a)], 2)
        p.add(0.02, [(1.0, ("T", a)), (-1.0, ("T", b))], 0.0, equal=True)
    p.add(7, [(1.0, ("T", names[0]))], -0.9, 2, True)
    p.add(4, [(1.0, ("T", names[-1]))], -0.2, 1, True)
    return p, {
        "rules": ["50: Next(A, B) & T(A) -> T(B) ^2", "50: Next(A, B) & T(B) -> T(A) ^2",
                  "0.02: T(A) - T(B) + 0 * Next(A, B) = 0", "7: T('t00') = 0.9 ^2", f"4: T('{names[-1]}') = 0.2"],
        "predicates": {"Next/2": {"observations": [list(link) for link in links]}, "T/1": {"targets": [[a] for a in names]}}}


def ratings(r, users=6, items=7):
    """Means over sums, also squared, in both directions."""
    p = Problem()
    users, items = [f"u{k}" for k in range(users)], [f"i{k}" for k in range(items)]
    known = {(u, i): value(r) for u in users for i in items if r.random() < 0.4}
    for u, i in product(users, items):
        p.target("Rating", u, i)
    for u in users:
        p.target("Mean", u)
    for i in items:
        p.target("Worth", i)
    for (u, i), v in known.items():
        p.rule(9, [v], [("Rating", u, i)], 2)
        p.rule(9, [("not", ("Rating", u, i)), 1], [1 - v], 2)
        p.rule(9, [1, ("Rating", u, i)], [v], 2)
    for u in users:
        p.add(2, [(1 / len(items), ("Rating", u, i)) for i in items] + [(-1.0, ("Mean", u))], 0.0, 2, True)
    for i in items:
        p.add(3, [(1 / len(users), ("Rating", u, i)) for u in users] + [(-1.0, ("Worth", i))], 0.0, 1, True)
    for u, i in product(users, items):
        p.add(1, [(1.0, ("Rating", u, i)), (-0.5, ("Mean", u)), (-0.5, ("Worth", i))], 0.0, 2, True)
    for u in users:
        p.add(0.5, [(1.0, ("Mean", u))], -0.4, 2, True)
    return p, {
        "rules": ["9: Known(U, I) -> Rating(U, I) ^2", "9: !Rating(U, I) & Said(U, I) -> !Known(U, I) ^2",
                  "9: Said(U, I) & Rating(U, I) -> Known(U, I) ^2",
                  "2: Rating(U, +I) / |I| = Mean(U) ^2", "3: Rating(+U, I) / |U| = Worth(I)",
                  "1: Rating(U, I) - 0.5 * Mean(U) - 0.5 * Worth(I) = 0 ^2", "0.5: Mean(U) = 0.4 ^2"],
        "predicates": {"Known/2": {"observations": [[u, i, v] for (u, i), v in known.items()]},
                       "Said/2": {"observations": [[u, i] for u, i in known]},
                       "Rating/2": {"targets": [[u, i] for u, i in product(users, items)]},
                       "Mean/1": {"targets": [[u] for u in users]}, "Worth/1": {"targets": [[i] for i in items]}}}


def budget(r, things=16):
    """A linear programme: gains under hard bounds on sums and on pairs, with an answer between the corners."""
    p, names = Problem(), [f"b{k:02d}" for k in range(things)]
    gain = {a: value(r) for a in names}
    clash = sorted({tuple(sorted(r.sample(names, 2))) for _ in range(3 * things)})
    for a in names:
        p.target("Pick", a)
        p.rule(2.5, [gain[a]], [("Pick", a)])
    for a, b in clash:
        p.rule(None, [1, ("Pick", a)], [("not", ("Pick", b))])
    p.add(None, [(1.0, ("Pick", a)) for a in names], -5.3)
    return p, {
        "rules": ["2.5: Gain(A) -> Pick(A)", "Clash(A, B) & Pick(A) -> !Pick(B) .", "Pick(+A) <= 5.3 ."],
        "predicates": {"Gain/1": {"observations": [[a, v] for a, v in gain.items()]},
                       "Clash/2": {"observations": [list(c) for c in clash]}, "Pick/1": {"targets": [[a] for a in names]}}}


def main():
    r = random.Random(15)
    models = {
        "friends-squared": friends(r), "friends-linear": friends(r, 7, 1), "labels-linear": labels(r, (4, 1.5, 0.25), 1),
        "labels-squared": labels(r, (4, 1.5, 0.25), 2), "labels-scales": labels(r, (1000, 0.001, 0.5), 2),
        "chain": chain(r), "ratings": ratings(r), "budget": budget(r),
    }
    with open("optima.tsv", "w", encoding="utf-8") as table:
        for name, (problem, config) in models.items():
            table.write(f"{name}\t{problem.solve():.10g}\n")
            with open(f"{name}.json", "w", encoding="utf-8") as file:
                json.dump(config, file, separators=(",", ":"))
                file.write("\n")


main()
