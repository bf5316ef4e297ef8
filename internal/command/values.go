package command

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// CountVar declares a flag for a whole number that is not below a least one, whose default is in target.
func CountVar(flags *pflag.FlagSet, target *int, name string, least int, usage string) {
	Var(flags, target, name, fmt.Sprint("a whole number from ", least), usage, func(text string) (int, error) {
		value, err := strconv.Atoi(text)
		if err != nil || value < least {
			return 0, errBound
		}
		return value, nil
	})
}

// FolderVar declares a flag for a folder to write to, whose default is in target. It need not be there, but what would
// keep it from being made is found before a long run, and not after it.
func FolderVar(flags *pflag.FlagSet, target *string, name, usage string) {
	Var(flags, target, name, "a folder, with no file on the way to it", usage, func(text string) (string, error) {
		if strings.TrimSpace(text) == "" || FileOnTheWay(text) != "" {
			return "", errBound
		}
		return text, nil
	})
}

// FileOnTheWay is the file that keeps a folder from being made, and "" if there is none.
func FileOnTheWay(folder string) string {
	for ; folder != "" && folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if info, err := os.Stat(folder); err == nil {
			if info.IsDir() {
				break
			}
			return folder
		}
	}
	return ""
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
