package source

import "strings"

// Separator returns what separates the columns of a table of comma-separated values, by its first line: a comma, or
// else what programs write in its place, a semicolon where commas are before decimals, or a tab.
func Separator(line string) rune {
	switch {
	case strings.Contains(line, ","):
	case strings.Contains(line, ";"):
		return ';'
	case strings.Contains(line, "\t"):
		return '\t'
	}
	return ','
}
