package deeppsl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
	"github.com/deeppsl/deeppsl/internal/source"
)

// settings are a project's options, read.
type settings struct {
	method  string // of inference
	solve   solve.Settings
	sgd     sgd.Options
	learn   learn.Settings
	search  search.Settings
	network fitSettings
	// freeze keeps the networks as they are after fitting them alone: the paper's PSL baseline.
	freeze bool
	// discardMissing drops ground rules about atoms that no table has, instead of refusing them.
	discardMissing bool
	// force grounds even what is not expected to fit in memory.
	force bool
}

// fitSettings are those of networks that are trained alone, on the truth of their own predicates.
type fitSettings struct {
	epochs, patience int
	rate, decay      float64
}

// defaults are the paper's settings for its second task, with its solver replaced by an exact one.
func defaults() settings {
	return settings{
		method: "auto",
		learn: learn.Settings{
			Method: learn.ConvexDifference, Alpha: 1, Mu: 0.12, Epochs: 75, Steps: 10,
			Loss:      learn.Loss{Kind: learn.CrossEntropy, Floor: learn.DefaultFloor},
			Optimiser: learn.Adam, RuleRate: 2e-3, NetworkRate: 2e-2, Decay: 3e-4, Ridge: 1e-3, Deviation: 0.1,
		},
		network: fitSettings{epochs: 0, patience: 50, rate: 1e-2, decay: 5e-4},
	}
}

// An option is a name that a configuration's "options", or the command line's -D, may set. The error of set says what
// is wanted.
type option struct {
	name  string
	about string
	set   func(s *settings, value string) error
}

var options = append([]option{
	{"inference.method", "auto, newton or sgd (the paper's)", text(func(s *settings) *string { return &s.method },
		"auto", "newton", "sgd")},
	{"inference.gap", "relative duality gap to prove", number(func(s *settings) *float64 { return &s.solve.Gap })},
	{"inference.feasibility", "largest violation of a hard rule to accept",
		number(func(s *settings) *float64 { return &s.solve.Feasibility })},
	{"inference.iterations", "limit of iterations", integer(func(s *settings) *int { return &s.solve.MaxIterations })},
	{"inference.seconds", "limit of time", func(s *settings, value string) error {
		var seconds float64
		err := parseNumber(value, &seconds)
		s.solve.TimeLimit = time.Duration(seconds * float64(time.Second))
		return err
	}},
	{"sgd.rate", "learning rate", number(func(s *settings) *float64 { return &s.sgd.LearningRate })},
	{"sgd.threshold", "change of the energy between passes below which to stop",
		number(func(s *settings) *float64 { return &s.sgd.Threshold })},
	{"sgd.gamma", "γ, the weight of the paper's soft box", number(func(s *settings) *float64 { return &s.sgd.Gamma })},
	{"sgd.hard", "the weight that stands for a hard rule", number(func(s *settings) *float64 { return &s.sgd.HardWeight })},
	{"learn.method", "deeppsl (the paper's Algorithm 1), implicit (the exact derivative), for rule weights alone " +
		"perceptron, energy, likelihood, grid, random, bayes or hyperband, or a class of PSL's",
		parsed(learn.ParseMethod, func(s *settings) *learn.Method { return &s.learn.Method })},
	{"learn.alpha", "α, the step along the loss's gradient", number(func(s *settings) *float64 { return &s.learn.Alpha })},
	{"learn.mu", "μ, the weight of the dying-hinge regulariser", number(func(s *settings) *float64 { return &s.learn.Mu })},
	{"learn.epochs", "T, inferences", integer(func(s *settings) *int { return &s.learn.Epochs })},
	{"learn.steps", "N, gradient steps per inference", integer(func(s *settings) *int { return &s.learn.Steps })},
	{"learn.loss", "cross-entropy, binary-cross-entropy or squared-error",
		parsed(learn.ParseLoss, func(s *settings) *learn.LossKind { return &s.learn.Loss.Kind })},
	{"learn.floor", "smallest argument of the loss's logarithm",
		number(func(s *settings) *float64 { return &s.learn.Loss.Floor })},
	{"learn.optimiser", "sgd, adagrad or adam",
		parsed(learn.ParseOptimiser, func(s *settings) *learn.OptimiserKind { return &s.learn.Optimiser })},
	{"learn.rate.rules", "learning rate of rule weights",
		number(func(s *settings) *float64 { return &s.learn.RuleRate })},
	{"learn.rate.networks", "learning rate of networks",
		number(func(s *settings) *float64 { return &s.learn.NetworkRate })},
	{"learn.decay", "weight decay of networks", number(func(s *settings) *float64 { return &s.learn.Decay })},
	{"learn.schedule", "constant or inverse",
		parsed(learn.ParseSchedule, func(s *settings) *learn.Schedule { return &s.learn.Schedule })},
	{"learn.imitation", "λ, how much networks imitate what is inferred; see the key teacher",
		number(func(s *settings) *float64 { return &s.learn.Imitation })},
	{"learn.ridge", "ν of the implicit method", number(func(s *settings) *float64 { return &s.learn.Ridge })},
	{"learn.deviation", "standard deviation of the initial rule weights",
		number(func(s *settings) *float64 { return &s.learn.Deviation })},
	{"learn.patience", "epochs without a better validation score before stopping, 0: never",
		integer(func(s *settings) *int { return &s.learn.Patience })},
	{"learn.freeze", "true: keep the networks as fitted alone",
		boolean(func(s *settings, value bool) { s.freeze = value })},
	{"network.epochs", "epochs of fitting networks alone first, on the truth of their own predicates",
		integer(func(s *settings) *int { return &s.network.epochs })},
	{"network.patience", "the same as learn.patience", integer(func(s *settings) *int { return &s.network.patience })},
	{"network.rate", "learning rate", number(func(s *settings) *float64 { return &s.network.rate })},
	{"network.decay", "weight decay", number(func(s *settings) *float64 { return &s.network.decay })},
	{"ground.force", "true: ground even what is not expected to fit in memory",
		boolean(func(s *settings, value bool) { s.force = value })},
	{"pam.throw", "false: drop ground rules about unknown atoms",
		boolean(func(s *settings, value bool) { s.discardMissing = !value })},
}, weightOptions...)

