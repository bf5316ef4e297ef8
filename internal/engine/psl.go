package engine

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// aliases are options of Java PSL that have the meaning, and the values, of one here. A limit of iterations is one for
// whichever method runs. log4j.threshold is PSL 2's name, which scripts still use.
var aliases = map[string]string{
	"admmreasoner.maxiterations":                    "inference.iterations",
	"duallcqp.maxiterations":                        "inference.iterations",
	"reasoner.gradientdescent.maxiterations":        "inference.iterations",
	"sgd.maxiterations":                             "inference.iterations",
	"log4j.threshold":                               "runtime.log.level",
	"runtime.inference.method":                      "inference.method",
	"runtime.learn.method":                          "learn.method",
	"gradientdescent.numsteps":                      "learn.epochs",
	"gradientdescent.stepsize":                      "learn.rate.rules",
	"gradientdescent.movementtolerance":             "learn.movement",
	"gradientdescent.l2regularization":              "learn.l2",
	"gradientdescent.negativelogregularization":     "learn.barrier",
	"gradientdescent.negativeentropyregularization": "learn.entropy",
	"gridsearch.weights":                            "learn.levels",
	"randomgridsearch.maxlocations":                 "learn.trials",
	"continuousrandomgridsearch.maxlocations":       "learn.trials",
	"gpp.maxiterations":                             "learn.trials",
	"search.dirichletalpha":                         "learn.concentration",
	"hyperband.numbrackets":                         "learn.brackets",
	"hyperband.basebracketsize":                     "learn.base",
	"hyperband.survival":                            "learn.survival",
}

// unalias returns the name under which an option is known here.
func unalias(name string) string {
	if ours, ok := aliases[name]; ok {
		return ours
	}
	return name
}

// modelSettings are those that change the ground model of a phase.
type modelSettings struct {
	// discardMissing drops ground rules about atoms that no table has, instead of refusing them.
	discardMissing bool
	// discardViolated drops hard ground rules that the observations alone violate.
	discardViolated bool
	// clearRules leaves only the phase's own rules, relax makes the hard ones weighted: see Project.rules.
	clearRules, relax, relaxSquared bool
	// greedy reads coefficients as Java PSL's grammar does.
	greedy          bool
	relaxMultiplier float64
}

// grounding returns the settings of grounding.
func (m *modelSettings) grounding() ground.Options {
	return ground.Options{DiscardMissing: m.discardMissing, DiscardViolated: m.discardViolated}
}

// Outputs are the files that a project's options ask for; "" if they ask for none. Whoever calls Run writes them.
type Outputs struct {
	// Atoms is a folder, Format one of AtomFormats.
	Atoms, Format string
	// GroundRules and Model are files; "-" is the standard output.
	GroundRules, Model string
	// Hidden says that no atoms are wanted anywhere, Quiet that the level of logging leaves out notes about progress.
	Hidden, Quiet bool
}

// Outputs returns the files that the options of inference, and for the model those of learning, ask for.
func (p *Project) Outputs() Outputs {
	out := p.phases[Infer].outputs
	if out.Model == "" {
		out.Model = p.settings.outputs.Model
	}
	out.Quiet = p.phases[Infer].level > slog.LevelInfo
	return out
}

// Inputs lists the files that the project is read from, as far as outputs could take their places: the configuration
// and the tables.
func (p *Project) Inputs() []string { return append(p.config.Files(), p.config.Name) }

// AtomFiles lists the files of a folder that answers may be written to.
func (p *Project) AtomFiles(dir string) (paths []string) {
	for _, predicate := range p.config.Predicates {
		name := strings.ToUpper(predicate.Name) + extensions[p.phases[Infer].outputs.Format]
		paths = append(paths, filepath.Join(dir, name))
	}
	return append(paths, filepath.Join(dir, examplesFile))
}

