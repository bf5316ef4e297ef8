"""Models that change while they live."""

from __future__ import annotations

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
        assert model.infer().optimal
