package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/project"
)

// images are noisy feature vectors of so many classes, width each.
func images(random *rand.Rand, classes, width, n int) (text string, class []int) {
	return hazy(random, classes, width, 0.5, n)
}

// hazy are such pictures with noise of a deviation.
func hazy(random *rand.Rand, classes, width int, noise float64, n int) (text string, class []int) {
	centres := make([][]float64, classes)
	for c := range centres {
		for range width {
			centres[c] = append(centres[c], random.NormFloat64())
		}
	}
	var b strings.Builder
	for k := range n {
		class = append(class, random.IntN(classes))
		fmt.Fprintf(&b, "i%d\t", k)
		for _, v := range centres[class[k]] {
			fmt.Fprintf(&b, " %.3f", v+noise*random.NormFloat64())
		}
		b.WriteByte('\n')
	}
	return strings.ReplaceAll(b.String(), "\t ", "\t"), class
}

// accuracyOf learns a project and returns the share of labels that are right in its inference, all of an example's
// taken together if label is "all labels".
func accuracyOf(t *testing.T, label string, files map[string]string) float64 {
	t.Helper()
	report := run(t, writeProject(t, files), project.Options{Seed: 1}, learnAndInfer)
	if !math.IsInf(report.AtomError, 1) {
		t.Errorf("no atom of an example is further than %v from the optimum, which nobody has found out", report.AtomError)
	}
	for _, w := range report.Warnings {
		if w.ID == "learn-still" {
			t.Error("weights that nothing was to learn are said not to move")
		}
	}
	for _, e := range report.Evaluations {
		if e.Predicate == label {
			t.Logf("%s: %.3f of %d, learned in %.1f s, %d shapes", label, e.Values["Accuracy"], e.Count, report.Seconds.Learn,
				report.Shapes)
			return e.Values["Accuracy"]
		}
	}
	t.Fatalf("no score of %s: %v", label, report.Evaluations)
	return 0
}

// Boards of four by four, in whose rows, columns and boxes each digit stands once. Some digits are given as facts, some
// are pictures, and the network learns to read those from what stands in the others.
func TestLearnToReadBoards(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 4))
	features, class := images(random, 4, 6, 400)
	byClass := make([][]int, 4)
	for k, c := range class {
		byClass[c] = append(byClass[c], k)
	}
	cell := func(r, c int) string { return fmt.Sprintf("c%d%d", r, c) }
	var in, targets []string
	for r := range 4 {
		for c := range 4 {
			for _, unit := range []string{fmt.Sprintf("r%d", r), fmt.Sprintf("k%d", c), fmt.Sprintf("b%d%d", r/2, c/2)} {
				in = append(in, fmt.Sprintf("[%q, %q]", unit, cell(r, c)))
			}
			for v := range 4 {
				targets = append(targets, fmt.Sprintf(`["%s", "%d"]`, cell(r, c), v))
			}
		}
	}
	table := func(n int, test bool) string {
		header, rows := "", ""
		for k := range n {
			board := solvedBoard(random)
			kind := random.Perm(16) // below 6: given; from 11 on: pictures
			slots, given, labels := "", "", ""
			for at, v := range board {
				name := cell(at/4, at%4)
				if k == 0 {
					header += fmt.Sprintf("%s,Given(%s),Cell(%s),", name, name, name)
				}
				slots, given, labels = "", "", ""
				switch {
				case kind[at] < 6:
					given = fmt.Sprint(v)
				case kind[at] >= 11:
					slots = fmt.Sprintf("i%d", byClass[v][random.IntN(len(byClass[v]))])
				}
				if test == (slots != "") && given == "" {
					labels = fmt.Sprint(v)
				}
				rows += slots + "," + given + "," + labels + ","
			}
			rows += "\n"
		}
		return header + "#end\n" + rows
	}
	accuracy := accuracyOf(t, "all labels", map[string]string{
		"images.tsv": features, "train.csv": table(60, false), "test.csv": table(60, true),
		"rules.psl": `Given(C, V) -> Cell(C, V) .
			Cell(C, +V) = 1 .
			Cell(+C, V) = Unit(U) . {C: In(U, C)}
			fixed 1: Cell(C, V) = Digit(C, V) ^2
			fixed 0.001: !Cell(C, V) ^2`,
		"model.json": `{"rules": "rules.psl", "networks": {"reader": {"features": "images.tsv", "hidden": [16]}},
			"predicates": {"Given/2": {}, "In/2": {"observations": [` + strings.Join(in, ", ") + `]},
				"Unit/1": {"derive": ["In(U, C) -> Unit(U)"]}, "Cell/2": {"targets": [` + strings.Join(targets, ", ") + `]},
				"Digit/2": {"neural": {"network": "reader", "class": 1, "classes": ["0", "1", "2", "3"], "slots": [` +
			cells(cell) + `]}}},
			"examples": {"learn": "train.csv", "infer": "test.csv"},
			"options": {"learn.method": "energy", "learn.batch": 4, "learn.epochs": 10, "learn.decay": 0}}`,
	})
	if accuracy < 0.97 { // 1 on each of five seeds
		t.Errorf("accuracy %v", accuracy)
	}
}

