package worker_test

import (
	"math"
	"testing"
)

// The states of a batch are those of its examples one by one, and so are the derivatives.
func TestBatch(t *testing.T) {
	c := start(t)
	c.ok("open", smokers, nil, smokersArrays()...)
	var answer struct{ Values int }
	values := c.ok("infer", `"session": 1`, &answer).doubles(answer.Values)
	nan := math.NaN()
	rows := []float64{nan, nan, nan, nan, 1, 1, 1, 1}
	var batch struct{ Batch, Values int }
	found := c.ok("states", `"session": 1, "values": 0, "examples": 2`, &batch, doubles(rows...)).doubles(batch.Values)
	if batch.Batch != 1 || len(found) != 8 || math.Abs(found[0]-values[0])+math.Abs(found[2]-values[2]) > 1e-3 ||
		!(found[4]+found[6] > found[0]+found[2]+0.01) {
		t.Errorf("%+v: %v, and %v without a batch", batch, found, values)
	}
	var slope, one struct{ Values, Weights int }
	m := c.ok("descend", `"session": 1, "batch": 1, "slopes": 0`, &slope, doubles(1, 1, 1, 1, 1, 1, 1, 1))
	all, weights := m.doubles(slope.Values), m.doubles(slope.Weights)
	m = c.ok("gradient", `"session": 1, "slope": 0`, &one, doubles(1, 1, 1, 1))
	for k, v := range m.doubles(one.Values) {
		if math.Abs(v-all[k]) > 1e-3 {
			t.Errorf("derivative %d is %v in a batch, and %v", k, all[k], v)
		}
	}
	if len(all) != 8 || len(weights) != 3 {
		t.Error(all, weights)
	}
	c.wrong("protocol", "the last batch is 1, and not 7", "descend", `"session": 1, "batch": 7, "slopes": 0`, doubles(1))
	c.wrong("protocol", "3 slopes are not those of 2", "descend", `"session": 1, "batch": 1, "slopes": 0`,
		doubles(1, 2, 3))
	c.wrong("protocol", "7 values are not those of 2", "states", `"session": 1, "values": 0, "examples": 2`,
		doubles(rows[1:]...))
	c.wrong("failed", "there are 4 values, and not 3", "states", `"session": 1, "values": 0, "examples": 1`,
		doubles(1, 1, 1))
	c.wrong("failed", "1.5 is not in", "states", `"session": 1, "values": 0, "examples": 1`, doubles(1.5, 1.5, 1.5, 1.5))
	c.ok("states", `"session": 1, "values": 0, "examples": 0`, &batch, doubles())
	c.ok("weight", `"session": 1, "rule": 2, "weight": 2`, nil)
}

// What pushes an atom adds up to nothing, and what its value is the sum of to the value.
func TestExplanation(t *testing.T) {
	c := start(t)
	c.ok("open", smokers, nil, smokersArrays()...)
	var why struct {
		Atom            string
		Value           float64
		Pushes          []struct{ Push float64 }
		Leaves          []struct{ Contribution float64 }
		Because         []struct{ Atom string }
		Interval        []float64
		Bound_force     float64
		Unexplained     float64
		Counterfactuals []struct{ Gap float64 }
	}
	c.ok("explain", `"session": 1, "predicate": "Smokes", "arguments": ["bob"], "depth": 1, "changes": 1`, &why)
	sum, pushes := 0.0, why.Bound_force
	for _, leaf := range why.Leaves {
		sum += leaf.Contribution
	}
	for _, push := range why.Pushes {
		pushes += push.Push
	}
	if why.Atom != "Smokes('bob')" || math.Abs(why.Value-0.63) > 0.01 ||
		math.Abs(sum-why.Value) > 1e-6 || math.Abs(pushes-why.Unexplained) > 1e-6 || len(why.Because) == 0 ||
		len(why.Counterfactuals) != 1 {
		t.Errorf("%+v", why)
	}
	c.wrong("failed", "eve", "explain", `"session": 1, "predicate": "Smokes", "arguments": ["eve"]`)
}