// pslOptions are options of Java PSL that act here and have no other name.
var pslOptions = []option{
	{"random.seed", "origin of everything random", func(s *settings, value string) error {
		seed, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fmt.Errorf("want a whole number of at least 0")
		}
		s.seed, s.seeded = seed, true
		return nil
	}},
	{"parallel.numthreads", "threads to use", func(s *settings, value string) error {
		v, err := strconv.Atoi(value)
		if err != nil || v < 1 {
			return fmt.Errorf("want a whole number of at least 1")
		}
		s.threads = v
		return nil
	}},
	{"ground.discardviolated", "true: hard ground rules that the observations alone violate are left out, as in Java PSL",
		boolean(func(s *settings, value bool) { s.model.discardViolated = value })},
	{"runtime.learn", "whether to learn; the default is whether that phase has anything of its own",
		boolean(func(s *settings, value bool) { s.learns = &value })},
	{"runtime.inference", "whether to infer; the default is as for runtime.learn, and true if nothing is learned",
		boolean(func(s *settings, value bool) { s.infers = &value })},
	{"runtime.inference.clearrules", "true: infer with the rules under \"infer\" alone",
		boolean(func(s *settings, value bool) { s.model.clearRules = value })},
	{"rules.greedy", "true: a coefficient takes all numbers beside it, as in Java PSL: 1 - 2 * P(X) is (1 - 2) * P(X)",
		boolean(func(s *settings, value bool) { s.model.greedy = value })},
	{"runtime.log.level", "OFF, FATAL, ERROR, WARN, INFO, DEBUG or TRACE", parsed(parseLevel,
		func(s *settings) *slog.Level { return &s.level })},
	{"runtime.db.intids", "true: arguments are integers, where nothing says their type",
		boolean(func(*settings, bool) {})}, // package load has read it
	{"runtime.inference.output.results", "false: no atoms on the standard output or in files",
		boolean(func(s *settings, value bool) { s.outputs.Hidden = !value })},
	{"runtime.inference.output.results.dir", "folder for the atoms", anyText(func(s *settings) *string {
		return &s.outputs.Atoms
	})},
	{"runtime.inference.output.groundrules", "true: write the ground rules", boolean(func(s *settings, value bool) {
		if !value {
			s.outputs.GroundRules = ""
		} else if s.outputs.GroundRules == "" {
			s.outputs.GroundRules = "-"
		}
	})},
	{"runtime.inference.output.groundrules.path", "file for the ground rules", anyText(func(s *settings) *string {
		return &s.outputs.GroundRules
	})},
	{"runtime.learn.output.model.path", "file for the rules with their learned weights",
		anyText(func(s *settings) *string { return &s.outputs.Model })},
	{"runtime.output.atoms.all", "true: write the observed atoms too",
		boolean(func(s *settings, value bool) { s.allAtoms = value })},
	{"output.format", "format of the atoms' files: txt, json or parquet",
		text(func(s *settings) *string { return &s.outputs.Format }, AtomFormats...)},
	{"inference.skip", "true: answer with the targets' values in the tables, such as to evaluate them",
		boolean(func(s *settings, value bool) { s.skip = value })},
	{"inference.relax", "true: hard rules become weighted",
		boolean(func(s *settings, value bool) { s.model.relax = value })},
	{"inference.relax.multiplier", "their weight, relative to the largest one",
		number(func(s *settings) *float64 { return &s.model.relaxMultiplier })},
	{"inference.relax.squared", "true: they are squared",
		boolean(func(s *settings, value bool) { s.model.relaxSquared = value })},
	{"weightlearning.inference", "checked, and no more: learning infers as inference does",
		parsed(parseInference, func(*settings) *string { return new(string) })},
	{"weightlearning.randomweights", "true: weights begin at random around those given",
		boolean(func(s *settings, value bool) {
			s.learn.Deviation = 0
			if value {
				s.learn.Deviation = 0.1
			}
		})},
	{"gradientdescent.symbolicweightupdate", "MIRROR_DESCENT, PROJECTED_GRADIENT or GRADIENT_DESCENT",
		parsed(parseUpdate, func(s *settings) *learn.Update { return &s.learn.Update })},
	{"search.dirichlet", "true: weights are drawn from a simplex; false: each by itself, evenly over its logarithm",
		boolean(func(s *settings, value bool) {
			s.search.Sampling = search.LogUniform
			if value {
				s.search.Sampling = search.Simplex
			}
		})},
	{"gradientdescent.validationbreak", "true: stop after validationpatience epochs without a better validation score",
		boolean(func(s *settings, value bool) { s.validationBreak = value })},
	{"gradientdescent.validationpatience", "how many epochs; 25 if it is not set",
		integer(func(s *settings) *int { return &s.validationPatience })},
	{"evaluation.default", "evaluators of predicates with truth that name none, such as discrete,auc", setEvaluators},
	evaluation("eval.closetruth", "true: targets without truth are false"),
	evaluation("eval.includeobs", "true: observed atoms are scored too"),
	evaluation("aucevaluator.representative", "AUROC, POSITIVE_AUPRC or NEGATIVE_AUPRC"),
	evaluation("aucevaluator.threshold", "truth from which an atom is true"),
	evaluation("categoricalevaluator.categoryindexes", "arguments that name the category, such as 0:2"),
	evaluation("categoricalevaluator.representative", "ACCURACY"),
	evaluation("continuousevaluator.representative", "MSE, MAE or RMSE"),
	evaluation("discreteevaluator.representative", "F1, ACCURACY, POSITIVE_PRECISION and the like"),
	evaluation("discreteevaluator.threshold", "value from which an atom is true"),
}

// setEvaluators reads a list of evaluators between commas. It adds to what is there, as repeated flags do.
func setEvaluators(s *settings, value string) error {
	for name := range strings.SplitSeq(value, ",") {
		short, err := load.ParseEvaluator(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		s.evaluators = append(s.evaluators, load.Evaluation{Evaluator: short, Primary: len(s.evaluators) == 0})
	}
	return nil
}

// evaluation makes an option that package eval reads; those of one evaluator win.
func evaluation(name, about string) option {
	return option{name, about, func(s *settings, value string) error {
		s.evaluation[name] = value
		return nil
	}}
}

func anyText(field func(*settings) *string) func(*settings, string) error {
	return func(s *settings, value string) error {
		*field(s) = value
		return nil
	}
}

// inferenceClasses are PSL's classes of inference, in lower case. All of them look for the same answer, and stop at
// different distances from it; here the method that proves its answer takes the place of each.
const inferenceClasses = `admminference dualbcdinference distributeddualbcdinference gradientdescentinference
	sgdinference sgdstreaminginference gurobiinference mpeinference lazympeinference`

// parseInference returns the method of inference called name: one of this program, or the one for a class of PSL's,
// with or without its package.
func parseInference(name string) (string, error) {
	switch name {
	case "auto", "newton", "sgd":
		return name, nil
	}
	class := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for known := range strings.FieldsSeq(inferenceClasses) {
		if class == known {
			return "auto", nil
		}
	}
	return "", fmt.Errorf("want one of auto, newton, sgd, or a class of PSL's such as ADMMInference")
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

// rules returns the rules of a phase, as its options change them.
func (p *Project) rules(phase Phase) []*syntax.Rule {
	m := &p.phases[phase].model
	rules := p.config.Rules(phase)
	if phase == Infer && m.clearRules {
		rules = p.config.Phases[Infer].Rules
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
func relaxed(rules []*syntax.Rule, m *modelSettings) []*syntax.Rule {
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
