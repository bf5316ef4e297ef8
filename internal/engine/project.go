// Package engine ties the stages together: a Project is a configuration with its rules, tables and networks. Ground
// makes the hinge-loss Markov random field of one of its phases; Infer finds that field's MAP state, with a proof of
// how good it is; Train learns rule weights and networks through that inference; Evaluate scores the answer. Run does
// all that the configuration asks for.
//
// Nothing here prints or exits: progress goes to the functions in Options. All results are bit-identical for the same
// input, options and seed, whatever the number of threads.
package engine

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/deeppsl/deeppsl/internal/derive"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/option"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
)

// Phase is a part of a run. Each has its own atoms, and may have rules and options of its own.
type Phase = load.Phase

// The phases of a run.
const (
	Learn      = load.Learn
	Validation = load.Validation
	Infer      = load.Infer
)

// Options are the settings of a run that are not part of the project. The zero value is good.
type Options struct {
	// Seed is the origin of everything random: initial weights, dropout, splits.
	Seed uint64
	// Threads bounds the goroutines at work; 0 means one per core. Results do not depend on it.
	Threads int
	// Set holds options as "name=value"; they win over those of the configuration.
	Set []string
	// Log receives what is worth knowing but no result; nil discards it.
	Log *slog.Logger
	// OnEpoch, if set, is called after every epoch of training.
	OnEpoch func(Epoch)
	// OnFit, if set, is called after every epoch of fitting networks alone.
	OnFit func(FitEpoch)
	// OnBatch, if set, is called after every batch of training examples.
	OnBatch func(Batch)
	// OnIteration, if set, is called after every iteration of an inference, but not of those within training, nor where
	// components are solved apart.
	OnIteration func(Iteration)
	// OnGround, if set, is called when Run has ground its first phase. A context that ends before is an error; one that
	// ends later leaves the best answer so far.
	OnGround func()
	// OnWarning, if set, is called with the warnings that reading and compiling gave rise to.
	OnWarning func(Warnings)
	// Specs holds networks in memory, by name: they take the place of the settings of those of the configuration.
	Specs map[string]neural.Spec
	// Features holds tables in memory, by the path under which a network of the configuration names them; other tables
	// are read from files.
	Features map[string]*neural.Features
	// Checkpoint is a file that training writes after every epoch and continues from if it exists; "" means none.
	Checkpoint string
}

// Epoch is one line of a learning curve.
type Epoch = learn.Epoch

// Batch says how far an epoch over examples has come.
type Batch = learn.Batch

// FitEpoch says how far fitting networks alone has come.
type FitEpoch = learn.FitEpoch

// Iteration is a line of an inference's progress.
type Iteration = solve.Iteration

// Failure is the error of an input that has no meaning, such as a rule that cannot be read or a missing table. Its
// Diagnostics are sorted by place; its message shows them with their lines.
type Failure = source.Failure

// Warnings are suspicious places in a project, to be rendered for a person.
type Warnings = source.Diagnostics

// Project is a program with its data: what a configuration file describes. It is read-only, but for SetTruth.
type Project struct {
	Options
	config   *load.Config
	phases   [3]settings
	settings settings // of learning
	warnings Warnings // of loading
	loading  time.Duration
	truth    map[truthKey][][]string
	warned   *warned
}

// truthKey names a table of known values.
type truthKey struct {
	phase     Phase
	predicate int
}

// Load reads a configuration and its rule files, and checks them; tables are read when a phase is ground. The error
// carries everything that is wrong, each with its place. A .data file of PSL up to 2.3 is read with the rules of the
// same name beside it.
func Load(path string, options Options) (*Project, error) {
	if base, classic := strings.CutSuffix(path, ".data"); classic {
		return LoadClassic(base+".psl", path, options)
	}
	start := time.Now()
	config, err := load.Read(path)
	return newProject(config, err, options, start)
}

// LoadClassic is Load for a program as PSL up to 2.3 has it: a file of rules, and one in YAML that declares predicates
// and names their tables.
func LoadClassic(rules, data string, options Options) (*Project, error) {
	start := time.Now()
	config, err := load.ReadClassic(rules, data, nil)
	return newProject(config, err, options, start)
}

// ReadConfig reads a configuration as Load does.
func ReadConfig(path string) (*load.Config, error) {
	project, err := Load(path, Options{})
	if err != nil {
		return nil, err
	}
	return project.config, nil
}

// New makes a project of a configuration that was put together in memory and is resolved.
func New(config *load.Config, options Options) (*Project, error) {
	return newProject(config, nil, options, time.Now())
}

