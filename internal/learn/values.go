package learn

import "fmt"

// Copy gives parameters the values of others, which are those of the same networks begun otherwise, unless some cannot
// be had.
func Copy(to, from []*Parameter) { copyValues(from).paste(to) }

// Keep copies what parameters are, and returns what gives them these values back.
func Keep(parameters []*Parameter) (back func()) {
	kept := copyValues(parameters)
	return func() { kept.paste(parameters) }
}

// values are copies of what parameters are at a moment, in their order.
type values struct {
	Numbers [][]float32
	Kept    [][]byte // of those that have a Keeper
}

// copyValues copies the values of parameters; nil if some cannot be had, so that there is no way back.
func copyValues(parameters []*Parameter) *values {
	v := &values{Numbers: make([][]float32, len(parameters)), Kept: make([][]byte, len(parameters))}
	for k, p := range parameters {
		v.Numbers[k] = append([]float32(nil), p.Value...)
		if p.Keeper != nil {
			if v.Kept[k] = p.Keeper.State(); v.Kept[k] == nil {
				return nil
			}
		}
	}
	return v
}

// paste gives parameters the values, which are theirs.
func (v *values) paste(parameters []*Parameter) {
	if v == nil {
		return
	}
	for k, p := range parameters {
		copy(p.Value, v.Numbers[k])
		if p.Keeper != nil {
			p.Keeper.Restore(v.Kept[k])
		}
	}
}

// fits checks that the values are of such parameters.
func (v *values) fits(parameters []*Parameter) error {
	if v == nil || len(v.Numbers) != len(parameters) || len(v.Kept) != len(parameters) {
		return fmt.Errorf("the checkpoint is of another program: it has not the %d parameters that there are",
			len(parameters))
	}
	for k, p := range parameters {
		if len(v.Numbers[k]) != len(p.Value) || (p.Keeper != nil) != (len(v.Kept[k]) > 0) {
			return fmt.Errorf("the checkpoint is of another network: %s has %d values, here %d", p.Name,
				len(v.Numbers[k]), len(p.Value))
		}
	}
	return nil
}
