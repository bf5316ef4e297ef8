"""What models answer."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _frames, _tables
from ._errors import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import numpy.typing as npt


class Epoch(NamedTuple):
    """One line of a learning curve."""

    number: int
    loss: float  #: of the truth to learn from
    validation: float  #: the score of the truth to choose by, the higher the better; NaN without any
    gap: float  #: what is proven of the epoch's inference


class Evaluation(NamedTuple):
    """The score of one predicate's values."""

    predicate: str
    evaluator: str
    scored: int  #: how many things were scored
    values: dict[str, float]  #: the numbers by name, such as "F1"
    primary: str  #: the name of the number that stands for all

    @property
    def score(self) -> float:
        """Return the number that stands for all."""
        return self.values[self.primary]


class Prediction(NamedTuple):
    """What a program about examples says of one of their labels."""

    example: str
    label: str
    predicted: str
    known: str  #: "" if the data do not say
    value: float


class Estimate(NamedTuple):
    """What grounding would make of a rule."""

    rule: str
    ground: int  #: about how many ground rules there would be, or if exact precisely
    exact: bool
    bytes: int
    seconds: float


class Summary(NamedTuple):
    """What can be said before anything is ground."""

    rules: list[Estimate]
    problems: list[Problem]
    observations: int
    targets: int


class Columns:
    """The open atoms of one predicate, as a session has them."""

    def __init__(self, name: str, start: int, codes: list[npt.NDArray[np.int32]], texts: list[str], count: int) -> None:
        self.name = name
        self.start = start
        self.count = count
        self._codes = codes
        self._texts = texts
        self._items: dict[Any, Any] = {}
        self._rows: dict[tuple[str, ...], int] | None = None
        self._strings: dict[int, _tables.Column] = {}

    def arity(self) -> int:
        """Return the number of arguments."""
        return len(self._codes)

    def column(self, k: int, convert: Callable[[str], Any]) -> tuple[Any, Any]:
        """Return the numbers of a column's items, and the items."""
        if (k, convert) not in self._items:
            import numpy as np

            used = np.zeros(len(self._texts), bool)
            used[self._codes[k]] = True
            number = np.cumsum(used, dtype=np.int32) - np.int32(1)
            items = np.array([convert(self._texts[i]) for i in np.flatnonzero(used)], dtype=object)
            if len(items) and all(isinstance(item, (int, float)) for item in items):
                made = np.array(items.tolist())
                items = made if made.tolist() == items.tolist() else items  # large whole numbers would be rounded
            self._items[k, convert] = number[self._codes[k]], items
        return self._items[k, convert]  # type: ignore[no-any-return]

    def table(self, values: Any) -> _tables.Table:
        """Return the atoms with other values, as a table that crosses."""
        import numpy as np

        columns = []
        for k, codes in enumerate(self._codes):
            if k not in self._strings:
                self._strings[k] = _tables.Column(k, codes, _frames.Strings.of(self._texts))
            columns.append(self._strings[k])
        return _tables.Table(columns, np.ascontiguousarray(values, np.float64))

    def row(self, arguments: tuple[str, ...]) -> int | None:
        """Return the row of an atom."""
        if self._rows is None:
            columns = [[self._texts[c] for c in codes.tolist()] for codes in self._codes]
            self._rows = {atom: row for row, atom in enumerate(zip(*columns))}
        return self._rows.get(arguments)


