package deeppsl

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/training"
)

// Session is a program with data, ground, that lives: it keeps the model, the networks and the last answer. Any number
// of goroutines may call its methods, which wait for each other; answers can be read meanwhile.
type Session struct {
	mu        sync.Mutex
	project   *project.Project
	inference *session.Grounding
	learning  *session.Grounding // nil until Learn; the same where phases share their atoms
	last      *session.Answer    // where the next inference begins; nil at first
	learned   int                // counts changes of weights and networks
	explainer *session.Explainer // of the last answer; nil if something may have changed since
	live      *live.Session      // of inference, once something has changed by Apply; nil if not
	journal   *live.Journal      // of all changes; nil for none
	slopes    training.Sensitivity
	closed    bool
}

// ErrClosed is the error of what needs a session that has been closed.
var ErrClosed = errors.New("the session is closed")

// NewSession reads the data and grounds the rules. The error is an *Error if program or data have no meaning.
func NewSession(ctx context.Context, p *Program, data *Data, options Options) (*Session, error) {
	project, err := newProject(p, data, options)
	if err != nil {
		return nil, explained(err)
	}
	s := &Session{project: project}
	if s.inference, err = engine.Ground(ctx, project, load.Infer); err != nil {
		return nil, explained(err)
	}
	return s, nil
}

// newProject puts a program, its data and options together.
func newProject(p *Program, data *Data, options Options) (*project.Project, error) {
	if data.declared.Program != p.declared {
		return nil, errors.New("the data are those of another program")
	}
	config, err := data.declared.Configure()
	if err != nil {
		return nil, err
	}
	return project.New(config, options.engine(p.declared.Networks, data.declared.Features))
}

// use calls f while nobody else uses the session, which does not live then.
func (s *Session) use(f func() error) error {
	return s.alone(func() error {
		if err := s.settle(); err != nil {
			return err
		}
		return f()
	})
}

// alone calls f while nobody else uses the session.
func (s *Session) alone(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.explainer = nil
	return explained(f())
}

// Infer finds the values of all targets. It begins where the last answer ended, so that after a small change it takes
// a part of the time; what it proves does not depend on that. If the context ends, the answer is the best so far.
func (s *Session) Infer(ctx context.Context) (answer *Answer, err error) {
	err = s.alone(func() error {
		if s.project.Examples() {
			return errors.New("the program is about examples, which Predict infers")
		}
		infer := func() (*session.Answer, error) { return s.inference.InferAgain(ctx, s.last) }
		if s.live != nil {
			infer = func() (*session.Answer, error) { return s.live.Infer(ctx) }
		}
		found, err := infer()
		if err != nil {
			return err
		}
		s.last, answer = found, newAnswer(found, s.inference)
		answer.learned = s.learned
		return nil
	})
	return answer, err
}

// SetValue changes the value of a given atom, in [0, 1]: see Data.Given. The next inference sees it.
func (s *Session) SetValue(value float64, predicate string, arguments ...string) error {
	return s.either(change.Give(value, predicate, arguments...), func() error {
		return s.inference.SetValue(value, predicate, arguments...)
	})
}

// SetValues changes the values of given atoms, all at once, in the order of Answer.Values. NaN leaves one as it is, and
// what there is for other atoms is not looked at. On an error nothing changes.
func (s *Session) SetValues(values []float64) error {
	return s.use(func() error { return s.inference.SetValues(values) })
}

// Rule is a rule of a session.
type Rule struct {
	Text string // as it was written, in canonical form
	// Weight is the present one; Hard says that the rule has none.
	Weight float64
	Hard   bool
	// Ground counts the ground rules that the model has of it, none while it is Inactive: see change.Deactivate.
	Ground   int
	Inactive bool
}

// Rules returns the rules, in the order of the program.
func (s *Session) Rules() (rules []Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.inference.Rules
	if s.live != nil {
		all = s.live.Rules
	}
	for _, r := range all() {
		rules = append(rules, Rule(r))
	}
	return rules
}

// SetWeight changes the weight of a rule, which Rules numbers from 0. The next inference sees it.
func (s *Session) SetWeight(rule int, weight float64) error {
	return s.either(change.Weight(rule, weight), func() error { return s.inference.SetWeight(rule, weight) })
}

// WriteRules writes the rules with their present weights, as Parse reads them.
func (s *Session) WriteRules(w io.Writer) error {
	return s.use(func() error { return s.inference.WriteModel(w) })
}

// WriteGround writes the ground rules, one per line; limit bounds them, 0 means all.
func (s *Session) WriteGround(w io.Writer, limit int) error {
	return s.use(func() error { return s.inference.Write(w, session.GroundView, limit) })
}

// SaveNetworks writes the parameters of all networks; LoadNetworks reads them, in a session with the same networks.
func (s *Session) SaveNetworks(w io.Writer) error {
	return s.use(func() error { return s.inference.WriteNetworks(w) })
}

// LoadNetworks reads what SaveNetworks wrote. On an error no parameter changes.
func (s *Session) LoadNetworks(r io.Reader) error {
	return s.use(func() error {
		s.learned++
		return s.inference.ReadNetworks(r)
	})
}

// Close gives back the memory and files of the session. Its answers stay what they are.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed, s.last, s.explainer = true, nil, nil
	err := s.inference.Close()
	if s.journal != nil {
		err = errors.Join(err, s.journal.Close())
	}
	if s.learning != nil && s.learning != s.inference {
		err = errors.Join(err, s.learning.Close())
	}
	s.learning = nil
	return err
}
