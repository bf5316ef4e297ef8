package live

import (
	"errors"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/neural/features"
)

// This file is about rows of features that come or take the place of others. They come before all other changes, which
// may speak of their atoms; what networks say of these is found at the end, of all of them at once.

// revisions are the rows of features of changes, those of one table together.
func revisions(networks *perceive.Networks, changes []change.Change) (all []perceive.Revision) {
	at := make(map[*features.Table]int)
	for k := range changes {
		c := &changes[k]
		if c.Kind != change.FeatureRow {
			continue
		}
		table := networks.Of(c.Network)
		n, known := at[table]
		if !known || table == nil {
			n = len(all)
			at[table] = n
			all = append(all, perceive.Revision{Network: c.Network})
		}
		row := features.Row{ID: c.Row, Columns: c.Columns, Values: make([]float32, len(c.Values))}
		for i, v := range c.Values {
			row.Values[i] = float32(v)
		}
		all[n].Rows = append(all[n].Rows, row)
	}
	return all
}

// revise gives networks the rows of features that changes have, and makes the atoms that come with them.
func (s *Session) revise(d *difference, changes []change.Change) error {
	all := revisions(s.grounding.Networks, changes)
	if err := s.fits(all); err != nil {
		return err
	}
	for _, r := range all {
		readers, undo, err := s.grounding.Networks.Revise(r.Network, r.Rows)
		if err != nil {
			return err
		}
		s.log = append(s.log, undo)
		for k, declared := range s.grounding.Project.Config.Predicates {
			if declared.Neural == nil || !slices.Contains(readers, declared.Neural.Network) {
				continue
			}
			if err := s.meet(d, k, r.Rows); err != nil {
				return err
			}
			if s.grounding.Networks.Wide(declared.Neural.Network) {
				s.consultAll(d, k)
			}
		}
	}
	return nil
}

// fits tells whether there is memory for rows of features, and the copies that replacing rows takes.
func (s *Session) fits(all []perceive.Revision) error {
	bytes := int64(0)
	for _, r := range all {
		if features := s.grounding.Networks.Of(r.Network); features != nil {
			bytes += 2 * features.Bytes()
		}
		for k := range r.Rows {
			bytes += int64(200 + 8*len(r.Rows[k].Values))
		}
	}
	if bytes > s.room {
		return fmt.Errorf("there is no memory for the features: it takes %d MB", bytes>>20)
	}
	return nil
}

// meet makes the atoms of a predicate that rows of features bring along, and asks for the values of those they had.
func (s *Session) meet(d *difference, predicate int, rows []features.Row) error {
	declared := s.grounding.Project.Config.Predicates[predicate]
	for k := range rows {
		s.consult(d, predicate, rows[k].ID)
		if !declared.Neural.Makes() {
			continue
		}
		for _, arguments := range atomsOf(declared, rows[k].ID) {
			c := change.Target(declared.Name, arguments...)
			at, err := locate(s.grounding, s.grounding.Tables.Store, &c)
			switch {
			case err != nil:
				return fmt.Errorf("row %q of the features of network %q: %w", rows[k].ID, declared.Neural.Network, err)
			case at.row >= 0:
				continue
			case s.wide(&at, &c):
				return errAnew
			}
			d.derives = d.derives || s.grounding.Derivations.Uses(predicate)
			s.replace(d, at, &c)
		}
	}
	return nil
}

// atomsOf returns the arguments of the atoms that a row of features makes: one for each class, or one.
func atomsOf(declared *load.Predicate, id string) (atoms [][]string) {
	if declared.Neural.Rows {
		return [][]string{{id}}
	}
	for _, class := range declared.Neural.Classes {
		arguments := make([]string, declared.Arity())
		arguments[declared.Neural.Entity], arguments[declared.Neural.Class] = id, class
		atoms = append(atoms, arguments)
	}
	return atoms
}

// consult notes the atoms of an entity, which its network is to be asked about.
func (s *Session) consult(d *difference, predicate int, entity string) {
	r := s.grounding.Tables.Store.Relations[predicate]
	id, known := s.grounding.Tables.Store.Symbols.Lookup(entity)
	if !known || r.FreeLen() == 0 {
		return
	}
	for _, column := range entities(s.grounding.Project.Config.Predicates[predicate]) {
		for _, row := range r.Index(column).Rows(id) {
			if r.Role(row) == relation.Perceived {
				d.asked[predicate] = append(d.asked[predicate], r.Number(row))
			}
		}
	}
}

// entities are the arguments of a network's atoms that name rows of its features.
func entities(declared *load.Predicate) []int {
	switch {
	case declared.Arity() == 1:
		return []int{0}
	case len(declared.Neural.Classes) > 0:
		return []int{declared.Neural.Entity}
	}
	return []int{0, 1}
}

// consultAll notes all atoms of a predicate.
func (s *Session) consultAll(d *difference, predicate int) {
	r := s.grounding.Tables.Store.Relations[predicate]
	for row := int32(r.Observed); int(row) < r.Len(); row++ {
		if r.Has(row) {
			d.asked[predicate] = append(d.asked[predicate], r.Number(row))
		}
	}
}

// perceive asks the networks about the atoms that have come, and those whose features have changed.
func (s *Session) perceive(d *difference) error {
	config := s.grounding.Project.Config
	for k, declared := range config.Predicates {
		r := s.grounding.Tables.Store.Relations[k]
		if declared.Neural != nil && d.changed[s.grounding.Networks.Along(config, declared.Neural.Network)] {
			s.consultAll(d, k)
		}
		numbers, rows := d.asked[k], []int32(nil)
		slices.Sort(numbers)
		for _, number := range slices.Compact(numbers) {
			if row := r.RowOf(number); r.Has(row) {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 {
			continue
		}
		values, err := s.grounding.Networks.Values(config, k, rows, s.grounding.Tables.Store)
		if err != nil {
			return err
		}
		d.Perceived += len(rows)
		for i, row := range rows {
			number := r.Number(row)
			if values[i] != values[i] {
				return errors.New("a network says that an atom is no number")
			}
			if s.grounding.Inputs[number] != values[i] {
				s.give(number, values[i])
			}
		}
	}
	return nil
}