// newProject makes a project of a configuration, or completes the error of reading it.
func newProject(config *load.Config, err error, options Options, start time.Time) (*Project, error) {
	if config == nil {
		return nil, err
	}
	p := &Project{Options: options, config: config, truth: make(map[truthKey][][]string),
		warned: &warned{told: make(map[string]bool)}}
	if err != nil {
		return nil, p.checkRest(err)
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	diags := append(p.readOptions(), config.Warnings...)
	var inRules source.Diagnostics
	p.compileAll(&inRules)
	if diags.HasErrors() || inRules.HasErrors() { // warnings about rules come with each phase
		diags = append(diags, inRules...)
		return nil, diags.Err()
	}
	diags.Sort()
	p.warnings = diags
	p.warn(diags)
	p.loading = time.Since(start)
	return p, nil
}

// readOptions reads the settings of all phases, and those that are the whole project's.
func (p *Project) readOptions() (diags source.Diagnostics) {
	var idle []load.Option
	for phase := range p.phases {
		var wrong source.Diagnostics
		p.phases[phase], wrong = readSettings(p.config, Phase(phase), p.Set)
		diags = append(diags, wrong...)
		idle = append(idle, p.phases[phase].idle...)
		if s := &p.phases[phase]; s.seeded {
			p.Seed = s.seed
		}
	}
	p.settings = p.phases[Learn]
	for _, predicate := range p.config.Predicates {
		if len(predicate.Evaluations) == 0 && !predicate.Truth.Empty() {
			predicate.Evaluations = p.phases[Infer].evaluators
		}
		idle = append(idle, idlePredicateOptions(predicate, &diags)...)
		for _, e := range predicate.Evaluations {
			for _, o := range e.Options {
				if option.Find(o.Name) == nil && !option.IsPSLName(o.Name) {
					unknownOption(o, &diags)
				}
			}
		}
	}
	noteIdle(idle, &diags)
	if p.Threads == 0 {
		p.Threads = p.phases[Infer].threads
	}
	p.Log = slog.New(leveled{p.Log.Handler(), p.phases[Infer].level})
	return diags
}

// checkRest adds to an error about some rules what is wrong with the other ones.
func (p *Project) checkRest(err error) error {
	failure := (*source.Failure)(nil)
	if !errors.As(err, &failure) {
		return err
	}
	diags := slices.Clone(failure.Diagnostics)
	p.compileAll(&diags)
	return diags.Err()
}

// compileAll compiles the rules of all phases and the derivations, for what is wrong with them.
func (p *Project) compileAll(diags *source.Diagnostics) {
	for phase := range Phase(3) {
		p.compile(phase, diags)
		derive.Compile(p.config, phase, diags)
	}
}

func (p *Project) compile(phase Phase, diags *source.Diagnostics) *program.Program {
	return program.Compile(p.config.Declarations(), p.rules(phase), diags)
}

// warn tells of warnings, each once: phases have rules and tables in common.
func (p *Project) warn(warnings Warnings) {
	if p.OnWarning == nil || p.phases[Infer].level > slog.LevelWarn {
		return
	}
	if fresh := p.warned.add(warnings); len(fresh) > 0 {
		p.OnWarning(fresh)
	}
}

// warned is what has been warned of.
type warned struct {
	sync.Mutex
	told map[string]bool
}

// add returns those of the warnings that are new.
func (w *warned) add(warnings Warnings) (fresh Warnings) {
	w.Lock()
	defer w.Unlock()
	for _, d := range warnings {
		key := d.ID + " " + d.Span.String() + " " + d.Message
		if !w.told[key] {
			w.told[key] = true
			fresh = append(fresh, d)
		}
	}
	return fresh
}

// SetTruth replaces the known values of a predicate's atoms in a phase: rows of its arguments and, if one more, the
// value. It makes experiments over many splits of the same data cheap: the ground model stays as it is.
func (p *Project) SetTruth(phase Phase, predicate string, rows [][]string) error {
	number, err := p.predicate(predicate)
	if err != nil {
		return err
	}
	p.truth[truthKey{phase, number}] = rows
	return nil
}

// predicate returns the number of the predicate with the given name.
func (p *Project) predicate(name string) (int, error) {
	names := make([]string, len(p.config.Predicates))
	for k, declared := range p.config.Predicates {
		if names[k] = declared.Name; equalFold(declared.Name, name) {
			return k, nil
		}
	}
	return 0, fmt.Errorf("there is no predicate %s%s", name, didYouMean(name, names))
}
