package project

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
	"github.com/deeppsl/deeppsl/neural"
)

// ModelSettings are those that change the ground model of a phase.
type ModelSettings struct {
	// discardMissing drops ground rules about atoms that no table has, instead of refusing them.
	discardMissing bool
	// discardViolated drops hard ground rules that no values of the targets satisfy.
	discardViolated bool
	// clearRules leaves only the phase's own rules, relax makes the hard ones weighted: see Project.rules.
	ClearRules, relax, relaxSquared bool
	// greedy reads coefficients as Java PSL's grammar does.
	greedy          bool
	relaxMultiplier float64
}

// Options returns the settings of grounding.
func (m *ModelSettings) Options() ground.Options {
	return ground.Options{DiscardMissing: m.discardMissing, DiscardViolated: m.discardViolated}
}

// Outputs are the files that a project's options ask for; "" if they ask for none. Whoever calls Run writes them.
type Outputs struct {
	// Atoms is a folder, Format one of session.Extensions.
	Atoms, Format string
	// GroundRules and Model are files; "-" is the standard output.
	GroundRules, Model string
	// Hidden says that no atoms are wanted anywhere, Quiet that the level of logging leaves out notes about progress.
	Hidden, Quiet bool
}

// Outputs returns the files that the options of inference, and for the model those of learning, ask for.
func (p *Project) Outputs() Outputs {
	out := p.Phases[load.Infer].Outputs
	if out.Model == "" {
		out.Model = p.Learning.Outputs.Model
	}
	out.Quiet = p.Phases[load.Infer].Level > slog.LevelInfo
	return out
}

// Inputs lists the files that the project is read from: the configuration, rules, tables and features. The checkpoints
// of networks are not among them, as a run may well replace the one that it began with.
func (p *Project) Inputs() []string {
	paths := p.Config.Files()
	for _, network := range p.Config.Networks {
		var spec neural.Spec
		if json.Unmarshal(network.JSON, &spec) == nil && spec.Features != "" && p.Features[spec.Features] == nil {
			paths = append(paths, p.FeaturePaths(&spec)...)
		}
	}
	return paths
}

// inferenceClasses are PSL's classes of inference, in lower case. All of them look for the same answer, and stop at
// different distances from it; here the method that proves its answer takes the place of each.
const inferenceClasses = `admminference dualbcdinference distributeddualbcdinference gradientdescentinference
	sgdinference sgdstreaminginference gurobiinference mpeinference lazympeinference`

// parseInference returns the method of inference called name: one of this program, or the one for a class of PSL's,
// with or without its package.
func parseInference(name string) (string, error) {
	var names []string
	for _, row := range auto.Methods() {
		if names = append(names, row.Name); row.Name == name {
			return name, nil
		}
	}
	class := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for known := range strings.FieldsSeq(inferenceClasses) {
		if class == known {
			return "auto", nil
		}
	}
	return "", fmt.Errorf("want one of %s, or a class of PSL's such as ADMMInference", strings.Join(names, ", "))
}

// parseUpdate reads PSL's names for the ways in which weights follow their gradient.
func parseUpdate(name string) (learn.Update, error) {
	ours, ok := map[string]string{
		"MIRROR_DESCENT": "mirror", "PROJECTED_GRADIENT": "projected", "GRADIENT_DESCENT": "optimiser",
	}[strings.ToUpper(name)]
	if !ok {
		return 0, fmt.Errorf("want MIRROR_DESCENT, PROJECTED_GRADIENT or GRADIENT_DESCENT")
	}
	return learn.ParseUpdate(ours)
}

// levelOff is above all levels that anything is logged at.
const levelOff = slog.Level(100)

// parseLevel reads the names that PSL gives to levels of logging.
func parseLevel(name string) (slog.Level, error) {
	level, ok := map[string]slog.Level{
		"TRACE": slog.LevelDebug, "ALL": slog.LevelDebug, "DEBUG": slog.LevelDebug, "INFO": slog.LevelInfo,
		"WARN": slog.LevelWarn, "ERROR": slog.LevelError, "FATAL": slog.LevelError, "OFF": levelOff,
	}[strings.ToUpper(name)]
	if !ok {
		return 0, fmt.Errorf("want one of OFF, FATAL, ERROR, WARN, INFO, DEBUG, TRACE")
	}
	return level, nil
}

