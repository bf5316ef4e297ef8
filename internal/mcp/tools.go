package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/deeppsl/deeppsl/internal/serve"
	"github.com/deeppsl/deeppsl/internal/source"
)

// instructions tell agents what the tools are for.
const instructions = "A model of weighted logical rules over facts, whose atoms have truth values from 0 to 1. All " +
	"values are those of the most probable state, found by convex optimisation and proven: \"gap\" bounds how far the " +
	"objective is from the optimum, and \"status\" is \"optimal\" if that is as close as was asked for. Begin with " +
	"check, which names predicates and rules."

// Tools are what agents can do with a model.
type Tools struct {
	service  *serve.Service
	messages []source.Plain
	all      []*tool
}

// tool is one of them.
type tool struct {
	name, description string
	changes           bool // whether the model is another one afterwards
	input             *schema
	call              func(ctx context.Context, arguments json.RawMessage) (any, error)
}

// New makes the tools of a model that a service changes, and about which there are messages. Unless changes are
// allowed, they only read.
func New(service *serve.Service, messages []source.Plain, changes bool) *Tools {
	t := &Tools{service: service, messages: messages}
	t.all = []*tool{
		define("check", `What the model is: its predicates with their arguments, its rules, what is suspicious about it, `+
			`and how well its answer is proven.`, t.check),
		define("query", `Atoms of a predicate that are inferred, with their truth values in the most probable state, the `+
			`largest first; or one atom, observed or not, by all its arguments. Observed atoms are not listed.`, t.query),
		define("explain", `Why an atom that is inferred has its value: what the value is the sum of, and which ground `+
			`rules push it up and down; with "changes", what it would be if facts were others.`, t.explain),
		define("what_if", `What the most probable state would be after changes of facts, targets, weights and rules. `+
			`Nothing is changed.`, t.whatIf),
	}
	if changes {
		for _, made := range []*tool{
			define("assert", `Make facts known, with a truth value each, and atoms ones to be inferred ("targets"). `+
				`All or none; the answer comes when it is kept and inferred.`, t.assert),
			define("retract", `Take atoms away, or, with "infer", make facts atoms to be inferred. All or none.`, t.retract),
		} {
			made.changes = true
			t.all = append(t.all, made)
		}
	}
	return t
}

// define makes a tool of a function.
func define[In any](name, description string, call func(context.Context, *In) (any, error)) *tool {
	input := newSchema(reflect.TypeFor[In]())
	return &tool{name: name, description: description, input: input,
		call: func(ctx context.Context, arguments json.RawMessage) (any, error) {
			in := new(In)
			if err := input.read(arguments, in); err != nil {
				return nil, err
			}
			return call(ctx, in)
		}}
}

// list describes the tools.
func (t *Tools) list() []map[string]any {
	all := make([]map[string]any, len(t.all))
	for k, tool := range t.all {
		all[k] = map[string]any{"name": tool.name, "description": tool.description, "inputSchema": tool.input,
			"annotations": map[string]bool{"readOnlyHint": !tool.changes, "destructiveHint": tool.changes,
				"idempotentHint": true, "openWorldHint": false}}
	}
	return all
}

// content is a part of what a tool answers.
type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// called is what a tool answers, or why it cannot.
type called struct {
	Content    []content `json:"content"`
	Structured any       `json:"structuredContent,omitempty"` // what the text is
	Failed     bool      `json:"isError"`
}

// call calls a tool by name. What it cannot do is told to the agent, which may do better.
func (t *Tools) call(ctx context.Context, params json.RawMessage) (any, error) {
	var request struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &request); err != nil {
		return nil, err
	}
	for _, tool := range t.all {
		if tool.name != request.Name {
			continue
		}
		result, err := tool.call(ctx, request.Arguments)
		if err != nil {
			return called{Content: []content{{"text", err.Error()}}, Failed: true}, nil
		}
		text, err := marshal(result)
		return called{Content: []content{{"text", string(text)}}, Structured: json.RawMessage(text)}, err
	}
	if request.Name == "assert" || request.Name == "retract" {
		return nil, errors.New("this model is only read: deeppsl mcp was started without --allow-changes")
	}
	return nil, fmt.Errorf("there is no tool %q", request.Name)
}

// changes tells whether a call is of a tool that changes the model.
func (t *Tools) changes(params json.RawMessage) bool {
	var request struct {
		Name string `json:"name"`
	}
	return json.Unmarshal(params, &request) == nil &&
		slices.ContainsFunc(t.all, func(tool *tool) bool { return tool.changes && tool.name == request.Name })
}

// schema says what a tool takes, and checks that.
type schema struct {
	registry huma.Registry
	top      *huma.Schema
}

func newSchema(t reflect.Type) *schema {
	registry := huma.NewMapRegistry("#/$defs/", huma.DefaultSchemaNamer)
	return &schema{registry, huma.SchemaFromType(registry, t)}
}

// MarshalJSON writes the schema with all that it refers to.
func (s *schema) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(s.top)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if parts := s.registry.Map(); len(parts) > 0 {
		all["$defs"] = parts
	}
	return json.Marshal(all)
}

// read reads arguments that the schema allows, with its defaults, into a value of its type.
func (s *schema) read(arguments json.RawMessage, into any) error {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	var plain any
	if err := json.Unmarshal(arguments, &plain); err != nil {
		return err
	}
	var found huma.ValidateResult
	huma.Validate(s.registry, s.top, huma.NewPathBuffer(make([]byte, 0, 128), 0), huma.ModeWriteToServer, plain, &found)
	if len(found.Errors) > 0 {
		return wrong(found.Errors)
	}
	return json.Unmarshal(arguments, into)
}

// The bounds of what an agent is told about wrong arguments: so many things, of so many bytes each.
const shownErrors, shownError = 8, 300

// wrong says what is wrong with arguments, and where, without repeating them.
func wrong(all []error) error {
	var texts []string
	for _, err := range all[:min(len(all), shownErrors)] {
		text := err.Error()
		if detail, ok := err.(huma.ErrorDetailer); ok {
			text = detail.ErrorDetail().Message
			if at := detail.ErrorDetail().Location; at != "" {
				text = at + ": " + text
			}
		}
		texts = append(texts, strings.ToValidUTF8(text[:min(len(text), shownError)], ""))
	}
	if more := len(all) - shownErrors; more > 0 {
		texts = append(texts, fmt.Sprint("and ", more, " more"))
	}
	return errors.New(strings.Join(texts, "; "))
}