// cells lists the names of all cells.
func cells(cell func(r, c int) string) string {
	var names []string
	for r := range 4 {
		for c := range 4 {
			names = append(names, `"`+cell(r, c)+`"`)
		}
	}
	return strings.Join(names, ", ")
}

// solvedBoard draws a board: the first one there is, with digits, bands, rows and columns shuffled.
func solvedBoard(random *rand.Rand) (board [16]int) {
	order := func() []int {
		bands, inner := random.Perm(2), [][]int{random.Perm(2), random.Perm(2)}
		return []int{2*bands[0] + inner[0][0], 2*bands[0] + inner[0][1], 2*bands[1] + inner[1][0], 2*bands[1] + inner[1][1]}
	}
	first := [4][4]int{{0, 1, 2, 3}, {2, 3, 0, 1}, {1, 0, 3, 2}, {3, 2, 1, 0}}
	digits, rows, columns := random.Perm(4), order(), order()
	for r := range 4 {
		for c := range 4 {
			board[4*r+c] = digits[first[rows[r]][columns[c]]]
		}
	}
	return board
}

// Walks through doors, of which a network sees whether they are open. Each example has doors of its own between the
// rooms, and fewer or more of them; what is known is which rooms can be reached.
func TestLearnOpenDoorsFromWalks(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	features, class := images(random, 2, 4, 400)
	rooms := []string{"a", "b", "c", "d", "e"}
	table := func(n int) (examples, doors string) {
		examples, doors = "From,d0,d1,d2,d3,d4,d5,Reach(a),Reach(b),Reach(c),Reach(d),Reach(e)\n", "example,door,from,to\n"
		for k := range n {
			reached := make([]bool, len(rooms))
			start := random.IntN(2)
			reached[start] = true
			opens := make([]bool, 6)
			row := rooms[start]
			removed := random.IntN(3) // doors
			between := make([][2]int, 6)
			for d := range 6 {
				if d >= 6-removed {
					row += ","
					continue
				}
				image := random.IntN(400)
				opens[d] = class[image] == 1
				a := random.IntN(4)
				between[d] = [2]int{a, a + 1 + random.IntN(4-a)}
				row += fmt.Sprintf(",i%d", image)
				doors += fmt.Sprintf("%d,d%d,%s,%s\n", k, d, rooms[a], rooms[between[d][1]])
			}
			for room := range rooms {
				for d, ends := range between {
					if opens[d] && ends[1] == room && reached[ends[0]] {
						reached[room] = true
					}
				}
				row += map[bool]string{true: ",1", false: ",0"}[reached[room]]
			}
			examples += row + "\n"
		}
		return examples, doors
	}
	train, trainDoors := table(150)
	test, testDoors := table(100)
	accuracy := accuracyOf(t, "all labels", map[string]string{
		"images.tsv": features, "train.csv": train, "train-doors.csv": trainDoors,
		"test.csv": test, "test-doors.csv": testDoors,
		"rules.psl": `From(A) -> Reach(A) .
			fixed 1: Door(D, A, B) & Open(D, 'yes') & Reach(A) -> Reach(B) ^2
			fixed 1: Reach(B) <= From(+A) + Via(+D, B) ^2 {A: (A == B)}
			fixed 1: Via(D, B) <= Open(D, 'yes') ^2
			Via(D, B) <= Door(D, +A, B) .
			Via(D, B) & Door(D, A, B) -> Reach(A) .
			fixed 0.001: !Reach(A) ^2
			fixed 0.001: !Via(D, B) ^2`,
		"model.json": `{"rules": "rules.psl", "networks": {"eye": {"features": "images.tsv", "hidden": [16]}},
			"predicates": {"Door/3": {}, "From/1": {}, "Reach/1": {"targets": [["a"], ["b"], ["c"], ["d"], ["e"]]},
				"Via/2": {"targets": [` + pairs([]string{"d0", "d1", "d2", "d3", "d4", "d5"}, rooms) + `]},
				"Open/2": {"neural": {"network": "eye", "class": 1, "classes": ["no", "yes"],
					"slots": ["d0", "d1", "d2", "d3", "d4", "d5"]}}},
			"examples": {"learn": {"table": "train.csv", "facts": {"Door": "train-doors.csv"}},
				"infer": {"table": "test.csv", "facts": {"Door": "test-doors.csv"}}},
			"options": {"learn.method": "energy", "learn.batch": 8, "learn.epochs": 10, "learn.decay": 0}}`,
	})
	if accuracy < 0.9 { // 0.94 to 0.96 on five seeds; 0.55 if all doors are taken to be closed
		t.Errorf("accuracy %v", accuracy)
	}
}

