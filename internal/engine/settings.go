package engine

import (
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
	"github.com/deeppsl/deeppsl/internal/source"
)

// settings are a project's options, read for one phase.
type settings struct {
	method string // of inference
	solve  solve.Settings
	sgd    sgd.Options
	// simplify says what inference may do with a problem before it solves it.
	simplify auto.Options
	learn    learn.Settings
	batch    int // examples per step
	// auto cross-fits: see crossFitting. folds is how many parts of the labels are held out in turn.
	auto  bool
	folds int
	// lossSet says that the loss is not the default.
	lossSet bool
	// starts is how often learning from examples begins at most.
	starts  int
	search  search.Settings
	network fitSettings
	// freeze keeps the networks as they are after fitting them alone: the paper's PSL baseline.
	freeze bool
	// refit learns again, from the truth of validation too.
	refit bool
	model modelSettings
	// skip answers without inference.
	skip bool
	// evaluation holds the options that package eval reads, evaluators what predicates are scored by that do not say it.
	evaluation map[string]string
	evaluators []load.Evaluation
	outputs    Outputs
	allAtoms   bool // written, and not only targets

	// validationBreak makes validationPatience the patience of learning.
	validationBreak    bool
	validationPatience int

	learns, infers *bool         // nil: the data decide
	limit          time.Duration // of a whole run; 0: none
	seed           uint64
	seeded         bool // the seed is set
	threads        int  // 0: not set
	level          slog.Level

	// idle are the options of Java PSL that were set and have no effect.
	idle []load.Option
	// force grounds even what is not expected to fit in memory.
	force bool
	// memory is in bytes: ground rules that do not fit are kept in a file in the folder scratch. 0 means no limit, ""
	// the system's folder for temporary files.
	memory  int64
	scratch string
}

// fitSettings are those of networks that are trained alone, on the truth of their own predicates.
type fitSettings struct {
	epochs, patience int
	rate, decay      float64
}

// defaults are the paper's settings for its second task, with its solver replaced by an exact one.
func defaults() settings {
	return settings{
		method: "auto", simplify: auto.Options{Presolve: true, Split: true},
		level: slog.LevelDebug, evaluation: make(map[string]string),
		model: modelSettings{relaxMultiplier: 100}, outputs: Outputs{Format: AtomFormats[0]},
		learn: learn.Settings{
			Method: learn.ConvexDifference, Alpha: 1, Mu: 0.12, Epochs: 75, Steps: 10,
			Loss:      learn.Loss{Kind: learn.CrossEntropy, Floor: learn.DefaultFloor},
			Optimiser: learn.Adam, RuleRate: 2e-3, NetworkRate: 2e-2, Decay: 3e-4, Ridge: 1e-3, Deviation: 0.1,
		},
		batch: 16, validationPatience: 25,
		folds: 3, starts: 5, network: fitSettings{epochs: 2000, patience: 50, rate: 1e-2, decay: -1},
	}
}

// An option is a name that a configuration's "options", or the command line's -D, may set. The error of set says what
// is wanted.
type option struct {
	name  string
	about string
	set   func(s *settings, value string) error
}

