"""The interface of pslpython."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

from deeppsl.compat.pslpython import Model, ModelError, Partition, Predicate, PredicateError, Rule, RuleError


def friends() -> tuple[Model, Predicate]:
    knows, likes = Predicate("Knows", size=2), Predicate("Likes", size=2)
    model = Model("friends").add_predicate(knows).add_predicate(likes)
    likes.add_data(Partition.OBSERVATIONS, [["ann", "tea", 1.0], ["bob", "tea", 0.5], ["cid", "tea", 0.0]])
    knows.add_target_data([["ann", "bob"], ["ann", "cid"], ["bob", "cid"]])
    knows.add_truth_data([["ann", "bob", 1.0], ["ann", "cid", 0.0], ["bob", "cid", 0.0]])
    model.add_rule(Rule("2: Likes(A, X) & Likes(B, X) & (A != B) -> Knows(A, B) ^2"))
    model.add_rule(Rule("!Knows(A, B)", weight=1.0, squared=True))
    knows.add_target_data(pandas.DataFrame([["bob", "ann"], ["cid", "ann"], ["cid", "bob"]], columns=["x", "y"]))
    return model, knows


def test_infers_frames() -> None:
    model, knows = friends()
    results = model.infer(psl_options={"runtime.log.level": "ERROR"})
    assert list(results) == [knows]
    frame = results[knows]
    assert list(frame.columns) == [0, 1, "truth"] and len(frame) == 6
    assert frame["truth"].tolist() == pytest.approx([1 / 3, 0, 0, 1 / 3, 0, 0], abs=1e-3)
    assert frame[0].tolist() == ["ann", "ann", "bob", "bob", "cid", "cid"]


def test_learns_weights() -> None:
    model, _ = friends()
    model.add_options({"runtime.learn.method": "perceptron"})
    assert model.get_options() == {"runtime.learn.method": "perceptron"}
    assert model.learn(psl_options={"learn.epochs": 5}) is model
    weights = [rule.weight() for rule in model.get_rules()]
    assert weights[0] is not None and weights[0] != 2.0
    assert len(model.infer()) == 1
    model.clear_options()
    assert model.get_options() == {}


def test_the_configuration_can_be_changed() -> None:
    def double(config: dict[str, Any]) -> dict[str, Any]:
        assert config["predicates"]["LIKES"]["observations"][1] == ["bob", "tea", 0.5]
        assert config["predicates"]["LIKES"]["types"] == ["UniqueStringID", "UniqueStringID"]
        config["rules"][0] = config["rules"][0].replace("2.0:", "1e9:")
        return config

    model, knows = friends()
    frame = model.infer(transform_config=double)[knows]
    assert frame["truth"].tolist()[0] == pytest.approx(0.5, abs=1e-3)


def test_numbers_are_numbers() -> None:
    types = [Predicate.ArgType.UNIQUE_INT_ID, Predicate.ArgType.DOUBLE]
    age = Predicate("Age", arg_types=types)
    model = Model().add_predicate(age).add_rule(Rule("1.0: Age(A, B) ^2"))
    age.add_data_row(Partition.TARGETS, [7, 0.5]).add_data_row(Partition.TARGETS, [8, 2])
    frame = model.infer()[age]
    assert frame[0].tolist() == [7, 8] and frame[1].tolist() == [0.5, 2.0]
    assert frame.dtypes.astype(str).tolist() == ["int64", "float64", "float64"]
    assert len(age) == 2 and age.types() == types


def test_models_that_have_no_meaning() -> None:
    with pytest.raises(ModelError, match="no rules"):
        Model().infer()
    model, knows = friends()
    with pytest.raises(ModelError, match="deeppsl.Model"):
        model.ground()
    assert model.get_predicate("knows") is knows and set(model.get_predicates()) == {"KNOWS", "LIKES"}
    assert model.add_predicate(knows) is model and model.get_name() == "friends"
    with pytest.raises(PredicateError, match="another predicate KNOWS"):
        model.add_predicate(Predicate("KNOWS", size=2))
    with pytest.raises(ModelError):
        model.add_predicate(None)  # type: ignore[arg-type]
    model.add_rule(Rule("Knows('ann', 'bob') = 1 .")).add_rule(Rule("Knows('ann', 'bob') = 0 ."))
    with pytest.raises(ModelError, match="contradict"):
        model.infer()


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "likes.txt"
    file.write_text("01\tNA\t0.25\nb c\t\"quoted\"\t1\n")
    likes = Predicate("Likes", size=2).add_data_file(Partition.OBSERVATIONS, file)
    assert likes.to_dict()["observations"] == [["01", "NA", 0.25], ["b c", '"quoted"', 1.0]]
    likes.clear_data().add_data_file(Partition.OBSERVATIONS, file, has_header=True)
    assert likes.data()[Partition.OBSERVATIONS].shape == (1, 3)
    file.write_text("a,b\nc,d\n")
    likes.clear_data().add_data_file(Partition.TARGETS, file, delim=",")
    assert likes.to_dict()["targets"] == [["a", "b", 1.0], ["c", "d", 1.0]]
    with pytest.raises(PredicateError, match="does not fit LIKES"):
        likes.add_data_file(Partition.TARGETS, file)
    file.write_text("")
    likes.clear_data().add_data_file(Partition.TARGETS, file)
    assert likes.to_dict()["targets"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"size": 0},
        {"size": -1},
        {"size": 2, "arg_types": [Predicate.ArgType.STRING]},
        {"arg_types": ["String"]},
    ],
)
def test_predicates_that_have_no_meaning(arguments: dict[str, Any]) -> None:
    with pytest.raises(PredicateError):
        Predicate("Foo", **arguments)
    with pytest.raises(PredicateError, match="2 or 3 columns"):
        Predicate("Foo", size=2).add_data(Partition.TRUTH, [["a"]])
    with pytest.raises(PredicateError, match="partition"):
        Predicate("Foo", size=1).add_data("truth", [["a"]])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "arguments", "written"),
    [
        ("2: A(X) -> B(X) ^2", {}, "2.0: A(X) -> B(X) ^2"),
        ("0.125:A(X)^1", {}, "0.125: A(X)"),
        ("1e-9: A(X)", {"weight": 1e-9}, "1e-09: A(X)"),
        ("A(X)", {"weight": 3}, "3.0: A(X)"),
        ("A(X) + B(X) = 1 .", {}, "A(X) + B(X) = 1 ."),
        ("A(X) + B(X) = 1", {"weighted": False}, "A(X) + B(X) = 1 ."),
        ("1: A(X) = 0.5 ^2", {"squared": True}, "1.0: A(X) = 0.5 ^2"),
    ],
)
def test_rules(text: str, arguments: dict[str, Any], written: str) -> None:
    assert str(Rule(text, **arguments)) == repr(Rule(text, **arguments)) == written


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("A(X)", {}),
        ("A(X)", {"weighted": True}),
        ("A(X)", {"weight": -1.0}),
        ("A(X)", {"weight": float("nan")}),
        ("-1: A(X)", {}),
        ("1: A(X)", {"weight": 2}),
        ("1: A(X)", {"weighted": False}),
        ("A(X) .", {"weighted": True}),
        ("1: A(X) .", {}),
        ("A(X) ^2 .", {}),
        ("A(X) . ^2", {}),
        ("A(X) .", {"squared": True}),
        ("1: A(X) ^2", {"squared": False}),
        ("1: A(X) ^1", {"squared": True}),
    ],
)
def test_rules_that_contradict_themselves(text: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(RuleError):
        Rule(text, **arguments)


def test_rules_change(tmp_path: Path) -> None:
    rule = Rule("1: A(X) -> B(X) ^2")
    assert rule.set_weight(0.5).set_squared(False).to_string(2) == "0.50: A(X) -> B(X)"
    assert (rule.weight(), rule.squared(), rule.weighted()) == (0.5, False, True)
    with pytest.raises(RuleError):
        rule.set_weight(-1)
    hard = Rule("A(X) = 1 .")
    assert (hard.weight(), hard.squared(), hard.weighted()) == (None, False, False)
    for change in (lambda: hard.set_weight(1), lambda: hard.set_squared(True)):
        with pytest.raises(RuleError):
            change()
    file = tmp_path / "rules.psl"
    file.write_text("# rules\n1: A(X)\n\nA(X) = 1 .\n")
    assert [str(r) for r in Rule.load_from_file(file)] == ["1.0: A(X)", "A(X) = 1 ."]
