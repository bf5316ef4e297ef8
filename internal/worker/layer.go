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
	values, err := c.request.array(fields.Values, "f8")
	if err != nil {
		return nil, err
	}
	given, n := values.float64s(), fields.Examples
	if n < 0 || n > len(given) || n > 0 && len(given)%n != 0 {
		return nil, wrong{fmt.Errorf("%d values are not those of %d examples", len(given), n)}
	}
	var out []float64
	var kept []*deeppsl.Answer
	for k := range n {
		width := len(given) / n
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
	array, err := c.request.array(fields.Slopes, "f8")
	if err != nil {
		return nil, err
	}
	slope, n := array.float64s(), len(c.batch)
	switch {
	case fields.Batch != c.batches || c.batches == 0:
		return nil, wrong{fmt.Errorf("the last batch is %d, and not %d", c.batches, fields.Batch)}
	case n == 0 && len(slope) > 0, n > 0 && len(slope)%n != 0:
		return nil, wrong{fmt.Errorf("%d slopes are not those of %d examples", len(slope), n)}
	}
	values, weights := make([]float64, 0, len(slope)), make([]float64, len(c.Rules()))
	for k, answer := range c.batch {
		width := len(slope) / n
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
