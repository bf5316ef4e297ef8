package load

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/deeppsl/deeppsl/internal/program"
)

// endOfLine returns the offset of the line ending at or after i, or of the end of the input.
func endOfLine(input string, i int) int {
	if length := strings.IndexByte(input[i:], '\n'); length >= 0 {
		return i + length
	}
	return len(input)
}

// trim leaves out the spaces around a line.
func trim(text string, from, to int) (int, int) {
	plain := func(c byte) bool { return c > ' ' && c < 0x80 }
	for from < to && text[to-1] == '\r' {
		to--
	}
	if from == to || plain(text[from]) && plain(text[to-1]) {
		return from, to
	}
	line := text[from:to]
	from += len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
	return from, from + len(strings.TrimSpace(line))
}

// isCanonical tells whether a field is the name of its constant as it is.
func isCanonical(kind program.Type, field string) bool {
	if kind == program.String || kind == program.Int && isPlainInteger(field) {
		return true
	}
	name, err := kind.Canonical(strings.TrimSpace(field))
	return err == nil && name == field
}

// isPlainInteger recognises a short integer that is canonical as it is.
func isPlainInteger(field string) bool {
	if field == "" || len(field) > 18 || field[0] == '0' && len(field) > 1 {
		return false
	}
	for k := range len(field) {
		if field[k] < '0' || field[k] > '9' {
			return false
		}
	}
	return true
}

// truthOf reads a number in [0, 1], as most programs write it.
func truthOf(field string) (float64, bool) {
	value, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
	if err != nil || isGoNumber(field) || !(value >= 0 && value <= 1) {
		return 0, false
	}
	return math.Abs(value), true // no negative zero
}

// isGoNumber tells numbers as only Go writes them.
func isGoNumber(field string) bool { return strings.ContainsAny(field, "xX_") }

// powers are those of ten, which doubles hold exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// fraction reads a decimal in [0, 1] such as 0.25, of so few digits that their quotient is the number next to it; ok
// says that it is one.
func fraction(field string) (value float64, ok bool) {
	if field == "1" {
		return 1, true
	}
	if len(field) < 3 || len(field) >= len(powers) || field[1] != '.' || field[0] != '0' && field[0] != '1' {
		return 0, false
	}
	digits := uint64(field[0] - '0')
	for k := 2; k < len(field); k++ {
		c := field[k] - '0'
		if c > 9 {
			return 0, false
		}
		digits = 10*digits + uint64(c)
	}
	value = float64(digits) / powers[len(field)-2]
	return value, value <= 1
}
