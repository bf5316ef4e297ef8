"""Models that change while they live."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import deeppsl
from deeppsl import changes

from conftest import smokers


def test_apply_is_a_new_model(model: deeppsl.Model) -> None:
    before = model.infer()
    made = [changes.observe("Friends", "cid", "dan"), changes.target("Smokes", "dan"), changes.weight(0, 5)]
    then = model.what_if(made)
    assert model.infer().objective == pytest.approx(before.objective, rel=1e-4)
    applied = model.apply(made)
    assert applied.come > 0 and not applied.anew
    now = model.infer()
    with deeppsl.Model("5: Friends(A, B) & Smokes(A) -> Smokes(B) ^2\n1: !Smokes(A) ^2") as other:
        other.observe("Friends", [("ann", "bob"), ("bob", "cid"), ("cid", "dan")])
        other.observe("Smokes", ["ann"])
        other.target("Smokes", ["bob", "cid", "dan"])
        want = other.infer()
    for answer in (then, now):
        assert answer.optimal
        assert answer.objective == pytest.approx(want.objective, rel=1e-3)
        assert answer.value("Smokes", "dan") == pytest.approx(want.value("Smokes", "dan"), abs=0.05)
    assert len(before.values_of("Smokes")) == 2  # it stays what it was


def test_changes_outlive_their_session(model: deeppsl.Model) -> None:
    model.apply([changes.remove("Friends", "bob", "cid"), changes.deactivate(1), changes.rule("2: !Smokes(A) ^2")])
    want = model.infer()
    model.observe("Friends", [("eve", "bob")])  # another session
    model.observe("Smokes", ["eve"])
    assert [r.ground for r in model.rules] != [] and model.infer().value("Smokes", "cid") == pytest.approx(0, abs=0.01)
    assert want.value("Smokes", "cid") == pytest.approx(0, abs=0.01)


def test_refused() -> None:
    with smokers() as model:
        with pytest.raises(deeppsl.FailedError, match="there is no atom"):
            model.apply([changes.remove("Smokes", "eve")])
        for ask in (model.apply, model.what_if):
            with pytest.raises(TypeError, match="changes are a list of what deeppsl.changes makes"):
                ask(changes.remove("Smokes", "bob"))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="changes is at least 0, and not -1"):
            model.explain("Smokes('bob')", changes=-1)
        assert model.infer().optimal


def test_changes_are_those_of_requests() -> None:
    """deeppsl serve takes them too, and refuses members that a kind of change has no use for."""
    assert changes.target("Smokes", 3) == {"change": "target", "predicate": "Smokes", "arguments": ["3"]}
    assert changes.remove("Smokes", "bob") == {"change": "remove", "predicate": "Smokes", "arguments": ["bob"]}
    assert changes.observe("Smokes", "bob", value=0) == {"change": "observe", "predicate": "Smokes", "arguments": ["bob"], "value": 0.0}


def test_features_come_and_change() -> None:
    looks = deeppsl.Predicate("Looks", network=deeppsl.Network(classes=["apple", "pear"]))
    with deeppsl.Model("1: Looks(F, K) -> Is(F, K) ^2\nIs(F, +K) = 1 .", predicates=[looks], seed=1) as model:
        model.features("Looks", ["a", "b"], [[0.0, 1.0], [1.0, 0.5]])
        model.target("Is", [("a", "apple"), ("a", "pear")])
        model.target("Is", [("b", "apple"), ("b", "pear")])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", deeppsl.DeepPSLWarning)
            before = model.infer().value("Looks", "a", "apple")
        come = [changes.target("Is", 3, kind) for kind in ("apple", "pear")]
        made = [changes.features("Looks", 3, np.array([0.0, 1.0])), changes.features("Looks", "a", [2, 0.5]), *come]
        applied = model.apply(made)
        assert applied.perceived == 4 and not applied.anew
        now = model.infer()
        assert now.value("Looks", "3", "apple") == pytest.approx(before)
        assert now.value("Looks", "a", "apple") != pytest.approx(before)
        with pytest.raises(deeppsl.DeepPSLError, match="has 1 values"):
            model.apply([changes.features("Looks", "c", [1])])
        assert model.infer().objective == pytest.approx(now.objective, rel=2e-4)


def test_many_changes_at_once() -> None:
    with deeppsl.Model("1: O(X) -> T(X) ^2") as model:
        model.observe("O", ["a"]).target("T", ["a"]).infer()
        model.apply([changes.target("T", f"n{k}") for k in range(40_000)])
        assert len(model.infer()["T"]["value"]) == 40_001
        pid = model._worker.pid if model._worker else 0
        with pytest.raises(ValueError, match="fewer changes"):
            model.apply([changes.target("T", f"m{k}") for k in range(400_000)])
        assert model._worker is not None and model._worker.pid == pid  # which goes on
        assert len(model.infer()["T"]["value"]) == 40_001
