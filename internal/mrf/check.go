package mrf

import (
	"fmt"
	"math"
)

// Check returns an error that names the first block that breaks the rules of a Block: a shape that does not fit, an id
// out of range, a variable twice in one potential, a number that is not finite. Models from the grounder keep them;
// the check is for models from elsewhere, and for tests.
func (m *Model) Check() error {
	if m.Variables < 0 || m.Inputs < 0 || m.Rules < 0 {
		return fmt.Errorf("a model of %d variables, %d inputs and %d rules", m.Variables, m.Inputs, m.Rules)
	}
	seen := make([]int, m.Variables)
	potential := 0
	for k, b := range m.Blocks {
		if err := b.check(m); err != nil {
			return fmt.Errorf("block %d of rule %d: %w", k, b.Rule, err)
		}
		for j := range b.Len {
			potential++
			for _, i := range b.Variables(j) {
				if seen[i] == potential {
					return fmt.Errorf("block %d of rule %d: variable %d occurs twice in potential %d", k, b.Rule, i, j)
				}
				seen[i] = potential
			}
		}
	}
	return nil
}

func (b *Block) check(m *Model) error {
	if b.Rule < 0 || b.Rule >= m.Rules {
		return fmt.Errorf("the model has %d rules", m.Rules)
	}
	if b.Kind > Equal {
		return fmt.Errorf("kind %d does not exist", b.Kind)
	}
	if (b.Kind == Hinge || b.Kind == Absolute) && b.Exponent != 1 && b.Exponent != 2 {
		return fmt.Errorf("exponent %d is neither 1 nor 2", b.Exponent)
	}
	if b.Bias64 != nil && (len(b.Bias64) != b.Len || b.Bias != nil) {
		return fmt.Errorf("%d biases of double precision and %d of single for %d potentials", len(b.Bias64), len(b.Bias),
			b.Len)
	}
	if b.Bias != nil && len(b.Bias) != b.Len || b.Scale != nil && len(b.Scale) != b.Len {
		return fmt.Errorf("%d biases and %d scales for %d potentials", len(b.Bias), len(b.Scale), b.Len)
	}
	if (b.VarStart == nil) != (b.InputStart == nil) {
		return fmt.Errorf("ragged on one side only")
	}
	vars, inputs := b.variableRows(), b.inputRows()
	if err := vars.check(b.Len, m.Variables); err != nil {
		return fmt.Errorf("variables: %w", err)
	}
	if err := inputs.check(b.Len, m.Inputs); err != nil {
		return fmt.Errorf("inputs: %w", err)
	}
	return b.checkNumbers()
}

func (b *Block) checkNumbers() error {
	if math.IsNaN(b.Constant) || math.IsInf(b.Constant, 0) {
		return fmt.Errorf("constant %v is not finite", b.Constant)
	}
	for j, v := range b.Bias {
		if !finite(v) {
			return fmt.Errorf("bias %v of potential %d is not finite", v, j)
		}
	}
	for j, v := range b.Bias64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("bias %v of potential %d is not finite", v, j)
		}
	}
	for j, v := range b.Scale {
		if !finite(v) || v < 0 {
			return fmt.Errorf("scale %v of potential %d is not a finite number ≥ 0", v, j)
		}
	}
	return nil
}

// check tells whether the rows have one entry per potential and column ids below columns.
func (r *rows) check(potentials, columns int) error {
	if r.start != nil {
		if err := checkStarts(r.start, potentials, len(r.index)); err != nil {
			return err
		}
		if r.value.Len() != len(r.index) || r.value.Single != nil && r.value.Double != nil {
			return fmt.Errorf("%d coefficients for %d ids", r.value.Len(), len(r.index))
		}
	} else if r.run {
		if !r.fits(potentials, columns) {
			return fmt.Errorf("ids %d to %d are not all below %d", r.first, int(r.first)+potentials-1, columns)
		}
	} else if len(r.index) != potentials*len(r.coef) {
		return fmt.Errorf("%d ids for %d potentials of %d", len(r.index), potentials, len(r.coef))
	}
	for _, a := range r.coef {
		if math.IsNaN(a) || math.IsInf(a, 0) {
			return fmt.Errorf("coefficient %v is not finite", a)
		}
	}
	for k := range r.value.Len() {
		if a := r.value.At(k); math.IsNaN(a) || math.IsInf(a, 0) {
			return fmt.Errorf("coefficient %v is not finite", a)
		}
	}
	for _, i := range r.index {
		if i < 0 || int(i) >= columns {
			return fmt.Errorf("id %d is not below %d", i, columns)
		}
	}
	return nil
}

func checkStarts(start []int32, potentials, entries int) error {
	if len(start) != potentials+1 || start[0] != 0 || int(start[potentials]) != entries {
		return fmt.Errorf("row starts do not fit %d potentials with %d ids", potentials, entries)
	}
	for j := range potentials {
		if start[j] > start[j+1] {
			return fmt.Errorf("row %d ends before it starts", j)
		}
	}
	return nil
}

func finite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }

// Variables returns the ids of potential j's variables.
func (b *Block) Variables(j int) []int32 {
	r := b.variableRows()
	return r.row(j)
}

// Arity returns how many variables potential j has.
func (b *Block) Arity(j int) int {
	if b.VarStart != nil {
		return int(b.VarStart[j+1] - b.VarStart[j])
	}
	return len(b.Coef)
}

// Coefficient returns the coefficient of the k-th variable of potential j.
func (b *Block) Coefficient(j, k int) float64 {
	if b.VarStart != nil {
		return b.VarCoef.At(int(b.VarStart[j]) + k)
	}
	return b.Coef[k]
}
