"""Models from their rules to their answers."""

from __future__ import annotations

import copy
import decimal
import json
import math
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import deeppsl
from conftest import SMOKERS, smokers
from deeppsl import _tables


def test_infers_the_optimum(model: deeppsl.Model) -> None:
    answer = model.infer()
    assert answer.optimal and answer.gap <= 1e-4
    # min 3(1-b)² + 3·max(0, b-c)² + b² + c²
    assert answer.objective == pytest.approx(21 / 19, abs=1e-6)
    assert answer.dual_bound <= answer.objective
    assert answer.value("Smokes", "bob") == pytest.approx(12 / 19, abs=1e-3)
    assert answer["smokes"]["value"].tolist() == pytest.approx([12 / 19, 9 / 19], abs=1e-3)
    assert answer.predicates == ["Smokes"] == list(answer)


def test_answers_stay_what_they_are(model: deeppsl.Model) -> None:
    first = model.infer()
    second = model.infer()
    model.observe("Friends", [("ann", "cid")])  # grounds anew
    third = model.infer()
    model.close()
    assert first.value("Smokes", "cid") == pytest.approx(9 / 19, abs=1e-3)
    assert second["Smokes"].equals(first["Smokes"]) or second.objective == pytest.approx(first.objective)
    assert third.value("Smokes", "cid") > 0.6
    again = model.infer()  # a process of its own
    assert again.objective == pytest.approx(third.objective, abs=1e-6)


def test_weights_of_rules_can_be_set(model: deeppsl.Model) -> None:
    before = model.infer().value("Smokes", "bob")
    rule = model.rules[0]
    assert (rule.weight, rule.hard, rule.ground) == (3, False, 2)
    rule.weight = 1
    assert model.infer().value("Smokes", "bob") < before
    model.observe("Friends", [("cid", "bob")])
    assert model.rules[0].weight == 1  # in the next session, too
    assert model.program().startswith("1.0: Friends(A, B)") or model.program().startswith("1: Friends(A, B)")
    with pytest.raises(ValueError, match="weight"):
        rule.weight = -1
    with pytest.raises(AttributeError):
        deeppsl.Rule("1: A(X)").weight = 2


def test_rules_may_be_a_list() -> None:
    with deeppsl.Model([deeppsl.Rule("A(X) -> B(X) ^2", weight=0.5), "B(X) = 0 ."]) as model:
        model.observe("A", [1]).target("B", [1])
        assert [(r.weight, r.hard) for r in model.rules] == [(0.5, False), (None, True)]
        assert model.infer().value("B", 1) == pytest.approx(0, abs=1e-6)


def test_given_values_change_while_a_model_lives() -> None:
    with deeppsl.Model("2: Smoke(R) -> Fire(R) ^2\n1: !Fire(R) ^2") as model:
        model.given("Smoke", {"hall": 0.0, "kitchen": 0.0}).target("Fire", ["hall", "kitchen"])
        assert model.infer().value("Fire", "kitchen") == pytest.approx(0, abs=1e-4)
        for k in range(200):
            model.set("Smoke", {"kitchen": k / 200})
        model.set("Smoke", {"kitchen": 1.0})
        assert model.infer().value("Fire", "kitchen") == pytest.approx(2 / 3, abs=1e-3)
        model.add("0.001: Fire(R) ^2")  # grounds anew
        assert model.infer().value("Fire", "kitchen") == pytest.approx(2 / 3, abs=1e-3)
        with pytest.raises(deeppsl.FailedError, match="no atom"):
            model.set("Smoke", {"cellar": 1.0})
        with pytest.raises(deeppsl.FailedError, match="not in"):
            model.set("Smoke", {"kitchen": 2.0})