func text(field func(*settings) *string, allowed ...string) func(*settings, string) error {
	return func(s *settings, value string) error {
		if !slices.Contains(allowed, value) {
			return fmt.Errorf("want one of %s", strings.Join(allowed, ", "))
		}
		*field(s) = value
		return nil
	}
}

func number(field func(*settings) *float64) func(*settings, string) error {
	return func(s *settings, value string) error { return parseNumber(value, field(s)) }
}

func parseNumber(value string, to *float64) error {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v >= 0) || v > 1e300 {
		return fmt.Errorf("want a number of at least 0")
	}
	*to = v
	return nil
}

func integer(field func(*settings) *int) func(*settings, string) error {
	return func(s *settings, value string) error {
		v, err := strconv.Atoi(value)
		if err != nil || v < 0 {
			return fmt.Errorf("want a whole number of at least 0")
		}
		*field(s) = v
		return nil
	}
}

func boolean(set func(*settings, bool)) func(*settings, string) error {
	return func(s *settings, value string) error {
		v, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("want true or false")
		}
		set(s, v)
		return nil
	}
}

func parsed[T any](parse func(string) (T, error), field func(*settings) *T) func(*settings, string) error {
	return func(s *settings, value string) error {
		v, err := parse(value)
		if err == nil {
			*field(s) = v
		}
		return err
	}
}

// readSettings applies options over the defaults: the configuration's common ones, those of learning and of inference,
// then the ones set by the caller. A name in the configuration that is not known is only a warning: PSL has many more
// options, about things that are done otherwise here.
func readSettings(config *load.Config, set []string) (s settings, diags source.Diagnostics) {
	s = defaultsFor(config, set)
	for _, section := range [...]load.Section{config.Common, config.Phases[Learn], config.Phases[Infer]} {
		for _, o := range section.Options {
			if known(o.Name) {
				s.apply(o, &diags)
			} else if !readElsewhere(o.Name) {
				diags.Warnf("option-unknown", o.Span, suggestOption(o.Name), "there is no option %s: it is ignored", o.Name)
			}
		}
	}
	for _, assignment := range set {
		name, value, ok := strings.Cut(assignment, "=")
		switch {
		case !ok:
			diags.Errorf("option-form", source.Span{}, "write name=value", "%q is not an option with its value", assignment)
		case !known(name):
			diags.Errorf("option-unknown", source.Span{}, suggestOption(name), "there is no option %s", name)
		default:
			s.apply(load.Option{Name: name, Value: value}, &diags)
		}
	}
	return s, diags
}

// known tells whether an option has a setting.
func known(name string) bool {
	return slices.ContainsFunc(options, func(o option) bool { return o.name == name })
}

// readElsewhere tells whether an option is no setting, but read where the atoms are typed or scored.
func readElsewhere(name string) bool {
	group, _, _ := strings.Cut(name, ".")
	return group == "eval" || strings.HasSuffix(group, "evaluator") || name == "runtime.db.intids"
}

// apply sets a known option.
func (s *settings) apply(given load.Option, diags *source.Diagnostics) {
	for _, o := range options {
		if o.name != given.Name {
			continue
		}
		if err := o.set(s, given.Value); err != nil {
			diags.Errorf("option-value", given.Span, err.Error(), "option %s cannot be %q", given.Name, given.Value)
		}
	}
}

// suggestOption returns a hint at the option that was meant, or "".
func suggestOption(name string) string {
	names := make([]string, len(options))
	for k, o := range options {
		names[k] = o.name
	}
	return source.Suggest(name, names)
}

// didYouMean returns a hint to append to a message about an unknown name, or "".
func didYouMean(name string, known []string) string {
	if hint := source.Suggest(name, known); hint != "" {
		return ": " + hint
	}
	return ""
}
