package export_test

import (
	"io"
	"testing"

	"github.com/deeppsl/deeppsl/internal/export"
	"github.com/deeppsl/deeppsl/internal/mrf/mrftest"
)

// BenchmarkWrite measures writing a model of the size of Cora in each format.
func BenchmarkWrite(b *testing.B) {
	field := mrftest.Field(mrftest.Cora.Model())
	for _, format := range []export.Format{export.LP, export.QPS, export.JSON} {
		b.Run(string(format), func(b *testing.B) {
			for b.Loop() {
				if err := export.Write(io.Discard, format, field, make([]string, field.Model.Rules)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(field.Model.Potentials())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrules/s")
		})
	}
}
