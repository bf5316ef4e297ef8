package perception

import "fmt"

// Copy gives parameters the values of others, which are those of the same networks begun otherwise, unless some cannot
// be had.
func Copy(to, from []*Parameter) { ValuesOf(from).Paste(to) }

// Keep copies what parameters are, and returns what gives them these values back.
func Keep(parameters []*Parameter) (back func()) {
	kept := ValuesOf(parameters)
	return func() { kept.Paste(parameters) }
}

// Values are copies of what parameters are at a moment, in their order.
type Values struct {
	Numbers [][]float32
	Kept    [][]byte // of those that have a Keeper
}

// ValuesOf copies the values of parameters; nil if some cannot be had, so that there is no way back.
func ValuesOf(parameters []*Parameter) *Values {
	v := &Values{Numbers: make([][]float32, len(parameters)), Kept: make([][]byte, len(parameters))}
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

// Paste gives parameters the values, which are theirs.
func (v *Values) Paste(parameters []*Parameter) {
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

// Fits checks that the values are of such parameters.
func (v *Values) Fits(parameters []*Parameter) error {
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
