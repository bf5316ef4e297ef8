package preflight

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/ground"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Fit refuses a model that would not fit in so many bytes of memory, naming the rule that needs most of them and, where
// ground rules may go to a file, that way out. The error is a *source.Failure.
func Fit(estimates []ground.Estimate, available int64, pageable bool) error {
	need, worst := 0.0, 0
	for k := range estimates {
		need += Cost(&estimates[k])
		if estimates[k].Bytes > estimates[worst].Bytes {
			worst = k
		}
	}
	if need <= float64(available) {
		return nil
	}
	e, file := &estimates[worst], ""
	if pageable {
		file = "run with --memory to keep ground rules in a file, or "
	}
	var diags source.Diagnostics
	diags.Errorf("too-large", e.Plan.Rule.Span,
		"restrict this rule, for example to pairs in one block, or "+file+"use --force (-D ground.force=true)",
		"the ground model would need about %s of memory, and %s is available; this rule has %s ground rules, which need %s",
		Size(need), Size(float64(available)), ground.Amount(e.Potentials, e.Exact), Size(Cost(e)))
	return diags.Err()
}

// TooLarge is the error of what would take more than so many bytes: it says whose, and where it is declared.
func TooLarge(span source.Span, what string, most int64) error {
	var diags source.Diagnostics
	diags.Errorf("too-large", span,
		"restrict this, for example to pairs in one block, or give more memory: --memory SIZE, or --force for all there is",
		"%s would take more than the %s that there are for them", what, Size(float64(most)))
	return diags.Err()
}

// Explain makes the error of what was to be made TooLarge, if it is that there is too much of it.
func Explain(err error, what string) error {
	var excess *ground.Excess
	if errors.As(err, &excess) {
		return TooLarge(excess.Rule.Span, what, excess.Most)
	}
	return err
}

// Copies is how much memory a run needs for each byte of the arenas: they are joined from parts, so that for a
// moment there are two of each, and then the solver has its own. A run on 10 million ground rules of 110 MB was
// measured to take 4.1 times as much, beside its tables.
const Copies = 4

// Cost estimates the memory that grounding and solving a rule takes.
func Cost(e *ground.Estimate) float64 { return Copies * e.Bytes }

// Size prints a number of bytes with two digits and a unit.
func Size(bytes float64) string {
	units := [...]string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	unit := 0
	for ; bytes >= 999.5 && unit < len(units)-1; unit++ {
		bytes /= 1000
	}
	if bytes < 9.95 && unit > 0 {
		return fmt.Sprintf("%.1f %s", bytes, units[unit])
	}
	if bytes >= 1e6 {
		return fmt.Sprintf("10^%.0f %s", math.Log10(bytes), units[unit])
	}
	return fmt.Sprintf("%.0f %s", bytes, units[unit])
}

// Available returns how many bytes of memory this process can still have: what the system calls available, or what is
// left of its control group if that is less. It knows Linux only; elsewhere ok is false. The argument is the root of
// the file system.
func Available(root fs.FS) (bytes int64, ok bool) {
	bytes, ok = systemMemory(root)
	for _, group := range controlGroups(root) {
		if left, limited := group.left(root); limited && (!ok || left < bytes) {
			bytes, ok = left, true
		}
	}
	return bytes, ok
}

// systemMemory reads the line "MemAvailable: 123 kB".
func systemMemory(root fs.FS) (bytes int64, ok bool) {
	kilobytes, ok := readField(root, "proc/meminfo", "MemAvailable:")
	return kilobytes << 10, ok
}

// controlGroup is where a group of processes has its limit of memory, what it uses of that, and, in its statistics, how
// much of what it uses is only a cache of files.
type controlGroup struct{ folder, limit, usage, cache string }

// controlGroups lists the groups of this process, in both versions of the interface: its own, and the root, which is
// what a container sees of its group.
func controlGroups(root fs.FS) (groups []controlGroup) {
	const folder = "sys/fs/cgroup"
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	unified, legacy := []string{"/"}, []string{"/"}
	for line := range strings.Lines(string(text)) {
		if _, rest, _ := strings.Cut(strings.TrimSpace(line), ":"); strings.HasPrefix(rest, ":") {
			unified = append(unified, rest[1:])
		} else if path, found := strings.CutPrefix(rest, "memory:"); found {
			legacy = append(legacy, path)
		}
	}
	for _, own := range unified {
		groups = append(groups,
			controlGroup{path.Join(folder, own), "memory.max", "memory.current", "inactive_file"})
	}
	for _, own := range legacy {
		groups = append(groups, controlGroup{
			path.Join(folder, "memory", own), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"})
	}
	return groups
}

// left returns what a group has left of its limit, if it has one.
func (g controlGroup) left(root fs.FS) (bytes int64, limited bool) {
	limit, ok := readNumber(root, path.Join(g.folder, g.limit))
	usage, known := readNumber(root, path.Join(g.folder, g.usage))
	cache, _ := readField(root, path.Join(g.folder, "memory.stat"), g.cache)
	return max(0, limit-usage+cache), ok && known
}

// readNumber reads a file that holds one number; "max" is none.
func readNumber(root fs.FS, name string) (value int64, ok bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	value, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return value, err == nil
}

// readField reads the number after a name in a file of such lines.
func readField(root fs.FS, file, name string) (value int64, ok bool) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == name {
			value, err = strconv.ParseInt(fields[1], 10, 64)
			return value, err == nil
		}
	}
	return 0, false
}
