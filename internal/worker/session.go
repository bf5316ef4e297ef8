package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/deeppsl/deeppsl"
	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/neural"
)

// session is a session with its last answer.
type session struct {
	*deeppsl.Session
	last    *deeppsl.Answer
	answers uint64            // counts answers, and numbers the last one
	batch   []*deeppsl.Answer // of the last request states
	batches uint64            // counts those, and numbers the last one
	// tell is where warnings and epochs go: to the request that is answered.
	tell func(event any)
}

// call is a request about a session, with the arrays of what answers it.
type call struct {
	*session
	request *request
	out     *builder
}

// handler answers a request.
type handler func(context.Context, call) (any, error)

// with lets a function answer requests that have fields of its own.
func with[Fields any](answer func(context.Context, call, Fields) (any, error)) handler {
	return func(ctx context.Context, c call) (any, error) {
		var fields Fields
		if err := c.request.into(&fields); err != nil {
			return nil, err
		}
		return answer(ctx, c, fields)
	}
}

// nothing is the fields of a request that has none, and the answer where it is that something is done.
type nothing struct{}

// about are the requests about a session.
var about = map[string]handler{
	"infer": with(infer), "atoms": with(atoms), "value": with(value), "evaluate": with(evaluate),
	"predict": with(predict), "learn": with(learn), "rules": with(rules), "program": with(program),
	"ground": with(ground), "set": with(set), "weight": with(weight), "save": with(save), "load": with(load),
	"gradient": with(gradient), "explain": with(explain), "change": with(apply), "what_if": with(whatIf),
	"states": with(states), "descend": with(descend),
}

// handle answers a request.
func (s *server) handle(ctx context.Context, r *request, out *builder) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch r.Do {
	case "hello":
		return s.hello(r)
	case "parse":
		return s.parseRules(r)
	case "check":
		return s.check(ctx, r)
	case "open":
		return s.open(ctx, r)
	}
	do := about[r.Do]
	if do == nil && r.Do != "close" {
		return nil, wrong{fmt.Errorf("there is no request %q", r.Do)}
	}
	on := s.sessions[r.Session]
	if on == nil {
		return nil, wrong{fmt.Errorf("there is no session %d", r.Session)}
	}
	if r.Do == "close" {
		delete(s.sessions, r.Session)
		return nothing{}, on.Close()
	}
	on.tell = s.teller(r.ID)
	return do(ctx, call{on, r, out})
}

// closeAll gives back what the sessions hold.
func (s *server) closeAll() {
	for _, open := range s.sessions {
		_ = open.Close() // nobody is left to be told
	}
}