def test_weights_are_learned_and_stay() -> None:
    rules = "1: Near(A, B) -> Knows(A, B) ^2\n1: !Knows(A, B) ^2"
    pairs = [("ann", "bob"), ("bob", "cid"), ("cid", "dan")]
    knows = deeppsl.Predicate("Knows", evaluators=["discrete"])
    with deeppsl.Model(rules, predicates=[knows], learning="perceptron") as model:
        model.observe("Near", pairs).target("Knows", pairs)
        model.truth("Knows", [("ann", "bob", 1.0), ("bob", "cid", 1.0), ("cid", "dan", 0.0)])
        seen: list[deeppsl.Epoch] = []
        training = model.learn(progress=seen.append)
        assert training.epochs == seen or len(training.epochs) == len(seen) > 1
        assert not training.early and training.ended
        weights = [r.weight for r in model.rules]
        assert weights[0] is not None and weights[0] > 1
        score = model.evaluate()[0]
        assert (score.predicate, score.scored, score.primary) == ("Knows", 3, "F1") and 0.7 < score.score <= 1
        assert list(training.frame().columns) == ["epoch", "loss", "validation", "gap"]
        assert "<svg" in training._repr_html_()
        model.target("Knows", [("dan", "ann")])
        assert [r.weight for r in model.rules] == weights


def test_networks_learn_and_are_saved(tmp_path: Path) -> None:
    def fruits() -> deeppsl.Model:
        network = deeppsl.Network(classes=["apple", "pear"], hidden=[4])
        looks = deeppsl.Predicate("Looks", network=network)
        model = deeppsl.Model(
            "1: Looks(F, K) -> Is(F, K) ^2\nIs(F, +K) = 1 .",
            predicates=[looks],
            seed=1,
            learning="implicit",
            epochs=15,
        )
        names = [f"fruit{k}" for k in range(20)]
        kinds = ["apple", "pear"]
        model.features("Looks", names, [[k % 2 + 0.1 * (k % 3), 0.1 * (k % 5)] for k in range(20)])
        model.target("Is", [(n, k) for n in names for k in kinds])
        model.truth("Is", [(n, kinds[k % 2]) for k, n in enumerate(names[:12])], phase="learning")
        return model

    file = tmp_path / "networks"
    with fruits() as model, warnings.catch_warnings():
        warnings.simplefilter("ignore", deeppsl.DeepPSLWarning)
        model.learn()
        learned = model.infer().value("Looks", "fruit19", "pear")
        assert learned > 0.5
        model.save_networks(file)
        model.target("Is", [("fruit0", "plum")])  # grounds anew, with what was learned
        assert model.infer().value("Looks", "fruit19", "pear") == pytest.approx(learned)
    assert [p.name for p in tmp_path.iterdir()] == ["networks"]
    with fruits() as fresh:
        fresh.load_networks(file)
        assert fresh.infer().value("Looks", "fruit19", "pear") == pytest.approx(learned)
    with pytest.raises(ValueError, match="rows of features"):
        fruits().features("Looks", ["a"], np.zeros((2, 2)))


@pytest.mark.parametrize("form", ["index", "ids", "dict", "array", "arrow", "polars"])
def test_features_may_have_texts_and_gaps(form: str) -> None:
    """A network learns from a frame as it is: what tells the kinds apart is a text, and there are gaps in the numbers."""
    names = [f"fruit{k}" for k in range(24)]
    frame = pandas.DataFrame(
        {
            "weight": [None if k % 5 == 0 else 1e6 * (k % 7) for k in range(24)],
            "colour": [["green", "yellow"][k % 2] if k != 3 else None for k in range(24)],
            "code": pandas.array([k % 3 for k in range(24)], dtype="Int64"),
            "ripe": [k % 4 < 2 for k in range(24)],
        },
        index=names,
    )
    network = deeppsl.Network(classes=["apple", "pear"], hidden=[4])
    model = deeppsl.Model(
        "1: Looks(F, K) -> Is(F, K) ^2\nIs(F, +K) = 1 .", predicates=[deeppsl.Predicate("Looks", network=network)], seed=1
    )
    if form == "index":
        model.features("Looks", frame)
    elif form == "polars":
        model.features("Looks", names, pytest.importorskip("polars").from_pandas(frame))
    elif form == "arrow":
        model.features("Looks", names, pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False))
    else:
        given = {"ids": frame, "dict": dict(frame.items()), "array": frame.to_numpy(dtype=object)}
        model.features("Looks", names, given[form])
    kinds = ["apple", "pear"]
    model.target("Is", [(n, k) for n in names for k in kinds])
    model.truth("Is", [(n, kinds[k % 2]) for k, n in enumerate(names[:12])], phase="learning")
    with model:
        model.learn()
        answer = model.infer()
        right = [answer.value("Is", n, kinds[k % 2]) > 0.5 for k, n in enumerate(names[12:])]
        assert sum(right) >= 11


