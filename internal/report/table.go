package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
)

// Number is a cell that was formatted by the caller but lines up like a number: "0.93 ± 0.01", "12.4 ms".
type Number string

// Table is a header and rows of cells. It prints itself as aligned text for terminals and as Markdown for documents.
type Table struct {
	header  []string
	rows    [][]string
	numeric []bool // columns that hold a number; they are aligned to the right
}

// NewTable returns a table without rows. The header fixes the number of columns.
func NewTable(header ...string) *Table {
	return &Table{header: header, numeric: make([]bool, len(header))}
}

// Row appends a row and returns the table. Strings stand on the left of their column; integers, floats and Numbers on
// the right. Floats are printed with four significant digits. Missing cells are empty; more cells than columns are a
// mistake of the caller and panic.
func (t *Table) Row(cells ...any) *Table {
	if len(cells) > len(t.header) {
		panic(fmt.Sprintf("report: a row of %d cells in a table of %d columns", len(cells), len(t.header)))
	}
	row := make([]string, len(t.header))
	for k, cell := range cells {
		text, numeric := format(cell)
		row[k] = strings.Join(strings.Fields(text), " ")
		t.numeric[k] = t.numeric[k] || numeric
	}
	t.rows = append(t.rows, row)
	return t
}

// format returns a cell's text, and whether it is a number.
func format(cell any) (text string, numeric bool) {
	switch cell := cell.(type) {
	case nil:
		return "", false
	case Number:
		return string(cell), true
	case float64:
		return strconv.FormatFloat(cell, 'g', 4, 64), true
	case float32:
		return strconv.FormatFloat(float64(cell), 'g', 4, 32), true
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(cell), true
	}
	return fmt.Sprint(cell), false
}

// Wide is a writer that knows how many columns it shows, such as a terminal; 0 is no bound.
type Wide interface{ Columns() int }

// Text writes the table with aligned columns, two blanks apart, and a rule below the header. Widths are those of a
// terminal: wide and combining characters count as they are shown. If w is Wide, the cells of the widest column of text
// are broken between words where lines would be too long.
func (t *Table) Text(w io.Writer) error {
	rows, widths := t.rows, t.widths(t.header, t.rows)
	if wide, ok := w.(Wide); ok && wide.Columns() > 0 {
		rows, widths = t.fit(widths, wide.Columns())
	}
	rule := make([]string, len(widths))
	for k, width := range widths {
		rule[k] = strings.Repeat("─", width)
	}
	var b strings.Builder
	for _, row := range append([][]string{t.header, rule}, rows...) {
		line := strings.Join(t.align(row, widths), "  ")
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// narrowest is how narrow a column may become to fit: less is no text any more.
const narrowest = 16

// fit breaks cells so that rows of the given widths have so many columns together, as far as that can be: those of the
// widest column of text first. A row with a broken cell becomes several.
func (t *Table) fit(widths []int, columns int) ([][]string, []int) {
	rows, widths := t.rows, slices.Clone(widths)
	for range widths {
		excess := 2*(len(widths)-1) - columns
		widest := -1
		for k, width := range widths {
			excess += width
			if !t.numeric[k] && width > narrowest && (widest < 0 || width > widths[widest]) {
				widest = k
			}
		}
		if excess <= 0 || widest < 0 {
			break
		}
		to := max(widths[widest]-excess, narrowest)
		rows = breakColumn(rows, widest, to)
		widths = t.widths(t.header, rows)
	}
	return rows, widths
}

// breakColumn breaks the cells of a column into lines of a width, below each other.
func breakColumn(rows [][]string, column, width int) (broken [][]string) {
	for _, row := range rows {
		for k, line := range wrap(row[column], width) {
			next := make([]string, len(row))
			if k == 0 {
				copy(next, row)
			}
			next[column] = line
			broken = append(broken, next)
		}
	}
	return broken
}

// wrap breaks a text between words into lines of a width; a longer word has a line of its own.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case uniseg.StringWidth(line)+1+uniseg.StringWidth(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// Markdown writes the table in the pipe syntax of GitHub, aligned in its source too.
func (t *Table) Markdown(w io.Writer) error {
	header := escapeAll([][]string{t.header})[0]
	rows := escapeAll(t.rows)
	widths := t.widths(header, rows)
	rule := make([]string, len(widths))
	for k := range widths {
		widths[k] = max(widths[k], 3)
		rule[k] = strings.Repeat("-", widths[k])
		if t.numeric[k] {
			rule[k] = rule[k][1:] + ":"
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{header, rule}, rows...) {
		b.WriteString("| " + strings.Join(t.align(row, widths), " | ") + " |\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// widths returns the width of each column's widest cell.
func (t *Table) widths(header []string, rows [][]string) []int {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for k, cell := range row {
			widths[k] = max(widths[k], uniseg.StringWidth(cell))
		}
	}
	return widths
}

// align pads each cell to its column's width.
func (t *Table) align(row []string, widths []int) []string {
	padded := make([]string, len(row))
	for k, cell := range row {
		blanks := strings.Repeat(" ", widths[k]-uniseg.StringWidth(cell))
		if t.numeric[k] {
			padded[k] = blanks + cell
		} else {
			padded[k] = cell + blanks
		}
	}
	return padded
}

// escapeAll hides the pipes in cells, which would end them.
func escapeAll(rows [][]string) [][]string {
	escaped := make([][]string, len(rows))
	for r, row := range rows {
		escaped[r] = make([]string, len(row))
		for k, cell := range row {
			escaped[r][k] = strings.ReplaceAll(cell, "|", `\|`)
		}
	}
	return escaped
}
