"""Models: rules, what their predicates are, and data."""

from __future__ import annotations

import functools
import math
import operator
import os
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from . import _errors, _tables, _worker, explanations, networks, results
from . import changes as _changes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_TYPES = {str: "string", int: "int", float: "float", "string": "string", "int": "int", "float": "float"}
_PHASES = ("", "learning", "validation", "inference")
_MERGE = 64  # changes of given values that are kept one by one


def _alone(
    method: Callable[Concatenate[Model, _Arguments], _Result],
) -> Callable[Concatenate[Model, _Arguments], _Result]:
    """Let threads that share a model wait for each other: what a method asks for in turn is about one session."""

    def waits(self: Model, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with self._using:
            return method(self, *args, **kwargs)

    functools.update_wrapper(waits, method)
    return waits


_models: weakref.WeakSet[Model] = weakref.WeakSet()


def _forked() -> None:
    """Free all models, in the child of a fork: the threads that may have held them do not live there."""
    for model in _models:
        model._using = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class Similar(NamedTuple):
    """The pairs of a column's strings that a measure finds at least as similar as the threshold."""

    measure: str  #: such as "JaroWinkler"
    column: str  #: an argument of a predicate, from 0: "Name:1"
    threshold: float  #: in (0, 1]


class Network:
    """Gives the values of a predicate's atoms.

    `classes` are the constants of the second argument, of a network that classifies the first one; `atoms` are rules
    that derive the atoms; `teacher` is the predicate whose inferred values the network imitates. All else says what
    the network is, as configurations write it: kind, hidden, dropout, …
    """

    def __init__(
        self,
        *,
        name: str = "",
        classes: Iterable[Any] = (),
        atoms: str | Iterable[str] = (),
        teacher: str = "",
        **spec: Any,
    ) -> None:
        self.name = name
        if isinstance(classes, str):
            raise TypeError(f"classes are a list of constants, and not the text {classes!r}")
        self.classes = [_tables.text(c) for c in classes]
        self.atoms = _several(atoms)
        self.teacher = teacher
        self.spec = spec
        self._external = False

    def _pack(self, predicate: str) -> dict[str, Any]:
        packed: dict[str, Any] = {"name": self.name or predicate, "teacher": self.teacher}
        if self.spec:
            packed["spec"] = self.spec
        if self.classes:
            packed["classes"] = self.classes
        if self.atoms:
            packed["atoms"] = self.atoms
        if self._external:
            packed["external"] = True
        return packed


class Predicate:
    """Declares what rules do not say of a predicate; those that need nothing said need no declaration.

    `types` are those of the arguments: str, int or float; strings by default. `evaluators` score the answers, the first
    one also while learning: "discrete", "continuous", "auc", "categorical". At most one of the others says where atoms
    and their values come from, if not from data: `measure` names a similarity of two strings, `similar` makes atoms of
    similar pairs, `derive` are rules that make them, and `network` gives values. One alone needs no list.
    """

    def __init__(
        self,
        name: str,
        *,
        types: type | str | Iterable[type | str] = (),
        evaluators: str | Iterable[str] = (),
        measure: str = "",
        similar: Similar | None = None,
        derive: str | Iterable[str] = (),
        network: Network | None = None,
    ) -> None:
        self.name = name
        self.types = [_type(t) for t in _several(types)]
        self.evaluators = _several(evaluators)
        self.measure = measure
        self.similar = similar
        self.derive = _several(derive)
        self.network = network

    def __repr__(self) -> str:
        return f"Predicate({self.name!r})"

    def _pack(self) -> dict[str, Any]:
        packed: dict[str, Any] = {"name": self.name, "measure": self.measure}
        for name in ("types", "evaluators", "derive"):
            if getattr(self, name):
                packed[name] = getattr(self, name)
        if self.similar is not None:
            packed["similar"] = self.similar._asdict()
        if self.network is not None:
            packed["network"] = self.network._pack(self.name)
        return packed


def _several(given: Any) -> list[Any]:
    """Return a list of what may also be one alone."""
    return [given] if isinstance(given, (str, type)) else list(given)


def _type(given: type | str) -> str:
    if given not in _TYPES:
        raise ValueError(f"the type of an argument is str, int or float, and not {given!r}")
    return _TYPES[given]


class Rule:
    """A rule, whose weight may stand in its text or beside it. Of a model that is open, its weight can be set."""

    def __init__(self, text: str, weight: float | None = None) -> None:
        self.text = text if weight is None else f"{_at_least_0('a weight', weight)!r}: {text}"
        #: whether it has no weight, of a rule of an open model
        self.hard = False
        #: how many ground rules there are of it, of a rule of an open model
        self.ground = 0
        self._weight = weight
        self._change: Callable[[float], None] | None = None

    @property
    def weight(self) -> float | None:
        """The present weight; None of a hard rule, and of one whose weight is in its text and that is in no model."""
        return self._weight

    @weight.setter
    def weight(self, weight: float) -> None:
        if self._change is None:
            raise AttributeError("the weight of a rule can be set once it is in a model: model.rules")
        weight = _at_least_0("a weight", weight)
        self._change(weight)
        self._weight = weight

    def __repr__(self) -> str:
        return f"Rule({self.text!r})"

    @classmethod
    def _of(cls, reply: dict[str, Any], change: Callable[[float], None]) -> Rule:
        rule = cls(reply["text"])
        rule.hard, rule.ground, rule._change = reply["hard"], reply["ground"], change
        rule._weight = None if rule.hard else reply["weight"]
        return rule


class Model:
    """Rules, what their predicates are, and data: it infers the values of all targets, and learns from known ones.

    `rules` are text, one per line, or a list of texts and of `Rule`. `seed` is the origin of everything random;
    `threads` bounds those at work (0: one per core), and changes no result; `memory` is how many bytes the ground rules
    may take before they go to a temporary file; `gap` is the relative duality gap that inference proves (0: 1e-6);
    `method` is that of inference, `learning` that of learning, and `epochs` bounds its epochs. `options` has any other
    setting by the name that the command `deeppsl options` lists.

    The first inference, or whatever else needs it, grounds the rules; the model then lives in a process of its own, and
    each further inference begins where the last one ended. Adding data or rules grounds anew. What is learned stays.
    Copies, and what is pickled, are models of their own with the same rules, data and parameters.
    """

    def __init__(
        self,
        rules: str | Rule | Iterable[str | Rule] = (),
        *,
        predicates: Iterable[Predicate] = (),
        seed: int = 0,
        threads: int = 0,
        memory: int = 0,
        gap: float = 0.0,
        method: str = "",
        learning: str = "",
        epochs: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if isinstance(rules, os.PathLike):
            raise TypeError(f"rules are text; Model.open reads a model from a file, such as {os.fspath(rules)!r}")
        self._using = threading.RLock()
        _models.add(self)
        self._path = ""
        self._rules: list[str] = []
        self._count = 0  # of rules: a text may have several
        self._predicates: list[Predicate] = []
        self._options: dict[str, Any] = {
            "seed": _whole("seed", seed),
            "threads": _whole("threads", threads),
            "memory": _whole("memory", memory),
            "gap": _at_least_0("gap", gap),
            "method": method,
            "learning": learning,
            "epochs": epochs if epochs is None else _whole("epochs", epochs),
            "set": {name: _option(value) for name, value in (options or {}).items()},
        }
        self._data: list[tuple[str, str, str, _tables.Table | str]] = []
        self._features: list[tuple[str, list[str], Any]] = []
        self._served: dict[str, networks.Served] = {}
        self._applied: list[list[_changes.Change]] = []  # by apply
        self._changes: list[tuple[str, _tables.Table]] = []  # of given values, since the last of them
        self._weights: dict[int, float] = {}
        self._networks: Any = None  # the parameters that were learned, while no session has them
        self._worker: _worker.Worker | None = None
        self._session = 0
        self._atoms: _Atoms | None = None
        self._answer: results.Answer | None = None
        self._learned = False
        self._batch = 0  # the last one of _states whose answers the session has, until weights change
        if isinstance(rules, (str, bytes, Rule)) or not isinstance(rules, Iterable):
            rules = [rules]
        self.add(*rules, *predicates)

    @classmethod
    def open(cls, path: str | os.PathLike[str], **options: Any) -> Model:
        """Read a model from a configuration; the arguments are those of the class, without rules."""
        model = cls(**options)
        model._path = os.path.abspath(path)
        return model

    @_alone
    def add(self, *items: str | Rule | Predicate) -> Model:
        """Add rules and predicates. What has no meaning is an InputError, with its place and a caret."""
        rules = [_written(item) for item in items if not isinstance(item, Predicate)]
        predicates = [item for item in items if isinstance(item, Predicate)]
        if rules and self._path:
            raise ValueError("the rules of a model that was opened are in the files of its configuration")
        if rules or predicates:
            self._leave()
            before = self._rules, self._predicates
            self._rules, self._predicates = self._rules + rules, self._predicates + predicates
            try:
                if not self._path:
                    self._count = len(self._ask("parse", self._program())[0]["program"].splitlines())
            except _errors.DeepPSLError:
                self._rules, self._predicates = before
                raise
        return self

    def observe(self, predicate: str, data: Any, *, value: Any = None, phase: str = "") -> Model:
        """Add atoms whose values are known for good.

        Data are a frame of pandas, polars or Arrow, whose columns are the arguments, and of which the one named "value"
        (or as `value` says) has the truth values, 1 without it; a mapping of columns, or of atoms to values; a list of
        rows, or of single arguments; or the path of a file. `phase` is "learning", "validation" or "inference" if they
        are known in that one alone.
        """
        return self._add("observed", predicate, data, value, phase)

    def target(self, predicate: str, data: Any, *, value: Any = None, phase: str = "") -> Model:
        """Add atoms whose values inference finds. Answers have the names of the data's columns."""
        return self._add("targets", predicate, data, value, phase)

    def given(self, predicate: str, data: Any, *, value: Any = None, phase: str = "") -> Model:
        """Add atoms whose values are known, but may change: see set."""
        return self._add("given", predicate, data, value, phase)

    def truth(self, predicate: str, data: Any, *, value: Any = None, phase: str = "") -> Model:
        """Add known values of targets, or of what networks say: to learn from, and to evaluate by.

        Truth of the phase "validation" is what learning chooses the best epoch by.
        """
        return self._add("truth", predicate, data, value, phase)

    @_alone
    def features(self, network: str, ids: Any, values: Any = None) -> Model:
        """Give a network the feature vectors of what its predicate is about: one row per id.

        Values are an array of numbers, or a frame of pandas, polars or Arrow, or a dict of columns, which may have columns of
        text and gaps: of a column of text, each text becomes a feature; a gap in a column of numbers is seen as their
        median, with a feature that says so. Without `values`, `ids` is a frame of pandas whose index has the ids.
        """
        if values is None:
            if not hasattr(ids, "iloc"):
                raise TypeError("features are ids and values, or a frame of pandas whose index has the ids")
            ids, values = ids.index, ids
        names = [_tables.text(i) for i in ids]
        made = _tables.features(values)
        rows = len(made) if not isinstance(made, list) else len(made[0][1]) if made else 0
        if rows != len(names):
            raise ValueError(f"{len(names)} ids need as many rows of features, and not {rows}")
        self._leave()
        self._features.append((network, names, made))
        return self

    @_alone
    def add_network(
        self,
        predicate: str,
        module: Any,
        features: Any,
        *,
        ids: Iterable[Any] | None = None,
        classes: Iterable[Any] = (),
        optimiser: Any = None,
        output: str = "",
        teacher: str = "",
        evaluators: Iterable[str] = (),
        frozen: bool = False,
    ) -> Model:
        """Let a module give the values of a predicate's atoms, and learn through the rules.

        The module is one of torch, or has the methods of `External`; it stays here, and outputs and gradients cross. It is
        given rows of `features`: of an array, a tensor, a frame of pandas, whose index has the ids, a dict of ids and rows,
        or a sequence of anything. `ids` are their names, the arguments of the atoms (by default "0", "1", …), and `classes`
        the constants of a second argument; without them the module says whether the predicate holds.

        `optimiser` is one of torch over the module's parameters, which then moves them as it was made to; without it they
        are moved as the engine's options say. `output` is what follows the module's outputs: "softmax" (the default with
        classes), "sigmoid" or "none" if they are truth values already. While the model learns, the module is now in one
        state and now in another; afterwards it is in the one that was kept. A module that is `frozen` is not moved.
        """
        names, rows = networks.named(features, ids)
        served = networks.Served(module, rows, optimiser)
        spec: dict[str, Any] = {"frozen": True} if frozen else {}
        if output:
            spec["output"] = output
        network = Network(classes=classes, teacher=teacher, **spec)
        network._external = True
        self.add(Predicate(predicate, evaluators=evaluators, network=network))
        self._features.append((predicate, names, None))
        self._served[predicate] = served
        return self

    @_alone
    def infer(self, seconds: float = 0.0) -> results.Answer:
        """Find the values of all targets, from the last answer on. Within a time, the answer is the best until then."""
        reply, arrays = self._ask("infer", {"seconds": _at_least_0("seconds", seconds)}, session=True)
        assert self._atoms is not None
        self._answer = results.Answer(reply, arrays[reply["values"]], self._atoms, self._shapes())
        return self._answer

    @_alone
    def learn(
        self, seconds: float = 0.0, *, progress: bool | Callable[[results.Epoch], None] | None = None
    ) -> results.Training:
        """Learn the weights of rules, and networks, from the truth.

        `progress` is called after each epoch; True shows them on stderr, which is the default in a terminal.
        """
        if progress is None:
            progress = sys.stderr.isatty()
        show = _show if progress is True else (progress or None)
        try:
            reply, _ = self._ask("learn", {"seconds": _at_least_0("seconds", seconds)}, session=True, on_epoch=show)
        finally:
            if show is _show:
                print(file=sys.stderr)
        self._learned = True
        self._weights = {k: rule["weight"] for k, rule in enumerate(reply["rules"]) if not rule["hard"]}
        if self._served:
            self._ask("save", {}, session=True)  # asks modules for the state that was kept, which they are in from then on
        return results.Training(reply)

    @_alone
    def evaluate(self) -> list[results.Evaluation]:
        """Score the last answer, or one that is inferred now, by the truth."""
        self._open()
        if self._answer is None:
            self.infer()
        reply, _ = self._ask("evaluate", {}, session=True)
        return [
            results.Evaluation(e["predicate"], e["evaluator"], e["count"], e["values"], e["primary"])
            for e in reply["evaluations"]
        ]

    @_alone
    def predict(self) -> list[results.Prediction]:
        """Infer each example of a model about examples."""
        reply, _ = self._ask("predict", {}, session=True)
        return [results.Prediction(**p) for p in reply["predictions"]]

    @_alone
    def set(self, predicate: str, data: Any, *, value: Any = None) -> Model:
        """Change the values of given atoms; the next inference sees them."""
        table = _tables.read(data, value)
        arrays: list[Any] = []
        packed = table.pack(predicate, "given", "", arrays)
        self._ask("set", {"table": packed}, arrays, session=True)
        self._changes.append((predicate, table))
        if len(self._changes) > _MERGE:
            self._changes = _tables.merge(self._changes)
        return self

    @_alone
    def apply(self, changes: Iterable[_changes.Change]) -> _changes.Applied:
        """Make changes (see deeppsl.changes), all of them or, with an error, none; the next inference is around them.

        Atoms come, go, and are observed or freed, rules and features come, and weights change. Only what changes touch is
        ground.
        """
        made = _listed(changes)
        self._open()
        if self._answer is not None and self._atoms is not None:
            self._atoms()  # those of the answers until now
        reply, _ = self._ask("change", {"changes": made}, session=True)
        self._atoms, self._batch = _Atoms(self._worker, self._session), 0
        self._answer = None
        self._applied += [_given(self._changes), made]
        self._changes = []
        self._weights.update({c["rule"]: c["value"] for c in made if c["change"] == "weight"})
        return _changes.Applied(
            reply["ground_rules_come"],
            reply["ground_rules_gone"],
            reply.get("reground", []),
            reply.get("derived", []),
            reply.get("anew", False),
            reply.get("perceived", 0),
        )

    @_alone
    def what_if(self, changes: Iterable[_changes.Change]) -> results.Answer:
        """Return the answer that infer would give after changes, and make none."""
        reply, arrays = self._ask("what_if", {"changes": _listed(changes)}, session=True)
        atoms = _Atoms(None, 0, _columns(reply["atoms"], arrays))
        return results.Answer(reply, arrays[reply["values"]], atoms, self._shapes())

    @_alone
    def gradient(self, slope: Mapping[str, Any]) -> results.Gradient:
        """Return the derivatives of a function of the last answer in given values, networks' outputs and weights.

        `slope` has that function's own derivatives in the values of each predicate's open atoms, in the order of
        Answer.values_of; those of predicates that are left out are 0. Targets follow through the inference: exactly where
        their values are unique and no rule is about to become active. No weight may have changed since the answer.
        """
        import numpy as np

        self._open()
        if self._answer is None or self._atoms is None:
            raise _errors.FailedError("the gradient is that of an answer, and there is none yet: infer first")
        along = np.zeros(len(self._answer.values))
        for name, values in slope.items():
            part = self._answer._columns(name)
            along[part.start : part.start + part.count] = _slope(name, values, part.count)
        reply, arrays = self._ask("gradient", {"slope": 0}, [along], session=True)
        return results.Gradient(arrays[reply["values"]], arrays[reply["weights"]], self._atoms)

    @_alone
    def explain(
        self, atom: str, *arguments: Any, shown: int = 0, depth: int = 0, changes: int = 0
    ) -> explanations.Explanation:
        """Say why a target has its value: what pushes it up and down, and what facts, rules and outputs add to it.

        The atom is written as in rules, model.explain("Same('a', 'b')"), or as a predicate and its arguments. `shown` is
        how many ground rules of each rule stand by themselves (0: five; -1: all), `depth` how far to go on with the atoms
        that push, and `changes` how many counterfactuals to solve: what the value were without a fact or a rule.
        """
        predicate, listed = (atom, [_tables.text(a) for a in arguments]) if arguments else explanations.parse(atom)
        fields = {"predicate": predicate, "arguments": listed, "shown": shown, "depth": _whole("depth", depth), "changes": _whole("changes", changes)}
        return explanations.Explanation(self._ask("explain", fields, session=True)[0])

    @_alone
    def _states(self, given: list[str], values: Any, weights: Any) -> _States:
        """Infer examples with other given values, in the order of their predicates and of the data, and other weights."""
        import numpy as np

        self._open()
        answer = self._answer or self.infer()
        assert self._atoms is not None
        columns = [answer._columns(name) for name in given]
        wanted = sum(c.count for c in columns)
        if values.shape[1] != wanted:
            raise ValueError(f"there are {wanted} given atoms of {', '.join(given)}, and not {values.shape[1]}")
        rules = self.rules
        if len(rules) != len(weights):
            raise ValueError(f"there are {len(rules)} rules, and not {len(weights)} weights")
        for rule, weight in zip(rules, weights):
            if not rule.hard and rule.weight != weight:
                rule.weight = float(weight)
        rows = np.full((len(values), len(answer.values)), np.nan)
        at = 0
        for c in columns:
            rows[:, c.start : c.start + c.count] = values[:, at : at + c.count]
            at += c.count
        reply, arrays = self._ask("states", {"values": 0, "examples": len(rows)}, [rows.reshape(-1)], session=True)
        self._batch = reply["batch"]
        return _States(reply["batch"], arrays[reply["values"]].reshape(rows.shape), answer)

    @_alone
    def _descend(self, states: _States, slopes: Any) -> tuple[Any, Any] | None:
        """Return the derivatives in the values of each example and in the weights; None if the states are gone."""
        if not self._session or self._batch != states.batch:
            return None
        reply, arrays = self._ask("descend", {"batch": states.batch, "slopes": 0}, [slopes.reshape(-1)], session=True)
        return arrays[reply["values"]].reshape(slopes.shape), arrays[reply["weights"]]

    @property
    @_alone
    def rules(self) -> list[Rule]:
        """The rules with their present weights, which can be set: model.rules[0].weight = 2."""
        reply, _ = self._ask("rules", {}, session=True)
        return [Rule._of(r, _change(self, k)) for k, r in enumerate(reply["rules"])]

    @_alone
    def check(self) -> results.Summary:
        """Estimate what grounding would cost, and look for what is probably not meant."""
        arrays: list[Any] = []
        reply, _ = self._ask("check", self._opening(arrays), arrays)
        return results.Summary(
            [results.Estimate(**r) for r in reply["rules"]],
            [_errors.Problem(**p) for p in reply["problems"]],
            reply["observations"],
            reply["targets"],
        )

    @_alone
    def program(self) -> str:
        """Return the rules with their present weights, as text."""
        return str(self._ask("program", {}, session=True)[0]["program"])

    @_alone
    def ground(self, limit: int = 0) -> str:
        """Return the ground rules, one per line; limit bounds them, 0 means all."""
        reply, arrays = self._ask("ground", {"limit": limit}, session=True)
        return bytes(arrays[reply["text"]]).decode(errors="replace")

    @_alone
    def save_networks(self, path: str | os.PathLike[str]) -> None:
        """Write the parameters of all networks to a file, whole or not at all."""
        reply, arrays = self._ask("save", {}, session=True)
        beside = Path(f"{os.fspath(path)}.{os.getpid()}.tmp")
        try:
            beside.write_bytes(bytes(arrays[reply["parameters"]]))
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)

    @_alone
    def load_networks(self, path: str | os.PathLike[str]) -> Model:
        """Read what save_networks wrote, into networks that are the same. On an error no parameter changes."""
        import numpy as np

        parameters = np.frombuffer(Path(path).read_bytes(), np.uint8)
        self._ask("load", {"parameters": 0}, [parameters], session=True)
        self._learned = True
        return self

    @_alone
    def close(self) -> None:
        """End the model's process. Its answers stay, and it begins anew when it is used again."""
        if self._atoms is not None:
            self._leave()
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    @_alone
    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of: all but the session and its process."""
        if self._session and self._learned:
            self._keep_networks()
        state = {name: value.copy() if isinstance(value, (list, dict)) else value for name, value in vars(self).items()}
        return state | {"_worker": None, "_session": 0, "_atoms": None, "_answer": None, "_batch": 0, "_using": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _using=threading.RLock())
        _models.add(self)

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What follows is how a model gets at its session.

    @_alone
    def _add(self, part: str, predicate: str, data: Any, value: Any, phase: str) -> Model:
        if not isinstance(predicate, str):
            raise TypeError(f"data are of a predicate, by its name, and not of {predicate!r}")
        if phase not in _PHASES:
            raise ValueError(f"a phase is learning, validation or inference, and not {phase!r}")
        table = os.path.abspath(data) if isinstance(data, (str, os.PathLike)) else _tables.read(data, value)
        self._leave()
        self._data.append((predicate, part, phase, table))
        return self

    def _program(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"predicates": [p._pack() for p in self._predicates]}
        if self._path:
            fields["path"] = self._path
        else:
            fields["rules"] = "\n".join(self._rules)
        return fields

    def _opening(self, arrays: list[Any]) -> dict[str, Any]:
        from . import _frames

        fields = self._program()
        fields["options"] = self._options
        fields["tables"] = tables = []
        for predicate, part, phase, table in self._data:
            if isinstance(table, str):
                tables.append({"predicate": predicate, "part": part, "phase": phase, "path": table})
            else:
                tables.append(table.pack(predicate, part, phase, arrays))
        fields["features"] = features = []
        for network, ids, values in self._features:
            described: dict[str, Any] = {"network": network, "ids": len(arrays)}
            arrays.append(_frames.Strings.of(ids))
            if isinstance(values, list):
                described["columns"] = columns = []
                for name, cells, category in values:
                    columns.append({"name": name, "cells": len(arrays), "category": category})
                    arrays.append(_frames.Strings.of(cells))
            elif values is not None:
                described.update(width=values.shape[1], values=len(arrays))
                arrays.append(values.reshape(-1))
            features.append(described)
        return fields

    def _shapes(self) -> dict[str, _tables.Table]:
        return {
            predicate.lower(): table
            for predicate, part, _, table in self._data
            if part in ("targets", "given") and not isinstance(table, str) and table.columns
        }

    def _open(self) -> None:
        """Make a session, if there is none, with what was learned and changed before."""
        if self._session and self._worker is not None and self._worker.alive:
            return
        self._session, self._answer, self._atoms, self._batch = 0, None, None, 0
        arrays: list[Any] = []
        for served in self._served.values():
            served.forget()
        reply, _ = self._ask("open", self._opening(arrays), arrays)
        self._session = reply["session"]
        self._atoms = _Atoms(self._worker, self._session)
        for made in filter(None, self._applied):
            self._ask("change", {"changes": made}, session=True)
        for k, weight in self._weights.items():
            self._ask("weight", {"rule": k, "weight": weight}, session=True)
        if self._networks is not None:
            self._ask("load", {"parameters": 0}, [self._networks], session=True)
        for predicate, table in self._changes:
            arrays = []
            packed = table.pack(predicate, "given", "", arrays)
            self._ask("set", {"table": packed}, arrays, session=True)

    def _leave(self) -> None:
        """Close the session, and keep what answers and the next session need of it."""
        if not self._session or self._worker is None or not self._worker.alive:
            self._session = 0
            return
        if self._answer is not None and self._atoms is not None:
            self._atoms()
        if self._learned:
            self._keep_networks()
        self._ask("close", {}, session=True)
        self._session, self._answer, self._atoms, self._batch = 0, None, None, 0

    def _keep_networks(self) -> None:
        try:
            reply, arrays = self._ask("save", {}, session=True)
            self._networks = arrays[reply["parameters"]]
        except _errors.FailedError:
            pass  # there are no networks

    def _ask(
        self,
        do: str,
        fields: dict[str, Any],
        arrays: list[Any] | None = None,
        *,
        session: bool = False,
        on_epoch: Callable[[results.Epoch], None] | None = None,
    ) -> tuple[dict[str, Any], list[Any]]:
        """Ask the process, which is started if there is none, and warn of what it tells."""
        if do in ("weight", "learn", "load"):
            self._batch = 0
        if session:
            self._open()
            fields = {"session": self._session, **fields}
        if self._worker is None or not self._worker.alive:
            self._worker = _worker.Worker()
        told: list[_errors.Problem] = []

        def on_event(event: dict[str, Any]) -> None:
            if "warning" in event:
                told.append(_errors.Problem(**event["warning"]))
            elif "epoch" in event and on_epoch is not None:
                on_epoch(results.epoch(event["epoch"]))

        reply = self._worker.ask(do, fields, arrays, on_event, self._compute if self._served else None)
        for problem in told:
            warnings.warn(str(problem), _errors.DeepPSLWarning, stacklevel=_outside())
        return reply

    def _compute(self, call: dict[str, Any], arrays: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Answer a call of the engine."""
        return self._served[call["network"]].answer(call, arrays)

    def __repr__(self) -> str:
        source = self._path or f"{self._count} rules"
        state = "" if self._answer is None else f", {self._answer!r}"
        return f"<Model: {source}, {len(self._data)} tables{state}>"

    @_alone
    def _repr_html_(self) -> str:
        if not self._session:
            return results.table(("rule",), [(line,) for text in self._rules for line in text.strip().splitlines()])
        rows = [
            ("hard" if r.hard else f"{r.weight:.4g}", r.text.partition(": ")[2] if not r.hard else r.text, r.ground)
            for r in self.rules
        ]
        last = "" if self._answer is None else self._answer._repr_html_()
        return results.table(("weight", "rule", "ground rules"), rows) + last


class _States(NamedTuple):
    """The answers of a batch of examples: the values of all open atoms, a row for each."""

    batch: int
    values: Any
    answer: results.Answer  #: which knows the atoms

    def columns(self, names: list[str]) -> Any:
        """Return where the atoms of predicates are."""
        import numpy as np

        parts = [self.answer._columns(name) for name in names]
        return np.concatenate([np.arange(c.start, c.start + c.count) for c in parts])


class _Atoms:
    """The open atoms of a session, which are asked for once, by whoever needs them first."""

    def __init__(
        self, worker: _worker.Worker | None, session: int, columns: dict[str, results.Columns] | None = None
    ) -> None:
        self._worker = worker
        self._session = session
        self._columns = columns
        self._asking = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"_columns": self()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _asking=threading.Lock())

    def __call__(self) -> dict[str, results.Columns]:
        with self._asking:
            if self._columns is None:
                assert self._worker is not None
                self._columns = _columns(*self._worker.ask("atoms", {"session": self._session}))
                self._worker = None
            return self._columns