def test_features_that_cannot_be() -> None:
    model = deeppsl.Model("1: Looks(F, 'pear') -> Is(F)")
    with pytest.raises(TypeError, match="whose index has the ids"):
        model.features("Looks", ["a", "b"])
    with pytest.raises(ValueError, match="2 ids need as many rows"):
        model.features("Looks", ["a", "b"], {"x": [1.0]})
    with pytest.raises(ValueError, match="different lengths"):
        model.features("Looks", ["a", "b"], {"x": [1.0, 2.0], "y": ["r"]})
    with pytest.raises(ValueError, match="shape"):
        model.features("Looks", ["a"], [1.0])
    for vector in ([1.0, 2.0], np.zeros(2), {"x": 1}, b"x", 1j):
        with pytest.raises(TypeError, match="the column 'seen' of features has .* numpy.stack"):
            model.features("Looks", pandas.DataFrame({"size": [1.0], "seen": [vector]}, index=["a"]))


def test_features_may_be_decimals_and_durations() -> None:
    """Numbers of databases, and differences of times, are numbers, as they would be of another type."""
    sizes = [decimal.Decimal("1.5"), None, decimal.Decimal(2)]
    durations = pandas.to_timedelta([36, 12, None], unit="h")
    given = _tables.features(pandas.DataFrame({"price": sizes, "age": durations}))
    assert given == [("price", ["1.5", "", "2.0"], False), ("age", ["1.5", "0.5", ""], False)]
    assert _tables.features({"count": [np.int64(3), np.float32(0.5), decimal.Decimal(1)]}).tolist() == [[3], [0.5], [1]]


def test_configurations_can_be_opened(tmp_path: Path) -> None:
    (tmp_path / "likes.csv").write_text("a,b\nann,bob\n")
    (tmp_path / "model.json").write_text(
        json.dumps(
            {
                "rules": ["1: Likes(A, B) -> Knows(A, B) ^2"],
                "predicates": {"Likes/2": {"observations": ["likes.csv"]}, "Knows/2": {"targets": [["ann", "bob"]]}},
            }
        )
    )
    with deeppsl.Model.open(tmp_path / "model.json") as model:
        assert model.infer().value("Knows", "ann", "bob") == pytest.approx(1, abs=1e-3)
        assert model.check().targets == 1
        with pytest.raises(ValueError, match="files of its configuration"):
            model.add("1: Likes(A, B) -> Knows(B, A)")
        model.add(deeppsl.Predicate("Knows", evaluators=["discrete"])).truth("Knows", [("ann", "bob")])
        assert model.evaluate()[0].score == 1
    with deeppsl.Model("1: Likes(A, B) -> Knows(A, B) ^2") as model:
        model.observe("Likes", tmp_path / "likes.csv").target("Knows", [("ann", "bob")])
        assert model.infer().value("Knows", "ann", "bob") == pytest.approx(1, abs=1e-3)


