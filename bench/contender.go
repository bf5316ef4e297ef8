package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A contender is a program that solves a contest's problem.
type contender struct {
	name string
	// whole tells that it starts from rules and tables, so that its whole process is compared with ours; the others
	// start from the ground problem, and what is compared is setting up and solving.
	whole bool
	run   func(ctx context.Context, c *contest) (*outcome, error)
}

// outcome is what one run of a contender came to.
type outcome struct {
	*process
	ground float64 // seconds, 0 if the contender does not say
	solve  float64 // likewise
	// cpuOfSolve is the processor's time in seconds for that, 0 if the contender does not say.
	cpuOfSolve float64
	version    string
	status     string
	y          []float64 // its answer, by variable
}

// ours is what the others are compared with: the command `deeppsl run`, in a process of its own.
var ours = contender{commandName, true, runOurs}

// peers are the programs that --peers can name.
var peers = []contender{
	{"java", true, javaWith("inference.normalize=false")},
	{"java-default", true, javaWith("inference.normalize=true")},
	{"osqp", false, scriptOf("osqp")},
	{"clarabel", false, scriptOf("clarabel")},
	{"highs", false, scriptOf("highs", "ipm")},
	{"highs-default", false, scriptOf("highs", "choose")},
	{database, false, nil},
}

// database is the peer that makes the rows of joins, and solves nothing.
const database = "duckdb"

// peerNames lists what --peers takes.
func peerNames() []string {
	names := make([]string, len(peers))
	for k, p := range peers {
		names[k] = p.name
	}
	return names
}

// commandName as the first argument makes this program the command deeppsl, to be measured as a process of its own.
const commandName = "deeppsl"

func runOurs(ctx context.Context, c *contest) (*outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{commandName, "run", c.config, "--infer", "--output", c.answers(commandName), "--json", "--quiet",
		"--threads", strconv.Itoa(c.threads), "-D", fmt.Sprint("inference.gap=", c.gap)}
	p, err := execute(ctx, c.dir, c.limit, self, args...)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Status  string `json:"status"`
		PeakRSS int64  `json:"peak_rss_bytes"`
		Seconds struct {
			Ground float64 `json:"ground"`
			Solve  float64 `json:"solve"`
		} `json:"seconds"`
	}
	if err := json.Unmarshal(p.stdout, &answer); err != nil {
		return nil, err
	}
	p.rss = answer.PeakRSS // without that of this process, see report.ChildRSS
	y, err := c.read(c.answers(commandName))
	return &outcome{process: p, ground: answer.Seconds.Ground, solve: answer.Seconds.Solve, status: answer.Status, y: y},
		err
}

// javaWith runs Java PSL's command with an option.
func javaWith(option string) func(context.Context, *contest) (*outcome, error) {
	return func(ctx context.Context, c *contest) (*outcome, error) {
		if c.jar == "" {
			return nil, absent{"neither --psl-jar nor " + jarVariable + " names its jar"}
		}
		out := c.answers("java")
		p, err := execute(ctx, c.dir, c.limit, "java", "-jar", c.jar, "--config", c.config, "--infer", "--output", out,
			"-D", option, "-D", "random.seed=1")
		if err != nil {
			return nil, err
		}
		y, err := c.read(out)
		return &outcome{process: p, version: javaVersion(string(p.stdout)), y: y}, err
	}
}

// javaVersion finds the version in Java PSL's log.
func javaVersion(log string) string {
	_, after, _ := strings.Cut(log, "PSL Runtime Version ")
	version, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(version)
}

// scriptOf runs a solver of quadratic programs by the script of its name, on the exported problem, with one of its
// methods if it has several.
func scriptOf(name string, method ...string) func(context.Context, *contest) (*outcome, error) {
	text := script("program") + script(name)
	return func(ctx context.Context, c *contest) (*outcome, error) {
		answer := filepath.Join(c.dir, name+strings.Join(method, "")+".bin")
		args := append([]string{"-c", text, c.exported, answer, fmt.Sprint(c.gap), fmt.Sprint(c.limit.Seconds()),
			strconv.Itoa(c.field.Model.Variables)}, method...)
		p, err := execute(ctx, c.dir, c.limit+readingTime, c.python, args...)
		if err != nil {
			return nil, err
		}
		var said struct {
			Seconds, CPU    float64
			Version, Status string
		}
		if err := json.Unmarshal([]byte(lastLine(string(p.stdout))), &said); err != nil {
			return nil, err
		}
		y, err := readVector(answer, c.field.Model.Variables)
		return &outcome{process: p, solve: said.Seconds, cpuOfSolve: said.CPU, version: said.Version,
			status: said.Status, y: y}, err
	}
}

// readingTime is what scripts have to read a problem, beside the limit for solving it.
const readingTime = 5 * time.Minute

// readVector reads n little-endian numbers.
func readVector(path string, n int) ([]float64, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(bytes) != 8*n {
		return nil, errors.New("it gave no answer")
	}
	y := make([]float64, n)
	for k := range y {
		y[k] = math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*k:]))
		if math.IsNaN(y[k]) {
			return nil, errors.New("its answer is not a number")
		}
	}
	return y, nil
}