class Answer:
    """A state of all atoms, with the proof of how good it is. It stays what it is whatever becomes of its model."""

    number: int  #: which answer of its session it is
    status: str  #: "optimal", or what else ended the inference
    explanation: str  #: the status in a sentence
    method: str  #: the solver
    reason: str  #: why it was taken
    objective: float  #: the weighted sum of the potentials
    dual_bound: float  #: no feasible state costs less
    gap: float  #: the difference of the two, relative to the objective
    max_violation: float  #: the largest violation of a hard rule
    atom_error: float  #: what no value can be further from that of the optimum than
    iterations: int
    seconds: float
    conflict: list[str]  #: hard ground rules that cannot hold together

    def __init__(
        self,
        reply: dict[str, Any],
        values: npt.NDArray[np.float64],
        atoms: Callable[[], dict[str, Columns]],
        shapes: dict[str, _tables.Table],
    ) -> None:
        self.number = reply["answer"]
        for name in ("status", "explanation", "method", "reason", "iterations", "seconds", "conflict"):
            setattr(self, name, reply[name])
        for name in ("objective", "dual_bound", "gap", "max_violation", "atom_error"):
            setattr(self, name, math.inf if reply[name] is None else reply[name])
        #: the values of all open atoms, one predicate after the other
        self.values = values
        self._atoms = atoms
        self._shapes = shapes

    @property
    def optimal(self) -> bool:
        """Tell whether the gap that was asked for is proven."""
        return self.status == "optimal"

    @property
    def predicates(self) -> list[str]:
        """Return the names of the predicates that have open atoms."""
        return [columns.name for columns in self._atoms().values()]

    def _columns(self, predicate: str) -> Columns:
        found, shape = self._atoms().get(predicate.lower()), self._shapes.get(predicate.lower())
        if found is None and shape is not None:  # its tables have no rows
            import numpy as np

            return Columns(predicate, 0, [np.zeros(0, np.int32) for _ in shape.columns], [], 0)
        if found is None:
            raise KeyError(f"no atom of {predicate} is open; there are those of {', '.join(self.predicates)}")
        return found

    def values_of(self, predicate: str) -> npt.NDArray[np.float64]:
        """Return the values of a predicate's open atoms, in the order of the frames."""
        columns = self._columns(predicate)
        return self.values[columns.start : columns.start + columns.count]

    def frame(self, predicate: str, kind: str | None = None) -> Any:
        """Return a predicate's open atoms with their values, as a frame of the kind of its targets.

        Its columns have the names that those of the targets have, and the truth values the last one. Another kind is
        "pandas", "polars" or "arrow", or "" for a dict of numpy arrays.
        """
        columns = self._columns(predicate)
        shape = self._shapes.get(predicate.lower())
        if shape is not None and len(shape.columns) != columns.arity():
            shape = None
        own = shape.kind if shape is not None else ""
        if kind is None:
            kind = own or _tables.best()
        made: list[_tables.Written] = []
        for k in range(columns.arity()):
            if shape is None:
                made.append(_tables.Written(k, *columns.column(k, str)))
            else:
                given = shape.columns[k]
                of = given.type if kind == own else None
                made.append(_tables.Written(given.name, *columns.column(k, given.convert), of))
        return _tables.write(kind, made, shape.value_name if shape is not None else _tables.VALUE, self.values_of(predicate))

    __getitem__ = frame

    def __iter__(self) -> Iterator[str]:
        return iter(self.predicates)

    def value(self, predicate: str, *arguments: Any) -> float:
        """Return the value of one open atom. An atom that is not there is a KeyError."""
        row = self._columns(predicate).row(tuple(_tables.text(a) for a in arguments))
        if row is None:
            raise KeyError(f"there is no open atom {predicate}({', '.join(map(repr, arguments))})")
        return float(self.values_of(predicate)[row])

    def __repr__(self) -> str:
        counts = ", ".join(f"{c.count} of {c.name}" for c in self._atoms().values())
        return f"<Answer: {self.status}, objective {self.objective:.6g}, gap {self.gap:.2g}; {counts or 'no atoms'}>"

    def _repr_html_(self) -> str:
        facts = [
            ("status", self.status),
            ("objective", f"{self.objective:.6g}"),
            ("gap", f"{self.gap:.2g}"),
            ("method", self.method),
            ("seconds", f"{self.seconds:.3g}"),
        ]
        atoms = [
            (c.name, str(c.count), f"{v.min():.3g}", f"{v.mean():.3g}", f"{v.max():.3g}")
            for c in self._atoms().values()
            if len(v := self.values_of(c.name))
        ]
        return table((), facts) + table(("predicate", "atoms", "least", "mean", "greatest"), atoms)


