package batch

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// fact is an atom that is observed in one example.
type fact struct {
	predicate int
	tuple     []symbol.ID
	value     float64
	sheet     *load.Sheet // where it was read
	row       int32
	column    int32
}

// compare orders facts by their atoms.
func (f *fact) compare(other *fact) int {
	return cmp.Or(cmp.Compare(f.predicate, other.predicate), slices.Compare(f.tuple, other.tuple))
}

// factColumn is a column whose cells are facts: the last argument of the atom that is true, or if all arguments are
// given, its value.
type factColumn struct {
	column, predicate int
	arguments         []string
}

// readFacts collects the facts of each example, of columns and of tables of their own.
func (r *exampleReader) readFacts(columns []factColumn, tables []load.FactTable) {
	if len(columns) == 0 && len(tables) == 0 {
		return
	}
	r.facts = make([][]fact, r.Count)
	for k := range columns {
		r.readFactColumn(&columns[k])
	}
	for k := range tables {
		r.readFactTable(&tables[k])
	}
	r.wrong = 0
	for k := range r.facts {
		slices.SortStableFunc(r.facts[k], func(a, b fact) int { return a.compare(&b) })
		for i := range r.facts[k] {
			r.checkFact(k, i)
		}
	}
}

func (r *exampleReader) readFactColumn(c *factColumn) {
	r.wrong = 0
	declared := r.grounding.Project.Config.Predicates[c.predicate]
	for k, cells := range r.sheet.Rows {
		cell := cells[c.column]
		if cell == "" {
			continue
		}
		f := fact{predicate: c.predicate, value: 1, sheet: r.sheet, row: int32(k), column: int32(c.column)}
		arguments := c.arguments
		if len(arguments) < declared.Arity() {
			arguments = append(slices.Clip(arguments), cell)
		} else if f.value = r.value(k, c.column); f.value < 0 {
			continue
		}
		r.addFact(k, f, declared, arguments)
	}
}

// addFact adds a fact with these arguments to example k.
func (r *exampleReader) addFact(k int, f fact, declared *load.Predicate, arguments []string) {
	strange := len(arguments) > 0
	for i, argument := range arguments {
		name, err := declared.Types[i].Canonical(argument)
		if err != nil {
			if r.wrong++; r.wrong <= maxExampleErrors {
				r.diags.Errorf("examples-fact", f.sheet.Cell(int(f.row), int(f.column)), "",
					"argument %d of %s is of type %s, but %v", i+1, declared.Name, declared.Types[i], err)
			}
			return
		}
		f.tuple = append(f.tuple, r.grounding.Base.Symbols.Intern(name))
		strange = strange && int(f.tuple[i]) >= r.grounding.Symbols && !r.written[name]
	}
	if strange {
		r.warnStrange(&f)
	}
	r.facts[k] = append(r.facts[k], f)
}

// warnStrange warns of a fact about nothing that the rules and the other tables know.
func (r *exampleReader) warnStrange(f *fact) {
	if r.strange++; r.strange <= maxExampleErrors {
		r.diags.Warnf("examples-constant", f.sheet.Cell(int(f.row), int(f.column)),
			"constants are compared as they are written, spaces included", "no rule and no other table knows any constant of %s",
			factText(r.grounding, f))
	}
}

// readFactTable reads a table with the columns example, the predicate's arguments, and perhaps value.
func (r *exampleReader) readFactTable(table *load.FactTable) {
	sheet := r.grounding.Project.Config.ReadFacts(table, r.diags)
	predicate := r.grounding.Project.Config.Find(table.Name)
	if sheet == nil || predicate < 0 {
		return
	}
	declared := r.grounding.Project.Config.Predicates[predicate]
	if !declared.Closed || declared.Derive != nil || declared.Similarity != nil || declared.Function != "" {
		r.diags.Errorf("examples-fact", table.Span,
			"facts are about predicates without targets, networks and rules of their own",
			"%s cannot have facts: something else says what is true of it", declared.Name)
		return
	}
	example, arguments, value := factColumns(sheet.Header, declared.Arity())
	if example < 0 {
		r.diags.Errorf("examples-fact", sheet.Place(-1), "the columns are example, the arguments of "+declared.Name+
			", and perhaps value", "%s has %s, but here are %s", declared.Name,
			source.Count(declared.Arity(), "argument"), strings.Join(sheet.Header, ", "))
		return
	}
	numbers := make(map[string]int, r.Count)
	for k := range r.Count {
		numbers[r.name(k)] = k
	}
	r.wrong = 0
	tuple := make([]string, len(arguments))
	for row, cells := range sheet.Rows {
		f := fact{predicate: predicate, value: 1, sheet: sheet, row: int32(row), column: int32(example)}
		k, known := numbers[cells[example]]
		if !known {
			r.strangeExample(sheet, row, example)
			continue
		}
		if value >= 0 {
			if f.value = r.truthValue(sheet, row, value); f.value < 0 {
				continue
			}
		}
		for i, column := range arguments {
			tuple[i] = cells[column]
		}
		r.addFact(k, f, declared, tuple)
	}
}

