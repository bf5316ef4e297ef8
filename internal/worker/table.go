package worker

import (
	"fmt"

	"github.com/deeppsl/deeppsl"
)

// table is rows of a predicate: a file's, or columns of numbers of strings with truth values beside them.
type table struct {
	Predicate string `json:"predicate"`
	// Part is "observed", "targets", "given" or "truth".
	Part string `json:"part"`
	// Phase is "learning", "validation" or "inference"; "" is every one.
	Phase   string   `json:"phase"`
	Path    string   `json:"path"`
	Columns []column `json:"columns"`
	Values  *int     `json:"values"` // none are all 1
}

// column is the arguments at one place: strings once, and for each row the number of its string. Both are numbers of
// arrays.
type column struct {
	Strings int `json:"strings"`
	Codes   int `json:"codes"`
}

var phases = map[string]deeppsl.Phase{
	"learning": deeppsl.Learning, "validation": deeppsl.Validation, "inference": deeppsl.Inference,
}

var parts = map[string]func(*deeppsl.Data, string, deeppsl.Source){
	"observed": (*deeppsl.Data).Observe, "targets": (*deeppsl.Data).Target, "given": (*deeppsl.Data).Given,
	"truth": (*deeppsl.Data).Truth,
}

// addTo adds the rows to data.
func (t *table) addTo(data *deeppsl.Data, r *request) error {
	add := parts[t.Part]
	if add == nil {
		return wrong{fmt.Errorf("a table of %s is %q, and not observed, targets, given or truth", t.Predicate, t.Part)}
	}
	if t.Phase != "" {
		phase, known := phases[t.Phase]
		if !known {
			return wrong{fmt.Errorf("a table of %s is for the phase %q, and not learning, validation or inference",
				t.Predicate, t.Phase)}
		}
		data = data.During(phase)
	}
	if t.Path != "" {
		add(data, t.Predicate, deeppsl.File{Path: t.Path})
		return nil
	}
	rows, err := t.rows(r)
	if err != nil {
		return err
	}
	add(data, t.Predicate, rows.source())
	return nil
}

// rows are the rows of a table in memory.
type rows struct {
	strings [][]string // by column; those that columns share are there once
	codes   [][]int32  // so are these
	values  []float64  // nil if all are 1
	count   int
}

// rows takes the arrays of a table out of its request, and checks them.
func (t *table) rows(r *request) (*rows, error) {
	made := &rows{}
	dictionaries, numbers := make(map[int][]string), make(map[int][]int32)
	for k, c := range t.Columns {
		strings, err := r.array(c.Strings, "str")
		if err != nil {
			return nil, err
		}
		codes, err := r.array(c.Codes, "i4")
		if err != nil {
			return nil, err
		}
		if dictionaries[c.Strings] == nil {
			dictionaries[c.Strings] = strings.strings()
		}
		if numbers[c.Codes] == nil {
			numbers[c.Codes] = codes.int32s()
		}
		if k > 0 && codes.Length != made.count {
			return nil, wrong{fmt.Errorf("column %d of %s has %d rows, and column 0 has %d", k, t.Predicate, codes.Length,
				made.count)}
		}
		made.count = codes.Length
		made.strings = append(made.strings, dictionaries[c.Strings])
		made.codes = append(made.codes, numbers[c.Codes])
		for row, code := range made.codes[k] {
			if code < 0 || int(code) >= strings.Length {
				return nil, wrong{fmt.Errorf("row %d of %s has string %d of column %d, which has %d", row, t.Predicate, code,
					k, strings.Length)}
			}
		}
	}
	return made, t.takeValues(made, r)
}

// takeValues takes the truth values, if there are any.
func (t *table) takeValues(made *rows, r *request) error {
	if t.Values == nil {
		return nil
	}
	values, err := r.array(*t.Values, "f8")
	if err != nil {
		return err
	}
	if values.Length != made.count {
		return wrong{fmt.Errorf("there are %d truth values for %d rows of %s", values.Length, made.count, t.Predicate)}
	}
	made.values = values.float64s()
	return nil
}

// source gives the rows to data.
func (r *rows) source() deeppsl.Columns {
	return deeppsl.Columns{Constants: r.strings, Rows: r.codes, Truth: r.values}
}

// each iterates over the arguments of the rows, all in the same slice.
func (r *rows) each() func(yield func(int, []string) bool) {
	return func(yield func(int, []string) bool) {
		arguments := make([]string, len(r.codes))
		for row := range r.count {
			for k, codes := range r.codes {
				arguments[k] = r.strings[k][codes[row]]
			}
			if !yield(row, arguments) {
				return
			}
		}
	}
}

func (r *rows) value(row int) float64 {
	if r.values == nil {
		return 1
	}
	return r.values[row]
}