var options = slices.Concat([]option{
	{"inference.method", "auto, newton, sgd (the paper's), or a class of PSL's",
		parsed(parseInference, func(s *settings) *string { return &s.method })},
	{"inference.gap", "relative duality gap to prove, above 0",
		tolerance(func(s *settings) *float64 { return &s.solve.Gap })},
	{"inference.feasibility", "largest violation of a hard rule to accept, above 0",
		tolerance(func(s *settings) *float64 { return &s.solve.Feasibility })},
	{"inference.iterations", "limit of iterations", integer(func(s *settings) *int { return &s.solve.MaxIterations })},
	{"inference.seconds", "limit of time of an inference",
		duration(func(s *settings) *time.Duration { return &s.solve.TimeLimit })},
	{"run.seconds", "limit of time of a whole run, nine tenths of it for learning",
		duration(func(s *settings) *time.Duration { return &s.limit })},
	{"inference.presolve", "false: solve the problem as it was ground",
		boolean(func(s *settings, value bool) { s.simplify.Presolve = value })},
	{"inference.split", "false: solve connected components together",
		boolean(func(s *settings, value bool) { s.simplify.Split = value })},
	{"sgd.rate", "learning rate of the paper's inference",
		number(func(s *settings) *float64 { return &s.sgd.LearningRate })},
	{"sgd.threshold", "change of the energy between passes below which to stop",
		number(func(s *settings) *float64 { return &s.sgd.Threshold })},
	{"sgd.gamma", "γ, the weight of the paper's soft box", number(func(s *settings) *float64 { return &s.sgd.Gamma })},
	{"sgd.full", "true: a pass is one step along the gradient of all ground rules, not a step for each",
		boolean(func(s *settings, value bool) { s.sgd.Full = value })},
	{"sgd.start", "value of all variables that each inference starts from; 0: the last answer",
		number(func(s *settings) *float64 { return &s.sgd.Start })},
	{"sgd.hard", "the weight that stands for a hard rule",
		number(func(s *settings) *float64 { return &s.sgd.HardWeight })},
	{"learn.method", "auto (held-out labels choose), deeppsl (the paper's Algorithm 1), implicit (the exact " +
		"derivative), for rule weights alone perceptron, energy, likelihood, grid, random, bayes or hyperband, or a class " +
		"of PSL's",
		func(s *settings, value string) error {
			if value == automatic {
				return nil // see defaultsFor
			}
			return parsed(learn.ParseMethod, func(s *settings) *learn.Method { return &s.learn.Method })(s, value)
		}},
	{"learn.starts", "how often learning from examples by energy begins at most, until most of them come out right",
		integer(func(s *settings) *int { return &s.starts })},
	{"learn.folds", "parts of the labels that are held out in turn, where there is no validation truth",
		integer(func(s *settings) *int { return &s.folds })},
	{"learn.alpha", "α, the step along the loss's gradient", number(func(s *settings) *float64 { return &s.learn.Alpha })},
	{"learn.mu", "μ, the weight of the dying-hinge regulariser",
		number(func(s *settings) *float64 { return &s.learn.Mu })},
	{"learn.epochs", "T, inferences", integer(func(s *settings) *int { return &s.learn.Epochs })},
	{"learn.steps", "N, gradient steps per inference", integer(func(s *settings) *int { return &s.learn.Steps })},
	{"learn.batch", "examples per step, if the learning phase has examples",
		integer(func(s *settings) *int { return &s.batch })},
	{"learn.loss", "cross-entropy, binary-cross-entropy or squared-error",
		func(s *settings, value string) error {
			s.lossSet = true
			return parsed(learn.ParseLoss, func(s *settings) *learn.LossKind { return &s.learn.Loss.Kind })(s, value)
		}},
	{"learn.floor", "smallest argument of the loss's logarithm",
		number(func(s *settings) *float64 { return &s.learn.Loss.Floor })},
	{"learn.optimiser", "sgd, adagrad or adam",
		parsed(learn.ParseOptimiser, func(s *settings) *learn.OptimiserKind { return &s.learn.Optimiser })},
	{"learn.rate.rules", "learning rate of rule weights",
		number(func(s *settings) *float64 { return &s.learn.RuleRate })},
	{"learn.rate.networks", "learning rate of networks",
		number(func(s *settings) *float64 { return &s.learn.NetworkRate })},
	{"learn.decay", "weight decay of networks; -1: 0.5 divided by the number of labels",
		weightDecay(func(s *settings) *float64 { return &s.learn.Decay })},
	{"learn.schedule", "constant, inverse or linear",
		parsed(learn.ParseSchedule, func(s *settings) *learn.Schedule { return &s.learn.Schedule })},
	{"learn.imitation", "λ, how much networks imitate what is inferred; see the key teacher",
		number(func(s *settings) *float64 { return &s.learn.Imitation })},
	{"learn.imitation.start", "the first epoch in which they do",
		integer(func(s *settings) *int { return &s.learn.ImitationStart })},
	{"learn.ridge", "ν of the implicit method", number(func(s *settings) *float64 { return &s.learn.Ridge })},
	{"learn.deviation", "standard deviation of the initial rule weights",
		number(func(s *settings) *float64 { return &s.learn.Deviation })},
	{"learn.patience", "epochs without a better validation score before stopping, 0: never",
		integer(func(s *settings) *int { return &s.learn.Patience })},
	{"learn.freeze", "true: keep the networks as fitted alone",
		boolean(func(s *settings, value bool) { s.freeze = value })},
	{"learn.refit", "true: once validation has chosen the epoch, learn anew from its truth too, for as long",
		boolean(func(s *settings, value bool) { s.refit = value })},
	{"network.epochs", "epochs of fitting networks alone first, on the truth of their own predicates",
		integer(func(s *settings) *int { return &s.network.epochs })},
	{"network.patience", "epochs of that without a better score before stopping",
		integer(func(s *settings) *int { return &s.network.patience })},
	{"network.rate", "learning rate of that", number(func(s *settings) *float64 { return &s.network.rate })},
	{"network.decay", "weight decay of that, of all but biases; -1: 0.5 divided by the number of labels",
		weightDecay(func(s *settings) *float64 { return &s.network.decay })},
	{"ground.force", "true: ground even what is not expected to fit in memory",
		boolean(func(s *settings, value bool) { s.force = value })},
	{"ground.memory", "memory that inference may take, such as 2GiB: ground rules that do not fit go to a file",
		parsed(preflight.ParseSize, func(s *settings) *int64 { return &s.memory })},
	{"ground.scratch", "folder for that file; otherwise the system's for temporary files",
		func(s *settings, value string) error {
			s.scratch = value
			return nil
		}},
	{"pam.throw", "false: drop ground rules about unknown atoms",
		boolean(func(s *settings, value bool) { s.model.discardMissing = !value })},
}, weightOptions, pslOptions)

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

