package serve

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/sse"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/session"
)

// Handler answers requests: those of the interface below /v1/, whose description is at /openapi.json, and those for
// pages.
func (s *Service) Handler(version string) http.Handler {
	mux := http.NewServeMux()
	config := huma.DefaultConfig("deeppsl serve: "+s.model.Title, version)
	config.DocsPath, config.SchemasPath, config.CreateHooks, config.Transformers = "", "", nil, nil
	config.RejectUnknownQueryParameters = true
	api := humago.New(mux, config)
	s.readers(api)
	s.writers(api)
	s.watchers(api)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = s.writeMetrics(w) // the reader has gone if it fails
	})
	mux.HandleFunc("/", s.page)
	return s.bulk(mux)
}

// ready tells whether updates are taken.
func (s *Service) ready(w http.ResponseWriter, _ *http.Request) {
	select {
	case <-s.ended:
		http.Error(w, ErrEnding.Error(), http.StatusServiceUnavailable)
	default:
		_, _ = w.Write([]byte("ready\n"))
	}
}

// page serves the pages about the last version.
func (s *Service) page(w http.ResponseWriter, r *http.Request) {
	site, _, err := s.Pages(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	site.ServeHTTP(w, r)
}

// Body is what an answer is sent in.
type Body[T any] struct{ Body T }

// Rule is a rule of the last version.
type Rule struct {
	Number      int      `json:"number"`
	Rule        string   `json:"rule"`
	Weight      *float64 `json:"weight" nullable:"true" doc:"null of a hard rule"`
	Active      bool     `json:"active"`
	GroundRules int64    `json:"ground_rules"`
}

// listRules lists the writer's rules.
func (s *Service) listRules() []Rule {
	rules, ground, off := s.live.Rules()
	weights := s.live.Grounding().Weights()
	list := make([]Rule, len(rules))
	for k, r := range rules {
		list[k] = Rule{Number: k, Rule: r.Text, Active: !off[k], GroundRules: ground[k]}
		if !r.Weight.Hard {
			list[k].Weight = finite(weights[k])
		}
	}
	return list
}

// AtomValue is an atom with its value.
type AtomValue struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     float64  `json:"value"`
}

// Atoms is a part of a predicate's atoms.
type Atoms struct {
	Version int         `json:"version"`
	Atoms   []AtomValue `json:"atoms"`
	Next    *int        `json:"next" nullable:"true" doc:"the offset to go on with; null at the end"`
}

// atomsInput asks for atoms.
type atomsInput struct {
	Predicate string   `path:"predicate"`
	Argument  []string `query:"argument,explode" doc:"all arguments of one atom, observed or not"`
	Contains  string   `query:"contains" doc:"what an argument has in it"`
	Min       float64  `query:"min" default:"0" minimum:"0" maximum:"1"`
	Max       float64  `query:"max" default:"1" minimum:"0" maximum:"1"`
	Offset    int      `query:"offset" default:"0" minimum:"0"`
	Limit     int      `query:"limit" default:"100" minimum:"1" maximum:"10000"`
}

// fits tells whether an atom is asked for.
func (in *atomsInput) fits(a session.Atom) bool {
	return a.Value >= in.Min && a.Value <= in.Max && (in.Contains == "" ||
		slices.ContainsFunc(a.Arguments, func(text string) bool { return strings.Contains(text, in.Contains) }))
}

// readers registers what only reads the last version.
func (s *Service) readers(api huma.API) {
	huma.Register(api, huma.Operation{OperationID: "version", Method: http.MethodGet, Path: "/v1/version",
		Summary: "The last version"}, func(context.Context, *struct{}) (*Body[Event], error) {
		return &Body[Event]{*s.Current().event()}, nil
	})
	huma.Register(api, huma.Operation{OperationID: "rules", Method: http.MethodGet, Path: "/v1/rules",
		Summary: "The rules with their weights"}, func(context.Context, *struct{}) (*Body[[]Rule], error) {
		return &Body[[]Rule]{*s.rules.Load()}, nil
	})
	huma.Register(api, huma.Operation{OperationID: "atoms", Method: http.MethodGet, Path: "/v1/atoms/{predicate}",
		Summary:     "Atoms that are inferred, or one of any kind",
		Description: "Accept: application/x-ndjson gets all that fit, a line each, without offset and limit."},
		s.atoms)
	huma.Register(api, huma.Operation{OperationID: "explain", Method: http.MethodGet,
		Path: "/v1/atoms/{predicate}/explain", Summary: "Why an atom has its value",
		Description: "The first explanation after a change waits for the model to be ground anew."},
		s.explain)
}