// leveled is a handler that leaves out what is below its level.
type leveled struct {
	slog.Handler
	level slog.Level
}

// Enabled asks the level first.
func (l leveled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.level && l.Handler.Enabled(ctx, level)
}

// WithAttrs keeps the level.
func (l leveled) WithAttrs(attrs []slog.Attr) slog.Handler {
	return leveled{l.Handler.WithAttrs(attrs), l.level}
}

// WithGroup keeps the level.
func (l leveled) WithGroup(name string) slog.Handler {
	return leveled{l.Handler.WithGroup(name), l.level}
}

// pslPredicateOptions are the options that a predicate has in Java PSL: for integer programs, for deep models that
// choose among categories, and of these models.
var pslPredicateOptions = []string{
	"integer", "categorical", "categoricalindexes",
	"model-path", "entity-data-map-path", "entity-argument-indexes", "class-size",
}

// idlePredicateOptions returns the options of a predicate that have no effect here, and reports those that no program
// has.
func idlePredicateOptions(p *load.Predicate, diags *source.Diagnostics) (idle []load.Option) {
	if p.Deep != nil {
		return nil // they are all for its network
	}
	for _, o := range p.Options {
		name := strings.TrimPrefix(strings.TrimPrefix(o.Name, "learning::"), "inference::")
		switch {
		case o.Name == "corpus" && p.Corpus != nil:
		case !slices.Contains(pslPredicateOptions, name):
			diags.Errorf("option-unknown", o.Span, source.Suggest(name, pslPredicateOptions),
				"a predicate has no option %s", o.Name)
		case o.Value != "false":
			idle = append(idle, o)
		}
	}
	return idle
}

// noteIdle names the options of Java PSL that have no effect, together.
func noteIdle(idle []load.Option, diags *source.Diagnostics) {
	if len(idle) == 0 {
		return
	}
	var names []string
	for _, o := range idle {
		if !slices.Contains(names, o.Name) {
			names = append(names, o.Name)
		}
	}
	diags.Warnf("option-without-effect", idle[0].Span, "", "Java PSL has these options, which have no effect here: %s",
		strings.Join(names, ", "))
}

// Rules returns the rules of a phase, as its options change them.
func (p *Project) Rules(phase load.Phase) []*syntax.Rule {
	m := &p.Phases[phase].Model
	rules := p.Config.Rules(phase)
	if phase == load.Infer && m.ClearRules {
		rules = p.Config.Phases[load.Infer].Rules
	}
	if m.greedy {
		rules = greedy(rules)
	}
	if m.relax {
		return relaxed(rules, m)
	}
	return rules
}

// greedy reads coefficients as Java PSL's grammar does.
func greedy(rules []*syntax.Rule) []*syntax.Rule {
	out := slices.Clone(rules)
	for k, rule := range rules {
		if rule.Arithmetic != nil && rule.Arithmetic.Greedy != nil {
			other := *rule
			other.Arithmetic = rule.Arithmetic.Greedy
			out[k] = &other
		}
	}
	return out
}

// relaxed gives hard rules a weight far above all others, as PSL does when it is asked to.
func relaxed(rules []*syntax.Rule, m *ModelSettings) []*syntax.Rule {
	largest := 0.0
	for _, rule := range rules {
		largest = max(largest, rule.Weight.Number.Value)
	}
	weight := max(1, largest*m.relaxMultiplier)
	out := slices.Clone(rules)
	for k, rule := range rules {
		if !rule.Weight.Hard {
			continue
		}
		soft := *rule
		number := syntax.Number{Span: rule.Weight.Span, Text: strconv.FormatFloat(weight, 'g', -1, 64), Value: weight}
		soft.Weight = syntax.Weight{Span: rule.Weight.Span, Fixed: true, Number: number}
		if m.relaxSquared {
			soft.Exponent = 2
		}
		out[k] = &soft
	}
	return out
}

// FeaturePaths lists the files of a network's features.
func (p *Project) FeaturePaths(spec *neural.Spec) []string {
	paths := append([]string{spec.Features}, spec.More...)
	for k, path := range paths {
		if !filepath.IsAbs(path) {
			paths[k] = filepath.Join(filepath.Dir(p.Config.Name), path)
		}
	}
	return paths
}
