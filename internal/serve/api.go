package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/sse"

	"github.com/deeppsl/deeppsl/change"
	"github.com/deeppsl/deeppsl/internal/explain"
	"github.com/deeppsl/deeppsl/internal/inspect"
	"github.com/deeppsl/deeppsl/internal/live"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Handler answers requests: those of the interface below /v1/, whose description is at /openapi.json, and those for
// pages.
func (s *Service) Handler(version string) http.Handler {
	mux := http.NewServeMux()
	s.register(mux, version)
	return tagged(func() string { return s.Current().tag }, s.bulk(mux))
}

// register registers all that is answered.
func (s *Service) register(mux *http.ServeMux, version string) huma.API {
	config := huma.DefaultConfig("deeppsl serve: "+s.model.Title, version)
	config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", nil
	config.Transformers = []huma.Transformer{brief}
	config.RejectUnknownQueryParameters = true
	api := humago.New(mux, config)
	s.readers(api)
	s.writers(api)
	s.watchers(api)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if methods := allowed(mux, r); len(methods) > 0 {
			w.Header().Set("Allow", strings.Join(append(methods, http.MethodOptions), ", "))
			otherMethod(w, r)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/v1/") {
			refuse(w, http.StatusNotFound, "there is no such path; /openapi.json describes those that there are")
			return
		}
		s.page(w, r)
	})
	return api
}

// allowed returns the methods that the path of a request has handlers for; none if it is that of a page or of nothing.
func allowed(mux *http.ServeMux, r *http.Request) (methods []string) {
	asked := *r
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut} {
		asked.Method = method
		if _, pattern := mux.Handler(&asked); pattern != "/" {
			methods = append(methods, method)
		}
	}
	return methods
}

// otherMethod answers a request by a method that its path has no handler for.
func otherMethod(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	refuse(w, http.StatusMethodNotAllowed, "this path takes "+w.Header().Get("Allow"))
}

// What an answer says of what is wrong with a request, at most: so many things, and so many bytes of each.
const shownErrors, shownError = 20, 500

// brief shortens an answer that says what is wrong: it need not be longer than the request.
func brief(_ huma.Context, _ string, answer any) (any, error) {
	m, wrong := answer.(*huma.ErrorModel)
	if !wrong {
		return answer, nil
	}
	if more := len(m.Errors) - shownErrors; more > 0 {
		m.Errors = append(m.Errors[:shownErrors:shownErrors], &huma.ErrorDetail{Message: fmt.Sprint("and ", more, " more")})
	}
	for _, e := range m.Errors {
		e.Message, e.Location = beginning(e.Message), beginning(e.Location)
		if text, err := json.Marshal(e.Value); err != nil || len(text) > shownError {
			e.Value = nil
		}
	}
	return m, nil
}

// beginning is that of a text that is too long.
func beginning(text string) string {
	if len(text) > shownError {
		return strings.ToValidUTF8(text[:shownError], "") + "…"
	}
	return text
}

// ready tells whether updates are taken, and made as fast as they can be.
func (s *Service) ready(w http.ResponseWriter, _ *http.Request) {
	select {
	case <-s.ended:
		http.Error(w, ErrEnding.Error(), http.StatusServiceUnavailable)
	default:
		if !s.warm.Load() {
			http.Error(w, "indexes are being made; updates may wait for these", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ready\n"))
	}
}

// metrics tells what the service has done, for Prometheus.
func (s *Service) metrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	v := s.Current()
	_ = s.counts.writeMetrics(w, // the reader has gone if it fails
		gauge{"version", "The number of the last version.", float64(v.Number)},
		gauge{"objective", "The objective of the last version.", v.Answer.Objective},
		gauge{"gap", "The proven gap of the last version.", v.Answer.Gap},
		gauge{"updates_waiting", "Updates that wait.", float64(len(s.waiting))})
}

// page serves the pages about the last version. They are made by the writer, but for those that explain an atom, and
// sent when it is at something else.
func (s *Service) page(w http.ResponseWriter, r *http.Request) {
	if inspect.Static(w, r) {
		return
	}
	made := &page{header: w.Header(), status: http.StatusOK}
	look := s.Look
	if r.URL.Path == "/atom" {
		look = s.Beside
	}
	err := look(r.Context(), func(site *inspect.Site, _ *Version) error {
		site.ServeHTTP(made, r)
		return nil
	})
	switch {
	case errors.Is(err, ErrBusy):
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error(), http.StatusTooManyRequests)
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		w.WriteHeader(made.status)
		_, _ = w.Write(made.body.Bytes()) // the reader has gone if it fails
	}
}