// predicate checks a predicate's name.
func (s *Service) predicate(name string) error {
	if _, err := s.Current().grounding.Project.Predicate(name); err != nil {
		return huma.Error404NotFound(err.Error())
	}
	return nil
}

func (s *Service) atoms(_ context.Context, in *atomsInput) (*Body[Atoms], error) {
	s.counts.reads.Add(1)
	if err := s.predicate(in.Predicate); err != nil {
		return nil, err
	}
	v := s.Current()
	out := &Body[Atoms]{Atoms{Version: v.Number, Atoms: []AtomValue{}}}
	if len(in.Argument) > 0 {
		value, ok := v.grounding.Value(v.Answer, in.Predicate, in.Argument...)
		if !ok {
			return nil, huma.Error404NotFound("there is no such atom")
		}
		out.Body.Atoms = append(out.Body.Atoms, AtomValue{in.Predicate, in.Argument, value})
		return out, nil
	}
	place := 0
	for a := range v.grounding.Atoms(v.Answer, []string{in.Predicate}) {
		if !in.fits(a) {
			continue
		}
		if place++; place <= in.Offset {
			continue
		}
		if len(out.Body.Atoms) == in.Limit {
			next := in.Offset + in.Limit
			out.Body.Next = &next
			break
		}
		out.Body.Atoms = append(out.Body.Atoms, AtomValue(a))
	}
	return out, nil
}

// explainInput asks why an atom has its value.
type explainInput struct {
	Predicate string   `path:"predicate"`
	Argument  []string `query:"argument,explode" required:"true" doc:"all arguments of the atom"`
	Depth     int      `query:"depth" default:"0" minimum:"0" maximum:"3" doc:"go on with the atoms that push"`
	Changes   int      `query:"changes" default:"0" minimum:"0" maximum:"20" doc:"counterfactuals to try"`
}

// Explained is an explanation of an atom in a version.
type Explained struct {
	Version int `json:"version"`
	*explain.Explanation
}

func (s *Service) explain(ctx context.Context, in *explainInput) (*Body[Explained], error) {
	if err := s.predicate(in.Predicate); err != nil {
		return nil, err
	}
	site, number, err := s.Pages(ctx)
	if err != nil {
		return nil, huma.Error503ServiceUnavailable(err.Error())
	}
	found, err := site.Explain(ctx, explain.Options{Depth: in.Depth}, in.Changes, in.Predicate, in.Argument)
	if err != nil {
		return nil, huma.Error404NotFound(err.Error())
	}
	return &Body[Explained]{Explained{number, found}}, nil
}

// Change is one change, as requests have it.
type Change struct {
	Change    string   `json:"change" enum:"observe,remove,target,give,weight,deactivate,activate,rule"`
	Predicate string   `json:"predicate,omitempty"`
	Arguments []string `json:"arguments,omitempty"`
	Value     *float64 `json:"value,omitempty" doc:"of observe and give, from 0 to 1; of weight, the weight"`
	Rule      *int     `json:"rule,omitempty" doc:"the number of a rule"`
	Text      string   `json:"text,omitempty" doc:"of a new rule"`
}

// read returns a change with all that its kind needs.
func (c *Change) read() (change.Change, error) {
	kind := change.Kind(c.Change)
	var needs string
	switch kind {
	case change.ObserveAtom, change.GiveValue:
		if c.Value == nil || c.Predicate == "" {
			needs = "a predicate, its arguments and a value"
		}
	case change.RemoveAtom, change.TargetAtom:
		if c.Predicate == "" {
			needs = "a predicate and its arguments"
		}
	case change.RuleWeight:
		if c.Rule == nil || c.Value == nil {
			needs = "the number of a rule and a value"
		}
	case change.RuleOff, change.RuleOn:
		if c.Rule == nil {
			needs = "the number of a rule"
		}
	case change.RuleAdded:
		if c.Text == "" {
			needs = "the text of a rule"
		}
	}
	out := change.Change{Kind: kind, Predicate: c.Predicate, Arguments: c.Arguments, Text: c.Text}
	if needs != "" {
		return out, huma.Error422UnprocessableEntity("the change " + c.Change + " needs " + needs)
	}
	if c.Value != nil {
		out.Value = *c.Value
	}
	if c.Rule != nil {
		out.Rule = *c.Rule
	}
	return out, nil
}

