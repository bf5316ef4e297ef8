// Package project is what a configuration describes: a program with its data, and what all options say in each phase
// of a run. It reads and checks, and computes nothing: a grounding of one of its phases is package session's, and
// package engine runs them all.
package project

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/deeppsl/deeppsl/internal/derive"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/learn/fit"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/neupsl"
	"github.com/deeppsl/deeppsl/internal/option"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/solve"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
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
	OnEpoch func(learn.Epoch)
	// OnFit, if set, is called after every epoch of fitting networks alone.
	OnFit func(fit.Epoch)
	// OnStage, if set, is called after each of at most so many steps of a stage of learning, and with the last one when
	// the stage is over.
	OnStage func(name string, step, steps int)
	// OnBatch, if set, is called after every batch of training examples.
	OnBatch func(learn.Batch)
	// Bare says that nobody asks for the multipliers of answers.
	Bare bool
	// OnIteration, if set, is called after every iteration of an inference, but not of those of examples, nor where
	// components are solved apart.
	OnIteration func(solve.Iteration)
	// OnGround, if set, is called when Run has ground its first phase. A context that ends before is an error; one that
	// ends later leaves the best answer so far.
	OnGround func()
	// OnWarning, if set, is called with the warnings that reading and compiling gave rise to.
	OnWarning func(source.Diagnostics)
	// Specs holds networks in memory, by name: they take the place of the settings of those of the configuration.
	Specs map[string]neural.Spec
	// Features holds tables in memory, by the path under which a network of the configuration names them; other tables
	// are read from files.
	Features map[string]*features.Table
	// Profile has grounding tell how long each step of each rule took.
	Profile bool
	// Checkpoint is a file that training writes after every epoch and continues from if it exists; "" means none.
	Checkpoint string
	// Kept is the folder for what frozen networks of ONNX files say, where the option network.kept does not name one; ""
	// keeps nothing.
	Kept string
}

// Project is a program with its data: what a configuration file describes. It is read-only, but for SetTruth.
type Project struct {
	Options
	Config   *load.Config
	Phases   [3]Settings
	Learning Settings           // of learning
	Warnings source.Diagnostics // of loading
	Loading  time.Duration
	server   neupsl.Model // what the networks of NeuPSL have in common
	truth    map[truthKey][][]string
	warned   *warned
}

