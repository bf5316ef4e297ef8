// Package export writes a ground hinge-loss Markov random field for other programs: as a quadratic program in the LP
// and QPS formats that solvers of such programs read, and as a dump that can be read back and solved again, bit by bit.
//
// The quadratic program has the variables y_0, …, y_{n-1} of the field, each in [0,1], and a slack s_j for potential j,
// where w_j = θ_r s_j is its weight and d_j its affine function:
//
//	w max(0, d)   →  w s   with  s ≥ d, s ≥ 0        w max(0, d)²  →  w s²  with  s ≥ d, s ≥ 0
//	w |d|         →  w s   with  s ≥ d, s ≥ -d       w d²          →  w s²  with  s = d
//	w d           →  w d, in the objective itself    d ≤ 0, d = 0  →  themselves
//
// The constants of the objective stay, so its optimum is the field's own.
package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/deeppsl/deeppsl/internal/mrf"
)

// Format is a file format of ground problems.
type Format string

// The formats: the LP format as CPLEX defined it, MPS with QUADOBJ for the quadratic part, and the dump.
const (
	LP   Format = "lp"
	QPS  Format = "qps"
	JSON Format = "json"
)

// FormatOf returns the format that a path's extension names: .lp, .qps or .mps, or .json.
func FormatOf(path string) (Format, error) {
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".lp":
		return LP, nil
	case ".qps", ".mps":
		return QPS, nil
	case ".json":
		return JSON, nil
	}
	return "", fmt.Errorf("%s does not end in .lp, .qps, .mps or .json", path)
}

// Write writes the field's problem, with its weights and inputs, in a format. The rules' texts go into dumps only. The
// error is the writer's, or says why the problem has no such form.
func Write(w io.Writer, format Format, field *mrf.Field, rules []string) error {
	if err := field.Check(); err != nil {
		return err
	}
	if format == JSON {
		return writeDump(w, field, rules)
	}
	if field.Model.Variables == 0 {
		return errors.New("a problem without variables has no form as a quadratic program")
	}
	buffer := bufio.NewWriter(w)
	program := newProgram(field)
	if format == LP {
		writeLP(buffer, program)
	} else {
		writeQPS(buffer, program)
	}
	return buffer.Flush() // reports the first error of all writes before it
}
