package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// parsedType is what all values of Var say that they are.
const parsedType = "parsed"

// parsed is the value of a flag that a function reads. So what an option by another name does not take is told by the
// name that was given.
type parsed[T comparable] struct {
	target *T
	parse  func(text string) (T, error)
	form   string
}

func (p *parsed[T]) Set(text string) error {
	value, err := p.parse(text)
	if err == nil {
		*p.target = value
	}
	return err
}

func (p *parsed[T]) String() string {
	var zero T
	if *p.target == zero {
		return "0" // which help does not name as a default
	}
	return fmt.Sprint(*p.target)
}

func (p *parsed[T]) Type() string  { return parsedType }
func (p *parsed[T]) takes() string { return p.form }

// Var declares a flag that parse reads; what it takes is said in an error.
func Var[T comparable](flags *pflag.FlagSet, target *T, name, takes, usage string, parse func(string) (T, error)) {
	flags.Var(&parsed[T]{target, parse, takes}, name, usage)
}

// errBound is never seen: an error of a flag says what the flag takes.
var errBound = errors.New("out of bounds")

// PositiveVar declares a flag for a number above 0, whose default is in target.
func PositiveVar(flags *pflag.FlagSet, target *float64, name, usage string) {
	Var(flags, target, name, "a number above 0", usage, func(text string) (float64, error) {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || !(value > 0) || math.IsInf(value, 0) {
			return 0, errBound
		}
		return value, nil
	})
}

// TimeVar declares a flag for a duration, of which 0 is none.
func TimeVar(flags *pflag.FlagSet, target *time.Duration, name, usage string) {
	Var(flags, target, name, "a duration such as 90s or 5m", usage, func(text string) (time.Duration, error) {
		value, err := time.ParseDuration(text)
		if err != nil || value < 0 {
			return 0, errBound
		}
		return value, nil
	})
}