// truthKey names a table of known values.
type truthKey struct {
	phase     load.Phase
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
	return project.Config, nil
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
	p := &Project{Options: options, Config: config, truth: make(map[truthKey][][]string),
		warned: &warned{told: make(map[string]bool)}}
	if err != nil {
		return nil, p.checkRest(err)
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	diags := append(p.readOptions(), config.Warnings...)
	p.addDeep(&diags)
	var inRules source.Diagnostics
	p.CompileAll(&inRules)
	if diags.HasErrors() || inRules.HasErrors() { // warnings about rules come with each phase
		diags = append(diags, inRules...)
		return nil, diags.Err()
	}
	diags.Sort()
	p.Warnings = diags
	p.Warn(diags)
	p.Loading = time.Since(start)
	return p, nil
}

// Learns tells whether a run of the project learns, unless it is told which stages to do.
func (p *Project) Learns() bool {
	if asked := p.Phases[load.Infer].Learns; asked != nil {
		return *asked
	}
	return p.Config.Runs(load.Learn)
}

// readOptions reads the settings of all phases, and those that are the whole project's.
func (p *Project) readOptions() (diags source.Diagnostics) {
	var idle []load.Option
	for phase := range p.Phases {
		var wrong source.Diagnostics
		p.Phases[phase], wrong = ReadSettings(p.Config, load.Phase(phase), p.Set)
		diags = append(diags, wrong...)
		idle = append(idle, p.Phases[phase].Idle...)
		if s := &p.Phases[phase]; s.Seeded {
			p.Seed = s.Seed
		}
	}
	p.Learning = p.Phases[load.Learn]
	for _, predicate := range p.Config.Predicates {
		if predicate.Evaluations == nil && !predicate.Truth.Empty() {
			predicate.Evaluations = p.Phases[load.Infer].Evaluators
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
	noteIdle(p.takeDeep(idle), &diags)
	if p.Threads == 0 {
		p.Threads = p.Phases[load.Infer].Threads
	}
	p.Config.Threads = p.Threads
	p.Log = slog.New(leveled{p.Log.Handler(), p.Phases[load.Infer].Level})
	return diags
}

// checkRest adds to an error about some rules what is wrong with the other ones.
func (p *Project) checkRest(err error) error {
	failure := (*source.Failure)(nil)
	if !errors.As(err, &failure) {
		return err
	}
	diags := slices.Clone(failure.Diagnostics)
	p.CompileAll(&diags)
	return diags.Err()
}

// CompileAll compiles the rules of all phases and the derivations, for what is wrong with them.
func (p *Project) CompileAll(diags *source.Diagnostics) {
	for phase := range load.Phase(3) {
		p.Compile(phase, diags)
		derive.Compile(p.Config, phase, diags)
	}
}

// Compile reduces the rules of a phase to linear templates, with what is wrong with them in diags.
func (p *Project) Compile(phase load.Phase, diags *source.Diagnostics) *program.Program {
	return program.Compile(p.Config.Declarations(), p.Rules(phase), diags)
}

// Warn tells of warnings, each once: phases have rules and tables in common.
func (p *Project) Warn(warnings source.Diagnostics) {
	if p.OnWarning == nil || p.Phases[load.Infer].Level > slog.LevelWarn {
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
func (w *warned) add(warnings source.Diagnostics) (fresh source.Diagnostics) {
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
func (p *Project) SetTruth(phase load.Phase, predicate string, rows [][]string) error {
	number, err := p.Predicate(predicate)
	if err != nil {
		return err
	}
	p.truth[truthKey{phase, number}] = rows
	return nil
}

// TruthSet returns what SetTruth has set; ok is false for nothing.
func (p *Project) TruthSet(phase load.Phase, predicate int) (rows [][]string, ok bool) {
	rows, ok = p.truth[truthKey{phase, predicate}]
	return rows, ok
}

// Predicate returns the number of the predicate with the given name.
func (p *Project) Predicate(name string) (int, error) {
	names := make([]string, len(p.Config.Predicates))
	for k, declared := range p.Config.Predicates {
		if names[k] = declared.Name; strings.EqualFold(declared.Name, name) {
			return k, nil
		}
	}
	return 0, fmt.Errorf("there is no predicate %s%s", name, didYouMean(name, names))
}

// Exampled returns the phase whose examples a phase is about: its own, or else the first one's that has any.
func (p *Project) Exampled(phase load.Phase) load.Phase {
	for _, other := range []load.Phase{phase, load.Learn, load.Validation, load.Infer} {
		if p.Config.Examples[other] != nil {
			return other
		}
	}
	return phase
}

// SharesAtoms tells whether two phases have the same rules and atoms, so that one ground model serves both.
func (p *Project) SharesAtoms(a, b load.Phase) bool {
	if a == b {
		return true
	}
	if p.Phases[a].Model != p.Phases[b].Model {
		return false
	}
	if len(p.Config.Phases[a].Rules) > 0 || len(p.Config.Phases[b].Rules) > 0 {
		return false
	}
	for _, declared := range p.Config.Predicates {
		for _, data := range [...]*load.Partition{&declared.Observations, &declared.Targets, &declared.Inputs} {
			if !slices.EqualFunc(data.Phases[a], data.Phases[b], same) {
				return false
			}
		}
	}
	return true
}

// same tells whether two tables are known to be the same.
func same(a, b load.Data) bool { return a.Same(&b) }

// Networks tells whether the project has neural predicates.
func (p *Project) Networks() bool { return len(p.Config.Networks) > 0 }

// Exchanged returns the names of the networks that ONNX files have.
func (p *Project) Exchanged() (names []string) {
	for _, network := range p.Config.Networks {
		spec, given := p.Specs[network.Name]
		if !given && json.Unmarshal(network.JSON, &spec) != nil {
			continue // which is told when networks are read
		}
		if spec.File != "" || spec.Graph != nil {
			names = append(names, network.Name)
		}
	}
	return names
}

// KeptIn returns the folder for what frozen networks of ONNX files say, "" if nothing is kept.
func (p *Project) KeptIn() string {
	folder := cmp.Or(p.Phases[load.Infer].Kept, p.Learning.Kept, p.Kept)
	if folder == Nowhere {
		return ""
	}
	return folder
}

// Examples tells whether the project is about examples.
func (p *Project) Examples() bool { return p.Config.HasExamples() }

// ParsePhase returns the phase with the given name: learn, validation or infer.
func ParsePhase(name string) (load.Phase, error) {
	for phase := range load.Phase(3) {
		if phase.String() == name {
			return phase, nil
		}
	}
	return 0, fmt.Errorf("no phase %q: want learn, validation or infer", name)
}

// Memory is the least that the option ground.memory gives a phase, in bytes; 0 if it gives none. Nothing here sets a
// limit for the process: that is for the program whose process it is.
func (p *Project) Memory() (least int64) {
	for k := range p.Phases {
		if given := p.Phases[k].Memory; given > 0 && (least == 0 || given < least) {
			least = given
		}
	}
	return least
}

// Forced says that the options let a project take any amount of memory.
func (p *Project) Forced() bool { return p.Learning.Force }