class Gradient:
    """The derivatives of a function of an answer: see Model.gradient."""

    def __init__(
        self,
        values: npt.NDArray[np.float64],
        weights: npt.NDArray[np.float64],
        atoms: Callable[[], dict[str, Columns]],
    ) -> None:
        #: those in the values of all open atoms, one predicate after the other; 0 for targets
        self.values = values
        #: those in the weights of the rules; 0 for hard ones
        self.weights = weights
        self._atoms = atoms

    def values_of(self, predicate: str) -> npt.NDArray[np.float64]:
        """Return those in the values of a predicate's atoms, in the order of the frames."""
        part = self._atoms()[predicate.lower()]
        return self.values[part.start : part.start + part.count]


class Training:
    """What learning did."""

    def __init__(self, reply: dict[str, Any]) -> None:
        #: the learning curve
        self.epochs = [epoch(e) for e in reply["epochs"]]
        #: after how many epochs the parameters were best, and kept
        self.kept: int = reply["kept"]
        #: why learning ended
        self.ended: str = reply["ended"]
        #: whether that was a limit of time, so that what was learned until then holds
        self.early: bool = reply["early"]
        #: signs that nothing was learned
        self.warnings = [Problem(**p) for p in reply["warnings"]]
        self.seconds: float = reply["seconds"]

    def frame(self, kind: str | None = None) -> Any:
        """Return the learning curve as a frame, by default of pandas where that is installed."""
        import numpy as np

        numbers = np.array([e.number for e in self.epochs])
        columns = [_tables.Written("epoch", np.arange(len(numbers), dtype=np.int32), numbers)]
        for name in ("loss", "validation"):
            items = np.array([getattr(e, name) for e in self.epochs])
            columns.append(_tables.Written(name, np.arange(len(items), dtype=np.int32), items))
        return _tables.write(_tables.best() if kind is None else kind, columns, "gap", np.array([e.gap for e in self.epochs]))

    def __repr__(self) -> str:
        last = f", loss {self.epochs[-1].loss:.4g}" if self.epochs else ""
        return f"<Training: {len(self.epochs)} epochs{last}, {self.ended}, kept {self.kept}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self)[1:-1])}</p>" + curve([e.loss for e in self.epochs], self.kept)


def epoch(e: dict[str, Any]) -> Epoch:
    """Make an epoch of what crossed."""
    return Epoch(e["number"], *(math.nan if e[k] is None else e[k] for k in ("loss", "validation", "gap")))


def table(head: tuple[str, ...], rows: list[Any]) -> str:
    """Return a table in HTML."""

    def row(cells: Any, tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return (
        "<table>"
        + (f"<thead>{row(head, 'th')}</thead>" if head else "")
        + "<tbody>"
        + "".join(row(cells, "td") for cells in rows)
        + "</tbody></table>"
    )


def curve(losses: list[float], kept: int) -> str:
    """Return a learning curve as a drawing in SVG."""
    points = [(k, y) for k, y in enumerate(losses) if math.isfinite(y)]
    if len(points) < 2:
        return ""
    top, bottom = max(y for _, y in points), min(min(y for _, y in points), 0.0)
    width, height, pad = 360, 120, 24

    def place(k: float, y: float) -> tuple[float, float]:
        return pad + k * (width - 2 * pad) / max(1, len(losses) - 1), pad + (top - y) * (height - 2 * pad) / (
            (top - bottom) or 1
        )

    line = " ".join("{:.1f},{:.1f}".format(*place(k, y)) for k, y in points)
    x, y = place(kept, losses[kept]) if kept < len(losses) and math.isfinite(losses[kept]) else place(*points[-1])
    return (
        f'<svg width="{width}" height="{height}" role="img" aria-label="loss by epoch">'
        f'<polyline points="{line}" fill="none" stroke="currentColor"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="currentColor"/>'
        f'<text x="2" y="14" font-size="11" fill="currentColor">loss {top:.4g}</text>'
        f'<text x="2" y="{height - 4}" font-size="11" fill="currentColor">{bottom:.4g}, kept epoch {kept}</text></svg>'
    )