def _written(item: Any) -> str:
    """Return the text of a rule."""
    if not isinstance(item, (str, Rule)):
        raise TypeError(f"a rule is a text or a deeppsl.Rule, and not {item!r}")
    return item if isinstance(item, str) else item.text


def _given(sets: list[tuple[str, _tables.Table]]) -> list[_changes.Change]:
    """Return what has been set as changes."""
    return [_changes.give(predicate, *atom, value=value) for predicate, atoms in _tables.atoms(sets) for atom, value in atoms]


def _slope(name: str, values: Any, count: int) -> Any:
    """Return a function's derivatives in the values of a predicate's open atoms."""
    import numpy as np

    given = np.asarray(values)
    if given.dtype.kind not in "fiub" or given.shape not in ((count,), ()):
        raise ValueError(f"the slope of {name} is {count} numbers, in the order of its values, and not {values!r}")
    return given


def _columns(reply: dict[str, Any], arrays: list[Any]) -> dict[str, results.Columns]:
    """Return the atoms of an answer, by predicate."""
    texts = arrays[reply["strings"]].list()
    columns: dict[str, results.Columns] = {}
    start = 0
    for p in reply["predicates"]:
        codes: list[npt.NDArray[np.int32]] = [arrays[k] for k in p["codes"]]
        columns[p["predicate"].lower()] = results.Columns(p["predicate"], start, codes, texts, p["count"])
        start += p["count"]
    return columns


