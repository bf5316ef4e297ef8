"""Why an atom has its value."""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import results


class Premise(NamedTuple):
    """An atom of a ground rule."""

    atom: str
    role: str  #: observed, target, network, given, computed or absent
    value: float
    file: str  #: where an observed one was read; ""
    line: int


@dataclass(frozen=True)
class Push:
    """What a ground rule, or several together, do to an atom."""

    rule: str
    ground_rule: str  #: "" of several together
    multiplier: float
    coefficient: float
    push: float  #: minus the multiplier times the coefficient: up if positive
    count: int  #: of several together; 0 of one
    atoms: list[Premise]


class Leaf(NamedTuple):
    """A part of a value."""

    kind: str  #: fact, network, given, prior, rule or bound
    name: str
    value: float
    contribution: float


class Counterfactual(NamedTuple):
    """The value in a state with a change, with what that state costs and the gap of its proof."""

    change: str
    value: float
    objective: float
    gap: float


class Explanation:
    """Why an atom has its value in an answer: see Model.explain. Notebooks draw it as a waterfall."""

    def __init__(self, reply: dict[str, Any]) -> None:
        self.atom: str = reply["atom"]
        self.value: float = reply["value"]
        #: whether all optimal states give the atom this value
        self.unique: bool = reply["unique"]
        #: the least and the greatest value at equal cost
        self.interval: tuple[float, float] = (reply["interval"][0], reply["interval"][1])
        #: what the bound at 0 or 1 adds to the pushes
        self.bound_force: float = reply["bound_force"]
        #: what all that leaves of 0
        self.unexplained: float = reply["unexplained"]
        #: the ground rules that push the atom, the strongest first
        self.pushes = [Push(**{**p, "atoms": [Premise(**a) for a in p["atoms"]]}) for p in reply["pushes"]]
        #: what the value is the sum of, the largest first; none if it is not unique
        self.leaves = [Leaf(**part) for part in reply["leaves"]]
        #: the values without facts and rules, as many as were asked for
        self.counterfactuals = [
            Counterfactual(c["change"], *(math.inf if c[k] is None else c[k] for k in ("value", "objective", "gap")))
            for c in reply["counterfactuals"]
        ]
        #: the atoms that push this one, as deep as was asked for
        self.because = [Explanation(e) for e in reply["because"]]

    def waterfall(self, leaves: int = 12) -> str:
        """Draw what the value is the sum of, as SVG; "" if there is nothing to draw."""
        parts = [(_leaf(part), part.contribution) for part in self.leaves if part.contribution]
        if len(parts) > leaves:
            rest = sum(contribution for _, contribution in parts[leaves:])
            parts = [*parts[:leaves], (f"{len(parts) - leaves} more", rest)]
        return _waterfall(parts, self.value) if parts else ""

    def _headline(self) -> str:
        if self.unique:
            return f"{self.atom} = {self.value:.4g}"
        return f"{self.atom} = {self.value:.4g}; any value from {self.interval[0]:.4g} to {self.interval[1]:.4g} costs the same"

    def _pushes(self) -> list[tuple[str, ...]]:
        return [(f"{p.push:+.3g}", p.ground_rule or f"{p.count} × {p.rule}") for p in self.pushes]

    def __str__(self) -> str:
        lines = [self._headline()]
        lines += [f"  {push:>9}  {rule}" for push, rule in self._pushes()]
        if self.bound_force:
            lines.append(f"  {self.bound_force:>+9.3g}  the bound at {self.value:.3g}")
        if self.leaves:
            lines += ["it is the sum of"] + [f"  {part.contribution:>+9.3g}  {_leaf(part)}" for part in self.leaves]
        lines += [f"{c.change}: {c.value:.4g}" for c in self.counterfactuals]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Explanation: {self._headline()}; {len(self.pushes)} pushes, {len(self.leaves)} leaves>"

    def _repr_html_(self) -> str:
        drawn = f"<p><b>{html.escape(self._headline())}</b></p>{self.waterfall()}"
        drawn += results.table(("push", "ground rule"), self._pushes())
        if self.counterfactuals:
            rows = [(c.change, f"{c.value:.4g}", f"{c.gap:.2g}") for c in self.counterfactuals]
            drawn += results.table(("change", "value", "gap"), rows)
        return drawn


_ATOM = re.compile(r"\s*([^\W\d]\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ARGUMENT = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s'"(),][^'"(),]*))\s*(,|$)""", re.DOTALL)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r"}


def parse(text: str) -> tuple[str, list[str]]:
    """Return the predicate and the arguments of an atom as rules write it: Same('a', 'b'). Quotes may be left out."""
    atom = _ATOM.fullmatch(text)
    arguments: list[str] = []
    rest = (atom.group(2) or "").strip() if atom else ""
    at = 0
    while atom and at < len(rest):
        found = _ARGUMENT.match(rest, at)
        if found is None or (found.group(4) == "," and found.end() == len(rest)):
            atom = None
            break
        quoted = found.group(1) if found.group(1) is not None else found.group(2)
        if quoted is None:
            arguments.append(found.group(3).strip())
        else:
            arguments.append(re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), quoted, flags=re.DOTALL))
        at = found.end()
    if atom is None:
        raise ValueError(f"{text!r} is no atom; one is written as Same('a', 'b')")
    return atom.group(1), arguments


def _leaf(part: Leaf) -> str:
    return f"{part.kind} {part.name}" + (f" = {part.value:.3g}" if part.kind in ("fact", "network", "given") else "")


def _waterfall(parts: list[tuple[str, float]], total: float) -> str:
    """Draw numbers that add up to a total as bars, each of which begins where the one before ends."""
    row, pad, labels, bars = 22, 8, 330, 330
    ends = [0.0]
    for _, part in parts:
        ends.append(ends[-1] + part)
    least, most = min(*ends, total, 0.0), max(*ends, total, 0.0)
    scale = bars / ((most - least) or 1.0)

    def bar(k: int, text: str, start: float, end: float, colour: str, shown: str) -> str:
        left, width = labels + (min(start, end) - least) * scale, max(abs(end - start) * scale, 1.0)
        y = pad + k * row
        short = text if len(text) <= 48 else text[:47] + "…"
        return (
            f'<text x="{labels - 8}" y="{y + 15}" font-size="12" text-anchor="end" fill="currentColor">{html.escape(short)}'
            f"<title>{html.escape(text)}</title></text>"
            f'<rect x="{left:.1f}" y="{y + 3}" width="{width:.1f}" height="{row - 6}" fill="{colour}"/>'
            f'<text x="{left + width + 4:.1f}" y="{y + 15}" font-size="11" fill="currentColor">{shown}</text>'
        )

    drawn = [
        bar(k, text, ends[k], ends[k + 1], "#2a7f62" if part > 0 else "#b5473c", f"{part:+.3g}")
        for k, (text, part) in enumerate(parts)
    ]
    drawn.append(bar(len(parts), "the value", 0.0, total, "#4a6fa5", f"{total:.4g}"))
    height = 2 * pad + row * (len(parts) + 1)
    return (
        f'<svg width="{labels + bars + 60}" height="{height}" role="img" aria-label="what the value is the sum of">'
        + "".join(drawn)
        + "</svg>"
    )
