package preflight

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/ground"
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
// ground rules, and the part of the memory that is for curvature.
const (
	bytesPerVariable   = 120
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
	tables, whole, disk := tableBytes(store), 0.0, 0.0
	for k := range estimates {
		whole += cost(&estimates[k])
		disk += estimates[k].Bytes
	}
	if tables+whole <= float64(b.Memory) {
		return nil, nil
	}
	variables, inputs := store.Number()
	room := b.Memory / roomShare
	need := tables + float64(room) + bytesPerVariable*float64(variables) + bytesPerMultiplier*multipliers(estimates)
	var diags source.Diagnostics
	switch {
	case inputs > 0:
		diags.Errorf("paged-network", source.Span{}, "give more memory, or write the networks' outputs as data",
			"the ground model would need about %s, more than the memory given (%s), and ground rules about what networks "+
				"perceive cannot be kept in a file", Size(tables+whole), Size(float64(b.Memory)))
	case need > float64(b.Memory):
		diags.Errorf("paged-memory", source.Span{}, "give more memory, or leave targets out of the data",
			"even with its ground rules in a file, the model would need about %s of memory for %d targets, more than the "+
				"%s given", Size(need), variables, Size(float64(b.Memory)))
	case b.Disk >= 0 && disk > float64(b.Disk):
		diags.Errorf("paged-disk", source.Span{}, "choose another folder with --scratch (-D ground.scratch=DIR)",
			"the ground rules would need a temporary file of about %s, and its folder has %s left", Size(disk),
			Size(float64(b.Disk)))
	}
	return &Paging{Room: room, Disk: int64(disk)}, diags.Err()
}

// multipliers estimates how many ground rules have multipliers that must be kept: hard ones and linear hinges.
func multipliers(estimates []ground.Estimate) (total float64) {
	for k := range estimates {
		if rule := estimates[k].Plan.Rule; rule.Weight.Hard || rule.Exponent == 1 {
			total += estimates[k].Potentials
		}
	}
	return total
}

// tableBytes is what the relations take, with indexes as large as themselves.
func tableBytes(store *relation.Store) (total float64) {
	for _, r := range store.Relations {
		total += 2 * (4*float64(r.Arity)*float64(r.Len()) + float64(r.Truth.Bytes()+r.Given.Bytes()))
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
