package peer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Who wins a game follows from what is seen of both sides: two rules speak of them, in either order, and each side is
// seen once.
func TestPeer(t *testing.T) {
	const teams, games, held = 30, 200, 50
	random := rand.New(rand.NewPCG(1, 2))
	ids, values, binding := make([]string, teams), make([]float32, 2*teams), neural.Binding{Network: "eye"}
	for k := range ids {
		ids[k] = fmt.Sprint("t", k)
		values[2*k], values[2*k+1] = float32(random.NormFloat64()), float32(random.NormFloat64())
		binding.Inputs, binding.Rows = append(binding.Inputs, int32(k)), append(binding.Rows, int32(k))
	}
	binding.Classes = make([]int32, teams)
	table, err := features.NewDense(ids, 2, values)
	if err != nil {
		t.Fatal(err)
	}
	system, err := neural.New([]neural.Spec{{Name: "eye", Features: "f", Outputs: 1}},
		map[string]*features.Table{"f": table}, 1)
	if err != nil {
		t.Fatal(err)
	}
	perception, err := system.Bind(teams, binding)
	if err != nil {
		t.Fatal(err)
	}
	wins := &mrf.Block{Kind: mrf.Hinge, Exponent: 2, Len: games, Coef: []float64{-1}, InputCoef: []float64{1, -1}}
	loses := &mrf.Block{Rule: 1, Kind: mrf.Hinge, Exponent: 2, Len: games, Coef: []float64{1}, InputCoef: []float64{1, -1}}
	labels := new(label.Labels)
	for game := range int32(games) {
		pair := random.Perm(teams)[:2]
		a, b := int32(pair[0]), int32(pair[1])
		wins.Vars, wins.Inputs = append(wins.Vars, game), append(wins.Inputs, a, b)
		loses.Vars, loses.Inputs = append(loses.Vars, game), append(loses.Inputs, b, a)
		truth := 0.0
		if values[2*a] > values[2*b] {
			truth = 1
		}
		labels.Variables, labels.Truth = append(labels.Variables, game), append(labels.Truth, truth)
		labels.Entities, labels.Classes = append(labels.Entities, game), append(labels.Classes, label.NoClass)
	}
	model := &mrf.Model{Variables: games, Inputs: teams, Rules: 2, Blocks: []*mrf.Block{wins, loses}}
	p := Of(model, perception.Sights(), nil, labels)
	if p == nil || p.Width() != 4 {
		t.Fatalf("a peer of both sides is wanted: %+v", p)
	}
	asked, y := labels.Where(func(game int32) bool { return game < held }), make([]float64, games)
	known := labels.Where(func(game int32) bool { return game >= held })
	how := Settings{Rate: 0.01, Seed: 1, Threads: 1}
	if err := p.Answer(context.Background(), known, asked, y, how); err != nil {
		t.Fatal(err)
	}
	if right := asked.Judge(y).Right(); right < 45 {
		t.Errorf("%d of %d are right", right, held)
	}
	if Of(model, make([]neural.Sight, teams), nil, labels) != nil {
		t.Error("where nothing is seen, there is a peer")
	}
}
