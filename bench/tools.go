package main

import (
	"embed"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/report"
)

//go:embed peers/*.py
var scripts embed.FS

// script returns the text of a peer's script.
func script(name string) string {
	text, err := scripts.ReadFile("peers/" + name + ".py")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// median is that of a quantity; of an even number of values, the mean of the two in the middle.
func median[T any](all []T, of func(T) float64) float64 {
	values := make([]float64, len(all))
	for k, each := range all {
		values[k] = of(each)
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// optional prints a number that is not always known.
func optional(v float64) report.Number {
	if v == 0 {
		return ""
	}
	return digits(v)
}

// digits prints a measured number with as many digits as mean anything.
func digits(v float64) report.Number { return report.Number(fmt.Sprintf("%.3g", v)) }
