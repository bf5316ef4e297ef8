package engine

import (
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/option"
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

// A setter gives a setting an option's value, which is of the option's kind and in its range.
type setter func(s *settings, v option.Value) error

// setters are the options of the table that act here, by name.
var setters = map[string]setter{
	"inference.method":      parsed(parseInference, func(s *settings) *string { return &s.method }),
	"inference.gap":         number(func(s *settings) *float64 { return &s.solve.Gap }),
	"inference.feasibility": number(func(s *settings) *float64 { return &s.solve.Feasibility }),
	"inference.iterations":  count(func(s *settings) *int { return &s.solve.MaxIterations }),
	"inference.seconds":     seconds(func(s *settings) *time.Duration { return &s.solve.TimeLimit }),
	"inference.presolve":    flag(func(s *settings) *bool { return &s.simplify.Presolve }),
	"inference.split":       flag(func(s *settings) *bool { return &s.simplify.Split }),
	"run.seconds":           seconds(func(s *settings) *time.Duration { return &s.limit }),

	"sgd.rate":      number(func(s *settings) *float64 { return &s.sgd.LearningRate }),
	"sgd.threshold": number(func(s *settings) *float64 { return &s.sgd.Threshold }),
	"sgd.gamma":     number(func(s *settings) *float64 { return &s.sgd.Gamma }),
	"sgd.full":      flag(func(s *settings) *bool { return &s.sgd.Full }),
	"sgd.start":     number(func(s *settings) *float64 { return &s.sgd.Start }),
	"sgd.hard":      number(func(s *settings) *float64 { return &s.sgd.HardWeight }),

	"learn.method": setMethod,
	"learn.starts": count(func(s *settings) *int { return &s.starts }),
	"learn.folds":  count(func(s *settings) *int { return &s.folds }),
	"learn.alpha":  number(func(s *settings) *float64 { return &s.learn.Alpha }),
	"learn.mu":     number(func(s *settings) *float64 { return &s.learn.Mu }),
	"learn.epochs": count(func(s *settings) *int { return &s.learn.Epochs }),
	"learn.steps":  count(func(s *settings) *int { return &s.learn.Steps }),
	"learn.batch":  count(func(s *settings) *int { return &s.batch }),
	"learn.loss":   parsed(learn.ParseLoss, func(s *settings) *learn.LossKind { return &s.learn.Loss.Kind }),
	"learn.floor":  number(func(s *settings) *float64 { return &s.learn.Loss.Floor }),
	"learn.optimiser": parsed(learn.ParseOptimiser, func(s *settings) *learn.OptimiserKind {
		return &s.learn.Optimiser
	}),
	"learn.rate.rules":      number(func(s *settings) *float64 { return &s.learn.RuleRate }),
	"learn.rate.networks":   number(func(s *settings) *float64 { return &s.learn.NetworkRate }),
	"learn.decay":           number(func(s *settings) *float64 { return &s.learn.Decay }),
	"learn.schedule":        parsed(learn.ParseSchedule, func(s *settings) *learn.Schedule { return &s.learn.Schedule }),
	"learn.imitation":       number(func(s *settings) *float64 { return &s.learn.Imitation }),
	"learn.imitation.start": count(func(s *settings) *int { return &s.learn.ImitationStart }),
	"learn.ridge":           number(func(s *settings) *float64 { return &s.learn.Ridge }),
	"learn.deviation":       number(func(s *settings) *float64 { return &s.learn.Deviation }),
	"learn.patience":        count(func(s *settings) *int { return &s.learn.Patience }),
	"learn.freeze":          flag(func(s *settings) *bool { return &s.freeze }),
	"learn.refit":           flag(func(s *settings) *bool { return &s.refit }),

	"learn.update":        parsed(learn.ParseUpdate, func(s *settings) *learn.Update { return &s.learn.Update }),
	"learn.l2":            number(func(s *settings) *float64 { return &s.learn.L2 }),
	"learn.barrier":       number(func(s *settings) *float64 { return &s.learn.Barrier }),
	"learn.entropy":       number(func(s *settings) *float64 { return &s.learn.Entropy }),
	"learn.sharpen":       number(func(s *settings) *float64 { return &s.learn.Sharpen }),
	"learn.movement":      number(func(s *settings) *float64 { return &s.learn.Movement }),
	"learn.trials":        count(func(s *settings) *int { return &s.search.Trials }),
	"learn.levels":        parsed(parseLevels, func(s *settings) *[]float64 { return &s.search.Levels }),
	"learn.sampling":      parsed(search.ParseSampling, func(s *settings) *search.Sampling { return &s.search.Sampling }),
	"learn.concentration": number(func(s *settings) *float64 { return &s.search.Concentration }),
	"learn.brackets":      count(func(s *settings) *int { return &s.search.Brackets }),
	"learn.base":          count(func(s *settings) *int { return &s.search.Base }),
	"learn.survival":      count(func(s *settings) *int { return &s.search.Survival }),

	"network.epochs":   count(func(s *settings) *int { return &s.network.epochs }),
	"network.patience": count(func(s *settings) *int { return &s.network.patience }),
	"network.rate":     number(func(s *settings) *float64 { return &s.network.rate }),
	"network.decay":    number(func(s *settings) *float64 { return &s.network.decay }),

	"ground.force":            flag(func(s *settings) *bool { return &s.force }),
	"ground.memory":           parsed(preflight.ParseSize, func(s *settings) *int64 { return &s.memory }),
	"ground.scratch":          text(func(s *settings) *string { return &s.scratch }),
	"ground.discardviolated":  flag(func(s *settings) *bool { return &s.model.discardViolated }),
	"pam.throw":               not(func(s *settings) *bool { return &s.model.discardMissing }),
	"rules.greedy":            flag(func(s *settings) *bool { return &s.model.greedy }),
	"inference.relax":         flag(func(s *settings) *bool { return &s.model.relax }),
	"inference.relax.squared": flag(func(s *settings) *bool { return &s.model.relaxSquared }),
	"inference.relax.multiplier": number(func(s *settings) *float64 {
		return &s.model.relaxMultiplier
	}),
	"inference.skip": flag(func(s *settings) *bool { return &s.skip }),

	"random.seed":         setSeed,
	"parallel.numthreads": count(func(s *settings) *int { return &s.threads }),
	"runtime.learn":       decision(func(s *settings) **bool { return &s.learns }),
	"runtime.inference":   decision(func(s *settings) **bool { return &s.infers }),
	"runtime.log.level":   parsed(parseLevel, func(s *settings) *slog.Level { return &s.level }),
	"runtime.db.intids":   ignored, // package load has read it

	"runtime.inference.clearrules":         flag(func(s *settings) *bool { return &s.model.clearRules }),
	"runtime.inference.output.results":     not(func(s *settings) *bool { return &s.outputs.Hidden }),
	"runtime.inference.output.results.dir": text(func(s *settings) *string { return &s.outputs.Atoms }),
	"runtime.inference.output.groundrules": setGroundRules,
	"runtime.inference.output.groundrules.path": text(func(s *settings) *string {
		return &s.outputs.GroundRules
	}),
	"runtime.learn.output.model.path": text(func(s *settings) *string { return &s.outputs.Model }),
	"runtime.output.atoms.all":        flag(func(s *settings) *bool { return &s.allAtoms }),
	"output.format":                   text(func(s *settings) *string { return &s.outputs.Format }),

	"weightlearning.inference":     parsed(parseInference, func(*settings) *string { return new(string) }),
	"weightlearning.randomweights": setRandomWeights,
	"gradientdescent.symbolicweightupdate": parsed(parseUpdate, func(s *settings) *learn.Update {
		return &s.learn.Update
	}),
	"search.dirichlet":                     setDirichlet,
	"gradientdescent.validationbreak":      flag(func(s *settings) *bool { return &s.validationBreak }),
	"gradientdescent.validationpatience":   count(func(s *settings) *int { return &s.validationPatience }),
	"evaluation.default":                   setEvaluators,
	"eval.closetruth":                      evaluation("eval.closetruth"),
	"eval.includeobs":                      evaluation("eval.includeobs"),
	"aucevaluator.representative":          evaluation("aucevaluator.representative"),
	"aucevaluator.threshold":               evaluation("aucevaluator.threshold"),
	"categoricalevaluator.categoryindexes": evaluation("categoricalevaluator.categoryindexes"),
	"categoricalevaluator.representative":  evaluation("categoricalevaluator.representative"),
	"continuousevaluator.representative":   evaluation("continuousevaluator.representative"),
	"discreteevaluator.representative":     evaluation("discreteevaluator.representative"),
	"discreteevaluator.threshold":          evaluation("discreteevaluator.threshold"),
}

func text(field func(*settings) *string) setter {
	return func(s *settings, v option.Value) error { *field(s) = v.Text; return nil }
}

func number(field func(*settings) *float64) setter {
	return func(s *settings, v option.Value) error { *field(s) = v.Number; return nil }
}

func count(field func(*settings) *int) setter {
	return func(s *settings, v option.Value) error { *field(s) = v.Count; return nil }
}

func flag(field func(*settings) *bool) setter {
	return func(s *settings, v option.Value) error { *field(s) = v.Flag; return nil }
}

func not(field func(*settings) *bool) setter {
	return func(s *settings, v option.Value) error { *field(s) = !v.Flag; return nil }
}

// decision is a flag that differs from one that is not set.
func decision(field func(*settings) **bool) setter {
	return func(s *settings, v option.Value) error { *field(s) = &v.Flag; return nil }
}

// seconds are a duration; 0 is no limit.
func seconds(field func(*settings) *time.Duration) setter {
	return func(s *settings, v option.Value) error {
		*field(s) = time.Duration(min(v.Number*float64(time.Second), math.MaxInt64))
		return nil
	}
}

func parsed[T any](parse func(string) (T, error), field func(*settings) *T) setter {
	return func(s *settings, v option.Value) error {
		t, err := parse(v.Text)
		if err == nil {
			*field(s) = t
		}
		return err
	}
}

func ignored(*settings, option.Value) error { return nil }

// setMethod reads the method of learning, which readSettings has looked at already for the sake of the defaults.
func setMethod(s *settings, v option.Value) error {
	if v.Text == automatic {
		return nil
	}
	return parsed(learn.ParseMethod, func(s *settings) *learn.Method { return &s.learn.Method })(s, v)
}

func setSeed(s *settings, v option.Value) error {
	s.seed, s.seeded = v.Whole, true
	return nil
}

func setGroundRules(s *settings, v option.Value) error {
	if !v.Flag {
		s.outputs.GroundRules = ""
	} else if s.outputs.GroundRules == "" {
		s.outputs.GroundRules = stdout
	}
	return nil
}

func setRandomWeights(s *settings, v option.Value) error {
	s.learn.Deviation = 0
	if v.Flag {
		s.learn.Deviation = 0.1
	}
	return nil
}

func setDirichlet(s *settings, v option.Value) error {
	s.search.Sampling = search.LogUniform
	if v.Flag {
		s.search.Sampling = search.Simplex
	}
	return nil
}

// setEvaluators reads a list of evaluators between commas. It adds to what is there, as repeated flags do.
func setEvaluators(s *settings, v option.Value) error {
	for name := range strings.SplitSeq(v.Text, ",") {
		short, err := load.ParseEvaluator(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		s.evaluators = append(s.evaluators, load.Evaluation{Evaluator: short, Primary: len(s.evaluators) == 0})
	}
	return nil
}

// evaluation is an option that package eval reads; those of one evaluator win.
func evaluation(name string) setter {
	return func(s *settings, v option.Value) error { s.evaluation[name] = v.Text; return nil }
}

// readSettings applies options over the defaults: the configuration's common ones, those of the phase, then the ones
// set by the caller. A name that is not known is an error; one that only Java PSL knows is noted in idle.
func readSettings(config *load.Config, phase Phase, set []string) (s settings, diags source.Diagnostics) {
	given := optionsOf(config, phase, set, &diags)
	s = defaultsFor(config, given)
	for _, o := range given {
		s.apply(o, &diags)
	}
	if s.validationBreak {
		s.learn.Patience = s.validationPatience
	}
	return s, diags
}

// optionsOf collects the options of a phase in the order in which they win, the last ones over all others. Names are
// those of the table, where it has them.
func optionsOf(config *load.Config, phase Phase, set []string, diags *source.Diagnostics) (given []load.Option) {
	for _, section := range sections(config, phase) {
		for _, o := range section.Options {
			if isPath(o.Name) && o.Value != stdout && !filepath.IsAbs(o.Value) {
				o.Value = filepath.Join(filepath.Dir(config.Name), o.Value)
			}
			given = append(given, o)
		}
	}
	for _, assignment := range set {
		name, value, ok := strings.Cut(assignment, "=")
		if !ok {
			diags.Errorf("option-form", source.Span{}, "write name=value", "%q is not an option with its value", assignment)
			continue
		}
		given = append(given, load.Option{Name: name, Value: value})
	}
	return given
}

// automatic is the method that cross-fits: the default where networks see single things, and not examples.
const automatic = "auto"

// bilevel is what the table of options calls PSL's classes of losses: see learn.BilevelLoss.
const bilevel = "bilevel"

// defaultsFor are the defaults of the learning method that is asked for. Without one, the weights of rules alone are
// learned by the structured perceptron, as in PSL; with networks, held-out labels choose what is learned, or if there
// are examples, of which what networks see is mostly latent, energies are learned from.
func defaultsFor(config *load.Config, given []load.Option) settings {
	s := settings{level: slog.LevelDebug, evaluation: make(map[string]string)}
	switch {
	case !slices.ContainsFunc(config.Predicates, func(p *load.Predicate) bool { return p.Neural != nil }):
		s.learn.Method = learn.Perceptron
	case config.Examples[Learn] != nil:
		s.learn.Method = learn.Energy
	default:
		s.auto = true
	}
	class, crossFits := "", s.auto
	for _, o := range given {
		switch option.Translate(o.Name) {
		case "learn.method":
			s.auto = crossFits && o.Value == automatic
			if method, err := learn.ParseMethod(o.Value); err == nil {
				s.learn.Method, class = method, o.Value
			}
		case "learn.loss":
			s.lossSet = true
		}
	}
	method := s.learn.Method.String()
	loss, isBilevel := learn.BilevelLoss(class)
	switch {
	case s.auto:
		method = automatic
	case isBilevel:
		method, s.learn.Loss.Kind = bilevel, loss
	}
	s.setDefaults(method)
	return s
}

// setDefaults gives every setting what the table has for a method of learning.
func (s *settings) setDefaults(method string) {
	for k := range option.Table {
		o := &option.Table[k]
		text := o.DefaultOf(method)
		if text == "" {
			continue
		}
		v, err := o.Parse(text)
		if err == nil {
			err = setters[o.Name](s, v)
		}
		if err != nil {
			panic(fmt.Sprintf("engine: the default of %s: %v", o.Name, err))
		}
	}
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

// apply sets an option, or says why it cannot.
func (s *settings) apply(given load.Option, diags *source.Diagnostics) {
	o := option.Find(given.Name)
	switch {
	case o == nil && option.IsPSLName(given.Name):
		s.idle = append(s.idle, given)
	case o == nil:
		unknownOption(given, diags)
	default:
		v, err := o.Parse(given.Value)
		if err == nil {
			err = setters[o.Name](s, v)
		}
		if err != nil {
			diags.Errorf("option-value", given.Span, err.Error(), "option %s cannot be %q", given.Name, given.Value)
		}
	}
}

// unknownOption reports an option that neither this program nor Java PSL has.
func unknownOption(given load.Option, diags *source.Diagnostics) {
	diags.Errorf("option-unknown", given.Span, source.Suggest(given.Name, option.Names()), "there is no option %s",
		given.Name)
}

// didYouMean returns a hint to append to a message about an unknown name, or "".
func didYouMean(name string, known []string) string {
	if hint := source.Suggest(name, known); hint != "" {
		return ": " + hint
	}
	return ""
}