def _change(model: Model, rule: int) -> Callable[[float], None]:
    def change(weight: float) -> None:
        with model._using:
            model._ask("weight", {"rule": rule, "weight": weight}, session=True)
            model._weights[rule] = weight

    return change


def _listed(changes: Iterable[_changes.Change]) -> list[_changes.Change]:
    """Return changes as a list, each of which is one."""
    made = list(changes)
    if not all(isinstance(change, dict) for change in made):
        raise TypeError(f"changes are a list of what deeppsl.changes makes, and not {changes!r}")
    return made


def _whole(name: str, value: Any) -> int:
    """Return a whole number of any library, of at least 0."""
    whole = operator.index(value)
    if whole < 0:
        raise ValueError(f"{name} is at least 0, and not {whole}")
    return whole


def _at_least_0(name: str, value: Any) -> float:
    number = float(value)
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} is a number of at least 0, and not {number!r}")
    return number


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _show(epoch: results.Epoch) -> None:
    score = "" if epoch.validation != epoch.validation else f", validation {epoch.validation:.4f}"
    print(f"\repoch {epoch.number}: loss {epoch.loss:.6g}{score}   ", end="", file=sys.stderr, flush=True)


def _outside() -> int:
    """Return how far up the stack the one stands who uses this package."""
    package = os.path.dirname(__file__)
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        level, frame = level + 1, frame.f_back
    return level
