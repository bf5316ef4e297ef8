package project

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/learn/search"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/option"
	"github.com/deeppsl/deeppsl/internal/preflight"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/solve/auto"
	"github.com/deeppsl/deeppsl/internal/solve/sgd"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Settings are a project's options, read for one phase.
type Settings struct {
	Method string // of inference
	// Middle says that held-out labels are told better if inference takes the middle of what rules leave free.
	Middle bool
	Solve  solve.Settings
	SGD    sgd.Options
	// simplify says what inference may do with a problem before it solves it.
	Simplify auto.Options
	Learn    learn.Settings
	Batch    int // examples per step
	// auto cross-fits: see crossFitting. folds is how many parts of the labels are held out in turn.
	Auto  bool
	Folds int
	// Asked says that a method of descent is asked for, and nothing about how it descends.
	Asked bool
	// Compared says that weights that were learned compete with those written, and those that Rival learns with both.
	Compared bool
	Rival    learn.Settings
	// Propagate lets networks propagate along relations, where held-out labels are told better by it.
	Propagate bool
	// LossSet, DecaySet, RateSet and StepsSet say that the loss of learning, the decay and the rate of networks then, and
	// the number of steps after an inference, are not the defaults.
	LossSet, DecaySet, RateSet, StepsSet bool
	// starts is how often learning from examples begins at most.
	Starts  int
	Search  search.Settings
	Network FitSettings
	// freeze keeps the networks as they are after fitting them alone: the paper's PSL baseline.
	Freeze bool
	// refit learns again, from the truth of validation too.
	Refit bool
	Model ModelSettings
	// skip answers without inference.
	Skip bool
	// Known are the labels that the same run has learned from; nil: held-out labels decide.
	Known *bool
	// evaluation holds the options that package eval reads, evaluators what predicates are scored by that do not say it.
	Evaluation map[string]string
	Evaluators []load.Evaluation
	Outputs    Outputs
	AllAtoms   bool // written, and not only targets

	// validationBreak makes validationPatience the patience of learning.
	ValidationBreak    bool
	ValidationPatience int

	Learns, Infers *bool         // nil: the data decide
	Limit          time.Duration // of a whole run; 0: none
	Seed           uint64
	Seeded         bool // the seed is set
	Threads        int  // 0: not set
	Level          slog.Level

	// idle are the options of Java PSL that were set and have no effect.
	Idle []load.Option
	// force grounds even what is not expected to fit in memory.
	Force bool
	// memory is in bytes: ground rules that do not fit are kept in a file in the folder scratch. 0 means no limit, ""
	// the system's folder for temporary files.
	Memory  int64
	Scratch string
	// Kept is the folder for what frozen networks say; "" if nothing says it, Nowhere if there is to be none.
	Kept string
}

// Nowhere is the folder in which nothing is kept.
const Nowhere = "none"

// FitSettings are those of networks that are trained alone, on the truth of their own predicates.
type FitSettings struct {
	Epochs, Patience int
	Rate, Decay      float64
	RateSet          bool // Rate is not the default
}

// A setter gives a setting an option's value, which is of the option's kind and in its range.
type setter func(s *Settings, v option.Value) error