def test_errors_have_their_place_and_a_caret() -> None:
    with pytest.raises(deeppsl.InputError) as caught:
        deeppsl.Model("1: A(X) -> B(X")
    assert "rules:1:15: error: expected" in str(caught.value)
    assert "\n                  ^" in str(caught.value)
    assert caught.value.problems[0].column == 15

    model = smokers()
    model.add("1: Friend(A, B) -> Smokes(A)")
    with pytest.raises(deeppsl.InputError, match="did you mean Friends") as caught:
        model.infer()
    assert (caught.value.problems[0].id, caught.value.problems[0].line) == ("unknown-predicate", 5)
    with pytest.raises(deeppsl.InputError):
        model.add("1: nonsense")
    assert len(model._rules) == 2  # what was refused is not kept

    wrong = smokers()
    wrong.observe("Frends", [("ann", "bob")])
    with pytest.raises(deeppsl.DeepPSLError, match="did you mean Friends"):
        wrong.infer()
    with pytest.raises(deeppsl.DeepPSLError, match="arguments"):
        smokers().observe("Friends", ["ann"]).infer()
    with pytest.raises(deeppsl.DeepPSLError, match="does-not-exist"):
        deeppsl.Model.open("does-not-exist.json").infer()
    with pytest.raises(deeppsl.DeepPSLError, match="inference.gpa"):
        smokers(options={"inference.gpa": 1}).infer()


def test_warnings_name_the_line_that_asked() -> None:
    with deeppsl.Model("1: A(X) & C(Y) -> B(X) ^2") as model, pytest.warns(deeppsl.DeepPSLWarning) as told:
        model.observe("A", ["a"]).observe("C", ["c"]).target("B", ["a"]).infer()
    assert told[0].filename == __file__


def test_hard_rules_that_contradict_each_other_are_named() -> None:
    with deeppsl.Model("A(X) = 1 .\nA(X) = 0 .") as model:
        model.target("A", ["a"])
        answer = model.infer()
    assert answer.status == "infeasible" and len(answer.conflict) == 2
    assert answer.gap == math.inf


def test_shows_itself(model: deeppsl.Model) -> None:
    assert repr(model) == "<Model: 2 rules, 3 tables>"
    assert "Friends(A, B) &amp; Smokes(A)" in model._repr_html_()
    answer = model.infer()
    assert "optimal" in repr(answer) and "2 of Smokes" in repr(answer)
    assert "<td>3</td>" in model._repr_html_() and "<th>ground rules</th>" in model._repr_html_()
    assert "Smokes('bob')" in model.ground()
    assert model.ground(limit=1).count("Smokes") <= 2


def test_answers_of_atoms_that_are_not_there(model: deeppsl.Model) -> None:
    answer = model.infer()
    with pytest.raises(KeyError, match="Smokes"):
        answer["Drinks"]
    with pytest.raises(KeyError, match="eve"):
        answer.value("Smokes", "eve")


def test_programs_about_examples() -> None:
    path = Path(__file__).parents[2] / "examples" / "digits" / "numbers.json"
    with deeppsl.Model.open(path, seed=1) as model, warnings.catch_warnings():
        warnings.simplefilter("ignore", deeppsl.DeepPSLWarning)
        found = model.predict()
    assert found[0].label == "Result(0)" and 0 <= found[0].value <= 1
    with pytest.raises(deeppsl.FailedError, match="about examples"), deeppsl.Model(SMOKERS) as other:
        other.observe("Friends", [("a", "b")]).target("Smokes", ["a", "b"]).predict()


def test_names_are_exported() -> None:
    for name in deeppsl.__all__:
        assert getattr(deeppsl, name) is not None
    assert pandas.DataFrame is not None
    with pytest.raises(AttributeError):
        deeppsl.nothing  # noqa: B018


