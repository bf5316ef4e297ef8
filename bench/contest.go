package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/export"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// contest is one problem in the forms that all contenders read, and what judges their answers: the ground problem, so
// that every objective is computed by the same code.
type contest struct {
	rivalry
	gap      float64
	threads  int
	dir      string // of everything that is written
	config   string // rules and tables
	exported string // the ground problem as a quadratic program
	field    *mrf.Field
	bound    float64        // no state costs less
	variable map[string]int // by predicate and arguments, between tabs
}

// rivalry says against whom, and where they are.
type rivalry struct {
	peers  []contender
	jar    string
	python string
	limit  time.Duration // of one run
}

// boundGap is the gap to which the bound is proven that answers are compared with.
const boundGap = 1e-8

// newContest grounds a configuration and exports it into the folder dir.
func newContest(ctx context.Context, config, dir string, s settings, r rivalry) (*contest, error) {
	c := &contest{rivalry: r, gap: s.gap, threads: parallel.Threads(s.threads), dir: dir, config: config,
		exported: filepath.Join(dir, "problem.mps"), variable: make(map[string]int)}
	project, err := project.Load(config, project.Options{Threads: c.threads, Seed: s.seed,
		Set: []string{fmt.Sprint("inference.gap=", boundGap)}})
	if err != nil {
		return nil, err
	}
	grounding, err := engine.Ground(ctx, project, load.Infer)
	if err != nil {
		return nil, err
	}
	if err := c.export(grounding); err != nil {
		return nil, err
	}
	answer, err := grounding.Infer(ctx)
	if err != nil {
		return nil, err
	}
	c.bound = answer.DualBound
	grounding.Each(answer, false, func(a session.Atom) {
		c.variable[key(strings.ToUpper(a.Predicate), a.Arguments)] = len(c.variable)
	})
	return c, nil
}

// export writes the quadratic program for those who read it, and makes the field of a dump, which is the judge's.
func (c *contest) export(grounding *session.Grounding) error {
	for _, p := range c.peers {
		if !p.whole {
			write := func(w io.Writer) error { return grounding.Export(w, export.QPS) }
			if err := report.WriteFileFunc(c.exported, write); err != nil {
				return err
			}
			break
		}
	}
	var dump bytes.Buffer
	err := grounding.Export(&dump, export.JSON)
	if err == nil {
		c.field, _, err = export.Read(&dump)
	}
	return err
}

func key(predicate string, arguments []string) string {
	return predicate + "\t" + strings.Join(arguments, "\t")
}

// answers is the folder for a contender's atoms.
func (c *contest) answers(name string) string { return filepath.Join(c.dir, name) }

// read reads an answer's atoms from a folder: a file NAME.txt per predicate, rows of arguments and a value.
func (c *contest) read(dir string) ([]float64, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	y, found := make([]float64, c.field.Model.Variables), 0
	for _, path := range files {
		n, err := c.readAtoms(path, y)
		if err != nil {
			return nil, err
		}
		found += n
	}
	if found != len(y) {
		return nil, fmt.Errorf("the answer has %d of %d atoms", found, len(y))
	}
	return y, nil
}

// readAtoms reads one predicate's, and returns how many there are.
func (c *contest) readAtoms(path string, y []float64) (found int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	predicate := strings.TrimSuffix(filepath.Base(path), ".txt")
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		at := strings.LastIndexByte(line, '\t')
		variable, ok := c.variable[predicate+"\t"+line[:max(at, 0)]]
		if !ok {
			continue // Java writes atoms that no ground rule has, too
		}
		if y[variable], err = strconv.ParseFloat(line[at+1:], 64); err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		found++
	}
	return found, lines.Err()
}

// judge computes what an answer costs, how far that is above the bound, relative to it, and by how much the worst hard
// ground rule is violated. The answer is clipped to [0,1], which costs solvers that do not keep to it little.
func (c *contest) judge(y []float64) (objective, excess, violation float64) {
	for k, v := range y {
		y[k] = min(1, max(0, v))
	}
	objective = c.field.Energy(y)
	return objective, solve.Relative(c.field, objective-c.bound, c.bound), c.field.MaxViolation(y)
}
