package mrf

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Write writes all of the model to a digest, which takes it without errors: two models that write the same are the
// same. It is no format to read again.
func (m *Model) Write(digest io.Writer) {
	fmt.Fprintln(digest, m.Variables, m.Inputs, m.Rules, len(m.Blocks))
	for _, b := range m.Blocks {
		fmt.Fprintln(digest, b.Rule, b.Kind, b.Exponent, b.Len, b.First, b.Constant, b.Coef, b.InputCoef)
		for _, arena := range []any{b.VarStart, b.VarCoef.Single, b.VarCoef.Double, b.InputStart, b.InputValue.Single,
			b.InputValue.Double, b.Vars, b.Inputs, b.Bias, b.Bias64, b.Scale} {
			fmt.Fprintln(digest, binary.Size(arena))
			binary.Write(digest, binary.LittleEndian, arena)
		}
	}
}