// readChanges reads all changes of a request.
func readChanges(all []Change) ([]change.Change, error) {
	out := make([]change.Change, 0, len(all))
	for k := range all {
		c, err := all[k].read()
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// updatesInput is an update.
type updatesInput struct {
	Key  string `header:"Idempotency-Key" maxLength:"200" doc:"an update with the key of an earlier one is not made again"`
	Body struct {
		Changes []Change `json:"changes" minItems:"1" maxItems:"100000" doc:"made all, or none"`
	}
}

// WhatIf is what an answer would be.
type WhatIf struct {
	Version   int       `json:"version" doc:"the version that the changes would be made to"`
	Status    string    `json:"status"`
	Objective *float64  `json:"objective" nullable:"true"`
	Gap       *float64  `json:"gap" nullable:"true"`
	Atoms     []Changed `json:"atoms" doc:"those that were asked for, or else those that would change most"`
}

// Changed is an atom whose value would be another.
type Changed struct {
	Predicate string   `json:"predicate"`
	Arguments []string `json:"arguments"`
	Value     *float64 `json:"value" nullable:"true" doc:"what it would be; null if there were no such atom"`
	Now       *float64 `json:"now" nullable:"true"`
}

// whatIfInput asks what would be.
type whatIfInput struct {
	Body struct {
		Changes []Change `json:"changes" minItems:"1" maxItems:"100000"`
		Atoms   []struct {
			Predicate string   `json:"predicate"`
			Arguments []string `json:"arguments"`
		} `json:"atoms,omitempty" maxItems:"10000"`
	}
}

// writers registers what the writer is asked to do.
func (s *Service) writers(api huma.API) {
	huma.Register(api, huma.Operation{OperationID: "update", Method: http.MethodPost, Path: "/v1/updates",
		Summary: "Make changes, all or none", MaxBodyBytes: maxBody,
		Description: "The answer comes when they are flushed to the journal and inferred."}, s.postUpdates)
	huma.Register(api, huma.Operation{OperationID: "what-if", Method: http.MethodPost, Path: "/v1/what-if",
		Summary: "What the answer would be after changes, which are not made", MaxBodyBytes: maxBody}, s.postWhatIf)
	huma.Register(api, huma.Operation{OperationID: "infer", Method: http.MethodPost, Path: "/v1/infer",
		Summary: "Infer once more, for as long as it is given"}, s.postInfer)
	huma.Register(api, huma.Operation{OperationID: "set-weight", Method: http.MethodPut, Path: "/v1/rules/{n}/weight",
		Summary: "Set the weight of a rule"}, s.putWeight)
	huma.Register(api, huma.Operation{OperationID: "snapshot", Method: http.MethodPost, Path: "/v1/snapshot",
		Summary: "Shorten the journal"}, s.postSnapshot)
}

func (s *Service) postUpdates(ctx context.Context, in *updatesInput) (*Body[Updated], error) {
	changes, err := readChanges(in.Body.Changes)
	if err != nil {
		return nil, err
	}
	updated, err := s.Update(ctx, in.Key, changes)
	return &Body[Updated]{updated}, refusal(err)
}

func (s *Service) putWeight(ctx context.Context, in *struct {
	N    int `path:"n" minimum:"0"`
	Body struct {
		Weight float64 `json:"weight" minimum:"0"`
	}
}) (*Body[Updated], error) {
	updated, err := s.Update(ctx, "", []change.Change{change.Weight(in.N, in.Body.Weight)})
	return &Body[Updated]{updated}, refusal(err)
}

func (s *Service) postInfer(ctx context.Context, in *struct {
	Seconds float64 `query:"seconds" default:"10" minimum:"0" maximum:"100"`
}) (*Body[Event], error) {
	ctx, done := context.WithTimeout(ctx, time.Duration(in.Seconds*float64(time.Second)))
	defer done()
	if err := s.Infer(ctx); err != nil {
		return nil, refusal(err)
	}
	return &Body[Event]{*s.Current().event()}, nil
}

func (s *Service) postSnapshot(ctx context.Context, _ *struct{}) (*Body[Shortened], error) {
	before, after, err := s.Snapshot(ctx)
	return &Body[Shortened]{Shortened{before, after}}, refusal(err)
}

// Shortened says what a snapshot did.
type Shortened struct {
	Before int64 `json:"bytes_before"`
	After  int64 `json:"bytes_after"`
}

// shownChanges is how many atoms of a what-if are shown if none are asked for, and leastChange what is no change.
const shownChanges, leastChange = 100, 1e-4

func (s *Service) postWhatIf(ctx context.Context, in *whatIfInput) (*Body[WhatIf], error) {
	changes, err := readChanges(in.Body.Changes)
	if err != nil {
		return nil, err
	}
	out := &Body[WhatIf]{WhatIf{Atoms: []Changed{}}}
	err = s.WhatIf(ctx, changes, func(then, now *Version) {
		a := then.Answer
		out.Body.Version, out.Body.Status = now.Number, a.Status
		out.Body.Objective, out.Body.Gap = finite(a.Objective), finite(a.Gap)
		for _, atom := range in.Body.Atoms {
			out.Body.Atoms = append(out.Body.Atoms, Changed{atom.Predicate, atom.Arguments,
				then.value(atom.Predicate, atom.Arguments), now.value(atom.Predicate, atom.Arguments)})
		}
		if len(in.Body.Atoms) == 0 {
			out.Body.Atoms = differences(then, now)
		}
	})
	return out, refusal(err)
}

// value is an atom's in a version; nil if there is none.
func (v *Version) value(predicate string, arguments []string) *float64 {
	if value, ok := v.grounding.Value(v.Answer, predicate, arguments...); ok {
		return &value
	}
	return nil
}

// differences are the atoms of a version whose values would change most.
func differences(then, now *Version) []Changed {
	all := []Changed{}
	for a := range now.grounding.Atoms(now.Answer, nil) {
		value, is := then.value(a.Predicate, a.Arguments), a.Value
		if value == nil || math.Abs(*value-is) > leastChange {
			all = append(all, Changed{a.Predicate, a.Arguments, value, &is})
		}
	}
	by := func(c Changed) float64 {
		if c.Value == nil {
			return -2
		}
		return -math.Abs(*c.Value - *c.Now)
	}
	slices.SortStableFunc(all, func(a, b Changed) int {
		if by(a) < by(b) {
			return -1
		} else if by(a) > by(b) {
			return 1
		}
		return 0
	})
	return all[:min(len(all), shownChanges)]
}

// refusal is an error of the writer's as an answer.
func refusal(err error) error {
	var conflict *live.Conflict
	switch {
	case err == nil:
		return nil
	case errors.As(err, &conflict):
		return huma.Error409Conflict(err.Error())
	case errors.Is(err, ErrBusy):
		return huma.ErrorWithHeaders(huma.Error429TooManyRequests(err.Error()), http.Header{"Retry-After": {"1"}})
	case errors.Is(err, ErrEnding):
		return huma.Error503ServiceUnavailable(err.Error())
	case errors.Is(err, errNoJournal):
		return huma.Error409Conflict(err.Error())
	}
	return huma.Error422UnprocessableEntity(err.Error())
}

// watchers registers the stream of versions.
func (s *Service) watchers(api huma.API) {
	sse.Register(api, huma.Operation{OperationID: "events", Method: http.MethodGet, Path: "/v1/events",
		Summary: "The versions as they come, as server-sent events"}, map[string]any{"version": Event{}},
		func(ctx context.Context, _ *struct{}, send sse.Sender) {
			told, leave := s.events.subscribe()
			defer leave()
			if send.Data(*s.Current().event()) != nil {
				return
			}
			for {
				select {
				case event, more := <-told:
					if !more || send.Data(event) != nil {
						return
					}
				case <-ctx.Done():
					return
				}
			}
		})
}
