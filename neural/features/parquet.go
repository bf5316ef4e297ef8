package features

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/format"
)

// pandasIndex is what pandas calls an index without a name, which it writes as the last column.
const pandasIndex = "__index_level_0__"

// eachRow calls head with the names of the columns of a table in Parquet's format and which of them has the ids, and
// row with the cells that it picks of each row, until it returns false.
func eachRow(r io.Reader, head func(names []string, id int) (picked, error), row func(cells []string) bool) error {
	parquet, err := format.Of(".parquet")
	if err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var names []string
	var chosen picked
	var wrong error
	header := func(all []string) format.Rows {
		names = all
		return format.Gapped
	}
	err = parquet.Read(bytes.NewReader(data), int64(len(data)), header, func(fields []string) bool {
		if chosen.columns == nil {
			if chosen, wrong = head(slices.Clone(names), idColumn(names, fields)); wrong != nil {
				return false
			}
		}
		return row(chosen.of(fields))
	})
	return cmp.Or(wrong, err)
}

// idColumn returns the column of the ids: the index of pandas, which stands last, the only one without a number in the
// first row, or the first one.
func idColumn(names, first []string) int {
	if at := slices.Index(names, pandasIndex); at >= 0 {
		return at
	}
	id, texts := 0, 0
	for k, field := range first {
		if _, err := parse(field, 64); err != nil && field != "" {
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
