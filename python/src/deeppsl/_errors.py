"""What can go wrong."""

from __future__ import annotations

from typing import Any, NamedTuple


class Problem(NamedTuple):
    """One thing that is wrong with an input, or that is probably not meant."""

    id: str  #: names the kind of problem, which the documentation explains
    warning: bool  #: it has a meaning, but probably not the one intended
    file: str  #: where it is; "rules" for the rules of a model, "" without a place
    line: int  #: from 1; 0 without a place
    column: int  #: from 1; 0 without a place
    message: str
    hint: str  #: what to do; may be empty

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{place}{self.message}{hint} [{self.id}]"


class DeepPSLError(Exception):
    """The base of all errors of this package."""


class InputError(DeepPSLError, ValueError):
    """Rules or data have no meaning. The text has every problem with its place, its line, a caret and a hint."""

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.problems)


class FailedError(DeepPSLError, RuntimeError):
    """The engine could not do what was asked for."""


class CancelledError(DeepPSLError):
    """It was cancelled before there was a result."""


class WorkerError(DeepPSLError, RuntimeError):
    """The engine's process has ended, or speaks another protocol."""


class DeepPSLWarning(UserWarning):
    """Something has a meaning, but probably not the one intended."""


def from_reply(error: dict[str, Any]) -> DeepPSLError:
    """Make an exception of a reply's error."""
    kind, message = error["kind"], error["message"].rstrip("\n")
    problems = tuple(Problem(**p) for p in error.get("problems", ()))
    if kind == "input":
        return InputError(message, problems)
    if kind == "cancelled":
        return CancelledError(message)
    if kind == "protocol":
        return WorkerError(message)
    return FailedError(message)
