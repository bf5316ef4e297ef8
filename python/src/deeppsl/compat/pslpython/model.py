"""Models: predicates, rules and options."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pandas

import deeppsl

from .partition import Partition
from .predicate import Predicate, PredicateError
from .rule import Rule

#: What the calls of infer and learn say themselves, and what this package leaves to its user.
_OURS = {"runtime.learn", "runtime.inference", "runtime.inference.output.results", "runtime.log.level"}
_TYPES = {"UniqueStringID": "string", "String": "string", "Double": "float"}
_PARTS = {Partition.OBSERVATIONS: "observe", Partition.TARGETS: "target", Partition.TRUTH: "truth"}

_Transform = Callable[[dict[str, Any]], dict[str, Any]]


class ModelError(Exception):
    """A model has no meaning."""


class Model:
    """Predicates with their data, rules and options, and what is asked of them.

    The arguments jvm_options are there for programs that give them: there is no Java.
    """

    TRUTH_COLUMN_NAME = "truth"

    def __init__(self, name: str | None = None) -> None:
        self._name = str(uuid.uuid4()) if name is None else name
        self._rules: list[Rule] = []
        self._predicates: dict[str, Predicate] = {}
        self._options: dict[str, Any] = {}

    def add_predicate(self, predicate: Predicate) -> Model:
        """Add a predicate. No two have the same name."""
        if predicate is None:
            raise ModelError("There is no predicate to add: it is None.")
        if self._predicates.setdefault(predicate.name(), predicate) is not predicate:
            raise PredicateError(f"The model has another predicate {predicate.name()} already.")
        return self

    def add_rule(self, rule: Rule) -> Model:
        """Add a rule behind the others."""
        self._rules.append(rule)
        return self

    def infer(
        self,
        method: str = "",
        psl_options: Mapping[str, Any] = {},
        jvm_options: Any = (),
        transform_config: _Transform | None = None,
    ) -> dict[Predicate, Any]:
        """Infer, and return a frame for each predicate with targets: columns 0, 1, … for the arguments, and "truth"."""
        config = self._prep_config(psl_options)
        config["options"] |= {"runtime.learn": False, "runtime.inference": True}
        if method:
            config["options"]["runtime.inference.method"] = method
        with _model(config, transform_config) as model:
            answer = model.infer()
        if answer.status == "infeasible":
            raise ModelError("Hard rules contradict each other:\n" + "\n".join(answer.conflict))
        return {self._predicates[name.upper()]: self._frame(answer, name) for name in answer.predicates}

    def learn(
        self,
        method: str = "",
        psl_options: Mapping[str, Any] = {},
        jvm_options: Any = (),
        transform_config: _Transform | None = None,
    ) -> Model:
        """Learn the weights of the rules, and give them to the rules."""
        config = self._prep_config(psl_options)
        config["options"] |= {"runtime.learn": True, "runtime.inference": False}
        if method:
            config["options"]["runtime.learn.method"] = method
        with _model(config, transform_config) as model:
            model.learn(progress=False)
            learned = model.rules
        if len(learned) != len(self._rules):
            raise ModelError(f"{len(learned)} rules were learned, and the model has {len(self._rules)}.")
        for rule, found in zip(self._rules, learned):
            if rule.weighted() and found.weight is not None:
                rule.set_weight(found.weight)
        return self

    def ground(self, *_: Any, **__: Any) -> Any:
        """Refuse: this engine folds what is observed into constants, so that its ground rules have another form."""
        raise ModelError("Ground rules of this engine are shown by the method ground of deeppsl.Model.")

    def get_rules(self) -> list[Rule]:
        """Return the rules, in the order in which they were added."""
        return self._rules

    def get_predicates(self) -> dict[str, Predicate]:
        """Return the predicates by their normalized names."""
        return self._predicates

    def get_predicate(self, name: str) -> Predicate:
        """Return a predicate by its name, whose case does not count."""
        return self._predicates[Predicate.normalize_name(name)]

    def get_name(self) -> str:
        """Return the name of the model."""
        return self._name

    def add_options(self, options: Mapping[str, Any]) -> None:
        """Set options, which hold for all that follows."""
        self._options.update(options)

    def get_options(self) -> dict[str, Any]:
        """Return the options that are set."""
        return self._options

    def clear_options(self) -> None:
        """Forget the options that are set."""
        self._options = {}

    def _prep_config(self, psl_options: Mapping[str, Any]) -> dict[str, Any]:
        if not self._rules:
            raise ModelError("The model has no rules.")
        return {
            "options": {**self._options, **psl_options},
            "rules": [str(rule) for rule in self._rules],
            "predicates": {name: predicate.to_dict() for name, predicate in self._predicates.items()},
        }

    def _frame(self, answer: deeppsl.Answer, name: str) -> Any:
        """Return what was inferred of a predicate, with arguments of its types."""
        predicate = self._predicates[name.upper()]
        frame = answer.frame(name, "pandas")
        frame.columns = [*range(len(predicate)), self.TRUTH_COLUMN_NAME]
        for k, kind in enumerate(predicate.types()):
            if kind in Predicate.INT_TYPES:
                frame[k] = frame[k].astype("int64")
            elif kind in Predicate.FLOAT_TYPES:
                frame[k] = frame[k].astype("float64")
            else:
                frame[k] = frame[k].astype(str)
        return frame


def _model(config: dict[str, Any], transform: _Transform | None) -> deeppsl.Model:
    """Make a model of a configuration, which the user may change first."""
    if transform is not None:
        config = transform(config)
    declared = []
    for name, p in config["predicates"].items():
        types = [_TYPES.get(kind, "int") for kind in p["types"]]
        evaluators = [e["evaluator"] for e in p.get("evaluations", ())]
        declared.append(deeppsl.Predicate(p.get("name", name), types=types, evaluators=evaluators))
    options = {name: value for name, value in config["options"].items() if name not in _OURS}
    model = deeppsl.Model(config["rules"], predicates=declared, options=options)
    for name, p in config["predicates"].items():
        for partition, method in _PARTS.items():
            rows = p.get(partition.value) or []
            arity = len(p["types"])
            if rows or method == "observe":
                getattr(model, method)(p.get("name", name), _rows(rows, arity))
    return model


def _rows(rows: list[list[Any]], arity: int) -> Any:
    """Return rows as a frame, with their truth values if they have any."""
    columns = [*range(arity), "value"]
    return pandas.DataFrame(rows, columns=columns[: len(rows[0])] if rows else columns)