// setters are the options of the table that act here, by name.
var setters = map[string]setter{
	"inference.method":      parsed(parseInference, func(s *Settings) *string { return &s.Method }),
	"inference.gap":         number(func(s *Settings) *float64 { return &s.Solve.Gap }),
	"inference.feasibility": number(func(s *Settings) *float64 { return &s.Solve.Feasibility }),
	"inference.iterations":  count(func(s *Settings) *int { return &s.Solve.MaxIterations }),
	"inference.seconds":     seconds(func(s *Settings) *time.Duration { return &s.Solve.TimeLimit }),
	"inference.presolve":    flag(func(s *Settings) *bool { return &s.Simplify.Presolve }),
	"inference.split":       flag(func(s *Settings) *bool { return &s.Simplify.Split }),
	"run.seconds":           seconds(func(s *Settings) *time.Duration { return &s.Limit }),

	"sgd.rate":      number(func(s *Settings) *float64 { return &s.SGD.LearningRate }),
	"sgd.threshold": number(func(s *Settings) *float64 { return &s.SGD.Threshold }),
	"sgd.gamma":     number(func(s *Settings) *float64 { return &s.SGD.Gamma }),
	"sgd.full":      flag(func(s *Settings) *bool { return &s.SGD.Full }),
	"sgd.start":     number(func(s *Settings) *float64 { return &s.SGD.Start }),
	"sgd.hard":      number(func(s *Settings) *float64 { return &s.SGD.HardWeight }),

	"learn.method": setMethod,
	"learn.starts": count(func(s *Settings) *int { return &s.Starts }),
	"learn.folds":  count(func(s *Settings) *int { return &s.Folds }),
	"learn.alpha":  number(func(s *Settings) *float64 { return &s.Learn.Alpha }),
	"learn.mu":     number(func(s *Settings) *float64 { return &s.Learn.Mu }),
	"learn.epochs": count(func(s *Settings) *int { return &s.Learn.Epochs }),
	"learn.steps":  count(func(s *Settings) *int { return &s.Learn.Steps }),
	"learn.batch":  count(func(s *Settings) *int { return &s.Batch }),
	"learn.loss":   parsed(label.ParseLoss, func(s *Settings) *label.LossKind { return &s.Learn.Loss.Kind }),
	"learn.floor":  number(func(s *Settings) *float64 { return &s.Learn.Loss.Floor }),
	"learn.optimiser": parsed(perception.ParseOptimiser, func(s *Settings) *perception.OptimiserKind {
		return &s.Learn.Optimiser
	}),
	"learn.rate.rules":      number(func(s *Settings) *float64 { return &s.Learn.RuleRate }),
	"learn.rate.networks":   number(func(s *Settings) *float64 { return &s.Learn.NetworkRate }),
	"learn.decay":           number(func(s *Settings) *float64 { return &s.Learn.Decay }),
	"learn.schedule":        parsed(learn.ParseSchedule, func(s *Settings) *learn.Schedule { return &s.Learn.Schedule }),
	"learn.imitation":       number(func(s *Settings) *float64 { return &s.Learn.Imitation }),
	"learn.imitation.start": count(func(s *Settings) *int { return &s.Learn.ImitationStart }),
	"learn.ridge":           number(func(s *Settings) *float64 { return &s.Learn.Ridge }),
	"learn.deviation":       number(func(s *Settings) *float64 { return &s.Learn.Deviation }),
	"learn.patience":        count(func(s *Settings) *int { return &s.Learn.Patience }),
	"learn.freeze":          flag(func(s *Settings) *bool { return &s.Freeze }),
	"learn.refit":           flag(func(s *Settings) *bool { return &s.Refit }),
	"learn.propagate":       flag(func(s *Settings) *bool { return &s.Propagate }),

	"learn.update":        parsed(learn.ParseUpdate, func(s *Settings) *learn.Update { return &s.Learn.Update }),
	"learn.l2":            number(func(s *Settings) *float64 { return &s.Learn.L2 }),
	"learn.barrier":       number(func(s *Settings) *float64 { return &s.Learn.Barrier }),
	"learn.entropy":       number(func(s *Settings) *float64 { return &s.Learn.Entropy }),
	"learn.sharpen":       number(func(s *Settings) *float64 { return &s.Learn.Sharpen }),
	"learn.movement":      number(func(s *Settings) *float64 { return &s.Learn.Movement }),
	"learn.trials":        count(func(s *Settings) *int { return &s.Search.Trials }),
	"learn.levels":        parsed(parseLevels, func(s *Settings) *[]float64 { return &s.Search.Levels }),
	"learn.sampling":      parsed(search.ParseSampling, func(s *Settings) *search.Sampling { return &s.Search.Sampling }),
	"learn.concentration": number(func(s *Settings) *float64 { return &s.Search.Concentration }),
	"learn.brackets":      count(func(s *Settings) *int { return &s.Search.Brackets }),
	"learn.base":          count(func(s *Settings) *int { return &s.Search.Base }),
	"learn.survival":      count(func(s *Settings) *int { return &s.Search.Survival }),

	"network.epochs":   count(func(s *Settings) *int { return &s.Network.Epochs }),
	"network.patience": count(func(s *Settings) *int { return &s.Network.Patience }),
	"network.rate":     number(func(s *Settings) *float64 { return &s.Network.Rate }),
	"network.decay":    number(func(s *Settings) *float64 { return &s.Network.Decay }),

	"network.kept": text(func(s *Settings) *string { return &s.Kept }),

	"ground.force":            flag(func(s *Settings) *bool { return &s.Force }),
	"ground.memory":           parsed(preflight.ParseSize, func(s *Settings) *int64 { return &s.Memory }),
	"ground.scratch":          text(func(s *Settings) *string { return &s.Scratch }),
	"ground.discardviolated":  flag(func(s *Settings) *bool { return &s.Model.discardViolated }),
	"pam.throw":               not(func(s *Settings) *bool { return &s.Model.discardMissing }),
	"rules.greedy":            flag(func(s *Settings) *bool { return &s.Model.greedy }),
	"inference.relax":         flag(func(s *Settings) *bool { return &s.Model.relax }),
	"inference.relax.squared": flag(func(s *Settings) *bool { return &s.Model.relaxSquared }),
	"inference.relax.multiplier": number(func(s *Settings) *float64 {
		return &s.Model.relaxMultiplier
	}),
	"inference.skip":  flag(func(s *Settings) *bool { return &s.Skip }),
	"inference.known": decision(func(s *Settings) **bool { return &s.Known }),

	"random.seed":         setSeed,
	"parallel.numthreads": count(func(s *Settings) *int { return &s.Threads }),
	"runtime.learn":       decision(func(s *Settings) **bool { return &s.Learns }),
	"runtime.inference":   decision(func(s *Settings) **bool { return &s.Infers }),
	"runtime.log.level":   parsed(parseLevel, func(s *Settings) *slog.Level { return &s.Level }),
	"runtime.db.intids":   ignored, // package load has read it

	"runtime.inference.clearrules":         flag(func(s *Settings) *bool { return &s.Model.ClearRules }),
	"runtime.inference.output.results":     not(func(s *Settings) *bool { return &s.Outputs.Hidden }),
	"runtime.inference.output.results.dir": text(func(s *Settings) *string { return &s.Outputs.Atoms }),
	"runtime.inference.output.groundrules": setGroundRules,
	"runtime.inference.output.groundrules.path": text(func(s *Settings) *string {
		return &s.Outputs.GroundRules
	}),
	"runtime.learn.output.model.path": text(func(s *Settings) *string { return &s.Outputs.Model }),
	"runtime.output.atoms.all":        flag(func(s *Settings) *bool { return &s.AllAtoms }),
	"output.format":                   text(func(s *Settings) *string { return &s.Outputs.Format }),

	"weightlearning.inference":     parsed(parseInference, func(*Settings) *string { return new(string) }),
	"weightlearning.randomweights": setRandomWeights,
	"gradientdescent.symbolicweightupdate": parsed(parseUpdate, func(s *Settings) *learn.Update {
		return &s.Learn.Update
	}),
	"search.dirichlet":                     setDirichlet,
	"gradientdescent.validationbreak":      flag(func(s *Settings) *bool { return &s.ValidationBreak }),
	"gradientdescent.validationpatience":   count(func(s *Settings) *int { return &s.ValidationPatience }),
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

func text(field func(*Settings) *string) setter {
	return func(s *Settings, v option.Value) error { *field(s) = v.Text; return nil }
}

func number(field func(*Settings) *float64) setter {
	return func(s *Settings, v option.Value) error { *field(s) = v.Number; return nil }
}

func count(field func(*Settings) *int) setter {
	return func(s *Settings, v option.Value) error { *field(s) = v.Count; return nil }
}

func flag(field func(*Settings) *bool) setter {
	return func(s *Settings, v option.Value) error { *field(s) = v.Flag; return nil }
}

func not(field func(*Settings) *bool) setter {
	return func(s *Settings, v option.Value) error { *field(s) = !v.Flag; return nil }
}

// decision is a flag that differs from one that is not set.
func decision(field func(*Settings) **bool) setter {
	return func(s *Settings, v option.Value) error { *field(s) = &v.Flag; return nil }
}

// seconds are a duration; 0 is no limit.
func seconds(field func(*Settings) *time.Duration) setter {
	return func(s *Settings, v option.Value) error {
		*field(s) = time.Duration(min(v.Number*float64(time.Second), math.MaxInt64))
		return nil
	}
}

func parsed[T any](parse func(string) (T, error), field func(*Settings) *T) setter {
	return func(s *Settings, v option.Value) error {
		t, err := parse(v.Text)
		if err == nil {
			*field(s) = t
		}
		return err
	}
}

func ignored(*Settings, option.Value) error { return nil }

// setMethod reads the method of learning, which readSettings has looked at already for the sake of the defaults.
func setMethod(s *Settings, v option.Value) error {
	if v.Text == automatic {
		return nil
	}
	err := parsed(learn.ParseMethod, func(s *Settings) *learn.Method { return &s.Learn.Method })(s, v)
	if err != nil {
		return fmt.Errorf("want %s or%s", automatic, strings.TrimPrefix(err.Error(), "want"))
	}
	return nil
}

func setSeed(s *Settings, v option.Value) error {
	s.Seed, s.Seeded = v.Whole, true
	return nil
}

func setGroundRules(s *Settings, v option.Value) error {
	if !v.Flag {
		s.Outputs.GroundRules = ""
	} else if s.Outputs.GroundRules == "" {
		s.Outputs.GroundRules = stdout
	}
	return nil
}

func setRandomWeights(s *Settings, v option.Value) error {
	s.Learn.Deviation = 0
	if v.Flag {
		s.Learn.Deviation = 0.1
	}
	return nil
}

func setDirichlet(s *Settings, v option.Value) error {
	s.Search.Sampling = search.LogUniform
	if v.Flag {
		s.Search.Sampling = search.Simplex
	}
	return nil
}

// setEvaluators reads a list of evaluators between commas. It adds to what is there, as repeated flags do.
func setEvaluators(s *Settings, v option.Value) error {
	for name := range strings.SplitSeq(v.Text, ",") {
		short, err := load.ParseEvaluator(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		s.Evaluators = append(s.Evaluators, load.Evaluation{Evaluator: short, Primary: len(s.Evaluators) == 0})
	}
	return nil
}

// evaluation is an option that package eval reads; those of one evaluator win.
func evaluation(name string) setter {
	return func(s *Settings, v option.Value) error { s.Evaluation[name] = v.Text; return nil }
}

// ReadSettings applies options over the defaults: the configuration's common ones, those of the phase, then the ones
// set by the caller. A name that is not known is an error; one that only Java PSL knows is noted in idle.
func ReadSettings(config *load.Config, phase load.Phase, set []string) (s Settings, diags source.Diagnostics) {
	given := optionsOf(config, phase, set, &diags)
	s = defaultsFor(config, given)
	for _, o := range given {
		s.apply(o, &diags)
	}
	if s.ValidationBreak {
		s.Learn.Patience = s.ValidationPatience
	}
	if s.Compared {
		s.Rival = rivalOf(given)
	}
	return s, diags
}

// optionsOf collects the options of a phase in the order in which they win, the last ones over all others. Names are
// those of the table, where it has them.
func optionsOf(config *load.Config, phase load.Phase, set []string, diags *source.Diagnostics) (given []load.Option) {
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
		if !ok || name == "" {
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
// learned by the structured perceptron, as in PSL, and kept where they are better than those written; with networks,
// held-out labels choose what is learned, or if there are examples, of which what networks see is mostly latent,
// energies are learned from.
func defaultsFor(config *load.Config, given []load.Option) Settings {
	s := Settings{Level: slog.LevelDebug, Evaluation: make(map[string]string)}
	switch {
	case slices.ContainsFunc(config.Predicates, func(p *load.Predicate) bool { return p.Deep != nil }):
		s.Learn.Method = learn.Energy // as in Java PSL; and its networks cannot begin anew
	case !slices.ContainsFunc(config.Predicates, func(p *load.Predicate) bool { return p.Neural != nil }):
		s.Learn.Method, s.Compared = learn.Perceptron, config.Examples[load.Learn] == nil
	case config.Examples[load.Learn] != nil:
		s.Learn.Method = learn.Energy
	default:
		s.Auto = true
	}
	class, crossFits, compares := "", s.Auto, s.Compared
	own := false
	for _, o := range given {
		name := option.Translate(o.Name)
		own = own || name != "learn.method" && name != "learn.folds" && strings.HasPrefix(name, "learn.")
		switch name {
		case "learn.method":
			s.Auto, s.Compared = crossFits && o.Value == automatic, compares && o.Value == automatic
			if method, err := learn.ParseMethod(o.Value); err == nil {
				s.Learn.Method, class = method, o.Value
			}
		case "learn.loss":
			s.LossSet = true
		case "learn.decay":
			s.DecaySet = true
		case "learn.steps":
			s.StepsSet = true
		case "learn.rate.networks":
			s.RateSet = true
		case "network.rate":
			s.Network.RateSet = true
		}
	}
	method := s.Learn.Method.String()
	loss, isBilevel := learn.BilevelLoss(class)
	s.Asked = crossFits && !s.Auto && !own && !isBilevel && s.Learn.Method.Info().OfAnswer
	switch {
	case s.Auto:
		method = automatic
	case isBilevel:
		method, s.Learn.Loss.Kind = bilevel, loss
	}
	s.setDefaults(method)
	return s
}

// rivalOf has the settings of the pseudo-likelihood, which learns otherwise than what is the default.
func rivalOf(given []load.Option) learn.Settings {
	rival := Settings{Evaluation: make(map[string]string)}
	rival.setDefaults(learn.Likelihood.String())
	for _, o := range given {
		rival.apply(o, new(source.Diagnostics))
	}
	rival.Learn.Method = learn.Likelihood
	return rival.Learn
}

// setDefaults gives every setting what the table has for a method of learning.
func (s *Settings) setDefaults(method string) {
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
func sections(config *load.Config, phase load.Phase) []load.Section {
	if phase == load.Validation {
		return []load.Section{config.Common, config.Phases[load.Learn], config.Phases[load.Validation]}
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
func (s *Settings) apply(given load.Option, diags *source.Diagnostics) {
	o := option.Find(given.Name)
	switch {
	case o == nil && option.IsPSLName(given.Name):
		s.Idle = append(s.Idle, given)
	case o == nil:
		unknownOption(given, diags)
	default:
		v, err := o.Parse(given.Value)
		if err == nil {
			err = setters[o.Name](s, v)
		}
		if err != nil {
			hint := err.Error()
			if o.Kind == option.Choice {
				hint = cmp.Or(source.Suggest(given.Value, o.Among()), hint)
			}
			diags.Errorf("option-value", given.Span, hint, "option %s cannot be %q", given.Name, given.Value)
		}
	}
}

// unknownOption reports an option that neither this program nor Java PSL has.
func unknownOption(given load.Option, diags *source.Diagnostics) {
	hint := source.Suggest(given.Name, option.Names())
	for _, name := range option.Names() {
		if hint == "" && strings.HasSuffix(name, "."+given.Name) {
			hint = "did you mean " + name + "?"
		}
	}
	diags.Errorf("option-unknown", given.Span, hint, "there is no option %s",
		given.Name)
}

// didYouMean returns a hint to append to a message about an unknown name, or "".
func didYouMean(name string, known []string) string {
	if hint := source.Suggest(name, known); hint != "" {
		return ": " + hint
	}
	return ""
}

// parseLevels reads positive numbers with colons between them.
func parseLevels(value string) ([]float64, error) {
	var levels []float64
	for field := range strings.SplitSeq(value, ":") {
		level, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || !(level > 0) || math.IsInf(level, 0) {
			return nil, fmt.Errorf("want numbers above 0, with colons between them")
		}
		levels = append(levels, level)
	}
	return levels, nil
}

// Precise is the project with inference so exact that differences of its answers have a meaning.
func (p *Project) Precise() *Project {
	precise := *p
	precise.Checkpoint = ""
	for phase := range precise.Phases {
		precise.Phases[phase].demandPrecision()
	}
	precise.Learning.demandPrecision()
	return &precise
}

func (s *Settings) demandPrecision() {
	s.Solve.Gap, s.Solve.Feasibility, s.Solve.TimeLimit = 1e-10, 1e-9, 0
	if row, err := auto.Find(s.Method); err == nil && !row.Proves {
		s.Method = "auto"
	}
}