// hello agrees on the version of the protocol.
func (s *server) hello(r *request) (any, error) {
	var fields struct {
		Protocol int `json:"protocol"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	if fields.Protocol != Protocol {
		return nil, wrong{fmt.Errorf("this is protocol %d, and not %d", Protocol, fields.Protocol)}
	}
	return map[string]any{"protocol": Protocol, "version": s.version}, nil
}

// opening reads a program with its data. The networks in it that the other side computes are those of the next session.
func (s *server) opening(r *request) (*opening, error) {
	fields := &opening{external: func(network string) neural.External {
		return &external{server: s, session: s.opened + 1, network: network}
	}}
	return fields, r.into(fields)
}

// parseRules reads rules without data.
func (s *server) parseRules(r *request) (any, error) {
	fields, err := s.opening(r)
	if err != nil {
		return nil, err
	}
	p, _, err := fields.program(r)
	if err != nil {
		return nil, err
	}
	return map[string]string{"program": p.String()}, nil
}

// check says what grounding would cost.
func (s *server) check(ctx context.Context, r *request) (any, error) {
	fields, err := s.opening(r)
	if err != nil {
		return nil, err
	}
	p, data, err := fields.program(r)
	if err != nil {
		return nil, err
	}
	found, err := deeppsl.Check(ctx, p, data, fields.Options.settings())
	if err != nil {
		return nil, err
	}
	return summaryOf(found), nil
}

// opened is what the request open answers.
type opened struct {
	Session uint64 `json:"session"`
	Rules   []rule `json:"rules"`
}

// open makes a session.
func (s *server) open(ctx context.Context, r *request) (any, error) {
	fields, err := s.opening(r)
	if err != nil {
		return nil, err
	}
	p, data, err := fields.program(r)
	if err != nil {
		return nil, err
	}
	made := &session{tell: s.teller(r.ID)}
	settings := fields.Options.settings()
	settings.OnWarning = func(p deeppsl.Problem) { made.tell(warningOf(p)) }
	settings.OnEpoch = func(e deeppsl.Epoch) { made.tell(map[string]any{"epoch": epochOf(e)}) }
	if made.Session, err = deeppsl.NewSession(ctx, p, data, settings); err != nil {
		return nil, err
	}
	s.opened++
	s.sessions[s.opened] = made
	return opened{s.opened, each(made.Rules(), ruleOf)}, nil
}

// teller sends events about a request. One that cannot be written shows when the reply cannot be either.
func (s *server) teller(id uint64) func(any) {
	return func(event any) { _ = s.send(reply{ID: id, Event: event}, nil) }
}

// bounded are the fields of a request that may take only so long.
type bounded struct {
	Seconds float64 `json:"seconds"`
}

// within is the context of a request that bounds its time.
func (b bounded) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if !(b.Seconds > 0) || b.Seconds > math.MaxInt64/float64(time.Second)/2 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(b.Seconds*float64(time.Second)))
}

// infer answers with the values of all open atoms, in the order of the request atoms. A request that is cancelled, or
// whose time is over, has the best answer until then.
func infer(ctx context.Context, c call, fields bounded) (any, error) {
	ctx, cancel := fields.within(ctx)
	defer cancel()
	answer, err := c.Infer(ctx)
	if err != nil {
		return nil, err
	}
	c.last = answer
	c.answers++
	return answerOf(answer, c.answers, c.out.float64s(answer.Values())), nil
}

// answered returns the last answer.
func (s *session) answered() (*deeppsl.Answer, error) {
	if s.last == nil {
		return nil, wrong{errors.New("there is no answer yet: infer first")}
	}
	return s.last, nil
}

// atoms answers with the arguments of all open atoms, which are the same for every answer of a session: for each
// predicate a column of numbers per argument, and the strings once.
func atoms(_ context.Context, c call, _ nothing) (any, error) {
	answer, err := c.answered()
	if err != nil {
		return nil, err
	}
	return atomsOfAnswer(answer, c.out), nil
}

type valueOf struct {
	Answer uint64 `json:"answer"`
	Table  table  `json:"table"`
}

// value answers with the values of atoms, observed ones too, NaN for those that are not there.
func value(_ context.Context, c call, fields valueOf) (any, error) {
	answer, err := c.answered()
	if err != nil {
		return nil, err
	}
	if fields.Answer != 0 && fields.Answer != c.answers {
		return nil, wrong{fmt.Errorf("the last answer is %d, and not %d", c.answers, fields.Answer)}
	}
	asked, err := fields.Table.rows(c.request)
	if err != nil {
		return nil, err
	}
	values := make([]float64, 0, asked.count)
	for _, arguments := range asked.each() {
		v, ok := answer.Value(fields.Table.Predicate, arguments...)
		if !ok {
			v = math.NaN()
		}
		values = append(values, v)
	}
	return map[string]int{"values": c.out.float64s(values)}, nil
}

type slopeOf struct {
	Slope int `json:"slope"`
}

// gradient answers with the derivatives of a function of the last answer, from its own in each of the values.
func gradient(_ context.Context, c call, fields slopeOf) (any, error) {
	slope, err := c.request.array(fields.Slope, "f8")
	if err != nil {
		return nil, err
	}
	answer, err := c.answered()
	if err != nil {
		return nil, err
	}
	found, err := c.Gradient(answer, slope.float64s())
	if err != nil {
		return nil, err
	}
	return map[string]int{"values": c.out.float64s(found.Values), "weights": c.out.float64s(found.Weights)}, nil
}

// evaluate scores the last answer.
func evaluate(_ context.Context, c call, _ nothing) (any, error) {
	answer, err := c.answered()
	if err != nil {
		return nil, err
	}
	scored, err := c.Evaluate(answer)
	return map[string]any{"evaluations": each(scored, evaluationOf)}, err
}

// predict infers examples.
func predict(ctx context.Context, c call, _ nothing) (any, error) {
	found, err := c.Predict(ctx)
	return map[string]any{"predictions": each(found, predictionOf)}, err
}

// learn learns; epochs are events.
func learn(ctx context.Context, c call, fields bounded) (any, error) {
	ctx, cancel := fields.within(ctx)
	defer cancel()
	found, err := c.Learn(ctx)
	if err != nil {
		return nil, err
	}
	return trainingOf(found, c.session), nil
}

// rules answers with the rules and their present weights.
func rules(_ context.Context, c call, _ nothing) (any, error) {
	return map[string]any{"rules": each(c.Rules(), ruleOf)}, nil
}

// program answers with the rules as text, with their present weights.
func program(_ context.Context, c call, _ nothing) (any, error) {
	var text bytes.Buffer
	err := c.WriteRules(&text)
	return map[string]string{"program": text.String()}, err
}

type groundOf struct {
	Limit int `json:"limit"`
}

// ground answers with ground rules, one per line.
func ground(_ context.Context, c call, fields groundOf) (any, error) {
	var text bytes.Buffer
	err := c.WriteGround(&text, fields.Limit)
	return map[string]int{"text": c.out.bytes(text.Bytes())}, err
}

type setting struct {
	Table table `json:"table"`
}

// set changes the values of given atoms: of all of them, or on an error of those before it.
func set(_ context.Context, c call, fields setting) (any, error) {
	changed, err := fields.Table.rows(c.request)
	if err != nil {
		return nil, err
	}
	for row, arguments := range changed.each() {
		if err := c.SetValue(changed.value(row), fields.Table.Predicate, arguments...); err != nil {
			return nil, err
		}
	}
	return nothing{}, nil
}

type weighing struct {
	Rule   int     `json:"rule"`
	Weight float64 `json:"weight"`
}

// weight changes the weight of a rule.
func weight(_ context.Context, c call, fields weighing) (any, error) {
	return nothing{}, c.SetWeight(fields.Rule, fields.Weight)
}

type changing struct {
	Changes []change.Change `json:"changes"`
}

// apply makes changes, all or none.
func apply(ctx context.Context, c call, fields changing) (any, error) {
	return c.Apply(ctx, fields.Changes...)
}

// supposition is an answer with its atoms, which need not be those of the session.
type supposition struct {
	answer
	Atoms allAtoms `json:"atoms"`
}

// whatIf answers with what an inference would after changes, and makes none.
func whatIf(ctx context.Context, c call, fields changing) (any, error) {
	found, err := c.WhatIf(ctx, fields.Changes...)
	if err != nil {
		return nil, err
	}
	return supposition{answerOf(found, 0, c.out.float64s(found.Values())), atomsOfAnswer(found, c.out)}, nil
}

// save answers with the parameters of all networks.
func save(_ context.Context, c call, _ nothing) (any, error) {
	var parameters bytes.Buffer
	err := c.SaveNetworks(&parameters)
	return map[string]int{"parameters": c.out.bytes(parameters.Bytes())}, err
}

type loading struct {
	Parameters int `json:"parameters"`
}

// load takes what save answered.
func load(_ context.Context, c call, fields loading) (any, error) {
	parameters, err := c.request.array(fields.Parameters, "u1")
	if err != nil {
		return nil, err
	}
	return nothing{}, c.LoadNetworks(bytes.NewReader(parameters.data))
}
