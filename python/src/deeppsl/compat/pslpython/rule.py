"""Rules, whose weight and square may stand in their text or beside it."""

from __future__ import annotations

import math
import os
import re

_WEIGHT = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*:\s*")
_HARD = re.compile(r"\s+\.\s*$")
_POWER = re.compile(r"\s*\^\s*([12])\s*$")


class RuleError(Exception):
    """A rule contradicts itself, or what is said of it."""

    def __init__(self, raw_rule_string: str, message: str) -> None:
        super().__init__(f'{message} Rule: "{raw_rule_string}".')


class Rule:
    """A rule: weighted, and perhaps squared, or hard ("weighted" is false). Its body is read by the engine alone."""

    def __init__(
        self,
        rule_string: str,
        weighted: bool | None = None,
        weight: float | None = None,
        squared: bool | None = None,
    ) -> None:
        text, hard = _HARD.subn("", rule_string.strip())
        text, said, power = self._split(text)
        if hard and power or _HARD.search(text):
            raise RuleError(rule_string, "A rule that ends with a point is hard, and has no power.")
        if hard and weighted:
            raise RuleError(rule_string, "The rule ends with a point, so it is hard, but weighted is true.")
        self._weighted = not hard if weighted is None else bool(weighted)
        self._weight = self._agree(rule_string, "weight", said, weight)
        if self._weighted and self._weight is None:
            raise RuleError(rule_string, "A rule needs a weight, in its text or beside it, or a point at its end.")
        if not self._weighted and self._weight is not None:
            raise RuleError(rule_string, "A hard rule has no weight.")
        if self._weight is not None:
            self._check(rule_string, self._weight)
        said_square = None if power is None else float(power == "2")
        square = self._agree(rule_string, "power", said_square, None if squared is None else float(squared))
        self._squared = bool(square)
        if self._squared and not self._weighted:
            raise RuleError(rule_string, "A hard rule cannot be squared.")
        self._rule_body = text

    @staticmethod
    def _split(text: str) -> tuple[str, float | None, str | None]:
        """Take the weight and the power off a rule's text."""
        weight = power = None
        if found := _WEIGHT.match(text):
            weight, text = float(found[1]), text[found.end() :]
        if found := _POWER.search(text):
            power, text = found[1], text[: found.start()]
        return text, weight, power

    @staticmethod
    def _agree(rule: str, what: str, said: float | None, given: float | None) -> float | None:
        """Return what the text says or what is given, which must be the same if there are both."""
        if said is not None and given is not None and not math.isclose(said, given):
            raise RuleError(rule, f"The {what} in the rule's text is not the one that is given.")
        return given if said is None else said

    @staticmethod
    def _check(rule: str, weight: float) -> None:
        if not 0 <= weight < math.inf:
            raise RuleError(rule, f"A weight is a number of at least 0, and not {weight!r}.")

    def set_weight(self, weight: float) -> Rule:
        """Change the weight of a weighted rule."""
        self._check(self._rule_body, weight)
        if not self._weighted:
            raise RuleError(self._rule_body, "A hard rule has no weight.")
        self._weight = weight
        return self

    def set_squared(self, squared: bool) -> Rule:
        """Say whether a weighted rule is squared."""
        if not self._weighted:
            raise RuleError(self._rule_body, "A hard rule cannot be squared.")
        self._squared = squared
        return self

    def weight(self) -> float | None:
        """Return the weight; None of a hard rule."""
        return self._weight

    def weighted(self) -> bool:
        """Tell whether the rule has a weight."""
        return self._weighted

    def squared(self) -> bool:
        """Tell whether the rule is squared."""
        return self._squared

    def to_string(self, weight_places: int | None = None) -> str:
        """Return the rule as the engine reads it, with so many decimals of its weight: by default as many as it has."""
        if not self._weighted:
            return f"{self._rule_body} ."
        assert self._weight is not None
        weight = repr(float(self._weight)) if weight_places is None else f"{self._weight:.{weight_places}f}"
        return f"{weight}: {self._rule_body}" + (" ^2" if self._squared else "")

    __str__ = to_string
    __repr__ = to_string

    @staticmethod
    def load_from_file(path: str | os.PathLike[str]) -> list[Rule]:
        """Read rules from a file, one per line; lines that are empty or begin with # or // are left out."""
        with open(path, encoding="utf-8") as file:
            lines = [line.strip() for line in file]
        return [Rule(line) for line in lines if line and not line.startswith(("#", "//"))]
