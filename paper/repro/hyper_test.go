package repro

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/dataset"
	"github.com/deeppsl/deeppsl/internal/report"
)

// A study trains with every setting, on the same splits, and writes its table and its charts.
func TestHyperOnGeneratedData(t *testing.T) {
	data, err := dataset.Generator{Documents: 1700, Seed: 3}.Citation()
	if err != nil {
		t.Fatal(err)
	}
	trainings := 0
	h := Hyper{Study: "mu", Runs: 1, Epochs: 2, Seed: 1, OnRun: func() { trainings++ }}
	result, err := h.on(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if trainings != 3 || h.Trainings() != 3 || len(result.Settings) != 3 || len(result.Settings[0].Loss) != 3 {
		t.Fatalf("%d trainings of %d, %+v", trainings, h.Trainings(), result)
	}
	a, b := result.Settings[0], result.Settings[2]
	if a.Loss[0] != b.Loss[0] && a.Loss[0].Mean != b.Loss[0].Mean || a.Loss[1].Mean == b.Loss[1].Mean {
		t.Errorf("losses %v and %v: want the same before the first step, and others after it", a.Loss, b.Loss)
	}
	var text bytes.Buffer
	if err := report.JSON(&text, result); err != nil || !strings.Contains(text.String(), `"setting":"μ = 0.04"`) {
		t.Errorf("%v in %s", err, &text)
	}
	paths, err := WriteHyper(t.TempDir(), []*HyperResult{result})
	if err != nil || len(paths) != 3 || filepath.Base(paths[1]) != "hyper-mu-loss.svg" {
		t.Errorf("%v: %v", paths, err)
	}
}

// Bands stay within what is possible, and one run alone has none.
func TestBand(t *testing.T) {
	s := band("accuracy", []Mean{{1, 1.25}, {1.75, 0.5}}, 0.5, 1)
	if s.Low[0] != 0 || s.High[0] != 1 || s.Low[1] != 0.625 || s.High[1] != 1 || s.Y[1] != 0.875 {
		t.Errorf("%+v", s)
	}
	if one := band("loss", []Mean{{2, math.NaN()}}, 1, math.Inf(1)); one.Low != nil || one.Y[0] != 2 {
		t.Errorf("%+v", one)
	}
}

// The network's study has the paper's nine cells, and one without dropout really has none.
func TestHyperNetworkSettings(t *testing.T) {
	settings := networkSettings()
	if len(settings) != 9 || (&Hyper{Study: "network"}).Trainings() != 27 || (&Hyper{Study: "magic"}).Trainings() != 0 {
		t.Fatalf("%d settings", len(settings))
	}
	for k, want := range []struct {
		hidden  int
		dropout float64
		paper   string
	}{{8, 0, "80.12 ± 0.70"}, {16, 0, "80.42 ± 0.49"}, {24, 0, "80.64 ± 0.35"}, {8, 0.2, "79.97 ± 0.60"}} {
		task := T2{Dataset: "cora", Split: 1, Faithful: true, Classifier: settings[k].shape}
		c := task.citation(&dataset.Citation{})
		if c.Hidden != want.hidden || c.Dropout != want.dropout || settings[k].paper.String() != want.paper {
			t.Errorf("%s: %d nodes, dropout %g, paper %v", settings[k].name, c.Hidden, c.Dropout, settings[k].paper)
		}
	}
	if _, err := (&Hyper{Study: "magic"}).Run(t.Context()); err == nil {
		t.Error("a study of magic ran")
	}
}
