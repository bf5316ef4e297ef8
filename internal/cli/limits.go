package cli

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/deeppsl/deeppsl/internal/command"
)

// limits are the flags that say how long inference goes on. Each is an option by another name, and wins over -D.
type limits struct {
	gap     float64
	time    time.Duration
	seconds string // the option that time sets
}

func (l *limits) flags(flags *pflag.FlagSet) {
	l.gap = 1e-6
	command.PositiveVar(flags, &l.gap, "gap", "end inference when this relative `gap` to the optimum is proven")
	command.TimeVar(flags, &l.time, "time-limit", "end after this `time`, such as 90s, with the best answer yet")
}

// options returns the options that the flags given on the command line set.
func (l *limits) options(flags *pflag.FlagSet) (set []string) {
	if flags.Changed("gap") {
		set = append(set, fmt.Sprintf("inference.gap=%v", l.gap))
	}
	if flags.Changed("time-limit") {
		set = append(set, fmt.Sprintf("%s=%v", l.seconds, l.time.Seconds()))
	}
	return set
}

// reading is the time that reading and grounding have beside the limit, as there is no answer before they are done.
const reading = 2 * time.Second

// grounding returns how long there may be no answer yet; 0 without a limit.
func (l *limits) grounding() time.Duration {
	if l.time == 0 {
		return 0
	}
	return l.time + reading
}
