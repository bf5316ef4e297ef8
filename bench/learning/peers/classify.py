"""Learns each problem that `go run ./bench/learning --write FOLDER` has written with scikit-learn: logistic regression and
a multilayer perceptron, on columns standardised by the training rows unless all are 0 or 1. Prints their points of a
hundred as JSON, by problem.

    pip install -r bench/learning/peers/requirements.txt
    python bench/learning/peers/classify.py FOLDER > bench/learning/peers/recorded.json
"""

import json
import pathlib
import sys
import warnings

import numpy
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler


METRICS = {
    "accuracy": accuracy_score,
    "accuracy of pairs": accuracy_score,
    "averaged accuracy": balanced_accuracy_score,
    "F1 of pairs": f1_score,
}


def contenders(hidden, seed):
    """Programs by name. Hidden layers are as wide as the project's own; all else is scikit-learn's default."""
    return {
        "logistic": LogisticRegression(max_iter=1000),
        "mlp": MLPClassifier(hidden or (100,), max_iter=500, random_state=seed),
    }


def scaler(rows):
    """What brings columns to one scale. Words that occur or do not have one, and rare ones would become the largest."""
    return FunctionTransformer() if numpy.isin(rows, (0, 1)).all() else StandardScaler()


def measure(problem):
    """The points of every contender on one problem."""
    train, test = numpy.array(problem["Train"]), numpy.array(problem["Test"])
    known, wanted = numpy.array(problem["Known"]), numpy.array(problem["Wanted"])
    score = METRICS[problem["metric"]]
    points = {}
    for name, program in contenders(problem["Hidden"], problem["seed"]).items():
        fitted = make_pipeline(scaler(train), program).fit(train, known)
        points[name] = round(100 * float(score(wanted, fitted.predict(test))), 4)
    return points


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)
    recorded = {}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        problem = json.loads(path.read_text())
        recorded[path.stem] = {"task": problem["task"], "seed": problem["seed"], "points": measure(problem)}
        print(path.stem, recorded[path.stem], file=sys.stderr)
    ordered = sorted(recorded.items(), key=lambda item: (item[1]["task"], item[1]["seed"]))
    print("{\n" + ",\n".join(f'  {json.dumps(k)}: {json.dumps(v)}' for k, v in ordered) + "\n}")


if __name__ == "__main__":
    main()
