package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// teams writes games of three on a side, of whom a network sees what nobody has labelled.
func teams(t *testing.T, seed uint64, rules string) string {
	t.Helper()
	const players, games, known, side = 40, 400, 150, 3
	random := rand.New(rand.NewPCG(seed, 33))
	files := make(map[string]string)
	var skill [players]float64
	for k := range skill {
		speed, height, age := random.NormFloat64(), random.NormFloat64(), random.NormFloat64()
		skill[k] = 0.8*speed - 0.6*height
		files["features.tsv"] += fmt.Sprintf("p%d\t%.3f\t%.3f\t%.3f\n", k, speed, height, age)
		files["players.tsv"] += fmt.Sprintf("p%d\n", k)
	}
	for game := range games {
		better := 0.5 * random.NormFloat64()
		for k, player := range random.Perm(players)[:2*side] {
			table, sign := "home.tsv", 1.0
			if k >= side {
				table, sign = "guest.tsv", -1
			}
			better += sign * skill[player]
			files[table] += fmt.Sprintf("g%d\tp%d\n", game, player)
		}
		won, table := 0, "train.tsv"
		if better > 0 {
			won = 1
		}
		if game >= known {
			table = "test.tsv"
		}
		files["games.tsv"] += fmt.Sprintf("g%d\n", game)
		files[table] += fmt.Sprintf("g%d\t%d\n", game, won)
	}
	files["model.json"] = `{"rules": [` + rules + `],
		"networks": {"eye": {"features": "features.tsv"}},
		"predicates": {"Player/1": {"observations": ["players.tsv"]}, "Star/1": {"targets": ["players.tsv"]},
			"Home/2": {"observations": ["home.tsv"]}, "Guest/2": {"observations": ["guest.tsv"]},
			"Good/1": {"neural": {"network": "eye", "atoms": "Good(A) <- Player(A)"}},
			"Wins/1": {"targets": ["games.tsv"], "evaluations": ["Discrete"],
				"truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`
	return writeProject(t, files)
}

// Of linear rules, only what decides has a slope: 0.889 of the games came out right without those of squares.
func TestSquaresLeadLinearRules(t *testing.T) {
	t.Parallel()
	const seeds = 3
	rules := `"1: Wins(G) - 0.5 = Good(+P) / 3 - Good(+Q) / 3 {P: Home(G, P)} {Q: Guest(G, Q)}", "0.2: Wins(G) = 0.5"`
	mean := 0.0
	for seed := range uint64(seeds) {
		report := run(t, teams(t, seed, rules), project.Options{Seed: seed}, learnAndInfer)
		mean += lastAccuracy(report) / seeds
	}
	if mean < 0.91 {
		t.Errorf("%.3f of the games are right, want at least 0.91", mean)
	}
}

// Each game is what the middle one of its players says, and not all of them together.
func TestLinearRulesOfSidesAreNoticed(t *testing.T) {
	t.Parallel()
	for power, told := range map[string]bool{"": true, " ^2": false} {
		rules := strings.ReplaceAll(`"1: Home(G, P) & Good(P) -> Wins(G)POWER", "1: Home(G, P) & !Good(P) -> !Wins(G)POWER",
			"1: Guest(G, P) & Good(P) -> !Wins(G)POWER", "1: Guest(G, P) & !Good(P) -> Wins(G)POWER"`, "POWER", power)
		report := run(t, teams(t, 2, rules), project.Options{Seed: 2}, learnAndInfer)
		warned := slices.ContainsFunc(report.Warnings, func(w source.Plain) bool { return w.ID == "learn-linear" })
		if warned != told {
			t.Errorf("with %q, warnings are %v", power, report.Warnings)
		}
	}
}

// A network that no rules tie to a label is told of, though learning with every default takes no step that shows it.
func TestNetworksThatNothingTellsAreNoticed(t *testing.T) {
	rules := `"1: Good(P) = Star(P) ^2", "1: Home(G, P) -> Wins(G) ^2", "1: Guest(G, P) -> !Wins(G) ^2"`
	report := run(t, teams(t, 1, rules), project.Options{Seed: 1}, learnAndInfer)
	wantNotice(t, report, "learn-vanishing", `nothing says what network "eye" should see`)
}

// gauges writes what a network sees, next to nothing, and a gauge in another unit, nearly all, of things between 0
// and 1.
func gauges(t *testing.T, seed uint64) string {
	t.Helper()
	const things, known = 200, 60
	random := rand.New(rand.NewPCG(seed, 34))
	files := make(map[string]string)
	for k := range things {
		seen, level := random.NormFloat64(), 0.1+0.8*random.Float64()
		files["features.tsv"] += fmt.Sprintf("s%d\t%.3f\t%.3f\n", k, seen+4*level, random.NormFloat64())
		files["gauge.tsv"] += fmt.Sprintf("s%d\t%.4f\n", k, 0.25+0.5*level+0.02*random.NormFloat64())
		table := "train.tsv"
		if k >= known {
			table = "test.tsv"
		}
		files["things.tsv"] += fmt.Sprintf("s%d\n", k)
		files[table] += fmt.Sprintf("s%d\t%.4f\n", k, level)
		for range 3 {
			files["near.tsv"] += fmt.Sprintf("s%d\ts%d\n", k, random.IntN(things))
		}
	}
	files["model.json"] = `{"rules": ["1: Level(A) = Looks(A)", "1: 0.5 * Level(A) + 0.25 = Gauge(A)",
			"1: 0 * Near(A, B) + Level(A) = Level(B)"],
		"networks": {"eye": {"features": "features.tsv"}},
		"predicates": {"Looks/1": {"neural": {"network": "eye"}}, "Gauge/1": {"observations": ["gauge.tsv"]},
			"Near/2": {"observations": ["near.tsv"]},
			"Level/1": {"targets": ["things.tsv"], "truth": {"learn": ["train.tsv"], "infer": ["test.tsv"]}}}}`
	return writeProject(t, files)
}

// By linear rules what is inferred follows one rule or another, and no derivative tells that a third one had better be
// followed: the gauge had a share of 0.01 to 1, and the mean squared error was 0.024 to 0.035.
func TestWeightsOfLinearRulesAreFoundBySquares(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		report := run(t, gauges(t, seed), project.Options{Seed: seed}, learnAndInfer)
		if mse := report.Evaluations[0].Values["MSE"]; mse > 0.003 {
			t.Errorf("seed %d: the mean squared error is %.4f, with weights %.3f", seed, mse, report.RuleWeights)
		}
	}
}