// page is one that waits to be sent.
type page struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (p *page) Header() http.Header            { return p.header }
func (p *page) WriteHeader(status int)         { p.status = status }
func (p *page) Write(text []byte) (int, error) { return p.body.Write(text) }

// tagged answers requests for what a version alone decides with the version's tag, and such that have it already with
// that alone: nobody makes an explanation twice for who keeps it. The tag is weak, since what is accepted decides too.
func tagged(tag func() string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		decided := path == "/v1/version" || path == "/v1/rules" || strings.HasPrefix(path, "/v1/atoms/")
		if !decided || r.Method != http.MethodGet && r.Method != http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		t := &tagging{ResponseWriter: w, tag: tag()} // before it is read: a later one would hide a change
		known := r.Header.Values("If-None-Match")
		if slices.Contains(strings.Split(strings.ReplaceAll(strings.Join(known, ","), " ", ""), ","), t.tag) {
			t.WriteHeader(http.StatusNotModified)
			return
		}
		next.ServeHTTP(t, r)
	})
}

// tagging gives an answer its tag, if it is one.
type tagging struct {
	http.ResponseWriter
	tag   string
	begun bool
}

func (t *tagging) WriteHeader(status int) {
	if t.begun = true; status == http.StatusOK || status == http.StatusNotModified {
		t.Header().Set("ETag", t.tag)
		t.Header().Set("Vary", "Accept")
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *tagging) Write(text []byte) (int, error) {
	if !t.begun {
		t.WriteHeader(http.StatusOK)
	}
	return t.ResponseWriter.Write(text)
}

// Body is what an answer is sent in.
type Body[T any] struct{ Body T }

// plain registers what has no parameters. The description has the answer's type, and the handler any: the library's
// registration, which is large, is compiled once for all of these.
func plain[T any](api huma.API, o huma.Operation, answer func(context.Context) (T, error)) {
	schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, o.OperationID+"Response")
	content := map[string]*huma.MediaType{"application/json": {Schema: schema}}
	o.Responses = map[string]*huma.Response{strconv.Itoa(http.StatusOK): {Content: content}}
	huma.Register(api, o, func(ctx context.Context, _ *struct{}) (*Body[any], error) {
		found, err := answer(ctx)
		return &Body[any]{found}, err
	})
}

// readers registers what only reads the last version.
func (s *Service) readers(api huma.API) {
	plain(api, huma.Operation{OperationID: "version", Method: http.MethodGet, Path: "/v1/version",
		Summary: "The last version"}, func(context.Context) (Event, error) { return *s.Current().Event(), nil })
	plain(api, huma.Operation{OperationID: "predicates", Method: http.MethodGet, Path: "/v1/predicates",
		Summary: "The predicates, and how many atoms they have"},
		func(context.Context) ([]session.PredicateSize, error) { return s.Predicates(), nil })
	plain(api, huma.Operation{OperationID: "rules", Method: http.MethodGet, Path: "/v1/rules",
		Summary: "The rules with their weights"}, func(context.Context) ([]Rule, error) { return s.Rules(), nil })
	huma.Register(api, huma.Operation{OperationID: "atoms", Method: http.MethodGet, Path: "/v1/atoms/{predicate}",
		Summary: "Atoms that are inferred, or one of any kind",
		Description: "Accept: application/x-ndjson gets all that fit, or as many as limit says, a line each; " +
			"application/vnd.apache.parquet the same as a file of columns."},
		s.getAtoms)
	huma.Register(api, huma.Operation{OperationID: "explain", Method: http.MethodGet,
		Path: "/v1/atoms/{predicate}/explain", Summary: "Why an atom has its value",
		Description: "It is made beside changes, one after the other."},
		s.getExplanation)
}

func (s *Service) getAtoms(_ context.Context, q *Query) (*Body[Atoms], error) {
	found, err := s.Atoms(q)
	return &Body[Atoms]{found}, refusal(err)
}

func (s *Service) getExplanation(ctx context.Context, in *struct {
	Predicate string   `path:"predicate"`
	Argument  []string `query:"argument,explode" required:"true" doc:"all arguments of the atom"`
	Depth     int      `query:"depth" default:"0" minimum:"0" maximum:"3" doc:"go on with the atoms that push"`
	Changes   int      `query:"changes" default:"0" minimum:"0" maximum:"20" doc:"counterfactuals to try"`
}) (*Body[Explained], error) {
	found, err := s.Explain(ctx, explain.Options{Depth: in.Depth}, in.Changes, in.Predicate, in.Argument)
	return &Body[Explained]{found}, refusal(err)
}

