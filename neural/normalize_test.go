package neural

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/deeppsl/deeppsl/neural/features"
)

// Rows are scaled as their normalisation says, of dense and sparse tables alike.
func TestNormalized(t *testing.T) {
	f, err := features.Read(features.SparseText, "f", strings.NewReader("a\t0:3 1:-4\nb\t\nc\t1\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	dense, err := features.NewDense([]string{"a", "b", "c"}, 2, []float32{3, -4, 0, 0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for normalization, a := range map[Normalization][]float32{
		NoNormalization: {3, -4}, RowsToUnitSum: {3. / 7, -4. / 7}, RowsToUnitL2: {0.6, -0.8},
	} {
		want := map[string][]float32{"a": a, "b": {0, 0}, "c": {0, 1}}
		for _, table := range []*features.Table{f, dense} {
			if diff := cmp.Diff(want, rowsOf(normalized(table, normalization))); diff != "" {
				t.Errorf("%s, sparse %v: %s", normalization, table.Sparse(), diff)
			}
		}
	}
}

// rowsOf returns a table as a map from ids to all values.
func rowsOf(f *features.Table) map[string][]float32 {
	rows := map[string][]float32{}
	for _, r := range f.Rows() {
		values := make([]float32, f.Width())
		f.Gather([]int32{r}, values)
		rows[f.ID(r)] = values
	}
	return rows
}
