package stat_test

import (
	"math"
	"testing"

	gonum "gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/deeppsl/deeppsl/internal/stat"
)

// Mean, Deviation and StandardError are gonum's.
func TestSummaries(t *testing.T) {
	values := []float64{0.25, 4, -1.5, 1e-3, 7}
	close(t, "the mean", stat.Mean(values), gonum.Mean(values, nil))
	close(t, "the deviation", stat.Deviation(values), gonum.StdDev(values, nil))
	close(t, "the standard error", stat.StandardError(values), gonum.StdErr(gonum.StdDev(values, nil), 5))
	for name, v := range map[string]float64{
		"the mean of nothing": stat.Mean(nil), "the deviation of one value": stat.Deviation(values[:1]),
	} {
		if !math.IsNaN(v) {
			t.Errorf("%s is %v, want NaN", name, v)
		}
	}
}

// Quantiles of Student's distribution are gonum's.
func TestStudent(t *testing.T) {
	for _, freedom := range []float64{1, 2, 3, 4, 9, 19, 1000} {
		for _, p := range []float64{0.5, 0.05, 0.001} {
			want := distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(1 - p/2)
			close(t, "the quantile", stat.Student(freedom, p), want)
		}
	}
}

func close(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