// Change is one change, as requests have it.
type Change struct {
	Change    string   `json:"change" enum:"observe,remove,target,give,weight,deactivate,activate,rule,features"`
	Predicate string   `json:"predicate,omitempty"`
	Arguments []string `json:"arguments,omitempty"`
	Value     *float64 `json:"value,omitempty" doc:"of observe and give, from 0 to 1; of weight, the weight"`
	Rule      *int     `json:"rule,omitempty" doc:"the number of a rule"`
	Text      string   `json:"text,omitempty" doc:"of a new rule"`

	Network string    `json:"network,omitempty" doc:"of features, the network that reads them"`
	Row     string    `json:"row,omitempty" doc:"and the entity that has them"`
	Columns []int32   `json:"columns,omitempty" doc:"which values there are, from 0 and ascending; without it, all"`
	Values  []float64 `json:"values,omitempty"`
}

// form is what a change of a kind has: what it needs, in words and as members, and what else it may have.
type form struct{ words, needs, may string }

var forms = map[change.Kind]form{
	change.ObserveAtom: {"a predicate, its arguments and a value", "predicate value", "arguments"},
	change.GiveValue:   {"a predicate, its arguments and a value", "predicate value", "arguments"},
	change.RemoveAtom:  {"a predicate and its arguments", "predicate", "arguments"},
	change.TargetAtom:  {"a predicate and its arguments", "predicate", "arguments"},
	change.RuleWeight:  {"the number of a rule and a value", "rule value", ""},
	change.RuleOff:     {"the number of a rule", "rule", ""},
	change.RuleOn:      {"the number of a rule", "rule", ""},
	change.RuleAdded:   {"the text of a rule", "text", ""},
	change.FeatureRow:  {"a network, a row and values", "network row values", "columns"},
}

// read returns a change with all that its kind needs. What another kind would need means nothing, and is refused.
func (c *Change) read() (change.Change, error) {
	kind := change.Kind(c.Change)
	form := forms[kind]
	needs, may := strings.Fields(form.needs), form.may
	for _, member := range []struct {
		name  string
		given bool
	}{
		{"predicate", c.Predicate != ""}, {"arguments", c.Arguments != nil}, {"value", c.Value != nil},
		{"rule", c.Rule != nil}, {"text", c.Text != ""}, {"network", c.Network != ""}, {"row", c.Row != ""},
		{"columns", c.Columns != nil}, {"values", c.Values != nil},
	} {
		switch needed := slices.Contains(needs, member.name); {
		case needed && !member.given:
			return change.Change{}, fmt.Errorf("the change %s needs %s", kind, form.words)
		case member.given && !needed && member.name != may:
			return change.Change{}, fmt.Errorf("the change %s takes no %s", kind, member.name)
		}
	}
	out := change.Change{Kind: kind, Predicate: c.Predicate, Arguments: c.Arguments, Text: c.Text, Network: c.Network,
		Row: c.Row, Columns: c.Columns, Values: c.Values}
	if c.Value != nil {
		out.Value = *c.Value
	}
	if c.Rule != nil {
		out.Rule = *c.Rule
	}
	return out, nil
}

// ReadChanges reads all changes of a request.
func ReadChanges(all []Change) ([]change.Change, error) {
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
		Changes []Change `json:"changes" nullable:"false" minItems:"1" maxItems:"100000" doc:"made all, or none"`
	}
}

// whatIfInput asks what would be.
type whatIfInput struct {
	Body struct {
		Changes []Change   `json:"changes" nullable:"false" minItems:"1" maxItems:"100000"`
		Atoms   []AtomName `json:"atoms,omitempty" maxItems:"10000"`
	}
}

// come says that bodies have come already: see whole. The library would set a time for reading them, at whose end the
// connection is taken for one that its client has left.
const come = -1

