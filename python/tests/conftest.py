"""What tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import deeppsl

SMOKERS = """
3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2
1: !Smokes(A) ^2
"""

#: A model that takes as long as one lets it.
ENDLESS = {
    "method": "sgd",
    "options": {"sgd.threshold": 1e-300, "sgd.rate": 1e-9, "inference.iterations": 2_000_000_000},
}


def smokers(**options: object) -> deeppsl.Model:
    """Return a model of three people, of whom one is known to smoke."""
    model = deeppsl.Model(SMOKERS, **options)  # type: ignore[arg-type]
    model.observe("Friends", [("ann", "bob"), ("bob", "cid")])
    model.observe("Smokes", ["ann"])
    model.target("Smokes", ["bob", "cid"])
    return model


@pytest.fixture
def model() -> Iterator[deeppsl.Model]:
    with smokers() as made:
        yield made