// pairs lists all rows of two constants.
func pairs(first, second []string) string {
	var rows []string
	for _, a := range first {
		for _, b := range second {
			rows = append(rows, fmt.Sprintf("[%q, %q]", a, b))
		}
	}
	return strings.Join(rows, ", ")
}

// Sums of one to four digits: the slots behind the last digit are blank, and a fact says which one is the last.
func TestLearnSumsOfAnyLength(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	features, class := images(random, 3, 5, 400)
	table := func(n int) string {
		rows := "p1,p2,p3,p4,Last,Sum\n"
		for range n {
			length, sum, row := 1+random.IntN(4), 0, ""
			for k := range 4 {
				if k < length {
					image := random.IntN(400)
					sum += class[image]
					row += fmt.Sprintf("i%d", image)
				}
				row += ","
			}
			rows += fmt.Sprintf("%sp%d,%d\n", row, length, sum)
		}
		return rows
	}
	var adds, after, sums strings.Builder
	for k := range 5 {
		for s := range 9 {
			if k == 0 && s > 0 || s > 2*k {
				continue
			}
			fmt.Fprintf(&after, "p%d\t%d\n", k, s)
			for d := range 3 {
				if k < 4 {
					fmt.Fprintf(&adds, "p%d\t%d\t%d\t%d\n", k+1, s, d, s+d)
				}
			}
		}
	}
	for s := range 9 {
		fmt.Fprintf(&sums, "%d\n", s)
	}
	accuracy := accuracyOf(t, "Sum", map[string]string{
		"images.tsv": features, "train.csv": table(300), "test.csv": table(200),
		"adds.tsv": adds.String(), "after.tsv": after.String(), "sums.tsv": sums.String(),
		"rules.psl": `After(K, +S) = 1 .
			fixed 1: Adds(K, +R, D, +S) = Digit(K, D) ^2
			Adds(K, R, +D, +S) = After(+J, R) . {J: Next(J, K)}
			Adds(K, +R, +D, S) = After(K, S) .
			Last(K) & After(K, S) -> Sum(S) .
			Sum(+S) = 1 .
			fixed 0.01: !Adds(K, R, D, S) ^2`,
		"model.json": `{"rules": "rules.psl", "networks": {"reader": {"features": "images.tsv", "hidden": [16]}},
			"predicates": {"Last/1": {}, "Next/2": {"observations": [["p0", "p1"], ["p1", "p2"], ["p2", "p3"], ["p3", "p4"]]},
				"Adds/4": {"targets": ["adds.tsv"]}, "After/2": {"targets": ["after.tsv"]}, "Sum/1": {"targets": ["sums.tsv"]},
				"Digit/2": {"neural": {"network": "reader", "class": 1, "classes": ["0", "1", "2"],
					"slots": ["p1", "p2", "p3", "p4"]}}},
			"examples": {"learn": "train.csv", "infer": "test.csv"},
			"options": {"learn.method": "energy", "learn.batch": 8, "learn.epochs": 6, "learn.decay": 0}}`,
	})
	if accuracy < 0.93 { // 0.96 to 0.97 on five seeds
		t.Errorf("accuracy %v", accuracy)
	}
}

// A network that says one thing of what it sees, true or false, has slots like any other: whether a bag of three things
// or two has one of some kind at least.
func TestLearnByNetworksOfOneArgument(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 8))
	features, class := images(random, 4, 4, 900)
	bags := func(n, lo, hi int) string {
		text := "a,b,c,Found(any)\n"
		for k := range n {
			found, cells := 0, make([]string, 3)
			for slot := range cells[:3-k%2] {
				i := lo + random.IntN(hi-lo)
				if cells[slot] = fmt.Sprintf("i%d", i); class[i] == 0 {
					found = 1
				}
			}
			text += fmt.Sprintf("%s,%d\n", strings.Join(cells, ","), found)
		}
		return text
	}
	accuracy := accuracyOf(t, "Found(any)", map[string]string{
		"features.tsv": features, "train.csv": bags(200, 0, 450), "test.csv": bags(300, 450, 900),
		"model.json": `{"rules": ["1: Wanted(A) -> Found('any') ^2", "1: Found('any') <= Wanted(+A) ^2"],
			"networks": {"eye": {"features": "features.tsv"}},
			"predicates": {"Wanted/1": {"neural": {"network": "eye", "slots": ["a", "b", "c"]}},
				"Found/1": {"targets": [["any"]]}},
			"examples": {"learn": "train.csv", "infer": "test.csv"}}`,
	})
	if accuracy < 0.95 {
		t.Errorf("accuracy %.3f", accuracy)
	}
}
