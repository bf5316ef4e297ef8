"""What can change while a model lives: see Model.apply and Model.what_if.

    model.apply([changes.observe("Friends", "bob", "dan"), changes.target("Smokes", "dan")])
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _tables

Change = dict[str, Any]  #: as the protocol has it


class Applied(NamedTuple):
    """What changes came to."""

    come: int  #: ground rules that have come
    gone: int  #: and gone
    reground: list[int]  #: rules that were ground anew as a whole
    derived: list[str]  #: predicates of which other atoms follow now
    anew: bool  #: whether all was ground anew
    perceived: int = 0  #: atoms that networks were asked about


def observe(predicate: str, *arguments: Any, value: float = 1.0) -> Change:
    """Give an atom a known value: a new one, one with another value, or a target, which is fixed by it."""
    return {**_of("observe", predicate, arguments), "value": _number(value)}


def remove(predicate: str, *arguments: Any) -> Change:
    """Take an atom away, observed or target. One of a predicate without targets is 0 then."""
    return _of("remove", predicate, arguments)


def target(predicate: str, *arguments: Any) -> Change:
    """Make an atom a target: a new one, or one that was observed, which is freed by it."""
    return _of("target", predicate, arguments)


def give(predicate: str, *arguments: Any, value: float) -> Change:
    """Give a given atom another value."""
    return {**_of("give", predicate, arguments), "value": _number(value)}


def weight(rule: int, value: float) -> Change:
    """Give a rule, by its number from 0, another weight."""
    return {"change": "weight", "rule": operator.index(rule), "value": _number(value)}


def deactivate(rule: int) -> Change:
    """Take the ground rules of a rule away."""
    return {"change": "deactivate", "rule": operator.index(rule)}


def activate(rule: int) -> Change:
    """Bring back what deactivate took away."""
    return {"change": "activate", "rule": operator.index(rule)}


def rule(text: str) -> Change:
    """Add a rule behind the others."""
    return {"change": "rule", "text": text}


def features(network: str, row: Any, values: Iterable[Any]) -> Change:
    """Give an entity a row of the features that a network reads: a new one, with which the atoms of the network's classes
    come, or one in the place of that which it has. There is a value for each column."""
    numbers = [_number(v) for v in values]
    return {"change": "features", "network": network, "row": _tables.text(row), "values": numbers}


def _of(kind: str, predicate: str, arguments: tuple[Any, ...]) -> Change:
    return {"change": kind, "predicate": predicate, "arguments": [_tables.text(a) for a in arguments]}


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"a value is a number, and not {number!r}")
    return number
