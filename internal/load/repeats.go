package load

import (
	"fmt"

	"github.com/deeppsl/deeppsl/internal/relation"
)

// repeats are the rows of an origin whose atoms are there already, in the same role and with the same value: exported
// lists of links have them, and each counts once.
type repeats struct {
	rows   int
	offset int // of the first one
	before *relation.Duplicate
}

// again notes an atom that is there already, or reports it where it has another value there. Among columns that were
// chosen of more, it is no mistake.
func (t *table) again(before *relation.Duplicate, truth float64, offset int) {
	value, _ := t.builder.Value(t.tuple)
	switch {
	case before.FirstRole != before.SecondRole || value != truth:
		t.duplicate(before, offset)
	case t.origins[len(t.origins)-1].data.Choice == nil:
		if t.repeats.rows++; t.repeats.rows == 1 {
			t.repeats.offset, t.repeats.before = offset, before
		}
	}
}

// endRepeats says how many there were.
func (t *table) endRepeats() {
	r := &t.repeats
	if r.rows == 0 {
		return
	}
	more := ""
	if r.rows > 1 {
		more = fmt.Sprintf(", as are %d more", r.rows-1)
	}
	o := &t.origins[len(t.origins)-1]
	t.diags.Warnf("data-repeats", o.span(r.offset), "", "%s is there twice, and counts once; it is also at %s%s",
		t.atom(r.before.Tuple), t.place(r.before.First), more)
}

// duplicate reports an atom that is there already, at both of its places.
func (t *table) duplicate(d *relation.Duplicate, offset int) {
	if t.told >= maxErrors {
		t.errors++
		return
	}
	first := t.place(d.First)
	atom := t.atom(d.Tuple)
	if d.FirstRole != d.SecondRole {
		t.errorf("data-observed-and-target", offset,
			"remove one of them; targets that a rule makes leave out what is observed",
			"%s is both observed and a target; it is also at %s", atom, first)
		return
	}
	t.errorf("data-duplicate", offset, "remove one of them", "%s is there twice, with another value; it is also at %s",
		atom, first)
}

// sameFile reports a whole file that has been read for the same relation, as each of its rows would be an error.
func (t *table) sameFile(data *Data, what string) bool {
	for k := range t.origins {
		o := &t.origins[k]
		if o.file == nil || o.data.Path != data.Path || o.data.Choice != nil || data.Choice != nil ||
			o.data.Open != nil || data.Open != nil {
			continue
		}
		id, wrong := "data-duplicate", fmt.Sprintf("the %s of %s name %s twice", what, t.predicate.Name, data.Path)
		if o.what != what {
			id, wrong = "data-observed-and-target",
				fmt.Sprintf("%s is named for the %s and the %s of %s", data.Path, o.what, what, t.predicate.Name)
		}
		if o.data.Span.HasText() {
			wrong += "; it is also at " + o.data.Span.String()
		}
		t.diags.Errorf(id, data.Span, "remove one of them", "%s", wrong)
		return true
	}
	return false
}