// writers registers what the writer is asked to do.
func (s *Service) writers(api huma.API) {
	huma.Register(api, huma.Operation{OperationID: "update", Method: http.MethodPost, Path: "/v1/updates",
		Summary: "Make changes, all or none", MaxBodyBytes: maxBody, BodyReadTimeout: come,
		Description: "The answer comes when they are flushed to the journal and inferred."}, s.postUpdates)
	huma.Register(api, huma.Operation{OperationID: "what-if", Method: http.MethodPost, Path: "/v1/what-if",
		Summary: "What the answer would be after changes, which are not made", MaxBodyBytes: maxBody,
		BodyReadTimeout: come}, s.postWhatIf)
	huma.Register(api, huma.Operation{OperationID: "infer", Method: http.MethodPost, Path: "/v1/infer",
		Summary: "Infer once more, for as long as it is given", Middlewares: huma.Middlewares{bodiless(api)}}, s.postInfer)
	huma.Register(api, huma.Operation{OperationID: "set-weight", Method: http.MethodPut, Path: "/v1/rules/{n}/weight",
		Summary: "Set the weight of a rule", BodyReadTimeout: come}, s.putWeight)
	plain(api, huma.Operation{OperationID: "snapshot", Method: http.MethodPost, Path: "/v1/snapshot",
		Summary: "Shorten the journal", Middlewares: huma.Middlewares{bodiless(api)}}, s.postSnapshot)
}

// bodiless refuses bodies that say something, where nothing is read from them.
func bodiless(api huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		text, err := io.ReadAll(ctx.BodyReader())
		if said := strings.Join(strings.Fields(string(text)), ""); err != nil || said != "" && said != "{}" {
			_ = huma.WriteErr(api, ctx, http.StatusUnprocessableEntity, // the client may have gone
				"this takes no body; its parameters, if it has any, stand in the address, as in ?seconds=5")
			return
		}
		next(ctx)
	}
}

func (s *Service) postUpdates(ctx context.Context, in *updatesInput) (*Body[Updated], error) {
	changes, err := ReadChanges(in.Body.Changes)
	if err != nil {
		return nil, refusal(err)
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
	return &Body[Event]{*s.Current().Event()}, nil
}

func (s *Service) postSnapshot(ctx context.Context) (Shortened, error) {
	before, after, err := s.Snapshot(ctx)
	return Shortened{before, after}, refusal(err)
}

// Shortened says what a snapshot did.
type Shortened struct {
	Before int64 `json:"bytes_before"`
	After  int64 `json:"bytes_after"`
}

// shownChanges is how many atoms of a what-if are shown if none are asked for.
const shownChanges = 100

func (s *Service) postWhatIf(ctx context.Context, in *whatIfInput) (*Body[WhatIf], error) {
	changes, err := ReadChanges(in.Body.Changes)
	if err != nil {
		return nil, refusal(err)
	}
	out, err := s.Suppose(ctx, changes, in.Body.Atoms, shownChanges)
	return &Body[WhatIf]{out}, refusal(err)
}

// refusal is an error of the writer's as an answer.
func refusal(err error) error {
	switch {
	case err == nil:
		return nil
	case conflicts(err):
		return huma.Error409Conflict(err.Error())
	case errors.Is(err, ErrBusy):
		return huma.ErrorWithHeaders(huma.Error429TooManyRequests(err.Error()), http.Header{"Retry-After": {"1"}})
	case errors.Is(err, ErrMissing):
		return huma.Error404NotFound(err.Error())
	case errors.Is(err, ErrEnding), errors.Is(err, live.ErrNoState), errors.Is(err, context.Canceled),
		errors.Is(err, context.DeadlineExceeded):
		return huma.Error503ServiceUnavailable(err.Error())
	case errors.Is(err, errNoJournal):
		return huma.Error409Conflict(err.Error())
	}
	return huma.Error422UnprocessableEntity(err.Error())
}

// conflicts tells whether an error is that of changes which hard rules do not allow, with atoms that could move or
// without any.
func conflicts(err error) bool {
	var conflict *live.Conflict
	var failure *source.Failure
	return errors.As(err, &conflict) || errors.As(err, &failure) &&
		slices.ContainsFunc(failure.Diagnostics, func(d source.Diagnostic) bool { return d.ID == "violated-by-observations" })
}

// watchers registers the stream of versions.
func (s *Service) watchers(api huma.API) {
	sse.Register(api, huma.Operation{OperationID: "events", Method: http.MethodGet, Path: "/v1/events",
		Summary: "The versions as they come, as server-sent events"}, map[string]any{"version": Event{}},
		func(ctx context.Context, _ *struct{}, send sse.Sender) {
			told, leave := s.events.subscribe()
			defer leave()
			if send.Data(*s.Current().Event()) != nil {
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