def test_copies_are_models_of_their_own() -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2\n1: !Out(A) ^2", seed=np.int64(3)) as model:
        model.observe("In", ["a"]).target("Out", ["a"]).infer()
        model.rules[0].weight = np.float32(3)
        for copied in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            with copied:
                assert copied.infer().value("Out", "a") == pytest.approx(0.75)
                copied.target("Out", ["b"]).infer()
        for answer in (model.infer(), model.what_if([])):
            kept = pickle.loads(pickle.dumps(answer))
            assert kept["Out"].to_dict("list") == {0: ["a"], "value": [pytest.approx(0.75)]}


def test_errors_are_pickled_whole() -> None:
    with pytest.raises(deeppsl.InputError) as raised:
        deeppsl.Model("1: In(A -> Out(A)")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.problems) == (str(raised.value), raised.value.problems)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"seed": -1}, "seed is at least 0, and not -1"),
        ({"seed": 1.5}, "float"),
        ({"gap": math.nan}, "gap is a number of at least 0, and not nan"),
        ({"rules": Path("model.psl")}, "Model.open reads"),
        ({"rules": b"1: In(A) -> Out(A)"}, "a rule is a text or a deeppsl.Rule, and not b'1: In"),
        ({"rules": None}, "and not None"),
        ({"rules": ["1: In(A) -> Out(A)", 3]}, "and not 3"),
        ({"rules": [deeppsl.Rule("A(X)", 1)], "epochs": -3}, "epochs is at least 0"),
    ],
)
def test_options_that_have_no_meaning(options: dict[str, Any], error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        deeppsl.Model(**options)


def test_numbers_that_have_no_meaning() -> None:
    with deeppsl.Model("1: In(A) -> Out(A) ^2") as model:
        model.observe("In", ["a"]).target("Out", ["a"])
        with pytest.raises(ValueError, match="seconds is a number of at least 0"):
            model.infer(seconds=-1)
        with pytest.raises(ValueError, match="a weight is a number of at least 0, and not nan"):
            model.rules[0].weight = math.nan
        with pytest.raises(ValueError, match="and not inf"):
            deeppsl.Rule("A(X)", math.inf)
        with pytest.raises(ValueError, match="a phase is learning, validation or inference, and not 'train'"):
            model.truth("Out", ["a"], phase="train")


@pytest.mark.parametrize(
    ("hidden", "ids", "value", "text"),
    [
        ("wide", "ab", 0.0, "hidden must be a "),
        ([2], "aa", 0.0, 'entity "a" has two rows'),
        ([2], "ab", np.inf, "finite"),
    ],
)
def test_wrong_networks_and_features_are_wrong_inputs(hidden: Any, ids: str, value: float, text: str) -> None:
    looks = deeppsl.Predicate("Looks", network=deeppsl.Network(classes=["x", "y"], hidden=hidden))
    with pytest.raises(deeppsl.InputError, match=text) as raised:
        with deeppsl.Model("1: Looks(A, K) -> Is(A, K) ^2", predicates=[looks]) as model:
            model.features("Looks", list(ids), np.array([[1.0], [value]]))
            model.target("Is", [(i, k) for i in set(ids) for k in "xy"]).infer()
    assert len(raised.value.problems) == 1


def test_one_alone_needs_no_list() -> None:
    pair = deeppsl.Predicate("Pair", derive="Pair(A, B) <- In(A) & In(B) & (A != B)")
    same = deeppsl.Predicate("Same", types=str, evaluators="auc")
    assert pair.derive == ["Pair(A, B) <- In(A) & In(B) & (A != B)"] and same.evaluators == ["auc"]
    assert same.types == deeppsl.Predicate("Same", types=[str]).types
    with deeppsl.Model("1: Pair(A, _) -> Out(A) ^2", predicates=[pair]) as model:
        model.observe("In", ["a", "b"]).target("Out", ["a", "b"])
        assert model.infer().value("Out", "a") == pytest.approx(1, abs=1e-3)
    with pytest.raises(TypeError, match="classes are a list of constants, and not the text 'ab'"):
        deeppsl.Network(classes="ab")