// strangeExample tells that a fact is about no example.
func (r *exampleReader) strangeExample(sheet *load.Sheet, row, column int) {
	hint := "examples are numbered from 0 to " + strconv.Itoa(r.Count-1) + ", or named by a column called example"
	if r.names != nil {
		hint = "the column example of " + r.sheet.File.Name + " names them"
	}
	if r.wrong++; r.wrong <= maxExampleErrors {
		r.diags.Errorf("examples-fact", sheet.Cell(row, column), hint, "there is no example %q", sheet.Rows[row][column])
	}
}

// factColumns finds the columns of a table of facts; value is -1 if all are true. Example is -1 if the header is not
// that of a predicate of this arity.
func factColumns(header []string, arity int) (example int, arguments []int, value int) {
	example, value = -1, -1
	for column, name := range header {
		switch {
		case example < 0 && strings.EqualFold(strings.TrimSpace(name), "example"):
			example = column
		default:
			arguments = append(arguments, column)
		}
	}
	if len(arguments) == arity+1 {
		at := slices.IndexFunc(arguments, func(column int) bool {
			return strings.EqualFold(strings.TrimSpace(header[column]), "value")
		})
		if at < 0 {
			at = arity
		}
		value = arguments[at]
		arguments = slices.Delete(arguments, at, at+1)
	}
	if len(arguments) != arity {
		return -1, nil, -1
	}
	return example, arguments, value
}

// checkFact checks the i-th fact of an example, which are sorted.
func (r *exampleReader) checkFact(k, i int) {
	f := &r.facts[k][i]
	fail := func(id, hint, message string) {
		if r.wrong++; r.wrong > maxExampleErrors {
			return
		}
		r.diags.Errorf(id, f.sheet.Cell(int(f.row), int(f.column)), hint, message, factText(r.grounding, f), r.name(k))
	}
	atoms := r.grounding.Raw[f.predicate]
	_, observed := atoms.Find(f.tuple...)
	switch {
	case i > 0 && f.compare(&r.facts[k][i-1]) == 0:
		fail("examples-fact", "remove one of them", "%s is there twice in example %s")
	case atoms.Len() > 0 && observed:
		fail("examples-fact", "remove one of them", "%s is observed in every example, and in example %s once more")
	}
}

// factText prints a fact as a rule would write it.
func factText(g *session.Grounding, f *fact) string {
	names := make([]string, len(f.tuple))
	for k, id := range f.tuple {
		names[k] = "'" + g.Base.Symbols.Name(id) + "'"
	}
	return g.Project.Config.Predicates[f.predicate].Name + "(" + strings.Join(names, ", ") + ")"
}

// ruleConstants lists the constants that rules write.
func ruleConstants(prog *program.Program) map[string]bool {
	names := make(map[string]bool)
	for _, rule := range prog.Rules {
		for _, atom := range rule.Atoms {
			for _, term := range atom.Args {
				names[term.Constant] = true
			}
		}
		for _, condition := range rule.Conditions {
			names[condition.Left.Constant], names[condition.Right.Constant] = true, true
		}
	}
	return names
}

// findShapes numbers the shapes of the examples: which slots stand for nothing, and which facts there are.
func (e *Examples) findShapes() {
	e.Shapes, e.ground = make([]int32, e.Count), make(map[int32]*shape)
	numbers := make(map[string]int32)
	var key []byte
	for k := range e.Count {
		key = key[:0]
		for _, row := range e.rows[k*e.slots : (k+1)*e.slots] {
			key = append(key, byte(min(row, 0)))
		}
		if e.facts != nil {
			for i := range e.facts[k] {
				f := &e.facts[k][i]
				key = binary.LittleEndian.AppendUint32(key, uint32(f.predicate))
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(f.value))
				for _, id := range f.tuple {
					key = binary.LittleEndian.AppendUint32(key, uint32(id))
				}
			}
		}
		number, known := numbers[string(key)]
		if !known {
			number = int32(len(numbers))
			numbers[string(key)] = number
		}
		e.Shapes[k] = number
	}
}
