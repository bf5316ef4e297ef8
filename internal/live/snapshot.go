package live

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/syntax"
	"github.com/deeppsl/deeppsl/neural"
)

// Snapshot is what changes have made of a project's tables and rules, to begin a session with instead of these. What
// follows from tables is not in it, nor is what was learned by networks; the rows of features are that have changed.
type Snapshot struct {
	head
	tables []savedTable // of one that was read
	taken  []piece      // of one of a session
}

// head is the first record of a snapshot.
type head struct {
	Rules []savedRule `json:"rules"`
	// Written is how many of them are the program's own, and not added by changes; 0 if that is not known.
	Written int `json:"written,omitempty"`
	// Parts is how many others it has.
	Parts int `json:"snapshot_parts"`
	// Updates and Keys are for who keeps the journal: how many updates there had been, and the keys of the last ones.
	Updates int      `json:"updates,omitempty"`
	Keys    []string `json:"keys,omitempty"`
	// Features are the rows that networks read and the data do not have, or have otherwise.
	Features []perceive.Revision `json:"features,omitempty"`
	// Scales are of the rows with which the session began.
	Scales []neural.Scale `json:"scales,omitempty"`
}

// savedRule is a rule as it stands.
type savedRule struct {
	Text   string  `json:"rule"`
	Weight float64 `json:"weight"`
	Off    bool    `json:"inactive,omitempty"`
}

// savedTable is rows of a predicate: some of those that are observed, or of the others.
type savedTable struct {
	Predicate string        `json:"predicate"`
	Role      relation.Role `json:"role"`
	Open      bool          `json:"open,omitempty"`
	Rows      [][]string    `json:"rows"`
	Values    []float64     `json:"values,omitempty"` // none if all are 1
}

// piece is rows of a relation that does not change. Their names, which take most of the time, are written when it is.
type piece struct {
	relation *relation.Relation
	names    symbol.Names
	role     relation.Role
	from, to int
}

// pieceLen is how many rows a piece has at most.
const pieceLen = 1 << 15

// Snapshot returns that of the session as it is, which may be written while the session goes on.
func (s *Session) Snapshot() *Snapshot {
	out := &Snapshot{}
	for r, rule := range s.prog.Rules {
		out.Rules = append(out.Rules, savedRule{rule.Text, s.grounding.Theta[r], s.off[r]})
		if !rule.Added {
			out.Written++
		}
	}
	if networks := s.grounding.Networks; networks != nil {
		out.Features, out.Scales = networks.Revisions(), networks.System.Scales()
	}
	store := s.grounding.Tables.Store
	known := store.Symbols.Names()
	for k := range store.Relations {
		raw := s.grounding.Listed(k)
		add := func(role relation.Role, from, to int) {
			for ; from < to || from == 0 && role == relation.Observed; from += pieceLen {
				out.taken = append(out.taken, piece{raw, known, role, from, min(to, from+pieceLen)})
			}
		}
		add(relation.Observed, 0, raw.Observed)
		add(raw.Free, raw.Observed, raw.Len())
	}
	out.Parts = len(out.taken)
	return out
}

// MarshalJSON writes the rows.
func (p piece) MarshalJSON() ([]byte, error) {
	t := savedTable{Predicate: p.relation.Name, Role: p.role, Open: p.relation.Open,
		Rows: make([][]string, 0, p.to-p.from)}
	plain := true
	for row := int32(p.from); int(row) < p.to; row++ {
		names, value := make([]string, len(p.relation.Columns)), 0.0
		for k, column := range p.relation.Columns {
			names[k] = p.names.Of(column[row])
		}
		if p.role == relation.Observed {
			value = p.relation.Value(row)
		} else {
			value = p.relation.GivenValue(row)
		}
		t.Rows, t.Values = append(t.Rows, names), append(t.Values, value)
		plain = plain && value == 1
	}
	if plain {
		t.Values = nil
	}
	return json.Marshal(t)
}

// records are what a file has of the snapshot.
func (s *Snapshot) records() []any {
	all := []any{s.head}
	for _, p := range s.taken {
		all = append(all, p)
	}
	return all
}

// readSnapshot returns the snapshot that records begin with, nil for none, and the other records.
func readSnapshot(records []json.RawMessage) (*Snapshot, []json.RawMessage, error) {
	if len(records) == 0 || !bytes.HasPrefix(records[0], []byte(`{"rules":`)) {
		return nil, records, nil
	}
	s := &Snapshot{}
	if err := json.Unmarshal(records[0], &s.head); err != nil {
		return nil, nil, fmt.Errorf("record 1: %w", err)
	}
	if s.Parts < 0 || s.Parts >= len(records) {
		return nil, nil, fmt.Errorf("the snapshot has %d parts, of which %d are there", s.Parts, len(records)-1)
	}
	s.tables = make([]savedTable, s.Parts)
	for k := range s.tables {
		if err := json.Unmarshal(records[k+1], &s.tables[k]); err != nil {
			return nil, nil, fmt.Errorf("record %d: %w", k+2, err)
		}
	}
	return s, records[s.Parts+1:], nil
}

// errStranger is the error of a snapshot that does not fit.
var errStranger = errors.New("the snapshot is of another program")

// revise gives networks the scales and rows of features of the snapshot.
func (s *Snapshot) revise(networks *perceive.Networks) error {
	if networks == nil {
		return nil
	}
	if err := errors.Join(networks.System.SetScales(s.Scales), networks.Take(s.Features)); err != nil {
		return errors.Join(errStranger, err)
	}
	return nil
}

// program returns the rules and their weights: those of a program as it is written, and others behind them.
func (s *Snapshot) program(written *program.Program) (*program.Program, []float64, error) {
	out, theta := &program.Program{Predicates: written.Predicates}, make([]float64, 0, len(s.Rules))
	if now := len(written.Rules); s.Written > 0 && s.Written != now || len(s.Rules) < now {
		return nil, nil, fmt.Errorf("%w: of %d rules, and not %d", errStranger, cmp.Or(s.Written, len(s.Rules)), now)
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
	for _, t := range s.tables {
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
	for _, rule := range compiled.Rules {
		rule.Added = true
	}
	if err := diags.Err(); err != nil || len(compiled.Rules) > 0 {
		return compiled.Rules, err
	}
	return nil, errors.New("the text has no rule")
}
