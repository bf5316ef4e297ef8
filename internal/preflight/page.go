package preflight

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/scratch"
	"github.com/deeppsl/deeppsl/internal/source"
)

// budget is what a model may take.
type budget struct {
	// Memory is in bytes, the tables' included.
	Memory int64
	// Disk is how many bytes are free for a temporary file; negative if that is not known.
	Disk int64
}

// Paging says how a model is solved whose ground rules are kept in a file.
type Paging struct {
	// Room is how many bytes a solver may keep of the curvature of its active ground rules.
	Room int64
	// Disk is how many bytes the ground rules are expected to take there.
	Disk int64
	// File is for the ground rules.
	File *scratch.File
}

// What paged inference takes in memory, in bytes: the vectors of the solver and the buffers of its sweeps, by variable
// (about 115 for each and 140 more for those that are not at a bound, mostly few), the multipliers of hard and linear
// ground rules, and the part of the memory that is for curvature. A model is in memory only if there is enough of it
// for variables none of which is at a bound.
const (
	bytesPerVariable   = 120
	bytesPerInner      = 255
	bytesPerMultiplier = 16
	roomShare          = 8
)

// Place is page with a file in a folder, or in the system's folder for temporary files if that is "". The file has its
// part of the disk from the start.
func Place(estimates []ground.Estimate, store *relation.Store, memory int64, folder string) (*Paging, error) {
	disk, known := scratch.Free(folder)
	if !known {
		disk = -1
	}
	p, err := page(estimates, store, budget{Memory: memory, Disk: disk})
	if err != nil || p == nil {
		return nil, err
	}
	return p.in(folder)
}

// Page is Place for a model that was expected to fit, and does not: how large it is, nobody knows.
func Page(store *relation.Store, memory int64, folder string) (*Paging, error) {
	if _, inputs := store.Number(); inputs > 0 {
		return nil, perceives("more", memory)
	}
	return (&Paging{Room: memory / roomShare}).in(folder)
}

// in makes the file.
func (p *Paging) in(folder string) (_ *Paging, err error) {
	if p.File, err = scratch.Create(folder); err != nil {
		return nil, err
	}
	if err := p.File.Reserve(p.Disk); err != nil {
		return nil, errors.Join(err, p.File.Close())
	}
	return p, nil
}

// page decides how a model fits in a budget: nil means that it does as it is. The error is a *source.Failure: there is
// a network in the model, whose outputs are folded into constants in memory, too many variables, or too little disk.
func page(estimates []ground.Estimate, store *relation.Store, b budget) (*Paging, error) {
	tables, whole, disk := float64(TableBytes(store)), 0.0, 0.0
	for k := range estimates {
		whole += Cost(&estimates[k])
		disk += estimates[k].Bytes
	}
	variables, inputs := store.Number()
	whole += bytesPerInner * float64(variables)
	if tables+whole <= float64(b.Memory) {
		return nil, nil
	}
	if inputs > 0 {
		return nil, perceives(fmt.Sprintf("about %s, more", Size(tables+whole)), b.Memory)
	}
	if err := solvable(multipliers(estimates), store, b.Memory); err != nil {
		return nil, err
	}
	var diags source.Diagnostics
	if b.Disk >= 0 && disk > float64(b.Disk) {
		diags.Errorf("paged-disk", source.Span{}, "choose another folder with --scratch (-D ground.scratch=DIR)",
			"the ground rules would need a temporary file of about %s, and its folder has %s left", Size(disk),
			Size(float64(b.Disk)))
	}
	return &Paging{Room: b.Memory / roomShare, Disk: int64(disk)}, diags.Err()
}

// perceives is the error of a model with networks that needs so much.
func perceives(need string, memory int64) error {
	var diags source.Diagnostics
	diags.Errorf("paged-network", source.Span{}, "give more memory, or write the networks' outputs as data",
		"the ground model would need %s than the memory given (%s), and ground rules about what networks "+
			"perceive cannot be kept in a file", need, Size(float64(memory)))
	return diags.Err()
}

// solvable refuses a model in a file with so many multipliers that solving it would take too much memory even so.
func solvable(multipliers float64, store *relation.Store, memory int64) error {
	variables, _ := store.Number()
	need := float64(TableBytes(store)+memory/roomShare) + bytesPerVariable*float64(variables) +
		bytesPerMultiplier*multipliers
	if need <= float64(memory) {
		return nil
	}
	var diags source.Diagnostics
	diags.Errorf("paged-memory", source.Span{}, "give more memory, or leave targets out of the data",
		"even with its ground rules in a file, the model would need about %s of memory for %d targets, more than the "+
			"%s given", Size(need), variables, Size(float64(memory)))
	return diags.Err()
}

// Paged refuses a model in a file whose solution would take too much memory, now that it is ground.
func Paged(made *ground.Report, store *relation.Store, memory int64) error {
	total := 0.0
	for k := range made.Rules {
		if r := &made.Rules[k]; multiplied(r.Plan.Rule) {
			total += float64(r.Potentials)
		}
	}
	return solvable(total, store, memory)
}

// multiplied tells whether a rule's ground rules have multipliers that must be kept: if it is hard or a linear hinge.
func multiplied(rule *program.Rule) bool { return rule.Weight.Hard || rule.Exponent == 1 }

// multipliers estimates how many of them there are.
func multipliers(estimates []ground.Estimate) (total float64) {
	for k := range estimates {
		if multiplied(estimates[k].Plan.Rule) {
			total += estimates[k].Potentials
		}
	}
	return total
}

// TableBytes is what the constants and the relations take, these with indexes as large as themselves.
func TableBytes(store *relation.Store) int64 {
	total := store.Symbols.Bytes()
	for _, r := range store.Relations {
		total += 2 * (4*int64(r.Arity)*int64(r.Len()) + int64(r.Truth.Bytes()+r.Given.Bytes()))
	}
	return total
}

// units are those of ParseSize, with their factors.
var units = map[string]float64{"": 1, "b": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "kb": 1e3, "mb": 1e6, "gb": 1e9,
	"tb": 1e12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}

// ParseSize reads a number of bytes with a unit, such as 500MB or 1.5GiB.
func ParseSize(text string) (bytes int64, err error) {
	at := strings.LastIndexAny(text, "0123456789.") + 1
	number, err := strconv.ParseFloat(strings.TrimSpace(text[:at]), 64)
	unit, known := units[strings.ToLower(strings.TrimSpace(text[at:]))]
	if err != nil || !known || !(number*unit >= 1) || number*unit > math.MaxInt64/2 {
		return 0, fmt.Errorf("want a size, such as 500MB or 1.5GiB")
	}
	return int64(number * unit), nil
}
