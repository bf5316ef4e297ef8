package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/deeppsl/deeppsl"
)

// session is a session with its last answer.
type session struct {
	*deeppsl.Session
	last    *deeppsl.Answer
	answers uint64 // counts answers, and numbers the last one
	// tell is where warnings and epochs go: to the request that is answered.
	tell func(event any)
}

// about are the requests about a session.
var about = map[string]func(context.Context, *session, *request, *builder) (any, error){
	"infer": infer, "atoms": atoms, "value": value, "evaluate": evaluate, "predict": predict, "learn": learn,
	"rules": rules, "program": program, "ground": ground, "set": set, "weight": weight, "save": save, "load": load,
	"gradient": gradient,
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
		return parseRules(r)
	case "check":
		return check(ctx, r)
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
		return struct{}{}, on.Close()
	}
	on.tell = s.teller(r.ID)
	return do(ctx, on, r, out)
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

// parseRules reads rules without data.
func parseRules(r *request) (any, error) {
	var fields opening
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	p, _, err := fields.program(r)
	if err != nil {
		return nil, err
	}
	return map[string]string{"program": p.String()}, nil
}

// check says what grounding would cost.
func check(ctx context.Context, r *request) (any, error) {
	var fields opening
	if err := r.into(&fields); err != nil {
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
	var fields opening
	if err := r.into(&fields); err != nil {
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
	return opened{s.opened, rulesOf(made)}, nil
}

// teller sends events about a request. One that cannot be written shows when the reply cannot be either.
func (s *server) teller(id uint64) func(any) {
	return func(event any) { _ = s.send(reply{ID: id, Event: event}, nil) }
}

// within is the context of a request that bounds its time.
func within(ctx context.Context, seconds float64) (context.Context, context.CancelFunc) {
	if !(seconds > 0) || seconds > math.MaxInt64/float64(time.Second)/2 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
}

// infer answers with the values of all open atoms, in the order of the request atoms. A request that is cancelled, or
// whose time is over, has the best answer until then.
func infer(ctx context.Context, s *session, r *request, out *builder) (any, error) {
	var fields struct {
		Seconds float64 `json:"seconds"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, fields.Seconds)
	defer cancel()
	answer, err := s.Infer(ctx)
	if err != nil {
		return nil, err
	}
	s.last = answer
	s.answers++
	return answerOf(answer, s.answers, out.float64s(answer.Values())), nil
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
func atoms(_ context.Context, s *session, r *request, out *builder) (any, error) {
	if err := r.into(&struct{}{}); err != nil {
		return nil, err
	}
	answer, err := s.answered()
	if err != nil {
		return nil, err
	}
	var all factorised
	for atom := range answer.Atoms() {
		all.add(atom)
	}
	return all.write(out), nil
}

// value answers with the values of atoms, observed ones too, NaN for those that are not there.
func value(_ context.Context, s *session, r *request, out *builder) (any, error) {
	var fields struct {
		Answer uint64 `json:"answer"`
		Table  table  `json:"table"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	answer, err := s.answered()
	if err != nil {
		return nil, err
	}
	if fields.Answer != 0 && fields.Answer != s.answers {
		return nil, wrong{fmt.Errorf("the last answer is %d, and not %d", s.answers, fields.Answer)}
	}
	asked, err := fields.Table.rows(r)
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
	return map[string]int{"values": out.float64s(values)}, nil
}

// gradient answers with the derivatives of a function of the last answer, from its own in each of the values.
func gradient(_ context.Context, s *session, r *request, out *builder) (any, error) {
	var fields struct {
		Slope int `json:"slope"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	slope, err := r.array(fields.Slope, "f8")
	if err != nil {
		return nil, err
	}
	found, err := s.Gradient(slope.float64s())
	if err != nil {
		return nil, err
	}
	return map[string]int{"values": out.float64s(found.Values), "weights": out.float64s(found.Weights)}, nil
}

// evaluate scores the last answer.
func evaluate(_ context.Context, s *session, r *request, _ *builder) (any, error) {
	if err := r.into(&struct{}{}); err != nil {
		return nil, err
	}
	answer, err := s.answered()
	if err != nil {
		return nil, err
	}
	scored, err := s.Evaluate(answer)
	return map[string]any{"evaluations": evaluationsOf(scored)}, err
}

// predict infers examples.
func predict(ctx context.Context, s *session, r *request, _ *builder) (any, error) {
	if err := r.into(&struct{}{}); err != nil {
		return nil, err
	}
	found, err := s.Predict(ctx)
	return map[string]any{"predictions": predictionsOf(found)}, err
}

// learn learns; epochs are events.
func learn(ctx context.Context, s *session, r *request, _ *builder) (any, error) {
	var fields struct {
		Seconds float64 `json:"seconds"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	ctx, cancel := within(ctx, fields.Seconds)
	defer cancel()
	found, err := s.Learn(ctx)
	if err != nil {
		return nil, err
	}
	return trainingOf(found, s), nil
}

// rules answers with the rules and their present weights.
func rules(_ context.Context, s *session, r *request, _ *builder) (any, error) {
	return map[string]any{"rules": rulesOf(s)}, r.into(&struct{}{})
}

// program answers with the rules as text, with their present weights.
func program(_ context.Context, s *session, r *request, _ *builder) (any, error) {
	if err := r.into(&struct{}{}); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err := s.WriteRules(&text)
	return map[string]string{"program": text.String()}, err
}

// ground answers with ground rules, one per line.
func ground(_ context.Context, s *session, r *request, out *builder) (any, error) {
	var fields struct {
		Limit int `json:"limit"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err := s.WriteGround(&text, fields.Limit)
	return map[string]int{"text": out.bytes(text.Bytes())}, err
}

// set changes the values of given atoms: of all of them, or on an error of those before it.
func set(_ context.Context, s *session, r *request, _ *builder) (any, error) {
	var fields struct {
		Table table `json:"table"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	changed, err := fields.Table.rows(r)
	if err != nil {
		return nil, err
	}
	for row, arguments := range changed.each() {
		if err := s.SetValue(changed.value(row), fields.Table.Predicate, arguments...); err != nil {
			return nil, err
		}
	}
	return struct{}{}, nil
}

// weight changes the weight of a rule.
func weight(_ context.Context, s *session, r *request, _ *builder) (any, error) {
	var fields struct {
		Rule   int     `json:"rule"`
		Weight float64 `json:"weight"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	return struct{}{}, s.SetWeight(fields.Rule, fields.Weight)
}

// save answers with the parameters of all networks.
func save(_ context.Context, s *session, r *request, out *builder) (any, error) {
	if err := r.into(&struct{}{}); err != nil {
		return nil, err
	}
	var parameters bytes.Buffer
	err := s.SaveNetworks(&parameters)
	return map[string]int{"parameters": out.bytes(parameters.Bytes())}, err
}

// load takes what save answered.
func load(_ context.Context, s *session, r *request, _ *builder) (any, error) {
	var fields struct {
		Parameters int `json:"parameters"`
	}
	if err := r.into(&fields); err != nil {
		return nil, err
	}
	parameters, err := r.array(fields.Parameters, "u1")
	if err != nil {
		return nil, err
	}
	return struct{}{}, s.LoadNetworks(bytes.NewReader(parameters.data))
}
