package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// Snapshot is what changes have made of a project's tables and rules, to begin a session with instead of these. What
// follows from tables is not in it, nor is what was learned by networks.
type Snapshot struct {
	head
	Tables []savedTable
}

// head is the first record of a snapshot, and Parts is how many others it has.
type head struct {
	Rules []savedRule `json:"rules"`
	Parts int         `json:"snapshot_parts"`
}

// savedRule is a rule as it stands.
type savedRule struct {
	Text   string  `json:"rule"`
	Weight float64 `json:"weight"`
	Off    bool    `json:"inactive,omitempty"`
}

// savedTable is rows of a predicate: those that are observed, or the others.
type savedTable struct {
	Predicate string        `json:"predicate"`
	Role      relation.Role `json:"role"`
	Open      bool          `json:"open,omitempty"`
	Rows      [][]string    `json:"rows"`
	Values    []float64     `json:"values,omitempty"` // none if all are 1
}

// Snapshot returns that of the session as it is.
func (s *Session) Snapshot() *Snapshot {
	out := &Snapshot{}
	for r, rule := range s.prog.Rules {
		out.Rules = append(out.Rules, savedRule{rule.Text, s.grounding.Theta[r], s.off[r]})
	}
	store := s.grounding.Tables.Store
	for k := range store.Relations {
		raw := s.grounding.Listed(k)
		var tables [relation.Perceived + 1]savedTable
		for row := range int32(raw.Len()) {
			role := raw.Role(row)
			t, value := &tables[role], 1.0
			if role == relation.Observed {
				value = raw.Value(row)
			} else {
				value = raw.GivenValue(row)
			}
			t.Rows, t.Values = append(t.Rows, names(store, raw, row)), append(t.Values, value)
		}
		for role := range tables {
			t := &tables[role]
			if !slices.ContainsFunc(t.Values, func(v float64) bool { return v != 1 }) {
				t.Values = nil
			}
			if t.Predicate, t.Role, t.Open = raw.Name, relation.Role(role), raw.Open; len(t.Rows) > 0 || role == 0 {
				out.Tables = append(out.Tables, *t)
			}
		}
	}
	out.Parts = len(out.Tables)
	return out
}

// records are what a file has of the snapshot.
func (s *Snapshot) records() []any {
	all := []any{s.head}
	for k := range s.Tables {
		all = append(all, &s.Tables[k])
	}
	return all
}

// readSnapshot returns the snapshot that records begin with, nil for none, and the other records.
func readSnapshot(records []json.RawMessage) (*Snapshot, []json.RawMessage, error) {
	if len(records) == 0 || !bytes.HasPrefix(records[0], []byte("{")) {
		return nil, records, nil
	}
	s := &Snapshot{}
	if err := json.Unmarshal(records[0], &s.head); err != nil {
		return nil, nil, fmt.Errorf("record 1: %w", err)
	}
	if s.Parts < 0 || s.Parts >= len(records) {
		return nil, nil, fmt.Errorf("the snapshot has %d parts, of which %d are there", s.Parts, len(records)-1)
	}
	s.Tables = make([]savedTable, s.Parts)
	for k := range s.Tables {
		if err := json.Unmarshal(records[k+1], &s.Tables[k]); err != nil {
			return nil, nil, fmt.Errorf("record %d: %w", k+2, err)
		}
	}
	return s, records[s.Parts+1:], nil
}

// errStranger is the error of a snapshot that does not fit.
var errStranger = errors.New("the snapshot is of another program")

// Restore grounds a project's phase, of which a grounding is given, with the tables and rules of a snapshot.
func (s *Snapshot) Restore(ctx context.Context, g *session.Grounding) (*session.Grounding, error) {
	prog, theta, err := s.program(g.Program)
	if err != nil {
		return nil, err
	}
	return g.Anew(ctx, prog, theta, func(store *relation.Store) error { return s.fill(g, store) })
}

// program returns the rules and their weights: those of a program as it is written, and others behind them.
func (s *Snapshot) program(written *program.Program) (*program.Program, []float64, error) {
	out, theta := &program.Program{Predicates: written.Predicates}, make([]float64, 0, len(s.Rules))
	if len(s.Rules) < len(written.Rules) {
		return nil, nil, errStranger
	}
	for k, saved := range s.Rules {
		var rule program.Rule
		if k < len(written.Rules) {
			if rule = *written.Rules[k]; rule.Text != saved.Text {
				return nil, nil, fmt.Errorf("%w: its rule %d is %s, and not %s", errStranger, k, saved.Text, rule.Text)
			}
		} else {
			more, err := parse(written.Predicates, saved.Text)
			if err != nil || len(more) != 1 {
				return nil, nil, errors.Join(errStranger, err)
			}
			rule = *more[0]
		}
		rule.Index, rule.Inactive = k, saved.Off
		out.Rules, theta = append(out.Rules, &rule), append(theta, saved.Weight)
	}
	return out, theta, nil
}

// fill makes a store that of the snapshot.
func (s *Snapshot) fill(g *session.Grounding, store *relation.Store) error {
	builders, opens := make([]*relation.Builder, len(store.Relations)), make([]bool, len(store.Relations))
	for _, t := range s.Tables {
		k, err := g.Project.Predicate(t.Predicate)
		if err != nil {
			return errors.Join(errStranger, err)
		}
		r := store.Relations[k]
		if builders[k] == nil {
			builders[k] = relation.NewBuilder(r.Name, r.Arity)
		}
		opens[k] = t.Open
		tuple := make([]symbol.ID, r.Arity)
		for n, row := range t.Rows {
			if len(row) != r.Arity || t.Values != nil && len(t.Values) != len(t.Rows) || t.Role > relation.Perceived {
				return fmt.Errorf("%w: %s", errStranger, r.Name)
			}
			for column, name := range row {
				tuple[column] = store.Symbols.Intern(name)
			}
			value := 1.0
			if t.Values != nil {
				value = t.Values[n]
			}
			if err := builders[k].Add(tuple, value, t.Role, 0); err != nil {
				return errors.Join(errStranger, err)
			}
		}
	}
	for k, builder := range builders {
		if builder != nil && store.Relations[k].Function == nil && store.Relations[k].Arity > 0 {
			store.Relations[k] = builder.Relation(opens[k])
		}
	}
	return nil
}

// parse compiles rules that are to come.
func parse(predicates []*program.Predicate, text string) ([]*program.Rule, error) {
	var diags source.Diagnostics
	file := &source.File{Name: "rule", Text: text}
	compiled := program.Compile(predicates, syntax.Parse(file, &diags), &diags)
	return compiled.Rules, diags.Err()
}
