package worker

import (
	"context"
	"fmt"

	"github.com/deeppsl/deeppsl"
)

// layer asks for the answers of several examples, which differ in the values of given atoms.
type layer struct {
	// Values has a row for each of Examples, with a value for each open atom; NaN leaves one as it is.
	Values   int `json:"values"`
	Examples int `json:"examples"`
}

// states infers examples one after the other, each from where the one before ended, and keeps their answers.
func states(ctx context.Context, c call, fields layer) (any, error) {
	given, width, err := c.byExample("values", fields.Values, fields.Examples)
	if err == nil && width == 0 && fields.Examples > 0 {
		err = wrong{fmt.Errorf("no values are given for %d examples", fields.Examples)}
	}
	if err != nil {
		return nil, err
	}
	out := make([]float64, 0, len(given))
	var kept []*deeppsl.Answer
	for k := range fields.Examples {
		if err := c.SetValues(given[k*width : (k+1)*width]); err != nil {
			return nil, err
		}
		answer, err := c.Infer(ctx)
		if err == nil && answer.Status == deeppsl.Infeasible {
			err = fmt.Errorf("example %d: %s", k, answer.Explanation)
		}
		if err != nil {
			return nil, err
		}
		kept, out = append(kept, answer), append(out, answer.Values()...)
	}
	c.batches++
	c.batch = kept
	return map[string]any{"batch": c.batches, "values": c.out.float64s(out)}, nil
}

// slopes asks for the derivatives of a function of the answers of a batch.
type slopes struct {
	Batch  uint64 `json:"batch"`
	Slopes int    `json:"slopes"`
}

// descend answers with the derivatives in the values of each example, and the sum of those in the weights.
func descend(_ context.Context, c call, fields slopes) (any, error) {
	if fields.Batch != c.batches || c.batches == 0 {
		return nil, wrong{fmt.Errorf("the last batch is %d, and not %d", c.batches, fields.Batch)}
	}
	slope, width, err := c.byExample("slopes", fields.Slopes, len(c.batch))
	if err != nil {
		return nil, err
	}
	values, weights := make([]float64, 0, len(slope)), make([]float64, len(c.Rules()))
	for k, answer := range c.batch {
		found, err := c.Gradient(answer, slope[k*width:(k+1)*width])
		if err != nil {
			return nil, err
		}
		values = append(values, found.Values...)
		for i, w := range found.Weights {
			weights[i] += w
		}
	}
	return map[string]int{"values": c.out.float64s(values), "weights": c.out.float64s(weights)}, nil
}

// byExample reads an array that has equally many numbers, the width, for each of n examples.
func (c call) byExample(what string, place, n int) (numbers []float64, width int, err error) {
	array, err := c.request.array(place, "f8")
	if err != nil {
		return nil, 0, err
	}
	numbers = array.float64s()
	if n < 0 || len(numbers)%max(1, n) != 0 || n == 0 && len(numbers) > 0 {
		return nil, 0, wrong{fmt.Errorf("%d %s are not those of %d examples", len(numbers), what, n)}
	}
	return numbers, len(numbers) / max(1, n), nil
}
