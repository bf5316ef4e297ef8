package neural

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/format"
)

// pandasIndex is what pandas calls an index without a name, which it writes as the last column.
const pandasIndex = "__index_level_0__"

// eachRow calls row with the id and the values of each row of a table in Parquet's format, until it returns false.
func eachRow(r io.Reader, row func(id string, values []string) bool) error {
	parquet, err := format.Of(".parquet")
	if err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var names, values []string
	id := -1
	header := func(all []string) bool {
		names = all
		return true
	}
	return parquet.Read(bytes.NewReader(data), int64(len(data)), header, func(fields []string) bool {
		if id < 0 {
			id = idColumn(names, fields)
		}
		values = append(append(values[:0], fields[:id]...), fields[id+1:]...)
		return row(fields[id], values)
	})
}

// idColumn returns the column of the ids: the index of pandas, which stands last, the only one without a number in the
// first row, or the first one.
func idColumn(names, first []string) int {
	if at := slices.Index(names, pandasIndex); at >= 0 {
		return at
	}
	id, texts := 0, 0
	for k, field := range first {
		if _, err := parse(field, 64); err != nil {
			id, texts = k, texts+1
		}
	}
	if texts != 1 {
		return 0
	}
	return id
}

// parse reads a number, to so many bits; true and false are 1 and 0.
func parse(text string, bits int) (float64, error) {
	text = strings.TrimSpace(text)
	switch {
	case strings.EqualFold(text, "true"):
		return 1, nil
	case strings.EqualFold(text, "false"):
		return 0, nil
	}
	return strconv.ParseFloat(text, bits)
}
