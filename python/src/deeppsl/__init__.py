"""Reason with weighted rules whose predicates may be neural networks.

    model = deeppsl.Model('''
        3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
        1: !Smokes(A) ^2
    ''')
    model.observe("Friends", friends)       # data frames in
    model.observe("Smokes", ["ann"])
    model.target("Smokes", people)
    answer = model.infer()
    answer["Smokes"]                        # data frames out
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._errors import (
        CancelledError,
        DeepPSLError,
        DeepPSLWarning,
        FailedError,
        InputError,
        Problem,
        WorkerError,
    )
    from .changes import Applied
    from .explanations import Counterfactual, Explanation, Leaf, Premise, Push
    from .model import Model, Network, Predicate, Rule, Similar
    from .networks import External
    from .results import Answer, Epoch, Estimate, Evaluation, Gradient, Prediction, Summary, Training

__version__ = "0.1.0"

_HOMES = {
    "_errors": (
        "CancelledError",
        "DeepPSLError",
        "DeepPSLWarning",
        "FailedError",
        "InputError",
        "Problem",
        "WorkerError",
    ),
    "changes": ("Applied",),
    "explanations": ("Counterfactual", "Explanation", "Leaf", "Premise", "Push"),
    "model": ("Model", "Network", "Predicate", "Rule", "Similar"),
    "networks": ("External",),
    "results": ("Answer", "Epoch", "Estimate", "Evaluation", "Gradient", "Prediction", "Summary", "Training"),
}

__all__ = [
    "Answer",
    "Applied",
    "CancelledError",
    "Counterfactual",
    "DeepPSLError",
    "DeepPSLWarning",
    "Epoch",
    "Estimate",
    "Evaluation",
    "Explanation",
    "External",
    "FailedError",
    "Gradient",
    "InputError",
    "Leaf",
    "Model",
    "Network",
    "Predicate",
    "Prediction",
    "Premise",
    "Problem",
    "Push",
    "Rule",
    "Similar",
    "Summary",
    "Training",
    "WorkerError",
    "__version__",
]


def __getattr__(name: str) -> object:
    """Load what is asked for, so that the import itself is quick."""
    import importlib

    for home, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module("." + home, __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
