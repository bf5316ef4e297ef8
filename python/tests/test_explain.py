"""Why atoms have their values."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import deeppsl
from deeppsl.explanations import parse

RULES = "3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2\n1: !Smokes(A) ^2"


@pytest.fixture
def model() -> deeppsl.Model:
    model = deeppsl.Model(RULES, gap=1e-10)
    model.observe("Friends", [("ann", "bob <b>"), ("bob <b>", "o'neil")]).observe("Smokes", ["ann"])
    return model.target("Smokes", ["bob <b>", "o'neil"])


def test_an_explanation_adds_up(model: deeppsl.Model) -> None:
    value = model.infer().value("Smokes", "bob <b>")
    why = model.explain("Smokes('bob <b>')", changes=2)
    assert why.value == pytest.approx(value, abs=1e-6) and why.unique
    assert sum(part.contribution for part in why.leaves) == pytest.approx(why.value, abs=1e-6)
    assert sum(p.push for p in why.pushes) + why.bound_force == pytest.approx(why.unexplained, abs=1e-6)
    assert {a.role for p in why.pushes for a in p.atoms} == {"observed", "target"}
    assert len(why.counterfactuals) == 2 and all(c.gap < 1e-4 for c in why.counterfactuals)
    assert any(c.value == pytest.approx(0, abs=1e-6) for c in why.counterfactuals), "nothing else makes bob smoke"
    assert str(why).startswith("Smokes('bob <b>') = 0.")
    assert not why.because and model.explain("Smokes", "o'neil", depth=1).because
    assert model.explain(r"Smokes('o\'neil')").atom == model.explain("""Smokes("o'neil")""").atom


def test_notebooks_draw_a_waterfall(model: deeppsl.Model) -> None:
    why = model.explain("Smokes", "bob <b>")
    drawn = ElementTree.fromstring(why.waterfall())
    bars = drawn.findall("rect")
    assert len(bars) == len([part for part in why.leaves if part.contribution]) + 1
    last = [part for part in why.leaves if part.contribution][-1]
    x, width = (float(bars[-2].get(name, "")) for name in ("x", "width"))
    value = float(bars[-1].get("x", "")) + float(bars[-1].get("width", ""))
    assert (x + width if last.contribution > 0 else x) == pytest.approx(value, abs=0.2), "the parts end at the value"
    page = why._repr_html_()
    assert "bob &lt;b&gt;" in page and "bob <b>" not in page and "<svg" in page
    few = ElementTree.fromstring(why.waterfall(leaves=1))
    assert len(few.findall("rect")) == min(3, len(bars))


def test_values_that_are_not_unique_have_an_interval() -> None:
    model = deeppsl.Model("1: Smokes(A) -> Rich(A)").given("Smokes", {"ann": 0.3}).target("Rich", ["ann"])
    why = model.explain("Rich('ann')")
    assert not why.unique and why.interval == pytest.approx((0.3, 1), abs=1e-4)
    assert not why.leaves and why.waterfall() == "" and "costs the same" in why._repr_html_()


def test_what_is_no_target_is_an_error(model: deeppsl.Model) -> None:
    for atom in ("Smokes('eve')", "Smokes('ann')", "Nobody('a')"):
        with pytest.raises(deeppsl.DeepPSLError):
            model.explain(atom)


def test_atoms_are_read_as_rules_write_them() -> None:
    assert parse("Same('a','b')") == ("Same", ["a", "b"])
    assert parse(r""" Same( "a, (b)" , 'it\'s\n' ) """) == ("Same", ["a, (b)", "it's\n"])
    assert parse("Sum(12, New York)") == ("Sum", ["12", "New York"])
    assert parse("Rain") == ("Rain", []) and parse("Rain()") == ("Rain", [])
    for wrong in ("Same('a'", "Same('a' 'b')", "('a')", "Same('a',)", "Same(a('b'))", "", "1('a')"):
        with pytest.raises(ValueError, match="is no atom"):
            parse(wrong)
