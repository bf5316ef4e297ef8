package deeppsl

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// Options are the settings of a session. The zero value of each leaves it to the program that was opened, or else to
// its default. What is out of range is an error.
type Options struct {
	// Seed is the origin of everything random, by default 0.
	Seed uint64
	// Threads bounds the goroutines at work, by default one per core. Results do not depend on it.
	Threads int
	// Memory is how many bytes the ground rules may take before they go to a temporary file; 0 is no bound.
	Memory int64
	// Gap is the relative duality gap that inference proves, above 0 and by default 1e-6.
	Gap float64
	// Method is that of inference: "auto", which is the default, "newton", "interior" or "sgd".
	Method string
	// Learning is the method of learning, such as "perceptron" or "implicit"; "" chooses by what there is to learn.
	Learning string
	// Epochs bounds the epochs of learning, as in new(15); 0 of them is none, and nil means the method's default.
	Epochs *int
	// Set holds any other option by the name that `deeppsl options` lists, with its value as it is written there.
	Set map[string]string
	// Log receives what is worth knowing but no result; nil discards it.
	Log *slog.Logger
	// OnWarning, if set, is called with each thing in program and data that is probably not meant.
	OnWarning func(Problem)
	// OnEpoch, if set, is called after each epoch of learning.
	OnEpoch func(Epoch)
}

// engine returns the options as the engine has them.
func (o *Options) engine(networks map[string]neural.Spec, tables map[string]*features.Table) project.Options {
	out := project.Options{Set: o.named(), Log: o.Log, Specs: networks, Features: tables}
	if o.OnWarning != nil {
		out.OnWarning = func(diags source.Diagnostics) {
			for _, p := range problems(diags) {
				o.OnWarning(p)
			}
		}
	}
	if o.OnEpoch != nil {
		out.OnEpoch = func(e learn.Epoch) { o.OnEpoch(epochOf(e)) }
	}
	return out
}

// named are the options by their names; those that have a field win.
func (o *Options) named() []string {
	var set []string
	for _, name := range slices.Sorted(maps.Keys(o.Set)) {
		set = append(set, name+"="+o.Set[name])
	}
	for _, typed := range []struct {
		name  string
		value any
		given bool
	}{
		{"random.seed", o.Seed, o.Seed != 0}, {"parallel.numthreads", o.Threads, o.Threads != 0},
		{"ground.memory", o.Memory, o.Memory != 0}, {"inference.gap", o.Gap, o.Gap != 0},
		{"inference.method", o.Method, o.Method != ""}, {"learn.method", o.Learning, o.Learning != ""},
	} {
		if typed.given {
			set = append(set, fmt.Sprintf("%s=%v", typed.name, typed.value))
		}
	}
	if o.Epochs != nil {
		set = append(set, fmt.Sprintf("learn.epochs=%d", *o.Epochs))
	}
	return set
}