// weightDecay is number, or -1 for the decay that suits the number of labels.
func weightDecay(field func(*settings) *float64) func(*settings, string) error {
	return func(s *settings, value string) error {
		if value == "-1" {
			*field(s) = -1
			return nil
		}
		if parseNumber(value, field(s)) != nil {
			return fmt.Errorf("want a number of at least 0, or -1 for 0.5 divided by the number of labels")
		}
		return nil
	}
}

// tolerance is number without 0, which the arithmetic, as it rounds, could not show to be met.
func tolerance(field func(*settings) *float64) func(*settings, string) error {
	return func(s *settings, value string) error {
		err := parseNumber(value, field(s))
		if err == nil && *field(s) == 0 {
			err = fmt.Errorf("want a number above 0: arithmetic rounds, so that 0 cannot be shown, but 1e-9 can")
		}
		return err
	}
}

// duration takes seconds; 0 is no limit.
func duration(field func(*settings) *time.Duration) func(*settings, string) error {
	return func(s *settings, value string) error {
		var seconds float64
		if err := parseNumber(value, &seconds); err != nil {
			return err
		}
		*field(s) = time.Duration(min(seconds*float64(time.Second), math.MaxInt64))
		return nil
	}
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

// readSettings applies options over the defaults: the configuration's common ones, those of the phase, then the ones
// set by the caller. A name that is not known is an error; one that only Java PSL knows is noted in idle.
func readSettings(config *load.Config, phase Phase, set []string) (s settings, diags source.Diagnostics) {
	s = defaultsFor(config, phase, set)
	for _, section := range sections(config, phase) {
		for _, o := range section.Options {
			if isPath(o.Name) && o.Value != stdout && !filepath.IsAbs(o.Value) {
				o.Value = filepath.Join(filepath.Dir(config.Name), o.Value)
			}
			s.apply(o, &diags)
		}
	}
	for _, assignment := range set {
		name, value, ok := strings.Cut(assignment, "=")
		if !ok {
			diags.Errorf("option-form", source.Span{}, "write name=value", "%q is not an option with its value", assignment)
			continue
		}
		s.apply(load.Option{Name: name, Value: value}, &diags)
	}
	if s.validationBreak {
		s.learn.Patience = s.validationPatience
	}
	return s, diags
}

// sections returns what has options of a phase, the later ones winning. Validation is a part of learning.
func sections(config *load.Config, phase Phase) []load.Section {
	if phase == Validation {
		return []load.Section{config.Common, config.Phases[Learn], config.Phases[Validation]}
	}
	return []load.Section{config.Common, config.Phases[phase]}
}

// stdout is the path that means the standard output.
const stdout = "-"

// isPath tells whether an option's value is a path, which in a configuration is relative to its folder.
func isPath(name string) bool {
	return strings.HasPrefix(name, "runtime.") && strings.Contains(name, ".output.") &&
		(strings.HasSuffix(name, ".path") || strings.HasSuffix(name, ".dir"))
}

// find returns the option of that name, or nil.
func find(name string) *option {
	name = unalias(name)
	at := slices.IndexFunc(options, func(o option) bool { return o.name == name })
	if at < 0 {
		return nil
	}
	return &options[at]
}

// apply sets an option, or says why it cannot.
func (s *settings) apply(given load.Option, diags *source.Diagnostics) {
	o := find(given.Name)
	switch {
	case o == nil && isPSLName(given.Name):
		s.idle = append(s.idle, given)
	case o == nil:
		unknownOption(given, diags)
	default:
		if err := o.set(s, given.Value); err != nil {
			diags.Errorf("option-value", given.Span, err.Error(), "option %s cannot be %q", given.Name, given.Value)
		}
	}
}

// unknownOption reports an option that neither this program nor Java PSL has.
func unknownOption(given load.Option, diags *source.Diagnostics) {
	names := allPSLNames()
	for _, o := range options {
		names = append(names, o.name)
	}
	diags.Errorf("option-unknown", given.Span, source.Suggest(given.Name, names), "there is no option %s", given.Name)
}

// didYouMean returns a hint to append to a message about an unknown name, or "".
func didYouMean(name string, known []string) string {
	if hint := source.Suggest(name, known); hint != "" {
		return ": " + hint
	}
	return ""
}
