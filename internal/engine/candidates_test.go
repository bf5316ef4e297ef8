package engine_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// Of things with two candidates each, of which a soft rule tells, hinges leave free which one it is, between what the
// network sees of either: all is right by the middle, if labels that are few do not say the opposite. By the end that
// inference finds, the three seeds had 0.658.
func TestMiddleOfCandidates(t *testing.T) {
	const classes, columns, things, known = 6, 8, 240, 18
	sum := 0.0
	for seed := range uint64(3) {
		random, r := rand.New(rand.NewPCG(seed, 66)), make(rows)
		var means [classes][columns]float64
		for k := range means {
			for c := range means[k] {
				means[k][c] = 0.55 * random.NormFloat64()
			}
		}
		for n := range things {
			class := random.IntN(classes)
			if n < classes {
				class = n
			}
			other := (class + 1 + random.IntN(classes-1)) % classes
			r.Write("may.tsv", "x%d\tk%d\nx%d\tk%d\n", n, min(class, other), n, max(class, other))
			r.Write("features.tsv", "x%d", n)
			for c := range columns {
				r.Write("features.tsv", "\t%.4f", means[class][c]+random.NormFloat64())
			}
			r.Write("features.tsv", "\n")
			r.Label(n, class, classes, n < known)
		}
		path := r.Project(t, `{"rules": ["1: Looks(X, K) -> Is(X, K) ^2", "1: Is(X, K) -> May(X, K) ^2", "Is(X, +K) = 1 ."],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {
				"Looks/2": {"neural": {"network": "eye", "class": 1, "classes": ["k0", "k1", "k2", "k3", "k4", "k5"]}},
				"May/2": {"observations": ["may.tsv"]},
				"Is/2": {"targets": ["classes.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
					"evaluations": ["CategoricalEvaluator"]}
			}}`)
		accuracy := lastAccuracy(run(t, path, project.Options{Seed: seed}, learnAndInfer))
		t.Logf("seed %d: %.3f", seed, accuracy)
		sum += accuracy / 3
	}
	if sum < 0.7 {
		t.Errorf("accuracy %.3f in the mean, want at least 0.7", sum)
	}
}

// Where networks have learned end to end, whether inference had better know labels is found out by what they see then:
// without known labels, that is the loss after these epochs.
func TestKnownAfterEpochs(t *testing.T) {
	const users, items, columns, known = 25, 30, 6, 80
	found := false
	for seed := range uint64(3) {
		random, r := rand.New(rand.NewPCG(seed, 67)), make(rows)
		var leaning [users]float64
		var quality [items]float64
		for u := range users {
			leaning[u] = 0.6 * random.NormFloat64()
			r.Write("users.tsv", "u%d\n", u)
		}
		for i := range items {
			r.Write("items.tsv", "i%d", i)
			for c := range columns {
				x := random.NormFloat64()
				quality[i] += x * [columns]float64{0.7, -0.5, 0.4, 0.3}[c]
				r.Write("items.tsv", "\t%.4f", x)
			}
			r.Write("items.tsv", "\n")
		}
		for n, pair := range random.Perm(users * items)[:300] {
			u, i := pair/items, pair%items
			rating := 1 / (1 + math.Exp(-leaning[u]-quality[i]-0.3*random.NormFloat64()))
			r.Write("asked.tsv", "u%d\ti%d\n", u, i)
			if n < known {
				r.Write("train.tsv", "u%d\ti%d\t%.3f\n", u, i, rating)
			} else {
				r.Write("test.tsv", "u%d\ti%d\t%.3f\n", u, i, rating)
			}
		}
		got := run(t, r.Project(t, `{"rules": ["1: Rates(U, I) - Good(I) - Kind(U) = -0.5 ^2", "0.1: Kind(U) = 0.5 ^2"],
			"networks": {"eye": {"features": "items.tsv"}},
			"predicates": {
				"Good/1": {"neural": {"network": "eye"}},
				"Kind/1": {"targets": ["users.tsv"]},
				"Rates/2": {"targets": ["asked.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}
			}}`), project.Options{Seed: seed}, learnAndInfer)
		if got.CrossFit == nil || got.CrossFit.Epochs == 0 || got.Rehearsed == nil {
			continue
		}
		found = true
		after := got.CrossFit.Curve[got.CrossFit.Epochs]
		t.Logf("seed %d: %d epochs, %.3f, %+v", seed, got.CrossFit.Epochs, after, got.Rehearsed)
		if math.Abs(got.Rehearsed.ForgottenLoss-after) > 0.1 {
			t.Errorf("seed %d: %.3f while nothing is known, and %.3f after the epochs", seed, got.Rehearsed.ForgottenLoss, after)
		}
	}
	if !found {
		t.Error("no epochs were taken")
	}
}

// Where all pairs of two kinds are asked for, and some are known, what inference knows of a thing is other pairs of it:
// the bills are no classes of members. Without known votes nothing is inferred of any bill, and AUROC was a half.
func TestKnownPairsOfAll(t *testing.T) {
	const members, bills = 24, 20
	random, r := rand.New(rand.NewPCG(1, 68)), make(rows)
	for m := range members {
		r.Write("party.tsv", "m%d\tp%d\n", m, m%2)
	}
	for n, pair := range random.Perm(members * bills) {
		m, b := pair/bills, pair%bills
		yes := (m+b)%2 == 0 != (random.IntN(8) == 0)
		table := "test.tsv"
		if n%2 == 0 {
			table = "train.tsv"
		}
		r.Write("asked.tsv", "m%d\tb%d\n", m, b)
		r.Write(table, "m%d\tb%d\t%d\n", m, b, map[bool]int{true: 1}[yes])
	}
	got := run(t, r.Project(t, `{"rules": ["1: Party(M, P) & Party(N, P) & (M != N) & Yes(M, B) -> Yes(N, B) ^2",
			"1: Party(M, P) & Party(N, P) & (M != N) & !Yes(M, B) -> !Yes(N, B) ^2", "0.1: !Yes(M, B) ^2"],
		"predicates": {
			"Party/2": {"observations": ["party.tsv"]},
			"Yes/2": {"targets": ["asked.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]},
				"evaluations": ["AUCEvaluator"]}
		}}`), project.Options{Seed: 1}, learnAndInfer)
	if auroc := got.Evaluations[0].Values["AUROC"]; got.Rehearsed == nil || !got.Rehearsed.Known || auroc < 0.8 {
		t.Errorf("AUROC %.3f, %+v", auroc, got.Rehearsed)
	}
}
