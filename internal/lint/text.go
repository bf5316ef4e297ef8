package lint

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxLine = 120 // columns, a tab being one
	maxFile = 600 // lines
)

// machinePath matches paths that exist on one machine only. This package must write them, and is not searched.
var machinePath = regexp.MustCompile(`(^|[^\w.])/(work|tmp|root|home|Users)/|\.\./shared`)

// unfinished matches the marks of work that was left for later, and those of a merge that was.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b|^(<<<<<<<|>>>>>>>) `)

// machinePaths finds places of one machine.
func machinePaths(m *Module) []Finding {
	return m.matches(machinePath, "%q is a place on one machine")
}

// unfinishedWork finds notes of work to do.
func unfinishedWork(m *Module) []Finding {
	return m.matches(unfinished, "%q: finish it, or write it down where work is planned")
}

// matches finds lines that match, in all files but this package's.
func (m *Module) matches(pattern *regexp.Regexp, message string) []Finding {
	var findings []Finding
	for _, file := range m.Files {
		if file.Package() == "internal/lint" {
			continue
		}
		for k, line := range strings.Split(file.Text, "\n") {
			if match := pattern.FindString(line); match != "" {
				findings = append(findings, Finding{file.Path, k + 1, fmt.Sprintf(message, match)})
			}
		}
	}
	return findings
}

// lineLength finds lines of code that do not fit beside each other on a screen.
func lineLength(m *Module) []Finding {
	var findings []Finding
	m.goFiles(func(file *File) {
		for k, line := range strings.Split(file.Text, "\n") {
			if columns := utf8.RuneCountInString(line); columns > maxLine {
				findings = append(findings, Finding{file.Path, k + 1,
					fmt.Sprintf("has %d columns, more than %d", columns, maxLine)})
			}
		}
	})
	return findings
}

// fileLength finds files that hold more than one thing.
func fileLength(m *Module) []Finding {
	var findings []Finding
	m.goFiles(func(file *File) {
		if lines := strings.Count(file.Text, "\n"); lines > maxFile {
			findings = append(findings, Finding{file.Path, 1, fmt.Sprintf("has %d lines, more than %d", lines, maxFile)})
		}
	})
	return findings
}
